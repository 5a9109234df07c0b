"""The arrays of pymdptoolbox: transitions first by action, P (A, S, S).

P may also be a list of A matrices, dense or scipy sparse. Rewards are R (S,), the same for every action,
R (S, A), or R (A, S, S), again possibly a list of A matrices. Its solvers take these arrays, so there is
nothing to import in either direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.interop.common import dense, plain_mdp_of
from theory.problems.mdp import MDP
from theory.problems.numbers import Array, FloatArray, as_array
from theory.problems.problem import Problem
from theory.problems.validate import check_shape


def mdp_from_mdptoolbox(P: Any, R: Any, discount: Any) -> MDP:
    """The MDP of ``PolicyIteration(P, R, discount)`` and its siblings.

    >>> mdp_from_mdptoolbox([[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [0, 1], "9/10").R.astype(int).tolist()
    [[0, 0], [1, 1]]
    """
    P = as_array(_stacked(P), 3, "P")
    A, S = P.shape[:2]
    check_shape(P, (A, S, S), "actions × states × states", "P")
    R = _rewards(_stacked(R), A, S)
    try:
        return MDP(P.transpose(1, 0, 2), R, discount)
    except InvalidProblem as error:
        raise _by_action(error) from None


def to_mdptoolbox(problem_or_mdp: Problem | MDP) -> tuple[FloatArray, FloatArray]:
    """(P, R) in floats: P (A, S, S), and R (S, A) or, where it depends on the next state, (A, S, S).

    >>> P, R = to_mdptoolbox(MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0, 0], [1, 0]], "1/2"))
    >>> P[1].tolist(), R.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]])
    """
    mdp = plain_mdp_of(problem_or_mdp)
    P, R = mdp.P.astype(np.float64), mdp.R.astype(np.float64)
    by_action = (1, 0, 2)
    return np.ascontiguousarray(P.transpose(by_action)), R if R.ndim == 2 else np.ascontiguousarray(
        R.transpose(by_action)
    )


def _stacked(value: Any) -> Any:
    # A list or object array of matrices becomes one array; arrays and lists of numbers are as they were.
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value
    parts = [dense(part) for part in value]
    if parts and all(isinstance(part, np.ndarray) and part.dtype.kind in "iuf" for part in parts):
        shapes = {part.shape for part in parts}
        if len(shapes) == 1:
            return np.stack(parts)
    return parts


def _rewards(R: Any, A: int, S: int) -> Array:
    ndim = np.ndim(R[0]) + 1 if len(R) else 1
    R = as_array(R, min(ndim, 3), "R")
    if R.ndim == 1:
        check_shape(R, (S,), "states", "R")
        return np.repeat(R[:, None], A, axis=1)
    if R.ndim == 2:
        check_shape(R, (S, A), "states × actions", "R")
        return R
    check_shape(R, (A, S, S), "actions × states × states", "R")
    return R.transpose(1, 0, 2)


def _by_action(error: InvalidProblem) -> InvalidProblem:
    # Ours is P[s][a], theirs P[a][s]: name their place.
    names = {"transitions": "P", "rewards": "R", "gamma": "discount"}
    field, *indices = error.renamed(names).place
    if field == "P" and len(indices) >= 2:
        indices[:2] = indices[1], indices[0]
    return InvalidProblem(error.complaint, field, *indices)
