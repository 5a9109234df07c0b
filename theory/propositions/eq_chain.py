"""eq-chain: the expected update of chained TD is θᵏ + α(b + γYθᵏ⁻¹ − Xθᵏ).

E_μ[ρ(R + γφ'ᵀθᵏ⁻¹ − φᵀθᵏ)φ] = b + γYθᵏ⁻¹ − Xθᵏ. The proof is that of eq-td with the bootstrap value taken
from the head before: the expectation is linear in the two heads, and their factors are Y and X. It needs
action coverage just as eq-td does. With θᵏ⁻¹ = θᵏ it is off-policy TD.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flint import fmpq_mat

from theory.exact.moments import exact_moments
from theory.problems import Problem
from theory.propositions.cases import cases
from theory.propositions.eq_td import expectations, sampling_theory, uncovered
from theory.propositions.statement import Check, Counterexample, Statement, on_each
from theory.symbolic.outcomes import Outcome


def prove() -> Sequence[Outcome]:
    """The update, and that it becomes TD's when both heads are the same."""
    n = sampling_theory()
    T = n.T
    chained = n.b + T.gamma * n.Y * n.theta - n.X * n.theta
    return [n.decide("chain-update"), T.prove("chain-becomes-td", chained, n.b - n.A * n.theta)]


def check() -> Iterable[Check]:
    """All transitions of a problem enumerated, at two different heads."""
    return on_each(cases("sampled"), _difference, "all transitions enumerated")


def _difference(problem: Problem) -> fmpq_mat:
    m, F = exact_moments(problem), problem.n_features
    head, lower = fmpq_mat(F, 1, list(range(1, F + 1))), fmpq_mat(F, 1, [(-2) ** i for i in range(F)])
    *_, update = expectations(problem, head, lower)
    return update - (m.b + m.gamma * m.Y * lower - m.X * head)


def counterexamples() -> Iterable[Counterexample]:
    """As for eq-td."""
    yield Counterexample("action coverage: π(a|s) > 0 ⇒ μ(a|s) > 0", *uncovered())


STATEMENT = Statement(
    id="eq-chain",
    title="Expected update of chained TD",
    paper="E θᵏ_{t+1} = θᵏ_t + α(b + γYθᵏ⁻¹_t − Xθᵏ_t)",
    verdict="holds with an added assumption",
    precise="with action coverage, π(a|s) > 0 ⇒ μ(a|s) > 0",
    assumptions=("action coverage", "states drawn from d_μ"),
    scope="all dimensions, any MDP and policies, any two heads",
    latex=r"\theta^k_{t+1} = \theta^k_t + \alpha(b + \gamma Y \theta^{k-1}_t - X \theta^k_t)",
    prove=prove,
    check=check,
    counterexamples=counterexamples,
)
