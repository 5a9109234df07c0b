r"""The paper's protocol: which settings are tried, and where runs start.

Every learner is run with all its settings on a few tuning seeds; the setting with the least mean squared error over the
last half of the run and over the tuning seeds is run again on new seeds, and √ of the mean over those is the table's
number (`theory.experiments.table1.units`). Starts are drawn here, one spawned generator per seed, so every learner
starts from the same θ on the same seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from theory.learners.families import find_learner
from theory.learners.streams import Initials, draw_initials, n_parameters
from theory.problems import Problem
from theory.problems.numbers import Array


@dataclass(frozen=True)
class Protocol:
    """The paper's grid by default; replace fields for a coarser one."""

    step_sizes: tuple[float, ...] = tuple(2.0 ** (-i / 3) for i in range(1, 41))  # for α and β
    last_head: int = 256
    heads: tuple[int, ...] = tuple(2**i for i in range(9))  # the k that are scored
    windows: tuple[int, ...] = (25, 50, 100, 200)
    scale: float = 100.0  # θ of every head from N(0, scale²)
    one_step_size: bool = False  # β = α instead of every pair
    shared_start: bool = False  # one start for all seeds

    def ranges(self, learner: str, given: Mapping[str, float | None] | None = None) -> dict[str, tuple[Any, ...]]:
        """The values that are tried of each of a learner's parameters; what is `given` stays as it is.

        >>> {name: len(values) for name, values in Protocol().ranges("gtd2", {"beta": 0.1}).items()}
        {'alpha': 40, 'beta': 1}
        """
        rule, known = find_learner(learner), given or {}
        swept = {"alpha": self.step_sizes, "beta": self.step_sizes, "window": self.windows, "k": self.heads}
        return {
            name: swept.get(name, (rule.default(name),)) if known.get(name) is None else (known[name],)
            for name in rule.columns
        }

    def settings(self, learner: str) -> dict[str, Array]:
        """All settings of a learner, as columns.

        >>> {name: len(column) for name, column in Protocol().settings("gtd2").items()}
        {'alpha': 1600, 'beta': 1600}
        """
        ranges = self.ranges(learner)
        if self.one_step_size and "beta" in ranges:
            del ranges["beta"]
            found = grid(**ranges)
            return found | {"beta": found["alpha"].copy()}
        return grid(**ranges)

    def starts(self, rng: np.random.Generator, learner: str, problem: Problem, seeds: int) -> Initials:
        """Starting points for `seeds` seeds; `rng` is spawned from, so hand every learner an equal one."""
        rule = find_learner(learner)
        return draw_initials(
            rng,
            seeds,
            rule.n_vectors(self.last_head),
            n_parameters(rule, problem),
            scale=self.scale,
            shared=self.shared_start,
        )


def grid(**ranges: Sequence[float]) -> dict[str, Array]:
    """Columns of all combinations, the last range varying fastest.

    >>> {name: column.tolist() for name, column in grid(alpha=[0.1, 0.2], k=[1, 2]).items()}
    {'alpha': [0.1, 0.1, 0.2, 0.2], 'k': [1, 2, 1, 2]}
    """
    columns = zip(*product(*ranges.values()), strict=True)
    return {name: np.array(column) for name, column in zip(ranges, columns, strict=True)}
