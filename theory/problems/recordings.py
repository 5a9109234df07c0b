"""Where recorded transitions are: files, folders and frames, each read in batches of raw columns.

A recording is a list of parts (a file, a frame), in the order of their names with numbers counted (part-2 before
part-10), and its rows are numbered through. Files may be cut anywhere. A part names its columns, says how many rows it
has where that is known without reading, and yields batches from any row on.

Paths are a file, a folder with its folders, a glob, or an address that fsspec knows (``s3://…``). A folder called
``key=value``, as Hive writes them, is a column. Parquet is read a row group at a time, so that a broken one is named.
"""

from __future__ import annotations

import csv
import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np

from theory.problems.jsontext import reason, show_path
from theory.problems.logs import Columns, episodes_of, flat_log
from theory.problems.npz import archive_names, unpack
from theory.problems.numbers import Array, InvalidProblem, counted, quoted

MAX_BYTES = 4 * 2**30  # of an archive, which is unpacked whole
ENDINGS = (".csv", ".parquet", ".npz")
CSV_ROWS = 2**14  # lines that are parsed at once
BATCH = 2**16
Read = tuple[Columns, float]  # columns of some rows, and the share of the part that has been read by then


@dataclass(frozen=True, eq=False)
class Part:
    """One file or frame. `read(names, start, batch)`: the columns of these names from row `start` on."""

    name: str
    columns: tuple[str, ...]
    read: Callable[[tuple[str, ...], int, int], Iterator[Read]]
    rows: int | None = None  # where that is known without reading
    size: float = 1.0  # bytes, where rows are not known
    once: bool = False  # an iterator is gone when it has been read


@dataclass(frozen=True, eq=False)
class Recording:
    """Parts in their order. From files it can be sent to another machine, which opens them again."""

    name: str
    paths: tuple[str, ...] = ()
    given: tuple[Part, ...] = ()
    asks: bool = False  # made by another library, without features and ratios: on-policy is not taken for granted
    root: str = ""  # of the folder, below which names are columns
    counts: tuple[int, ...] = ()  # rows of each part, where somebody has counted them
    _opened: dict[int, Part] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.paths) or len(self.given)

    def part(self, i: int) -> Part:
        """The i-th part, opened when it is asked for."""
        if self.given:
            return self.given[i]
        if i not in self._opened:
            if len(self._opened) > 8:  # a footer is small; ten thousand of them are not
                self._opened.pop(next(iter(self._opened)))
            part = _file(self.paths[i], self.root)
            self._opened[i] = replace(part, rows=self.counts[i]) if self.counts else part
        return self._opened[i]

    @cached_property
    def rows(self) -> int | None:
        """In all parts, where that is known without reading."""
        found = self.counts or [self.part(i).rows for i in range(len(self))]
        return None if None in found else sum(n for n in found if n is not None)

    @property
    def once(self) -> bool:
        """Can it be read only once?"""
        return any(part.once for part in self.given)

    def __reduce__(self) -> Any:
        if self.given:
            raise InvalidProblem("only files are read by other machines: write it to Parquet first", self.name)
        return Recording, (self.name, self.paths, (), self.asks, self.root, self.counts)


def recording(source: Any) -> Recording:
    """What is meant by a path, a folder, a glob, a frame, a mapping, an iterator of frames, or a library's data set."""
    if isinstance(source, Recording):
        return source
    if isinstance(source, str | os.PathLike):
        return _paths(os.fspath(source))
    if isinstance(source, list | tuple) and source and all(isinstance(x, str | os.PathLike) for x in source):
        return Recording(f"{len(source)} files", tuple(os.fspath(x) for x in source))
    logged = None if hasattr(source, "collect_batches") else episodes_of(source)
    if logged is not None:
        name = str(getattr(getattr(source, "spec", None), "dataset_id", None) or type(source).__name__)
        return Recording(name, given=(_stream(logged, "data", once=False),), asks=True)
    if hasattr(source, "collect_batches"):  # Polars, lazy
        return Recording("data", given=(_stream(lambda: source.collect_batches(), "data", once=False),))
    if _has_columns(source):
        return Recording("data", given=(_frame(source),))
    if hasattr(source, "to_batches") and hasattr(source, "schema"):  # pyarrow.dataset
        return Recording("data", given=(_stream(lambda: source.to_batches(), "data", once=False),))
    if hasattr(source, "__iter__") and not isinstance(source, np.ndarray):
        once = not isinstance(source, list | tuple)
        return Recording("data", given=(_stream(lambda: source, "data", once),))
    raise InvalidProblem("give a file, a folder, a mapping from columns to values, or a data frame", "data")


