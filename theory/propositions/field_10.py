r"""field-10: emphatic TD is positive definite, for all dimensions.

With f = (I − γPᵀ)⁻¹d and E = diag(f), that is f = d + γPᵀf,

    E(I − γP) + (E(I − γP))ᵀ = (1 − γ)E + D + γ Σ_{s,s'} f_s P_ss' (e_s − e_s')(e_s − e_s')ᵀ,

a sum of squares with positive weights: over edges s → s' weighed by f_sP_ss' the outgoing weights are E and the
incoming ones diag(Pᵀf) = (E − D)/γ. So A_E = ΦᵀE(I − γP)Φ has A_E + A_Eᵀ ≻ 0 for independent features. For λ > 0 the
same holds of P^λ = I − (I − γλP)⁻¹(I − γP) ≥ 0 in place of γP, because its emphasis m = (1 − λ)f + λd satisfies m = d +
(P^λ)ᵀm. Sutton, Mahmood and White (2016).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.certified.answers import Answer
from theory.certified.verdicts import td_stable
from theory.exact.matrices import identity, matrix, rational, scaled_rows
from theory.exact.polynomials import half_planes
from theory.methods.family import find_method
from theory.methods.ground import exact_ground
from theory.methods.outcome import outcome, rest, true_values
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement, largest
from theory.propositions.theories.chapter import Chapter
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.theory import Claim, Theory

TRACES = ("0", "1/2", "1")


@cache
def emphatic_theory() -> Chapter:
    """Edges weighed by f_s P_ss'; Src and Dst pick their ends."""
    T = Theory("gamma")
    Phi, Q = T.op("Phi", "F -> S"), T.op("Q", "edges -> edges", symmetric=True)
    Src, Dst = T.op("Src", "S -> edges"), T.op("Dst", "S -> edges")
    D, P = T.op("D", "S -> S", symmetric=True), T.op("P", "S -> S")
    E = T.op("E", "S -> S", symmetric=True)
    T.assume("edges leave with E", Src.T * Q * Src, E)
    T.assume("edges move by P", Src.T * Q * Dst, E * P)
    T.assume("follow-on", T.gamma * Dst.T * Q * Dst, E - D)
    T.model(_edges, {"S": 3, "F": 2}, {"S": 4, "F": 3}, {"S": 2, "F": 2})
    n = Chapter(T, Phi=Phi, Q=Q, Src=Src, Dst=Dst, D=D, P=P, E=E)
    key, across = E - T.gamma * E * P, Src - Dst
    squares = E - T.gamma * E + D + T.gamma * across.T * Q * across
    n.state("sum of squares", key + key.T, squares)
    A = Phi.T * key * Phi
    n.state("with features", A + A.T, Phi.T * squares * Phi)
    return n


