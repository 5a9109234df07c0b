"""What the figures of random problems share: γ = .99, their store, rates as series, rows with nested values as columns.

Measured on two busy cores: the quick profile of the four takes half a minute (27 s of processor time), the full one
about 22 minutes of processor time; a quarter of it are windows at S = F = 30, where half of the verdicts at T ≥ 16384
need exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from matplotlib.axes import Axes

from theory.figures._figure import Data, Kept, Row, Work
from theory.figures._style import BAND, SERIES
from theory.montecarlo import Cell, Study, run_study
from theory.montecarlo.chunks import store_path, version

GAMMA = Fraction(99, 100)
CHUNK = 250
KEPT = Kept(store_path, version, "problems")
Series = tuple[list[float], list[float], list[float]]


@dataclass(frozen=True)
class Size:
    """Numbers of states, and problems each."""

    states: tuple[int, ...]
    samples: int


def counted(cells: Iterable[Cell], samples: int, seed: int, work: Work) -> Data:
    """One row a cell, from the store or drawn now."""
    study = Study(tuple(cells), samples, seed, chunk=CHUNK)
    with work.open_store() as store:
        rows = run_study(study, store, work.executor, work.progress)
    return {"gamma": float(GAMMA), "rows": rows}


def series(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    label: str,
    style: int,
) -> None:
    """A line in its band."""
    axes.fill_between(x, low, high, color=SERIES[style]["color"], **BAND)
    axes.plot(x, y, label=label, **SERIES[style])


def rates(rows: Iterable[Row], name: str) -> Series:
    """In %, with the ends of the 95% intervals."""
    rows = list(rows)
    ends = ([100 * r["ci95"][name][side] for r in rows] for side in (0, 1))
    return [100 * r["rates"][name] for r in rows], *ends  # type: ignore[return-value]


def rate(row: Row, name: str) -> str:
    """``12.3% [11.0%, 13.8%]``: a rate with its 95% interval."""
    low, high = row["ci95"][name]
    value = row["rates"][name]
    return "none" if value is None else f"{100 * value:.1f}% [{100 * low:.1f}%, {100 * high:.1f}%]"


def largest(rows: list[Row], missing: int) -> Row:
    """The row with the most states, and `missing` features fewer than states."""
    return max((r for r in rows if r["states"] - r["features"] == missing), key=lambda r: r["states"])


def amount(result: Data) -> str:
    """How many problems were drawn."""
    return f"{sum(row['samples'] for row in result['rows']):,} random problems"


def flat_rows(result: Data) -> list[Row]:
    """For CSV: nested rates and intervals in columns of their own."""
    return [flat(row) for row in result["rows"]]


def flat(row: Row) -> Row:
    """One row without nested values."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if key == "rates":
            out |= {f"{name}_rate": rate for name, rate in value.items()}
        elif key == "ci95":
            out |= {
                f"{name}_{side}": x for name, ci in value.items() for side, x in zip(("low", "high"), ci, strict=True)
            }
        elif key not in ("windows", "decided_by"):
            out[key] = value
    return out
