"""The arrays of QuantEcon, pymdptoolbox and PyRlEnvs; only plain arrays are needed on the way in.

**QuantEcon**, ``DiscreteDP(R, Q, beta)``, has two forms. Product: rewards R (n, m), transitions Q (n, m, n).
State-action pairs: row i of R (L,) and Q (L, n), dense or scipy sparse, belongs to state s_indices[i] and action
a_indices[i]. Infeasible actions, written −∞ there or left out here, have no place in an MDP whose policies may take
every action anywhere, so they are refused.

**pymdptoolbox** has transitions first by action, P (A, S, S), also as a list of A matrices, dense or scipy sparse.
Rewards are R (S,), the same for every action, R (S, A), or R (A, S, S), again possibly a list of A matrices.

**PyRlEnvs**, ``FiniteDynamics``: attributes K, Rs, T [s][a][s'] and d0, of a class or an object.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from theory.problems.mdp import MDP
from theory.problems.numbers import Array, FloatArray, InvalidProblem, as_array, one_kind
from theory.problems.problem import Problem
from theory.problems.validate import check_probabilities, check_shape

_INFEASIBLE = "is an infeasible action: here every action must be possible in every state"
_BY_ACTION = (1, 0, 2)


def mdp_of(problem_or_mdp: Problem | MDP) -> MDP:
    """The MDP itself, or the one behind a problem."""
    if isinstance(problem_or_mdp, MDP):
        return problem_or_mdp
    if problem_or_mdp.mdp is None:
        raise InvalidProblem(f"{problem_or_mdp.name} has no MDP: problem.realised() builds one from its matrices")
    return problem_or_mdp.mdp


def require(module: str, distribution: str) -> Any:
    """Import another library, late; one line where it is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise  # it is there, but something that it needs is not: that is another error
        raise InvalidProblem(f"{distribution} is not installed: pip install {distribution}") from None


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
    pairs = s_indices is not None or a_indices is not None or hasattr(Q, "toarray")
    try:
        R = as_array(R, 1 if pairs else 2, "R")
        if pairs:
            R, Q = _product_form(R, as_array(Q, 2, "Q"), s_indices, a_indices)
        return MDP(Q, R, beta)
    except InvalidProblem as error:
        complaint = _INFEASIBLE if error.complaint == "-inf is not finite" else error.complaint
        renamed = error.renamed({"transitions": "Q", "rewards": "R", "gamma": "beta"})
        raise InvalidProblem(complaint, *renamed.place) from None


def to_discretedp(problem_or_mdp: Problem | MDP) -> Any:
    """A `quantecon.markov.DiscreteDP` in product form; rewards R[s, a, s'] become their expectation R̄[s, a]."""
    mdp = _plain_mdp_of(problem_or_mdp)
    R, Q = mdp.expected_rewards().astype(np.float64), mdp.P.astype(np.float64)
    return require("quantecon.markov", "quantecon").DiscreteDP(R, Q, float(mdp.gamma))


def mdp_from_mdptoolbox(P: Any, R: Any, discount: Any) -> MDP:
    """The MDP of ``PolicyIteration(P, R, discount)`` and its siblings.

    >>> mdp_from_mdptoolbox([[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [0, 1], "9/10").R.astype(int).tolist()
    [[0, 0], [1, 1]]
    """
    P = as_array(_stacked(P), 3, "P")
    A, S = P.shape[:2]
    check_shape(P, (A, S, S), "actions × states × states", "P")
    R = _stacked(R)
    R = as_array(R, min(np.ndim(R[0]) + 1, 3) if len(R) else 1, "R")
    shape, meaning = {
        1: ((S,), "states"),
        2: ((S, A), "states × actions"),
        3: ((A, S, S), "actions × states × states"),
    }[R.ndim]
    check_shape(R, shape, meaning, "R")
    if R.ndim == 1:
        R = np.repeat(R[:, None], A, axis=1)
    try:
        return MDP(P.transpose(_BY_ACTION), R if R.ndim == 2 else R.transpose(_BY_ACTION), discount)
    except InvalidProblem as error:
        field, *indices = error.renamed({"transitions": "P", "rewards": "R", "gamma": "discount"}).place
        if field == "P" and len(indices) >= 2:  # ours is P[s][a], theirs P[a][s]
            indices[:2] = indices[1], indices[0]
        raise InvalidProblem(error.complaint, field, *indices) from None


