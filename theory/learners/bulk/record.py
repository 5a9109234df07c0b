"""Arrays that fill up while a bulk run goes on, and the rules for what was lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.learners.bulk.layout import LOST
from theory.learners.bulk.result import DIVERGENT, BulkResult
from theory.problems.numbers import Array, FloatArray


@dataclass(eq=False)
class Record:
    """Filled by the families' loops, setting by setting and seed by seed; errors come in as sums over states."""

    settings: int
    seeds: int
    states: int
    steps: int
    marks: Array
    with_curve: bool
    with_predictions: bool

    def __post_init__(self) -> None:
        shape = (self.settings, self.seeds)
        self.sums: FloatArray = np.zeros(shape)
        self.final: FloatArray = np.zeros(shape)
        self.below: FloatArray = np.full(shape, -1.0)
        m = len(self.marks)
        self.curve: FloatArray | None = np.full((*shape, m), np.inf) if self.with_curve else None
        self.total: FloatArray | None = np.zeros((self.settings, m, self.states)) if self.with_predictions else None
        self.noted: Array = np.zeros((self.settings, m), dtype=np.int64)  # seeds that reached each checkpoint

    @property
    def half(self) -> int:
        """The first scored step, counting from 0: after t moves with t > steps // 2."""
        return self.steps // 2

    @property
    def limit(self) -> float:
        """The squared error, summed over states, at which the RMSE is 150."""
        return DIVERGENT**2 * self.states

    def note(self, mark: int, seed: int, rows: Array, errors: FloatArray) -> None:
        """Errors (len(rows), S) of the settings `rows` at checkpoint number `mark`; others stay infinite."""
        if self.curve is not None:
            with np.errstate(over="ignore", invalid="ignore"):
                self.curve[rows, seed, mark] = np.square(errors.astype(np.float64)).sum(axis=1)
        if self.total is not None:
            self.total[rows, mark] += errors
            self.noted[rows, mark] += 1

    def result(self, learner: str, settings: dict[str, Array], dtype: str) -> BulkResult:
        """Sums become means; what is not finite, or beyond what a run recovers from, becomes infinite."""

        def tame(squares: FloatArray) -> FloatArray:
            return np.where(squares <= LOST[dtype] * self.steps, squares, np.inf) / self.states

        scored = self.steps - self.half
        passed = self.below.astype(np.int64) + 2  # step t is move t + 1, and the one after it is the first above
        return BulkResult(
            learner,
            settings,
            self.steps,
            tame(self.sums) / scored,
            tame(self.final),
            np.where(passed > self.steps, -1, passed),
            self.marks,
            None if self.curve is None else tame(self.curve),
            None
            if self.total is None
            else np.where((self.noted == self.seeds)[:, :, None], self.total, np.inf) / self.seeds,
        )
