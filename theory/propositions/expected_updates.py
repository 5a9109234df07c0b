"""eq-td: the expected update of off-policy TD is θ + α(b − Aθ).

E_μ[ρδφ] = b − Aθ with X = E_μ[ρφφᵀ] = ΦᵀDΦ, Y = E_μ[ρφφ'ᵀ] = ΦᵀDPΦ, A = X − γY, b = E_μ[ρRφ] = ΦᵀDr_π.
An expectation is a sum over pairs (s, a), weighted by d(s)μ(a|s): with one letter for "the state of this pair" it is a
product of matrices. Action coverage is the relation μρ = π, and it carries everything: d(s)μ(a|s)ρ = d(s)π(a|s), and
π sums to one. The paper assumes that μ visits all states, but not that it tries all actions of π; without
that E_μ[ρ] < 1 and X, Y, A, b are all too small.

eq-chain: the expected update of chained TD is θᵏ + α(b + γYθᵏ⁻¹ − Xθᵏ).

E_μ[ρ(R + γφ'ᵀθᵏ⁻¹ − φᵀθᵏ)φ] = b + γYθᵏ⁻¹ − Xθᵏ. The proof is that of eq-td with the bootstrap value taken
from the head before: the expectation is linear in the two heads, and their factors are Y and X. It needs
action coverage just as eq-td does. With θᵏ⁻¹ = θᵏ it is off-policy TD.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import rational
from theory.problems import Problem
from theory.problems.sampling import enumerate_transitions
from theory.propositions.cases import cases
from theory.propositions.matrices import Matrices, matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Gaps, Statement, on_each
from theory.propositions.theories.namespace import Namespace
from theory.symbolic.matrices import Draw


@cache
def sampling_theory() -> Namespace:
    """Expectations over pairs: Of picks a pair's state, N its successor's law, W, Mu, Rho, Pi are diagonal on pairs."""
    n = Namespace("gamma alpha")
    T, Phi, Of = n.T, n.letters("Phi", "F -> S"), n.letters("Of", "S -> pairs")
    D = n.letters("D", "S -> S", symmetric=True)
    W, Mu, Rho, Pi = n.letters("W Mu Rho Pi", "pairs -> pairs", symmetric=True)
    N, reward = n.letters("N", "S -> pairs"), n.letters("reward", "1 -> pairs")
    n.letters("theta lower", "1 -> F", lower=r"\theta^{k-1}")
    P, r = n.letters("P", "S -> S"), n.letters("r", "1 -> S")
    T.assume("weights d(s)", Of.T * W, D * Of.T)
    T.assume("coverage: mu rho = pi", Mu * Rho, Pi)
    T.assume("pi sums to 1", Of.T * Pi * Of, 1)
    T.assume("mu sums to 1", Of.T * Mu * Of, 1)
    T.assume("P_pi from pi", Of.T * Pi * N, P)
    T.assume("r_pi from pi", Of.T * Pi * reward, r)
    sizes = ({"S": 3, "F": 2}, {"S": 2, "F": 2}, {"S": 4, "F": 3})
    T.model(_an_mdp, *sizes)
    T.model(_weights_that_mix, *sizes)
    n.X, n.Y = T.abbreviate("X", Phi.T * D * Phi), T.abbreviate("Y", Phi.T * D * P * Phi)
    n.b, n.A = T.abbreviate("b", Phi.T * D * r), T.abbreviate("A", n.X - T.gamma * n.Y)
    n.features = T.abbreviate("features", Of * Phi, latex=r"\varphi")  # one row a pair
    n.successor = T.abbreviate("successor", N * Phi, latex=r"\varphi'")  # E[φ' | s, a]
    n.visited = T.abbreviate("visited", n.features.T * W * Mu, latex=r"\varphi^\top W_\mu")  # φ times what follows
    n.corrected = T.abbreviate("corrected", n.visited * Rho, latex=r"\varphi^\top W_\pi")
    return n


def _an_mdp(draw: Draw) -> dict[str, Any]:
    """Two actions, both policies positive, D a distribution."""
    S = draw.dims["S"]
    pairs = draw.dims["pairs"] = 2 * S
    d = draw.distribution(S)
    mu, pi = ([p for _ in range(S) for p in draw.distribution(2)] for _ in range(2))
    Of = fmpq_mat(pairs, S, [int(i // 2 == s) for i in range(pairs) for s in range(S)])
    N, reward = fmpq_mat([draw.distribution(S) for _ in range(pairs)]), draw.matrix(pairs, 1)
    Pi = draw.diagonal(pi)
    diagonals = {"D": d, "W": [d[i // 2] for i in range(pairs)], "Mu": mu, "Pi": pi}
    diagonals["Rho"] = [p / m for p, m in zip(pi, mu, strict=True)]
    averages = {"P": Of.transpose() * Pi * N, "r": Of.transpose() * Pi * reward}
    return {"Of": Of, "N": N, "reward": reward, **averages, **{x: draw.diagonal(v) for x, v in diagonals.items()}}


def _weights_that_mix(draw: Draw) -> dict[str, Any]:
    """W need not be diagonal, nor commute with Mu: it may do anything to what sums to zero in each state."""
    values, S = _an_mdp(draw), draw.dims["S"]
    apart = fmpq_mat(2 * S, S, [(i // 2 == s) * (-1) ** i for i in range(2 * S) for s in range(S)])
    return {**values, "W": values["W"] + apart * draw.symmetric(S) * apart.transpose()}


def eq_td_claims() -> Claims:
    """The moments as expectations, then the update."""
    n = sampling_theory()
    T = n.T
    error = n.reward + T.gamma * n.successor * n.theta - n.features * n.theta
    return [
        T.claim("X", n.corrected * n.features, n.X),
        T.claim("X-uncorrected", n.visited * n.features, n.X),
        T.claim("Y", n.corrected * n.successor, n.Y),
        T.claim("A", n.corrected * (n.features - T.gamma * n.successor), n.A),
        T.claim("b", n.corrected * n.reward, n.b),
        T.claim(
            "td-update",
            n.theta + T.alpha * n.corrected * error,
            n.theta + T.alpha * (n.b - n.A * n.theta),
        ),
    ]


def eq_td_check() -> Checks:
    """The sum over all transitions of a problem, in rationals, against its matrices."""
    return on_each(cases("sampled"), _eq_td_difference, "all transitions enumerated")


def _eq_td_difference(m: Matrices) -> Gaps:
    X, Y, b, update = expectations(m.problem, m.start, m.start)
    return [X - m.X, Y - m.Y, X - m.gamma * Y - m.A, b - m.b, update - (m.b - m.A * m.start)]


def expectations(problem: Problem, head: fmpq_mat, lower: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat, fmpq_mat, fmpq_mat]:
    """E[ρφφᵀ], E[ρφφ'ᵀ], E[ρRφ], E[ρ(R + γφ'ᵀlower − φᵀhead)φ], summed over all transitions."""
    F, gamma = problem.n_features, rational(problem.exact.gamma)
    rows = [fmpq_mat(F, 1, row) for row in matrices(problem).Phi.tolist()]
    X, Y, b, update = fmpq_mat(F, F), fmpq_mat(F, F), fmpq_mat(F, 1), fmpq_mat(F, 1)
    for o in enumerate_transitions(problem):
        phi, phi_next = rows[o.state], rational(Fraction(o.discount)) * rows[o.next_state]
        reward = rational(Fraction(o.reward))
        weighted = rational(Fraction(o.probability) * Fraction(o.ratio)) * phi
        delta = reward + (gamma * phi_next.transpose() * lower - phi.transpose() * head)[0, 0]
        X, Y = X + weighted * phi.transpose(), Y + weighted * phi_next.transpose()
        b, update = b + reward * weighted, update + delta * weighted
    return X, Y, b, update


def eq_td_counterexamples() -> Counterexamples:
    """One state, μ = (1, 0), π = (½, ½): an action of π is never seen."""
    yield Counterexample("action coverage: π(a|s) > 0 ⇒ μ(a|s) > 0", *uncovered())


def uncovered() -> tuple[str, bool, dict[str, Any]]:
    """What is left of E_μ[ρ] and X when half of π is never tried (`Problem` refuses such policies, so by hand)."""
    mu, pi = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    ratio = sum((m * (p / m) for m, p in zip(mu, pi, strict=True) if m > 0), Fraction(0))
    text = f"one state, φ = 1: E_μ[ρ] = E_μ[ρφφᵀ] = {ratio}, but ΦᵀDΦ = 1"
    witness = {"mu": [str(x) for x in mu], "pi": [str(x) for x in pi], "Phi": [[1]], "d_mu": [1]}
    return text, ratio != 1, witness


EQ_TD = Statement(
    id="eq-td",
    place=10,
    title="Expected update of off-policy TD",
    paper="E θ_{t+1} = θ_t + α(b − Aθ_t) with X, Y, A, b as expectations under μ",
    verdict="holds with an added assumption",
    precise="with action coverage, π(a|s) > 0 ⇒ μ(a|s) > 0; E_μ[ρφφᵀ] = X needs it, E_μ[φφᵀ] = X does not",
    assumptions=("action coverage", "states drawn from d_μ"),
    scope="all dimensions, any MDP and policies",
    where="φ, φ' are the features of a state and the next, ρ = π(a|s)/μ(a|s), δ = R + γφ'ᵀθ − φᵀθ",
    latex=r"\mathbb{E}_\mu[\rho\,\delta\,\phi] = b - A\theta, \quad A = \Phi^\top D (I - \gamma P)\Phi = X - \gamma Y",
    claims=eq_td_claims,
    check=eq_td_check,
    counterexamples=eq_td_counterexamples,
)


def eq_chain_claims() -> Claims:
    """The update, and that it becomes TD's when both heads are the same."""
    n = sampling_theory()
    T = n.T
    target = n.reward + T.gamma * n.successor * n.lower  # of head k, from head k−1
    return [
        T.claim(
            "chain-update",
            n.theta + T.alpha * n.corrected * (target - n.features * n.theta),
            n.theta + T.alpha * (n.b + T.gamma * n.Y * n.lower - n.X * n.theta),
        ),
        T.claim("chain-becomes-td", n.b + T.gamma * n.Y * n.theta - n.X * n.theta, n.b - n.A * n.theta),
    ]


