"""What is given: MDPs, policies and features become a `Problem`, from matrices, files, other libraries or by name."""

from theory.problems.errors import InvalidProblem
from theory.problems.mdp import MDP, deterministic_policy, uniform_policy
from theory.problems.problem import Problem
from theory.problems.stationary import stationary_distribution

__all__ = ["MDP", "InvalidProblem", "Problem", "deterministic_policy", "stationary_distribution", "uniform_policy"]
