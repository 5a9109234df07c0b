r"""What an expectation says about a number of the paper.

Marks, with p the paper's number and q the least expected RMSE of the grid (both above 150 count as divergent):

    agrees        divergent in both, or |p − q| ≤ max(1/10, p/20)
    a draw        neither, and tuning chose a setting whose tail is heavy or infinite, or the learner's moments do not
                  close and its trace has an infinite variance: such a mean of 100 seeds is ruled by single seeds
    impossible    a pair of numbers that no setting of the stated protocol can give (`impossible`)
    worse         p above q, tails are light: a worse setting of the grid, or another reading, gives such numbers
    unexplained   p below q, although tuning went where the tail is light and sampled means lie near expectations

Impossible is what is proved, nothing else: that tails are light where our tuning went does not exclude that another
tuning went elsewhere.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from theory.experiments.table1.cells import verdict
from theory.experiments.table1.impossible import impossible_pairs

EXPECTED_MARKS = {
    "agrees": "divergent in both, or within max(0.1, 5%) of the least expected RMSE of the grid",
    "a draw": "not that, and where tuning went the tail is heavy or infinite",
    "impossible": "one of a pair that no setting of the stated protocol can give",
    "worse": "above the least expectation, tails are light: another setting or reading gives such numbers",
    "unexplained": "below every expectation, although tuning went where the tail is light",
    "not in the paper": "a learner that it does not have",
}
EXPECTED_SIGNS = {
    "agrees": "✓", "a draw": "~", "impossible": "✗", "worse": "+", "unexplained": "?", "not in the paper": "·",
}  # fmt: skip


def expected_mark(found: dict[str, Any], paper: float | None) -> str:
    """By the rules above, of a cell with its best setting and the one that tuning chose."""
    if paper is None:
        return "not in the paper"
    if found["best"] is None:
        simulated = found["simulated"]
        same = simulated is not None and simulated["diverged"] == found["paper_diverged"]
        return "a draw" if not found["trace"]["finite"] else "agrees" if same else "worse"
    best = found["best"]["rmse"]
    q = verdict(inf if best is None else best)
    if (not isfinite(q) and not isfinite(paper)) or abs(paper - q) <= max(0.1, paper / 20):
        return "agrees"
    if _excluded(found["learner"], found["problem"], found["gamma"]):
        return "impossible"
    chosen = found["at_simulated"]
    tail = found["best"]["tail"] if chosen is None or "reason" in chosen else chosen["tail"]
    if tail in ("heavy", "infinite"):
        return "a draw"
    return "worse" if paper > q else "unexplained"


def _excluded(learner: str, problem: str, gamma: float) -> bool:
    """Is the paper's number one of a pair that no setting can give?"""
    if problem not in ("baird", "baird-reward"):
        return False
    return any(p["learner"] == learner and p["gamma"] == gamma and not p["possible"] for p in impossible_pairs())
