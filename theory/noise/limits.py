"""The largest step size of a learner in the mean or in mean square, and that of a method where it costs a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theory.problems import InvalidProblem, Problem

if TYPE_CHECKING:
    from theory.exact.algebraic import AlgebraicNumber

# The learners of methods, and how many parameter vectors of theirs move together.
LEARNERS = {name: name for name in ("off-policy-td", "gtd2", "tdc", "tdrc")} | {"chain": "chained-concurrent"}
VECTORS = {"off-policy-td": 1, "chain": 1, "gtd2": 2, "tdc": 2, "tdrc": 2}
MOST_OF_TWO = 40  # a determinant of 63 numbers of GTD2 takes seconds, one of 252 of TD with symmetry half of one


@dataclass(frozen=True)
class StepSizeLimit:
    """α*: stable for 0 < α < α*, and not at α*; without it none is, or all are, or why it is not known.

    Where there is a `bracket` instead, its ends have opposite certificates, and what is below is not proved.
    """

    exact: AlgebraicNumber | None = None
    unbounded: bool = False
    bracket: tuple[Fraction, Fraction] | None = None
    reason: str | None = None

    @property
    def value(self) -> float | None:
        """The nearest double, or the middle of the bracket: 0 where no step size is stable, None where all may be."""
        if self.bracket is not None:
            return float(sum(self.bracket) / 2)
        if self.exact is None:
            return None if self.unbounded or self.reason is not None else 0.0
        return float(self.exact)

    def __str__(self) -> str:
        if self.bracket is not None:
            return f"≈{float(self.bracket[0]):.5g}"
        if self.exact is None:
            return "?" if self.reason is not None else "all" if self.unbounded else "none"
        return str(self.exact)

    @property
    def short(self) -> str:
        """In six digits."""
        return str(self) if self.exact is None else f"{self.value:.6g}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON; both are null where all step sizes are stable, and where none is known."""
        exact = "0" if self.value == 0 else None if self.exact is None else str(self.exact)
        found: dict[str, Any] = {"exact": exact, "value": self.value}
        if self.bracket is None:
            return found
        low, high = self.bracket
        return found | {"bracket": {"low": str(low), "high": str(high)}}

    @property
    def document(self) -> dict[str, Any]:
        """The same with the reason."""
        return self.to_dict() | {"reason": self.reason}


NONE = StepSizeLimit()

# Learners whose noise depends on where the ratio stands in the update of w (`theory.learners.gradient`).
READINGS = {
    "textbook": "βρ(δ − wᵀφ)φ, the textbook's (Sutton and Barto 2018)",
    "2009": "β(ρδ − wᵀφ)φ, as published (Sutton et al. 2009; TDRC 2020)",
    "plain-first": "β(ρδ − wᵀφ)φ and θ along (φ − γρφ')(φᵀw), the λ-forms at λ = 0",
}


def reading_note(names: Sequence[str], reading: str) -> str:
    """Which reading of them numbers about noise belong to, and how to ask for the other."""
    other = "2009" if reading == "textbook" else "textbook"
    return (
        f"{', '.join(names)}: w moves by {READINGS[reading]}; {other}: {READINGS[other]}, has the same mean and other "
        f"noise (theory noise --learner {names[0]}:reading={other})."
    )


def quick_limit(method: str, problem: Problem, most: int, ratio: Fraction = Fraction(1)) -> StepSizeLimit:
    """A method's in mean square exactly, where second moments are at most so many; β = ratio·α."""
    if method not in LEARNERS:
        return StepSizeLimit(reason="not computed for this method")
    name = LEARNERS[method]
    if problem.is_large or problem.mdp is None or not problem.is_exact:
        return StepSizeLimit(reason="needs actions and a problem given exactly; theory noise has brackets of others")
    size = VECTORS[method] * problem.n_features
    count = problem.n_states * size * (size + 1) // 2
    if count > (most if VECTORS[method] == 1 else min(most, MOST_OF_TWO)):
        return StepSizeLimit(reason=f"{count:,} second moments: theory noise --learner {name} computes it")
    from theory.learners.families import find_learner
    from theory.noise.mean_square import largest_step_size, square_maps

    rule = find_learner(name)
    sizes: dict[str, Any] = {column: 1 for column in ("alpha", "beta") if column in rule.columns}
    try:
        return largest_step_size(square_maps(rule.of(problem.exact.gamma, sizes, 1), problem, ratio))
    except InvalidProblem as error:
        return StepSizeLimit(reason=error.complaint)
