"""Results on disk: a part of the report is computed once, and again only if what it depends on has changed.

A part's key is everything that determines its result: its name, the request, a digest of the sources that compute it
and the versions of the packages they use. The result is JSON in ``data/report/NAME-KEY.json`` with the seconds it
took; the report is written from what is read back, never from what is in memory, so that a first and a second run
cannot differ.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import theory

PACKAGES = ("numpy", "scipy", "numba", "sympy", "python-flint", "networkx")


@dataclass(frozen=True)
class Result:
    """A part's result, and how it came about: here and now or earlier, and how many seconds that took."""

    value: Any
    seconds: float
    fresh: bool


class Results:
    """The folder of results; `get` is None where there is none, or none that can be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, name: str, key: dict[str, Any]) -> Result | None:
        try:
            found = json.loads(self._path(name, key).read_text(encoding="utf-8"))
            return Result(found["result"], float(found["seconds"]), fresh=False)
        except (OSError, ValueError, KeyError, TypeError):
            return None  # cut short or never written: it is computed again

    def put(self, name: str, key: dict[str, Any], value: Any, seconds: float) -> Result:
        """Keep it, whole or not at all, and give it as it will be read."""
        path = self._path(name, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"key": key, "seconds": round(seconds, 2), "result": value}, ensure_ascii=False)
        own = path.with_suffix(f".{os.getpid()}.tmp")
        own.write_text(text, encoding="utf-8")
        own.replace(path)
        return Result(json.loads(text)["result"], round(seconds, 2), fresh=True)

    def _path(self, name: str, key: dict[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps([name, key], sort_keys=True).encode()).hexdigest()[:12]
        return self.folder / f"{name}-{digest}.json"


@cache
def sources(*names: str) -> str:
    """A digest of folders and files of the package, by their names within it, and of the packages' versions."""
    root = Path(theory.__file__).parent
    digest = hashlib.sha256(json.dumps(versions()).encode())
    for name in names:
        path = root / name
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """The versions that results may depend on."""
    import platform

    return {
        "theory": theory.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }
