r"""Evidence, and why it proves the answer about the eigenvalues of a pencil Nv = λEv (`theory.certified.questions`).

- **Signature** (K, S), S = diag(±1), Q = KᵀSK. *Half plane*: NᵀQ + QN ≻ 0. *Disc*: EᵀQE − NᵀQN ≻ 0.
  Then V(x) = xᵀQx strictly falls along ẋ = −Nx, and along x → NE⁻¹x, which has the pencil's eigenvalues.
  If S = I, then Q ⪰ 0, and an eigenvector has 2 Re λ·v*Qv > 0, or (1 − |λ|²) v*EᵀQEv > 0: it holds.
  If S has a −1, some x ≠ 0 has V(x) ≤ 0 (x = K⁻¹e_j, or any x with Kx = 0); from there V falls below
  V(0) = 0 and never comes back: it does not hold. (Lyapunov, Stein; the number of −1 is even the number of
  eigenvalues on the wrong side, Ostrowski and Schneider.) Every pencil without eigenvalues on the
  boundary has such a Q: V⁻*SV⁻¹ if V diagonalises it.
- **Symmetric**: Â + Âᵀ ≻ 0, which is the signature Q = G⁻¹; for `uniform` the statement itself.
- **Contraction**: [[X̂, γŶᵀ], [γŶ, X̂]] ≻ 0, that is X̂ − γ²ŶᵀX̂⁻¹Ŷ ≻ 0 by a Schur complement: Q = X̂⁻¹.
- **Complete**, of a chain: Φ has as many independent columns as there are states, so that Π = I, and γ‖P‖_∞ < 1:
  ρ(γΠP) = ρ(γP) ≤ γ‖P‖_∞, whatever the weights are.
- **Dominance**: w > 0 with (|E_ii| − |N_ii|)w_i > Σ_{j≠i} (|E_ij| + |N_ij|)w_j (disc) or N_ii w_i > Σ_{j≠i} |N_ij|w_j
  (half plane). Then λE − N is diagonally dominant for every |λ| ≥ 1, or N − λI for every Re λ ≤ 0, and so it is not
  singular (Gershgorin). It sees through any scaling of the rows: states of whatever rarity, aggregated or their own.
- **Blocks**: the indices in an order in which both matrices are block triangular, and evidence for every block (where
  it holds) or for one beyond the boundary. The eigenvalues are those of the blocks on the diagonal.
- **Singular**, of a window with hot start: det A = 0, so G_T = I − S_T A has the eigenvalue 1 whatever T is.
- **Power**: ‖(SGS⁻¹)ᵐ‖_∞ < 1, S = diag(2^s), G = E⁻¹N, so all |λ| < 1. However far from normal G is, some m will do.
  For the half plane G = (cI + N)⁻¹(cI − N), whose eigenvalues (c − λ)/(c + λ) are in the disc when Re λ > 0.
- **Trace**: |tr Gᵐ| > n for such a G, so some |λ| > 1.
- **Roots**: the characteristic polynomial, and its side: −1 all within, 0 a tie (some on the boundary, none
  beyond), 1 some beyond. Decides everything; for ties nothing else does.
- **Witness**: x ≠ 0 with xᵀD(I − γP)x ≤ 0. As the only feature, Φ = x, it makes TD fail (A ≤ 0) and the chain too.
- **Vacuous**: Φ = 0, no eigenvalues at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, get_args

from theory.problems.numbers import Array


@dataclass(frozen=True, eq=False)
class Signature:
    """Q = KᵀSK decreases."""

    kind: ClassVar[str] = "signature"
    K: Array  # (n, n)
    signs: tuple[int, ...]


@dataclass(frozen=True)
class _Bare:
    """Evidence without numbers: the checker finds them in the question."""


class Symmetric(_Bare):
    """The symmetric part is positive definite."""

    kind: ClassVar[str] = "symmetric"


class Contraction(_Bare):
    """The pencil contracts in the norm of E."""

    kind: ClassVar[str] = "contraction"


class Complete(_Bare):
    """The features distinguish all states, and γP contracts."""

    kind: ClassVar[str] = "complete"


@dataclass(frozen=True, eq=False)
class Dominance:
    """Diagonally dominant with the weights w."""

    kind: ClassVar[str] = "dominance"
    w: Array  # (n,)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Block triangular in this order, with evidence for the blocks; None for those that do not matter."""

    kind: ClassVar[str] = "blocks"
    blocks: tuple[tuple[int, ...], ...]
    parts: tuple[Signature | Dominance | Contraction | Power | Trace | Roots | None, ...]

    @property
    def side(self) -> int | None:
        """The worst of the blocks, as of `Roots`; None where not all are known."""
        sides = [side_of(part) for part in self.parts]
        known = [s for s in sides if s is not None]
        return max(known) if 1 in known or None not in sides else None


class Singular(_Bare):
    """A is singular."""

    kind: ClassVar[str] = "singular"


@dataclass(frozen=True)
class Trace:
    """The trace of a power exceeds the dimension."""

    kind: ClassVar[str] = "trace"
    power: int
    scale: tuple[int, ...]  # (n,)
    shift: Fraction = Fraction(0)  # c, for the half plane


@dataclass(frozen=True)
class Power:
    """A power contracts."""

    kind: ClassVar[str] = "power"
    power: int
    scale: tuple[int, ...]  # (n,)
    shift: Fraction = Fraction(0)  # c, for the half plane


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


class Vacuous(_Bare):
    """There is nothing to learn."""

    kind: ClassVar[str] = "vacuous"


Evidence = (
    Signature
    | Symmetric
    | Contraction
    | Complete
    | Dominance
    | Blocks
    | Singular
    | Power
    | Trace
    | Roots
    | Witness
    | Vacuous
)
EVIDENCE: dict[str, type[Evidence]] = {c.kind: c for c in get_args(Evidence)}


def side_of(evidence: Evidence | None) -> int | None:
    """−1 inside, 0 on the boundary, 1 beyond; None where there is no evidence."""
    if evidence is None:
        return None
    match evidence:
        case Roots() | Blocks():
            return evidence.side
        case Signature():
            return -min(evidence.signs)
        case Trace() | Singular() | Witness():
            return 1
    return -1
