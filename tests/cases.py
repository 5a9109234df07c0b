"""Problems to cross every function with, each tagged with what is special about it.

`tests/problems/test_problem.py` proves the tags, so a test may rely on them:

on-policy, off-policy   the behaviour moves and is rewarded as the target, or does not
rank-deficient          the columns of Φ are dependent, so X is singular
F>S                     more features than states (hence rank-deficient)
S=1                     one state
singular A              X is regular, A is not
boundary                X is regular, and ρ(B) = 1 or A has an imaginary eigenvalue: neither stable nor unstable
defective               B is regular or not, but has no basis of eigenvectors
periodic                the behaviour's chain is periodic
zero rewards            all of r_π is zero
MDP                     there is an MDP to sample from
float                   given in doubles
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from theory.problems.mdp import MDP, deterministic_policy, uniform_policy
from theory.problems.numbers import as_exact
from theory.problems.problem import Problem

# Two problem files, one of each form, as JSON documents.
SWAP = {
    "name": "swap",
    "gamma": "9/10",
    "features": [[1], [-3]],
    "target": {"transitions": [[0, 1], [1, 0]], "rewards": [0, 0]},
    "behaviour": {"distribution": ["9/10", "1/10"]},
}
THREE = {
    "name": "threestate",
    "gamma": "9/10",
    "features": [[1, 1, 1], [1, 2, 1], [2, 2, 1]],
    "transitions": [[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1]]],
    "rewards": [[-1, 1], [-1, 1], [-1, 1]],
    "target_policy": [[0, 1], [0, 1], [0, 1]],
    "behaviour_policy": [["1/2", "1/2"], ["1/2", "1/2"], ["1/2", "1/2"]],
    "states": ["left", "middle", "right"],
    "actions": ["left", "right"],
}

TAGS = frozenset(
    {
        "on-policy",
        "off-policy",
        "rank-deficient",
        "F>S",
        "S=1",
        "singular A",
        "boundary",
        "defective",
        "periodic",
        "zero rewards",
        "MDP",
        "float",
    }
)


@dataclass(frozen=True)
class Case:
    problem: Problem
    tags: frozenset[str]

    @property
    def name(self) -> str:
        return self.problem.name


def tagged(*wanted: str, without: tuple[str, ...] = ()) -> list[Case]:
    """The cases that have all of `wanted` and none of `without`."""
    assert {*wanted, *without} <= TAGS
    return [case for case in CASES if case.tags.issuperset(wanted) and case.tags.isdisjoint(without)]


def each_case(*wanted: str, without: tuple[str, ...] = ()) -> pytest.MarkDecorator:
    """Parametrise a test's argument `case` by the tagged cases."""
    return pytest.mark.parametrize("case", tagged(*wanted, without=without), ids=lambda case: case.name)


def _case(problem: Problem, *tags: str) -> Case:
    assert TAGS.issuperset(tags)
    return Case(problem, frozenset(tags))


_SWAP = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"], name="swap")

# w → 2w, the smallest divergence: B = γ·6/5.
_TWICE = Problem.from_matrices(
    "9/10", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], r_pi=[1, -1], d_mu=["1/2", "1/2"], name="twice"
)

_RING = MDP(
    P=[[[0, 1, 0]], [[0, 0, 1]], [[1, 0, 0]]],
    R=[[1], [0], ["-1/2"]],
    gamma="4/5",
    states=("a", "b", "c"),
    actions=("on",),
)

# Left and right on a line; the behaviour's coin makes it recurrent.
_LINE = MDP(
    P=[[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1]]],
    R=[[-1, 1], [-1, 1], [-1, 1]],
    gamma="9/10",
    states=("left", "middle", "right"),
    actions=("left", "right"),
)

# Seven states, eight features; "solid" goes to the last state, "dashed" to any other.
_STAR = MDP(
    P=[[["1/6"] * 6 + [0], [0] * 6 + [1]]] * 7,
    R=[[0, 0]] * 7,
    gamma="99/100",
    actions=("dashed", "solid"),
)
_STAR_PHI = [[2 * (i == j) for j in range(7)] + [1] for i in range(6)] + [[0] * 6 + [1, 2]]

# The reward depends on where one lands.
_SLIP = MDP(
    P=[[["1/4", "3/4"], [1, 0]], [["1/3", "2/3"], [0, 1]]],
    R=[[[1, -1], [0, 0]], [[2, "1/2"], [5, -3]]],
    gamma="3/4",
)

# Rows of doubles that sum to one only up to rounding.
_ROUNDED = 1.0 / (1 + 7 * np.arange(32.0).reshape(4, 2, 4) % 11)
_ROUNDED /= _ROUNDED.sum(axis=2, keepdims=True)

