"""Table 1 and the headline rates as Markdown."""

from __future__ import annotations

from math import isfinite
from typing import Any

from theory.exhibits._random_problems import rate
from theory.experiments.table1.cells import SIGNS
from theory.experiments.table1.paper import TITLES
from theory.experiments.table1.text import (
    DETAIL_HEADINGS,
    expected_grid,
    expected_legend,
    expected_rows,
    expected_summary,
    explanations,
    gamma_text,
    grid_rows,
    legend,
    number,
    printed,
    summary,
)
from theory.experiments.table1.units import COLUMNS
from theory.report.markdown import plain
from theory.text.tables import markdown_table

PROBLEMS = {"baird": "Baird", "baird-reward": "Baird-Reward", "threestate": "Threestate"}
LARGE = 1000.0
HEADLINES = (2, 5, 10, 20, 50)  # numbers of states


def table1_section(result: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """Expected and sampled beside the paper's, the rules, every cell of both, and the explanations."""
    rows = [
        [
            TITLES[c["learner"]], PROBLEMS[c["problem"]], f"{c['gamma']:g}", number(c["rmse"]),
            _interval(c["ci95"]), _interval(c["repetitions"]["spread"]), printed(c),
            f"{SIGNS[c['mark']]} {c['mark']}", setting(c["config"]),
        ]
        for c in result["cells"]
    ]  # fmt: skip
    best, chosen = _halves(expected)
    return [
        "Second moments of learners that are linear in their parameters obey a finite linear recursion "
        "(`extra-mean-square`), so what a cell of the table *estimates* can be computed: first the expectations, then "
        "the same protocol sampled, as the paper did.",
        "### What is expected",
        plain(expected_summary(expected)),
        _grid("RMSE, least expectation (paper) mark", expected_grid(expected)),
        plain(expected_legend(expected)),
        "### Every cell by its expectation",
        "“Expected, best” is the least expected RMSE of the paper’s grid, with its setting. ETD’s moments do not "
        "close; of its cells the trace tells.",
        best,
        "### Every setting that tuning chose, by its expectation",
        "“Sampled” is our cell below, “at setting” the one that tuning on sampled seeds chose, and “expected there” "
        "what that is worth. A sampled mean at a heavy or infinite tail is no estimate.",
        chosen,
        "### What is sampled",
        summary(result),
        _grid("RMSE, ours (paper) mark", grid_rows(result)),
        plain(legend(result)),
        "### Every cell of table 1",
        "“95%” is the bootstrap interval over test seeds of the repetition that gave the number, “spread” joins those "
        "of all repetitions. More columns are in [table1.md](table1.md) and [table1.csv](table1.csv).",
        markdown_table(
            ["learner", "problem", "γ", "ours", "95%", "spread", "paper", "mark", "setting"],
            rows,
            right=(2, 3, 4, 5, 6),
        ),
        "### Why cells differ",
        *explanations(result, expected),
    ]


def _halves(expected: dict[str, Any]) -> tuple[str, str]:
    """Every cell in two tables that fit a page: the least expectation, and what tuning on sampled seeds chose."""
    cell, best, chosen, paper = slice(0, 3), slice(3, 8), slice(8, 14), slice(14, 16)
    rows = [DETAIL_HEADINGS, *expected_rows(expected)]

    def table(*parts: slice) -> str:
        heading, *body = ([x for part in parts for x in row[part]] for row in rows)
        # A setting may be broken between α and β, a reason instead of a number anywhere.
        tied = [[", ".join(map(_tied, x.split(", "))) if len(x) < 30 else x for x in row] for row in body]
        return markdown_table(heading, tied)

    return table(cell, best, paper), table(cell, chosen)


def _grid(corner: str, rows: list[list[str]]) -> str:
    headings = [corner, *(f"{PROBLEMS[p]}, {_tied(f'γ = {gamma_text(g)}')}" for p, g in COLUMNS)]
    return markdown_table(headings, [[name, *map(_tied, cells)] for name, *cells in rows], right=range(1, 7))


def setting(config: dict[str, Any]) -> str:
    """The tuned setting, short."""
    names = {"alpha": "α", "beta": "β", "window": "T"}
    return ", ".join(_tied(f"{names.get(k, k)} = {v:.3g}") for k, v in config.items() if k != "lambda_")


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


def _interval(ends: list[float | None]) -> str:
    return _tied(" – ".join(_short(x) for x in ends))


def _short(value: float | None) -> str:
    """Of a large number two digits: 9.0e4."""
    if value is None or not isfinite(value) or value < LARGE:
        return "∞" if value is None else f"{value:.1f}"
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits}e{int(power)}"


def _tied(text: str) -> str:
    """In one line: its blanks do not break."""
    return text.replace(" ", "\u00a0")
