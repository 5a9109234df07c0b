"""eq-chain: the expected update of chained TD is θᵏ + α(b + γYθᵏ⁻¹ − Xθᵏ).

E_μ[ρ(R + γφ'ᵀθᵏ⁻¹ − φᵀθᵏ)φ] = b + γYθᵏ⁻¹ − Xθᵏ. The proof is that of eq-td with the bootstrap value taken
from the head before: the expectation is linear in the two heads, and their factors are Y and X. It needs
action coverage just as eq-td does. With θᵏ⁻¹ = θᵏ it is off-policy TD.
"""

from __future__ import annotations

from flint import fmpq_mat

from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.eq_td import expectations, uncovered
from theory.propositions.matrices import counting, matrices
from theory.propositions.statement import Checks, Claims, Counterexample, Counterexamples, Statement, on_each
from theory.propositions.theories.sampling import sampling_theory


def claims() -> Claims:
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


def check() -> Checks:
    """All transitions of a problem enumerated, at two different heads."""
    return on_each(cases("sampled"), _difference, "all transitions enumerated")


def _difference(problem: Problem) -> fmpq_mat:
    m, F = matrices(problem), problem.n_features
    head, lower = counting(F), fmpq_mat(F, 1, [(-2) ** i for i in range(F)])
    *_, update = expectations(problem, head, lower)
    return update - (m.b + m.gamma * m.Y * lower - m.X * head)


def counterexamples() -> Counterexamples:
    """As for eq-td."""
    yield Counterexample("action coverage: π(a|s) > 0 ⇒ μ(a|s) > 0", *uncovered())


STATEMENT = Statement(
    id="eq-chain",
    place=20,
    title="Expected update of chained TD",
    paper="E θᵏ_{t+1} = θᵏ_t + α(b + γYθᵏ⁻¹_t − Xθᵏ_t)",
    verdict="holds with an added assumption",
    precise="with action coverage, π(a|s) > 0 ⇒ μ(a|s) > 0",
    assumptions=("action coverage", "states drawn from d_μ"),
    scope="all dimensions, any MDP and policies, any two heads",
    latex=r"\theta^k_{t+1} = \theta^k_t + \alpha(b + \gamma Y \theta^{k-1}_t - X \theta^k_t)",
    claims=claims,
    check=check,
    counterexamples=counterexamples,
)
