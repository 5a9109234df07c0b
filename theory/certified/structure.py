r"""Cheap certificates that see the structure of a problem, at any scale of its numbers.

- **Complete**: rank Φ = S, tabular or any invertible features. Then Π = I and ρ(γΠP) = ρ(γP) ≤ γ‖P‖_∞.
- **Dominance**: diagonal dominance of the rows with weights w > 0; all ones for aggregated states, whose X⁻¹Y is
  stochastic, else a guess of Perron's vector of |diag|⁻¹|rest|.
- **Blocks**: the strongly connected components of the pattern of (N, E), in their order, make both block triangular.
"""

from __future__ import annotations

from fractions import Fraction
from graphlib import TopologicalSorter

import numpy as np
from flint import fmpq, fmpq_mat

from theory.certified.certificates import Complete, Dominance, Question
from theory.exact.blocks import strong_components
from theory.exact.matrices import fraction, identity, matrix
from theory.problems.numbers import Array, FloatArray

SWEEPS = 60


def complete(question: Question) -> Complete | None:
    """Do the features of a chain distinguish all states, and does γP contract?"""
    q = question
    if q.kind != "chain" or q.Phi is None or q.P is None or q.Phi.shape[0] > q.Phi.shape[1]:
        return None
    norm = max(sum(map(Fraction, row)) for row in q.P.tolist())
    if Fraction(q.gamma) * norm >= 1 or matrix(q.Phi).rank() < len(q.Phi):
        return None
    return Complete()


def dominance(N: fmpq_mat, E: fmpq_mat | None, disc: bool) -> Dominance | None:
    """Weights for which the pencil (E = None is I) is diagonally dominant; None where none were found."""
    n = N.nrows()
    size = [[abs(x) for x in row] for row in N.tolist()]
    if disc:
        e = [[abs(x) for x in row] for row in (identity(n) if E is None else E).tolist()]
        diagonal = [e[i][i] - size[i][i] for i in range(n)]
        rest = [[size[i][j] + e[i][j] for j in range(n)] for i in range(n)]
    else:
        diagonal, rest = [N[i, i] for i in range(n)], size
    if min(diagonal) <= 0:
        return None
    ratios = fmpq_mat(
        [[fmpq(0) if i == j else x / diagonal[i] for j, x in enumerate(row)] for i, row in enumerate(rest)]
    )
    for w in _weights(ratios):
        column = matrix(w)
        if all(x < y for x, y in zip((ratios * column).entries(), column.entries(), strict=True)):
            return Dominance(w)
    return None


def _weights(ratios: fmpq_mat) -> list[Array]:
    """Ones, and where the rows' sums exceed one Perron's vector in floats, as dyadic numbers that are not 0."""
    n = ratios.nrows()
    ones = np.array([Fraction(1)] * n, dtype=object)
    with np.errstate(all="ignore"):
        R = np.array([[_float(x) for x in row] for row in ratios.tolist()])
        if not np.isfinite(R).all():
            return [ones]
        v = np.ones(n)
        for _ in range(SWEEPS):  # (I + R)v is positive and goes to Perron's vector
            v = v + R @ v
            v = v / v.max()
        v = np.maximum(v, 1e-250)
    return [ones, np.array([Fraction(x) for x in v.tolist()], dtype=object)]


def components(N: fmpq_mat, E: fmpq_mat | None) -> list[list[int]]:
    """The strongly connected components of the pattern, so ordered that from a later to an earlier one all is zero."""
    matrices = (N,) if E is None else (N, E)
    blocks = strong_components(*matrices)
    if len(blocks) == 1:
        return blocks
    label = {i: k for k, members in enumerate(blocks) for i in members}
    after = [set[int]() for _ in blocks]
    for m in matrices:
        for i, row in enumerate(m.tolist()):
            after[label[i]] |= {label[j] for j, x in enumerate(row) if x != 0}
    order = TopologicalSorter({k: later - {k} for k, later in enumerate(after)}).static_order()
    return [blocks[k] for k in reversed(list(order))]


def balanced(G: FloatArray) -> tuple[int, ...]:
    """s with 2^(s_i − s_j)|G_ij| of rows and columns about alike (Osborne), from the logarithms of |G|."""
    n = len(G)
    s = np.zeros(n)
    off = G.copy()
    np.fill_diagonal(off, -np.inf)
    for _ in range(20):
        for i in range(n):
            row, column = (off[i] - s).max(), (off[:, i] + s).max()
            if np.isfinite(row) and np.isfinite(column):
                s[i] = (column - row) / 2
    s = s - np.median(s)
    return tuple(int(x) for x in np.clip(np.rint(s), -50_000, 50_000))


def _float(x: fmpq) -> float:
    try:
        return float(fraction(x))
    except OverflowError:
        return np.inf
