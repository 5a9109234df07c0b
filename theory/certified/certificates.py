r"""Certificates: the question, the answer, and evidence that a few lines of other code can check.

A question about a problem asks where the eigenvalues of a pencil lie, Nv = λEv (in independent
features, see `theory.exact.reduced`):

    td        N = GÂ, E = I          all Re λ > 0?      off-policy TD is stable for small steps
    chain     N = γŶ, E = X̂          all |λ| < 1?       ρ(γΠP) < 1: the chain is unbiased in the limit
    window    N = G_T, E = I         all |λ| < 1?       T steps per target network, hot or cold start
    step      N = I − αM, E = I      all |λ| < 1?       Richardson iteration on M converges
    matrix    the same for a given matrix M
    mean      N = M, given           all Re λ > 0?      a method with this mean matrix is stable for small steps
    iteration N = M, given           all |λ| < 1?       a method with this iteration matrix converges
    uniform   N = D(I − γP)          N + Nᵀ ≻ 0?        TD and the chain are safe for every Φ

Evidence, and why it proves the answer:

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

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, get_args

import numpy as np
from flint import fmpq

from theory.certified import recheck
from theory.problems import InvalidProblem
from theory.problems.numbers import Array


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked, with every number it depends on, as given (floats mean the rationals they denote)."""

    kind: str
    gamma: Any = None
    Phi: Array | None = None  # (S, F)
    P: Array | None = None  # (S, S): the target's, or the behaviour's where `which` says so
    d: Array | None = None  # (S,)
    alpha: Fraction | None = None
    window: int | None = None
    start: str | None = None  # "hot", "cold"
    which: str | None = None  # "td", "behaviour", "sequential", "joint"
    M: Array | None = None  # (n, n)

    def sentence(self, holds: bool | None) -> str:
        """The answer in words; None is undecided."""
        yes, no = _SENTENCES[self.kind]
        said = f"whether {yes} is undecided" if holds is None else yes if holds else no
        return said.format(T=self.window, alpha=self.alpha, start=self.start)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: numbers as text ``p/q``."""
        return {f.name: _plain(v) for f in fields(self) if (v := getattr(self, f.name)) is not None}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Question:
        """The question of a document."""
        names = {f.name for f in fields(cls)}
        return cls(**{k: v if k in _WORDS else _exact(v, k) for k, v in _known(document, names).items()})


@dataclass(frozen=True, eq=False)
class Signature:
    """Q = KᵀSK decreases."""

    kind: ClassVar[str] = "signature"
    K: Array  # (n, n)
    signs: tuple[int, ...]


@dataclass(frozen=True)
class Symmetric:
    """The symmetric part is positive definite."""

    kind: ClassVar[str] = "symmetric"


@dataclass(frozen=True)
class Contraction:
    """The pencil contracts in the norm of E."""

    kind: ClassVar[str] = "contraction"


@dataclass(frozen=True)
class Complete:
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


@dataclass(frozen=True)
class Singular:
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


@dataclass(frozen=True)
class Vacuous:
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
_EVIDENCE: dict[str, type[Evidence]] = {c.kind: c for c in get_args(Evidence)}
_SENTENCES = {
    "td": ("TD is stable", "TD is unstable"),
    "chain": ("the chain is unbiased", "the chain is biased"),
    "window": (
        "a target network of T = {T}, α = {alpha}, {start} start, converges",
        "a target network of T = {T}, α = {alpha}, {start} start, does not converge",
    ),
    "step": ("the iteration with α = {alpha} converges", "the iteration with α = {alpha} does not converge"),
    "matrix": ("the iteration with α = {alpha} converges", "the iteration with α = {alpha} does not converge"),
    "mean": ("the method is stable for small steps", "the method is unstable"),
    "iteration": ("the method converges", "the method does not converge"),
    "uniform": ("TD and the chain are safe for every Φ", "TD and the chain fail for some Φ"),
}
_WORDS = ("kind", "window", "start", "which", "signs", "side", "blocks", "parts", "power", "scale")


@dataclass(frozen=True, eq=False)
class Certificate:
    """An answer with its proof. `recheck` repeats the proof in independent code."""

    question: Question
    holds: bool
    evidence: Evidence

    def recheck(self) -> bool:
        """Does the evidence prove the answer to the question? Exact, and slower than finding it was."""
        return recheck.check(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; exact numbers as text ``p/q``."""
        return {"question": self.question.to_dict(), "holds": self.holds, "evidence": _evidence_document(self.evidence)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Certificate:
        """The certificate of a document; whether it proves anything, `recheck` tells."""
        parts = _known(document, {"question", "holds", "evidence"})
        if not isinstance(parts["holds"], bool):
            raise InvalidProblem("is not a certificate of a known kind", "certificate")
        return cls(Question.from_dict(parts["question"]), parts["holds"], _read_evidence(parts["evidence"]))

    def __repr__(self) -> str:
        """In one line: the matrices are in `to_dict`."""
        return f"<Certificate: {self.question.kind}, holds={self.holds}, by {self.evidence.kind}>"

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Certificate) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self.to_dict()))


def _known(document: Mapping[str, Any], names: set[str]) -> Mapping[str, Any]:
    if unknown := set(document) - names:
        raise InvalidProblem(f"unknown field {sorted(unknown)[0]!r}", "certificate")
    return document


def _evidence_document(evidence: Evidence) -> dict[str, Any]:
    return {"kind": evidence.kind, **{f.name: _plain(getattr(evidence, f.name)) for f in fields(evidence)}}


def _read_evidence(document: Mapping[str, Any]) -> Any:
    known = dict(document)
    kind = _EVIDENCE.get(known.pop("kind", ""))
    if kind is None:
        raise InvalidProblem("is not a certificate of a known kind", "certificate")
    read = {k: v if k in _WORDS else _exact(v, k) for k, v in _known(known, {f.name for f in fields(kind)}).items()}
    for name in ("signs", "polynomial", "scale"):
        if name in read:
            read[name] = tuple(read[name])
    if kind is Blocks:
        read["blocks"] = tuple(tuple(block) for block in read["blocks"])
        read["parts"] = tuple(None if part is None else _read_evidence(part) for part in read["parts"])
    return kind(**read)


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


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(x) for x in value]
    if isinstance(value, Signature | Dominance | Contraction | Power | Trace | Roots):
        return _evidence_document(value)
    if value is None or isinstance(value, str | int):
        return value
    # FLINT writes integers of any length; Python refuses beyond 4300 digits.
    exact = Fraction(value)
    return str(fmpq(exact.numerator, exact.denominator))


def _exact(value: Any, *where: str | int) -> Any:
    """The reverse of `_plain`: fractions, and arrays of them."""
    if isinstance(value, list):
        rows = [_exact(x, *where) for x in value]
        out = np.empty(
            len(rows) if not rows or not isinstance(rows[0], np.ndarray) else (len(rows), len(rows[0])), object
        )
        out[:] = rows
        return out
    try:
        return recheck.number(value)
    except (TypeError, ValueError, ZeroDivisionError):
        raise InvalidProblem(f"{value!r:.60} is not a number", *where) from None
