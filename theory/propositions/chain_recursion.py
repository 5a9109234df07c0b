"""eq-recursion: the k-th head, with the head before it fixed, converges to θᵏ* = X⁻¹(γYθᵏ⁻¹ + b).

That point satisfies Xθᵏ* = γYθᵏ⁻¹ + b, where the expected update of eq-chain rests. After T updates from any θ_s the
head is at Qθ_s + (I − Q)θᵏ* with Q = (I − αX)^T: prop-1 with M = X. X is symmetric and positive definite
when Φ has full column rank and D > 0, so the exact bound is α < 2/λ_max(X).

eq-closed-form: θᵏ* = Σ_{i<k} BⁱX⁻¹b + Bᵏθ⁰ with B = γX⁻¹Y.

Induction over k: the recursion θᵏ⁺¹ = Bθᵏ + X⁻¹b turns W_k into 1 + BW_k = W_{k+1}. A second proof needs no
induction: the generating function satisfies (1−z)θ(z) = (1−z)(1−zB)⁻¹θ⁰ + z(1−zB)⁻¹X⁻¹b, and comparing coefficients
of zᵏ gives the sum. Only X has to be invertible; A need not be.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, pairwise

from flint import fmpq_mat

from theory.certified.verdicts import richardson_converges, step_size_admissible
from theory.exact.matrices import fraction, power, rational
from theory.linear.spectra import head_step_sizes
from theory.model.iteration import richardson
from theory.model.linear_model import exact_model
from theory.model.points import chain_by_closed_form, chain_heads
from theory.problems import Problem
from theory.propositions.cases import TO_SECOND, cases
from theory.propositions.matrices import Matrices, departures, matrices
from theory.propositions.statement import (
    Check,
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Gaps,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.paper import paper_theory, series_theory

CLOSE = Fraction(1, 10**6)  # far above the rounding of 2/λ_max(X) in floats


def eq_recursion_claims() -> Claims:
    """Where it rests, where it is after T updates, and the same in values: vᵏ = Π(r + γPvᵏ⁻¹)."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("fixed-point", n.X * T.next(n.theta), T.gamma * n.Y * n.theta + n.b),
        T.claim("target-cold-start", n.cold, n.Q_t * n.init + (1 - n.Q_t) * (n.G * n.theta0 + n.Xi * n.b)),
        T.claim("value-recursion", n.Phi * T.next(n.theta), n.Pi * (n.r + T.gamma * n.P * n.Phi * n.theta)),
    ]


def eq_recursion_check() -> Checks:
    """Fixed points and iterates identically in rationals; the bound on α by certified verdicts."""
    for problem in cases("full-rank"):
        yield Check(
            problem.name,
            largest(list(_gaps(matrices(problem)))),
            detail="θ¹..θ⁴ in values, iterates 0..5 of head 1",
        )
        bound = Fraction(head_step_sizes(problem).limit)
        within = step_size_admissible(problem, bound * (1 - CLOSE), "sequential").proved
        beyond = step_size_admissible(problem, bound * (1 + CLOSE), "sequential").refuted
        yield Check(problem.name, not (within and beyond), detail=f"α < 2/λ_max(X) = {float(bound):.6g}")


def _gaps(m: Matrices) -> Gaps:
    heads, alpha = chain_heads(exact_model(m.problem), 4, [1] * m.F), Fraction(1, 8)
    for before, now in pairwise(heads):
        yield m.Phi * now - m.Pi * (m.r + m.gamma * m.P * m.Phi * before)
    iterates = richardson(m.X, m.gamma * m.Y * heads[0] + m.b, alpha, fmpq_mat(m.F, 1))
    yield from departures(islice(iterates, 6), m.one - rational(alpha) * m.X, heads[1])


def eq_recursion_counterexamples() -> Counterexamples:
    """Two equal features, and a step size on the bound."""
    twins = twin_features()
    m = matrices(twins)
    theta = chain_heads(exact_model(twins), 1)[1]
    other = theta + fmpq_mat([[1], [-1]])
    both = m.X * theta == m.b == m.X * other and m.X.det() == 0
    text = "Φ = [[1, 1], [2, 2]]: X is singular and head 1 rests at θ + c(1, −1) for every c, with the same values"
    yield Counterexample("Φ of full column rank", text, both, twins)
    twostate = next(p for p in cases("full-rank") if p.name == "twostate")
    X = matrices(twostate).X[0, 0]
    tie = richardson_converges([[fraction(X)]], 2 / fraction(X))
    text = f"Twostate, X = {X}, α = 2/X: the error changes its sign for ever ({tie.reason})"
    yield Counterexample("α < 2/λ_max(X)", text, tie.refuted and tie.reason.startswith("tie"), twostate)


