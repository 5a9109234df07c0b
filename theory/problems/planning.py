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

At γ = 1 the first policy must end from every state: each takes the action of lowest index that may bring it nearer to
an end. What improves on it ends too, or collects reward for ever, which is refused; among equals the one at hand stays,
since another may wait for ever.
"""

from __future__ import annotations

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.mdp import MDP, deterministic_policy
from theory.problems.numbers import Array, Number, is_exact, solve_exactly
from theory.problems.termination import ending, never_ending

# A rational solve of a dense chain takes about a second at this size, and its values have a thousand digits.
EXACT_STATES = 128

_TIE, _FLOOR = 1e-9, 1e-13


def optimal_policy(mdp: MDP) -> Array:
    """An optimal policy (S, A), deterministic, of lowest action index where several are best.

    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0, 0], [1, 0]], "1/2")
    >>> optimal_policy(stay_or_go).astype(int).tolist()
    [[0, 1], [1, 0]]
    """
    exact = mdp.n_states <= EXACT_STATES and all(map(is_exact, (mdp.going_on, mdp.R, mdp.gamma)))
    choice = _towards_ends(mdp) if mdp.gamma == 1 else np.zeros(mdp.n_states, dtype=np.int64)
    if not exact or mdp.gamma < 1 - 1e-9:  # closer to one, floats may not even tell γ from it
        choice = _iterate(_in_floats(mdp), choice)
    if exact:
        choice = _iterate(mdp, choice)
    return deterministic_policy(choice.tolist(), mdp.n_actions)


def _iterate(mdp: MDP, choice: Array) -> Array:
    states, R = np.arange(mdp.n_states), mdp.expected_rewards()
    seen: set[bytes] = set()
    while True:
        moves = mdp.going_on[states, choice]
        if mdp.gamma == 1 and never_ending(moves):
            raise InvalidProblem("at γ = 1 the best policy never ends: choose the target, or a γ below 1", "target")
        v = _values(moves, R[states, choice], mdp.gamma)
        near_best = _near_best(R + mdp.gamma * (mdp.going_on @ v))
        better = ~near_best[states, choice]
        lowest = choice if mdp.gamma == 1 and not better.any() else near_best.argmax(axis=1)
        # Improvement never comes back to a policy, but rounding may at a discount within 10⁻⁷ of one.
        if not better.any() or choice.tobytes() in seen:
            return lowest
        seen.add(choice.tobytes())
        choice = np.where(better, lowest, choice)


def _towards_ends(mdp: MDP) -> Array:
    """For each state the first action after which an end may be nearer."""
    ends, choice = np.zeros(mdp.n_states, dtype=bool), np.zeros(mdp.n_states, dtype=np.int64)
    while not ends.all():
        moves = np.asarray(ending(mdp.going_on) > 0, dtype=bool) | (mdp.going_on[:, :, ends] > 0).any(axis=2)
        new = moves.any(axis=1) & ~ends
        if not new.any():
            raise InvalidProblem(f"must be below 1: from state {int(np.argmin(ends))} no policy ever ends", "gamma")
        choice[new] = moves[new].argmax(axis=1)
        ends = ends | new
    return choice


def _values(P: Array, r: Array, gamma: Number) -> Array:
    if is_exact(gamma):
        return solve_exactly(np.eye(len(P), dtype=int) - gamma * P, r)
    return np.linalg.solve(np.eye(len(P)) - gamma * P, r)


def _near_best(q: Array) -> Array:
    best = q.max(axis=1, keepdims=True)
    if is_exact(q):
        return q == best
    size = np.abs(q)
    return q >= best - _TIE * size.max(axis=1, keepdims=True) - _FLOOR * size.max()


def _in_floats(mdp: MDP) -> MDP:
    ends = (None if x is None else x.astype(np.float64) for x in (mdp.start, mdp.discount))
    return MDP(mdp.P.astype(np.float64), mdp.R.astype(np.float64), float(mdp.gamma), mdp.states, mdp.actions, *ends)
