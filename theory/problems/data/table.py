r"""A table of transitions: a row a move, as somebody recorded them.

=====================  =========================================================================================
column                 meaning
=====================  =========================================================================================
phi_0, phi_1, …        features φ of the state; or `state` alone, a name, and then each state is its own feature
next_phi_0, …          features φ' of the next state; or `next_state`
reward                 r
ratio                  ρ = π(a|s)/μ(a|s); or `pi` and `mu`, the two probabilities; without, the data are on-policy
done                   optional: 1 where the episode ends with the move; φ' counts as 0 then
truncated              optional: 1 where a trajectory was cut off after the move; φ' counts
episode                optional: rows with the same value are one trajectory
action                 optional, only for messages
=====================  =========================================================================================

In arrays (.npz, or a dictionary) `phi` and `next_phi` may be matrices, in frames and Parquet columns of lists. How
columns are found and read: `theory.problems.data.columns`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.problems.data.columns import by_meaning, features, first_feature, flags, names, numbers
from theory.problems.errors import InvalidProblem
from theory.problems.numbers import Array, FloatArray

LARGEST = 1e30  # of a feature, a reward, a ratio: squares of their products are far from overflow
SMALLEST = 1e-30  # of the largest feature: so are products of squares from underflow
MOST = 2**28  # entries of a matrix of features, 2 GiB
FEW = 4  # standard errors that the ratios' mean may be from 1


@dataclass(frozen=True, eq=False)
class Table:
    """n transitions, validated."""

    name: str
    phi: FloatArray  # (n, F)
    phi_next: FloatArray  # (n, F), 0 after an end
    reward: FloatArray  # (n,)
    ratio: FloatArray  # (n,)
    done: Array  # (n,), bool
    episode: Array  # (n,), numbers 0, 1, …: which trajectory a row belongs to
    told_apart: bool  # did the data tell trajectories apart, or are they blocks of consecutive rows?
    state: Array | None = None  # (n,), names
    next_state: Array | None = None
    on_policy: bool = False  # neither ratios nor probabilities are given
    ignored: tuple[str, ...] = ()  # columns that mean nothing here

    def __len__(self) -> int:
        return len(self.reward)

    @property
    def n_features(self) -> int:
        """F."""
        return self.phi.shape[1]

    @property
    def n_episodes(self) -> int:
        """Trajectories, or blocks of rows."""
        return int(self.episode.max()) + 1


def table(columns: Mapping[str, Any], name: str = "data") -> Table:
    """The table in these columns, or one line about what is wrong with them."""
    given, ignored = by_meaning(columns, name)
    if "reward" not in given:
        raise InvalidProblem(f"there is no column reward; there are {', '.join(given) or 'none'}", name)
    reward = numbers(given["reward"], "reward", None, name, largest=LARGEST)
    n = len(reward)
    if n == 0:
        raise InvalidProblem("there are no rows", name)
    done, cut = flags(given, "done", n, name), flags(given, "truncated", n, name)
    state = names(given["state"], "state", n, name) if "state" in given else None
    next_state = names(given["next_state"], "next_state", n, name, done) if "next_state" in given else None
    phi, phi_next = _features(given, state, next_state, done, name)
    ratio = _ratio(given, n, name)
    episode, told_apart = _episodes(given.get("episode"), done | cut, n, name)
    return Table(
        name,
        phi,
        np.where(done[:, None], 0.0, phi_next),
        reward,
        ratio,
        done,
        episode,
        told_apart,
        state,
        next_state,
        not {"ratio", "pi", "mu"} & set(given),
        ignored,
    )


def _features(
    given: Mapping[str, Any], state: Array | None, next_state: Array | None, done: Array, name: str
) -> tuple[FloatArray, FloatArray]:
    """φ and φ', given or one for each state."""
    n = len(done)
    phi, phi_next = features(given, "phi", n, name), features(given, "next_phi", n, name, done)
    if phi is None:
        if state is None or next_state is None:
            missing = "state" if state is None else "next_state"
            raise InvalidProblem(f"there is neither phi_0, phi_1, … nor {missing}", name)
        phi, phi_next = _one_hot(state, next_state, name)
    elif phi_next is None:
        raise InvalidProblem("there are columns phi and no columns next_phi", name)
    if phi.shape != phi_next.shape:
        raise InvalidProblem(f"phi has {phi.shape[1]} columns, next_phi has {phi_next.shape[1]}", name)
    first, second = first_feature(given, "phi"), first_feature(given, "next_phi")
    if None not in (first, second) and first != second:
        raise InvalidProblem(f"columns begin with phi_{first} and with next_phi_{second}: which belong together?", name)
    largest = max(float(np.abs(phi).max()), float(np.abs(phi_next[~done]).max(initial=0.0)))
    if largest == 0:
        raise InvalidProblem("all features are 0: there is nothing to learn", name)
    if largest > LARGEST:
        raise InvalidProblem(f"features of up to {largest:.2g} are more than {LARGEST:g}: divide them", name)
    if largest < SMALLEST:
        raise InvalidProblem(f"features of at most {largest:.2g} are less than {SMALLEST:g}: multiply them", name)
    return phi, phi_next


