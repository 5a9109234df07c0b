"""Live counts on random problems for the notebook on success rates: small studies, kept in memory."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from theory.explorer.charts import BAD, GOOD
from theory.explorer.svg import Axis, Chart
from theory.montecarlo import Cell, Store, Study, run_study

SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32)
SHARES = {"F = S (the paper's figure)": 0, "F = S − 1": 1, "F = S/2": 2}


@cache
def rate_rows(largest: int, share: int, gamma: Fraction, law: str, samples: int, seed: int) -> list[dict[str, Any]]:
    """One row for each S up to `largest`; equal questions are answered from memory."""
    cells = [Cell(S, F, gamma, law=law) for S in SIZES if largest >= S and (F := features(S, share)) >= 1]
    with Store(None) as store:
        return run_study(Study(tuple(cells), samples, seed, chunk=samples), store)


def features(S: int, share: int) -> int:
    """F for a number of states: S, S − 1 or S/2."""
    return S // 2 if share == 2 else S - share


def rate_chart(rows: Sequence[dict[str, Any]], title: str) -> str:
    """How often each method fails, with 95% intervals, against S."""
    states = [row["states"] for row in rows]
    chart = Chart(
        title, Axis("S, states", min(states) / 1.1, max(states) * 1.1, log=True), Axis("% of problems", -2, 102)
    )
    for name, label, color, shape, dash in (
        ("td_unstable", "off-policy TD unstable", BAD, "s", "6 4"),
        ("chain_biased", "chain biased", GOOD, "o", ""),
    ):
        rates = [100 * row[name] / row["samples"] for row in rows]
        for S, (low, high) in zip(states, (row["ci95"][name] for row in rows), strict=True):
            chart.line([S, S], [100 * low, 100 * high], color, weight=1.2)
        chart.line(states, rates, color, dash=dash)
        chart.dots(states, rates, color, shape=shape, label=label)
    ends = "; ".join(
        f"S = {row['states']}: TD unstable {row['td_unstable']}, chain biased {row['chain_biased']} of {row['samples']}"
        for row in rows
    )
    return chart.svg(f"{title}. {ends}")


def rate_table(rows: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """The counts behind the chart."""
    names = {"td_unstable": "TD unstable", "chain_biased": "chain biased", "both": "both", "neither": "neither"}
    return [
        {"S": str(row["states"]), "F": str(row["features"])}
        | {title: f"{row[name]} ({_interval(row, name)})" for name, title in names.items()}
        | {"undecided": str(row["undecided"])}
        for row in rows
    ]


def _interval(row: dict[str, Any], name: str) -> str:
    low, high = row["ci95"][name]
    return f"{100 * low:.1f}–{100 * high:.1f} %"
