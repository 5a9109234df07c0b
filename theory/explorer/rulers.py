"""γ from 0 to 1: where TD is stable and up to where the chain is unbiased, with exact ends.

Neither depends on γ, so what was found for a problem serves every position of the slider.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from html import escape

from theory.exact.matrices import fraction
from theory.explorer.charts import plot_ruler
from theory.explorer.view import View
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.problems import Problem
from theory.thresholds.results import Threshold, certified_part, end_text, stable_text, unbiased_text, unknown_text

# The exact crossings are sought only where that is a matter of milliseconds; else they are bracketed.
_WORK = 1_000_000


@dataclass(frozen=True)
class Ruler:
    """The stretches of γ, the names of their ends, and the same in words."""

    stable: tuple[tuple[float, float], ...]
    unbiased: float
    marks: tuple[tuple[str, float], ...]
    text: str


def without_gamma(view: View) -> Problem:
    """What a ruler depends on; equal for every γ."""
    g = view.problem.given
    return Problem.from_matrices(0, Phi=g.Phi, P_pi=g.P_pi, d_mu=g.d_mu, episodic=True)


@lru_cache(maxsize=64)
def find_ruler(problem: Problem) -> Ruler:
    """The thresholds of a problem, as exact as can be."""
    intervals, chain = TD.gammas(problem, longest=_WORK), CHAIN.gammas(problem)
    stable = [(float(fraction(a)), float(fraction(b))) for a, b in (pair.certified for pair in intervals.intervals)]
    unbiased = float(fraction(certified_part(chain)[0][0][1]))
    ends = {_short(end): end.value for pair in intervals.intervals for end in pair if end.value and 0 < end.value < 1}
    if chain.value is not None and chain.value < 1:
        ends[_short(chain)] = unbiased
    said = stable_text(intervals, end_text)
    unknown = unknown_text(intervals)
    how = "" if intervals.complete else ", proved piece by piece" + ("" if unknown is None else f" ({unknown})")
    text = f"TD is stable for γ in {said}{how}. The chain is unbiased for {unbiased_text(chain, end_text)}."
    marks = tuple((name, value) for name, value in ends.items() if value is not None)
    return Ruler(tuple(stable), unbiased, marks, text)


def draw_ruler(found: Ruler, gamma: float) -> str:
    """The ruler with the current γ on it, and the words."""
    drawn = plot_ruler(found.stable, found.unbiased, gamma, dict(found.marks), found.text)
    return f'{drawn}<p style="margin:.2rem 0">{escape(found.text)}</p>'


def ruler(view: View) -> str:
    """The ruler of a view, at once."""
    return draw_ruler(find_ruler(without_gamma(view)), view.problem.gamma)


def _short(end: Threshold) -> str:
    text = "" if end.exact is None or end.exact.degree > 1 else str(end.exact)
    return text if 0 < len(text) <= 12 else f"{end.value:.5g}"
