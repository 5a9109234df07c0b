"""Counts on random problems as a chart and as a table, for pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.explorer.charts import BAD, GOOD
from theory.explorer.svg import Axis, Chart


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
