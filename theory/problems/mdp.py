"""A finite Markov decision process and its policies.

P[s, a, s'] is the probability of moving from s to s' under action a; the reward is R[s, a], or
R[s, a, s'] where it depends on where one lands. A policy is a matrix pi[s, a] of probabilities.

Episodes may end: where `start` is given, a row P[s, a] may sum to less than one; the rest ends the episode, and the
stream goes on with a state drawn from `start`. `discount` is γ(s), the discount for arriving in s, beside the common
factor γ. What counts for values is P(s'|s, a)γ(s'), `going_on` (`theory.problems.validate`).

Optimal policies by Howard's iteration: solve v = r_π + γ P_π v, take in every state an action that maximises

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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from theory.budgets import OPTIMAL_STATES
from theory.problems.graph import never_ending
from theory.problems.numbers import (
    Array,
    InvalidProblem,
    Number,
    as_array,
    as_number,
    counted,
    freeze,
    is_exact,
    one_kind,
    solve_exactly,
)
from theory.problems.validate import (
    as_probabilities,
    check_discount,
    check_gamma,
    check_labels,
    check_probabilities,
    check_shape,
    discounted,
    ending,
)

_TIE, _FLOOR = 1e-9, 1e-13


@dataclass(frozen=True, eq=False)
class MDP:
    """A finite MDP, validated; arrays are read-only and as exact as they were given.

    Parameters
    ----------
    P : array_like, (S, A, S)
        Transitions P[s, a, s'].
    R : array_like, (S, A) or (S, A, S)
        Rewards R[s, a] or R[s, a, s'].
    gamma : number or str
        The discount, in [0, 1].
    states, actions : sequence of str, optional
        Names.
    start : array_like, (S,), optional
        Where episodes begin, of an MDP in which they end: rows of P may then sum to less than one.
    discount : array_like, (S,), optional
        Discounts γ(s) of the states, which multiply γ.

    See Also
    --------
    Problem.from_mdp : With policies and features, a problem.

    Examples
    --------
    >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0, 0], [1, 0]], "1/2", actions=("stay", "go"))
    >>> stay_or_go.rewards_under(stay_or_go.policy([0, 0])).tolist()
    [Fraction(0, 1), Fraction(1, 1)]
    """

    P: Array | Any  # (S, A, S); anything array-like comes in, an array is kept
    R: Array | Any  # (S, A) or (S, A, S)
    gamma: Number | Any
    states: tuple[str, ...] | None = None
    actions: tuple[str, ...] | None = None
    start: Array | Any = None  # (S,): where episodes begin, of an MDP in which they end
    discount: Array | Any = None  # (S,): γ(s)

    def __post_init__(self) -> None:
        P = as_array(self.P, 3, "transitions")
        S, A = P.shape[:2]
        check_shape(P, (S, A, S), "states × actions × states", "transitions")
        check_probabilities(P, "transitions", ends=self.start is not None)
        R = as_array(self.R, depth(self.R), "rewards")
        if R.shape not in ((S, A), (S, A, S)):
            check_shape(R, (S, A), "states × actions", "rewards")
        if self.start is not None:
            object.__setattr__(self, "start", as_probabilities(self.start, (S,), "states", "start"))
            if R.ndim == 3 and ending(P).any():
                raise InvalidProblem(
                    "must be [s][a], the mean reward, where an episode may end: what the end pays has no s'", "rewards"
                )
        if self.discount is not None:
            object.__setattr__(self, "discount", check_discount(self.discount, S, "discount"))
        for field, value in {"P": P, "R": R, "gamma": check_gamma(self.gamma, ends=True)}.items():
            object.__setattr__(self, field, value)
        for field, size in {"states": S, "actions": A}.items():
            labels = getattr(self, field)
            if labels is not None:
                object.__setattr__(self, field, check_labels(labels, size, field))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy or pickle is as read-only as what it was made of."""
        self.__dict__.update(state)
        freeze(self.P, self.R, *self.ends)

    # Ways in and out of other libraries

    @classmethod
    def from_gymnasium(cls, env: Any, gamma: Any, **options: Any) -> MDP:
        """Read a tabular Gymnasium environment; episodes become one continuing chain.

        Parameters
        ----------
        env : gymnasium.Env or str
            The environment, or its id.
        gamma : number or str
            The discount.
        **options : object
            For ``gymnasium.make``, where `env` is an id.

        Returns
        -------
        MDP
            Its table of transitions.
        """
        from theory.problems.gymnasium import mdp_from_gymnasium

        return mdp_from_gymnasium(env, gamma, **options)

    @classmethod
    def from_discretedp(cls, R: Any, Q: Any = None, beta: Any = None, **indices: Any) -> MDP:
        """Read QuantEcon's ``DiscreteDP``, or the arrays it is made of.

        Parameters
        ----------
        R : DiscreteDP or array_like
            The object, or its rewards.
        Q : array_like, optional
            Transitions, where `R` is no object.
        beta : number, optional
            The discount, where `R` is no object.
        **indices : array_like
            ``s_indices`` and ``a_indices`` of the state-action form.

        Returns
        -------
        MDP
            The same.
        """
        from theory.problems.interop import mdp_from_discretedp

        return mdp_from_discretedp(R, Q, beta, **indices)

    @classmethod
    def from_mdptoolbox(cls, P: Any, R: Any, discount: Any) -> MDP:
        """Read pymdptoolbox's arrays.

        Parameters
        ----------
        P : array_like, (A, S, S)
            Transitions P[a, s, s'].
        R : array_like, (S, A)
            Rewards R[s, a].
        discount : number or str
            The discount.

        Returns
        -------
        MDP
            The same.
        """
        from theory.problems.interop import mdp_from_mdptoolbox

        return mdp_from_mdptoolbox(P, R, discount)

    @classmethod
    def from_finite_dynamics(cls, env: Any, gamma: Any) -> MDP:
        """Build from PyRlEnvs' ``FiniteDynamics``.

        Parameters
        ----------
        env : object
            With kernels ``K``, rewards ``Rs``, ends ``T`` and the start ``d0``.
        gamma : number or str
            The discount.

        Returns
        -------
        MDP
            Whose episodes end where `env` says.
        """
        from theory.problems.interop import mdp_from_finite_dynamics

        return mdp_from_finite_dynamics(env, gamma)

    def to_gymnasium(self) -> dict[int, dict[int, list[tuple[float, int, float, bool]]]]:
        """Gymnasium's table ``P[s][a] = [(probability, next, reward, ends), …]``."""
        from theory.problems.gymnasium import to_gymnasium_table

        return to_gymnasium_table(self)

    def to_discretedp(self) -> Any:
        """QuantEcon's ``DiscreteDP``."""
        from theory.problems.interop import to_discretedp

        return to_discretedp(self)

    def to_mdptoolbox(self) -> tuple[Array, Array]:
        """P[a, s, s'] and R[s, a] as pymdptoolbox has them, in floats."""
        from theory.problems.interop import to_mdptoolbox

        return to_mdptoolbox(self)

    def optimal_policy(self) -> Array:
        """An optimal policy (S, A), deterministic, of lowest action index where several are best.

        >>> stay_or_go = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[0, 0], [1, 0]], "1/2")
        >>> stay_or_go.optimal_policy().astype(int).tolist()
        [[0, 1], [1, 0]]
        """
        exact = self.n_states <= OPTIMAL_STATES and all(map(is_exact, (self.going_on, self.R, self.gamma)))
        choice = _towards_ends(self) if self.gamma == 1 else np.zeros(self.n_states, dtype=np.int64)
        if not exact or self.gamma < 1 - 1e-9:  # closer to one, floats may not even tell γ from it
            choice = _improved(_in_floats(self), choice)
        if exact:
            choice = _improved(self, choice)
        return deterministic_policy(choice.tolist(), self.n_actions)

    @property
    def n_states(self) -> int:
        return self.P.shape[0]

    @property
    def n_actions(self) -> int:
        return self.P.shape[1]

    def policy(self, policy: Any, *where: str | int) -> Array:
        """Validate a policy.

        Parameters
        ----------
        policy : array_like
            Probabilities (S, A), or one action index per state.
        *where : str or int
            The place that an error names.

        Returns
        -------
        array, (S, A)
            The probabilities.
        """
        if depth(policy) == 1 and isinstance(policy, Sequence | np.ndarray) and not isinstance(policy, str):
            if len(policy) != self.n_states:
                raise InvalidProblem(
                    f"has {counted(len(policy), 'action')} for {counted(self.n_states, 'state')}", *where
                )
            return deterministic_policy(policy, self.n_actions, *where)
        return as_probabilities(policy, (self.n_states, self.n_actions), "states × actions", *where)

    def transitions_under(self, policy: Array) -> Array:
        """Compute P_π[s, s'] = Σ_a π(a|s) P[s, a, s'] γ(s').

        Parameters
        ----------
        policy : array, (S, A)
            Probabilities π(a|s).

        Returns
        -------
        array, (S, S)
            Transitions under the policy.
        """
        return _mixed(policy, self.going_on)

    def stream_under(self, policy: Array) -> Array:
        """Compute the transitions of a stream of data, which begins again from `start` after an end.

        Parameters
        ----------
        policy : array, (S, A)
            Probabilities π(a|s).

        Returns
        -------
        array, (S, S)
            Rows sum to one.
        """
        P = _mixed(policy, self.P)
        if self.start is None:
            return P
        P, start = one_kind(P, self.start)
        return P + ending(P)[:, None] * start

    @cached_property
    def going_on(self) -> Array:
        """P[s, a, s'] γ(s'), (S, A, S), the share of the value of s' that counts."""
        return discounted(self.P, self.discount)

    @property
    def ends(self) -> tuple[Array, ...]:
        """Start and γ(s), where given, which a plain MDP with one discount does not have."""
        return tuple(x for x in (self.start, self.discount) if x is not None)

    def rewards_under(self, policy: Array) -> Array:
        """Compute r_π[s] = Σ_a π(a|s) R̄[s, a].

        Parameters
        ----------
        policy : array, (S, A)
            Probabilities π(a|s).

        Returns
        -------
        array, (S,)
            Expected rewards under the policy.
        """
        policy, expected = one_kind(policy, self.expected_rewards())
        return (policy * expected).sum(axis=1)

    def expected_rewards(self) -> Array:
        """R̄[s, a] = Σ_s' P[s, a, s'] R[s, a, s']."""
        if self.R.ndim == 2:
            return self.R
        P, R = one_kind(self.P, self.R)
        return (P * R).sum(axis=2)

    def with_gamma(self, gamma: Any) -> MDP:
        """Change the discount.

        Parameters
        ----------
        gamma : number or str
            The discount.

        Returns
        -------
        MDP
            The same MDP at that discount.
        """
        return replace(self, gamma=gamma)


