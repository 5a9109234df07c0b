r"""From (Φ, P, d) to two verdicts, compiled: one problem at a time, with its matrices in the cache.

**Moments** X, Y and their errors ΔX, ΔY: `theory.montecarlo.moments`. u = 2⁻⁵³; norms are Frobenius norms.

**F = S.** Π = I, so the chain needs no more than that Φ is regular: proved by A being so, where TD is stable, and by an
inverse of Φ otherwise. A = ΦᵀD(Φ − γⁿPⁿΦ) at once, without X and Y.

**Whitening**, F < S. X = LLᵀ, K = L⁻¹. Then W ≈ KYKᵀ is the chain's step in coordinates with X = I (extra-basis): with
KXKᵀ = I + R the pencil (Y, X) has the eigenvalues of (I + R)⁻¹KYKᵀ, and A is congruent to I + R − KYKᵀ. Cholesky's
factor has LLᵀ = X + Δ, ‖Δ‖ ≤ (F+4)u‖L‖², and substitution gives LK = I + Δ', ‖Δ'‖ ≤ (F+4)u‖L‖‖K‖ (Higham,
*Accuracy and Stability of Numerical Algorithms*, theorems 10.3 and 8.5), whence with κ = ‖L‖‖K‖, ‖L‖² = tr X

    ‖R‖ ≤ r = κ²((S + 6) + 3.2(F + 4))u            ‖W − KYKᵀ‖ ≤ w = ‖K‖²(ΔY + 2(F+2)u‖Y‖)

and W is within w + (‖W‖ + w) r/(1 − r) of a matrix with the pencil's eigenvalues. r < 1 proves that X is regular.

**Chain.** ‖W‖ < 1; else a power series (`theory.montecarlo.series`); else squaring.

**TD.** A + Aᵀ ≻ 0 if ‖sym W‖₂ + r + w < 1. Otherwise the Cayley transform takes the half plane to the disc:

    C = 2h(A + hI)⁻¹ − I,     λ ↦ (h − λ)/(h + λ),     |·| < 1 ⇔ Re λ > 0

for any h > 0; about ½√(tr X/tr X⁻¹) takes the fewest squarings. With J what is computed for (A + hI)⁻¹ and
s = ‖fl(J(A + hI)) − I‖ + ‖J‖(ΔA + (F+3)u‖A + hI‖), the true inverse is within ‖J‖ s/(1 − s) of J.

**Disc.** Repeated squaring: `theory.montecarlo.disc`.
"""

from __future__ import annotations

import numpy as np

from theory.machine_code import njit
from theory.montecarlo.dense import (
    OPEN,
    YES,
    apply,
    column_sums,
    copy,
    dot,
    inverse_factor,
    invert,
    invert_blocks,
    left_product,
    length,
    less,
    norm,
    product,
    right_product,
    scale,
    shift,
    symmetrise,
    weigh,
)
from theory.montecarlo.dense import UNIT as _U
from theory.montecarlo.disc import inside, room
from theory.montecarlo.series import TERMS, series_verdict

# By which test a verdict was found; 0 is none.
TESTS = ("open", "rank", "norm", "symmetric", "squaring", "series")
_RANK, _NORM, _SYMMETRIC, _SQUARING, _SERIES = 1, 2, 3, 4, 5


