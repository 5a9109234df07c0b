"""Exact problems for the learners' witnesses, and exact starting points."""

from fractions import Fraction

import numpy as np

from theory.learners.corrected import ChainedExpectedSarsa, ChainedQ, ChainedRetrace, ChainedVTrace
from theory.learners.gradient import GTD2, TDC, TDRC
from theory.learners.htd import HTD
from theory.learners.td import TD, OffPolicyTD
from theory.problems import MDP, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import as_array

half, third = Fraction(1, 2), Fraction(1, 3)


def noisy() -> Problem:
    """Everything stochastic: both policies, the moves, and a reward that depends on where one lands."""
    P = [
        [["1/2", "1/4", "1/4"], ["0", "1/3", "2/3"]],
        [["1", "0", "0"], ["1/5", "1/5", "3/5"]],
        [["1/3", "1/3", "1/3"], ["0", "1/2", "1/2"]],
    ]
    R = [
        [[1, -1, 2], [0, 3, -2]],
        [[2, 0, 0], [-1, 1, 4]],
        [[0, 5, -3], [0, 1, 1]],
    ]
    return Problem.from_mdp(
        MDP(P, R, "4/5"),
        pi=[["1/4", "3/4"], ["2/3", "1/3"], ["1/2", "1/2"]],
        mu=[["1/2", "1/2"], ["1/3", "2/3"], ["3/4", "1/4"]],
        Phi=[[1, 0], [1, 2], [-1, 1]],
        name="noisy",
    )


def cut() -> Problem:
    """A target that never takes some actions and a behaviour that never takes others."""
    P = [[["1/2", "1/2"], ["0", "1"], ["1", "0"]], [["1/3", "2/3"], ["1", "0"], ["0", "1"]]]
    R = [[1, 2, -1], [0, -2, 3]]
    return Problem.from_mdp(
        MDP(P, R, "9/10"), pi=[["1", "0", "0"], ["1/5", "4/5", "0"]],
        mu=[["1/2", "1/2", "0"], ["1/3", "1/3", "1/3"]], Phi=[[1, 1], [0, 2]], name="cut",
    )  # fmt: skip


def ending(gamma="1", **discounts) -> Problem:
    """Episodes that end, in some states after some actions, and begin in one of two states."""
    P = [
        [["1/2", "1/4", "0"], ["0", "1/3", "2/3"]],
        [["0", "0", "0"], ["1/5", "1/5", "3/5"]],
        [["1/3", "0", "1/3"], ["0", "1/2", "1/2"]],
    ]
    mdp = MDP(P, [[1, -1], [2, 0], [-3, 1]], gamma, start=["1/2", "0", "1/2"], **discounts)
    return Problem.from_mdp(
        mdp,
        pi=[["1/4", "3/4"], ["2/3", "1/3"], ["1/2", "1/2"]],
        mu=[["1/2", "1/2"], ["1/3", "2/3"], ["3/4", "1/4"]],
        Phi=[[1, 0], [1, 2], [-1, 1]],
        name="faded" if discounts else "ending",
    )


PROBLEMS = [noisy(), cut(), catalogue_problem("threestate"), catalogue_problem("twostate-reward"), ending()]
PROBLEMS.append(ending("9/10", discount=["1", "1/2", "0"]))


def start(rows: int, columns: int) -> np.ndarray:
    """Exact parameters without any symmetry."""
    return as_array(
        [[Fraction(3 * i - 2 * j + 1, 2 + (i + 2 * j) % 5) for j in range(columns)] for i in range(rows)], 2
    )


def one_vector_rules(gamma):
    """Memoryless rules with one parameter vector."""
    return [
        TD(gamma, third), OffPolicyTD(gamma, third),
        GTD2(gamma, third, half), GTD2(gamma, third, half, "2009"), GTD2(gamma, third, half, "plain-first"),
        TDC(gamma, third, half), TDC(gamma, third, half, "2009"),
        TDRC(gamma, third, half), TDRC(gamma, third, half, kappa=Fraction(2, 3)), HTD(gamma, third, half),
    ]  # fmt: skip


def corrected_rules(gamma, K=3):
    return [
        ChainedExpectedSarsa(gamma, third, K),
        ChainedQ(gamma, third, K, lambda_=Fraction(2, 5)),
        ChainedRetrace(gamma, third, K, lambda_=Fraction(9, 10)),
        ChainedRetrace(gamma, third, K),
        ChainedVTrace(gamma, third, K),
        ChainedVTrace(gamma, third, K, lambda_=half, rho_bar=Fraction(3, 2), c_bar=Fraction(5, 4)),
        ChainedVTrace(gamma, third, K, lambda_=0, rho_bar=float("inf")),
    ]
