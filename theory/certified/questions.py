r"""What can be asked of a problem or a matrix: where the eigenvalues of a pencil Nv = λEv lie.

In independent features (`theory.model.linear_model`):

    td        N = GÂ, E = I          all Re λ > 0?      off-policy TD is stable for small steps
    chain     N = γŶ, E = X̂          all |λ| < 1?       ρ(γΠP) < 1: the chain is unbiased in the limit
    window    N = G_T, E = I         all |λ| < 1?       T steps per target network, hot or cold start
    mean      N = M, given           all Re λ > 0?      a method with this mean matrix is stable for small steps
    iteration N = M, given           all |λ| < 1?       a method with this iteration matrix converges
    uniform   N = D(I − γP)          N + Nᵀ ≻ 0?        TD and the chain are safe for every Φ

A question gives its pencil exactly, or, of matrices of which only bounds are known (`Enclosed`: large problems), in
doubles with bounds; and it writes down every number that its answer depends on, for the checker. Floats mean the
rationals that they denote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from flint import fmpq, fmpq_mat

from theory.certified.proofs import ExactPencil, Pencil, WindowPencil
from theory.exact.matrices import rational
from theory.model.balls import Bounded, given, nearest
from theory.model.linear_model import exact_model, heights
from theory.problems import Problem
from theory.problems.numbers import Array


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked; `claim` is yes in symbols, `half_plane` the letter of a matrix whose Re λ are asked about."""

    kind: ClassVar[str]
    says: ClassVar[tuple[str, str]]  # yes and no
    claim: ClassVar[str]
    half_plane: ClassVar[str | None] = None
    contraction: ClassVar[str] = "‖G‖₂ < 1"  # what a contraction shows

    def sentence(self, holds: bool | None) -> str:
        """The answer in words; None is undecided."""
        yes, no = self.says
        said = f"whether {yes} is undecided" if holds is None else yes if holds else no
        return said.format(q=self)

    @property
    def shape(self) -> tuple[int, int]:
        """States and features, or the rows and columns of the matrix."""
        raise NotImplementedError

    def given(self) -> dict[str, Any]:
        """The numbers that the answer depends on."""
        raise NotImplementedError

    def again(self) -> Question | None:
        """The same for the checker, of numbers that other code has found; None where these contradict its own."""
        return self

    def pencil(self) -> ExactPencil | WindowPencil | Pencil[Bounded]:
        """The pencil, exactly or within bounds."""
        raise NotImplementedError

    def float_pencil(self) -> Pencil[Bounded] | None:
        """The pencil in floats, where they are a short way to it; None where not."""
        return None

    def weights(self) -> list[fmpq] | None:
        """With which its rows may be dominant; None where there is no reason to think so."""
        return None


@dataclass(frozen=True, eq=False)
class _OfProblem(Question):
    problem: Problem

    @property
    def shape(self) -> tuple[int, int]:
        return self.problem.n_states, self.problem.n_features

    def given(self) -> dict[str, Any]:
        g = self.problem.given
        return {"gamma": g.gamma, "Phi": g.Phi, "P": g.P_pi, "d": g.d_mu}

    def weights(self) -> list[fmpq] | None:
        v = heights(self.problem)
        return None if v is None else [abs(1 / x) for x in v]

    def float_pencil(self) -> Pencil[Bounded] | None:
        """From the moments in floats, every rounding bounded; None of more features than states."""
        f, exact = self.problem.floats, self.problem.is_exact
        if self.problem.n_features > self.problem.n_states:
            return None
        with np.errstate(all="ignore"):  # what is not finite proves nothing
            Phi, P = given(f.Phi, exact), given(f.P_pi, exact)
            weighted = Phi.scaled(f.d_mu[:, None]).transpose()
            X, Y = weighted * Phi, (weighted * (P * Phi)).scaled(f.gamma)
            A = X - Y
        return Pencil(True, Y, X) if self.half_plane is None else Pencil(False, A, None, A)


class TDStable(_OfProblem):
    """Is off-policy TD stable for small steps?"""

    kind = "td"
    says = ("TD is stable", "TD is unstable")
    claim = "all Re λ(A) > 0"
    half_plane = "A"

    def pencil(self) -> ExactPencil:
        m = exact_model(self.problem)
        return ExactPencil(False, m.A, symmetric=m.A_hat)


