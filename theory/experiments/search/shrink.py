"""From a problem in floats to the shortest one in whole numbers that keeps the property.

`rationalise` rounds from coarse to fine until the margin survives; `shrink` then goes to the best neighbour for as
long as there is a better one. Better is shorter, or with `largest_rho` larger ρ first and shorter second. Floats
choose with a margin of at least `LEAST`, so that nothing ends on a boundary; the proof comes after.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from theory.experiments.search.lattice import Draft, batch_of, coarse_to_fine, neighbours, rounded
from theory.experiments.search.margins import Batch, margins
from theory.experiments.search.wanted import Wanted

LEAST = 0.02
MAX_STEPS = 400


def rationalise(batch: Batch, wanted: Wanted, least: float = LEAST) -> Draft | None:
    """The coarsest rounding of a batch of one that keeps the margin; None where none does."""
    margin = float(margins(batch, wanted)[0][0])
    if margin <= 0:
        return None
    q, size = wanted.max_denominator, wanted.max_entry
    pairs = [(q, size)] if wanted.largest_rho else coarse_to_fine(batch.d.shape[1])
    for draft in rounded(batch, wanted.gamma, pairs):
        if _within(draft, wanted) and float(margins(batch_of([draft]), wanted)[0][0]) >= min(least, margin / 2):
            return draft
    return None


def shrink(draft: Draft, wanted: Wanted, stop: Callable[[], bool] = lambda: False) -> tuple[Draft, float]:
    """The last of a row of ever better drafts, and its margin."""
    margin, found = margins(batch_of([draft]), wanted)
    least = min(LEAST, float(margin[0]))
    best = (_merit(draft, float(found.rho[0]), wanted), float(margin[0]), draft)
    for _ in range(MAX_STEPS):
        near = [x for x in neighbours(best[2], wanted.gamma is None, wanted.largest_rho) if _within(x, wanted)]
        if stop() or not near:
            break
        value, found = margins(batch_of(near), wanted)
        good = np.flatnonzero(value >= least).tolist()
        merits = [(_merit(near[i], float(found.rho[i]), wanted), -float(value[i]), i) for i in good]
        if not merits or min(merits)[0] >= best[0]:
            break
        merit, minus, i = min(merits)
        best = (merit, -minus, near[i])
    return best[2], best[1]


def _merit(draft: Draft, rho: float, wanted: Wanted) -> tuple[float, int]:
    """Smaller is better; ρ is rounded so that equal ones are equal."""
    return (-round(rho, 9) if wanted.largest_rho else 0.0, draft.length)


def _within(draft: Draft, wanted: Wanted) -> bool:
    if any(not any(column) for column in zip(*draft.Phi, strict=True)):
        return False
    if not wanted.largest_rho:
        return True
    sums = [sum(draft.weights), *map(sum, draft.rows)]
    return max(sums) <= wanted.max_denominator and max(abs(x) for row in draft.Phi for x in row) <= wanted.max_entry
