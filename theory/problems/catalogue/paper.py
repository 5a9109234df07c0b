"""The problems of the paper: small MDPs in a row, and Baird's star.

*In a row*: states in a row, actions left and right, μ uniform, π always right.

*Twostate* (appendix, "Example for ρ(X⁻¹Yγ) > 1"): φ = 1, 2 and d_μ = (½, ½), so X = 5/2, Y = 3 and
A = 5/2 − 3γ. Off-policy TD is unstable and the chain biased from the same γ = 5/6 on.

*Threestate* (section "Diagnostic Markov Decision Processes"): Φ is invertible, so every value function
can be represented (Π = I) and whatever error is left belongs to the algorithm.

Left pays −1 and right +1 where there are rewards, so v_μ = 0 and v_π = 1/(1−γ) in every state.

*Baird's star*: N outer states around one centre, two actions, the target always goes to the centre. *dashed* goes to
an outer state, each with probability 1/N; *solid* goes to the centre. The behaviour takes dashed with probability
N/(N+1), so that it visits all N+1 states equally often. Outer state i has the value 2w_i + w_{N+2}, the centre
w_{N+1} + 2w_{N+2}: one weight more than there are states, so X and A are singular, but Π = I. With N = 6 this is
figure 11.1 of the textbook, weights in its order.

The nonzero spectrum of A is that of D(I − γP)ΦΦᵀ. On differences between outer states that is
4/(N+1), N−1 times. What is left is the 2×2 matrix

    1/(N+1) · [[1, −γ], [0, 1−γ]] · [[N+4, 2], [2N, 5]],

with determinant (1−γ)(N+20)/(N+1)² > 0 and trace (N+9 − γ(2N+5))/(N+1). So off-policy TD is unstable
exactly for γ ≥ (N+9)/(2N+5): 15/17 for N = 6, and never, for γ < 1, with fewer than five outer states.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from theory.problems.catalogue.registry import FamilyEntry, choice, entry, integer
from theory.problems.mdp import MDP, surely, uniform_policy
from theory.problems.problem import Problem

_PAPER = "Schmitt, Shawe-Taylor & van Hasselt (2022), Chaining Value Functions for Off-Policy Learning, AAAI"
_BAIRD = "Baird (1995), Residual Algorithms: Reinforcement Learning with Function Approximation, ICML"
_BOOK = "Sutton & Barto (2018), Reinforcement Learning: An Introduction, 2nd edition, figure 11.1"


def _row(Phi: list[list[int]], states: tuple[str, ...], rewards: str, gamma: Fraction) -> Problem:
    S = len(states)
    P = surely(S, [max(s - 1, 0) for s in range(S)], [min(s + 1, S - 1) for s in range(S)])
    mdp = MDP(P, [[-1, 1] if rewards == "signed" else [0, 0]] * S, gamma, states, ("left", "right"))
    return Problem.from_mdp(mdp, pi=[1] * S, mu=uniform_policy(S, 2), Phi=Phi)


def _twostate(rewards: str, gamma: Fraction) -> Problem:
    return _row([[1], [2]], ("first", "second"), rewards, gamma)


def _threestate(gamma: Fraction) -> Problem:
    return _row([[1, 1, 1], [1, 2, 1], [2, 2, 1]], ("left", "middle", "right"), "signed", gamma)


def _star(outer: int, gamma: Fraction, dashed_reward: Fraction | int = 0, solid_reward: int = 0) -> Problem:
    S = outer + 1
    dashed = [Fraction(1, outer)] * outer + [Fraction(0)]
    solid = [Fraction(0)] * outer + [Fraction(1)]
    own = [[(2 if s < outer else 1) * int(i == s) for i in range(S)] for s in range(S)]
    Phi = [[*row, 1 if s < outer else 2] for s, row in enumerate(own)]
    P, R = [[dashed, solid]] * S, [[dashed_reward, solid_reward]] * S
    mdp = MDP(P, R, gamma, tuple(str(s + 1) for s in range(S)), ("dashed", "solid"))
    return Problem.from_mdp(mdp, pi=[1] * S, mu=[[Fraction(outer, S), Fraction(1, S)]] * S, Phi=Phi)


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
            "transitions": [[[1, 0], [0, 1]]] * 2,
            "rewards": [[-1, 1]] * 2,
            "target_policy": [[0, 1]] * 2,
            "behaviour_policy": [["p", "1 - p"]] * 2,
            "states": ["first", "second"],
            "actions": ["left", "right"],
        },
    ),
    *(_star_family(outer) for outer in (5, 6, 7)),
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
        partial(_twostate, "signed"),
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
    entry(
        "baird",
        partial(_star, 6),
        title="Baird's counterexample",
        source=f"{_BOOK}; after {_BAIRD}",
        famous_for="Off-policy TD diverges although the true value, 0, is representable: "
        "unstable exactly for γ ≥ 15/17. The chain is unbiased at every γ.",
        gamma="9/10",
    ),
    entry(
        "baird-reward",
        partial(_star, 6, dashed_reward=Fraction(-1, 6), solid_reward=1),
        title="Baird's counterexample with rewards",
        source=_PAPER,
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
