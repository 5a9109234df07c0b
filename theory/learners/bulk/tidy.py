"""Between rounds of events: flush denormals, move running totals into doubles, retire what is lost.

A lane is a column of the workspace: one setting with all that belongs to it. A lost one is emptied and swapped with
the last that is alive, so the live lanes stay in front; `lanes` remembers whose they are.
"""

from __future__ import annotations

import numpy as np

from theory.machine_code import njit


@njit(nogil=True, cache=True)
def tidy(work, lanes, sums, last_below, states, error, live, tiny, lost):  # type: ignore[no-untyped-def]
    """`work` (R, BLOCK): the first `states` rows are values; rows `error`, + 1, + 2 squared error, total, below.

    `sums` and `last_below` are by setting, in doubles; returns how many lanes are still alive.
    """
    zero = work.dtype.type(0)
    for i in range(states):
        values = work[i]
        for j in range(live):
            values[j] = zero if abs(values[j]) < tiny else values[j]
    j = 0
    while j < live:
        setting = lanes[j]
        sums[setting] += work[error + 1, j]
        work[error + 1, j] = zero
        last_below[setting] = work[error + 2, j]
        if work[error, j] <= lost:
            j += 1
            continue
        sums[setting] = np.inf
        live -= 1
        lanes[j], lanes[live] = lanes[live], setting
        for i in range(work.shape[0]):
            work[i, j] = work[i, live]
            work[i, live] = zero
    return live
