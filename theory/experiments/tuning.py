"""What the choice of a setting leaves to be said: how it looked where it was chosen, and how much hangs on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from theory.experiments.bootstrap import bootstrap_band, root_mean
from theory.problems.numbers import Array, FloatArray


@dataclass(frozen=True)
class Tuning:
    """How a setting was chosen: the best of so many on so many seeds, and what it was worth there."""

    settings: int
    seeds: int
    rmse: float
    at_edge: tuple[str, ...] = ()  # parameters chosen at the least or greatest value that was tried
    sensitivity: tuple[tuple[float, float, float, float], ...] = ()  # α, the best RMSE with it, and its band

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def at_edge(setting: Mapping[str, float], ranges: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """The parameters of a chosen setting that have the least or the greatest of the values that were tried.

    >>> at_edge({"alpha": 0.1, "window": 50, "k": 4}, {"alpha": [0.1, 0.2], "window": [25, 50, 100], "k": [4]})
    ('alpha',)
    """
    swept = {name: values for name, values in ranges.items() if len(values) > 1}
    return tuple(name for name, values in swept.items() if setting[name] in (min(values), max(values)))


def sensitivity(
    step_sizes: Array, squares: FloatArray, rng: np.random.Generator
) -> tuple[tuple[float, float, float, float], ...]:
    """For each step size the RMSE of the best setting that has it, with its band over tuning seeds."""
    rows, mean = [], squares.mean(axis=1)
    for alpha in np.unique(step_sizes):
        here = np.flatnonzero(step_sizes == alpha)
        chosen = squares[here[np.argmin(mean[here])]]
        low, high = bootstrap_band(rng, chosen)
        rows.append((float(alpha), float(root_mean(chosen)), float(low), float(high)))
    return tuple(rows)
