"""From a path to a JSON tree and back, for text that somebody else wrote.

A file may be endless, deeply nested, or hold a number of a million digits; each is one line of
complaint here, never a crash. At most `MAX_BYTES` are read, whatever size the file claims to have.
Numbers are left as they are spelt (`Literal`), so nothing is rounded, and converting a long one is
left to the caller, who knows its limit. A repeated key is an error: the parser would silently keep the last.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from theory.problems.numbers import MAX_DIGITS, InvalidProblem, did_you_mean, quoted, type_word

DEEPEST = 500  # brackets within brackets
MAX_BYTES = 16 * 2**20

StrPath = str | os.PathLike[str]


class Literal(str):
    """A JSON number, or NaN or Infinity, as it is spelt."""

    __slots__ = ()

    def as_double(self) -> str | float:
        """A double where it is a decimal, with a point or an exponent, that is not too long to be read."""
        return self if {".", "e", "E"}.isdisjoint(self) or len(self) > MAX_DIGITS else float(self)


def parse_tree(text: str) -> Any:
    """The tree of a JSON text: dict, list, str, bool, None, and `Literal` for every number.

    >>> parse_tree('{"gamma": 0.90}')
    {'gamma': '0.90'}
    """
    if len(text) > MAX_BYTES:
        raise InvalidProblem(f"is larger than {MAX_BYTES >> 20} MiB")
    if _depth(text) > DEEPEST:  # newer parsers go on for as long as the memory lasts
        raise InvalidProblem("is nested too deep")
    try:
        return json.loads(
            text.removeprefix("\ufeff"),
            parse_int=Literal,
            parse_float=Literal,
            parse_constant=Literal,
            object_pairs_hook=_without_repeats,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidProblem(f"is not JSON: {error.msg.removesuffix(' at')} at {where}") from None
    except RecursionError:
        raise InvalidProblem("is nested too deep") from None


def _depth(text: str) -> int:
    """How many brackets are open at most, those in strings apart."""
    brackets = re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


def read_tree(path: StrPath) -> Any:
    """The tree of a JSON file; a complaint begins with the path."""
    data = read_bytes(path)
    with about(path):
        try:
            return parse_tree(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise InvalidProblem(f"is not UTF-8 text, at byte {error.start}") from None


@contextlib.contextmanager
def about(path: StrPath, what: str = "") -> Iterator[None]:
    """What is wrong with a problem in a file begins with the path, and with what cannot be done."""
    try:
        yield
    except InvalidProblem as error:
        raise InvalidProblem(f"{show_path(path)}: {what}{error}") from None
    except OSError as error:
        raise InvalidProblem(f"{show_path(path)}: {reason(error)}") from None


def layout(tree: Any, indent: str = "") -> str:
    """The text of a tree, a key and a matrix row to a line.

    >>> print(layout({"features": [[1], [-3]], "rewards": [0.5, "1/3"]}))
    {
      "features": [
        [1],
        [-3]
      ],
      "rewards": [0.5, "1/3"]
    }
    """
    inner = indent + "  "
    if isinstance(tree, dict):
        items = [f"{layout(key)}: {layout(value, inner)}" for key, value in tree.items()]
        return _block("{", items, "}", indent)
    if isinstance(tree, list) and any(isinstance(item, list) for item in tree):
        return _block("[", [layout(item, inner) for item in tree], "]", indent)
    text = json.dumps(tree, ensure_ascii=False)
    # Readable where it can be, escaped where UTF-8 could not hold it or a terminal would act on it.
    return text if text.isprintable() else json.dumps(tree)


def check_keys(tree: Any, known: Sequence[str], required: Sequence[str] = (), *where: str | int) -> None:
    """Is it an object with these keys? An unknown one gets the nearest known one as a hint."""
    if not isinstance(tree, dict):
        raise InvalidProblem(f"expected an object, got {type_word(tree)}", *where)
    for key in tree:
        if key not in known:
            hint = did_you_mean(key, known, f"known are {', '.join(known)}")
            raise InvalidProblem(f"unknown key {quoted(key)}; {hint}", *where)
    for key in required:
        if key not in tree:
            raise InvalidProblem(f"the key {key!r} is missing", *where)


def as_text(value: Any, *where: str | int) -> str:
    """A name: text that is not empty and can be shown on one line."""
    if not isinstance(value, str) or isinstance(value, Literal):
        raise InvalidProblem(f"expected text, got {type_word(value)}", *where)
    if not value or not is_one_line(value):
        raise InvalidProblem(f"{quoted(value)} is empty or has control characters", *where)
    return value


def read_decimals(tree: Any, arithmetic: Any) -> Any:
    """The tree; with ``"float"`` arithmetic, with doubles in place of decimals that are not too long."""
    if arithmetic not in ("exact", "float"):
        raise InvalidProblem("must be 'exact' or 'float'", "arithmetic")
    if arithmetic == "exact":
        return tree
    return each_leaf(tree, lambda leaf, _: leaf.as_double() if isinstance(leaf, Literal) else leaf)


def each_leaf(tree: Any, change: Callable[[Any, tuple[str | int, ...]], Any], *where: str | int) -> Any:
    """The tree with everything changed that is neither an object nor a list."""
    if isinstance(tree, dict):
        return {key: each_leaf(value, change, *where, key) for key, value in tree.items()}
    if isinstance(tree, list):
        return [each_leaf(value, change, *where, i) for i, value in enumerate(tree)]
    return change(tree, where)


def is_one_line(text: str) -> bool:
    """Can it be shown: no control characters, line separators or halves of surrogate pairs."""
    return not any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in text)


def show_path(path: StrPath) -> str:
    """The path as it was typed, unless that would break the line."""
    text = os.fspath(path)
    return text if is_one_line(text) else repr(text)


def read_bytes(path: StrPath, limit: int = MAX_BYTES) -> bytes:
    """All of a file, or an error; of a pipe or a device too, of which no size is known before."""
    try:
        with open(path, "rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise InvalidProblem(f"{show_path(path)}: {reason(error)}") from None
    if len(data) > limit:
        raise InvalidProblem(f"{show_path(path)}: is larger than {limit / 2**20:.3g} MiB")
    return data


def write_bytes(path: StrPath, data: bytes) -> None:
    """Replace a file in one step: a reader sees the old bytes or the new, an interrupt leaves the old."""
    try:
        target = Path(os.path.realpath(path))  # a symbolic link keeps pointing
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)  # a pipe or a device is written to, never replaced
            return
        temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with open(temporary, "xb") as file:
                file.write(data)
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            os.replace(temporary, target)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise InvalidProblem(f"{show_path(path)}: {reason(error)}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for key, value in pairs:
        if key in tree:
            raise InvalidProblem(f"the key {quoted(key)} occurs twice in one object")
        tree[key] = value
    return tree


def _block(opening: str, items: list[str], closing: str, indent: str) -> str:
    return f"{opening}\n" + ",\n".join(f"{indent}  {item}" for item in items) + f"\n{indent}{closing}"


def reason(error: OSError | ValueError) -> str:
    """Why a file was not read or written, in the words of every reader."""
    if isinstance(error, ValueError):
        return "is not a path"
    return (error.strerror or type(error).__name__).lower()
