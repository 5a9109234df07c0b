r"""field-10: emphatic TD(λ) is positive definite, for all dimensions, every λ, and where episodes end.

Let W ≥ 0 have rows that sum to at most one, M = diag(m) with m = d + Wᵀm, and K = diag(m·W1) what goes on of M. Then

    M(I − W) + (M(I − W))ᵀ = (M − K) + D + Σ_{s,s'} m_s W_ss' (e_s − e_s')(e_s − e_s')ᵀ,

a sum of squares with weights that are not negative, D ≻ 0 among them: over edges s → s' weighed by m_sW_ss' those out
are K and those in are diag(Wᵀm) = M − D. ETD(λ) is this with W = I − (I − γλP)⁻¹(I − γP), because

    W = γ(1 − λ)(I − γλP)⁻¹P        and        m = (1 − λ)f + λd,  f = d + γPᵀf        gives  m = d + Wᵀm.

W ≥ 0 with W1 ≤ γ(1 − λ)/(1 − γλ) ≤ 1 wherever P ≥ 0 and P1 ≤ 1; λ = 0 is W = γP, m = f. So A_E = ΦᵀM(I − W)Φ has
A_E + A_Eᵀ ≻ 0 for independent features. Sutton, Mahmood and White (2016).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.certified.answers import YES
from theory.certified.verdicts import td_stable
from theory.exact.matrices import identity, rational
from theory.exact.polynomials import half_planes
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, diagonal, matrices, ones
from theory.propositions.methods import converges, landing
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Gaps, Statement, on_each
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.on_policy import SIZES, edges
from theory.symbolic.matrices import Draw, identity_matrix

TRACES = ("0", "1/2", "1")


@cache
def emphatic_theory() -> Namespace:
    """Edges weighed by m_s W_ss'; Src and Dst pick their ends."""
    n = Namespace()
    T, Phi, Q = n.T, n.letters("Phi", "F -> S"), n.letters("Q", "edges -> edges", symmetric=True)
    Src, Dst = n.letters("Src Dst", "S -> edges")
    D, W = n.letters("D", "S -> S", symmetric=True), n.letters("W", "S -> S")
    M, K = n.letters("M K", "S -> S", symmetric=True)
    T.assume("edges leave with what goes on", Src.T * Q * Src, K)
    T.assume("edges move by W", Src.T * Q * Dst, M * W)
    T.assume("follow-on", Dst.T * Q * Dst, M - D)
    T.model(_going_on, *SIZES)
    key, across = M - M * W, Src - Dst
    squares = M - K + D + across.T * Q * across
    n.state("sum of squares", key + key.T, squares)
    A = Phi.T * key * Phi
    n.state("with features", A + A.T, Phi.T * squares * Phi)
    return n


def _going_on(draw: Draw) -> dict[str, Any]:
    S = draw.dims["S"]
    W, d = draw.number() * draw.stochastic(S), draw.distribution(S)
    while (identity_matrix(S) - W.transpose()).det() == 0:
        W = draw.number() * draw.stochastic(S)
    m = (identity_matrix(S) - W.transpose()).solve(fmpq_mat(S, 1, d)).entries()
    M = draw.diagonal(m)
    K = draw.diagonal((M * W * ones(S)).entries())
    return {"W": W, "D": draw.diagonal(d), "M": M, "K": K, **edges(draw, M * W)}


@cache
def emphasis_theory() -> Namespace:
    """W and m of ETD(λ)."""
    n = Namespace("gamma lam")
    T, P, (f, d) = n.T, n.letters("P", "S -> S"), n.letters("f d", "1 -> S")
    L = T.inverse(1 - T.gamma * T.lam * P, "L", of="1 - gamma lam P", latex=r"(1-\gamma\lambda P)^{-1}")
    T.assume("f = d + gamma P' f", f, d + T.gamma * P.T * f)
    W = 1 - L * (1 - T.gamma * P)
    m = f - T.lam * f + T.lam * d
    n.state("W is what a trace leaves", W, (T.gamma - T.gamma * T.lam) * L * P)
    n.state("m is the emphasis of W", m, d + W.T * m)
    return n