def uniform_policy(n_states: int, n_actions: int) -> Array:
    """Every action equally likely, exactly.

    >>> uniform_policy(1, 3).tolist()
    [[Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]]
    """
    return as_array([[f"1/{n_actions}"] * n_actions] * n_states, 2, "policy")


def deterministic_policy(choices: Sequence[Any] | Array, n_actions: int, *where: str | int) -> Array:
    """The policy that takes action ``choices[s]`` in state s.

    >>> deterministic_policy([1, 0], 2).tolist() == [[0, 1], [1, 0]]
    True
    """
    rows = []
    for s, a in enumerate(choices):
        index = as_number(a, *where, s)
        if index not in range(n_actions):
            raise InvalidProblem(f"action {a} does not exist; there are {n_actions}, from 0", *where, s)
        rows.append([int(b == index) for b in range(n_actions)])
    return as_array(rows, 2, *where)


def surely(n_states: int, *ahead: Sequence[int]) -> Array:
    """P (S, A, S) of actions without chance: action a leads from s to ahead[a][s].

    >>> surely(2, [0, 0], [1, 1]).astype(int).tolist()
    [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]
    """
    return np.stack([deterministic_policy(states, n_states) for states in ahead], axis=1)


def _mixed(policy: Array, P: Array) -> Array:
    policy, P = one_kind(policy, P)
    # einsum has no object loop: sum the actions' matrices, which is just as readable.
    return sum((policy[:, a, None] * P[:, a] for a in range(P.shape[1])), start=0 * P[:, 0])


def depth(value: Any) -> int:
    """How many axes an array or nested lists have, from 1 to 3."""
    if hasattr(value, "shape"):  # arrays, frames, SymPy's matrices
        return len(value.shape)
    depth = 0
    while isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(value) and depth < 4:
        value, depth = value[0], depth + 1
    return max(1, min(depth, 3))


def _improved(mdp: MDP, choice: Array) -> Array:
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