def twin_features() -> Problem:
    """Twostate with its feature given twice."""
    return Problem.from_matrices(
        "9/10", Phi=[[1, 1], [2, 2]], P_pi=TO_SECOND, d_mu=["1/2", "1/2"], r_pi=[1, 1], name="twin features"
    )


EQ_RECURSION = Statement(
    id="eq-recursion",
    place=50,
    title="Recursion of fixed points",
    paper="θᵏ_t → θᵏ* = X⁻¹(γYθᵏ⁻¹ + b) for a sufficiently small α",
    verdict="holds",
    precise="from every start ⇔ 0 < α < 2/λ_max(X); after T updates θ = Qθ_s + (I − Q)θᵏ*, Q = (I − αX)^T",
    assumptions=("Φ of full column rank", "D > 0", "0 < α < 2/λ_max(X)"),
    scope="all dimensions, all k ≥ 1, all T",
    cites=("X = ΦᵀDΦ ≻ 0", "Gelfand: ρ(B) < 1 ⇔ Bᵗ → 0"),
    where="θ_s is where the head starts",
    latex=r"\theta^k_* = X^{-1}(\gamma Y \theta^{k-1}_* + b)",
    claims=eq_recursion_claims,
    check=eq_recursion_check,
    counterexamples=eq_recursion_counterexamples,
)


K = 6


def eq_closed_form_claims() -> Claims:
    """By induction, and by generating functions."""
    n, z = paper_theory(), series_theory()
    T, total = n.T, z.series
    rest = 1 - z.T.z
    return [
        T.claim("closed-form", n.theta, n.W_k * n.Xi * n.b + n.G_k * n.theta0),
        z.T.claim("series-geometric", z.R, 1 + z.T.z * z.B * z.R),
        z.T.claim("series-closed-form", rest * total, rest * z.R * z.theta0 + z.T.z * z.R * z.c),
    ]


def eq_closed_form_check() -> Checks:
    """Three ways to θ⁰..θ⁶: the recursion, the sum term by term, and the sum by doubling."""
    return on_each(cases("full-rank"), _eq_closed_form_difference, f"k = 0..{K}")


def _eq_closed_form_difference(m: Matrices) -> Gaps:
    heads, total = chain_heads(exact_model(m.problem), K, [1] * m.F), fmpq_mat(m.F, 1)
    for k, theta in enumerate(heads):
        yield from (theta - total - power(m.B, k) * heads[0], theta - chain_by_closed_form(m.problem, k, [1] * m.F))
        total += power(m.B, k) * m.c


def eq_closed_form_counterexamples() -> Counterexamples:
    """Two equal features: the recursion no longer says which θᵏ."""
    twins = twin_features()
    m = matrices(twins)
    theta = [fmpq_mat(2, 1), chain_heads(exact_model(twins), 1)[1]]
    other = theta[1] + fmpq_mat([[1], [-1]])
    both = all(m.X * t == m.gamma * m.Y * theta[0] + m.b for t in (theta[1], other)) and other != theta[1]
    text = "Φ = [[1, 1], [2, 2]]: from θ⁰ = 0 both θ¹ and θ¹ + (1, −1) satisfy Xθ¹ = γYθ⁰ + b; no X⁻¹, no closed form"
    yield Counterexample("X invertible", text, both, twins)


EQ_CLOSED_FORM = Statement(
    id="eq-closed-form",
    place=60,
    title="Closed form of the chain",
    paper="θᵏ* is the sum of (γX⁻¹Y)ⁱ X⁻¹b over i < k, plus (γX⁻¹Y)ᵏ θ⁰",
    verdict="holds",
    precise="as stated; A need not be invertible",
    assumptions=("X invertible",),
    scope="all dimensions, all k ≥ 0, all θ⁰",
    latex=r"\theta^k_* = \sum_{i=0}^{k-1} B^i X^{-1} b + B^k \theta^0, \quad B = \gamma X^{-1} Y",
    claims=eq_closed_form_claims,
    check=eq_closed_form_check,
    counterexamples=eq_closed_form_counterexamples,
)
