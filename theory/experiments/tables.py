"""What every experiment's result carries, and rows as CSV text."""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import theory


def versions() -> dict[str, str]:
    """The versions that a result may depend on."""
    packages = {name: version(name) for name in ("numpy", "numba")}
    return {"theory": theory.__version__, "python": platform.python_version(), **packages}


def provenance(seed: int, command: str) -> dict[str, str]:
    """Seed, versions and command, as text for the head of a file."""
    return {
        "seed": str(seed),
        "versions": ", ".join(f"{name} {number}" for name, number in versions().items()),
        "command": command,
    }


def csv_text(rows: Sequence[Mapping[str, Any]], about: Mapping[str, str]) -> str:
    """Lines ``# key: value``, then the rows under their names; None is an empty cell.

    >>> print(csv_text([{"k": 1, "rmse": 0.5}, {"k": 2, "rmse": None}], {"seed": "0"}), end="")
    # seed: 0
    k,rmse
    1,0.5
    2,
    """
    out = io.StringIO()
    out.writelines(f"# {key}: {value}\n" for key, value in about.items())
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
