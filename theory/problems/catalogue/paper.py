"""The small MDPs of the paper: states in a row, actions left and right, μ uniform, π always right.

*Twostate* (appendix, "Example for ρ(X⁻¹Yγ) > 1"): φ = 1, 2 and d_μ = (½, ½), so X = 5/2, Y = 3 and
A = 5/2 − 3γ. Off-policy TD is unstable and the chain biased from the same γ = 5/6 on.

*Threestate* (section "Diagnostic Markov Decision Processes"): Φ is invertible, so every value function
can be represented (Π = I) and whatever error is left belongs to the algorithm.

Left pays −1 and right +1 where there are rewards, so v_μ = 0 and v_π = 1/(1−γ) in every state.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.problems.catalogue.registry import FamilyEntry, choice, entry
from theory.problems.mdp import MDP, uniform_policy
from theory.problems.problem import Problem

_PAPER = "Schmitt, Shawe-Taylor & van Hasselt (2022), Chaining Value Functions for Off-Policy Learning, AAAI"


def _row(Phi: list[list[int]], states: tuple[str, ...], rewards: str, gamma: Fraction) -> Problem:
    S = len(states)
    left = [[int(j == max(s - 1, 0)) for j in range(S)] for s in range(S)]
    right = [[int(j == min(s + 1, S - 1)) for j in range(S)] for s in range(S)]
    P: Any = [[left[s], right[s]] for s in range(S)]
    R: Any = [[-1, 1] if rewards == "signed" else [0, 0]] * S
    mdp = MDP(P, R, gamma, states, ("left", "right"))
    return Problem.from_mdp(mdp, pi=[1] * S, mu=uniform_policy(S, 2), Phi=Phi)


def _twostate(rewards: str, gamma: Fraction) -> Problem:
    return _row([[1], [2]], ("first", "second"), rewards, gamma)


def _twostate_reward(gamma: Fraction) -> Problem:
    return _twostate("signed", gamma)


def _threestate(gamma: Fraction) -> Problem:
    return _row([[1, 1, 1], [1, 2, 1], [2, 2, 1]], ("left", "middle", "right"), "signed", gamma)


_TO_EITHER = [[[1, 0], [0, 1]]] * 2

PLACE = 1
FAMILIES = (
    FamilyEntry(
        "twostate-family",
        title="All two-state problems with one feature whose target goes to the second state",
        source=f"generalises the Twostate of {_PAPER}, appendix",
        famous_for="X = p + (1−p)x² and Y = px + (1−p)x²: TD is stable exactly where X > γY, the chain unbiased "
        "exactly where X > γ|Y|. x = 2, p = 1/2 is `twostate-reward`.",
        letters={"x": "the second state's feature", "p": "how often the behaviour visits the first state"},
        tree={
            "parameters": {"x": "real", "p": "(0, 1)"},
            "gamma": "99/100",
            "features": [[1], ["x"]],
            "transitions": _TO_EITHER,
            "rewards": [[-1, 1]] * 2,
            "target_policy": [[0, 1]] * 2,
            "behaviour_policy": [["p", "1 - p"]] * 2,
            "states": ["first", "second"],
            "actions": ["left", "right"],
        },
    ),
)
ENTRIES = (
    entry(
        "twostate",
        _twostate,
        title="Twostate",
        source=f"{_PAPER}, appendix; after Tsitsiklis & Van Roy (1997) and Sutton, Mahmood & White (2016)",
        famous_for="X = 5/2 and Y = 3: TD is unstable and the chain biased from one and the same γ = 5/6 on.",
        gamma="99/100",
        rewards=choice("no rewards, or −1 for left and +1 for right", "none", "signed"),
    ),
    entry(
        "twostate-reward",
        _twostate_reward,
        title="Twostate with rewards",
        source=f"{_PAPER}, appendix; the rewards are those of its Threestate",
        famous_for="Twostate with −1 for left and +1 for right: a reward structure for which the chain's bias grows.",
        gamma="99/100",
    ),
    entry(
        "threestate",
        _threestate,
        title="Threestate",
        source=_PAPER,
        famous_for="Every value function can be represented, v_μ = 0 and v_π = 1/(1−γ), "
        "and still off-policy TD diverges at γ = 9/10: any error is the algorithm's.",
        gamma="9/10",
    ),
)
