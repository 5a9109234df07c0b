r"""What can be asked of a problem or a matrix: a small type each, with every number that the answer depends on.

A question asks where the eigenvalues of a pencil lie, Nv = λEv (in independent features, `theory.exact.reduced`):

    td        N = GÂ, E = I          all Re λ > 0?      off-policy TD is stable for small steps
    chain     N = γŶ, E = X̂          all |λ| < 1?       ρ(γΠP) < 1: the chain is unbiased in the limit
    window    N = G_T, E = I         all |λ| < 1?       T steps per target network, hot or cold start
    step      N = I − αM, E = I      all |λ| < 1?       Richardson iteration on M converges
    matrix    the same for a given matrix M
    mean      N = M, given           all Re λ > 0?      a method with this mean matrix is stable for small steps
    iteration N = M, given           all |λ| < 1?       a method with this iteration matrix converges
    uniform   N = D(I − γP)          N + Nᵀ ≻ 0?        TD and the chain are safe for every Φ

Each type knows its words and gives its pencil twice: exactly, and in doubles with bounds where that can be
(`theory.certified.pencils`). Floats mean the rationals that they denote.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from theory.certified.bounded import Bounded
from theory.certified.pencils import (
    BoundedMoments,
    ExactPencil,
    Pencil,
    WindowPencil,
    as_bounded,
    bounded_moments,
    bounded_window,
    double_step,
    step_pencil,
)
from theory.exact.matrices import block_bidiagonal, matrix, rational, zeros
from theory.exact.reduced import Reduced, reduced_moments
from theory.problems.numbers import Array, as_exact, as_floats


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked; `claim` is yes in symbols, `half_plane` the letter of a matrix whose Re λ are asked about."""

    kind: ClassVar[str]
    says: ClassVar[tuple[str, str]]  # yes and no
    claim: ClassVar[str]
    half_plane: ClassVar[str | None] = None
    contraction: ClassVar[str] = ""  # what a contraction shows

    def sentence(self, holds: bool | None) -> str:
        """The answer in words; None is undecided."""
        yes, no = self.says
        said = f"whether {yes} is undecided" if holds is None else yes if holds else no
        return said.format(q=self)

    @property
    def shape(self) -> tuple[int, int]:
        """States and features, or the rows and columns of the matrix."""
        raise NotImplementedError

    def pencil(self) -> ExactPencil | WindowPencil:
        """The pencil with all its digits."""
        raise NotImplementedError

    def bounded(self) -> Pencil[Bounded] | None:
        """The pencil in doubles with a bound on every entry; None where features depend on each other or are huge."""
        return None


@dataclass(frozen=True, eq=False)
class _OfProblem(Question):
    gamma: Any
    Phi: Array  # (S, F)
    P: Array  # (S, S): the target's, or the behaviour's where `which` says so
    d: Array  # (S,)

    @property
    def shape(self) -> tuple[int, int]:
        S, F = self.Phi.shape
        return S, F

    def pencil(self) -> ExactPencil | WindowPencil:
        return self._exact(reduced_moments(self.gamma, self.Phi, self.P, self.d))

    def bounded(self) -> Pencil[Bounded] | None:
        moments = bounded_moments(self.gamma, self.Phi, self.P, self.d)
        return None if moments is None else self._in_doubles(moments)

    def _exact(self, r: Reduced) -> ExactPencil | WindowPencil:
        raise NotImplementedError

    def _in_doubles(self, m: BoundedMoments) -> Pencil[Bounded] | None:
        raise NotImplementedError


class TDStable(_OfProblem):
    """Is off-policy TD stable for small steps?"""

    kind: ClassVar[str] = "td"
    says: ClassVar[tuple[str, str]] = ("TD is stable", "TD is unstable")
    claim: ClassVar[str] = "all Re λ(A) > 0"
    half_plane: ClassVar[str | None] = "A"

    def _exact(self, r: Reduced) -> ExactPencil:
        return ExactPencil(False, r.key_matrix, symmetric=r.X - r.gamma * r.Y)

    def _in_doubles(self, m: BoundedMoments) -> Pencil[Bounded]:
        return Pencil(False, m.A, symmetric=m.A)


