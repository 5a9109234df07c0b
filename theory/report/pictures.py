"""The report's figures as files: those of `theory figure`, byte for byte.

Drawing takes longer than everything else that a second run does, so a figure is left alone if its files are those
that were drawn last from the same data by the same code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from theory.code_version import code_version
from theory.exhibits import Exhibit, exhibits
from theory.exhibits._files import write_exhibit
from theory.report.results import Results


def write_pictures(
    values: Mapping[str, Any], profile: str, seed: int, into: Path, watch: Callable[[float], None] | None = None
) -> list[Path]:
    """All exhibits' files; `values` are their results by name."""
    watch = watch or (lambda _: None)
    files, shown = [], exhibits()
    for i, exhibit in enumerate(shown, start=1):
        files += _unless_drawn(exhibit, values[exhibit.name], profile, seed, into)
        watch(i / len(shown))
    return files


def _unless_drawn(exhibit: Exhibit[Any], result: Any, profile: str, seed: int, into: Path) -> list[Path]:
    data = json.dumps([result, exhibit.command(profile, seed)])
    kept, digest = Results(into / "data"), hashlib.sha256(data.encode()).hexdigest()
    module = f"theory.exhibits.{exhibit.name.replace('-', '_')}"
    key = {"data": digest, "version": code_version(module, "theory.exhibits._files")}
    found = kept.get(f"drawn-{exhibit.name}", key)
    if found is not None and all(_digest(into / file) == was for file, was in found.value.items()):
        return [into / file for file in found.value]
    files = write_exhibit(exhibit, result, profile, seed, into)
    kept.put(f"drawn-{exhibit.name}", key, {path.name: _digest(path) for path in files}, 0.0)
    return files


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