def is_recording(spec: str | os.PathLike[str]) -> bool:
    """Does this name recorded transitions? An .npz does if it has the rewards of moves."""
    text = os.fspath(spec)
    ending = Path(text).suffix.lower()
    if "://" in text or (glob.has_magic(text) and not os.path.exists(text)):
        return ending in ENDINGS or text.endswith(("*", "/"))
    if os.path.isdir(text):
        return True
    if ending == ".npz":
        return not {"reward.npy", "rewards.npy"}.isdisjoint(archive_names(text))
    return ending in ENDINGS


def _paths(text: str) -> Recording:
    """The files that a path, a folder or a glob means."""
    name = PurePosixPath(text.rstrip("/")).name or text
    if "://" in text:
        system, inside = _filesystem(text)
        scheme = text.partition("://")[0] + "://"
        try:
            if glob.has_magic(inside):
                files, root = system.glob(inside), ""
            elif system.isdir(inside):
                files, root = system.find(inside), inside
            else:
                return Recording(name, (text,))
        except Exception as error:
            raise InvalidProblem(f"cannot be listed: {_first(error)}", show_path(text)) from None
        return _of_files([scheme + str(file) for file in files], scheme + root if root else "", name, text)
    if os.path.isdir(text):
        found = [os.path.join(at, file) for at, _, files in os.walk(text, followlinks=True) for file in files]
        return _of_files(found, text, name, text)
    if glob.has_magic(text) and not os.path.exists(text):
        return _of_files([x for x in glob.glob(text, recursive=True) if os.path.isfile(x)], "", name, text)
    return Recording(name, (text,))


def _of_files(found: list[str], root: str, name: str, text: str) -> Recording:
    """The data among the files; hidden ones and those of other kinds are none."""

    def hidden(path: str) -> bool:
        below = path[len(root) :] if root else PurePosixPath(path).name
        return any(part.startswith((".", "_")) for part in below.split("/"))

    chosen = sorted((x for x in found if Path(x).suffix.lower() in ENDINGS and not hidden(x)), key=_counted)
    kinds = sorted({Path(x).suffix.lower() for x in chosen})
    if not chosen:
        raise InvalidProblem(f"there are no files {', '.join(ENDINGS)} here", show_path(text))
    if len(kinds) > 1:
        raise InvalidProblem(f"has files {' and '.join(kinds)}: choose, as in '*{kinds[0]}'", show_path(text))
    return Recording(name, tuple(chosen), root=root)


def _counted(path: str) -> list[Any]:
    """A key that puts part-2 before part-10."""
    return [(0, int(x), "") if x.isdigit() and x.isascii() else (1, 0, x) for x in re.split(r"(\d+)", path) if x]


def _filesystem(text: str) -> tuple[Any, str]:
    try:
        fsspec: Any = import_module("fsspec")
        system, inside = fsspec.core.url_to_fs(text)
    except ImportError as error:
        raise InvalidProblem(f"a package is missing: {_first(error)}", show_path(text)) from None
    except Exception as error:
        raise InvalidProblem(f"cannot be opened: {_first(error)}", show_path(text)) from None
    return system, str(inside)


