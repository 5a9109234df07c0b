r"""What a method's formulas are written in: a problem's letters, in one kind of numbers, for independent features.

Let Φ = CR with C (S×r) of full column rank. A learner is seen only through w = Rθ, because its values are Φθ = Cw, and
an operator RᵀM̂R on θ moves w as GM̂ does, G = RRᵀ ≻ 0 (`theory.exact.reduced`). So every formula in X, Y, A, their
transposes, I and inverses holds as it is written, with

    X = GCᵀDC        Y = GCᵀDPC        A = X − γY        Aᵀ: G(CᵀD(I − γP)C)ᵀ        b = GCᵀDr

in place of the F×F moments: R(RᵀX̂R + ηI)⁻¹Rᵀ = (GX̂ + ηI)⁻¹G. Eigenvalues that belong to ker Φ are gone, X is
invertible, and with independent features nothing has changed.

A formula is written once, with +, −, factors from the left, and what the model of its numbers gives: `times`, `solve`,
`eye`, `blocks`, `stack`, `transposed`, `weighted`, `number`. `FloatModel` holds arrays; C = ΦV with V an orthonormal
basis of (ker Φ)^⊥, so that G = I. `ExactModel` holds FLINT's rational matrices, vectors as columns; C are the leftmost
independent columns. The two differ by a change of coordinates: same spectra, same values. `theory.model.enclosed` holds
balls.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from flint import fmpq_mat

from theory.exact.matrices import array, columns, identity, joined, matrix, rational, scaled_rows, stacked
from theory.exact.reduced import reduced
from theory.exact.solve import geometric_sum, row_basis
from theory.linear.basis import checked_moments, row_space
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array

T = TypeVar("T")

WITHOUT_DISCOUNT = ("G", "X_hat", "Y_hat", "X", "Y", "Y_transposed", "b")


class TooLong(InvalidProblem):
    """What would take minutes, and was not asked for by name."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """The letters of a problem in one kind of numbers; r independent features."""

    gamma: Any
    Phi: Any  # (S, r), C
    P: Any  # (S, S)
    r: Any  # (S,)
    d: Any  # (S,)
    R: Any  # (r, F)
    exact: ClassVar[bool] = False

    @property
    def rank(self) -> int:
        """r, the number of independent features."""
        raise NotImplementedError

    @property
    def n_states(self) -> int:
        """S."""
        raise NotImplementedError

    def number(self, value: Any) -> Any:
        """A parameter in this kind of numbers."""
        raise NotImplementedError

    def eye(self, n: int | None = None) -> Any:
        """I, of size r unless told otherwise."""
        raise NotImplementedError

    def times(self, M: Any, V: Any) -> Any:
        """MV."""
        return M * V

    def transposed(self, M: Any) -> Any:
        """Mᵀ."""
        return M.transpose()

    def solve(self, M: Any, B: Any) -> Any:
        """M⁻¹B; a singular M raises ZeroDivisionError, or NumPy's LinAlgError."""
        return M.solve(B) if B.nrows() else B

    def blocks(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        """[[a, b], [c, d]]."""
        return stacked(joined(a, b), joined(c, d))

    def stack(self, a: Any, b: Any) -> Any:
        """One vector below the other."""
        return stacked(a, b)

    def weighted(self, V: Any, weights: Any = None) -> Any:
        """DV, or diag(weights)V."""
        raise NotImplementedError

    def resolvent(self, discount: Any, *parts: Any) -> tuple[Any, ...]:
        """(I − discount·P)⁻¹ of matrices and vectors over the states, by one elimination."""
        raise NotImplementedError

    def follow_on(self, discount: Any) -> Any:
        """(I − discount·Pᵀ)⁻¹d."""
        raise NotImplementedError

    def bellman(self, discount: Any, V: Any) -> Any:
        """(I − discount·P)V."""
        return V - discount * self.times(self.P, V)

    def by(self, M: Any) -> Any:
        """GM."""
        return self.times(self.G, M)

    def seen(self, V: Any) -> Any:
        """ΦᵀV for anything over the states, as it moves w."""
        return self.by(self.times(self.transposed(self.Phi), V))

    @cached_property
    def G(self) -> Any:
        """RRᵀ."""
        return self.times(self.R, self.transposed(self.R))

    @cached_property
    def X_hat(self) -> Any:
        """CᵀDC, symmetric."""
        return self.times(self.transposed(self.Phi), self.weighted(self.Phi))

    @cached_property
    def Y_hat(self) -> Any:
        """CᵀDPC."""
        return self.times(self.transposed(self.Phi), self.weighted(self.times(self.P, self.Phi)))

    @cached_property
    def X(self) -> Any:
        """ΦᵀDΦ."""
        return self.by(self.X_hat)

    @cached_property
    def Y(self) -> Any:
        """ΦᵀDPΦ."""
        return self.by(self.Y_hat)

    @cached_property
    def Y_transposed(self) -> Any:
        """Yᵀ."""
        return self.by(self.transposed(self.Y_hat))

    @cached_property
    def A(self) -> Any:
        """X − γY."""
        return self.X - self.gamma * self.Y

    @cached_property
    def A_transposed(self) -> Any:
        """Aᵀ."""
        return self.X - self.gamma * self.Y_transposed

    @cached_property
    def b(self) -> Any:
        """ΦᵀDr."""
        return self.seen(self.weighted(self.r))

    def geometric(self, M: Any, k: int) -> Any:
        """I + M + … + Mᵏ⁻¹ for k ≥ 1."""
        return geometric_sum(M, k, self.eye())[1]

    def parameters(self, w: Any) -> Any:
        """The shortest θ with Rθ = w."""
        return self.times(self.transposed(self.R), self.solve(self.G, w))

    def point(self, w: Any) -> tuple[Array, Array, str | None]:
        """θ (F,) and values (S,) of w, as arrays, and what is to be said about them."""
        raise NotImplementedError

    def once(self, key: tuple[Any, ...], compute: Callable[[], T]) -> T:
        """What several methods are made of, computed once; `key` says all that it depends on beside the model."""
        known: dict[Any, Any] = self.__dict__.setdefault("_once", {})
        if key not in known:
            known[key] = compute()
        found: T = known[key]
        return found

    def at(self, gamma: Any) -> Self:
        """With another discount; moments that do not know it are kept."""
        other = replace(self, gamma=gamma)
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k in WITHOUT_DISCOUNT})
        return other


