"""Logs of other libraries as columns: Minari's and d3rlpy's episodes, archives named as D4RL's; by their attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from theory.problems.numbers import InvalidProblem, counted

Columns = dict[str, Any]


def episodes_of(source: Any) -> Callable[[], Iterator[Columns]] | None:
    """Episodes of a Minari or d3rlpy data set as columns, by their attributes; None for anything else.

    Minari has T + 1 observations an episode. d3rlpy has T, so that the last move of an episode that was cut off has no
    next observation and is left out.
    """
    if hasattr(source, "iterate_episodes"):
        return lambda: (_episode(e, i) for i, e in enumerate(source.iterate_episodes()))
    if hasattr(source, "episodes") and not isinstance(source, Mapping) and not hasattr(source, "columns"):
        return lambda: (_episode(e, i) for i, e in enumerate(source.episodes))
    if all(hasattr(source, key) for key in ("observations", "actions", "rewards", "terminals")):
        return lambda: iter(
            [flat_log({k: getattr(source, k) for k in FLAT if getattr(source, k, None) is not None}, "data")]
        )
    return None


FLAT = ("observations", "actions", "rewards", "terminals", "timeouts")


def flat_log(log: Mapping[str, Any], name: str) -> Columns:
    """Rows in order without next observations: each is the next row's, but for the last of a trajectory."""
    columns = {key: np.asarray(values) for key, values in log.items()}
    n = len(columns["rewards"])
    for key, values in columns.items():
        if len(values) != n:
            raise InvalidProblem(f"has {counted(len(values), 'row')}, rewards have {n}", name, key)
    done = columns["terminals"] = columns["terminals"].reshape(n, -1)[:, 0].astype(bool)
    cut = columns.pop("timeouts", np.zeros(n, dtype=bool)).reshape(n, -1)[:, 0].astype(bool)
    columns["rewards"] = columns["rewards"].reshape(n, -1)[:, 0]
    columns["episode"] = np.cumsum(done | cut) - (done | cut)
    ahead = np.roll(columns["observations"], -1, axis=0)
    ahead[done] = 0
    kept = done | ~cut  # after a cut the next row is another trajectory's
    kept[-1:] = done[-1:]
    return {key: values[kept] for key, values in {**columns, "next_observations": ahead}.items()}


def _episode(episode: Any, number: int) -> Columns:
    name = f"data, episode {number}"
    observations = episode.observations
    if isinstance(observations, Mapping | tuple):
        raise InvalidProblem("observations of several parts: give columns, or a frame an episode", name)
    observations, rewards = np.asarray(observations), np.ravel(episode.rewards)
    T = len(rewards)
    ended = getattr(episode, "terminations", getattr(episode, "terminated", False))
    done = np.zeros(T, dtype=bool)
    if np.ndim(ended):
        done[:] = np.ravel(ended)
    elif T:
        done[-1] = bool(ended)
    actions = getattr(episode, "actions", None)
    if len(observations) == T:  # d3rlpy
        end = np.zeros_like(observations[:1])
        observations, kept = np.concatenate([observations, end]), T if done[-1:].any() else max(T - 1, 0)
    elif len(observations) == T + 1:
        kept = T
    else:
        raise InvalidProblem(f"{len(observations)} observations do not fit {T} rewards", name)
    if actions is not None and len(actions) != T:
        raise InvalidProblem(f"{len(actions)} actions do not fit {T} rewards", name)
    columns = {"obs": observations[:-1], "next_obs": observations[1:], "reward": rewards, "done": done}
    given = _infos(getattr(episode, "infos", None), T)
    given |= {} if actions is None else {"action": np.asarray(actions)}
    found = {key: values[:kept] for key, values in (columns | given).items()}
    return found | {"episode": np.full(kept, getattr(episode, "id", number))}


def _infos(infos: Any, T: int) -> Columns:
    """What was recorded beside an episode, a number a move or one more."""
    found = {}
    for key, values in infos.items() if isinstance(infos, Mapping) else ():
        array = np.asarray(values) if not isinstance(values, Mapping) else np.zeros(())
        if array.ndim == 1 and len(array) in (T, T + 1) and array.dtype.kind in "biuf":
            found[str(key)] = array[-T:] if T else array[:0]
    return found