def _first(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _hive(path: str, root: str) -> dict[str, str]:
    """``year=2024/part.parquet`` below the root has the column year."""
    below = path[len(root) :] if root else path
    parts = (part.partition("=") for part in below.replace(os.sep, "/").split("/")[:-1])
    found = {key: unquote(value) for key, equals, value in parts if equals}
    return {key: "" if value == "__HIVE_DEFAULT_PARTITION__" else value for key, value in found.items()}


def _file(path: str, root: str) -> Part:
    name = PurePosixPath(path[len(root) :].lstrip("/") if root else path).as_posix()
    name = name if root else PurePosixPath(name).name
    try:
        if "://" in path:
            system, inside = _filesystem(path)
            opened = partial(system.open, inside, "rb")
        else:
            opened = partial(open, path, "rb")
        opened().close()
    except FileNotFoundError:
        raise InvalidProblem("no such file or directory", show_path(path)) from None
    except (OSError, ValueError) as error:
        raise InvalidProblem(reason(error), show_path(path)) from None
    ending = Path(path).suffix.lower()
    part = {".npz": _npz, ".parquet": _parquet}.get(ending, _csv)(opened, name)
    constant = {key: value for key, value in _hive(path, root).items() if key not in part.columns}
    if not constant:
        return part

    def read(names: tuple[str, ...], start: int, batch: int) -> Iterator[Read]:
        for found, share in part.read(tuple(x for x in names if x not in constant), start, batch):
            n = len(next(iter(found.values())))
            yield found | {key: np.full(n, value) for key, value in constant.items() if key in names}, share

    return Part(part.name, (*part.columns, *constant), read, part.rows, part.size)


def _parquet(opened: Callable[[], Any], name: str) -> Part:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise InvalidProblem("Parquet needs pyarrow: pip install 'chained-td[parquet]'", name) from None

    @contextmanager
    def file() -> Iterator[Any]:
        with opened() as handle:
            try:
                # By default, memory follows the size of the file.
                source = parquet.ParquetFile(handle, pre_buffer=False, buffer_size=2**20)
            except Exception as error:
                raise InvalidProblem(f"cannot be read: {_first(error)}", name) from None
            yield source

    with file() as first:
        rows, columns = first.metadata.num_rows, _different(list(first.schema_arrow.names), name)

    def read(names: tuple[str, ...], start: int, batch: int) -> Iterator[Read]:
        at = 0
        with file() as source:
            for group in range(source.metadata.num_row_groups):
                ahead = at + source.metadata.row_group(group).num_rows
                if ahead <= start:
                    at = ahead
                    continue
                for found in _row_group(source, group, names, batch, name):
                    skipped, at = max(0, start - at), at + found.num_rows
                    if skipped < found.num_rows:
                        yield _from_arrow(found.slice(skipped), name), at / max(1, rows)
                if at != ahead:
                    raise InvalidProblem(f"row group {group + 1} ends after {at:,} of {ahead:,} rows", name)

    return Part(name, tuple(columns), read, rows)


def _row_group(source: Any, group: int, names: tuple[str, ...], batch: int, name: str) -> Iterator[Any]:
    try:
        yield from source.iter_batches(batch, row_groups=[group], columns=list(names), use_threads=False)
    except Exception as error:
        raise InvalidProblem(f"row group {group + 1} cannot be read: {_first(error)}", name) from None


def _from_arrow(found: Any, name: str) -> Columns:
    return {key: _arrow_column(found.column(i), f"{name}.{key}") for i, key in enumerate(found.schema.names)}


def _arrow_column(column: Any, name: str) -> Array:
    """Numbers as they lie in memory; lists of one length as a matrix; missing numbers as NaN."""
    if hasattr(column, "combine_chunks"):  # of a table
        column = column.combine_chunks()
    kind = str(column.type)
    if kind.startswith("dictionary"):
        column = column.dictionary_decode()
    elif kind.startswith(("list", "large_list", "fixed_size_list")):
        flat, n = column.flatten(), len(column)
        width = len(flat) // n if n else 0
        offsets = getattr(column, "offsets", None)
        even = offsets is None or bool((np.diff(offsets.to_numpy()) == width).all())
        if not column.null_count and even and width:
            return np.asarray(flat.to_numpy(zero_copy_only=False)).reshape(n, width)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _csv(opened: Callable[[], Any], name: str) -> Part:
    def lines(file: Any) -> Iterator[str]:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise InvalidProblem(f"is not UTF-8 (line {number})", name) from None
            if "\0" in line:
                raise InvalidProblem("is not text: it has NUL characters", name)
            if len(line) > 2**24:
                raise InvalidProblem(f"line {number} has more than 16 million characters", name)
            yield line

    def rows(file: Any) -> Iterator[list[str]]:
        found, head = lines(file), ""
        for head in found:
            if head.strip():
                break
        between = next((mark for mark in ",;\t" if mark in head), ",")
        try:
            for row in csv.reader(_chained(head, found), delimiter=between, skipinitialspace=True):
                if row:
                    yield [cell.strip() for cell in row]
        except csv.Error as error:
            raise InvalidProblem(f"is not CSV: {error}", name) from None

    with opened() as file:
        size = file.seek(0, os.SEEK_END) if file.seekable() else 1
        if file.seekable():
            file.seek(0)
        header = next(rows(file), [])
    if not header:
        raise InvalidProblem("is empty", name)
    if all(_is_number(cell) for cell in header):
        raise InvalidProblem(f"begins with the numbers {quoted(', '.join(header))}: the first line names columns", name)
    _different(header, name)

    def read(names: tuple[str, ...], start: int, batch: int) -> Iterator[Read]:
        wanted, at = [(key, i) for i, key in enumerate(header) if key in names], 0
        with opened() as file:
            found = rows(file)
            next(found)
            while cells := list(islice(found, min(batch, CSV_ROWS))):
                for i, row in enumerate(cells, start=at + 1):
                    if len(row) != len(header):
                        raise InvalidProblem(f"row {i} has {len(row)} cells, the header has {len(header)}", name)
                skipped, at = max(0, start - at), at + len(cells)
                if skipped < len(cells):
                    kept = list(zip(*cells[skipped:], strict=True))
                    yield {key: np.array(kept[i]) for key, i in wanted}, file.tell() / max(1, size)

    return Part(name, tuple(header), read, size=float(size))


def _chained(head: str, rest: Iterable[str]) -> Iterator[str]:
    yield head
    yield from rest


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _npz(opened: Callable[[], Any], name: str) -> Part:
    """The arrays of an archive; what it unpacks to is asked first, and nothing in it is run."""
    try:
        with opened() as file:
            arrays = unpack(file, MAX_BYTES, MAX_BYTES // 4, kinds="biufUS")
    except InvalidProblem as error:
        raise InvalidProblem(str(error), name) from None
    return _frame({key: array for key, array in arrays.items() if array.ndim}, name)


def _has_columns(source: Any) -> bool:
    names = source.keys() if isinstance(source, Mapping) else getattr(source, "column_names", None)
    names = getattr(source, "columns", None) if names is None else names
    return names is not None and not isinstance(names, str) and hasattr(names, "__iter__")


def _frame(source: Any, name: str = "data") -> Part:
    """A mapping or a frame; an index that has a name is one of its columns."""
    values = _columns(source, name)
    if {"observations", "rewards", "terminals"} <= values.keys() and "next_observations" not in values:
        values = flat_log(values, name)
    rows = max((len(x) for x in values.values()), default=0)

    def read(names: tuple[str, ...], start: int, batch: int) -> Iterator[Read]:
        for key in names:
            if len(values[key]) != rows:
                raise InvalidProblem(f"has {counted(len(values[key]), 'row')}, others have {rows}", name, key)
        for at in range(start, rows, batch):
            yield {key: values[key][at : at + batch] for key in names}, min(1.0, (at + batch) / rows)

    return Part(name, tuple(values), read, rows)


def _columns(source: Any, name: str) -> Columns:
    if type(source).__module__.partition(".")[0] == "pyarrow":
        _different(list(source.schema.names), name)
        return _from_arrow(source, name)
    names = list(source.keys() if isinstance(source, Mapping) else source.columns)
    found: Columns = {}
    for key, column in zip(_different([str(x) for x in names], name), names, strict=True):
        try:
            found[key] = np.atleast_1d(np.asarray(source[column]))
        except ValueError:
            raise InvalidProblem("rows are of different lengths", name, key) from None
    index = getattr(source, "index", None)
    for key in getattr(index, "names", None) or ():
        if isinstance(key, str) and key not in found:
            found[key] = np.asarray(index.get_level_values(key))  # type: ignore[union-attr]
    return found


def _different(keys: list[str], name: str) -> list[str]:
    """These names of columns; an error where one occurs twice."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            raise InvalidProblem(f"has two columns {key!r}", name)
        seen.add(key)
    return keys


def _stream(frames: Callable[[], Iterable[Any]], name: str, once: bool) -> Part:
    """Frames one after the other; the first says which columns there are."""

    def safe() -> Iterator[Any]:
        try:
            yield from frames()
        except Exception as error:  # of somebody's query or generator
            raise InvalidProblem(f"cannot be read: {type(error).__name__}: {_first(error)}", name) from error

    source = safe()
    first = next(source, None)
    if first is None:
        raise InvalidProblem("there are no rows", name)
    if not _has_columns(first):
        raise InvalidProblem(f"yields {type(first).__name__}, not frames or mappings", name)
    columns = tuple(_columns(first, name))
    waiting = [source]

    def read(names: tuple[str, ...], start: int, batch: int) -> Iterator[Read]:
        if not waiting and once:
            raise InvalidProblem("an iterator is read once: give a list, or write it to a file", name)
        source, at = _after(first, waiting.pop()) if waiting else safe(), 0
        for i, frame in enumerate(source, start=1):
            part = _frame(frame, f"{name}, frame {i}")
            for key in names:
                if key not in part.columns:
                    raise InvalidProblem(f"there is no column {key}, which the first frame has", part.name)
            skipped, at = max(0, start - at), at + (part.rows or 0)
            for found, _ in part.read(names, skipped, batch):
                yield found, 0.0

    return Part(name, columns, read, once=once)


def _after(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest
