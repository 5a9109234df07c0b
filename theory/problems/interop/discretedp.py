"""QuantEcon's discrete dynamic programs, `quantecon.markov.DiscreteDP`.

They come in two forms. Product: rewards R (n, m), transitions Q (n, m, n). State-action pairs: row i of
R (L,) and Q (L, n), dense or scipy sparse, belongs to state s_indices[i] and action a_indices[i].
Infeasible actions, written −∞ there or left out here, have no place in an MDP whose policies may take
every action anywhere, so they are refused. Only plain arrays are needed on the way in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.interop.common import dense, plain_mdp_of, require
from theory.problems.mdp import MDP
from theory.problems.numbers import as_array
from theory.problems.problem import Problem
from theory.problems.validate import check_shape


def mdp_from_discretedp(R: Any, Q: Any = None, beta: Any = None, s_indices: Any = None, a_indices: Any = None) -> MDP:
    """The MDP of ``DiscreteDP(R, Q, beta, s_indices, a_indices)``, or of such an object given alone.

    >>> mdp_from_discretedp([[5, 10], [-1, 2]], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], "19/20").n_actions
    2
    """
    if Q is None and all(hasattr(R, field) for field in ("R", "Q", "beta")):
        program = R
        R, Q, beta = program.R, program.Q, program.beta
        s_indices, a_indices = program.s_indices, program.a_indices
    for name, value in {"Q": Q, "beta": beta}.items():
        if value is None:
            raise InvalidProblem("is missing", name)
    _refuse_infeasible(R)
    if s_indices is not None or a_indices is not None or hasattr(Q, "toarray"):
        R, Q = _product_form(R, dense(Q), s_indices, a_indices)
    try:
        return MDP(Q, R, beta)
    except InvalidProblem as error:
        raise error.renamed({"transitions": "Q", "rewards": "R", "gamma": "beta"}) from None


def to_discretedp(problem_or_mdp: Problem | MDP) -> Any:
    """A `quantecon.markov.DiscreteDP` in product form; rewards R[s, a, s'] become their expectation R̄[s, a]."""
    mdp = plain_mdp_of(problem_or_mdp)
    R, Q = mdp.expected_rewards().astype(np.float64), mdp.P.astype(np.float64)
    return require("quantecon.markov", "quantecon").DiscreteDP(R, Q, float(mdp.gamma))


def _product_form(R: Any, Q: Any, s_indices: Any, a_indices: Any) -> tuple[Any, Any]:
    R, Q = as_array(R, 1, "R"), as_array(Q, 2, "Q")
    L, n = Q.shape
    check_shape(R, (L,), "state-action pairs", "R")
    pairs: dict[tuple[int, int], int] = {}
    for i, pair in enumerate(
        zip(_indices(s_indices, L, "s_indices"), _indices(a_indices, L, "a_indices"), strict=True)
    ):
        if pair[0] >= n:
            raise InvalidProblem(f"state {pair[0]} does not exist; there are {n}, from 0", "s_indices", i)
        if pair in pairs:
            raise InvalidProblem(f"the pair of state {pair[0]} and action {pair[1]} occurs twice", "s_indices", i)
        pairs[pair] = i
    m = 1 + max(a for _, a in pairs)
    for pair in np.ndindex(n, m):
        if pair not in pairs:
            raise _infeasible(*pair)
    order = np.array([pairs[pair] for pair in np.ndindex(n, m)])
    return R[order].reshape(n, m), Q[order].reshape(n, m, n)


def _indices(indices: Any, L: int, name: str) -> list[int]:
    if indices is None:
        raise InvalidProblem("is missing: the form of state-action pairs needs it", name)
    values = np.asarray(indices)
    if values.dtype.kind not in "iu" or values.shape != (L,) or (values < 0).any():
        raise InvalidProblem(f"must be {L} indices from 0, one for each row of Q", name)
    return [int(i) for i in values]


def _refuse_infeasible(R: Any) -> None:
    for i, row in enumerate(R):
        if _is_minus_infinity(row):
            raise InvalidProblem("-inf marks an infeasible action: here every action must be possible", "R", i)
        for a, reward in enumerate(row if np.ndim(row) else ()):
            if _is_minus_infinity(reward):
                raise _infeasible(i, a)


def _is_minus_infinity(reward: Any) -> bool:
    return isinstance(reward, float | np.floating) and bool(reward == -np.inf)


def _infeasible(s: int, a: int) -> InvalidProblem:
    complaint = f"action {a} is infeasible in state {s}: here every action must be possible in every state"
    return InvalidProblem(complaint, "R", s, a)
