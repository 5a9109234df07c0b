"""What every experiment's result carries, and how results are written: rows as CSV text, numbers rounded.

Another processor multiplies and adds in another order, so the last of sixteen digits are its own. What is written has
six, far fewer than are shared and more than any figure shows: the same command gives the same bytes there, too.
"""

from __future__ import annotations

import csv
import io
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import theory

DIGITS = 6


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


def rounded(value: Any) -> Any:
    """Six significant digits of every float, also within lists and dictionaries; the rest as it is.

    >>> rounded({"rmse": [0.1 + 0.2, 12345678.9, float("inf")], "seeds": 1234567})
    {'rmse': [0.3, 12345700.0, inf], 'seeds': 1234567}
    """
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value


def csv_text(rows: Sequence[Mapping[str, Any]], about: Mapping[str, str]) -> str:
    """Lines ``# key: value``, then the rows under their names; floats are `rounded`, None is an empty cell.

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
    writer.writerows(rounded(row) for row in rows)
    return out.getvalue()
