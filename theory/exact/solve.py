"""Linear systems over the rationals, singular ones included.

One reduction of [M | B] to row echelon form [R | C] answers everything: MZ = B has a solution exactly when
no pivot falls into the right part, R is then a basis of the row space of M, and the solution of least norm is

    Z = Rᵀ(RRᵀ)⁻¹C = M⁺B.

The row space is where θ can be learnt: for X = ΦᵀDΦ it is that of Φ, and what lies outside changes no value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from flint import fmpq_mat

from theory.exact.matrices import identity


def least_norm_solution(M: fmpq_mat, B: fmpq_mat) -> fmpq_mat | None:
    """The Z of least norm with MZ = B, or None where there is none.

    >>> least_norm_solution(fmpq_mat([[1, 1]]), fmpq_mat([[1]]))
    [1/2]
    [1/2]
    """
    n, m = M.ncols(), B.ncols()
    if M.nrows() == n:
        try:
            return M.solve(B)
        except ZeroDivisionError:  # singular: the general way
            pass
    joined = fmpq_mat([left + right for left, right in zip(M.tolist(), B.tolist(), strict=True)])
    reduced, rank = joined.rref()
    rows = [row for row in reduced.tolist()[:rank] if any(row[:n])]
    if len(rows) < rank:
        return None
    if not rows:
        return fmpq_mat(n, m)
    R, C = fmpq_mat([row[:n] for row in rows]), fmpq_mat([row[n:] for row in rows])
    return R.transpose() * (R * R.transpose()).solve(C)


def pseudo_inverse(M: fmpq_mat) -> fmpq_mat:
    """M⁺ of Moore and Penrose by the full-rank factorisation M = CR: M⁺ = Rᵀ(RRᵀ)⁻¹(CᵀC)⁻¹Cᵀ.

    >>> pseudo_inverse(fmpq_mat([[1, 1], [1, 1]]))
    [1/4, 1/4]
    [1/4, 1/4]
    """
    R = row_basis(M)
    if R is None:
        return fmpq_mat(M.ncols(), M.nrows())
    pivots = [next(j for j, x in enumerate(row) if x != 0) for row in R.tolist()]
    C = fmpq_mat([[row[j] for j in pivots] for row in M.tolist()])
    Ct, Rt = C.transpose(), R.transpose()
    return Rt * (R * Rt).solve((Ct * C).solve(Ct))


def row_basis(M: fmpq_mat) -> fmpq_mat | None:
    """The nonzero rows of M's reduced row echelon form; None for M = 0, which has none."""
    reduced, rank = M.rref()
    return fmpq_mat(reduced.tolist()[:rank]) if rank else None


def power(M: Any, k: int) -> Any:
    """Mᵏ by repeated squaring, in whatever arithmetic M has; M⁰ is rational."""
    if k == 0:
        return identity(M.nrows())
    out = M
    for bit in bin(k)[3:]:
        out = out * out
        if bit == "1":
            out = out * M
    return out


def geometric_sum(M: Any, k: int, one: Any = None, times: Callable[[Any, Any], Any] = operator.mul) -> tuple[Any, Any]:
    """Mᵏ and W_k = I + M + … + Mᵏ⁻¹, doubling k: W_2k = W_k + MᵏW_k and W_k+1 = W_k + Mᵏ.

    In whatever arithmetic M has; where that is not FLINT's rationals, `one` is its I, and `times` its product.
    """
    one = identity(M.nrows()) if one is None else one
    if k == 0:
        return one, one - one
    P, W = M, one
    for bit in bin(k)[3:]:
        P, W = times(P, P), W + times(P, W)
        if bit == "1":
            P, W = times(P, M), W + P
    return P, W
