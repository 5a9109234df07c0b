r"""The moments of a large problem a second time, by another road: integers in slices, and P from the other side.

    X = Φᵀ(DΦ)        Y = (PᵀDΦ)ᵀΦ        so P is applied to what is on the left of it, not to Φ

Every column is scaled by a power of two to size one and cut into three slices of 20 bits, integers in doubles. A
product of two slices over up to 2¹³ rows is at most 2⁵³ and so it is right in doubles, whatever the order of its sums;
the blocks are added as integers. So nothing is rounded in a sum, and what is left of the error is known:

- what the slices leave off, 2⁻⁶⁰ of each factor, and the products of late slices that are left out, (4 + 2)·2⁻⁶⁰:
  S times 8·2⁻⁶⁰ of the two largest entries in all;
- the factors DΦ and PᵀDΦ are themselves rounded, by u and by (c + 2)u where a column of P has c entries: by Cauchy,
  Schwarz and Jensen that is at most (c + 3)u √X_ii √Z_jj, Z_jj = Σ_s (Pᵀd)_s φ_j(s)², or √X_jj for X.

NumPy and nothing else of this package. The result is a pair (midpoints, bounds) for each matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH, SLICES, ROWS, BLOCKS = 20, 3, 2**11, 2**8
UNIT = 2.0**-53

Enclosure = tuple[Any, Any]


def moments(Phi: Any, P: Any, d: Any) -> tuple[Enclosure, Enclosure]:
    """X and Y; `Phi` (S, r) and `d` (S,) doubles, `P` a SciPy sparse matrix."""
    r = Phi.shape[1]
    weighted = Phi * d[:, None]
    x = np.einsum("si,si->i", weighted, Phi)  # positive terms: off by far less than a millionth
    reached = P.T @ d
    z = np.einsum("s,si,si->i", reached, Phi, Phi)
    counts = int(np.bincount(P.indices, minlength=P.shape[1]).max(initial=1))
    rounded = np.vstack([UNIT * np.sqrt(np.outer(x, x)), (counts + 3) * UNIT * np.sqrt(np.outer(x, z))])
    mid, rad = _product((weighted, P.T @ weighted), Phi, rounded)
    return (mid[:r], rad[:r]), (mid[r:], rad[r:])


def _product(lefts: tuple[Any, ...], right: Any, rounded: Any) -> Enclosure:
    """(left₁ left₂ …)ᵀ right between bounds; its factors are off by `rounded`, as it comes out in the product."""
    S, r = right.shape
    a, b = np.concatenate([_exponents(M) for M in lefts]), _exponents(right)
    total = np.zeros((len(a), r), dtype=object)
    for start in range(0, S, ROWS * BLOCKS):
        levels = np.zeros((SLICES, len(a), r), dtype=np.int64)  # sums of 3·BLOCKS numbers below 2⁵³
        for first in range(start, min(start + ROWS * BLOCKS, S), ROWS):
            here = slice(first, first + ROWS)
            A, B = _slices(np.hstack([M[here] for M in lefts]), a), _slices(right[here], b)
            for i in range(SLICES):
                for j in range(SLICES - i):  # products of later slices are left out
                    levels[i + j] += (A[i].T @ B[j]).astype(np.int64)
        total += sum(level.astype(object) * (1 << WIDTH * (SLICES - 1 - k)) for k, level in enumerate(levels))
    # Level k is in units of 2^(−20(k + 2)), the last one's are those of the total.
    mid = np.ldexp(total.astype(np.float64), a[:, None] + b - WIDTH * (SLICES + 1))
    left_off = np.ldexp(8.0 * S * 2.0 ** -(WIDTH * SLICES), a[:, None] + b)
    return mid, 1.01 * (rounded + left_off) + 4 * UNIT * np.abs(mid) + 1e-250


def _exponents(M: Any) -> Any:
    """For each column a power of two above its entries."""
    top = np.maximum(M.max(axis=0, initial=0.0), -M.min(axis=0, initial=0.0))
    return np.frexp(top)[1]


def _slices(M: Any, exponents: Any) -> list[Any]:
    rest, out = M * np.ldexp(1.0, WIDTH - exponents), []
    for _ in range(SLICES):
        whole = np.trunc(rest)
        out.append(whole)
        rest = (rest - whole) * 2.0**WIDTH
    return out