def _ratio(given: Mapping[str, Any], n: int, name: str) -> FloatArray:
    """ρ, which is not negative and averages about 1, since E_μ[ρ] = 1."""
    if "ratio" in given:
        column, ratio = "ratio", numbers(given["ratio"], "ratio", n, name, largest=LARGEST)
    elif "pi" in given or "mu" in given:
        for column, other in (("pi", "mu"), ("mu", "pi")):
            if column not in given:
                raise InvalidProblem(f"there is a column {other} and no column {column}", name)
        pi, mu = (numbers(given[column], column, n, name) for column in ("pi", "mu"))
        for column, values in (("pi", pi), ("mu", mu)):
            wrong = (values < 0) | (values > 1) | ((values == 0) if column == "mu" else False)
            if wrong.any():
                row = int(np.argmax(wrong))
                raise InvalidProblem(
                    f"row {row + 1}: {values[row]:g} is no probability of an action taken", name, column
                )
        with np.errstate(over="ignore"):
            column, ratio = "pi/mu", numbers(pi / mu, "pi/mu", n, name, largest=LARGEST)
    else:
        return np.ones(n)
    if (ratio < 0).any():
        row = int(np.argmax(ratio < 0))
        raise InvalidProblem(f"row {row + 1}: {ratio[row]:g} is negative", name, column)
    mean, error = float(ratio.mean()), float(ratio.std(ddof=1) / np.sqrt(n)) if n > 1 else np.inf
    if n >= 30 and abs(mean - 1) > FEW * error + 1e-9:
        row = int(np.argmax(ratio))
        raise InvalidProblem(
            f"ratios average {mean:.3g} ± {error:.1g}, far from 1 (largest {ratio[row]:.3g}, row {row + 1}): "
            "are these π/μ of the actions taken, with all actions of π seen?",
            name,
            column,
        )
    return ratio


def _episodes(values: Any, ends: Array, n: int, name: str) -> tuple[Array, bool]:
    """Which trajectory each row is in: as told, or ended where rows say so; else blocks of about √n rows."""
    if values is not None:
        return np.unique(names(values, "episode", n, name), return_inverse=True)[1], True
    if ends.any():
        return np.concatenate([[0], np.cumsum(ends[:-1])]).astype(int), True
    return np.arange(n) // max(1, int(np.sqrt(n))), False


def _one_hot(state: Array, next_state: Array, name: str) -> tuple[FloatArray, FloatArray]:
    """A feature a state; a next state without a name, after an end, has none."""
    known = np.unique(np.concatenate([state, next_state[next_state != ""]]))
    if len(state) * len(known) > MOST:
        raise InvalidProblem(f"{len(known):,} states in {len(state):,} rows are too many features: give phi", name)
    return (state[:, None] == known).astype(np.float64), (next_state[:, None] == known).astype(np.float64)