class ChainUnbiased(_OfProblem):
    """Does the bias of the chain vanish?"""

    kind: ClassVar[str] = "chain"
    says: ClassVar[tuple[str, str]] = ("the chain is unbiased", "the chain is biased")
    claim: ClassVar[str] = "ρ(γΠP) < 1"
    contraction: ClassVar[str] = "X − γ²YᵀX⁻¹Y ≻ 0, so ρ(γΠP) < 1 (contraction in the norm of D)"

    def _exact(self, r: Reduced) -> ExactPencil:
        return ExactPencil(True, r.gamma * r.Y, r.X)

    def _in_doubles(self, m: BoundedMoments) -> Pencil[Bounded]:
        return Pencil(True, m.Y, m.X)


@dataclass(frozen=True, eq=False)
class WindowStable(_OfProblem):
    """Does TD converge with a target network that is replaced every `window` updates?"""

    alpha: Fraction
    window: int
    start: str  # "hot", "cold"
    kind: ClassVar[str] = "window"
    says: ClassVar[tuple[str, str]] = (
        "a target network of T = {q.window}, α = {q.alpha}, {q.start} start, converges",
        "a target network of T = {q.window}, α = {q.alpha}, {q.start} start, does not converge",
    )
    claim: ClassVar[str] = "ρ(G_T) < 1"

    def _exact(self, r: Reduced) -> WindowPencil:
        hot = self.start == "hot"
        moment = r.key_matrix if hot else r.successor_moment
        return WindowPencil(r.feature_moment, moment, rational(self.alpha), self.window, hot)

    def bounded(self) -> Pencil[Bounded] | None:
        return None if double_step(self.alpha) is None else super().bounded()

    def _in_doubles(self, m: BoundedMoments) -> Pencil[Bounded] | None:
        alpha = double_step(self.alpha)
        return None if alpha is None else bounded_window(m, alpha, self.window, self.start == "hot")


@dataclass(frozen=True, eq=False)
class StepAdmissible(_OfProblem):
    """Does Richardson iteration on a matrix of the problem converge with this step size?"""

    alpha: Fraction
    which: str  # "td", "behaviour", "sequential", "joint"
    kind: ClassVar[str] = "step"
    says: ClassVar[tuple[str, str]] = (
        "the iteration with α = {q.alpha} converges",
        "the iteration with α = {q.alpha} does not converge",
    )
    claim: ClassVar[str] = "ρ(I − αM) < 1"
    contraction: ClassVar[str] = "‖I − αM‖₂ < 1"

    def _exact(self, r: Reduced) -> ExactPencil:
        if self.which in ("td", "behaviour"):
            M = r.key_matrix
        elif self.which == "sequential":
            M = r.feature_moment
        else:  # the joint chain has the eigenvalues of A_μ and X
            M = block_bidiagonal([r.key_matrix, r.feature_moment], zeros(r.rank, r.rank))
        return step_pencil(M, rational(self.alpha))

    def bounded(self) -> Pencil[Bounded] | None:
        return None if double_step(self.alpha) is None or self.which == "joint" else super().bounded()

    def _in_doubles(self, m: BoundedMoments) -> Pencil[Bounded]:
        return Pencil(True, m.X if self.which == "sequential" else m.A, alpha=double_step(self.alpha))


@dataclass(frozen=True, eq=False)
class _OfMatrix(Question):
    M: Array  # (n, n)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.M), len(self.M)


@dataclass(frozen=True, eq=False)
class RichardsonConverges(_OfMatrix):
    """Does Richardson iteration on this matrix converge?"""

    alpha: Fraction
    kind: ClassVar[str] = "matrix"
    says: ClassVar[tuple[str, str]] = StepAdmissible.says
    claim: ClassVar[str] = StepAdmissible.claim
    contraction: ClassVar[str] = StepAdmissible.contraction

    def pencil(self) -> ExactPencil:
        return step_pencil(matrix(as_exact(self.M)), rational(self.alpha))

    def bounded(self) -> Pencil[Bounded] | None:
        alpha, M = double_step(self.alpha), as_bounded(self.M)
        return None if alpha is None or M is None else Pencil(True, M, alpha=alpha)


