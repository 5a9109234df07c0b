r"""Moments of any order over a chain of affine maps, in coordinates without repetition.

The p-th moments of y at a node are E[y_a y_b ⋯ 1{node}] for a ≤ b ≤ …, h = C(n + p − 1, p) numbers for n = D + 1.
A move y ← My takes them to themselves by the p-th symmetric power of M,

    (Sᵖ M)[(a, b, …), (i ≤ j ≤ …)] = Σ over orderings (i', j', …) of (i, j, …) of M[a, i'] M[b, j'] ⋯ ,

and all nodes together by one matrix of size N·h. For p = 4 and Baird's seven errors that is 2,310, where full tensors
have 28,672 numbers.
"""

from __future__ import annotations

from functools import cache, reduce
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np

from theory.noise.errors import ErrorChain
from theory.problems import InvalidProblem
from theory.problems.numbers import Array, FloatArray

MAX_NUMBERS = 2500  # moments: a dense matrix of 50 MB


@cache
def monomials(n: int, order: int) -> tuple[tuple[int, ...], ...]:
    """All a ≤ b ≤ … of n indices."""
    return tuple(combinations_with_replacement(range(n), order))


@cache
def sorted_places(n: int, order: int) -> Array:
    """(n^order,): which monomial each tuple of indices is."""
    index = {m: i for i, m in enumerate(monomials(n, order))}
    return np.array([index[tuple(sorted(t))] for t in np.ndindex(*[n] * order)])


@cache
def _halves(n: int, order: int) -> tuple[Array, Array, Any]:
    """Of each monomial a ≤ b ≤ … both halves, and the sparse (h, h'²) matrix that adds up products of two halves."""
    from scipy.sparse import csr_array

    halves, whole = monomials(n, order // 2), monomials(n, order)
    place, index = ({m: i for i, m in enumerate(found)} for found in (halves, whole))
    first, second = (np.array([place[m[part]] for m in whole]) for part in (slice(order // 2), slice(order // 2, None)))
    into = [index[tuple(sorted((*a, *b)))] for a in halves for b in halves]
    return first, second, csr_array((np.ones(len(into)), (into, np.arange(len(into)))))


def symmetric_power(M: FloatArray, order: int) -> FloatArray:
    """(h, h): what y ← My does to the moments of that order, a power of two: products of the two halves' orders."""
    if order == 1:
        return M
    half = symmetric_power(M, order // 2)
    first, second, gathered = _halves(len(M), order)
    left, right = half[first].T, half[second].T
    products = (left[:, None, :] * right[None, :, :]).reshape(-1, len(first))
    return np.asarray((gathered @ products).T)


def moment_matrix(chain: ErrorChain, order: int, constant: bool = True, most: int = MAX_NUMBERS) -> FloatArray:
    """(N·h, N·h), of y = (x, 1), or of x alone as if no constant drove it; in floats."""
    N, n = len(chain.law), chain.size + (1 if constant else 0)
    h = comb(n + order - 1, order)
    if N * h > most:
        words = {2: "second", 4: "fourth"}[order]
        raise InvalidProblem(f"{N * h:,} {words} moments are more than {most:,}", "learner")
    L = np.zeros((N, h, N, h))
    for i, j, p, M in zip(chain.node, chain.next_node, chain.probability, chain.maps[:, :n, :n], strict=True):
        L[j, :, i, :] += float(p) * symmetric_power(M.astype(np.float64), order)
    return L.reshape(N * h, N * h)


def start_moments(chain: ErrorChain, order: int, scale: float) -> FloatArray:
    """(N·h,): before the first move, y a Gaussian vector with mean m and covariance C (Isserlis).

    E[y_a y_b] = C_ab + m_a m_b, and of four the sum over all ways to pair up some of them, the others by their means.
    """
    n = chain.size + 1
    m = np.append(-chain.centre.astype(np.float64), 1.0)
    C = np.zeros((n, n))
    spread = chain.spread.astype(np.float64)
    C[:-1, :-1] = scale**2 * spread @ spread.T
    moments = np.array([_gaussian(m, C, where) for where in monomials(n, order)])
    return np.outer(chain.first.astype(np.float64), moments).ravel()


def _gaussian(m: FloatArray, C: FloatArray, where: tuple[int, ...]) -> float:
    if not where:
        return 1.0
    first, *rest = where
    total = m[first] * _gaussian(m, C, tuple(rest))
    for k, other in enumerate(rest):
        total += C[first, other] * _gaussian(m, C, tuple(rest[:k] + rest[k + 1 :]))
    return float(total)


def form_of_moments(form: FloatArray, order: int) -> FloatArray:
    """(N·h,): the weights w with w·moments = Σ_i E[(yᵀ form_i y)^(order/2) 1{node i}]."""
    N, n = form.shape[:2]
    places, h = sorted_places(n, order), len(monomials(n, order))
    found = np.zeros((N, h))
    for i in range(N):
        power = reduce(np.multiply.outer, [form[i].astype(np.float64)] * (order // 2))
        found[i] = np.bincount(places, power.ravel(), h)
    return found.ravel()
