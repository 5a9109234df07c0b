r"""Off-policy LSTD: sum up A and b, solve when asked.

    Â ← Â + ρ φ (φ − γφ')ᵀ,    b̂ ← b̂ + ρ R φ,    θ = (Â + εI)⁻¹ b̂

The mean of one step's increments is A and b. There is no step size; ε keeps early solves tame and may be 0, in
which case the solution of least norm is taken, since Â is singular at first and on Baird's problem for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from theory.exact.matrices import fractions, matrix
from theory.learners.rule import Rule
from theory.learners.transition import Transition
from theory.problems import InvalidProblem
from theory.problems.numbers import Array


class Sums(NamedTuple):
    """What has been added up so far."""

    A: Array  # (F, F)
    b: Array  # (F,)


@dataclass(frozen=True)
class LSTD(Rule):
    """Least-squares TD with importance ratios."""

    gamma: Any
    epsilon: Any = 0
    name: ClassVar[str] = "lstd"
    columns: ClassVar[tuple[str, ...]] = ("epsilon",)
    reads: ClassVar[int | None] = 100  # a system is solved for each
    parameters: ClassVar[tuple[str, ...]] = ("A", "b")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.epsilon < float("inf"):
            raise InvalidProblem(f"must be 0 or more and finite, got {self.epsilon}", "epsilon")

    def init(self, theta: Array) -> Sums:
        """Nothing seen yet; `theta` gives only the number of features and the kind of numbers."""
        return Sums(0 * np.outer(theta, theta), 0 * theta)

    def update(self, state: Sums, transition: Transition) -> Sums:
        (A, b), (phi, reward, phi_next, rho, *_) = state, transition
        return Sums(A + rho * np.outer(phi, phi - self.gamma * phi_next), b + rho * reward * phi)

    def theta(self, state: Sums) -> Array:
        """The solution so far; of least norm where Â + εI is singular."""
        ridged = state.A.copy()
        ridged[np.diag_indices(len(ridged))] += self.epsilon
        if ridged.dtype == object:
            return fractions(matrix(ridged).solve(matrix(state.b))).reshape(state.b.shape)
        return np.linalg.lstsq(ridged, state.b, rcond=None)[0]

    def value(self, state: Sums, phi: Array) -> Any:
        return phi @ self.theta(state)

    def obstacle(self) -> str:
        return "the prediction solves a linear system, so it is not linear in the sums that are learned"
