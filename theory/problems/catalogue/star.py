"""Baird's star: N outer states around one centre, two actions, the target always goes to the centre.

*dashed* goes to an outer state, each with probability 1/N; *solid* goes to the centre. The behaviour
takes dashed with probability N/(N+1), so that it visits all N+1 states equally often. Outer state i
has the value 2w_i + w_{N+2}, the centre w_{N+1} + 2w_{N+2}: one weight more than there are states, so
X and A are singular, but Π = I. With N = 6 this is figure 11.1 of the textbook, weights in its order.

The nonzero spectrum of A is that of D(I − γP)ΦΦᵀ. On differences between outer states that is
4/(N+1), N−1 times. What is left is the 2×2 matrix

    1/(N+1) · [[1, −γ], [0, 1−γ]] · [[N+4, 2], [2N, 5]],

with determinant (1−γ)(N+20)/(N+1)² > 0 and trace (N+9 − γ(2N+5))/(N+1). So off-policy TD is unstable
exactly for γ ≥ (N+9)/(2N+5): 15/17 for N = 6, and never, for γ < 1, with fewer than five outer states.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.problems.catalogue.registry import FamilyEntry, entry, integer
from theory.problems.mdp import MDP
from theory.problems.problem import Problem

_BAIRD = "Baird (1995), Residual Algorithms: Reinforcement Learning with Function Approximation, ICML"
_BOOK = "Sutton & Barto (2018), Reinforcement Learning: An Introduction, 2nd edition, figure 11.1"


def _star(outer: int, gamma: Fraction, dashed_reward: Fraction | int = 0, solid_reward: int = 0) -> Problem:
    S = outer + 1
    dashed = [Fraction(1, outer)] * outer + [Fraction(0)]
    solid = [Fraction(0)] * outer + [Fraction(1)]
    own = [[(2 if s < outer else 1) * int(i == s) for i in range(S)] for s in range(S)]
    Phi = [[*row, 1 if s < outer else 2] for s, row in enumerate(own)]
    P: Any = [[dashed, solid]] * S
    R: Any = [[dashed_reward, solid_reward]] * S
    mdp = MDP(P, R, gamma, tuple(str(s + 1) for s in range(S)), ("dashed", "solid"))
    return Problem.from_mdp(mdp, pi=[1] * S, mu=[[Fraction(outer, S), Fraction(1, S)]] * S, Phi=Phi)


def _baird(gamma: Fraction) -> Problem:
    return _star(6, gamma)


def _baird_reward(gamma: Fraction) -> Problem:
    return _star(6, gamma, Fraction(-1, 6), 1)


def _star_family(outer: int) -> FamilyEntry:
    """The star with letters: how much of the shared weight the centre has, and how often the behaviour is dashed."""
    S = outer + 1
    dashed, solid = [f"1/{outer}"] * outer + [0], [0] * outer + [1]
    own = [[(2 if s < outer else 1) * int(i == s) for i in range(S)] for s in range(S)]
    like = " w = 2, q = 6/7 is `baird-reward`." if outer == 6 else f" w = 2, q = {outer}/{S} is `baird-star`'s."
    return FamilyEntry(
        f"baird-star-{outer}",
        title=f"Baird's star with {outer} outer states and two letters",
        source=f"generalises the seven-state star of {_BOOK}; after {_BAIRD}",
        famous_for="The chain is unbiased for all letters and γ; TD is stable exactly where one quadratic factor of "
        f"det(λ − A) is.{like}",
        letters={"w": "the centre's share in the common weight", "q": "probability of dashed under the behaviour"},
        tree={
            "parameters": {"w": "real", "q": "(0, 1)"},
            "gamma": "9/10",
            "features": [[*row, 1 if s < outer else "w"] for s, row in enumerate(own)],
            "transitions": [[dashed, solid]] * S,
            "rewards": [["-(1 - q)/q", 1]] * S,
            "target_policy": [[0, 1]] * S,
            "behaviour_policy": [["q", "1 - q"]] * S,
            "states": [str(s + 1) for s in range(S)],
            "actions": ["dashed", "solid"],
        },
    )


PLACE = 2
FAMILIES = tuple(_star_family(outer) for outer in (5, 6, 7))
ENTRIES = (
    entry(
        "baird",
        _baird,
        title="Baird's counterexample",
        source=f"{_BOOK}; after {_BAIRD}",
        famous_for="Off-policy TD diverges although the true value, 0, is representable: "
        "unstable exactly for γ ≥ 15/17. The chain is unbiased at every γ.",
        gamma="9/10",
    ),
    entry(
        "baird-reward",
        _baird_reward,
        title="Baird's counterexample with rewards",
        source="Schmitt, Shawe-Taylor & van Hasselt (2022), Chaining Value Functions for Off-Policy Learning, AAAI",
        famous_for="Baird's star with +1 for solid and −1/6 for dashed, so that v_μ = 0 and v_π = 1/(1−γ): "
        "it tells a convergent learner from an unbiased one.",
        gamma="9/10",
    ),
    entry(
        "baird-star",
        _star,
        title="The star family around Baird's counterexample",
        source=f"generalises the seven-state star of {_BOOK}; after {_BAIRD}",
        famous_for="N outer states and a centre: TD is unstable exactly for γ ≥ (N+9)/(2N+5), "
        "which is below 1 from N = 5 on. N = 6 is `baird`.",
        gamma="99/100",
        outer=integer(5, "number of outer states N", 1, 60),
    ),
)
