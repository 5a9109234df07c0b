"""eq-td: the expected update of off-policy TD is θ + α(b − Aθ).

E_μ[ρδφ] = b − Aθ with X = E_μ[ρφφᵀ] = ΦᵀDΦ, Y = E_μ[ρφφ'ᵀ] = ΦᵀDPΦ, A = X − γY, b = E_μ[ρRφ] = ΦᵀDr_π.
An expectation is a sum over pairs (s, a), weighted by d(s)μ(a|s): with one letter for "the state of this pair" it is a
product of matrices. Action coverage is the relation μρ = π, and it carries everything: d(s)μ(a|s)ρ = d(s)π(a|s), and
π sums to one. The paper assumes that μ visits all states, but not that it tries all actions of π; without
that E_μ[ρ] < 1 and X, Y, A, b are all too small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import matrix, rational
from theory.exact.moments import exact_moments
from theory.problems import Problem
from theory.problems.sampling import enumerate_transitions
from theory.propositions.cases import cases
from theory.propositions.statement import Check, Counterexample, Statement, on_each
from theory.symbolic.matrices import Draw
from theory.symbolic.outcomes import Outcome
from theory.symbolic.paper import Chapter
from theory.symbolic.theory import Theory


@cache
def sampling_theory() -> Chapter:
    """Expectations over pairs: Of picks a pair's state, N its successor's law, W, Mu, Rho, Pi are diagonal on pairs."""
    T = Theory("gamma alpha")
    Phi, Of = T.op("Phi", "F -> S"), T.op("Of", "S -> pairs")
    D, W = T.op("D", "S -> S", symmetric=True), T.op("W", "pairs -> pairs", symmetric=True)
    Mu, Rho, Pi = (T.op(name, "pairs -> pairs", symmetric=True) for name in ("Mu", "Rho", "Pi"))
    N, reward = T.op("N", "S -> pairs"), T.op("reward", "1 -> pairs")
    theta, lower = T.op("theta", "1 -> F"), T.op("lower", "1 -> F", latex=r"\theta^{k-1}")
    P, r = T.op("P", "S -> S"), T.op("r", "1 -> S")
    T.assume("weights d(s)", Of.T * W, D * Of.T)
    T.assume("coverage: mu rho = pi", Mu * Rho, Pi)
    T.assume("pi sums to 1", Of.T * Pi * Of, 1)
    T.assume("mu sums to 1", Of.T * Mu * Of, 1)
    T.assume("P_pi from pi", Of.T * Pi * N, P)
    T.assume("r_pi from pi", Of.T * Pi * reward, r)
    T.model(_an_mdp, {"S": 3, "F": 2}, {"S": 2, "F": 2}, {"S": 4, "F": 3})
    X, Y, b = Phi.T * D * Phi, Phi.T * D * P * Phi, Phi.T * D * r
    features, successor = Of * Phi, N * Phi  # φ and E[φ' | s, a], one row a pair
    n = Chapter(T, X=X, Y=Y, b=b, A=X - T.gamma * Y, theta=theta, lower=lower)
    n.features, n.successor = features, successor
    n.visited = features.T * W * Mu  # sums over pairs what follows, times φ
    corrected = n.visited * Rho
    n.state("X", corrected * features, X)
    n.state("X-uncorrected", n.visited * features, X)
    n.state("Y", corrected * successor, Y)
    n.state("A", corrected * (features - T.gamma * successor), n.A)
    n.state("b", corrected * reward, b)
    td = reward + T.gamma * successor * theta - features * theta
    n.state("td-update", theta + T.alpha * corrected * td, theta + T.alpha * (b - n.A * theta))
    chained = reward + T.gamma * successor * lower - features * theta
    expected = b + T.gamma * Y * lower - X * theta
    n.state("chain-update", theta + T.alpha * corrected * chained, theta + T.alpha * expected)
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


def prove() -> Sequence[Outcome]:
    """The moments as expectations, then the update."""
    return [sampling_theory().decide(name) for name in ("X", "X-uncorrected", "Y", "A", "b", "td-update")]


def check() -> Iterable[Check]:
    """The sum over all transitions of a problem, in rationals, against its matrices."""
    return on_each(cases("sampled"), _difference, "all transitions enumerated")


def _difference(problem: Problem) -> list[object]:
    m = exact_moments(problem)
    theta = fmpq_mat(problem.n_features, 1, list(range(1, problem.n_features + 1)))
    X, Y, b, update = expectations(problem, theta, theta)
    return [X - m.X, Y - m.Y, X - m.gamma * Y - m.A, b - m.b, update - (m.b - m.A * theta)]


def expectations(problem: Problem, head: fmpq_mat, lower: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat, fmpq_mat, fmpq_mat]:
    """E[ρφφᵀ], E[ρφφ'ᵀ], E[ρRφ], E[ρ(R + γφ'ᵀlower − φᵀhead)φ], summed over all transitions."""
    F, gamma = problem.n_features, rational(problem.exact.gamma)
    rows = [fmpq_mat(F, 1, row) for row in matrix(problem.exact.Phi).tolist()]
    X, Y, b, update = fmpq_mat(F, F), fmpq_mat(F, F), fmpq_mat(F, 1), fmpq_mat(F, 1)
    for o in enumerate_transitions(problem):
        phi, phi_next, reward = rows[o.state], rows[o.next_state], rational(Fraction(o.reward))
        weighted = rational(Fraction(o.probability) * Fraction(o.ratio)) * phi
        delta = reward + (gamma * phi_next.transpose() * lower - phi.transpose() * head)[0, 0]
        X, Y = X + weighted * phi.transpose(), Y + weighted * phi_next.transpose()
        b, update = b + reward * weighted, update + delta * weighted
    return X, Y, b, update


def counterexamples() -> Iterable[Counterexample]:
    """One state, μ = (1, 0), π = (½, ½): an action of π is never seen."""
    yield Counterexample("action coverage: π(a|s) > 0 ⇒ μ(a|s) > 0", *uncovered())


def uncovered() -> tuple[str, bool, dict[str, Any]]:
    """What is left of E_μ[ρ] and X when half of π is never tried (`Problem` refuses such policies, so by hand)."""
    mu, pi = (Fraction(1), Fraction(0)), (Fraction(1, 2), Fraction(1, 2))
    ratio = sum((m * (p / m) for m, p in zip(mu, pi, strict=True) if m > 0), Fraction(0))
    text = f"one state, φ = 1: E_μ[ρ] = E_μ[ρφφᵀ] = {ratio}, but ΦᵀDΦ = 1"
    witness = {"mu": [str(x) for x in mu], "pi": [str(x) for x in pi], "Phi": [[1]], "d_mu": [1]}
    return text, ratio != 1, witness


STATEMENT = Statement(
    id="eq-td",
    title="Expected update of off-policy TD",
    paper="E θ_{t+1} = θ_t + α(b − Aθ_t) with X, Y, A, b as expectations under μ",
    verdict="holds with an added assumption",
    precise="with action coverage, π(a|s) > 0 ⇒ μ(a|s) > 0; E_μ[ρφφᵀ] = X needs it, E_μ[φφᵀ] = X does not",
    assumptions=("action coverage", "states drawn from d_μ"),
    scope="all dimensions, any MDP and policies",
    where="φ, φ' are the features of a state and the next, ρ = π(a|s)/μ(a|s), δ = R + γφ'ᵀθ − φᵀθ",
    latex=r"\mathbb{E}_\mu[\rho\,\delta\,\phi] = b - A\theta, \quad A = \Phi^\top D (I - \gamma P)\Phi = X - \gamma Y",
    prove=prove,
    check=check,
    counterexamples=counterexamples,
)