class ChainUnbiased(_OfProblem):
    """Does the bias of the chain vanish?"""

    kind = "chain"
    says = ("the chain is unbiased", "the chain is biased")
    claim = "ρ(γΠP) < 1"
    contraction = "X − γ²YᵀX⁻¹Y ≻ 0, so ρ(γΠP) < 1 (contraction in the norm of D)"

    def pencil(self) -> ExactPencil:
        m = exact_model(self.problem)
        return ExactPencil(True, m.gamma * m.Y_hat, m.X_hat)


@dataclass(frozen=True, eq=False)
class WindowStable(_OfProblem):
    """Does TD converge with a target network that is replaced every `window` updates?"""

    alpha: Fraction
    window: int
    start: str  # "hot", "cold"
    kind = "window"
    says = (
        "a target network of T = {q.window}, α = {q.alpha}, {q.start} start, converges",
        "a target network of T = {q.window}, α = {q.alpha}, {q.start} start, does not converge",
    )
    claim = "ρ(G_T) < 1"
    contraction = "‖G_T‖₂ < 1"

    def given(self) -> dict[str, Any]:
        return super().given() | {"alpha": self.alpha, "window": self.window, "start": self.start}

    def float_pencil(self) -> None:
        return None

    def pencil(self) -> WindowPencil:
        m, hot = exact_model(self.problem), self.start == "hot"
        return WindowPencil(m.X, m.A if hot else m.gamma * m.Y, rational(self.alpha), self.window, hot)


@dataclass(frozen=True, eq=False)
class _OfMatrix(Question):
    M: fmpq_mat

    @property
    def shape(self) -> tuple[int, int]:
        return self.M.nrows(), self.M.ncols()

    def given(self) -> dict[str, Any]:
        return {"M": self.M.tolist()}

    def float_pencil(self) -> Pencil[Bounded] | None:
        if self.M.nrows() == 0:
            return None
        M = nearest(self.M)
        return Pencil(True, M) if self.half_plane is None else Pencil(False, M, None, M)

    def pencil(self) -> ExactPencil:
        disc = self.half_plane is None
        return ExactPencil(disc, self.M, symmetric=None if disc else self.M)


class MeanStable(_OfMatrix):
    """Is a method with this mean matrix stable for small steps?"""

    kind = "mean"
    says = ("the method is stable for small steps", "the method is unstable")
    claim = "all Re λ(N) > 0"
    half_plane = "N"


class IterationConverges(_OfMatrix):
    """Does a method with this iteration matrix converge?"""

    kind = "iteration"
    says = ("the method converges", "the method does not converge")
    claim = "ρ(G) < 1"


class Enclosed(Question):
    """The question of another kind about every matrix N within bounds, entry by entry, and every E; E = None is I."""

    N: Bounded
    E: Bounded | None
    second: Callable[[], Question | None] | None

    def __init__(
        self,
        topic: type[Question],
        N: Bounded,
        E: Bounded | None = None,
        second: Callable[[], Question | None] | None = None,
    ) -> None:
        words = {name: getattr(topic, name) for name in ("kind", "says", "claim", "half_plane", "contraction")}
        self.__dict__.update(words, N=N, E=E, second=second)

    def again(self) -> Question | None:
        return self if self.second is None else self.second()

    @property
    def shape(self) -> tuple[int, int]:
        return self.N.mid.shape

    def given(self) -> dict[str, Any]:
        E = {"E": None, "E_radius": None} if self.E is None else {"E": self.E.mid, "E_radius": self.E.rad}
        return {"M": self.N.mid, "radius": self.N.rad} | E

    def pencil(self) -> Pencil[Bounded]:
        disc = self.half_plane is None
        return Pencil(disc, self.N, self.E, None if disc else self.N)


@dataclass(frozen=True, eq=False)
class UniformlySafe(Question):
    """Are TD and the chain safe for every Φ? `theory.certified.verdicts` decides it, without eigenvalues."""

    gamma: Any
    P: Array  # (S, S)
    d: Array  # (S,)
    kind = "uniform"
    says = ("TD and the chain are safe for every Φ", "TD and the chain fail for some Φ")
    claim = "2D − γ(DP + PᵀD) ≻ 0"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.d), len(self.d)

    def given(self) -> dict[str, Any]:
        return {"gamma": self.gamma, "P": self.P, "d": self.d}
