r"""claim-stable: "chained TD always converges", "never diverges".

True of every head k for itself, with a small enough step size (prop-4, prop-7): for fixed k and t → ∞. Not true along
the chain: θᵏ* − θ_π = Bᵏ(θ⁰ − θ_π), so if Bv = βv then from θ⁰ = θ_π + v head k is off by βᵏv, and for |β| > 1 that
grows without bound in k. What "biased" means there is an error of any size: the longer the chain, the worse.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import islice, pairwise

from flint import fmpq_mat

from theory.certified.verdicts import chain_unbiased, step_size_admissible
from theory.exact.chain import chain_heads, chain_step
from theory.exact.fixed_points import td_fixed_point
from theory.exact.matrices import fraction
from theory.exact.richardson import richardson
from theory.linear.step_sizes import head_step_sizes
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices, ones
from theory.propositions.statement import Check, Checks, Claims, Counterexample, Counterexamples, Statement, largest
from theory.propositions.theories.iteration import richardson_theory
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import paper_theory

K = 48


@cache
def growth_theory() -> Namespace:
    """An eigenvector of the chain's matrix, and what its powers do to it."""
    n = Namespace("beta")
    T, v, B = n.T, n.letters("v", "1 -> F"), n.letters("B", "F -> F")
    T.assume("B v = beta v", B * v, T.beta * v)
    B_k = T.power(B, "B", latex="B^k")
    beta_k = T.scalar_sequence("beta", 1, lambda x: T.beta * x, latex=r"\beta^k")
    n.state("along the chain", B_k * v, beta_k * v)
    return n


def claims() -> Claims:
    """Each head for itself, the bias along the chain, and its growth."""
    n, x = paper_theory(), richardson_theory()
    T = n.T
    return [
        T.claim(
            "target-cold-bias",
            n.cold - n.theta_pi,
            (1 - n.Q_t) * n.G * (n.theta0 - n.theta_pi) + n.Q_t * (n.init - n.theta_pi),
        ),
        T.claim("bias", n.theta - n.theta_pi, n.G_k * (n.theta0 - n.theta_pi)),
        x.T.claim("residual", x.x - x.x_star, x.E_t * (x.x0 - x.x_star)),
        *growth_theory().claims,
    ]


def check() -> Checks:
    """Every head converges in t below 2/λ_max(X), also where the chain in k does not; the bias of heads 0..5"
    " exactly."""
    for problem in cases("full-rank"):
        alpha = Fraction(head_step_sizes(problem).limit * 0.999)
        converges = step_size_admissible(problem, alpha, "sequential").proved
        along = "converges" if chain_unbiased(problem).proved else "does not converge"
        yield Check(problem.name, not converges, detail=f"each head converges; along k it {along}")
    for problem in cases("full-rank", "solvable"):
        theta_pi = td_fixed_point(problem).theta
        assert theta_pi is not None
        B, _ = chain_step(problem)
        error, out = ones(problem.n_features) - theta_pi, []
        for theta in chain_heads(problem, 5, [1] * problem.n_features):
            out.append(theta - theta_pi - error)
            error = B * error
        yield Check(problem.name, largest(out), detail="heads 0..5 are off by Bᵏe_0")


def counterexamples() -> Counterexamples:
    """Twostate with rewards at γ = 99/100, at the boundary, and with a step size that is too large."""
    problem = catalogue_problem("twostate-reward")
    theta_pi, beta = td_fixed_point(problem).theta, matrices(problem).B[0, 0]
    assert theta_pi is not None
    heads = chain_heads(problem, K, "behaviour")
    bias = [abs(fraction((theta - theta_pi)[0, 0])) for theta in heads]
    grows = all(b == fraction(abs(beta)) ** k * bias[0] for k, b in enumerate(bias)) and beta > 1
    text = (
        f"Twostate with rewards, γ = 99/100, θ⁰ = θ_μ: |θᵏ* − θ_π| = ({beta})ᵏ·{bias[0]}, at k = {K} above"
        f" {int(bias[-1])}"
    )
    yield Counterexample("as stated", text, grows and bias[-1] > 1000 * bias[0] > 0, problem)
    edge = problem.with_gamma("5/6")
    drift = chain_heads(edge, 6)
    steps = {str((b - a)[0, 0]) for a, b in pairwise(drift)}
    text = f"γ = 5/6: ρ(B) = 1, there is no θ_π, and every head adds {steps.copy().pop()} to the one before"
    yield Counterexample("ρ(B) < 1, not only ≤ 1", text, len(steps) == 1 and steps != {"0"}, edge)
    m = matrices(problem)
    head = [x[0, 0] for x in islice(richardson(m.X, m.b, 1, fmpq_mat([[1]])), 4)]
    away = [x - (m.X.solve(m.b))[0, 0] for x in head]
    fails = step_size_admissible(problem, 1, "sequential").refuted
    text = (
        f"X = {m.X[0, 0]}, α = 1 > 2/X: head 1 towards θ⁰ = 0 goes {', '.join(map(str, head))}, …: its"
        " distance to 3/5 grows by half"
    )
    yield Counterexample("α < 2/λ_max(X)", text, fails and all(2 * b == -3 * a for a, b in pairwise(away)), problem)


STATEMENT = Statement(
    id="claim-stable",
    place=180,
    title="Chained TD never diverges",
    paper="chained TD always converges, i.e. never diverges; it is merely biased where off-policy TD diverges",
    verdict="imprecise",
    precise="for every fixed k and α < 2/λ_max(X) (and A_μ's bound for head 0); along k, θᵏ* → θ_π from every θ⁰"
    " ⇔ ρ(B) < 1, and for ρ(B) > 1 the bias is unbounded in k from some θ⁰",
    assumptions=("k fixed", "α below the bounds of prop-4"),
    scope="all dimensions, all k ≥ 0",
    cites=("Gelfand: ρ(B) < 1 ⇔ Bᵏ → 0",),
    where="v is an eigenvector of B, β its eigenvalue",
    latex=r"\theta^k_* - \theta_\pi = B^k(\theta^0 - \theta_\pi),"
    r" \quad Bv = \beta v \ \Rightarrow\ B^k v = \beta^k v",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
