r"""extra-target-network: T updates per target network, each started where the last ended, lead from TD to the chain.

With Q = (I − αX)^T, and S_T = α Σ_{j<T} (I − αX)ʲ the error obeys e_{k+1} = G_T e_k with
G_T = Q + (I − Q)B = I − S_T A: induction over the T updates, then over k. T = 1 is off-policy TD, G_1 = I − αA; and
G_T − B = Q(I − B) → 0, so T = ∞ is the chain, when 0 < α < 2/λ_max(X). Stability is not monotone in between: a problem
is stable for T = 1 and T ≥ 46 only, another for T = 8..127 only, and both lists are complete.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, arb_mat, fmpq_mat

from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased, step_size_admissible, td_stable, window_stable
from theory.exact.matrices import fraction, rational
from theory.model.balls import is_positive_definite, precision, unit
from theory.model.iteration import step_size, target_network_iterates, target_network_matrix, td_iterates
from theory.model.linear_model import exact_moments
from theory.model.points import td_fixed_point
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.bias_growth import stein
from theory.propositions.cases import SWAP, cases
from theory.propositions.matrices import Matrices, departures, matrices
from theory.propositions.registry import claimed
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    on_each,
)
from theory.propositions.theories.paper import paper_theory

BITS = 256


def corners(problem: Problem, alpha: Any, T: int) -> list[arb_mat]:
    """Four matrices whose convex hull holds G_t for every t ≥ T."""
    m, step = exact_moments(problem), arb(step_size(alpha))
    if problem.n_features != 2:
        raise InvalidProblem(f"only for two features, got {problem.n_features}", "Phi")
    X, B, one = arb_mat(m.X), arb_mat(m.X.solve(m.gamma * m.Y)), unit(2)
    middle = arb(m.X[0, 0] + m.X[1, 1]) / 2
    spread = (middle * middle - arb(m.X.det())).sqrt()
    high, low = middle + spread, middle - spread
    if not (step * low > 0 and step * high < 1 and low < high):
        raise InvalidProblem("α times the eigenvalues of X must be different and within (0, 1)", "alpha")
    upper = (X - low * one) * (1 / (high - low))
    at_T = [(1 - step * high) ** T, (1 - step * low) ** T]
    return [
        B + (p * at_T[0] * upper + q * at_T[1] * (one - upper)) * (one - B) for p in (0, 1) for q in (0, 1)
    ]  # fmt: skip


def stable_from(problem: Problem, alpha: Any, T: int, H: fmpq_mat) -> bool:
    """Is every window t ≥ T proved stable, in the norm of H?"""
    with precision(BITS):
        norm = arb_mat(H)
        shrink = (is_positive_definite(norm - G.transpose() * norm * G) for G in corners(problem, alpha, T))
        return is_positive_definite(norm) and all(shrink)


def unstable_from(problem: Problem, alpha: Any, T: int) -> bool:
    """Is every window t ≥ T proved unstable, by an eigenvalue below −1?"""
    with precision(BITS):
        return all(bool((unit(2) + G).det() < 0) for G in corners(problem, alpha, T))


ALPHA, KEPT = Fraction(1, 8), 3
ENDS_ONLY, ENDS_ALPHA, ENDS_FROM = "stable at both ends only", Fraction(1, 3), 46
MIDDLE_ALPHA, MIDDLE = Fraction(1, 16), range(8, 128)


def claims() -> Claims:
    """G_T both ways, the error after T updates and after k networks, T = 1, and the distance to the chain."""
    n = paper_theory()
    T = n.T
    return [
        *claimed("prop-4", "target-sum"),
        T.claim("target-operator", n.G_t, 1 - n.S_t * n.A),
        T.claim("target-hot-start", n.hot - n.theta_pi, n.G_t * (n.theta0 - n.theta_pi)),
        T.claim("target-is-td-at-1", T.at(n.G_t, "t", 1), 1 - T.alpha * n.A),
        T.claim("target-outer", n.outer - n.theta_pi, n.H_k * (n.theta0 - n.theta_pi)),
        T.claim("distance to the chain", n.G_t - n.G, n.Q_t * (1 - n.G)),
    ]


def check() -> Checks:
    """The iterates against G_Tᵏ e_0, identically; then the two families of windows, every T decided."""
    yield from on_each(cases(), _difference, "T = 1, 2, 5, three networks, and T = 1 against TD")
    ends = stable_at_the_ends()
    wrong = sum(
        window_stable(ends, T, ENDS_ALPHA).holds != Answer.of(T == 1 or T >= ENDS_FROM) for T in range(1, 2 * ENDS_FROM)
    )
    rest = stable_from(ends, ENDS_ALPHA, 2 * ENDS_FROM, stein(matrices(ends).B))
    detail = f"stable exactly for T = 1 and all T ≥ {ENDS_FROM}"
    yield Check(ends.name, Fraction(wrong + (not rest)), detail=detail)
    middle = catalogue_problem("finite-window")
    wrong = sum(window_stable(middle, T, MIDDLE_ALPHA).holds != Answer.of(T in MIDDLE) for T in range(1, 129))
    rest = unstable_from(middle, MIDDLE_ALPHA, 128)
    detail = f"stable exactly for T = {MIDDLE[0]}..{MIDDLE[-1]}, no other T at all"
    yield Check(middle.name, Fraction(wrong + (not rest)), detail=detail)


def _difference(m: Matrices) -> Gaps:
    target = td_fixed_point(m.problem).theta
    if target is None:
        return
    for T in (1, 2, 5):
        G = target_network_matrix(m.problem, ALPHA, T)
        yield from departures(target_network_iterates(exact_moments(m.problem), ALPHA, T, KEPT, m.start), G, target)
    td = td_iterates(exact_moments(m.problem), ALPHA, m.start)
    yield from (
        theta - next(td) for theta in target_network_iterates(exact_moments(m.problem), ALPHA, 1, KEPT, m.start)
    )
    yield target_network_matrix(m.problem, ALPHA, 1) - m.one + rational(ALPHA) * m.A


def stable_at_the_ends() -> Problem:
    """D = diag(1, 5)/6, P the swap, γ = 9/10, Φ invertible."""
    return Problem.from_matrices("9/10", Phi=[[1, -2], [-1, 1]], P_pi=SWAP, d_mu=["1/6", "5/6"], name=ENDS_ONLY)


def counterexamples() -> Counterexamples:
    """Stable at both ends and not between; unstable at both ends and stable between; a step size too large."""
    ends = stable_at_the_ends()
    both = step_size_admissible(ends, ENDS_ALPHA).proved and chain_unbiased(ends).proved
    between = window_stable(ends, 2, ENDS_ALPHA)
    text = "Φ = [[1, −2], [−1, 1]], D = diag(1, 5)/6, swap, γ = 9/10, α = 1/3: TD converges and the chain is unbiased,"
    yield Counterexample(
        "stable for T = 1 and ∞ ⇒ stable between",
        f"{text} T = 2..45 diverge",
        both and between.refuted,
        ends,
    )
    middle = catalogue_problem("finite-window")
    neither = td_stable(middle).refuted and chain_unbiased(middle).refuted
    saved = window_stable(middle, 64, MIDDLE_ALPHA).proved
    text = "D = diag(6, 9, 1)/16, α = 1/16: TD is unstable, the chain is biased, and T = 8..127 converge to θ_π"
    yield Counterexample("unstable for T = 1 and ∞ ⇒ unstable between", text, neither and saved, middle)
    plain = catalogue_problem("quadrant-stable-unbiased")
    ratio = [fraction(target_network_matrix(plain, 3, T)[0, 0]) for T in (1, 2, 3)]
    grows = ratio == [Fraction(-17, 10) ** T for T in (1, 2, 3)] and chain_unbiased(plain).proved
    text = (
        f"Φ = (1; 0), X = 9/10, B = 0, α = 3 > 20/9: G_T = (−17/10)^T = {ratio[0]}, {ratio[1]}, … does not approach B"
    )
    yield Counterexample("α < 2/λ_max(X), for T → ∞", text, grows, plain)


STATEMENT = Statement(
    id="extra-target-network",
    place=1020,
    title="Target networks join TD and the chain",
    paper="slow target networks behave as sequential chaining; finite T is not treated",
    verdict="beyond the paper",
    precise="hot start: e_{k+1} = G_T e_k, G_T = Q + (I − Q)B = I − S_T A; T = 1 is TD, T → ∞ the chain; the set of"
    " stable T need not be an interval from either end",
    assumptions=("X invertible", "Aθ_π = b", "hot start", "0 < α < 2/λ_max(X), for T → ∞"),
    scope="all dimensions, all T ≥ 0, all k ≥ 0; two exact problems with every T decided",
    cites=("0 < α < 2/λ_max(X) ⇔ (I − αX)^T → 0", "a norm's unit ball is convex"),
    where="e_k = θᵏ − θ_π, the error after k networks",
    latex=r"e_{k+1} = G_T\, e_k, \quad G_T = Q + (I - Q)B = I - S_T A, \quad Q = (I - \alpha X)^{T},"
    r" \quad S_T = \alpha \sum_{j<T} (I - \alpha X)^j",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
