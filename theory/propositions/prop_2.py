"""prop-2: the bias of the k-th head.

θᵏ* − θ_π = γᵏ(X⁻¹Y)ᵏ(θ⁰ − θ_π) for every start θ⁰ and every k, provided Aθ_π = b. Induction over k: the error
obeys e_{k+1} = Be_k because θ_π is a fixed point of the same recursion. The paper assumes A⁻¹ without saying so;
the certificate shows that a solution θ_π is all it takes. Where there is none the chain has nothing to
converge to: Twostate at γ = 5/6 drifts.
"""

from __future__ import annotations

from theory.exact.matrices import power
from theory.model.linear_model import exact_model
from theory.model.points import chain_heads, td_fixed_point
from theory.problems import Problem
from theory.propositions.cases import TO_SECOND, cases
from theory.propositions.matrices import Matrices, matrices
from theory.propositions.statement import (
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


def claims() -> Claims:
    """The bias, with B and with γᵏ(X⁻¹Y)ᵏ, and that both powers agree."""
    n, z = paper_theory(), series_theory()
    T, rest = n.T, 1 - z.T.z
    return [
        T.claim("bias", n.theta - n.theta_pi, n.G_k * (n.theta0 - n.theta_pi)),
        T.claim("power-scaling", n.G_k, n.gamma_k * n.R_k),
        T.claim("bias-gamma", n.theta - n.theta_pi, n.gamma_k * n.R_k * (n.theta0 - n.theta_pi)),
        T.claim("solution", n.theta_pi, n.Ai * n.b),
        z.T.claim("series-bias", rest * z.series - z.theta_pi, rest * z.R * (z.theta0 - z.theta_pi)),
    ]


def check() -> Checks:
    """The recursion's heads 0..6 against the formula, identically in rationals."""
    return on_each(cases("full-rank", "solvable"), _difference)


def _difference(m: Matrices) -> Gaps:
    theta_pi, R, heads = m.A.solve(m.b), m.X.solve(m.Y), chain_heads(exact_model(m.problem), 6, [1] * m.F)
    for k, theta in enumerate(heads):
        yield theta - theta_pi - m.gamma**k * (power(R, k) * (heads[0] - theta_pi))


def counterexamples() -> Counterexamples:
    """A = 0 on Twostate at γ = 5/6: θᵏ = θ⁰ + k b/X."""
    twostate = Problem.from_matrices(
        "5/6", Phi=[[1], [2]], P_pi=TO_SECOND, d_mu=["1/2", "1/2"], r_pi=[1, 1], name="twostate at γ = 5/6"
    )
    m = matrices(twostate)
    heads = chain_heads(exact_model(twostate), 4)
    drift = m.X.solve(m.b)
    drifts = all(largest(theta - k * drift) == 0 for k, theta in enumerate(heads)) and largest(drift) > 0
    gone = td_fixed_point(twostate).theta is None
    text = f"A = {m.A[0, 0]}, no θ_π exists, and θᵏ = {drift[0, 0]}·k grows without bound"
    yield Counterexample("Aθ_π = b is solvable", text, drifts and gone, twostate)


STATEMENT = Statement(
    id="prop-2",
    place=80,
    title="Bias of the k-th value function",
    paper="θᵏ* − θ_π = γᵏ(X⁻¹Y)ᵏ(θ⁰ − A⁻¹b) for any θ⁰",
    verdict="holds with an added assumption",
    precise="for every θ_π with Aθ_π = b; A need not be invertible, but such a θ_π must exist",
    assumptions=("X invertible", "Aθ_π = b"),
    scope="all dimensions, all k ≥ 0, all θ⁰",
    latex=r"\theta^k_* - \theta_\pi = \gamma^k (X^{-1}Y)^k (\theta^0 - \theta_\pi)",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
