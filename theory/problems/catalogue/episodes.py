r"""Episodes that end: γ = 1, and states with discounts of their own (`theory.problems.validate`).

*Corridor.* States 1, …, n in a row, φ(k) = k. The target walks to the right, out of the door behind state n, and pays 1
a step: v_π(k) = −(n + 1 − k). The behaviour tosses a coin, stays in state 1 where it would leave it to the left, and
begins each episode there. It visits state k with frequency d ∝ n + 1 − k, so that, up to one common factor,

    X = Σ_k (n + 1 − k) k² = n(n + 1)²(n + 2)/12,      Y = Σ_{k<n} (n + 1 − k) k(k + 1) = n(n + 1)(n − 1)(n + 6)/12.

TD and the chain are stable exactly where γY < X, γ < (n + 1)(n + 2)/((n − 1)(n + 6)). At γ = 1 three states are safe,
four are a tie, and five or more diverge, although every episode ends.

*Twostate with discounts.* `twostate` with γ(s) = c for arriving in the second state: B = 6cγ/5. Only the common factor
γ counts beside c, and it may be 1.
"""

from __future__ import annotations

from fractions import Fraction

from theory.problems.catalogue.registry import entry, integer, number
from theory.problems.mdp import MDP, surely, uniform_policy
from theory.problems.problem import Problem


def _corridor(states: int, gamma: Fraction) -> Problem:
    n = states
    # The end, which right of the last state leads to, is no state.
    P = surely(n + 1, [max(0, s - 1) for s in range(n)], [s + 1 for s in range(n)])[:, :, :n]
    names = tuple(str(k + 1) for k in range(n))
    mdp = MDP(P, [[-1, -1]] * n, gamma, names, ("left", "right"), start=[1] + [0] * (n - 1))
    return Problem.from_mdp(mdp, pi=[1] * n, mu=uniform_policy(n, 2), Phi=[[k + 1] for k in range(n)])


def _twostate(c: Fraction, gamma: Fraction) -> Problem:
    P = surely(2, [0, 0], [1, 1])
    mdp = MDP(P, [[0, 1], [0, 1]], gamma, ("first", "second"), ("to first", "to second"), discount=[1, c])
    return Problem.from_mdp(mdp, pi=[1, 1], mu=uniform_policy(2, 2), Phi=[[1], [2]])


PLACE = 7
ENTRIES = (
    entry(
        "corridor",
        _corridor,
        title="A corridor with a door at its end, γ = 1",
        source="this package",
        famous_for="Episodes end and γ = 1, and yet TD and the chain diverge from five states on; four are a tie. "
        "Stable exactly for γ < (n+1)(n+2)/((n−1)(n+6)).",
        gamma="1",
        states=integer(5, "states n", 2, 64),
    ),
    entry(
        "twostate-discounts",
        _twostate,
        title="Twostate with a discount of its own in the second state",
        source="this package, after the paper's Twostate",
        famous_for="State-dependent discounts: γ(s) = 1 and c, with one common factor γ. "
        "Stable exactly for γ < 5/(6c), at γ = 1 for c < 5/6.",
        gamma="1",
        c=number("9/10", "discount for arriving in the second state", "a number in [0, 1)", lambda x: 0 <= x < 1),
    ),
)
