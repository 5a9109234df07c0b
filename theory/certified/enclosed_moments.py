r"""The moments of a large problem, each entry between bounds that are proved; what its verdicts are made of.

    X = ΦᵀDΦ        Y = ΦᵀDPΦ        b = ΦᵀDr        r×r and r, in doubles with bounds (`theory.certified.over_states`)

The features must be independent: X ≻ 0 is proved. Where it cannot be, the rows of Φ are looked at: if there are few
different ones (aggregated or copied states), the leftmost independent columns C and R of Φ = CR are found exactly, and
the moments are those of C, with G = RRᵀ as in `theory.model.linear_model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.certified.bounded import Bounded
from theory.certified.over_states import OverStates, Transitions, Weights, given, summed
from theory.exact.matrices import fractions, independent_columns, matrix
from theory.problems.large import LargeProblem
from theory.problems.numbers import Array, FloatArray

KINDS = 4096  # different rows of Φ, up to which exact elimination is quick


@dataclass(frozen=True, eq=False)
class Enclosed:
    """What is known of a large problem: moments between bounds, and the arrays that they are sums of."""

    Phi: OverStates  # (S, r), C
    P: Transitions
    ahead: OverStates  # (S, r), PC
    d: Weights
    X: Bounded  # (r, r)
    Y: Bounded  # (r, r)
    b: Bounded  # (r, 1)
    R: Array | None  # (r, F) of fractions; None for I

    @property
    def rank(self) -> int:
        """r."""
        return len(self.X.mid)


def enclosed(problem: LargeProblem) -> Enclosed | None:
    """The moments; None where the features cannot be shown to be independent, or are too large or too small.

    Kept with the problem, like what `theory.problems.once` keeps; the discount is not in it.
    """
    known = problem.__dict__.setdefault("_kept", {})
    if enclosed not in known:
        known[enclosed] = _enclosed(problem)
    found: Enclosed | None = known[enclosed]
    return found


def _enclosed(problem: LargeProblem) -> Enclosed | None:
    d, R, C = Weights(problem.d_mu), None, given(problem.Phi)
    X = summed(C, d, C)
    if X is None:
        return None
    if not X.is_positive_definite():
        chosen = independent(problem.Phi)
        if chosen is None:
            return None
        columns, R = chosen
        C = given(np.ascontiguousarray(problem.Phi[:, columns]))
        X = summed(C, d, C)
        if X is None or not X.is_positive_definite():
            return None
    P = Transitions(problem.successors)
    ahead = P.times(C)
    Y, b = summed(C, d, ahead), summed(C, d, given(problem.r_pi))
    return None if Y is None or b is None else Enclosed(C, P, ahead, d, X, Y, b, R)


def independent(Phi: FloatArray) -> tuple[list[int], Array] | None:
    """The leftmost independent columns and R (r, F) of Φ = CR, exactly; None where Φ has too many different rows."""
    rows = _different(Phi)
    if rows is None:
        return None
    exact = matrix(rows)
    if exact.rank() == 0:
        return [], np.empty((0, Phi.shape[1]), dtype=object)
    chosen = independent_columns(exact)
    return list(chosen), fractions(exact.rref()[0]).reshape(exact.nrows(), -1)[: len(chosen)]


def _different(Phi: FloatArray) -> FloatArray | None:
    """The different rows: guessed by a sum of each with random factors, and then compared."""
    sums = Phi @ np.random.default_rng(0).random(Phi.shape[1])
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    if len(first) > KINDS:
        return None
    rows: Any = Phi[first]
    for start in range(0, len(Phi), KINDS):
        here = slice(start, start + KINDS)
        if not np.array_equal(rows[which[here]], Phi[here]):
            return None
    found: FloatArray = rows
    return found