CASES = [
    _case(
        Problem.from_matrices("1/2", Phi=[[1]], P_pi=[[1]], P_mu=[[1]], name="one-state"),
        *("on-policy", "S=1", "zero rewards"),
    ),
    _case(
        Problem.from_matrices(0, Phi=[[2, 1]], P_pi=[[1]], r_pi=[3], d_mu=[1], r_mu=[1], name="one-state-wide"),
        *("off-policy", "S=1", "F>S", "rank-deficient"),
    ),
    _case(
        Problem.from_mdp(_RING, pi=[[1]] * 3, mu=[[1]] * 3, Phi=[[1, 0], [0, 1], [1, 1]], name="ring"),
        *("on-policy", "periodic", "MDP"),
    ),
    _case(
        Problem.from_matrices(
            "9/10",
            Phi=[[1], [2]],
            P_pi=[["1/2", "1/2"], [0, 1]],
            P_mu=[[0, 1], [1, 0]],
            r_pi=[1, 0],
            r_mu=[0, 1],
            name="flip-flop",
        ),
        *("off-policy", "periodic"),
    ),
    _case(_SWAP, "off-policy", "zero rewards"),
    # B = −γ·3/(9/10 + 9/10) = −1 at γ = 3/5, where TD is stable: A = 18/5.
    _case(_SWAP.with_gamma("3/5").relabelled(name="swap-boundary"), "off-policy", "zero rewards", "boundary"),
    _case(_TWICE, "off-policy"),
    _case(_TWICE.with_gamma("5/6").relabelled(name="twice-singular"), "off-policy", "singular A", "boundary"),
    # tr A = 0 and det A = 1/18: the eigenvalues are ±i/√18.
    _case(
        Problem.from_matrices(
            "3/4", Phi=[[1, 0], [3, 1]], P_pi=[[0, 1], [0, 1]], r_pi=[0, 1], d_mu=["2/3", "1/3"], name="centre"
        ),
        *("off-policy", "boundary"),
    ),
    # Tabular, so B = γP_π, with a Jordan block at γ/2.
    _case(
        Problem.from_matrices(
            "9/10",
            Phi=[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            P_pi=[["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]],
            r_pi=[1, 2, 3],
            d_mu=["1/2", "1/3", "1/6"],
            name="jordan",
        ),
        *("off-policy", "defective"),
    ),
    _case(
        Problem.from_matrices(
            "4/5",
            Phi=[[1, 2], [2, 4], [-1, -2]],
            P_pi=[[0, 1, 0], [0, "1/2", "1/2"], [1, 0, 0]],
            r_pi=[0, 1, 0],
            d_mu=["1/2", "1/4", "1/4"],
            states=["x", "y", "z"],
            name="parallel",
        ),
        *("off-policy", "rank-deficient"),
    ),
    _case(
        Problem.from_mdp(
            _LINE, pi=deterministic_policy([1, 1, 1], 2), mu=uniform_policy(3, 2), Phi=[[1], [1], [2]], name="line"
        ),
        *("off-policy", "MDP"),
    ),
    _case(
        Problem.from_mdp(
            _STAR, pi=deterministic_policy([1] * 7, 2), mu=[["6/7", "1/7"]] * 7, Phi=_STAR_PHI, name="star"
        ),
        *("off-policy", "MDP", "F>S", "rank-deficient", "zero rewards"),
    ),
    _case(
        Problem.from_mdp(
            _SLIP, pi=[["1/2", "1/2"], [1, 0]], mu=[["1/3", "2/3"], ["3/4", "1/4"]], Phi=[[1], [3]], name="slip"
        ),
        *("off-policy", "MDP"),
    ),
    _case(
        Problem.from_mdp(
            MDP(_ROUNDED, np.linspace(-1, 1, 8).reshape(4, 2), 0.95),
            pi=np.array([[0.9, 0.1]] * 4),
            mu=np.array([[0.3, 0.7]] * 4),
            Phi=np.array([[1.0, 0.0], [0.5, 0.1], [0.0, 1.0], [0.3, 0.3]]),
            name="rounded",
        ),
        *("off-policy", "MDP", "float"),
    ),
    _case(
        Problem.from_matrices(
            0.9, Phi=[[0.1], [0.7]], P_pi=[[0.3, 0.7], [0.6, 0.4]], r_pi=[0.1, -0.2], d_mu=[0.3, 0.7], name="rounded-2"
        ),
        *("off-policy", "float"),
    ),
]


def same_numbers(a, b):
    """Equal as rationals, shapes included."""
    if a is None or b is None:
        return a is b
    if a.shape != b.shape:
        return False
    return bool(np.all(a == b if a.dtype == b.dtype else as_exact(a) == as_exact(b)))
