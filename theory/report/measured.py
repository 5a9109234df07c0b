"""Table 1 and the headline rates as Markdown."""

from __future__ import annotations

from typing import Any

from theory.exhibits._random_problems import rate
from theory.experiments.table1.text import (
    expected_grid,
    expected_legend,
    expected_summary,
    explanations,
    gamma_text,
    grid_rows,
    legend,
    summary,
)
from theory.experiments.table1.units import COLUMNS
from theory.report.markdown import plain
from theory.text.tables import markdown_table

PROBLEMS = {"baird": "Baird", "baird-reward": "Baird-Reward", "threestate": "Threestate"}
LARGE = 1000.0
HEADLINES = (2, 5, 10, 20, 50)  # numbers of states


def table1_section(result: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """Expected and sampled beside the paper's, the rules, and the explanations."""
    return [
        "Second moments of learners that are linear in their parameters obey a finite linear recursion "
        "(`extra-mean-square`), so what a cell of the table *estimates* can be computed: first the expectations, then "
        "the same protocol sampled, as the paper did.",
        "### What is expected",
        plain(expected_summary(expected)),
        _grid("RMSE, least expectation (paper) mark", expected_grid(expected)),
        plain(expected_legend(expected)),
        "### What is sampled",
        summary(result),
        _grid("RMSE, ours (paper) mark", grid_rows(result)),
        plain(legend(result)),
        "Every cell with its setting, intervals and spread, sampled and by expectation, is in [table1.md](table1.md) "
        "and [table1.csv](table1.csv).",
        "### Why cells differ",
        *explanations(result, expected),
    ]


def _grid(corner: str, rows: list[list[str]]) -> str:
    headings = [corner, *(f"{PROBLEMS[p]}, {_tied(f'γ = {gamma_text(g)}')}" for p, g in COLUMNS)]
    return markdown_table(headings, [[name, *map(_tied, cells)] for name, *cells in rows], right=range(1, 7))


def headline_table(result: dict[str, Any]) -> str:
    """Failure rates with their intervals at a few sizes, and at the largest."""
    states = [*HEADLINES, max(r["states"] for r in result["rows"])]
    rows = [
        [
            f"{r['states']}", f"{r['features']}", rate(r, "td_unstable"), rate(r, "chain_biased"),
            rate(r, "unbiased_given_td_unstable"), f"{r['samples']:,}", f"{r['undecided']:,}",
        ]
        for r in result["rows"]
        if r["states"] in states
    ]  # fmt: skip
    headings = ["S", "F", "TD unstable", "chain biased", "unbiased where TD is unstable", "problems", "undecided"]
    return markdown_table(headings, rows, right=range(7))


def _tied(text: str) -> str:
    """In one line: its blanks do not break."""
    return text.replace(" ", "\u00a0")
