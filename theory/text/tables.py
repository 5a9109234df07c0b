r"""Tables in files: Markdown, CSV and Parquet.

In files numbers have six digits: another
processor multiplies and adds in another order, so the last of sixteen are its own, and six are far fewer than are
shared and more than any figure shows. The same command gives the same bytes there, too.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DIGITS = 6


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """A pipe table; a bar inside a cell is escaped. Columns in `right` are set flush right.

    >>> print(markdown_table(["a", "b"], [["1", "x|y"]]))
    | a | b |
    | --- | --- |
    | 1 | x\\|y |
    """
    rules = ["---:" if i in right else "---" for i in range(len(headings))]
    return "\n".join(_pipes(row) for row in (headings, rules, *rows))


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
    if rows:
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rounded(row) for row in rows)
    return out.getvalue()


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], about: Mapping[str, str]) -> None:
    """As CSV, or as Parquet where the name ends so: there floats are whole, and `about` is the schema's metadata."""
    if path.suffix != ".parquet":
        path.write_text(csv_text(rows, about), encoding="utf-8")
        return
    arrow, parquet = (import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
    parquet.write_table(arrow.Table.from_pylist(list(rows)).replace_schema_metadata(dict(about)), path)


def can_write(path: Path) -> str | None:
    """Why `write_rows` cannot write a file of this name; None if it can."""
    if path.suffix not in (".csv", ".parquet"):
        return f"the file's name must end in .csv or .parquet, got {path.name}"
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        return "Parquet needs pyarrow, which is not installed"
    return None


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


def _pipes(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|").replace("\n", " ") for cell in cells) + " |"
