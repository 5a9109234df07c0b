r"""TD's side where exact crossings would take too long: proved piece by piece, and unknown where no proof was found.

The pieces of `theory.thresholds.cover` are the answer. Between a stable and an unstable one lies an end, bracketed
by two opposite proofs; a gap between equals, or beyond the last piece, is unknown. γ = 1 is excluded, and A(1) is
often singular, so pieces end at 1 − 2⁻⁴⁰.

**Tabular and aggregated features** need none: there A(γ) has no positive entry off the diagonal and A(γ)v > 0 for a
v > 0, which makes it a nonsingular M-matrix, all of whose eigenvalues have positive real part. With v the
coefficients of the constant function, Φv = 1, it is A(γ)v = (1 − γ)Xv, or more where episodes end.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from theory.exact.matrices import columns, matrix
from theory.exact.reduced import Reduced
from theory.problems import Problem
from theory.thresholds.cover import Progress, cover
from theory.thresholds.pieces import MANY, Prover
from theory.thresholds.sides import Sides, Stretch

WIDTH = fmpq(1, 10**12)
LAST = 1 - fmpq(1, 2**40)  # a double
WIDE = fmpq(1, 10**7)  # with more than `MANY` features, where a proof takes part of a second
SECONDS = 16.0  # for all pieces of a problem, about


def proved_sides(X: fmpq_mat, Y: fmpq_mat, seconds: float = SECONDS, progress: Progress | None = None) -> Sides:
    """The stretches of [0, 1) on which pieces prove a side."""
    width = WIDTH if X.nrows() <= MANY else WIDE
    pieces = cover(Prover(X, Y, LAST), width, seconds, progress)
    return Sides(tuple(Stretch(p.low, p.high, p.stable) for p in pieces if p.low < p.high))


def safe_up_to(problem: Problem, m: Reduced) -> fmpq:
    """TD is stable for every γ below this because A is an M-matrix; 0 where that is not seen."""
    n = m.rank
    if m.rank < problem.n_features or any(m.X[i, j] != 0 for i in range(n) for j in range(i)):
        return fmpq(0)
    C = columns(matrix(problem.given.Phi), m.independent)
    v = [1 / next(x for x in column if x != 0) for column in C.transpose().tolist()]
    limit = fmpq(1)
    for i, row in enumerate(m.Y.tolist()):
        scaled = [y * w / v[i] for y, w in zip(row, v, strict=True)]
        if any(y < 0 for j, y in enumerate(scaled) if j != i):
            return fmpq(0)
        total = sum(scaled, fmpq(0))
        if total > 0:
            limit = min(limit, m.X[i, i] / total)
    return limit
