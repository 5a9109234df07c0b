"""The stationary distribution d of a chain P: dᵀP = dᵀ, Σd = 1.

It is unique exactly when the transition graph has one closed communicating class, whatever the
period: a power iteration would not see that on a periodic chain, a linear solve does. Two routes:

- exact: a rational solve of (Pᵀ − I) d = 0 with the last equation replaced by Σd = 1;
- floats: GTH elimination (Grassmann, Taksar and Heyman 1985), which never subtracts, so every
  entry of d is accurate to a small relative error even when the chain is nearly decomposable.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.graph import closed_classes
from theory.problems.numbers import Array, FloatArray, is_exact, solve_exactly


def stationary_distribution(P: Array, *where: str | int) -> Array:
    """The unique d with dᵀP = dᵀ, of the same kind as `P`; an error where it is not unique.

    >>> stationary_distribution(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [0.5, 0.5]
    """
    classes = closed_classes(P)
    if len(classes) > 1:
        shown = " and ".join(
            "{" + ", ".join(map(str, sorted(c)[:4])) + ("…}" if len(c) > 4 else "}") for c in classes[:2]
        )
        raise InvalidProblem(
            f"the stationary distribution is not unique: the chain has {len(classes)} closed classes, {shown}", *where
        )
    recurrent = sorted(classes[0])
    block = P[np.ix_(recurrent, recurrent)]
    d = np.zeros(len(P), dtype=P.dtype)
    if is_exact(P):
        d[:] = Fraction(0)
        d[recurrent] = _rational_solve(block)
    else:
        d[recurrent] = gth(block)
    d.flags.writeable = False
    return d


def gth(P: FloatArray) -> FloatArray:
    """GTH elimination for an irreducible chain: Gaussian elimination without subtraction."""
    T = np.array(P, dtype=np.float64)
    n = len(T)
    for k in range(n - 1, 0, -1):
        # Censor state k: its off-diagonal row mass takes the place of 1 − T[k, k].
        T[:k, k] /= T[k, :k].sum()
        T[:k, :k] += np.outer(T[:k, k], T[k, :k])
    d = np.ones(n)
    for k in range(1, n):
        d[k] = d[:k] @ T[:k, k]
    return d / d.sum()


def _rational_solve(P: Array) -> Array:
    equations = P.T - np.eye(len(P), dtype=int)
    equations[-1] = 1
    return solve_exactly(equations, np.eye(len(P), dtype=int)[-1])
