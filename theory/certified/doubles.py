r"""Proofs in double precision: a Cholesky factorisation that succeeds with a large enough shift.

u = 2⁻⁵³, m = max|Φ|, S states, F features. Everything is bounded by m alone, because the weights d and the rows of
P sum to one (to within 10⁻⁹, `theory.problems.validate`).

**Moments.** Computed X = ΦᵀDΦ, γY = γΦᵀDPΦ and A = X − γY differ from the exact ones, entry by entry, by at most

    e = (4S + 40) u m².

A sum of S products is off by at most Su/(1 − Su) times the sum of absolute products, in whatever order it is added
and with or without fused operations. X has one such sum, two factors more and up to three rounded inputs (exact
numbers are rounded first): (S + 6) u m². γY has two sums: (2S + 9) u m². A adds one rounding of both: in all
(3S + 17) u m², and the rest of e covers the second-order terms and the 10⁻⁹. Φ must lie in 10^±60, so that what
underflows (at most 10⁻³⁰⁷·10⁶⁰ in an entry) is far below e.

**Positive definiteness** (Rump). If Cholesky of the float matrix H − cI, n×n, runs to its end, then H is off from a
positive definite matrix by less than c' = 2(n + 3)u·n·h, h the largest entry on the diagonal of H; so if the true
matrix is within δ of H in norm and c ≥ δ + c', then it is positive definite. For an entrywise error ε, δ = nε.

**Signatures.** T of `theory.certified.candidates` is formed in floats. With ‖N‖, ‖E‖ ≤ F s (s bounds their entries) and
k = ‖K‖‖W‖ in Frobenius norms, KNW and KEW are off by at most η = k(Fε + 2(F + 2)u·F s), hence T by at most
2η(‖KNW‖ + ‖KEW‖) + 2η² + 2(F + 3)u(‖KNW‖ + ‖KEW‖)². (Times √2, as Cholesky reads one triangle and T is symmetric
only up to rounding.) All norms must lie in 10^±140, ‖W‖ below 10¹⁰⁰ and η above 10⁻¹⁴⁵: what underflows in a product,
2⁻¹⁰⁷⁴ a term and at most 10¹⁰⁰ times as much after the next one, is then far below these bounds.

A proof that fails says nothing; the caller goes on with balls. A proof that succeeds also shows that Φ has full column
rank, since dependent columns put an eigenvalue exactly on the boundary of TD's half plane, of the disc of I − αM, and
make E = X singular.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np
from flint import fmpq_mat

from theory.certified.candidates import Candidate, eigenbasis
from theory.certified.evidence import Evidence, Signature
from theory.exact.matrices import doubles
from theory.problems.numbers import Array, FloatArray

UNIT = 2.0**-53
SAFE = (1e-60, 1e60)


class FloatPencil(NamedTuple):
    """N and E in floats (E = None is I), |entries| ≤ size, each off by at most `error`."""

    N: FloatArray  # (F, F)
    E: FloatArray | None  # (F, F), symmetric
    size: float
    error: float


def float_pencil(kind: str, gamma: float, Phi: FloatArray, P: FloatArray, d: FloatArray) -> FloatPencil | None:
    """The pencil of `td` (A, I) or `chain` (γY, X); None outside the safe range."""
    m = float(np.abs(Phi).max())
    if not SAFE[0] < m < SAFE[1]:
        return None
    S = len(Phi)
    error = (4 * S + 40) * UNIT * m * m
    successor = P @ Phi
    successor *= gamma
    weighted = (Phi * d[:, None]).T
    if kind == "td":
        return FloatPencil(weighted @ (Phi - successor), None, 2.01 * m * m, error)
    X = weighted @ Phi
    return FloatPencil(weighted @ successor, (X + X.T) / 2, 1.01 * m * m, error)


def float_matrix(M: fmpq_mat) -> FloatPencil | None:
    """The pencil (M, I) of a given matrix; None outside the safe range."""
    scaled, exponent = doubles(M)
    N = np.ldexp(scaled, exponent) if abs(exponent) < 200 else scaled
    m = float(np.abs(N).max(initial=0.0))
    if abs(exponent) >= 200 or not SAFE[0] < m < SAFE[1]:
        return None
    return FloatPencil(N, None, 1.01 * m, 4 * UNIT * m)


def by_norms(pencil: FloatPencil, disc: bool) -> Iterator[Evidence]:
    """Evidence that decides a question either way, one piece after the other."""
    if is_contraction(pencil) if disc else is_symmetric_definite(pencil):
        yield Signature(None, (1,) * len(pencil.N))
    found = proved_signature(pencil, disc)
    if found is not None:
        yield Signature(found.K, tuple(int(s) for s in found.signs))


def is_symmetric_definite(pencil: FloatPencil) -> bool:
    """N + Nᵀ ≻ 0, proved."""
    N, _, size, error = pencil
    H = N + N.T
    return definite(H, 2.01 * size, len(N) * (2 * error + 2 * UNIT * size))


def is_contraction(pencil: FloatPencil) -> bool:
    """[[E, Nᵀ], [N, E]] ≻ 0, proved."""
    N, E, size, error = pencil
    n = len(N)
    H = np.empty((2 * n, 2 * n))
    H[:n, :n] = H[n:, n:] = np.eye(n) if E is None else E
    H[n:, :n] = N
    H[:n, n:] = N.T
    return definite(H, size, 2 * n * error)


def proved_signature(pencil: FloatPencil, disc: bool) -> Candidate | None:
    """A signature from the eigenvectors, proved; None where they do not suffice."""
    N, E, size, error = pencil
    candidate = eigenbasis(N, E, disc)
    if candidate is None:
        return None
    K, signs, W = candidate
    F = len(N)
    with np.errstate(over="ignore", invalid="ignore"):  # then delta is not finite, and nothing is proved
        KNW, KEW = K @ N @ W, K @ (W if E is None else E @ W)
        SKNW = signs[:, None] * KNW
        if disc:
            T = KEW.T @ (signs[:, None] * KEW) - KNW.T @ SKNW
        else:
            T = KEW.T @ SKNW
            T = T + T.T
    reach = _norm(KNW) + _norm(KEW)
    k, w = _norm(K), _norm(W)
    eta = 1.01 * k * w * (F * error + 2 * (F + 2) * UNIT * F * size)
    if not (all(1e-140 < x < 1e140 for x in (reach, k, w)) and w < 1e100 and eta > 1e-145):
        return None
    delta = 1.5 * (2 * eta * reach + 2 * eta * eta + 2 * (F + 3) * UNIT * reach * reach)
    top = float(T.diagonal().max())
    return candidate if isfinite(delta) and definite(T, top, delta) else None


def definite(H: FloatArray, top: float, delta: float) -> bool:
    """Is every matrix within `delta` of H (diagonal ≤ top) positive definite? H is changed."""
    n = len(H)
    H.flat[:: n + 1] -= 1.01 * (delta + 2 * (n + 3) * UNIT * n * top)
    try:
        np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        return False
    return True


def _norm(M: Array) -> float:
    return sqrt(float(np.vdot(M, M)))
