r"""Chains of multi-step estimators with bounded traces: V-trace, Retrace, Q(π), Expected SARSA.

Each takes the previous head's values and adds the corrections seen along the way, discounted by traces c_i:

    target of head k = vᵏ⁻¹(S_t) + Σ_{i≥t} γ^{i−t} c_{t+1} … c_i w_i δ_i,      δ_i = R_i + γ vᵏ⁻¹(S_{i+1}) − vᵏ⁻¹(S_i).

Seen backwards, with an eligibility trace that all heads share, that is

    e ← γ c e + φ,         θᵏ ← θᵏ + α ((φᵀθᵏ⁻¹ − φᵀθᵏ) φ + w δᵏ⁻¹ e),        θ⁰ ← θ⁰ + α δ⁰ φ  (on-policy),

    chained-vtrace           states   c = λ min(c̄, ρ) of the move before      w = min(ρ̄, ρ)
    chained-retrace          pairs    c = λ min(1, ρ) of this move            w = 1
    chained-q                pairs    c = λ                                   w = 1
    chained-expected-sarsa   pairs    c = 0                                   w = 1

On pairs φ = φ(s, a) and v(S_{i+1}) is Σ_a π(a|s') q(s', a); the last two need no importance ratio at all. Chained
Expected SARSA is chained TD of the pairs: the φᵀθᵏ⁻¹ cancels. chained-q is Q^π(λ) of Harutyunyan et al. (2016), whose
own iteration contracts only for small λ; the chain takes it one step at a time.

After a move the trace fades by its discount, to nothing where an episode ended.

Mean over stationary histories: with P_c the transitions weighted by the trace that is carried along them,

    Z = (I − γP_cᵀ)⁻¹DΦ,      θᵏ ← θᵏ + α (X(θᵏ⁻¹ − θᵏ) + Zᵀ(r_w + γP_wΦθᵏ⁻¹ − D_wΦθᵏ⁻¹)).

For V-trace P_w[s, s'] = Σ_a μ w P, r_w = Σ_a μ w R̄ and D_w = diag(Σ_a μ w); on pairs they are P_π, r_π and I.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from theory.learners.concurrent import AllHeads
from theory.learners.rule import Lanes, Moves, fraction_of_one, option, positive
from theory.learners.transition import Transition
from theory.problems.numbers import Array


class TracedHeads(NamedTuple):
    """All heads, the trace, and the trace coefficient that the last move leaves to the next."""

    heads: Array  # (K + 1, F)
    trace: Array  # (F,)
    carried: Any


def corrected_step(t: int, moves: Moves, lanes: Lanes) -> bool:
    """`memory` holds the trace and what the last move left of its coefficient; `fixed` which learner it is."""
    constant, cut, rho_bar, c_bar = lanes.fixed[0], lanes.fixed[1], lanes.fixed[2], lanes.fixed[3]
    s, x, rho, gamma, residual = moves.row[t], moves.next_row[t], moves.ratio[t], moves.gamma[t], moves.residual[t]
    e, alpha, lambda_ = lanes.state[0], lanes.settings[0, 0], lanes.settings[1, 0]
    memory, c, d, rows = lanes.memory, lanes.work[0], lanes.work[1], lanes.state.shape[1]
    if constant or cut:
        coefficient, weight = lambda_ if constant else lambda_ * min(1.0, rho), 1.0
    else:
        coefficient, weight = memory[rows], min(rho_bar, rho)
        memory[rows] = lambda_ * min(c_bar, rho)
    decay = moves.gamma[t - 1] * coefficient if t > 0 else 0.0
    for i in range(rows):
        memory[i] = decay * memory[i] + lanes.gram[s, i]
    c[0] = alpha * (moves.follow_residual[t] + gamma * e[moves.follow_row[t], 0] - e[s, 0])
    d[0] = 0.0
    for k in range(1, e.shape[1]):
        c[k] = alpha * (e[s, k - 1] - e[s, k])
        d[k] = alpha * (weight * (residual + gamma * e[x, k - 1] - e[s, k - 1]))
    for i in range(rows):
        g, carried = lanes.gram[s, i], memory[i]
        for k in range(e.shape[1]):
            e[i, k] += c[k] * g + d[k] * carried
    return True


@dataclass(frozen=True)
class ChainedExpectedSarsa(AllHeads):
    """One-step chain on action values; no importance ratio, so its step is the concurrent chain's."""

    name: ClassVar[str] = "chained-expected-sarsa"
    parameters: ClassVar[tuple[str, ...]] = ("heads",)
    action_values: ClassVar[bool] = True

    def init(self, heads: Array) -> TracedHeads:
        return TracedHeads(heads, 0 * heads[0], 0 * heads[0, 0])

    def update(self, state: TracedHeads, transition: Transition) -> TracedHeads:
        phi, reward, phi_next, rho, phi_follow, discount = transition
        before, heads = state.heads, state.heads.copy()
        c, w, carried = self.coefficients(rho, state.carried)
        trace = self.gamma * c * state.trace + phi
        delta = reward + self.gamma * (phi_follow @ before[0]) - phi @ before[0]
        heads[0] = before[0] + self.alpha * delta * phi
        for k in range(1, self.K + 1):
            delta = reward + self.gamma * (phi_next @ before[k - 1]) - phi @ before[k - 1]
            gap = phi @ before[k - 1] - phi @ before[k]
            heads[k] = before[k] + self.alpha * (gap * phi + w * delta * trace)
        return TracedHeads(heads, discount * trace, carried)

    def coefficients(self, rho: Any, carried: Any) -> tuple[Any, Any, Any]:
        """c and w of this move, and what the next move needs of it."""
        return 0, 1, carried

    def value(self, state: TracedHeads, phi: Array) -> Any:
        return phi @ state.heads[self.head]