@njit(cache=True)
def quick_verdicts(Phi, P, d, discount, n_steps, td, td_test, chain, chain_test, regular):  # type: ignore[no-untyped-def]
    """Fill in YES, NO or OPEN, the test that decided, and whether Φ is proved regular, for each problem of a batch."""
    n, S, F = Phi.shape
    weighted, ahead, behind = np.empty((S, F)), np.empty((S, F)), np.empty((S, F))
    A, Y, K, W = np.empty((F, F)), np.empty((F, F)), np.empty((F, F)), np.empty((F, F))
    C, T, U, V = np.empty((F, F)), np.empty((F, F)), np.empty((F, F)), np.empty((F, F))
    powers = room(F)
    f, g, white_f, white_g = np.empty(F), np.empty(F), np.empty(F), np.empty(F)
    c = np.empty(TERMS)
    order = np.empty(F, np.int64)
    rounding = 2.02 * (F + 2) * _U
    for i in range(n):
        td[i] = chain[i] = OPEN
        td_test[i] = chain_test[i] = 0
        regular[i] = False
        trace, largest = weigh(Phi[i], d[i], weighted)
        product(P[i], Phi[i], ahead)
        for _ in range(n_steps - 1):
            copy(ahead, behind)
            product(P[i], behind, ahead)
        error_X = 1.01 * (S + 6) * _U * trace
        error_Y = 1.01 * ((n_steps + 1) * S + 3 * n_steps + 9) * _U * np.sqrt(trace * largest)
        if S == F:
            less(Phi[i], discount, ahead, behind)
            left_product(weighted, behind, A)
            error_A = 1.01 * (error_X + error_Y + 4.0 * _U * (trace + np.sqrt(trace * largest)))
            td[i] = _right_half(A, 0.2 * trace / (F * np.sqrt(F)), error_A, V, T, U, powers, order)
            td_test[i] = _SQUARING if td[i] != OPEN else 0
            if td[i] == YES or _is_regular(Phi[i], C, T, order):
                regular[i] = True
                chain[i], chain_test[i] = YES, _RANK
            continue

        left_product(weighted, Phi[i], A)  # X
        left_product(weighted, ahead, Y)
        scale(Y, discount)
        if not inverse_factor(A, K, T):
            continue
        size_Y, k2 = norm(Y), norm(K) ** 2
        r = 1.02 * trace * k2 * (S + 6 + 3.2 * (F + 4)) * _U
        if not r < 0.01:
            continue
        regular[i] = True
        product(K, Y, T)
        right_product(T, K, W)
        w = k2 * (error_Y + rounding * size_Y)
        size = norm(W)
        error = w + (size + w) * r / (1.0 - r)
        if size + error < 1.0:
            chain[i], chain_test[i] = YES, _NORM
        if size + r + w < 1.0:
            td[i], td_test[i] = YES, _NORM
            continue
        column_sums(d[i], Phi[i], f)
        column_sums(d[i], ahead, g)
        apply(K, f, white_f)
        apply(K, g, white_g)
        for a in range(F):
            white_g[a] *= discount
        if chain[i] == OPEN:
            chain[i] = series_verdict(W, error, white_f, white_g, C, T, f, g, c)
            chain_test[i] = _SERIES
            if chain[i] == OPEN:
                chain[i] = inside(W, error, powers)
                chain_test[i] = _SQUARING if chain[i] != OPEN else 0
        # The largest eigenvalue of sym(f gᵀ), about that of sym W: from 1 on there is nothing to hope for.
        if length(white_f) * length(white_g) + dot(white_f, white_g) < 2.0:
            symmetrise(W, C)
            product(C, C, T)
            # ‖H‖₂² = ‖H²‖₂ ≤ ‖H²‖_F for symmetric H
            if np.sqrt(norm(T) + (F + 4) * _U * size * size) + r + w + _U * size < 1.0:
                td[i], td_test[i] = YES, _SYMMETRIC
                continue
        error_A = error_X + error_Y + 2.0 * _U * (norm(A) + size_Y)
        less(A, 1.0, Y, A)
        td[i] = _right_half(A, 0.5 * np.sqrt(trace / k2), error_A, V, T, U, powers, order)
        td_test[i] = _SQUARING if td[i] != OPEN else 0


@njit(cache=True)
def _is_regular(Phi, J, work, order):  # type: ignore[no-untyped-def]
    """Whether Φ (F×F) has an approximate inverse J with ‖JΦ − I‖ < 1."""
    F = len(Phi)
    for once in range(2):
        copy(Phi, J)
        if not (invert_blocks(J, order) if once == 0 else invert(J, order)):
            continue
        product(J, Phi, work)
        shift(work, -1.0)
        if norm(work) + F * _U + 1.01 * (F + 2) * _U * norm(J) * norm(Phi) < 1.0:
            return True
    return False


@njit(cache=True)
def _right_half(A, h, error_A, C, D, E, powers, order):  # type: ignore[no-untyped-def]
    """YES or NO to Re λ(A) > 0, by the Cayley transform; again with another h where that fails. The others are room."""
    for _ in range(2):
        error = _cayley(A, h, error_A, C, D, E, order)
        if error < 1.0:
            verdict = inside(C, error, powers)
            if verdict != OPEN:
                return verdict
        h *= 8.0
    return OPEN


@njit(cache=True)
def _cayley(A, h, error_A, C, M, work, order):  # type: ignore[no-untyped-def]
    """C = 2h(A + hI)⁻¹ − I, and a bound for its error: inf where there is none."""
    F = len(A)
    copy(A, M)
    shift(M, h)
    size_M = norm(M)
    error = np.inf
    for once in range(2):
        copy(M, C)
        if not (invert_blocks(C, order) if once == 0 else invert(C, order)):
            continue
        product(C, M, work)
        shift(work, -1.0)
        residual, size = norm(work), norm(C)
        s = residual + F * _U + size * (error_A + 1.01 * (F + 3) * _U * size_M)
        # Where halves lose digits, row pivots do better.
        if residual < 1e-7 or once == 1:
            if s < 1.0:
                error = 1.01 * (2.0 * h * size * s / (1.0 - s) + 4.0 * _U * (2.0 * h * size + np.sqrt(F)))
            break
    scale(C, 2.0 * h)
    shift(C, -1.0)
    return error
