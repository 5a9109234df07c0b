"""eq-td: the expected update of off-policy TD is θ + α(b − Aθ).

E_μ[ρδφ] = b − Aθ with X = E_μ[ρφφᵀ] = ΦᵀDΦ, Y = E_μ[ρφφ'ᵀ] = ΦᵀDPΦ, A = X − γY, b = E_μ[ρRφ] = ΦᵀDr_π.
An expectation is a sum over pairs (s, a), weighted by d(s)μ(a|s): with one letter for "the state of this pair" it is a
product of matrices. Action coverage is the relation μρ = π, and it carries everything: d(s)μ(a|s)ρ = d(s)π(a|s), and
π sums to one. The paper assumes that μ visits all states, but not that it tries all actions of π; without
that E_μ[ρ] < 1 and X, Y, A, b are all too small.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import rational
from theory.problems import Problem
from theory.problems.sampling import enumerate_transitions
from theory.propositions.cases import cases
from theory.propositions.matrices import counting, matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.sampling import sampling_theory


def claims() -> Claims:
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


def check() -> Checks:
    """The sum over all transitions of a problem, in rationals, against its matrices."""
    return on_each(cases("sampled"), _difference, "all transitions enumerated")


def _difference(problem: Problem) -> list[object]:
    m = matrices(problem)
    theta = counting(problem.n_features)
    X, Y, b, update = expectations(problem, theta, theta)
    return [X - m.X, Y - m.Y, X - m.gamma * Y - m.A, b - m.b, update - (m.b - m.A * theta)]


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


def counterexamples() -> Counterexamples:
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
    place=10,
    title="Expected update of off-policy TD",
    paper="E θ_{t+1} = θ_t + α(b − Aθ_t) with X, Y, A, b as expectations under μ",
    verdict="holds with an added assumption",
    precise="with action coverage, π(a|s) > 0 ⇒ μ(a|s) > 0; E_μ[ρφφᵀ] = X needs it, E_μ[φφᵀ] = X does not",
    assumptions=("action coverage", "states drawn from d_μ"),
    scope="all dimensions, any MDP and policies",
    where="φ, φ' are the features of a state and the next, ρ = π(a|s)/μ(a|s), δ = R + γφ'ᵀθ − φᵀθ",
    latex=r"\mathbb{E}_\mu[\rho\,\delta\,\phi] = b - A\theta, \quad A = \Phi^\top D (I - \gamma P)\Phi = X - \gamma Y",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