class MeanStable(_OfMatrix):
    """Is a method with this mean matrix stable for small steps?"""

    kind: ClassVar[str] = "mean"
    says: ClassVar[tuple[str, str]] = ("the method is stable for small steps", "the method is unstable")
    claim: ClassVar[str] = "all Re λ(N) > 0"
    half_plane: ClassVar[str | None] = "N"

    def pencil(self) -> ExactPencil:
        M = matrix(as_exact(self.M))
        return ExactPencil(False, M, symmetric=M)

    def bounded(self) -> Pencil[Bounded] | None:
        M = as_bounded(self.M)
        return None if M is None else Pencil(False, M, symmetric=M)


class IterationConverges(_OfMatrix):
    """Does a method with this iteration matrix converge?"""

    kind: ClassVar[str] = "iteration"
    says: ClassVar[tuple[str, str]] = ("the method converges", "the method does not converge")
    claim: ClassVar[str] = "ρ(G) < 1"
    contraction: ClassVar[str] = "‖G‖₂ < 1"

    def pencil(self) -> ExactPencil:
        return ExactPencil(True, matrix(as_exact(self.M)))

    def bounded(self) -> Pencil[Bounded] | None:
        M = as_bounded(self.M)
        return None if M is None else Pencil(True, M)


@dataclass(frozen=True, eq=False)
class Within(Question):
    """A question about every matrix N within `radius` of `M`, entry by entry, and every E within `E_radius` of `E`.

    So large problems are decided, and methods on them: by matrices of which only bounds are known
    (`theory.certified.enclosed_moments`). Everything is in doubles. E = None is I.
    """

    M: Array  # (n, n)
    radius: Array  # (n, n)
    E: Array | None = None  # (n, n), symmetric
    E_radius: Array | None = None  # (n, n)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.M), len(self.M)

    def bounded(self) -> Pencil[Bounded]:
        N, E = Bounded(as_floats(self.M), as_floats(self.radius)), None
        if self.E is not None and self.E_radius is not None:
            E = Bounded(as_floats(self.E), as_floats(self.E_radius))
        disc = self.half_plane is None
        return Pencil(disc, N, E, symmetric=None if disc else N)


class TDStableWithin(Within):
    """Is TD stable, A being known within bounds?"""

    kind: ClassVar[str] = "td-within"
    says: ClassVar[tuple[str, str]] = TDStable.says
    claim: ClassVar[str] = TDStable.claim
    half_plane: ClassVar[str | None] = "A"


class ChainUnbiasedWithin(Within):
    """Does the chain's bias vanish, N = γY and E = X being known within bounds?"""

    kind: ClassVar[str] = "chain-within"
    says: ClassVar[tuple[str, str]] = ChainUnbiased.says
    claim: ClassVar[str] = ChainUnbiased.claim
    contraction: ClassVar[str] = ChainUnbiased.contraction


class MeanStableWithin(Within):
    """Is a method with a mean matrix within these bounds stable for small steps?"""

    kind: ClassVar[str] = "mean-within"
    says: ClassVar[tuple[str, str]] = MeanStable.says
    claim: ClassVar[str] = MeanStable.claim
    half_plane: ClassVar[str | None] = "N"


class IterationConvergesWithin(Within):
    """Does a method with an iteration matrix within these bounds converge?"""

    kind: ClassVar[str] = "iteration-within"
    says: ClassVar[tuple[str, str]] = IterationConverges.says
    claim: ClassVar[str] = IterationConverges.claim
    contraction: ClassVar[str] = IterationConverges.contraction


@dataclass(frozen=True, eq=False)
class UniformlySafe(Question):
    """Are TD and the chain safe for every Φ? `theory.certified.uniform` decides it, without eigenvalues."""

    gamma: Any
    P: Array  # (S, S)
    d: Array  # (S,)
    kind: ClassVar[str] = "uniform"
    says: ClassVar[tuple[str, str]] = ("TD and the chain are safe for every Φ", "TD and the chain fail for some Φ")
    claim: ClassVar[str] = "2D − γ(DP + PᵀD) ≻ 0"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.d), len(self.d)


QUESTIONS: dict[str, type[Question]] = {
    q.kind: q
    for q in (
        TDStable,
        ChainUnbiased,
        WindowStable,
        StepAdmissible,
        RichardsonConverges,
        MeanStable,
        IterationConverges,
        TDStableWithin,
        ChainUnbiasedWithin,
        MeanStableWithin,
        IterationConvergesWithin,
        UniformlySafe,
    )
}
