"""Optimal policies by policy iteration, so that an imported MDP has a target worth predicting.

Howard's iteration: solve v = r_π + γ P_π v, take in every state an action that maximises

    q(s, a) = R̄(s, a) + γ Σ_s' P(s, a, s') v(s'),

keep the present action unless another is better, stop when none is. Each policy is better than the last
and there are finitely many, so it ends at v*. Every policy that is greedy for v* is optimal; the one
returned takes the action of *lowest index* among the best, so it does not depend on the way there.

An exact MDP of moderate size is solved in floats first, for a good start, and then to the end in
rationals, where ties are ties. In floats two actions count as tied when they differ by less than
10⁻⁹ of the state's largest |q| plus 10⁻¹³ of the largest of all: far above the rounding of the linear
solve (about 10⁻¹⁶/(1 − γ), relatively), far below a difference that anyone would mean. The value lost
by calling δ a tie is at most δ/(1 − γ).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from theory.problems.mdp import MDP, deterministic_policy, one_kind
from theory.problems.numbers import Array, Number, is_exact

# A rational solve of a dense chain takes about a second at this size, and its values have a thousand digits.
EXACT_STATES = 128

_TIE, _FLOOR = 1e-9, 1e-13


def optimal_policy(mdp: MDP) -> Array:
    """An optimal policy (S, A), deterministic, of lowest action index where several are best.

    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0, 0], [1, 0]], "1/2")
    >>> optimal_policy(stay_or_go).astype(int).tolist()
    [[0, 1], [1, 0]]
    """
    mdp = _kind(mdp)
    choice = np.zeros(mdp.n_states, dtype=np.int64)
    if _is_exact(mdp) and mdp.gamma < 1 - 1e-9:  # closer to one, floats may not even tell γ from it
        choice = _iterate(_in_floats(mdp), choice)
    return deterministic_policy(_iterate(mdp, choice).tolist(), mdp.n_actions)


def _iterate(mdp: MDP, choice: Array) -> Array:
    states, R = np.arange(mdp.n_states), mdp.expected_rewards()
    seen: set[bytes] = set()
    while True:
        v = _values(mdp.P[states, choice], R[states, choice], mdp.gamma)
        near_best = _near_best(_action_values(mdp, v))
        lowest = near_best.argmax(axis=1)
        better = ~near_best[states, choice]
        # Improvement never comes back to a policy, but rounding may at a discount within 10⁻⁷ of one.
        if not better.any() or choice.tobytes() in seen:
            return lowest
        seen.add(choice.tobytes())
        choice = np.where(better, lowest, choice)


def _values(P: Array, r: Array, gamma: Number) -> Array:
    if not (is_exact(P) and is_exact(r) and is_exact(gamma)):
        return np.linalg.solve(np.eye(len(P)) - float(gamma) * P.astype(np.float64), r.astype(np.float64))
    from flint import fmpq, fmpq_mat

    def flint_matrix(rows: Any) -> Any:
        return fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows])

    A = flint_matrix(np.eye(len(P), dtype=int) - gamma * P)
    v = np.empty(len(P), dtype=object)
    v[:] = [Fraction(int(x.p), int(x.q)) for x in A.solve(flint_matrix(r[:, None])).entries()]
    return v


def _action_values(mdp: MDP, v: Array) -> Array:
    R, P, v = one_kind(mdp.expected_rewards(), mdp.P, v)
    if is_exact(v):
        return R + mdp.gamma * np.array([[_dot(row, v) for row in rows] for rows in P], dtype=object)
    return R + float(mdp.gamma) * (P @ v)


def _dot(row: Array, v: Array) -> Fraction:
    # Rows are sparse and v's fractions long: do not multiply by zero.
    return sum((row[s] * v[s] for s in np.nonzero(row)[0]), start=Fraction(0))


def _near_best(q: Array) -> Array:
    best = q.max(axis=1, keepdims=True)
    if is_exact(q):
        return q == best
    size = np.abs(q)
    return q >= best - _TIE * size.max(axis=1, keepdims=True) - _FLOOR * size.max()


def _kind(mdp: MDP) -> MDP:
    return mdp if _is_exact(mdp) and mdp.n_states <= EXACT_STATES else _in_floats(mdp)


def _is_exact(mdp: MDP) -> bool:
    return is_exact(mdp.P) and is_exact(mdp.R) and is_exact(mdp.gamma)


def _in_floats(mdp: MDP) -> MDP:
    return MDP(mdp.P.astype(np.float64), mdp.R.astype(np.float64), float(mdp.gamma), mdp.states, mdp.actions)
