r"""field-8: Kolter's condition K = [[X, Y], [Yᵀ, X]] ⪰ 0 makes TD and the chain safe for every γ < 1.

K ⪰ 0 ⇔ X − YᵀX⁻¹Y ⪰ 0, and ‖ΠPΦθ‖²_D = θᵀYᵀX⁻¹Yθ: ΠP does not expand the span in the D-norm. TD: A + Aᵀ =
2(1 − γ)X + γ(2X − Y − Yᵀ), the last being the form of K at (u, −u). The chain: X − BᵀXB = (1 − γ²)X + γ²(X − YᵀX⁻¹Y).
And with e = Φθ_π − Πv_π, e = γΠPe + γΠP(Πv_π − v_π), so ‖e‖ ≤ γ/(1 − γ)·‖ΠP(v_π − Πv_π)‖: the error of θ_π is at most
1 + γ‖ΠP‖_D/(1 − γ) times the least. On-policy K ⪰ 0 always. Kolter (2011) chooses weights by this condition.
"""

from __future__ import annotations

from collections.abc import Iterator

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.polynomials import half_planes
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.extra_on_policy import on_policy
from theory.propositions.matrices import blocks, matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement
from theory.propositions.theories.paper import oblique_theory, paper_theory
from theory.thresholds.discounts import chain_threshold, td_stable_intervals


def claims() -> Claims:
    """The norm of ΠP on the span, the two sums of nonnegative forms, and the error."""
    n, o = paper_theory(), oblique_theory()
    T, step = n.T, n.Pi * n.P * n.Phi
    gap, miss = o.Phi * o.theta_pi - o.Pi * o.v, o.Pi * o.v - o.v
    return [
        T.claim("norm on the span", step.T * n.D * step, n.Y.T * n.Xi * n.Y),
        T.claim("TD", n.A + n.A.T, 2 * n.X - 2 * T.gamma * n.X + T.gamma * (2 * n.X - n.Y - n.Y.T)),
        T.claim(
            "chain",
            n.X - n.G.T * n.X * n.G,
            n.X - T.gamma**2 * n.X + T.gamma**2 * (n.X - n.Y.T * n.Xi * n.Y),
        ),
        o.T.claim("error", gap, o.T.gamma * o.Pi * o.P * gap + o.T.gamma * o.Pi * o.P * miss),
    ]


def check() -> Checks:
    """Where K ⪰ 0, exactly: TD stable on all of [0, 1) and the chain unbiased there."""
    for problem in candidates():
        if not kolter(problem):
            continue
        limit = chain_threshold(problem)
        wrong = (not always_stable(problem)) + (limit.exact is not None and limit.exact < 1)
        yield Check(problem.name, wrong, detail="K ⪰ 0: TD stable and chain unbiased for every γ < 1")


def candidates() -> Iterator[Problem]:
    """All cases, and their behaviours as targets."""
    yield from cases("full-rank")
    for problem in cases("full-rank", "behaviour"):
        yield on_policy(problem)


def kolter(problem: Problem) -> bool:
    """[[X, Y], [Yᵀ, X]] ⪰ 0? It is symmetric, so its roots are real."""
    m = matrices(problem)
    return half_planes(blocks([[m.X, m.Y], [m.Y.transpose(), m.X]]).charpoly()).left == 0


def always_stable(problem: Problem) -> bool:
    """Is TD stable for every γ in [0, 1)?"""
    found = td_stable_intervals(problem)
    return found.complete and len(found.intervals) == 1 and found.threshold.exact is None


def counterexamples() -> Counterexamples:
    """Tabular features off-policy: safe for every γ, and K is indefinite."""
    table = Problem.from_matrices(
        "99/100", Phi=[[1, 0], [0, 1]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], name="tabular twostate"
    )
    text = "Twostate with a table: X − YᵀX⁻¹Y = diag(1/2, −1/2) is indefinite, and TD and chain are safe for every γ"
    safe = always_stable(table) and td_stable(table).proved and chain_unbiased(table).proved
    yield Counterexample("the converse", text, safe and not kolter(table), table)


STATEMENT = Statement(
    id="field-8",
    place=2080,
    title="Kolter's condition",
    paper="does not treat it; it is Kolter's (2011)",
    verdict="beyond the paper",
    precise="[[X, Y], [Yᵀ, X]] ⪰ 0 ⇒ ‖ΠPv‖_D ≤ ‖v‖_D on the span ⇒ TD stable and chain unbiased for every γ < 1, and"
    " the error of θ_π at most 1 + γ‖ΠP‖_D/(1 − γ) times the least; the converse fails",
    assumptions=("X invertible", "K ⪰ 0", "0 ≤ γ < 1"),
    cites=("Schur: K ⪰ 0 ⇔ X − YᵀX⁻¹Y ⪰ 0", "Lyapunov: A + Aᵀ ≻ 0 ⇒ Re λ(A) > 0", "Stein: X ≻ BᵀXB ⇒ ρ(B) < 1"),
    latex=r"X - B^\top X B = (1-\gamma^2)X + \gamma^2\,(X - Y^\top X^{-1} Y)",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