def mdp_from_finite_dynamics(env: Any, gamma: Any) -> MDP:
    """The MDP of PyRlEnvs' ``FiniteDynamics``: kernels `K`, `Rs`, `T` (S, A, S) and `d0` (S,) of a class or an object.

    What T ends goes on in no state, so its probability is left out of P; a reward that depends on where one lands is
    its mean over K, ends included. The next episode begins in d0.

    >>> class Coin:
    ...     K, T = [[[0, 1]], [[1, 0]]], [[[0, 0]], [[1, 0]]]
    ...     Rs, d0 = [[[0, 0]], [[3, 0]]], [1, 0]
    >>> coin = mdp_from_finite_dynamics(Coin, "9/10")
    >>> coin.P.astype(int).tolist(), coin.R.astype(int).tolist(), coin.start.astype(int).tolist()
    ([[[0, 1]], [[0, 0]]], [[0], [3]], [1, 0])
    """
    missing = [name for name in ("K", "Rs", "T", "d0") if getattr(env, name, None) is None]
    if missing:
        raise InvalidProblem(f"is missing: {type(env).__name__} is no FiniteDynamics", missing[0])
    K, Rs, T = (as_array(getattr(env, name), 3, name) for name in ("K", "Rs", "T"))
    for name, value in (("K", K), ("Rs", Rs), ("T", T)):
        check_shape(value, (*K.shape[:2], K.shape[0]), "states × actions × states", name)
    outside = np.argwhere((T < 0) | (T > 1))
    if len(outside):
        raise InvalidProblem("is no probability of an end", "T", *(int(i) for i in outside[0]))
    check_probabilities(K, "K")
    K, Rs, T = one_kind(K, Rs, T)
    try:
        return MDP(K * (1 - T), (K * Rs).sum(axis=2), gamma, start=env.d0)
    except InvalidProblem as error:
        raise error.renamed({"start": "d0"}) from None


def to_mdptoolbox(problem_or_mdp: Problem | MDP) -> tuple[FloatArray, FloatArray]:
    """(P, R) in floats: P (A, S, S), and R (S, A) or, where it depends on the next state, (A, S, S).

    >>> P, R = to_mdptoolbox(MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0, 0], [1, 0]], "1/2"))
    >>> P[1].tolist(), R.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [1.0, 0.0]])
    """
    mdp = _plain_mdp_of(problem_or_mdp)
    P, R = (
        np.ascontiguousarray(x.transpose(_BY_ACTION) if x.ndim == 3 else x, dtype=np.float64) for x in (mdp.P, mdp.R)
    )
    return P, R


def _plain_mdp_of(problem_or_mdp: Problem | MDP) -> MDP:
    """The MDP, for libraries that know one discount and no end."""
    mdp = mdp_of(problem_or_mdp)
    if mdp.ends or mdp.gamma == 1:
        raise InvalidProblem("episodes end in it, or states have discounts of their own, which cannot be said there")
    return mdp


def _product_form(R: Array, Q: Array, s_indices: Any, a_indices: Any) -> tuple[Array, Array]:
    L, n = Q.shape
    check_shape(R, (L,), "state-action pairs", "R")
    states, actions = _indices(s_indices, L, "s_indices"), _indices(a_indices, L, "a_indices")
    row = np.full((n, 1 + max(actions)), -1)
    for i, (s, a) in enumerate(zip(states, actions, strict=True)):
        if s >= n:
            raise InvalidProblem(f"state {s} does not exist; there are {n}, from 0", "s_indices", i)
        if row[s, a] >= 0:
            raise InvalidProblem(f"the pair of state {s} and action {a} occurs twice", "s_indices", i)
        row[s, a] = i
    missing = np.argwhere(row < 0).tolist()
    if missing:
        raise InvalidProblem(_INFEASIBLE, "R", *missing[0])
    return R[row], Q[row]


def _indices(indices: Any, L: int, name: str) -> list[int]:
    if indices is None:
        raise InvalidProblem("is missing: the form of state-action pairs needs it", name)
    values = np.asarray(indices)
    if values.dtype.kind not in "iu" or values.shape != (L,) or (values < 0).any():
        raise InvalidProblem(f"must be {L} indices from 0, one for each row of Q", name)
    return [int(i) for i in values]


def _stacked(value: Any) -> Any:
    """A list or object array of matrices as one array; arrays and lists of numbers as they are."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value
    parts = [part.toarray() if hasattr(part, "toarray") else part for part in value]
    matrices = all(isinstance(part, np.ndarray) and part.dtype.kind in "iuf" for part in parts)
    return np.stack(parts) if matrices and len({part.shape for part in parts}) == 1 else parts
