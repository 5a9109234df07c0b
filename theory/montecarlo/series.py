r"""ρ(W) < 1 for a matrix that is rank one and a small rest, by a power series instead of products, compiled.

The chain's step in whitened coordinates is W = f gᵀ + R: f and g are what the whitening makes of Φᵀd and γΦᵀPᵀd, and R
is what P does beyond its mean row, P = 1pᵀ + E with p = Pᵀd. R is small where rows of P are alike. If ρ(R) < 1,

    det(I − wW) = det(I − wR) h(w),        h(w) = 1 − Σ_k c_k w^{k+1},        c_k = gᵀRᵏf

so that ρ(W) < 1 ⇔ h has no zero in |w| ≤ 1. A coefficient costs a product with a vector. h is decided by

- Σ|c_k| < 1: no zero. h(1) < 0: a zero in (0, 1), since h(0) = 1.
- otherwise by its winding number around the circle, in steps that are proved to be short enough: with |h'| ≤ L, a step
  of angle |h|/2L changes h by less than |h|.

*Errors.* W is given up to e in Frobenius norm, so R up to e' = e + 2u(‖W‖ + ‖f‖‖g‖). t_k = Rᵏf is computed up to
ε_{k+1} = (‖R‖ + e')ε_k + (e' + (F+2)u‖R‖)‖t_k‖. What is left out after m terms is at most
‖g‖(‖t_m‖ + ε_m)/(1 − ‖R‖ − e'); where ‖R‖ ≥ 1, it takes R² in place of R: ‖g‖(‖t_m‖ + ‖t_{m+1}‖ + …)/(1 − ‖R²‖ − …).
"""

from __future__ import annotations

import numpy as np

from theory.machine_code import njit
from theory.montecarlo.dense import NO, OPEN, YES, apply, copy_vector, dot, length, norm, product
from theory.montecarlo.dense import UNIT as _U

TERMS = 24
_STEPS = 2000


@njit(cache=True)
def series_verdict(W, error, f, g, R, work, t, s, c):  # type: ignore[no-untyped-def]
    """YES or NO to ρ(W') < 1 for all W' within `error` of W, or OPEN; R, work, t, s (F,) and c (TERMS,) are room."""
    F = len(W)
    for a in range(F):
        for b in range(F):
            R[a, b] = W[a, b] - f[a] * g[b]
    size_R, size_f, size_g = norm(R), length(f), length(g)
    e = 1.01 * (error + 2.0 * _U * (norm(W) + size_f * size_g))
    q = size_R + e
    pairs = not q < 0.9
    if pairs:
        product(R, R, work)
        contraction = norm(work) + 1.01 * (2.0 * size_R * e + e * e + (F + 2) * _U * size_R * size_R)
    else:
        contraction = q
    if not contraction < 0.9:
        return OPEN
    copy_vector(f, t)
    off, before = 0.0, np.inf  # of t, and the norm of the t before
    total, plain, wrong = 0.0, 0.0, 0.0  # sums of |c|, of c, of their errors
    for m in range(TERMS + 1):
        size_t = length(t)
        if m > 0:
            rest = size_t + off + (contraction * before if pairs else 0.0)
            wrong_all = 1.01 * (wrong + size_g * rest / (1.0 - contraction)) + 1e-13 * total
            if total + wrong_all < 1.0:
                return YES
            if 1.0 - plain + wrong_all < 0.0:
                return NO
            if m == TERMS or size_g * rest < 1e-8:
                return winding(c, m, wrong_all)
        c[m] = dot(g, t)
        total += abs(c[m])
        plain += c[m]
        wrong += size_g * (off + (F + 2) * _U * size_t)
        before = size_t + off
        off = 1.01 * (q * off + (e + (F + 2) * _U * size_R) * size_t)
        apply(R, t, s)
        copy_vector(s, t)
    return OPEN


@njit(cache=True)
def winding(c, m, off):  # type: ignore[no-untyped-def]
    """YES if 1 − Σ c_k w^{k+1} + (anything analytic of modulus ≤ off) has no zero in |w| ≤ 1, NO if it has one."""
    plain, slope = 0.0, 0.0
    for k in range(m):
        plain += c[k]
        slope += (k + 1) * abs(c[k])
    # Once around the upper half circle; the lower half is its mirror image.
    angle, turned = 0.0, 0.0
    here = complex(1.0 - plain, 0.0)
    for _ in range(_STEPS):
        size = abs(here) - off
        if not size > 1e-9:
            return OPEN
        if angle >= np.pi:
            return YES if abs(turned) < 1.0 else NO
        angle = min(angle + 0.5 * size / slope, np.pi)
        w = complex(np.cos(angle), np.sin(angle))
        there = complex(0.0, 0.0)
        for k in range(m - 1, -1, -1):
            there = (there + c[k]) * w
        there = 1.0 - there
        ratio = there * here.conjugate()
        turned += np.arctan2(ratio.imag, ratio.real)
        here = there
    return OPEN
