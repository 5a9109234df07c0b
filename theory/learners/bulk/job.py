"""What a family's run is handed: a learner, its settings, the moves, the starts, and a record to fill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.learners.bulk.data import ValueSpace
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.layout import LOST, TINY
from theory.learners.bulk.record import Record
from theory.problems.numbers import Array
from theory.problems.sampling import Transitions


@dataclass(frozen=True, eq=False)
class Job:
    """All settings of one learner on all seeds; what is not swept is read off `rule`, which has the first setting."""

    rule: Any
    settings: dict[str, Array]  # every column of the rule, one row per setting
    space: ValueSpace
    transitions: Transitions
    initials: Initials
    record: Record
    arithmetic: dict[str, str]  # dtype, and for some learners the space they run in

    @property
    def dtype(self) -> str:
        return self.arithmetic.get("dtype", "float64")

    @property
    def real(self) -> Any:
        """The type of a number."""
        return np.dtype(self.dtype).type

    @property
    def limits(self) -> tuple[Any, Any, Any]:
        """The squared error of RMSE 150, and what counts as zero and as lost."""
        return self.real(self.record.limit), self.real(TINY[self.dtype]), self.real(LOST[self.dtype])
