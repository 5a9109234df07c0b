"""A view as the query of an address, and back.

``problem=`` names a catalogue entry or one of the listed Gymnasium tasks; any other problem travels as ``data=``, its
JSON file compressed, in base64's address alphabet. An address is something that strangers write: names must be on a
list (Gymnasium's own ids could import modules), numbers are read by `parse_number`, data by `parse_problem` after a
bounded decompression, and everything has a length limit. A key that we do not know is ignored.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode

from theory.explorer.sources import open_source
from theory.explorer.view import MAX_HEADS, MAX_STATES, MAX_STEPS, MAX_WINDOW, View, open_view
from theory.problems import InvalidProblem, Problem
from theory.problems.files import problem_from_tree, problem_to_json
from theory.problems.jsontext import parse_tree
from theory.problems.numbers import parse_number

MAX_LINK = 100_000  # characters of compressed data
MAX_TEXT = 1 << 20  # bytes of the JSON in it
_COUNTS = {"T": "window", "k": "heads", "n": "steps"}
_RANGES = {
    **{"T": (1, MAX_WINDOW), "k": (1, MAX_HEADS), "n": (1, MAX_STEPS)},
    **{"state": (0, MAX_STATES - 1), "feature": (0, MAX_STATES - 1)},
}


def to_query(view: View) -> str:
    """``problem=baird&gamma=9%2F10&…``: all that makes this view again.

    >>> from theory.problems.catalogue import catalogue_problem
    >>> to_query(open_view(catalogue_problem("twostate"), "twostate"))
    'problem=twostate&gamma=99/100&alpha=1/4&T=100&k=12&n=1'
    """
    s, f = view.entry
    source = {"problem": view.spec} if view.spec else {"data": pack(view.base)}
    if not view.spec and view.opened is not None and view.opened[1]:
        source["of"] = view.opened[1]  # what it was before it was edited
    query: dict[str, Any] = {**source, "gamma": view.gamma, "alpha": view.alpha}
    query |= {key: getattr(view, field) for key, field in _COUNTS.items()}
    if view.tau != View.tau:
        query["tau"] = view.tau
    if (s, f) != (0, 0) or view.value is not None:
        query |= {"state": s, "feature": f}
    if view.value is not None:
        query["value"] = view.value
    return urlencode(query, safe="/:,")


def from_query(query: Mapping[str, Any], here: View | None = None) -> View:
    """The view that an address asks for; refuses with one line what it cannot be.

    A query that names no problem changes `here`, or Baird's counterexample.
    """
    texts = {str(key): _one(str(key), value) for key, value in query.items()}
    if "data" in texts:
        view = open_view(unpack(texts["data"]))
        if "of" in texts:
            view = view.change(opened=open_source(texts["of"]))
    elif "problem" in texts or here is None:
        view = open_view(*open_source(texts.get("problem", "baird")))
    else:
        view = here
    numbers = [key for key in ("gamma", "alpha", "tau", "value") if key in texts]
    fields: dict[str, Any] = {key: parse_number(texts[key], key) for key in numbers}
    fields |= {field: _count(texts[key], key) for key, field in _COUNTS.items() if key in texts}
    if "state" in texts or "feature" in texts:
        fields["entry"] = (_count(texts.get("state", "0"), "state"), _count(texts.get("feature", "0"), "feature"))
    return view.change(**fields)


def follow(text: str, here: View) -> View:
    """The view after a message of the page's own script: an address's query, or only what changes.

    >>> baird = from_query({})
    >>> follow("gamma=0.882", baird).gamma
    Fraction(441, 500)
    """
    if len(text) > 2 * MAX_LINK:
        raise InvalidProblem("is too long", "address")
    try:
        return from_query(parse_qs(text, max_num_fields=20), here)
    except ValueError as error:
        raise error if isinstance(error, InvalidProblem) else InvalidProblem("has too many fields", "address") from None


def tab_of(text: str) -> str:
    """The view below the verdicts that a query names, or nothing.

    >>> tab_of("problem=baird&tab=Target+network")
    'Target network'
    """
    return next((value for key, value in parse_qsl(text[-200:]) if key == "tab"), "")


def pack(problem: Problem) -> str:
    """A problem's file, compressed, in letters that an address may contain."""
    packed = zlib.compress(problem_to_json(problem).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack(text: str) -> Problem:
    """The problem that `pack` packed."""
    if len(text) > MAX_LINK or not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise InvalidProblem("is not a packed problem", "data")
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        opened = zlib.decompressobj()
        plain = opened.decompress(packed, MAX_TEXT)
        if opened.unconsumed_tail or not opened.eof:
            raise InvalidProblem(f"is cut off, or more than {MAX_TEXT >> 20} MiB", "data")
        return problem_from_tree(_small(parse_tree(plain.decode())))
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise InvalidProblem("is not a packed problem", "data") from None


def _small(tree: Any) -> Any:
    """A parsed file, if its features are as few as a page shows: half a million numbers are read in seconds."""
    rows = tree.get("features") if isinstance(tree, dict) else None
    if isinstance(rows, list) and max(len(row) if isinstance(row, list) else 0 for row in [rows, *rows]) > MAX_STATES:
        raise InvalidProblem(f"the explorer shows at most {MAX_STATES} states and features", "features")
    return tree


def _one(key: str, value: Any) -> str:
    """The text of a key; an address may give one several times, and then the first counts."""
    text = value[0] if isinstance(value, list | tuple) and value else value
    if not isinstance(text, str) or len(text) > (MAX_LINK if key == "data" else 400):
        raise InvalidProblem("is not a short text", key[:20])
    return text


def _count(text: str, key: str) -> int:
    low, high = _RANGES[key]
    if not re.fullmatch(r"[0-9]{1,7}", text) or not low <= int(text) <= high:
        shown = text if len(text) <= 20 else f"{text[:20]}…"
        raise InvalidProblem(f"must be a whole number from {low} to {high}, got {shown!r}", key)
    return int(text)
