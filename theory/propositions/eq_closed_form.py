"""eq-closed-form: θᵏ* = Σ_{i<k} BⁱX⁻¹b + Bᵏθ⁰ with B = γX⁻¹Y.

Induction over k: the recursion θᵏ⁺¹ = Bθᵏ + X⁻¹b turns W_k into 1 + BW_k = W_{k+1}. A second proof needs no
induction: the generating function satisfies (1−z)θ(z) = (1−z)(1−zB)⁻¹θ⁰ + z(1−zB)⁻¹X⁻¹b, and comparing coefficients
of zᵏ gives the sum. Only X has to be invertible; A need not be.
"""

from __future__ import annotations

from flint import fmpq_mat

from theory.exact.chain import chain_by_closed_form, chain_heads
from theory.exact.solve import power
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.eq_recursion import twin_features
from theory.propositions.matrices import matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.iteration import series_theory
from theory.propositions.theories.paper import paper_theory

K = 6


def claims() -> Claims:
    """By induction, and by generating functions."""
    n, z = paper_theory(), series_theory()
    T, total = n.T, z.series
    rest = 1 - z.T.z
    return [
        T.claim("closed-form", n.theta, n.W_k * n.Xi * n.b + n.G_k * n.theta0),
        z.T.claim("series-geometric", z.R, 1 + z.T.z * z.B * z.R),
        z.T.claim("series-closed-form", rest * total, rest * z.R * z.theta0 + z.T.z * z.R * z.c),
    ]


def check() -> Checks:
    """Three ways to θ⁰..θ⁶: the recursion, the sum term by term, and the sum by doubling."""
    return on_each(cases("full-rank"), _difference, f"k = 0..{K}")


def _difference(problem: Problem) -> list[object]:
    m, ones = matrices(problem), [1] * problem.n_features
    B, c = m.X.solve(m.gamma * m.Y), m.X.solve(m.b)
    heads, out = chain_heads(problem, K, ones), list[object]()
    total = fmpq_mat(problem.n_features, 1)
    for k, theta in enumerate(heads):
        out += [theta - total - power(B, k) * heads[0], theta - chain_by_closed_form(problem, k, ones)]
        total += power(B, k) * c
    return out


def counterexamples() -> Counterexamples:
    """Two equal features: the recursion no longer says which θᵏ."""
    twins = twin_features()
    m = matrices(twins)
    theta = [fmpq_mat(2, 1), chain_heads(twins, 1)[1]]
    other = theta[1] + fmpq_mat([[1], [-1]])
    both = all(m.X * t == m.gamma * m.Y * theta[0] + m.b for t in (theta[1], other)) and other != theta[1]
    text = "Φ = [[1, 1], [2, 2]]: from θ⁰ = 0 both θ¹ and θ¹ + (1, −1) satisfy Xθ¹ = γYθ⁰ + b; no X⁻¹, no closed form"
    yield Counterexample("X invertible", text, both, twins)


STATEMENT = Statement(
    id="eq-closed-form",
    place=60,
    title="Closed form of the chain",
    paper="θᵏ* is the sum of (γX⁻¹Y)ⁱ X⁻¹b over i < k, plus (γX⁻¹Y)ᵏ θ⁰",
    verdict="holds",
    precise="as stated; A need not be invertible",
    assumptions=("X invertible",),
    scope="all dimensions, all k ≥ 0, all θ⁰",
    latex=r"\theta^k_* = \sum_{i=0}^{k-1} B^i X^{-1} b + B^k \theta^0, \quad B = \gamma X^{-1} Y",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
