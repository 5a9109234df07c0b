r"""Kolter's remedy (2011): the nearest weights d for which his condition holds, so that TD and the chain are safe.

For the given features, target and γ the condition is affine in d,

    K(d) = [[X, γY], [γYᵀ, X]] = Σ_s d_s [[φ_sφ_sᵀ, γφ_sψ_sᵀ], [γψ_sφ_sᵀ, φ_sφ_sᵀ]] ≻ 0,        ψ_s = Σ_t P_st φ_t.

It says ‖γΠPv‖_D < ‖v‖_D on the span, so ρ(γΠP) < 1; and (x, −x) shows A + Aᵀ ≻ 0. What holds at γ holds at every
smaller one. The **distance** of d to d_μ is the mass that is moved, ½Σ_s|d_s − d_μ(s)|.

*Some d satisfies it*, whatever the features: let d = c(I − γPᵀ)⁻¹u for any u > 0, the discounted visits of the target.
By Jensen γ²PᵀDP ⪯ γ diag(γPᵀd) = γ(D − c diag u) ≺ D, so P contracts in the norm of D, and Π does not expand.

*The nearest* is a semidefinite program. It is solved in floats by cutting planes (Kelley 1960): the linear program
knows of K(d) ⪰ 0 only vᵀK(d)v ≥ 0 for the eigenvectors v found to be violated so far, so that its distance is a lower
bound of the true one. Its last d is moved towards the discounted visits until K(d) ≻ 0, and rounded to short
fractions. What is *certified* is these fractions: for them TD is stable and the chain unbiased, each by K(d) ≻ 0
itself, and the independent checker repeats both. That no nearer d exists is not proved; the lower bound is in floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.certified.answers import YES, Verdict
from theory.certified.decide import confirmed
from theory.certified.proofs import Signature
from theory.certified.questions import ChainUnbiased, TDStable
from theory.exact.matrices import is_positive_definite
from theory.model.linear_model import exact_model, float_model
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray, one_kind

MOST_STATES, MOST_FEATURES = 60, 16  # a second
CUTS = 60  # rounds, each with a cut a negative eigenvalue
SETTLED = 1e-7  # a violation, relative to K(d_μ), that the way to the discounted visits makes up for
DIGITS = (10**3, 10**6, 10**9, 10**12)  # denominators
SHARES = (0.0, 1e-6, 1e-4, 1e-2, 0.1, 0.5, 1.0)  # of the way to the discounted visits


def significant(x: float) -> str:
    """Four digits."""
    return f"{x:.4g}"


@dataclass(frozen=True, eq=False)
class Remedy:
    """Weights under which TD and the chain are safe, how far they are, and why they are safe."""

    problem: Problem  # with these weights
    d: Array  # (S,), fractions
    distance: Fraction  # the mass that moves
    at_least: float  # what no nearer d goes below, in floats
    td: Verdict
    chain: Verdict

    @property
    def sentence(self) -> str:
        """In words, without the weights."""
        return (
            f"with {significant(float(self.distance))} of the mass of d_μ moved, [[X, γY], [γYᵀ, X]] ≻ 0, so TD is "
            "stable and the chain unbiased at this and every smaller γ (exact, re-checked). Found by cutting planes in "
            f"floats, by which no d nearer than {significant(self.at_least)} satisfies it; that is not proved"
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON, with both certificates."""
        proofs = {name: v.certificate for name, v in (("td", self.td), ("chain", self.chain))}
        return {
            "d": [str(x) for x in self.d],
            "distance": str(self.distance),
            "at_least": self.at_least,
            "minimal": None,
            "certificate": {name: None if c is None else c.to_dict() for name, c in proofs.items()},
        }


def nearest_safe_weights(problem: Problem) -> Remedy | None:
    """The nearest weights that satisfy Kolter's condition, certified; None where none were found in short fractions.

    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> found = nearest_safe_weights(swap)
    >>> found.chain.holds, found.chain.rechecked, round(float(found.distance), 3) >= round(found.at_least, 3)
    (yes, True, True)
    """
    if not searched(problem):
        raise InvalidProblem(
            f"weights are looked for with up to {MOST_STATES} states and {MOST_FEATURES} independent features", "remedy"
        )
    if _exactly_safe(problem, problem.exact.d_mu.tolist()):
        return _certified(problem, problem.exact.d_mu.tolist(), 0.0)
    forms = _forms(problem)
    inner = _visits(problem)
    outer, at_least = _cutting_planes(problem.d_mu, forms)
    for d in _candidates(problem, forms, outer, inner):
        found = _certified(problem, d, at_least)
        if found is not None:
            return found
    return None


def searched(problem: Problem) -> bool:
    """Is it small enough, and are there features?"""
    if problem.is_large or problem.n_states > MOST_STATES:
        return False
    return 0 < exact_model(problem).rank <= MOST_FEATURES