def eq_chain_check() -> Checks:
    """All transitions of a problem enumerated, at two different heads."""
    return on_each(cases("sampled"), _eq_chain_difference, "all transitions enumerated")


def _eq_chain_difference(m: Matrices) -> Gaps:
    lower = fmpq_mat(m.F, 1, [(-2) ** i for i in range(m.F)])
    *_, update = expectations(m.problem, m.start, lower)
    yield update - (m.b + m.gamma * m.Y * lower - m.X * m.start)


def eq_chain_counterexamples() -> Counterexamples:
    """As for eq-td."""
    yield Counterexample("action coverage: π(a|s) > 0 ⇒ μ(a|s) > 0", *uncovered())


EQ_CHAIN = Statement(
    id="eq-chain",
    place=20,
    title="Expected update of chained TD",
    paper="E θᵏ_{t+1} = θᵏ_t + α(b + γYθᵏ⁻¹_t − Xθᵏ_t)",
    verdict="holds with an added assumption",
    precise="with action coverage, π(a|s) > 0 ⇒ μ(a|s) > 0",
    assumptions=("action coverage", "states drawn from d_μ"),
    scope="all dimensions, any MDP and policies, any two heads",
    latex=r"\theta^k_{t+1} = \theta^k_t + \alpha(b + \gamma Y \theta^{k-1}_t - X \theta^k_t)",
    claims=eq_chain_claims,
    check=eq_chain_check,
    counterexamples=eq_chain_counterexamples,
)
