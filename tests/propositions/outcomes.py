"""What the tests ask of a statement: its counterexamples by name, whether a false variant is refuted, its moments."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theory.problems import Problem
from theory.propositions.registry import statement
from theory.propositions.statement import Counterexample
from theory.symbolic.outcomes import Outcome, Refuted
from theory.symbolic.theory import Claim


def found(id: str, drops: str) -> Counterexample:
    """The first counterexample of a statement with these words in the name of what it drops."""
    return next(c for c in statement(id).counterexamples() if drops in c.drops)


def refuted(outcome: Outcome) -> bool:
    """By a witness that stands when it is multiplied out again; one that does not raises `Rejected`."""
    return isinstance(outcome, Refuted) and outcome.witness.recheck()


def stated(id: str, name: str) -> Claim:
    """The identity of this name that a statement claims."""
    return next(claim for claim in statement(id).claims() if claim.name == name)


class Plain(NamedTuple):
    """The moments by plain NumPy."""

    X: np.ndarray
    gY: np.ndarray  # γY
    b: np.ndarray
    A_mu: np.ndarray | None

    @property
    def A(self) -> np.ndarray:
        return self.X - self.gY

    @property
    def B(self) -> np.ndarray:
        return np.linalg.solve(self.X, self.gY)


def moments(problem: Problem) -> Plain:
    """X, γY, b and, where the behaviour is known, A_μ."""
    weighted, Phi, gamma = problem.Phi.T @ np.diag(problem.d_mu), problem.Phi, problem.gamma
    X, P_mu = weighted @ Phi, problem.P_mu
    A_mu = None if P_mu is None else X - gamma * weighted @ P_mu @ Phi
    return Plain(X, gamma * weighted @ problem.P_pi @ Phi, weighted @ problem.r_pi, A_mu)
