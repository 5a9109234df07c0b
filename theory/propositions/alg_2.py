r"""alg-2: Algorithm 2, sequential chained TD with the optional hot start, as its lines say.

Head 0 does T updates of the behaviour's TD, then every head k = 1..K does T updates towards the finished head before
it: with Q = (I − αX)^T, θᵏ = Qθ_s + (I − Q)(Bθᵏ⁻¹ + c), where the start θ_s is θᵏ⁻¹ (hot) or the head's own random
start (cold). So for finite T the heads are not the fixed points θᵏ*, and the errors of earlier heads are carried on
by B. The loop runs over k = 0..K: T(K+1) updates for K+1 parameter vectors, not the "TK steps for K parameters" of
the text; and in its last round θᵏ⁺¹ ← θᵏ writes to a head that does not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq_mat

from theory.exact.chain import chain_heads
from theory.exact.fixed_points import behaviour_moments
from theory.exact.matrices import identity, rational
from theory.exact.moments import exact_moments
from theory.exact.richardson import sequential_heads
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import matrices
from theory.propositions.statement import (
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.iteration import richardson_theory
from theory.propositions.theories.paper import paper_theory

ALPHA, T, K = Fraction(1, 8), 3, 3


def claims() -> Claims:
    """T updates of head 0 and of a later head, from any start."""
    n, x = paper_theory(), richardson_theory()
    T = n.T
    return [
        x.T.claim("residual", x.x - x.x_star, x.E_t * (x.x0 - x.x_star)),
        T.claim("target-sum", 1 - n.Q_t, n.S_t * n.X),
        T.claim("target-cold-start", n.cold, n.Q_t * n.init + (1 - n.Q_t) * (n.G * n.theta0 + n.Xi * n.b)),
        T.claim(
            "target-cold-bias",
            n.cold - n.theta_pi,
            (1 - n.Q_t) * n.G * (n.theta0 - n.theta_pi) + n.Q_t * (n.init - n.theta_pi),
        ),
        T.claim("target-hot-start", n.hot - n.theta_pi, n.G_t * (n.theta0 - n.theta_pi)),
    ]


def check() -> Checks:
    """The algorithm line by line, in expectation, against the formula for each head and the number of updates."""
    return on_each(cases("full-rank", "behaviour"), _difference, f"T = {T}, K = {K}, hot and cold; updates counted")


def _difference(problem: Problem) -> list[object]:
    F, out, m = problem.n_features, list[object](), matrices(problem)
    starts = [fmpq_mat(F, 1, range(k, k + F)) for k in range(K + 1)]
    one, step = identity(F), rational(ALPHA)
    Q = power(one - step * m.X, T)
    for hot in (True, False):
        heads, updates = run(problem, ALPHA, T, K, starts, hot=hot)
        predicted = m.theta_mu + power(one - step * m.A_mu, T) * (starts[0] - m.theta_mu)
        for k, head in enumerate(heads):
            out.append(head - predicted)
            begin = head if hot else starts[min(k + 1, K)]
            predicted = Q * begin + (one - Q) * (m.B * head + m.c)
        out.append(updates - T * (K + 1))
    same, _ = run(problem, ALPHA, T, K, [starts[0]] * (K + 1), hot=False)
    known = sequential_heads(problem, ALPHA, T, K, starts[0], hot=False)
    return [*out, *(a - b for a, b in zip(same, known, strict=True))]


def run(
    problem: Problem, alpha: Fraction, T: int, K: int, starts: Sequence[fmpq_mat], *, hot: bool
) -> tuple[list[fmpq_mat], int]:
    """Algorithm 2's loops with expected updates: the heads 0..K, and how many updates were made."""
    m, (A_mu, b_mu) = matrices(problem), behaviour_moments(exact_moments(problem))
    theta, t, step = list(starts), 0, rational(alpha)
    for k in range(K + 1):
        for _ in range(T):
            t += 1
            update = b_mu - A_mu * theta[0] if k == 0 else m.b + m.gamma * m.Y * theta[k - 1] - m.X * theta[k]
            theta[k] = theta[k] + step * update
        if hot and k < K:  # the algorithm also writes θ^{K+1}, which nothing reads
            theta[k + 1] = theta[k]
    return theta, t


def counterexamples() -> Counterexamples:
    """The count of updates, and heads that are not yet fixed points."""
    problem, zero = catalogue_problem("twostate-reward").with_gamma("1/2"), fmpq_mat(1, 1)
    heads, updates = run(problem, ALPHA, T, K, [zero] * (K + 1), hot=True)
    text = f"T = {T}, K = {K}: {updates} updates for {len(heads)} parameter vectors, not TK = {T * K} for {K}"
    yield Counterexample("as stated", text, updates == T * (K + 1) and len(heads) == K + 1, {"T": T, "K": K})
    fixed = chain_heads(problem, K, "behaviour")
    gaps = [str((a - b)[0, 0]) for a, b in zip(heads, fixed, strict=True)]
    text = (
        f"Twostate with rewards, γ = 1/2, α = 1/8, T = 3: head 1 misses θ¹* by {gaps[1]}, the text takes it as"
        " converged"
    )
    yield Counterexample("T → ∞", text, largest(heads[1] - fixed[1]) > 0, problem)


STATEMENT = Statement(
    id="alg-2",
    place=270,
    title="Algorithm 2: sequential chained TD with hot start",
    paper="sequential chained TD estimates K parameters by T updates each, TK steps in total; the hot start is"
    " optional",
    verdict="imprecise",
    precise="T(K+1) updates, K+1 parameter vectors; θᵏ = Qθ_s + (I − Q)(Bθᵏ⁻¹ + c) with Q = (I − αX)^T, the fixed"
    " points only for T → ∞",
    assumptions=("α below the bounds of prop-4", "T → ∞, for the fixed points"),
    scope="all dimensions, all T, all k ≥ 0",
    cites=("Gelfand: ρ(I − αX) < 1 ⇔ (I − αX)^T → 0",),
    where="θ_s is where the head starts, θᵏ⁻¹ (hot) or anywhere (cold); c = X⁻¹b",
    latex=r"\theta^k = Q\theta_s + (I - Q)(B\theta^{k-1} + c), \quad Q = (I - \alpha X)^{T}, \quad T(K+1)"
    r"\ \text{updates}",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
