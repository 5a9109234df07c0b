"""Finished work on disk, and which code it was made by.

**Rows.** One SQLite file, one transaction a row. A row is found by everything that determines it: *what* was computed,
as canonical text, its place among its like, and its size. Writing a row that is there already changes nothing, so
processes that share a store never count one twice; SQLite's own locks keep them from corrupting it. What is killed
loses what it was computing.

**Validity.** A row carries a digest of itself, and its reader says what it must be like (`Check`): one that was
edited, damaged or is of another kind is refused in one line, never counted.

**Version.** A store belongs to one version of the code that computes what it holds, as text; another is refused in one
line. `theory.code_version` computes it. Default stores have it in their names, so there versions are simply kept apart.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from theory.problems.numbers import InvalidProblem

Check = Callable[[int, Any], str | None]  # size and value of a row; what is wrong with it

_WAIT = 60.0  # seconds for another process's transaction, which takes milliseconds
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS about (version TEXT NOT NULL, single INTEGER PRIMARY KEY CHECK (single = 0))",
    "CREATE TABLE IF NOT EXISTS results (what TEXT NOT NULL, place INTEGER NOT NULL, size INTEGER NOT NULL,"
    " value TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (what, place, size)) WITHOUT ROWID",
)


def cache_folder() -> Path:
    """Where the user's programs keep what can be made again; it need not be there."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "chained-td"


class StoreError(OSError):
    """The store cannot be read or written, or holds what it must not; one line says why."""


class Store:
    """Results by what they are of. Use as a context manager; ``Store(None)`` keeps them in memory only.

    Without a `version` the store is open to read; a computation claims it. The folder must be there.
    """

    def __init__(self, path: Path | str | None, version: str | None = None) -> None:
        self.path = None if path is None else Path(path)
        if self.path is not None and not self.path.parent.is_dir():
            raise StoreError(f"store: {self.path}: there is no folder {self.path.parent}")
        with self._explained():
            # Autocommit: transactions begin where the code says so.
            # A whole path: SQLite knows names, like ":memory:" or "file:x", that are no files.
            name = ":memory:" if self.path is None else self.path.absolute()
            self._db = sqlite3.connect(name, timeout=_WAIT, isolation_level=None)
            try:
                self._prepare()
                if version is not None:
                    self.claim(version)
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is lost by not calling it."""
        self._db.close()

    def known(self, what: str) -> set[tuple[int, int]]:
        """(place, size) of everything of a kind that is there, undamaged."""
        return {(place, size) for place, size, _ in self._texts(what)}

    def rows(self, what: str, check: Check | None = None) -> Iterator[tuple[int, int, Any]]:
        """Place, size and value of everything of a kind, by place and size; each must pass the `check`."""
        for place, size, text in self._texts(what):
            try:
                value = json.loads(text)
                wrong = None if check is None else check(size, value)
            except (ValueError, RecursionError):
                wrong = "is not JSON"
            if wrong is not None:
                raise self._unsound(place, wrong)
            yield place, size, value

    def put(self, what: str, place: int, size: int, value: Any) -> None:
        """Keep a result; if another process was faster, its (equal) one stays."""
        text = json.dumps(value)
        with self._explained(), self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO results VALUES (?, ?, ?, ?, ?)",
                (what, place, size, text, _digest(what, place, size, text)),
            )

    def __len__(self) -> int:
        """The number of rows."""
        with self._explained():
            return int(self._db.execute("SELECT COUNT(*) FROM results").fetchone()[0])

    def claim(self, version: str) -> None:
        """Say which version of the code the results are of: the first one stays, another is refused."""
        with self._explained():
            found = self._db.execute("SELECT version FROM about").fetchone()
            if found is None:
                with self._transaction():
                    # Results without a version are nobody's, unless another process has just put both there.
                    empty = "NOT EXISTS (SELECT 1 FROM results)"
                    self._db.execute(f"INSERT OR IGNORE INTO about SELECT ?, 0 WHERE {empty}", (version,))
                found = self._db.execute("SELECT version FROM about").fetchone()
        if found is None:
            raise StoreError(f"store: {self.path} holds results without a version: give another --store, or delete it")
        if found[0] != version:
            by = _one_line(str(found[0]))
            raise InvalidProblem(
                f"{self.path} was written by {by}, this is {version}: give another --store, or delete it", "store"
            )

    def _texts(self, what: str) -> Iterator[tuple[int, int, str]]:
        query = "SELECT place, size, value, digest FROM results WHERE what = ? ORDER BY place, size"
        with self._explained():
            for place, size, text, digest in self._db.execute(query, (what,)):
                if not isinstance(text, str) or digest != _digest(what, place, size, text):
                    raise self._unsound(place, "was changed after it was written")
                yield place, size, text

    def _unsound(self, place: object, wrong: str) -> StoreError:
        return StoreError(f"store: {self.path}: row {place!s:.20} {wrong}: delete the file, or give another --store")

    def _prepare(self) -> None:
        # Who only reads must not wait for those who write: the tables are made once.
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not {"about", "results"} <= tables:
            # "chunks" is what stores held before they were common to all results.
            if tables - {"about", "results"}:
                raise InvalidProblem(f"{self.path} is a database of something else: give another --store", "store")
            with self._transaction():
                for statement in _SCHEMA:
                    self._db.execute(statement)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # A full disk may have ended the transaction already.
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # What SQLite says of a damaged file may quote from it, and need not even be text.
            said = "is damaged" if isinstance(error, UnicodeDecodeError) else _one_line(str(error))
            raise StoreError(f"store: {self.path}: {said}") from error
        except OSError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"store: {error.filename or self.path}: {error.strerror}") from error


def default_store(name: str, version: str, directory: Path | str = "reports/data") -> Path:
    """``<directory>/<name>-<digest of the version>.sqlite``, in a folder that is made where there is none."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"store: {error.filename or folder}: {error.strerror}") from error
    return folder / f"{name}-{hashlib.sha256(version.encode()).hexdigest()[:8]}.sqlite"


def _one_line(text: str) -> str:
    """Printable, and not long."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:200]).split())


def _digest(what: str, place: object, size: object, text: str) -> str:
    return hashlib.sha256(repr((what, place, size, text)).encode(errors="backslashreplace")).hexdigest()[:32]