def _forms(problem: Problem) -> FloatArray:
    """The matrices of K, (S, 2r, 2r), in features with X = I as far as d_μ tells them apart."""
    m = float_model(problem)
    X = m.X_hat + 1e-12 * np.trace(m.X_hat) / m.rank * np.eye(m.rank)
    Phi = np.linalg.solve(np.linalg.cholesky(X), m.Phi.T).T
    ahead = problem.gamma * (problem.P_pi @ Phi)
    own, across = Phi[:, :, None] * Phi[:, None, :], Phi[:, :, None] * ahead[:, None, :]
    return np.concatenate(
        [np.concatenate([own, across], axis=2), np.concatenate([across.transpose(0, 2, 1), own], axis=2)], axis=1
    )


def _visits(problem: Problem) -> FloatArray:
    """(I − γPᵀ)⁻¹1, normalised."""
    S = problem.n_states
    d = np.linalg.solve(np.eye(S) - problem.gamma * problem.P_pi.T, np.ones(S))
    return np.asarray(d / d.sum())


def _cutting_planes(start: FloatArray, forms: FloatArray) -> tuple[FloatArray, float]:
    """The nearest d of the last relaxation, and its distance."""
    from scipy.optimize import linprog

    S = len(start)
    eye, cuts = np.eye(S), np.empty((0, S))
    # Variables d and t ≥ |d − start|, the least ½Σt.
    near = np.block([[eye, -eye], [-eye, -eye]])
    d, distance = start, 0.0
    for _ in range(CUTS):
        values, vectors = np.linalg.eigh(np.tensordot(d, forms, axes=1))
        bad = values < -SETTLED
        if not bad.any():
            break
        V = vectors[:, bad]
        new = np.einsum("ik,sij,jk->ks", V, forms, V)
        cuts = np.vstack([cuts, new / np.abs(new).max(axis=1, keepdims=True)])
        solved = linprog(
            np.repeat([0.0, 0.5], S),
            A_ub=np.vstack([near, np.hstack([-cuts, 0 * cuts])]),
            b_ub=np.concatenate([start, -start, np.zeros(len(cuts))]),
            A_eq=np.repeat([[1.0, 0.0]], S, axis=1),
            b_eq=[1.0],
        )
        if solved.x is None:
            break
        d, distance = np.maximum(solved.x[:S], 0), float(solved.fun)
    return np.asarray(d / d.sum()), max(distance - 1e-9, 0.0)


def _candidates(problem: Problem, forms: FloatArray, outer: FloatArray, inner: FloatArray) -> Iterator[list[Fraction]]:
    """Weights in short fractions on the way from the relaxation's to the discounted visits, the nearest first."""

    def safe(share: float) -> bool:
        d = (1 - share) * outer + share * inner
        return bool(np.linalg.eigvalsh(np.tensordot(d, forms, axes=1))[0] > 0)

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if safe(middle) else (middle, high)
    for more in SHARES:
        share = high + more * (1 - high)
        d = (1 - share) * outer + share * inner
        for digits in DIGITS:
            rounded = [Fraction(round(x * digits), digits) for x in d]
            most = int(np.argmax(d))
            rounded[most] += 1 - sum(rounded)
            if _exactly_safe(problem, rounded):
                yield rounded
                break


def _exactly_safe(problem: Problem, d: list[Fraction]) -> bool:
    try:
        m = exact_model(_with(problem, d))
    except InvalidProblem:  # some values would not be learned
        return False
    return is_positive_definite(m.blocks(m.X_hat, m.gamma * m.Y_hat, m.gamma * m.transposed(m.Y_hat), m.X_hat))


def _with(problem: Problem, d: list[Fraction]) -> Problem:
    g = problem.given
    weights, _ = one_kind(np.array(d, dtype=object), g.d_mu)
    changed = Problem.from_matrices(g.gamma, Phi=g.Phi, P_pi=g.P_pi, d_mu=weights, r_pi=g.r_pi, episodic=True)
    return changed.relabelled(name=f"{problem.name}, Kolter's weights", states=problem.states)


def _certified(problem: Problem, d: list[Fraction], at_least: float) -> Remedy | None:
    changed = _with(problem, d)
    reason = "Kolter's condition: [[X, γY], [γYᵀ, X]] ≻ 0"
    n = exact_model(changed).rank
    td, chain = (
        confirmed(Verdict(kind(changed), YES, reason, "exact", Signature(None, (1,) * n)))
        for kind in (TDStable, ChainUnbiased)
    )
    if not (td.rechecked and chain.rechecked):
        return None
    weights = np.array(changed.exact.d_mu)
    moved = sum((abs(x - y) for x, y in zip(weights, problem.exact.d_mu, strict=True)), Fraction(0)) / 2
    return Remedy(changed, weights, moved, at_least, td, chain)
