r"""field-9: the TD solution is an oblique projection of v_π, and the projection's norm is its error factor.

Φθ_π = Ov_π with O = ΦA⁻¹ΦᵀD(I − γP): O² = O, OΦ = Φ, so O projects onto the span along what ΦᵀD(I − γP) does not see.
With ΠΦ = Φ the error is Φθ_π − v_π = (O − I)(v_π − Πv_π): at most ‖O − I‖_D times the least, and attained for some
rewards. ‖O − I‖_D is the root of the largest eigenvalue of D^−½(O − I)ᵀD(O − I)D^−½; for one feature
‖O‖²_D = X·aᵀD⁻¹a with O = Φaᵀ. It has no bound: near a γ or D where A is singular it grows beyond every number
(`kolter`). Scherrer (2010) has this view.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.matrices import identity, matrix, rational, scaled_rows
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import oblique_theory

ROUNDING = 1e-9  # of an eigenvalue of a symmetric matrix with at most 8 rows, relative to it


def claims() -> Claims:
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


def check() -> Checks:
    """The identities in rationals, and the factor against the error of the case's own rewards."""
    for problem in cases("full-rank", "solvable"):
        along, v = oblique(problem), true_values(problem)
        Phi, Pi = matrices(problem).Phi, matrices(problem).Pi
        m = matrices(problem)
        rest = (along - identity(problem.n_states)) * (v - Pi * v)
        gaps = [along * v - Phi * m.A.solve(m.b), along * along - along, along * v - v - rest]
        yield Check(problem.name, largest(gaps), detail="O² = O, Φθ_π = Ov_π, error = (O − I)(v_π − Πv_π)")
        d = [rational(x) for x in problem.exact.d_mu]
        error, least = (float(Fraction(str(norm(d, x)))) for x in (along * v - v, Pi * v - v))
        factor = error_factor(problem)
        excess = max(0.0, error - factor**2 * least)
        bound = ROUNDING * (error + factor**2 * least)
        yield Check(problem.name, excess, bound, detail="‖Φθ_π − v_π‖ ≤ ‖O − I‖_D ‖v_π − Πv_π‖")


def oblique(problem: Problem) -> fmpq_mat:
    """O = ΦA⁻¹ΦᵀD(I − γP)."""
    m, e = matrices(problem), problem.exact
    Phi, P = matrix(e.Phi), matrix(e.P_pi)
    weighted = scaled_rows([rational(x) for x in e.d_mu], identity(P.nrows()) - m.gamma * P)
    return Phi * m.A.solve(Phi.transpose() * weighted)


def true_values(problem: Problem) -> fmpq_mat:
    """v_π."""
    e = problem.exact
    P = matrix(e.P_pi)
    return (identity(P.nrows()) - rational(e.gamma) * P).solve(matrix(e.r_pi))


def norm(d: list[fmpq], x: fmpq_mat) -> fmpq:
    """Σ d x²."""
    return sum((w * y * y for w, y in zip(d, x.entries(), strict=True)), rational(Fraction(0)))


def error_factor(problem: Problem) -> float:
    """‖O − I‖_D, in floats."""
    rest = oblique(problem) - identity(problem.n_states)
    root = np.sqrt(problem.d_mu)
    white = root[:, None] * np.array([[float(Fraction(str(x))) for x in row] for row in rest.tolist()]) / root
    return float(np.linalg.norm(white, 2))


def one_feature_factor(problem: Problem) -> fmpq:
    """‖O‖²_D of one feature, exactly: X times ‖a‖² with O = φaᵀ."""
    m, e = matrices(problem), problem.exact
    along, Phi = oblique(problem), matrix(e.Phi)
    s = next(i for i in range(along.nrows()) if Phi[i, 0] != 0)
    d = [rational(x) for x in e.d_mu]
    return m.X[0, 0] * sum(
        (along[s, j] ** 2 / Phi[s, 0] ** 2 / d[j] for j in range(along.ncols())), rational(Fraction(0))
    )


def counterexamples() -> Counterexamples:
    """Kolter's problem with weights ever closer to where A = 0."""
    factors = [one_feature_factor(catalogue_problem(f"kolter:p={p}")) for p in ("7/10", "71/100", "714/1000")]
    grows = factors[0] < factors[1] < factors[2] and factors[2] > 10**4
    shown = ", ".join(f"{float(Fraction(str(x))) ** 0.5:.4g}" for x in factors)
    text = f"kolter with d₁ = .7, .71, .714 (A = 0 near .7147): the factor is {shown}, without bound"
    yield Counterexample("A far from singular", text, bool(grows), catalogue_problem("kolter:p=714/1000"))


STATEMENT = Statement(
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
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
