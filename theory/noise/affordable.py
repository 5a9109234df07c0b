"""The largest mean-square stable step size of a method where it costs a moment, and a line that says so elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.problems import Problem

# The learners of methods, and how many parameter vectors of theirs move together.
LEARNERS = {name: name for name in ("off-policy-td", "gtd2", "tdc", "tdrc")} | {"chain": "chained-concurrent"}
VECTORS = {"off-policy-td": 1, "chain": 1, "gtd2": 2, "tdc": 2, "tdrc": 2}
MOST_OF_TWO = 40  # a determinant of 63 numbers of GTD2 takes seconds, one of 252 of TD with symmetry half of one


@dataclass(frozen=True)
class Affordable:
    """α*: stable in mean square for 0 < α < α*; or none, or all, or why it is not known here."""

    exact: str | None
    value: float | None  # 0: no step size; None without a reason: all of them
    reason: str | None = None

    def __str__(self) -> str:
        if self.reason is not None:
            return "?"
        return "all" if self.value is None else "none" if self.value == 0 else f"{self.value:.6g}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"exact": self.exact, "value": self.value, "reason": self.reason}


NONE = Affordable("0", 0.0)


def affordable_limit(method: str, problem: Problem, most: int, ratio: Fraction = Fraction(1)) -> Affordable:
    """Exactly, where second moments are at most so many; the learner's own rule is asked, with β = ratio·α."""
    if method not in LEARNERS:
        return Affordable(None, None, "not computed for this method")
    name = LEARNERS[method]
    if problem.is_large or problem.mdp is None or not problem.is_exact:
        return Affordable(None, None, "needs actions and a problem given exactly; theory noise has brackets of others")
    size = VECTORS[method] * problem.n_features
    count = problem.n_states * size * (size + 1) // 2
    limit = most if VECTORS[method] == 1 else min(most, MOST_OF_TWO)
    if count > limit:
        return Affordable(None, None, f"{count:,} second moments: theory noise --learner {name} computes it")
    from theory.learners.families import find_learner
    from theory.noise.mean_square import largest_step_size, square_maps
    from theory.problems import InvalidProblem

    rule = find_learner(name)
    sizes: dict[str, Any] = {column: 1 for column in ("alpha", "beta") if column in rule.columns}
    try:
        found = largest_step_size(square_maps(rule.of(problem.exact.gamma, sizes, 1), problem, ratio))
    except InvalidProblem as error:
        return Affordable(None, None, error.complaint)
    if found.value is None:
        return Affordable(None, None) if found.unbounded else NONE
    return Affordable(str(found.value), float(found.value))
