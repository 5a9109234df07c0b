r"""A cell: what the repetitions of the protocol gave, and how that compares with the paper's number.

Each repetition gives one RMSE, √ of the mean over test seeds and the last half; above 150 it is divergent and counts
as ∞. The cell's number is the (lower) median over repetitions, and everything about seeds beside it belongs to the
repetition that gave it. Marks, with p the paper's number:

    reproduced                 divergent in both, or |rmse − p| ≤ max(1/10, p/20): a unit of the last digit
                               that the paper prints, or five per cent
    within heavy-tail spread   not that, but p, which is rounded to 1/10, lies in the union of the repetitions' 95%
                               bootstrap intervals, from the least lower end to the greatest upper end
                               ("div" lies in it when that end is above 150)
    not reproduced             neither
    not in the paper           it has no such learner (TDRC)

With few repetitions the spread is narrow and the marks are stricter than they ought to be.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np

from theory.experiments.bootstrap import root_mean, root_median, root_trimmed
from theory.experiments.table1.paper import PRINTED
from theory.experiments.table1.units import COLUMNS
from theory.learners.driver import DIVERGENT

MARKS = {
    "reproduced": "divergent in both, or within max(0.1, 5%) of the paper's number",
    "within heavy-tail spread": "the paper's number lies within the repetitions' 95% bootstrap intervals, joined",
    "not reproduced": "neither",
    "not in the paper": "a learner that it does not have",
}
SIGNS = {"reproduced": "✓", "within heavy-tail spread": "~", "not reproduced": "✗", "not in the paper": "·"}


def cell(learner: str, column: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    """One cell from its repetitions' results; `rmse` is None where the median repetition diverged."""
    problem, gamma = COLUMNS[column]
    paper = PRINTED[learner][column] if learner in PRINTED else None
    values = [verdict(_rmse(r)) for r in results]
    order = sorted(range(len(values)), key=lambda i: values[i])
    middle = order[(len(order) - 1) // 2]
    result, squares = results[middle], np.array(results[middle]["mean_square"])
    low, high = min(r["ci95"][0] for r in results), max(r["ci95"][1] for r in results)
    rmse = values[middle]
    name = "not in the paper" if paper is None else mark(rmse, low, high, paper)
    return {
        "learner": learner,
        "problem": problem,
        "gamma": float(Fraction(gamma)),
        "gamma_exact": gamma,
        "rmse": none(rmse),
        "diverged": not isfinite(rmse),
        "paper": None if paper is None else none(paper),
        "paper_diverged": paper is not None and not isfinite(paper),
        "mark": name,
        "config": result["setting"],
        "ci95": [none(x) for x in result["ci95"]],
        "median_over_seeds": none(root_median(squares)),
        "trimmed": none(root_trimmed(squares)),
        "seeds": len(squares),
        "diverged_seeds": int((squares > DIVERGENT**2).sum()),
        "passed_150_after": int(np.median(result["passed"])) if result["passed"] else None,
        "tuning_rmse": none(result["tuning_rmse"]),
        "squares": result["mean_square"],
        "repetitions": {
            "values": [none(v) for v in values],
            "min": none(values[order[0]]),
            "median": none(rmse),
            "max": none(values[order[-1]]),
            "share_divergent": sum(not isfinite(v) for v in values) / len(values),
            "spread": [none(low), none(high)],
        },
        "readings": [],
    }


def mark(rmse: float, low: float, high: float, paper: float) -> str:
    """The mark by its rule; ∞ is divergent.

    >>> mark(1.1, 0.1, 2.0, 0.2), mark(inf, 300, inf, inf), mark(127, 90, 200, 12.5)
    ('within heavy-tail spread', 'reproduced', 'not reproduced')
    """
    if not isfinite(paper):
        if not isfinite(rmse):
            return "reproduced"
        return "within heavy-tail spread" if high > DIVERGENT else "not reproduced"
    if isfinite(rmse) and abs(rmse - paper) <= max(0.1, 0.05 * paper):
        return "reproduced"
    inside = low - 0.05 <= paper <= high + 0.05
    return "within heavy-tail spread" if inside else "not reproduced"


def verdict(rmse: float) -> float:
    """The table's number: ∞ above 150."""
    return rmse if rmse <= DIVERGENT else inf


def none(value: float) -> float | None:
    """∞ has no place in JSON."""
    return float(value) if isfinite(value) else None


def _rmse(result: dict[str, Any]) -> float:
    return float(root_mean(np.array(result["mean_square"])))
