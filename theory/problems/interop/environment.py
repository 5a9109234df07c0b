"""Gymnasium's tabular environments: those whose ``env.unwrapped`` has a table ``P`` and an initial
distribution, such as FrozenLake, CliffWalking and Taxi.

The table becomes the continuing MDP of `theory.problems.episodic`: a terminal state is left only to
start again. `table` says which states are kept and how doubles are read. Wrappers have no part in it:
no time limit ends an episode, no wrapper changes a reward.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from theory.problems.episodic import continuing, silence
from theory.problems.errors import InvalidProblem
from theory.problems.interop.common import require
from theory.problems.interop.table import read_table
from theory.problems.mdp import MDP

# Gymnasium's documentation names the actions of its toy environments; the objects do not.
_ACTIONS = {
    "FrozenLakeEnv": ("left", "down", "right", "up"),
    "CliffWalkingEnv": ("up", "right", "down", "left"),
    "TaxiEnv": ("south", "north", "east", "west", "pickup", "dropoff"),
}


@dataclass(frozen=True, eq=False)
class TabularTask:
    """An environment's MDP in two forms over the same S states, and which of them end an episode."""

    mdp: MDP  # continuing: the end's first action stays, the others start again
    absorbing: MDP  # every action stays at the end, with reward 0: the form in which to plan
    terminal: tuple[int, ...]  # indices into the S states
    numbers: tuple[int | None, ...]  # the environment's number of each state; None for an additional one
    n_environment_states: int

    @property
    def live(self) -> tuple[int, ...]:
        """Indices of the states that are not terminal."""
        ends = set(self.terminal)
        return tuple(s for s in range(self.mdp.n_states) if s not in ends)


def mdp_from_gymnasium(env_or_id: Any, gamma: Any, **env_kwargs: Any) -> MDP:
    """The continuing MDP of an environment, given as an object or by id (made with `env_kwargs`).

    >>> mdp_from_gymnasium("CliffWalking-v1", "9/10").actions
    ('up', 'right', 'down', 'left')
    """
    return task_from_gymnasium(env_or_id, gamma, **env_kwargs).mdp


def task_from_gymnasium(env_or_id: Any, gamma: Any, **env_kwargs: Any) -> TabularTask:
    """`mdp_from_gymnasium` with what planning and features need to know of terminal states."""
    if not isinstance(env_or_id, str):
        if env_kwargs:
            raise InvalidProblem(f"{next(iter(env_kwargs))} can only be given with an environment's id", "gymnasium")
        return _task(env_or_id, gamma)
    with opened(env_or_id, env_kwargs) as env:
        return _task(env, gamma)


@contextmanager
def opened(name: str, env_kwargs: dict[str, Any]) -> Iterator[Any]:
    """The environment of this id, closed afterwards."""
    env = _make(name, env_kwargs)
    try:
        _check_truths(env, env_kwargs)
        yield env
    finally:
        env.close()


def _make(name: str, env_kwargs: dict[str, Any]) -> Any:
    gymnasium = require("gymnasium", "gymnasium")
    try:
        with warnings.catch_warnings():
            # A version that is gone also raises an error, which says the same.
            warnings.simplefilter("ignore", DeprecationWarning)
            return gymnasium.make(name, **env_kwargs)
    except Exception as error:  # what an environment's constructor raises is not ours to list
        lines = str(error).splitlines() or [""]
        kind = "" if isinstance(error, gymnasium.error.Error) else f"{type(error).__name__}: "
        raise InvalidProblem(f"cannot make {name}: {kind}{lines[0]}", "gymnasium") from None


def _check_truths(env: Any, env_kwargs: dict[str, Any]) -> None:
    # To the environment any text is true, also "no".
    parameters = inspect.signature(type(env.unwrapped).__init__).parameters
    for key, value in env_kwargs.items():
        if key in parameters and isinstance(parameters[key].default, bool) and value not in (0, 1):
            raise InvalidProblem(f"must be true or false, got {value!r}", key)


def table_of(env: Any) -> tuple[Any, Any, tuple[str, ...] | None]:
    """The transition table, the initial distribution, and the actions' names where they are known."""
    env = getattr(env, "unwrapped", env)
    kind, table = type(env).__name__, getattr(env, "P", None)
    start = getattr(env, "initial_state_distrib", None)
    if not isinstance(table, Mapping | Sequence):
        raise InvalidProblem(f"{kind} has no transition table P: it is not a tabular environment", "gymnasium")
    if start is None:
        raise InvalidProblem(f"{kind} has a table P but no initial_state_distrib", "gymnasium")
    return table, start, _ACTIONS.get(kind)


def _task(env: Any, gamma: Any) -> TabularTask:
    table, start, actions = table_of(env)
    found = read_table(table, start)
    if actions is not None and len(actions) != found.P.shape[1]:
        actions = None
    quiet = silence(len(found.labels), found.terminal) if found.terminal else None
    absorbing = MDP(found.P, found.R, gamma, found.labels, actions, discount=quiet)
    mdp = absorbing
    if found.terminal:
        mdp = continuing(found.P, found.R, found.terminal, found.start, gamma, found.labels, actions)
    return TabularTask(mdp, absorbing, found.terminal, found.numbers, len(table))
