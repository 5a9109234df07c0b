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
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from theory.problems.numbers import Array


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
