r"""field-8: Kolter's condition K = [[X, Y], [Yᵀ, X]] ⪰ 0 makes TD and the chain safe for every γ < 1.

K ⪰ 0 ⇔ X − YᵀX⁻¹Y ⪰ 0, and ‖ΠPΦθ‖²_D = θᵀYᵀX⁻¹Yθ: ΠP does not expand the span in the D-norm. TD: A + Aᵀ =
2(1 − γ)X + γ(2X − Y − Yᵀ), the last being the form of K at (u, −u). The chain: X − BᵀXB = (1 − γ²)X + γ²(X − YᵀX⁻¹Y).
And with e = Φθ_π − Πv_π, e = γΠPe + γΠP(Πv_π − v_π), so ‖e‖ ≤ γ/(1 − γ)·‖ΠP(v_π − Πv_π)‖: the error of θ_π is at most
1 + γ‖ΠP‖_D/(1 − γ) times the least. On-policy K ⪰ 0 always. Kolter (2011) chooses weights by this condition.

field-9: the TD solution is an oblique projection of v_π, and the projection's norm is its error factor.

Φθ_π = Ov_π with O = ΦA⁻¹ΦᵀD(I − γP): O² = O, OΦ = Φ, so O projects onto the span along what ΦᵀD(I − γP) does not see.
With ΠΦ = Φ the error is Φθ_π − v_π = (O − I)(v_π − Πv_π): at most ‖O − I‖_D times the least, and attained for some
rewards. ‖O − I‖_D is the root of the largest eigenvalue of D^−½(O − I)ᵀD(O − I)D^−½; for one feature
‖O‖²_D = X·aᵀD⁻¹a with O = Φaᵀ. It has no bound: near a γ or D where A is singular it grows beyond every number
(`kolter`). Scherrer (2010) has this view.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flint import fmpq, fmpq_mat

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.matrices import fraction, fractions, identity
from theory.exact.polynomials import half_planes
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import TO_SECOND, cases
from theory.propositions.matrices import Matrices, blocks, matrices
from theory.propositions.safe_features import on_policy
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import oblique_theory, paper_theory
from theory.thresholds.discounts import chain_threshold, td_stable_intervals


def field_8_claims() -> Claims:
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


def field_8_check() -> Checks:
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


def field_8_counterexamples() -> Counterexamples:
    """Tabular features off-policy: safe for every γ, and K is indefinite."""
    table = Problem.from_matrices(
        "99/100", Phi=[[1, 0], [0, 1]], P_pi=TO_SECOND, d_mu=["1/2", "1/2"], name="tabular twostate"
    )
    text = "Twostate with a table: X − YᵀX⁻¹Y = diag(1/2, −1/2) is indefinite, and TD and chain are safe for every γ"
    safe = always_stable(table) and td_stable(table).proved and chain_unbiased(table).proved
    yield Counterexample("the converse", text, safe and not kolter(table), table)


FIELD_8 = Statement(
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
    claims=field_8_claims,
    check=field_8_check,
    counterexamples=field_8_counterexamples,
)


ROUNDING = 1e-9  # of an eigenvalue of a symmetric matrix with at most 8 rows, relative to it


def field_9_claims() -> Claims:
    """O is a projection onto the span, θ_π's values are Ov_π, and the error is what O leaves of v_π − Πv_π."""
    n = oblique_theory()
    T = n.T
    values = n.Phi * n.theta_pi
    return [
        T.claim("O O = O", n.O * n.O, n.O),
        T.claim("O Phi = Phi", n.O * n.Phi, n.Phi),
        T.claim("values", values, n.O * n.v),
        T.claim("error factor", values - n.v, (n.O - 1) * (n.v - n.Pi * n.v)),
    ]


def field_9_check() -> Checks:
    """The identities in rationals, and the factor against the error of the case's own rewards."""
    for problem in cases("full-rank", "solvable"):
        m = matrices(problem)
        along, v = oblique(m), (identity(m.S) - m.gamma * m.P).solve(m.r)
        rest = (along - identity(m.S)) * (v - m.Pi * v)
        gaps = [along * v - m.Phi * m.theta_pi, along * along - along, along * v - v - rest]
        yield Check(problem.name, largest(gaps), detail="O² = O, Φθ_π = Ov_π, error = (O − I)(v_π − Πv_π)")
        error, least = (float(fraction((x.transpose() * m.D * x)[0, 0])) for x in (along * v - v, m.Pi * v - v))
        factor = error_factor(problem)
        excess = max(0.0, error - factor**2 * least)
        bound = ROUNDING * (error + factor**2 * least)
        yield Check(problem.name, excess, bound, detail="‖Φθ_π − v_π‖ ≤ ‖O − I‖_D ‖v_π − Πv_π‖")


def oblique(m: Matrices) -> fmpq_mat:
    """O = ΦA⁻¹ΦᵀD(I − γP)."""
    return m.Phi * m.A.solve(m.Phi.transpose() * m.D * (identity(m.S) - m.gamma * m.P))


def error_factor(problem: Problem) -> float:
    """‖O − I‖_D, in floats."""
    rest, root = oblique(matrices(problem)) - identity(problem.n_states), np.sqrt(problem.d_mu)
    white = root[:, None] * fractions(rest).reshape(problem.n_states, -1).astype(float) / root
    return float(np.linalg.norm(white, 2))


def one_feature_factor(problem: Problem) -> fmpq:
    """‖O‖²_D of one feature, exactly: X times ‖a‖² with O = φaᵀ."""
    m = matrices(problem)
    s = next(i for i in range(m.S) if m.Phi[i, 0] != 0)
    row = oblique(m).tolist()[s]
    return m.X[0, 0] * sum((x**2 / m.Phi[s, 0] ** 2 / w for x, w in zip(row, m.d, strict=True)), fmpq(0))


def field_9_counterexamples() -> Counterexamples:
    """Kolter's problem with weights ever closer to where A = 0."""
    factors = [one_feature_factor(catalogue_problem(f"kolter:p={p}")) for p in ("7/10", "71/100", "714/1000")]
    grows = factors[0] < factors[1] < factors[2] and factors[2] > 10**4
    shown = ", ".join(f"{float(fraction(x)) ** 0.5:.4g}" for x in factors)
    text = f"kolter with d₁ = .7, .71, .714 (A = 0 near .7147): the factor is {shown}, without bound"
    yield Counterexample("A far from singular", text, bool(grows), catalogue_problem("kolter:p=714/1000"))


FIELD_9 = Statement(
    id="field-9",
    place=2090,
    title="The TD solution is an oblique projection",
    paper="compares fixed points by simulation; the view is Scherrer's (2010)",
    verdict="beyond the paper",
    precise="Φθ_π = Ov_π with O = ΦA⁻¹ΦᵀD(I − γP) a projection onto the span; the error is at most ‖O − I‖_D times the"
    " least that the features allow, which some rewards attain, and no bound holds for all problems",
    assumptions=("X and A invertible", "I − γP invertible"),
    latex=r"\Phi\theta_\pi = O v_\pi,\quad O = \Phi A^{-1}\Phi^\top D(I - \gamma P),\quad"
    r" \Phi\theta_\pi - v_\pi = (O - I)(v_\pi - \Pi v_\pi)",
    claims=field_9_claims,
    check=field_9_check,
    counterexamples=field_9_counterexamples,
)
