"""Results of whole parts: a part of the report is computed once, and again only if what it depends on has changed.

A part's key is everything that determines its result: its name, the request, and the version of the code that computes
it (`theory.code_version`). The report is written from what is read back from the store, never from what is in memory,
so that a first and a second run cannot differ.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theory.store import Store

_OF_ALL = "theory report: each result has the version of its own code"


@dataclass(frozen=True)
class Result:
    """A part's result, and how it came about: here and now or earlier, and how many seconds that took."""

    value: Any
    seconds: float
    fresh: bool


class Results:
    """The store of results in a folder, which is made where there is none; `get` is None where there is no result."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "report.sqlite"

    def get(self, name: str, key: dict[str, Any]) -> Result | None:
        """The result that was put last."""
        with Store(self.path, _OF_ALL) as store:
            found = [value for *_, value in store.rows(_what(name, key), _unsound)]
        return Result(found[-1]["result"], found[-1]["seconds"], fresh=False) if found else None

    def put(self, name: str, key: dict[str, Any], value: Any, seconds: float) -> Result:
        """Keep it, whole or not at all, and give it as it will be read."""
        kept = {"seconds": round(seconds, 2), "result": value}
        with Store(self.path, _OF_ALL) as store:
            what = _what(name, key)
            store.put(what, len(store.known(what)), 1, kept)
        return Result(json.loads(json.dumps(value)), kept["seconds"], fresh=True)


def _what(name: str, key: dict[str, Any]) -> str:
    return json.dumps([name, key], sort_keys=True)


def _unsound(_: int, value: Any) -> str | None:
    sound = isinstance(value, dict) and set(value) == {"seconds", "result"} and type(value["seconds"]) in (int, float)
    return None if sound else "does not hold a result with its seconds"
