"""Finished chunks on disk: one SQLite file, one transaction a chunk.

A row is found by everything that determines it: cell, seed, chunk size, chunk index and how many of the chunk's
problems it counts. Writing a row that is there already changes nothing, so processes that share a store never count
a chunk twice; SQLite's own locks keep them from corrupting it. What is killed loses the chunks it was computing.

A store belongs to whoever claims it first: one version of the code that computes what it holds, as text. Another
claim is refused in one line. Default stores have the version in their names, so there versions are simply kept apart.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from theory.montecarlo.chunks import version as of_chunks
from theory.problems import InvalidProblem

_WAIT = 60.0  # seconds for another process's transaction, which takes milliseconds
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS about (version TEXT NOT NULL, single INTEGER PRIMARY KEY CHECK (single = 0))",
    "CREATE TABLE IF NOT EXISTS chunks (cell TEXT NOT NULL, seed TEXT NOT NULL, chunk INTEGER NOT NULL,"
    " place INTEGER NOT NULL, size INTEGER NOT NULL, counts TEXT NOT NULL,"
    " PRIMARY KEY (cell, seed, chunk, place, size)) WITHOUT ROWID",
)
# A seed may be longer than SQLite's integers: hence text.
_OF_CELL = "FROM chunks WHERE cell = ? AND seed = ? AND chunk = ? ORDER BY place, size"


class Keyed(Protocol):
    """What results are found by: all that determines them, but for the seed."""

    @property
    def key(self) -> str:
        """Canonical text."""


class Chunk(Protocol):
    """Place `index` of what `cell` and `seed` determine, and how many problems are in it."""

    @property
    def cell(self) -> Keyed: ...
    @property
    def seed(self) -> int: ...
    @property
    def index(self) -> int: ...
    @property
    def size(self) -> int: ...


class StoreError(OSError):
    """The store cannot be read or written; one line says why."""


class Store:
    """Chunks by cell and seed. Use as a context manager; ``Store(None)`` keeps them in memory only.

    Without a `version` the store is open to read; whoever computes claims it.
    """

    def __init__(self, path: Path | str | None, version: str | None = None) -> None:
        self.path = None if path is None else Path(path)
        with self._explained():
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
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

    def known(self, cell: Keyed, seed: int, chunk: int) -> set[tuple[int, int]]:
        """(place, size) of every chunk of a cell that is there."""
        with self._explained():
            return set(self._db.execute(f"SELECT place, size {_OF_CELL}", (cell.key, str(seed), chunk)))

    def counts(self, cell: Keyed, seed: int, chunk: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Place, size and counts of every chunk of a cell, in order."""
        with self._explained():
            rows = self._db.execute(f"SELECT place, size, counts {_OF_CELL}", (cell.key, str(seed), chunk))
            for place, size, counts in rows:
                yield place, size, json.loads(counts)

    def put(self, task: Chunk, chunk: int, counts: dict[str, Any]) -> None:
        """Keep the counts of a chunk; if another process was faster, its (equal) ones stay."""
        with self._explained(), self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO chunks VALUES (?, ?, ?, ?, ?, ?)",
                (task.cell.key, str(task.seed), chunk, task.index, task.size, json.dumps(counts)),
            )

    def __len__(self) -> int:
        """The number of chunks of all cells."""
        with self._explained():
            return int(self._db.execute("SELECT COUNT(*) FROM chunks").fetchone()[0])

    def claim(self, version: str) -> None:
        """Say which version of the code the results are of: the first one stays, another is refused."""
        with self._explained():
            found = self._db.execute("SELECT version FROM about").fetchone()
            if found is None:
                with self._transaction():
                    self._db.execute("INSERT OR IGNORE INTO about VALUES (?, 0)", (version,))
                found = self._db.execute("SELECT version FROM about").fetchone()
        if found[0] != version:
            raise InvalidProblem(
                f"{self.path} was written by {found[0]}, this is {version}: give another --store, or delete it", "store"
            )

    def _prepare(self) -> None:
        # Who only reads must not wait for those who write: the tables are made once.
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "about" not in tables:
            if tables - {"chunks"}:
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
        except sqlite3.Error as error:
            raise StoreError(f"store: {self.path}: {error}") from error
        except OSError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"store: {error.filename or self.path}: {error.strerror}") from error


def default_store(directory: Path | str = "reports/data") -> Path:
    """``reports/data/success-rate-<version>.sqlite``."""
    return named_after("success-rate", of_chunks(), directory)


def named_after(name: str, version: str, directory: Path | str = "reports/data") -> Path:
    """``<directory>/<name>-<digest of the version>.sqlite``."""
    return Path(directory) / f"{name}-{hashlib.sha256(version.encode()).hexdigest()[:8]}.sqlite"
