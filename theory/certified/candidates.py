r"""Where evidence comes from: floating-point guesses of a signature, to be verified by others.

For a pencil (N, E) a guess is (K, S, W) such that in the coordinates of K the matrix T below is positive
definite with room to spare; W is a second basis, about E⁻¹K⁻¹, in which T is formed:

    half plane    T = (KNW)ᵀS(KW) + (KW)ᵀS(KNW)                   = Wᵀ(NᵀQ + QN)W
    disc          T = (KEW)ᵀS(KEW) − (KNW)ᵀS(KNW)                 = Wᵀ(EᵀQE − NᵀQN)W          Q = KᵀSK

T ≻ 0 proves the bracket ≻ 0 whatever K and W are (W is then invertible), so nothing here has to be right.

- `eigenbasis`: the columns of W are the real and imaginary parts of eigenvectors, K = (EW)⁻¹. Then KNW is
  block diagonal with blocks [[a, b], [−b, a]] for λ = a ± ib, and T ≈ 2|Re λ| or |1 − |λ|²| on the diagonal.
- `lyapunov`: solves NᵀQ + QN = I and factors Q = KᵀSK by its eigenvalues. It needs no eigenvectors, so it
  works near defective matrices too. The disc is mapped to the half plane by the Cayley transform
  (E − N)(E + N)⁻¹, which keeps Q.

LAPACK complains about infinities and NaN on standard output, so none of them is given to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from theory.linear import lapack
from theory.problems.numbers import Array, FloatArray


class Candidate(NamedTuple):
    """A guess of evidence: Q = KᵀSK, and the basis W to verify it in."""

    K: Array  # (n, n), doubles or dyadic fractions
    signs: Array  # (n,), ±1
    W: Array  # (n, n)


def signature_form(N: Any, E: Any, disc: bool, K: Any, S: Any, W: Any) -> Any:
    """T, in whatever arithmetic its arguments have: balls, or doubles with bounds."""
    KNW, KEW = K * N * W, K * W if E is None else K * E * W
    if disc:
        return KEW.transpose() * S * KEW - KNW.transpose() * S * KNW
    half = KEW.transpose() * S * KNW
    return half + half.transpose()


def eigenbasis(N: FloatArray, E: FloatArray | None, disc: bool) -> Candidate | None:
    """From the eigenvectors of E⁻¹N (E = None means I); None where they fail."""
    if not _finite(N, E):
        return None
    if E is not None:
        _, _, N, info = lapack.dgesv(E, N)
        if info or not _finite(N):
            return None
    real, imag, _, W, info = lapack.dgeev(N, compute_vl=0)
    if info or not _finite(W):
        return None
    signs = np.sign(1.0 - (real * real + imag * imag) if disc else real)
    EW = W if E is None else E @ W
    if not signs.all() or not _finite(EW, signs):
        return None
    _, _, K, info = lapack.dgesv(EW, np.eye(len(W)))
    if info or not _finite(K):
        return None
    return Candidate(K, signs, W)


def lyapunov(N: FloatArray, E: FloatArray | None, disc: bool) -> Candidate | None:
    """From the Lyapunov equation of N, or of its Cayley transform; None where it is nearly singular."""
    n = len(N)
    one = np.eye(n)
    if not _finite(N, E):
        return None
    if disc:
        E_ = one if E is None else E
        left, right = E_ + N, E_ - N
        if not _finite(left, right):
            return None
        _, _, M, info = lapack.dgesv(left.T, right.T)  # ((E − N)(E + N)⁻¹)ᵀ
        if info or not _finite(M):
            return None
        N = M.T
    U, _, _, _, Z, _, info = _schur(N)
    if info:
        return None
    solution, scale, info = lapack.dtrsyl(U, U, one, trana="T", tranb="N")
    if info < 0 or scale == 0:
        return None
    Q = Z @ (solution / scale) @ Z.T
    Q = (Q + Q.T) / 2
    if not _finite(Q):
        return None
    values, vectors = np.linalg.eigh(Q)
    if not values.all():
        return None
    root = np.sqrt(np.abs(values))
    K, W = (vectors * root).T, vectors / root
    if not _finite(K, W):
        return None
    if E is not None:
        _, _, W, info = lapack.dgesv(E, W)
        if info or not _finite(W):
            return None
    return Candidate(K, np.sign(values), W)


def _schur(M: FloatArray) -> tuple[FloatArray, int, FloatArray, FloatArray, FloatArray, FloatArray, int]:
    """M = Z U Zᵀ with U quasi-triangular."""
    return lapack.dgees(lambda re, im=0.0: False, M)


def _finite(*matrices: FloatArray | None) -> bool:
    return all(m is None or bool(np.isfinite(m).all()) for m in matrices)
