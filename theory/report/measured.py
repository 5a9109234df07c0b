"""Table 1 and the headline rates as Markdown."""

from __future__ import annotations

from math import isfinite
from typing import Any

from theory.exhibits._random_problems import rate
from theory.experiments.table1.cells import SIGNS
from theory.experiments.table1.paper import TITLES
from theory.experiments.table1.text import explanations, gamma_text, grid_rows, legend, number, printed, summary
from theory.experiments.table1.units import COLUMNS
from theory.report.markdown import plain
from theory.text.tables import markdown_table

PROBLEMS = {"baird": "Baird", "baird-reward": "Baird-Reward", "threestate": "Threestate"}
LARGE = 1000.0
HEADLINES = (2, 5, 10, 20, 50)  # numbers of states


def table1_section(result: dict[str, Any]) -> list[str]:
    """Ours beside the paper's, the rules, every cell with its interval, and the explanations."""
    headings = ["RMSE, ours (paper) mark", *(f"{PROBLEMS[p]}, {_tied(f'γ = {gamma_text(g)}')}" for p, g in COLUMNS)]
    grid = [[name, *map(_tied, cells)] for name, *cells in grid_rows(result)]
    rows = [
        [
            TITLES[c["learner"]], PROBLEMS[c["problem"]], f"{c['gamma']:g}", number(c["rmse"]),
            _interval(c["ci95"]), _interval(c["repetitions"]["spread"]), printed(c),
            f"{SIGNS[c['mark']]} {c['mark']}", setting(c["config"]),
        ]
        for c in result["cells"]
    ]  # fmt: skip
    return [
        summary(result),
        markdown_table(headings, grid, right=range(1, 7)),
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
        *explanations(result),
    ]


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