@dataclass(frozen=True, eq=False)
class FloatModel(LinearModel):
    """In doubles, G = I."""

    @property
    def rank(self) -> int:
        return int(self.Phi.shape[1])

    @property
    def n_states(self) -> int:
        return len(self.d)

    def number(self, value: Any) -> float:
        return float(value)

    def eye(self, n: int | None = None) -> Array:
        return np.eye(self.rank if n is None else n)

    def times(self, M: Array, V: Array) -> Array:
        return M @ V

    def transposed(self, M: Array) -> Array:
        return M.T

    def solve(self, M: Array, B: Array) -> Array:
        return np.linalg.solve(M, B)

    def blocks(self, a: Array, b: Array, c: Array, d: Array) -> Array:
        """Many times faster than NumPy's own on matrices this small."""
        r = self.rank
        out = np.empty((2 * r, 2 * r))
        out[:r, :r], out[:r, r:], out[r:, :r], out[r:, r:] = a, b, c, d
        return out

    def stack(self, a: Array, b: Array) -> Array:
        return np.concatenate([a, b])

    def weighted(self, V: Array, weights: Array | None = None) -> Array:
        w = self.d if weights is None else weights
        return (w if V.ndim == 1 else w[:, None]) * V

    def resolvent(self, discount: float, *parts: Array) -> tuple[Array, ...]:
        columns = [part if part.ndim == 2 else part[:, None] for part in parts]
        both = self.solve(self.eye(self.n_states) - discount * self.P, np.concatenate(columns, axis=1))
        found = np.split(both, np.cumsum([c.shape[1] for c in columns])[:-1], axis=1)
        return tuple(x if part.ndim == 2 else x[:, 0] for x, part in zip(found, parts, strict=True))

    def follow_on(self, discount: float) -> Array:
        return self.solve(self.eye(self.n_states) - discount * self.P.T, self.d)

    def by(self, M: Array) -> Array:
        return M

    def geometric(self, M: Array, k: int) -> Array:
        return geometric_sum(M, k, self.eye(), operator.matmul)[1]

    def point(self, w: Array) -> tuple[Array, Array, str | None]:
        return self.R.T @ w, self.Phi @ w, None

    @cached_property
    def key_spectrum(self) -> Array:
        """The eigenvalues of A."""
        return np.linalg.eigvals(self.A)

    @cached_property
    def key_singular_values(self) -> Array:
        """The singular values of A, descending."""
        return np.linalg.svd(self.A, compute_uv=False)

    @cached_property
    def chain_spectrum(self) -> Array:
        """The eigenvalues β of B = γX⁻¹Y."""
        return np.linalg.eigvals(self.gamma * self.solve(self.X, self.Y))


