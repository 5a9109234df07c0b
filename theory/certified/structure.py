r"""Cheap certificates that see the structure of a problem, at any scale of its numbers.

- **Complete**: rank Φ = S, tabular or any invertible features. Then Π = I and ρ(γΠP) = ρ(γP) ≤ γ‖P‖_∞.
- **Dominance**: diagonal dominance of the rows with weights w > 0; all ones for aggregated states, whose X⁻¹Y is
  stochastic; else, with R = |diag|⁻¹|rest|, a guess of Perron's vector, or w = (I − R)⁻¹1, which is positive and
  Rw = w − 1 < w wherever there are any such weights.
- **Blocks**: the strongly connected components of the pattern of (N, E), in their order, make both block triangular.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from graphlib import TopologicalSorter

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.balls import LONGEST, balls, dyadic, precision, unit
from theory.certified.evidence import Complete, Dominance
from theory.certified.questions import ChainUnbiased, Question
from theory.exact.blocks import strong_components
from theory.exact.matrices import fraction, identity, matrix
from theory.problems.numbers import Array, FloatArray

SWEEPS = 60
RESOLVENT = (128, 512)  # bits


def complete(question: Question) -> Complete | None:
    """Do the features of a chain distinguish all states, and does γP contract?"""
    q = question
    if not isinstance(q, ChainUnbiased) or q.Phi.shape[0] > q.Phi.shape[1]:
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


def disc_dominance(N: arb_mat, alpha: arb | None) -> Dominance | None:
    """The same for the disc and balls at the present precision: |G|w < w, G = N, or I − αN without its cancellation."""
    n = N.nrows()
    rows = [[abs(x if alpha is None else alpha * x) for x in row] for row in N.tolist()]
    diagonal = [1 - rows[i][i] for i in range(n)]
    if alpha is not None:  # 1 − |1 − x| = min(x, 2 − x), also where a ball does not tell which
        diagonal = [x.min(2 - x) for x in (alpha * N[i, i] for i in range(n))]
    if not all(x > 0 for x in diagonal):
        return None
    ratios = arb_mat([[arb(0) if i == j else rows[i][j] / diagonal[i] for j in range(n)] for i in range(n)])
    w = _resolvent(ratios)
    if w is None:
        return None
    column = balls(w[:, None])
    dominant = zip((ratios * column).entries(), column.entries(), strict=True)
    return Dominance(w) if all(x < y for x, y in dominant) else None


def _weights(ratios: fmpq_mat) -> Iterator[Array]:
    """Ones; Perron's vector in floats, as dyadic numbers that are not 0; and (I − R)⁻¹1 from balls."""
    n = ratios.nrows()
    yield np.array([Fraction(1)] * n, dtype=object)
    with np.errstate(all="ignore"):
        R = np.array([[_float(x) for x in row] for row in ratios.tolist()])
        v = np.ones(n)
        for _ in range(SWEEPS if np.isfinite(R).all() else 0):  # (I + R)v is positive and goes to Perron's vector
            v = v + R @ v
            v = v / v.max()
        v = np.maximum(v, 1e-250)
    yield np.array([Fraction(x) for x in v.tolist()], dtype=object)
    for bits in RESOLVENT:
        with precision(bits):
            w = _resolvent(arb_mat(ratios))
        if w is not None:
            yield w


def _resolvent(R: arb_mat) -> Array | None:
    """(I − R)⁻¹1 for R ≥ 0 as dyadic numbers; None unless surely positive: ρ(R) < 1, and balls that see it."""
    n = R.nrows()
    try:
        w = (unit(n) - R).solve(arb_mat([[1]] * n))
    except ZeroDivisionError:
        return None
    if not all(x.is_finite() and 0 < x < arb(2) ** LONGEST for x in w.entries()):  # 1 at least, being 1 + Rw
        return None
    return dyadic(w)[:, 0]


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