@dataclass(frozen=True)
class ChainedQ(ChainedExpectedSarsa):
    """Multi-step chain on action values with plain traces, Q^π(λ); no importance ratio."""

    lambda_: Any = 0.5
    name: ClassVar[str] = "chained-q"
    columns: ClassVar[tuple[str, ...]] = ("alpha", "lambda_", "k")
    step = staticmethod(corrected_step)

    def __post_init__(self) -> None:
        super().__post_init__()
        fraction_of_one(self, "lambda_")

    def obstacle(self) -> str:
        return "the trace remembers all moves and multiplies the parameters"

    def fixed(self) -> tuple[float, ...]:
        return 1.0, 0.0, 0.0, 0.0

    def coefficients(self, rho: Any, carried: Any) -> tuple[Any, Any, Any]:
        return self.lambda_, 1, carried


@dataclass(frozen=True)
class ChainedRetrace(ChainedQ):
    """Multi-step chain on action values with traces cut by the ratio."""

    lambda_: Any = 1
    name: ClassVar[str] = "chained-retrace"

    def fixed(self) -> tuple[float, ...]:
        return 0.0, 1.0, 0.0, 0.0

    def coefficients(self, rho: Any, carried: Any) -> tuple[Any, Any, Any]:
        return self.lambda_ * min(1, rho), 1, carried


@dataclass(frozen=True)
class ChainedVTrace(ChainedQ):
    """Multi-step chain on state values; min(ρ̄, ρ) decides what is learned, min(c̄, ρ) how fast."""

    lambda_: Any = 1
    rho_bar: Any = option("what ratios are cut to in what is learned", 1)
    c_bar: Any = option("what ratios are cut to in the traces", 1)
    name: ClassVar[str] = "chained-vtrace"
    action_values: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        positive(self, "c_bar")
        if not self.rho_bar > 0:  # infinite is allowed: then nothing is cut
            positive(self, "rho_bar")

    def fixed(self) -> tuple[float, ...]:
        return 0.0, 0.0, float(self.rho_bar), float(self.c_bar)

    def coefficients(self, rho: Any, carried: Any) -> tuple[Any, Any, Any]:
        return carried, min(self.rho_bar, rho), self.lambda_ * min(self.c_bar, rho)
