"""Counts on random problems as a chart, for pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.explorer.svg import INK, Axis, Chart
from theory.views.colours import GOOD


def rate_chart(rows: Sequence[dict[str, Any]], title: str) -> str:
    """How often each method fails, with 95% intervals, against S."""
    states = [row["states"] for row in rows]
    chart = Chart(
        title, Axis("S, states", min(states) / 1.1, max(states) * 1.1, log=True), Axis("% of problems", -2, 102)
    )
    for name, label, color, shape, dash in (
        ("td_unstable", "off-policy TD unstable", INK, "o", ""),
        ("chain_biased", "chain biased", GOOD, "s", "6 4"),
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
