"""What the bridges to other libraries share."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.mdp import MDP
from theory.problems.problem import Problem


def mdp_of(problem_or_mdp: Problem | MDP) -> MDP:
    """The MDP itself, or the one behind a problem."""
    mdp = problem_or_mdp if isinstance(problem_or_mdp, MDP) else problem_or_mdp.mdp
    if mdp is None:
        name = problem_or_mdp.name if isinstance(problem_or_mdp, Problem) else ""
        raise InvalidProblem(f"{name} has no MDP: problem.realised() builds one from its matrices")
    return mdp


def plain_mdp_of(problem_or_mdp: Problem | MDP) -> MDP:
    """The same, for libraries that know one discount and no end."""
    mdp = mdp_of(problem_or_mdp)
    if mdp.ends or mdp.gamma == 1:
        raise InvalidProblem("episodes end in it, or states have discounts of their own, which cannot be said there")
    return mdp


def require(module: str, distribution: str) -> Any:
    """Import another library, late; one line where it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # it is there, but something that it needs is not: that is another story
        raise InvalidProblem(f"{distribution} is not installed: pip install {distribution}") from None


def dense(matrix: Any) -> Any:
    """A scipy sparse matrix as an array; anything else as it is."""
    return np.asarray(matrix.toarray()) if hasattr(matrix, "toarray") else matrix
