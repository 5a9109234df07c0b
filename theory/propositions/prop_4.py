"""prop-4: sequential estimation converges, head after head.

Head 0 is Richardson iteration with A_μ, every later head with X. A_μ + A_μᵀ is a sum of squares over the edges of
the behaviour's chain plus 2(1 − γ)X, hence positive definite, and X is; so all real parts are positive and prop-1
applies. If the head before is off by e_{k−1} and the head starts off by s, both from θ_π, then after T updates it is
off by Qs + (I − Q)Be_{k−1} (Q = (I − αX)^T): errors of finite T fade as well. The paper names only X;
head 0 has a bound of its own, which can be the smaller one.
"""

from __future__ import annotations

from fractions import Fraction

from theory.certified.verdicts import step_size_admissible
from theory.exact.chain import chain_step
from theory.exact.fixed_points import behaviour_fixed_point
from theory.exact.matrices import identity
from theory.exact.richardson import sequential_heads, step_size
from theory.exact.solve import power
from theory.linear.step_sizes import chain_step_sizes
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.matrices import counting, matrices
from theory.propositions.registry import claimed
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.paper import paper_theory

T, K = 3, 3


def claims() -> Claims:
    """The error of each head after T updates, and positivity of A_μ + A_μᵀ."""
    n = paper_theory()
    T = n.T
    return [
        *claimed("def-richardson", "residual"),
        T.claim("target-sum", 1 - n.Q_t, n.S_t * n.X),
        *claimed("eq-recursion", "target-cold-start"),
        T.claim(
            "target-cold-bias",
            n.cold - n.theta_pi,
            (1 - n.Q_t) * n.G * (n.theta0 - n.theta_pi) + n.Q_t * (n.init - n.theta_pi),
        ),
        *claimed("prop-5", "sum-of-squares"),
    ]


def check() -> Checks:
    """Heads 0..3 after three updates each, hot and cold, identically as predicted; step sizes by certified verdicts."""
    for problem in cases("full-rank", "behaviour"):
        alpha = Fraction(3 * chain_step_sizes(problem).limit / 4).limit_denominator(1000)
        admissible = all(step_size_admissible(problem, alpha, which).proved for which in ("behaviour", "sequential"))
        detail = f"α = {alpha} converges with A_μ and with X"
        yield Check(problem.name, not admissible, detail=detail)
        yield Check(problem.name, largest(_difference(problem, alpha)), detail="heads 0..3, hot and cold start")


def _difference(problem: Problem, alpha: Fraction) -> list[object]:
    m, F, step = matrices(problem), problem.n_features, step_size(alpha)
    start, theta_mu = counting(F), behaviour_fixed_point(problem).theta
    assert m.A_mu is not None
    assert theta_mu is not None
    B, c = chain_step(problem)
    Q, out = power(identity(F) - step * m.X, T), list[object]()
    for hot in (True, False):
        heads = sequential_heads(problem, alpha, T, K, start, hot=hot)
        predicted = theta_mu + power(identity(F) - step * m.A_mu, T) * (start - theta_mu)
        for k, head in enumerate(heads):
            out.append(head - predicted)
            limit = B * predicted + c
            predicted = limit + Q * ((heads[k] if hot else start) - limit)
    return out


def counterexamples() -> Counterexamples:
    """Each bound on α alone, and a D that is not stationary."""
    Phi, swap = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
    fast = Problem.from_matrices("9/10", Phi=Phi, P_pi=swap, P_mu=swap, d_mu=["1/2"] * 2, r_mu=[0, 0], name="swap")
    text = "Φ = I, D = I/2, μ swaps, γ = 9/10: 2/λ_max(X) = 4, but A_μ has eigenvalue 19/20; at α = 3 head 0 diverges"
    yield Counterexample("α below A_μ's bound (head 0)", text, _fails(fast, 3, "behaviour"), fast)
    slow = Problem.from_matrices(
        "9/10", Phi=[[1], [1]], P_pi=swap, P_mu=swap, d_mu=["1/2"] * 2, r_mu=[0, 0], name="one"
    )
    text = "Φ = (1; 1): A_μ = 1/10 and X = 1; at α = 10 head 0 is right after one step and head 1 diverges"
    yield Counterexample("α < 2/λ_max(X) (heads k ≥ 1)", text, _fails(slow, 10, "sequential"), slow)
    P = [[0, 1], [0, 1]]
    off = Problem.from_matrices(
        "99/100", Phi=[[1], [2]], P_pi=P, P_mu=P, d_mu=["1/2"] * 2, r_mu=[0, 0], name="not stationary"
    )
    A_mu = matrices(off).A_mu
    assert A_mu is not None
    never = all(step_size_admissible(off, a, "behaviour").refuted for a in (Fraction(1, 1000), 1))
    text = f"D = I/2 is not stationary for P_μ = [[0, 1], [0, 1]]: A_μ = {A_mu[0, 0]} < 0, head 0 diverges for every α"
    yield Counterexample("d_μ stationary for P_μ", text, off.is_stationary is False and A_mu[0, 0] < 0 and never, off)


def _fails(problem: Problem, alpha: int, which: str) -> bool:
    """Does this part diverge while the other converges?"""
    other = {"behaviour": "sequential", "sequential": "behaviour"}[which]
    fails, works = (step_size_admissible(problem, alpha, part) for part in (which, other))
    return fails.refuted and works.proved


STATEMENT = Statement(
    id="prop-4",
    place=120,
    title="Sequential estimation converges",
    paper="expected sequential estimation of chained TD is convergent for sufficiently small α",
    verdict="holds",
    precise="for every start ⇔ α < 2/λ_max(X) (heads k ≥ 1) and α < min 2 Re λ/|λ|² over A_μ (head 0, if it is learnt)",
    assumptions=("Φ of full column rank", "D > 0, stationary for P_μ", "α below both bounds"),
    scope="all dimensions, all k ≥ 0, all T",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵗ → 0", "Lyapunov: A + Aᵀ ≻ 0 ⇒ all Re λ(A) > 0"),
    where="θ_s is where the head starts, θᵏ_T the head after T updates",
    latex=r"\theta^k_T - \theta_\pi = Q(\theta_s - \theta_\pi) + (I - Q)B(\theta^{k-1} - \theta_\pi),"
    r" \quad Q = (I - \alpha X)^{T}",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
