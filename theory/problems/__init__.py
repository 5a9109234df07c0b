"""What is given: MDPs, policies and features become a `Problem`, from matrices, files, other libraries or by name."""

from theory.problems.graph import stationary_distribution
from theory.problems.mdp import MDP, deterministic_policy, uniform_policy
from theory.problems.numbers import InvalidProblem
from theory.problems.problem import Problem
from theory.problems.sources import open_problem

__all__ = [
    "MDP",
    "InvalidProblem",
    "Problem",
    "deterministic_policy",
    "open_problem",
    "stationary_distribution",
    "uniform_policy",
]
