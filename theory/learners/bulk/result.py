"""What a bulk run returns. Divergence is a number here: infinity, and the step at which the run left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.problems.numbers import Array, FloatArray

# The paper counts an RMSE above this as divergent.
DIVERGENT = 150.0


@dataclass(frozen=True, eq=False)
class BulkResult:
    """Errors of every setting and seed; the error is (prediction − v_π)² averaged over states, uniformly.

    "After t moves" means after the update of move number t; the scored half is t > steps // 2, counting from 1.
    """

    learner: str
    settings: dict[str, Array]  # columns (n,): one row per setting
    steps: int
    mean_square: FloatArray  # (n, seeds), averaged over the last half; ∞ for a run that was lost
    final: FloatArray  # (n, seeds), after the last move; ∞ for a run that was lost
    passed: Array  # (n, seeds), moves after which the RMSE stays above 150 for good; −1 where it ended below
    marks: Array  # (m,), the checkpoints, in moves
    curve: FloatArray | None = None  # (n, seeds, m), squared error at the checkpoints
    mean_error: FloatArray | None = None  # (n, m, S), prediction − v_π averaged over seeds

    @property
    def rmse(self) -> FloatArray:
        """(n,): √ of the mean over seeds and over the last half."""
        return np.sqrt(self.mean_square.mean(axis=1))

    @property
    def diverged(self) -> Array:
        """(n, seeds): lost, or RMSE over the last half above 150."""
        return ~(self.mean_square <= DIVERGENT**2)

    @property
    def rmse_of_mean(self) -> FloatArray:
        """(n,): RMSE of the seed-averaged prediction at the checkpoints of the last half (reading 6)."""
        if self.mean_error is None:
            raise ValueError("run_bulk(..., predictions=True) records what this needs")
        late = self.mean_error[:, self.marks > self.steps // 2]
        with np.errstate(over="ignore", invalid="ignore"):
            square = np.square(late).mean(axis=(1, 2))
        return np.sqrt(np.where(np.isfinite(square), square, np.inf))

    def best(self) -> int:
        """The setting with the least mean squared error over seeds; the first of them on a tie."""
        return int(np.argmin(self.mean_square.mean(axis=1)))

    def setting(self, i: int) -> dict[str, Array]:
        """Setting i as columns of length one, ready for another run."""
        return {name: column[i : i + 1] for name, column in self.settings.items()}
