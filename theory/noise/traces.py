r"""Emphatic TD's trace: which of its moments are bounded, and how heavy its tail is.

F ← γρF + 1 along the moves, with γγ(s') in place of γ where states have discounts, and 0 where episodes end. So for
every order p > 0 the moments E[Fᵖ 1{s}] grow by the matrix

    γᵖQ_p,      Q_p(s, s') = Σ_a μ(a|s) ρ(s, a)ᵖ P(s'|s, a)γ(s')ᵖ,        E[Fᵖ] bounded ⇔ γᵖ ρ(Q_p) < 1

(for whole p all lower orders enter as sources, and the condition at p implies it at every order from 1 to p). At whole
orders this is decided exactly; a threshold in γ is the p-th root of 1/ρ(Q_p).

log γᵖρ(Q_p) is convex in p (Kingman) and log γ < 0 at p = 1: beyond 1 it passes 0 at most once, at the *tail index* κ,
P(F > x) ~ x^−κ (Kesten, Goldie). κ is found in floats. The moments of the *parameters* do not close: F is
an unbounded real number that multiplies them (extra-etd-moments).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, log
from typing import Any

import numpy as np

from theory.exact.algebraic import AlgebraicNumber, largest_modulus
from theory.exact.matrices import matrix, rational
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, one_kind
from theory.problems.sampling import sampled
from theory.problems.validate import discounted

LARGEST = 4096.0  # a tail index beyond is not looked for
WHOLE = 16  # nor a whole order beyond decided


@dataclass(frozen=True)
class TraceVariance:
    """Is E[F²] of emphatic TD bounded, and below which discount; which orders are; how heavy the tail is."""

    finite: bool
    threshold: AlgebraicNumber | None  # None: below each discount
    orders: int | None  # the largest whole p with E[Fᵖ] bounded, exactly; None beyond `WHOLE`
    index: float  # κ, in floats; ∞ where F is bounded or κ beyond `LARGEST`

    @property
    def tail(self) -> str:
        """The tail in words that keep floats and proofs apart."""
        orders = {None: f"p = 1, …, {WHOLE}, and more were not tried", 1: "p = 1 alone of the whole orders"}
        whole = orders.get(self.orders, f"p = 1, …, {self.orders} of the whole orders")
        index = f"none up to {LARGEST:.0f}" if self.index == inf else f"{self.index:.4g}"
        return f"E[Fᵖ] is bounded for {whole} (exactly); tail index {index} (in floats)"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        exact = None if self.threshold is None else {"exact": str(self.threshold), "value": float(self.threshold)}
        index = None if self.index == inf else self.index
        return {"finite": self.finite, "gamma_threshold": exact, "bounded_orders": self.orders, "tail_index": index}


def trace_variance(problem: Problem) -> TraceVariance:
    """Exactly but for the index, for a problem given exactly."""
    if not problem.is_exact:
        raise InvalidProblem("exact verdicts need a problem given exactly, this one is in floats")
    threshold = moment_threshold(problem, 2)
    finite = threshold is None or threshold > problem.exact.gamma
    return TraceVariance(finite, threshold, bounded_orders(problem), tail_index(problem))


def ratio_power_matrix(problem: Problem, order: Any) -> Array:
    """Q_p: in fractions where the problem is exact and p is whole, else in floats."""
    mdp, pi, mu = sampled(problem)
    faded = mdp.P if mdp.discount is None else discounted(mdp.P, mdp.discount**order)
    P, pi, mu = one_kind(faded, pi, mu)
    if not (problem.is_exact and isinstance(order, int)):
        P, pi, mu = (x.astype(np.float64) for x in (P, pi, mu))
    taken = mu > 0
    weight = 0 * mu
    weight[taken] = mu[taken] * (pi[taken] / mu[taken]) ** order
    Q: Array = (weight[:, :, None] * P).sum(axis=1)
    return Q


def moment_threshold(problem: Problem, order: int) -> AlgebraicNumber | None:
    """E[Fᵖ] is bounded for γ below this; None where it is for all."""
    radius = largest_modulus(characteristic_polynomial(matrix(ratio_power_matrix(problem, order)))).exact
    if radius is None:
        raise InvalidProblem(f"the spectral radius of Σμρ^{order}P is too long to write down exactly")
    return None if radius <= 0 else radius.root(order).reciprocal()


def bounded_orders(problem: Problem) -> int | None:
    """The largest whole p with γᵖρ(Q_p) < 1, decided exactly; None where `WHOLE` is bounded."""
    gamma = problem.exact.gamma
    for p in range(2, WHOLE + 1):
        Q = rational(Fraction(gamma) ** p) * matrix(ratio_power_matrix(problem, p))
        if spectral_radius_side(characteristic_polynomial(Q)) >= 0:
            return p - 1
    return None


def tail_index(problem: Problem) -> float:
    """κ with γ^κ ρ(Q_κ) = 1, in floats; ∞ where there is none up to `LARGEST`."""
    from scipy.optimize import brentq

    low, high = 1.0, 2.0
    while _growth(problem, high) < 0:
        low, high = high, 2 * high
        if high > LARGEST:
            return inf
    return float(brentq(lambda order: _growth(problem, order), low, high, xtol=1e-12, rtol=1e-12))


def _growth(problem: Problem, order: float) -> float:
    """log γᵖρ(Q_p), with the largest ratio taken out so that nothing overflows."""
    mdp, pi, mu = sampled(problem)
    P, pi, mu = (x.astype(np.float64) for x in (mdp.P, pi, mu))
    P = P if mdp.discount is None else P * mdp.discount.astype(np.float64) ** order
    ratio = np.divide(pi, mu, out=np.zeros_like(mu), where=mu > 0)
    top = float(ratio.max())
    Q = ((mu * (ratio / top) ** order)[:, :, None] * P).sum(axis=1)
    radius = float(np.abs(np.linalg.eigvals(Q)).max())
    return -inf if radius == 0 or problem.gamma == 0 else order * log(problem.gamma * top) + log(radius)