def claims() -> Claims:
    """The sum of squares, over the states and with features; W and m of ETD(λ)."""
    return [*emphatic_theory(), *emphasis_theory()]


def check() -> Checks:
    """Every case and several λ: the squares sum up, the form is positive, ETD(λ) is certified."""
    return on_each(cases(), _gaps, "M(I − W) + transpose = the squares ≻ 0; ETD(0, ½, 1) stable")


def _gaps(m: Matrices) -> Gaps:
    for lambda_ in TRACES:
        emphasis, W = emphatic(m, lambda_)
        M, moves = diagonal(emphasis), diagonal(emphasis) * W
        form, going_on = M - moves + (M - moves).transpose(), diagonal((moves * ones(m.S)).entries())
        arriving = diagonal((moves.transpose() * ones(m.S)).entries())
        squares = going_on + arriving - moves - moves.transpose()  # over the edges
        yield form - (M - going_on + m.D + squares)
        yield half_planes(form.charpoly()).right != m.S or converges(f"etd:{lambda_}", m.problem) != YES


def emphatic(m: Matrices, lambda_: str = "0") -> tuple[list[Any], fmpq_mat]:
    """m and W of ETD(λ)."""
    trace, gammaP, one, d = rational(Fraction(lambda_)), m.gamma * m.P, identity(m.S), fmpq_mat(m.S, 1, m.d)
    f = (one - gammaP.transpose()).solve(d)
    return ((1 - trace) * f + trace * d).entries(), one - (one - trace * gammaP).solve(one - gammaP)


def counterexamples() -> Counterexamples:
    """The weights d instead of f; and where it lands."""
    twostate = catalogue_problem("twostate")
    f, _ = emphatic(matrices(twostate))
    text = f"Twostate: weighed by d TD is unstable; weighed by f = ({f[0]}, {f[1]}) it is stable"
    seen = td_stable(twostate).refuted and converges("etd", twostate) == YES
    yield Counterexample("weights f, not d", text, seen, twostate)
    own = catalogue_problem("kolter:p=71/100")
    (etd, error), (td, other) = (landing(name, own) for name in ("etd", "td"))
    text = f"kolter with d₁ = .71: ETD lands at the error {error:.4g}, TD at {other:.4g}"
    yield Counterexample("the fixed point of TD", text, bool(etd[0] != td[0]), own)


STATEMENT = Statement(
    id="field-10",
    place=2100,
    title="Emphatic TD is positive definite",
    paper="runs emphatic TD as a baseline; the theorem is Sutton, Mahmood and White's (2016)",
    verdict="beyond the paper",
    precise="M(I − W) + transpose = (M − K) + D + Σ m_sW_ss'(e_s − e_s')(e_s − e_s')ᵀ ≻ 0 for m = d + Wᵀm, which ETD(λ)"
    " has for every λ in [0, 1]: it is stable on every problem, at a fixed point of its own",
    assumptions=("d > 0, P ≥ 0 with rows that sum to at most one, γP without an eigenvalue 1", "Φ of full column rank"),
    cites=(
        "a sum of squares with positive weights is positive",
        "Lyapunov: A + Aᵀ ≻ 0 ⇒ Re λ(A) > 0",
        "Neumann: (I − γλP)⁻¹ = Σ(γλP)ᵏ ≥ 0, with rows that sum to at most 1/(1 − γλ)",
    ),
    where="rows of Src and Dst are the edges s → s' of W; Q is diagonal, with an edge's weight m(s)W(s, s')",
    latex=r"M(I-W) + (I-W)^\top M = (M-K) + D + (\mathrm{Src}-\mathrm{Dst})^\top Q(\mathrm{Src}-\mathrm{Dst})",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