def _edges(draw: Draw) -> dict[str, Any]:
    S = draw.dims["S"]
    P, d = draw.stochastic(S), draw.distribution(S)
    gamma = abs(draw.number())
    system = identity_matrix(S) - gamma * P.transpose()
    while system.det() == 0:
        gamma = abs(draw.number())
        system = identity_matrix(S) - gamma * P.transpose()
    f = system.solve(fmpq_mat(S, 1, d)).entries()
    draw.dims["edges"] = S * S
    Src = fmpq_mat(S * S, S, [int(e // S == s) for e in range(S * S) for s in range(S)])
    Dst = fmpq_mat(S * S, S, [int(e % S == s) for e in range(S * S) for s in range(S)])
    Q = Draw.diagonal([f[e // S] * P[e // S, e % S] for e in range(S * S)])
    return {"P": P, "D": Draw.diagonal(d), "E": Draw.diagonal(f), "Src": Src, "Dst": Dst, "Q": Q, "gamma": gamma}


def claims() -> Sequence[Claim]:
    """The sum of squares, over the states and with features."""
    return list(emphatic_theory().claims.values())


def check() -> Iterable[Check]:
    """Every case: the squares sum up, the form is positive, ETD(λ) is certified for several λ."""
    for problem in cases():
        key = emphatic(problem)
        form = key + key.transpose()
        positive = half_planes(form.charpoly()).right == problem.n_states
        certain = [outcome(find_method(f"etd:{x}"), problem).holds == Answer.YES for x in TRACES]
        wrong = largest(form - squares(problem)) + (not positive) + (not all(certain))
        yield Check(
            problem.name, Fraction(wrong), detail="E(I − γP) + transpose = the squares ≻ 0; ETD(0, ½, 1) stable"
        )


def emphasis(problem: Problem) -> list[Any]:
    """f = (I − γPᵀ)⁻¹d."""
    e = problem.exact
    P = matrix(e.P_pi)
    return (identity(P.nrows()) - rational(e.gamma) * P.transpose()).solve(matrix(e.d_mu)).entries()


def emphatic(problem: Problem) -> fmpq_mat:
    """E(I − γP)."""
    e = problem.exact
    P = matrix(e.P_pi)
    return scaled_rows(emphasis(problem), identity(P.nrows()) - rational(e.gamma) * P)


def squares(problem: Problem) -> fmpq_mat:
    """The right side, edge by edge."""
    e, S = problem.exact, problem.n_states
    f, gamma = emphasis(problem), rational(e.gamma)
    out = fmpq_mat(S, S)
    for s in range(S):
        out[s, s] += (1 - gamma) * f[s] + rational(e.d_mu[s])
        for t in range(S):
            weight = gamma * f[s] * rational(e.P_pi[s, t])
            for i, j, sign in ((s, s, 1), (t, t, 1), (s, t, -1), (t, s, -1)):
                out[i, j] += sign * weight
    return out


def counterexamples() -> Iterable[Counterexample]:
    """The weights d instead of f; and where it lands."""
    twostate = catalogue_problem("twostate")
    f = emphasis(twostate)
    text = f"Twostate: weighed by d TD is unstable; weighed by f = ({f[0]}, {f[1]}) it is stable"
    seen = td_stable(twostate).refuted and outcome(find_method("etd"), twostate).holds == Answer.YES
    yield Counterexample("weights f, not d", text, seen, twostate)
    own = catalogue_problem("kolter:p=71/100")
    ground = exact_ground(own)
    v = true_values(ground)
    etd, td = (rest(find_method(name), ground, v) for name in ("etd", "td"))
    assert etd.error is not None  # both systems are regular here
    assert td.error is not None
    text = f"kolter with d₁ = .71: ETD lands at the error {etd.error.d_mu:.4g}, TD at {td.error.d_mu:.4g}"
    assert etd.theta is not None
    assert td.theta is not None
    yield Counterexample("the fixed point of TD", text, bool(etd.theta[0] != td.theta[0]), own)


STATEMENT = Statement(
    id="field-10",
    place=2100,
    title="Emphatic TD is positive definite",
    paper="runs emphatic TD as a baseline; the theorem is Sutton, Mahmood and White's (2016)",
    verdict="beyond the paper",
    precise="E(I − γP) + transpose = (1 − γ)E + D + γΣ f_sP_ss'(e_s − e_s')(e_s − e_s')ᵀ ≻ 0, so ETD is stable for"
    " every problem, at a fixed point of its own",
    assumptions=("d > 0, P stochastic, 0 ≤ γ < 1", "Φ of full column rank"),
    cites=("a sum of squares with positive weights is positive", "Lyapunov: A + Aᵀ ≻ 0 ⇒ Re λ(A) > 0"),
    where="rows of Src and Dst are the edges s → s' of P; Q is diagonal, with an edge's weight f(s)P(s'|s)",
    latex=r"E(I-\gamma P) + (I-\gamma P)^\top E = (1-\gamma)E + D + \gamma(\mathrm{Src}-\mathrm{Dst})^\top Q"
    r"(\mathrm{Src}-\mathrm{Dst})",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
