r"""From (Φ, P, d) to two verdicts, compiled: one problem at a time, with its matrices in the cache.

**Moments** X, Y and their errors ΔX, ΔY: `theory.montecarlo.moments`. u = 2⁻⁵³; norms are Frobenius norms.

**Whitening.** K = L⁻¹, X = LLᵀ. Then KXKᵀ = I + R, and W ≈ KYKᵀ is the chain's step in coordinates with X = I
(extra-basis): the pencil (Y, X) has the eigenvalues of (I + R)⁻¹KYKᵀ, and A is congruent to I + R − KYKᵀ. R is
measured, so nothing depends on how good K is:

    ‖R‖ ≤ r = ‖fl(KXKᵀ) − I‖ + ‖K‖²(ΔX + 2(F+2)u‖X‖)            ‖W − KYKᵀ‖ ≤ w = ‖K‖²(ΔY + 2(F+2)u‖Y‖)

and W is within w + (‖W‖ + w) r/(1 − r) of a matrix with the pencil's eigenvalues. r < 1 proves that X is regular.

**TD.** A + Aᵀ ≻ 0 if ‖sym W‖₂ + r + w < 1. Otherwise the Cayley transform takes the half plane to the disc:

    C = 2h(A + hI)⁻¹ − I,     λ ↦ (h − λ)/(h + λ),     |·| < 1 ⇔ Re λ > 0,     h = √(tr X / tr X⁻¹)

With J what `invert` calls (A + hI)⁻¹ and s = ‖fl(J(A + hI)) − I‖ + ‖J‖(ΔA + (F+3)u‖A + hI‖), the true inverse is
within ‖J‖ s/(1 − s) of J.

**Disc.** Repeated squaring, `theory.montecarlo.squaring`: first with ν = ‖C‖_F, then with the sharper ν.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from theory.montecarlo.dense import UNIT as _U
from theory.montecarlo.dense import (
    copy,
    inverse_factor,
    invert,
    left_product,
    norm,
    product,
    right_product,
    scale,
    shift,
    symmetrise,
    weigh,
)
from theory.montecarlo.squaring import CAREFUL_SQUARINGS, HUGE, NO, OPEN, SQUARINGS, YES

# By which test a verdict was found; 0 is none.
TESTS = ("open", "rank", "norm", "symmetric", "squaring")
_RANK, _NORM, _SYMMETRIC, _SQUARING = 1, 2, 3, 4


@njit(cache=True)
def quick_verdicts(Phi, P, d, discount, n_steps, td, td_test, chain, chain_test, regular):  # type: ignore[no-untyped-def]
    """Fill in YES, NO or OPEN, the test that decided, and whether X is proved regular, for each problem of a batch."""
    n, S, F = Phi.shape
    weighted, ahead, behind = np.empty((S, F)), np.empty((S, F)), np.empty((S, F))
    X, Y, K, W = np.empty((F, F)), np.empty((F, F)), np.empty((F, F)), np.empty((F, F))
    C, T, U, V = np.empty((F, F)), np.empty((F, F)), np.empty((F, F)), np.empty((F, F))
    order = np.empty(F, np.int64)
    rounding = 2.02 * (F + 2) * _U
    for i in range(n):
        td[i] = chain[i] = OPEN
        td_test[i] = chain_test[i] = 0
        regular[i] = False
        trace, largest = weigh(Phi[i], d[i], weighted)
        left_product(weighted, Phi[i], X)
        symmetrise(X, X)
        product(P[i], Phi[i], ahead)
        for _ in range(n_steps - 1):
            copy(ahead, behind)
            product(P[i], behind, ahead)
        left_product(weighted, ahead, Y)
        scale(Y, discount)
        error_X = 1.01 * (S + 6) * _U * trace
        error_Y = 1.01 * ((n_steps + 1) * S + 3 * n_steps + 9) * _U * np.sqrt(trace * largest)

        if not inverse_factor(X, K, T):
            continue
        product(K, X, T)
        right_product(T, K, W)
        shift(W, -1.0)
        size_X, size_Y, k2 = norm(X), norm(Y), norm(K) ** 2
        r = norm(W) + k2 * (error_X + rounding * size_X) + F * _U
        if not r < 1.0:
            continue
        regular[i] = True
        if S == F:
            # Π = I. The norm tests for TD need W and almost never succeed here.
            chain[i], chain_test[i] = YES, _RANK
        else:
            product(K, Y, T)
            right_product(T, K, W)
            w = k2 * (error_Y + rounding * size_Y)
            size = norm(W)
            error = w + (size + w) * r / (1.0 - r)
            if size + error < 1.0:
                chain[i], chain_test[i] = YES, _NORM
            else:
                chain[i] = _inside(W, error, C, T, U)
                chain_test[i] = _SQUARING if chain[i] != OPEN else 0
            if size + r + w < 1.0:
                td[i], td_test[i] = YES, _NORM
                continue
            symmetrise(W, C)
            product(C, C, T)
            # ‖H‖₂² = ‖H²‖₂ ≤ ‖H²‖_F for symmetric H
            if np.sqrt(norm(T) + (F + 4) * _U * size * size) + r + w + _U * size < 1.0:
                td[i], td_test[i] = YES, _SYMMETRIC
                continue
        error_A = error_X + error_Y + 2.0 * _U * (size_X + size_Y)
        error = _cayley(X, Y, np.sqrt(trace / k2), error_A, V, T, U, order)
        if error < 1.0:
            td[i] = _inside(V, error, C, T, U)
            td_test[i] = _SQUARING if td[i] != OPEN else 0


@njit(cache=True)
def _cayley(X, Y, h, error_A, C, M, work, order):  # type: ignore[no-untyped-def]
    """C = 2h(A + hI)⁻¹ − I, and a bound for its error: inf where there is none."""
    F = len(X)
    for a in range(F):
        for b in range(F):
            M[a, b] = X[a, b] - Y[a, b]
    shift(M, h)
    copy(M, C)
    if not invert(C, order):
        return np.inf
    product(C, M, work)
    shift(work, -1.0)
    size, size_M = norm(C), norm(M)
    s = norm(work) + F * _U + size * (error_A + 1.01 * (F + 3) * _U * size_M)
    if not s < 1.0:
        return np.inf
    scale(C, 2.0 * h)
    shift(C, -1.0)
    return 1.01 * (2.0 * h * size * s / (1.0 - s) + 4.0 * _U * (2.0 * h * size + np.sqrt(F)))


@njit(cache=True)
def _inside(M, error, C, D, E):  # type: ignore[no-untyped-def]
    """YES or NO to ρ(M) < 1, OPEN where the error grows too large; C, D and E are room to work."""
    copy(M, C)
    verdict = _square(C, error, D, E, False)
    if verdict == OPEN:
        copy(M, C)
        verdict = _square(C, error, D, E, True)
    return verdict


@njit(cache=True)
def _square(C, e, D, E, careful):  # type: ignore[no-untyped-def]
    F = len(C)
    root = np.sqrt(F)
    for _ in range((CAREFUL_SQUARINGS if careful else SQUARINGS) + 1):
        size = norm(C)
        if size + e < 1.0:
            return YES
        trace = 0.0
        for a in range(F):
            trace += C[a, a]
        if abs(trace) - root * e - 2.0 * F * _U * size * root > F:
            return NO
        if not (e < 1.0 and size < HUGE):
            return OPEN
        bound = size
        if careful:
            left_product(C, C, D)
            product(D, D, E)
            bound = min(size, np.sqrt(np.sqrt(norm(E))) * 1.0001)
        product(C, C, D)
        C, D = D, C
        e = 1.01 * (2.0 * bound * e + e * e + (F + 2) * _U * size * size)
    return OPEN
