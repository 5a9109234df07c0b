r"""Evidence, and why it proves the answer about the eigenvalues of a pencil Nv = λEv (`theory.certified.questions`).

- **Signature** (K, S), S = diag(±1), Q = KᵀSK. *Half plane*: NᵀQ + QN ≻ 0. *Disc*: EᵀQE − NᵀQN ≻ 0.
  Then V(x) = xᵀQx strictly falls along ẋ = −Nx, and along x → NE⁻¹x, which has the pencil's eigenvalues.
  If S = I, then Q ⪰ 0, and an eigenvector has 2 Re λ·v*Qv > 0, or (1 − |λ|²) v*EᵀQEv > 0: it holds.
  If S has a −1, some x ≠ 0 has V(x) ≤ 0 (x = K⁻¹e_j, or any x with Kx = 0); from there V falls below
  V(0) = 0 and never comes back: it does not hold. (Lyapunov, Stein; the number of −1 is even the number of
  eigenvalues on the wrong side, Ostrowski and Schneider.) Every pencil without eigenvalues on the
  boundary has such a Q: V⁻*SV⁻¹ if V diagonalises it.
  K = None is the norm that the question has by itself, with S = I. *Half plane*: Q = G⁻¹ of N = GÂ, that is Â + Âᵀ ≻ 0.
  *Disc*: Q = E⁻¹, that is E − NᵀE⁻¹N ≻ 0, or by a Schur complement [[E, Nᵀ], [N, E]] ≻ 0. For `uniform` the statement.
- **Roots**: the characteristic polynomial, and its side: −1 all within, 0 a tie (some on the boundary, none
  beyond), 1 some beyond. Decides everything; for ties nothing else does.
- **Complete**, of a chain: Φ has as many independent columns as there are states, so that Π = I, and γ‖P‖_∞ < 1:
  ρ(γΠP) = ρ(γP) ≤ γ‖P‖_∞, whatever the weights are.
- **Dominance** w > 0, of features without a state in common (tabular, aggregated). *Half plane*:
  N_ii w_i > Σ_{j≠i} |N_ij|w_j, so Gershgorin's discs of diag(w)⁻¹N diag(w) lie to the right. *Disc*: the discs of
  E diag(w) and N diag(w) do not meet, E_ii w_i > Σ_{j≠i} |E_ij|w_j + Σ_j |N_ij|w_j, and λE − N is dominant for |λ| ≥ 1.
- **Witness**, of `uniform`: x ≠ 0 with xᵀD(I − γP)x ≤ 0. As the only feature, Φ = x, it makes TD and the chain fail.
- **Vacuous**: Φ = 0, no eigenvalues at all.

**Where evidence comes from**: floating-point guesses of a signature, to be verified by others.

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

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from theory.problems.numbers import Array, FloatArray


@dataclass(frozen=True, eq=False)
class Signature:
    """Q = KᵀSK decreases; K = None is the norm that the question has by itself."""

    kind: ClassVar[str] = "signature"
    K: Array | None  # (n, n)
    signs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Roots:
    """The characteristic polynomial, lowest coefficient first, and on which side its roots are."""

    kind: ClassVar[str] = "roots"
    polynomial: tuple[Fraction, ...]
    side: int


@dataclass(frozen=True, eq=False)
class Witness:
    """A single feature for which everything fails."""

    kind: ClassVar[str] = "witness"
    x: Array  # (S,)


@dataclass(frozen=True)
class Complete:
    """The features distinguish all states, and γP contracts."""

    kind: ClassVar[str] = "complete"


@dataclass(frozen=True, eq=False)
class Dominance:
    """The rows are diagonally dominant with these weights."""

    kind: ClassVar[str] = "dominance"
    w: Array  # (n,)


@dataclass(frozen=True)
class Vacuous:
    """There is nothing to learn."""

    kind: ClassVar[str] = "vacuous"


Evidence = Signature | Roots | Complete | Dominance | Witness | Vacuous


def side_of(evidence: Evidence) -> int:
    """−1 inside, 0 on the boundary, 1 beyond."""
    match evidence:
        case Roots():
            return evidence.side
        case Signature():
            return -min(evidence.signs)
        case Witness():
            return 1
    return -1


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
    try:
        values, V = np.linalg.eig(N if E is None else np.linalg.solve(E, N))
        W = V.real.copy()
        first = np.flatnonzero(values.imag > 0)  # of a pair, which is adjacent: Re v and Im v
        W[:, first + 1] = V.imag[:, first]
        signs = np.sign(1.0 - (values * values.conj()).real if disc else values.real)
        EW = W if E is None else E @ W
        if not signs.all() or not _finite(EW, signs):
            return None
        K = np.linalg.inv(EW)
    except np.linalg.LinAlgError:
        return None
    return Candidate(K, signs, W) if _finite(K) else None


def lyapunov(N: FloatArray, E: FloatArray | None, disc: bool) -> Candidate | None:
    """From the Lyapunov equation of N, or of its Cayley transform; None where it is nearly singular."""
    from scipy.linalg import solve_continuous_lyapunov  # late: it takes as long to import as most verdicts take

    one = np.eye(len(N))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if disc:
                E_ = one if E is None else E
                M: Array = np.linalg.solve((E_ + N).T, (E_ - N).T)  # ((E − N)(E + N)⁻¹)ᵀ
            else:
                M = N.T
            if not _finite(M):
                return None
            Q = solve_continuous_lyapunov(M, one)
            if not _finite(Q):
                return None
            values, vectors = np.linalg.eigh((Q + Q.T) / 2)
            if not values.all():
                return None
            root = np.sqrt(np.abs(values))
            K, W = (vectors * root).T, vectors / root
            W = W if E is None else np.linalg.solve(E, W)
        except (np.linalg.LinAlgError, ValueError):
            return None
    return Candidate(K, np.sign(values), W) if _finite(K, W) else None


def _finite(*matrices: FloatArray | None) -> bool:
    return all(m is None or bool(np.isfinite(m).all()) for m in matrices)