@dataclass(frozen=True, eq=False)
class ExactModel(LinearModel):
    """In FLINT's rationals; vectors are columns."""

    exact: ClassVar[bool] = True

    @property
    def rank(self) -> int:
        return int(self.Phi.ncols())

    @property
    def n_states(self) -> int:
        return int(self.Phi.nrows())

    def number(self, value: Any) -> Any:
        return rational(Fraction(value))

    def eye(self, n: int | None = None) -> fmpq_mat:
        return identity(self.rank if n is None else n)

    def weighted(self, V: fmpq_mat, weights: fmpq_mat | None = None) -> fmpq_mat:
        return scaled_rows((self.d if weights is None else weights).entries(), V)

    def resolvent(self, discount: Any, *parts: fmpq_mat) -> tuple[fmpq_mat, ...]:
        both = self.solve(self.eye(self.n_states) - discount * self.P, joined(*parts))
        ends = np.cumsum([0, *(part.ncols() for part in parts)]).tolist()
        return tuple(columns(both, range(a, b)) for a, b in pairwise(ends))

    def follow_on(self, discount: Any) -> fmpq_mat:
        return self.solve(self.eye(self.n_states) - discount * self.P.transpose(), self.d)

    def point(self, w: fmpq_mat) -> tuple[Array, Array, str | None]:
        return array(self.parameters(w)), array(self.Phi * w), None


def exact_model(problem: Problem) -> ExactModel:
    """The problem in rationals; floats stand for the rationals they denote.

    >>> from theory.problems import InvalidProblem, Problem
    >>> twins = Problem.from_matrices("0.99", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> exact_model(twins).A, float_model(twins).A.round(12)
    ([-47/50], array([[-0.94]]))
    """
    e, m = problem.exact, reduced(problem)
    Phi = matrix(e.Phi)
    R = row_basis(Phi) if m.rank < Phi.ncols() else identity(m.rank)
    C = columns(Phi, m.independent) if m.rank else fmpq_mat(problem.n_states, 0)
    R = fmpq_mat(0, Phi.ncols()) if R is None else R
    model = ExactModel(rational(e.gamma), C, matrix(e.P_pi), matrix(e.r_pi), matrix(e.d_mu), R)
    model.__dict__.update(G=m.G, X_hat=m.X, Y_hat=m.Y)
    return model


def float_model(problem: Problem) -> FloatModel:
    """The problem in doubles; features too large or too small for their moments are refused in one line."""
    checked_moments(problem)
    V = row_space(problem)
    return FloatModel(problem.gamma, problem.Phi @ V, problem.P_pi, problem.r_pi, problem.d_mu, V.T)
