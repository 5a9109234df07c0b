r"""alg-3: Algorithm 3, off-policy TD with target networks, as its lines say.

Windows k = 1..K+1 of T updates towards the parameters of the window before; each but the first starts where the one
before ended. So the first window is cold, from θ¹'s own start, and all others are hot: with Q = (I − αX)^T and G_T = Q
+ (I − Q)B, e_{K+1} = G_Tᴷ(Q(θ_c − θ_π) + (I − Q)Be_0). It makes T(K+1) updates and K+1 switches where its input says
K, and the text TK. T = 1 is off-policy TD: G_1 = I − αA.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from flint import fmpq_mat

from theory.exact.matrices import identity, rational
from theory.exact.richardson import target_network_matrix, td_iterates
from theory.exact.solve import power
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.cases import cases
from theory.propositions.matrices import counting, matrices, ones
from theory.propositions.statement import (
    Checks,
    Claims,
    Counterexample,
    Counterexamples,
    Statement,
    largest,
    on_each,
)
from theory.propositions.theories.paper import paper_theory

ALPHA, T, K = Fraction(1, 8), 3, 2


def claims() -> Claims:
    """The cold first window, the hot ones after it, and T = 1."""
    n = paper_theory()
    T = n.T
    return [
        T.claim("target-sum", 1 - n.Q_t, n.S_t * n.X),
        T.claim(
            "target-cold-bias",
            n.cold - n.theta_pi,
            (1 - n.Q_t) * n.G * (n.theta0 - n.theta_pi) + n.Q_t * (n.init - n.theta_pi),
        ),
        T.claim("target-hot-start", n.hot - n.theta_pi, n.G_t * (n.theta0 - n.theta_pi)),
        T.claim("target-outer", n.outer - n.theta_pi, n.H_k * (n.theta0 - n.theta_pi)),
        T.claim("target-operator", n.G_t, 1 - n.S_t * n.A),
        T.claim("target-is-td-at-1", T.at(n.G_t, "t", 1), 1 - T.alpha * n.A),
    ]


def check() -> Checks:
    """The algorithm line by line, in expectation, against e_{K+1}; at T = 1 with equal starts it is off-policy TD."""
    return on_each(cases("full-rank", "solvable"), _difference, f"T = {T}, K = {K}; and T = 1 against TD")


def _difference(problem: Problem) -> list[object]:
    m, start, cold = matrices(problem), counting(problem.n_features), 2 * ones(problem.n_features)
    last, updates = run(problem, ALPHA, T, K, start, cold)
    one = identity(problem.n_features)
    Q = power(one - rational(ALPHA) * m.X, T)
    first = Q * (cold - m.theta_pi) + (one - Q) * (m.B * (start - m.theta_pi))
    predicted = power(target_network_matrix(problem, ALPHA, T), K) * first
    single, steps = run(problem, ALPHA, 1, K, start, start)
    td = next(islice(td_iterates(problem, ALPHA, start), steps, None))
    return [last - m.theta_pi - predicted, updates - T * (K + 1), single - td]


def run(problem: Problem, alpha: Fraction, T: int, K: int, start: fmpq_mat, cold: fmpq_mat) -> tuple[fmpq_mat, int]:
    """Algorithm 3's loops with expected updates: θ^{K+1} and their number; θ⁰ = `start`, θ¹ begins at `cold`."""
    m, step, t = matrices(problem), rational(alpha), 0
    before, now = start, cold
    for _ in range(1, K + 2):
        for _ in range(T):
            t += 1
            now = now + step * (m.b + m.gamma * m.Y * before - m.X * now)
        before = now  # θᵏ⁺¹ starts as a copy of θᵏ and bootstraps from it
    return now, t


def counterexamples() -> Counterexamples:
    """The count, and the cold first window."""
    problem, zero = catalogue_problem("twostate-reward").with_gamma("1/2"), fmpq_mat(1, 1)
    hot, updates = run(problem, ALPHA, T, K, zero, zero)
    text = f"'number of switches' K = {K}, T = {T}: {updates} updates in {updates // T} windows, not TK = {T * K}"
    yield Counterexample("as stated", text, updates == T * (K + 1), {"T": T, "K": K})
    cold, _ = run(problem, ALPHA, T, K, zero, fmpq_mat([[1]]))
    text = (
        f"Twostate with rewards, γ = 1/2, θ⁰ = 0: it ends at {hot[0, 0]} if θ¹ starts at 0 and at {cold[0, 0]}"
        " if it starts at 1"
    )
    yield Counterexample("θ¹ starts as a copy of θ⁰", text, largest(hot - cold) > 0, problem)


STATEMENT = Statement(
    id="alg-3",
    place=280,
    title="Algorithm 3: off-policy target-network TD",
    paper="target-network TD performs TK steps with the identical update and switches K times",
    verdict="imprecise",
    precise="T(K+1) updates in K+1 windows; the first is cold, the others hot: the error at the end is"
    " G_Tᴷ(Q(θ_c − θ_π) + (I − Q)Be_0)",
    assumptions=("Aθ_π = b, for the error",),
    scope="all dimensions, all T, all K",
    where="θ_c is the learner's own start, e_k = θᵏ − θ_π the error after k windows; Q = (I − αX)^T",
    latex=r"e_{K+1} = G_T^K\bigl(Q(\theta_c - \theta_\pi) + (I - Q)B e_0\bigr), \quad G_T = Q + (I - Q)B = I - S_T A",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
