r"""What a method's formulas are written in: a problem's letters, in floats or exactly, for independent features.

Let Φ = CR with C (S×r) of full column rank. A learner is seen only through w = Rθ, because its values are Φθ = Cw, and
an operator RᵀM̂R on θ moves w as GM̂ does, G = RRᵀ ≻ 0 (`theory.exact.reduced`). So every formula in X, Y, A, their
transposes, I and inverses holds as it is written, with

    X = GCᵀDC        Y = GCᵀDPC        A = X − γY        Aᵀ: G(CᵀD(I − γP)C)ᵀ        b = GCᵀDr

in place of the F×F moments: R(RᵀX̂R + ηI)⁻¹Rᵀ = (GX̂ + ηI)⁻¹G. Eigenvalues that belong to ker Φ are gone, X is
invertible, and with independent features nothing has changed.

Exactly, C are the leftmost independent columns and entries are FLINT rationals; in floats C = ΦV with V an orthonormal
basis of (ker Φ)^⊥, so that G = I. The two differ by a change of coordinates: same spectra, same values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from theory.exact.matrices import columns, independent_columns, matrix, rational
from theory.linear.basis import checked_moments, row_space
from theory.linear.small import eigenvalues, singular_values, solve
from theory.problems import Problem
from theory.problems.numbers import Array

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Ground:
    """The letters of a problem in one kind of numbers; r independent features."""

    gamma: Any
    Phi: Array  # (S, r), C
    P: Array  # (S, S)
    r: Array  # (S,)
    d: Array  # (S,)
    R: Array  # (r, F)
    exact: bool

    @property
    def rank(self) -> int:
        """r, the number of independent features."""
        return self.Phi.shape[1]

    @cached_property
    def G(self) -> Array:
        """RRᵀ."""
        return self.times(self.R, self.R.T)

    def seen(self, V: Array) -> Array:
        """ΦᵀV for anything over the states, (S,) or (S, n), as it moves w."""
        summed = self.times(self.Phi.T, V)
        return self.times(self.G, summed) if self.exact else summed  # in floats G = I

    def weighted(self, V: Array, weights: Array | None = None) -> Array:
        """DV, or diag(weights)V."""
        w = self.d if weights is None else weights
        return (w if V.ndim == 1 else w[:, None]) * V

    def bellman(self, discount: Any, V: Array) -> Array:
        """(I − discount·P)V."""
        return V - discount * self.times(self.P, V)

    def resolvent(self, discount: Any, V: Array) -> Array:
        """(I − discount·P)⁻¹V."""
        return self.solve(self.eye(len(self.d)) - discount * self.P, V)

    def resolvents(self, discount: Any, V: Array, v: Array) -> tuple[Array, Array]:
        """(I − discount·P)⁻¹ of columns and of one vector, by one elimination."""
        both = self.resolvent(discount, np.concatenate([V, v[:, None]], axis=1))
        return both[:, :-1], both[:, -1]

    def follow_on(self, discount: Any) -> Array:
        """(I − discount·Pᵀ)⁻¹d."""
        return self.solve(self.eye(len(self.d)) - discount * self.P.T, self.d)

    def once(self, key: tuple[Any, ...], compute: Callable[[], T]) -> T:
        """What several methods are made of, computed once; `key` says all that it depends on beside the ground."""
        known: dict[Any, Any] = self.__dict__.setdefault("_once", {})
        if key not in known:
            known[key] = compute()
        found: T = known[key]
        return found

    @cached_property
    def X(self) -> Array:
        """ΦᵀDΦ."""
        return self.seen(self.weighted(self.Phi))

    @cached_property
    def Y(self) -> Array:
        """ΦᵀDPΦ."""
        return self.seen(self.weighted(self.times(self.P, self.Phi)))

    @cached_property
    def A(self) -> Array:
        """X − γY."""
        return self.X - self.gamma * self.Y

    @cached_property
    def A_transposed(self) -> Array:
        """Aᵀ."""
        return self.X - self.gamma * self.Y_transposed

    @cached_property
    def Y_transposed(self) -> Array:
        """Yᵀ."""
        if not self.exact:
            return self.Y.T
        return self.times(self.G, self.times(self.Phi.T, self.weighted(self.times(self.P, self.Phi))).T)

    @cached_property
    def b(self) -> Array:
        """ΦᵀDr."""
        return self.seen(self.weighted(self.r))

    @cached_property
    def key_spectrum(self) -> Array:
        """The eigenvalues of A, in floats."""
        return eigenvalues(self.A)

    @cached_property
    def key_singular_values(self) -> Array:
        """The singular values of A, in floats, descending."""
        return singular_values(self.A)

    @cached_property
    def chain_spectrum(self) -> Array:
        """The eigenvalues β of B = γX⁻¹Y, in floats."""
        return eigenvalues(self.gamma * self.solve(self.X, self.Y))

    def eye(self, n: int | None = None) -> Array:
        """I, of size r unless told otherwise."""
        return np.eye(self.rank if n is None else n, dtype=self.Phi.dtype)

    def blocks(self, a: Array, b: Array, c: Array, d: Array) -> Array:
        """[[a, b], [c, d]] of r×r parts; many times faster than NumPy's own on matrices this small."""
        r = self.rank
        out = np.empty((2 * r, 2 * r), dtype=self.Phi.dtype)
        out[:r, :r], out[:r, r:], out[r:, :r], out[r:, r:] = a, b, c, d
        return out

    def number(self, value: Any) -> Any:
        """A parameter in this kind of numbers."""
        return rational(Fraction(value)) if self.exact else float(value)

    def times(self, M: Array, V: Array) -> Array:
        """MV; exactly, over common denominators, which is many times faster than entry by entry."""
        if not self.exact or M.size == 0 or V.size == 0:
            return M @ V
        return _array(matrix(M.tolist()) * matrix(V.tolist())).reshape(M.shape[0], *V.shape[1:])

    def solve(self, M: Array, B: Array) -> Array:
        """M⁻¹B; exactly, a singular M raises ZeroDivisionError."""
        if not self.exact:
            return solve(M, B)
        if M.size == 0:
            return B
        return _array(matrix(M.tolist()).solve(matrix(B.tolist()))).reshape(B.shape)

    def determinant(self, M: Array) -> Any:
        """det M."""
        if not self.exact:
            return float(np.linalg.det(M))
        return matrix(M.tolist()).det() if M.size else rational(Fraction(1))

    def at(self, gamma: Any) -> Ground:
        """With another discount; moments that do not know it are kept."""
        other = replace(self, gamma=gamma)
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k in ("G", "X", "Y", "Y_transposed", "b")})
        return other

    def parameters(self, w: Array) -> Array:
        """The shortest θ with Rθ = w."""
        return self.times(self.R.T, self.solve(self.G, w))

    def geometric(self, M: Array, k: int) -> Array:
        """I + M + … + Mᵏ⁻¹ for k ≥ 1, by doubling."""
        power, total = M, self.eye(len(M))
        for bit in bin(k)[3:]:
            total, power = total + self.times(power, total), self.times(power, power)
            if bit == "1":
                total, power = total + power, self.times(power, M)
        return total


def exact_ground(problem: Problem) -> Ground:
    """The problem in rationals; floats stand for the rationals they denote.

    >>> from theory.problems import Problem
    >>> twins = Problem.from_matrices("0.99", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> exact_ground(twins).A, float_ground(twins).A.round(12)
    (array([[-47/50]], dtype=object), array([[-0.94]]))
    """
    e = problem.exact
    Phi = matrix(e.Phi)
    rank, S = Phi.rank(), problem.n_states
    if rank == Phi.ncols():
        C, R = _array(Phi), np.eye(rank, dtype=object)
    elif rank == 0:
        C, R = np.empty((S, 0), dtype=object), np.empty((0, Phi.ncols()), dtype=object)
    else:
        C, R = _array(columns(Phi, independent_columns(Phi))), _array(Phi.rref()[0])[:rank]
    P, r, d = _array(matrix(e.P_pi)), _array(matrix(e.r_pi))[:, 0], _array(matrix(e.d_mu))[:, 0]
    return Ground(rational(e.gamma), C, P, r, d, R, True)


def float_ground(problem: Problem) -> Ground:
    """The problem in doubles; features too large or too small for their moments are refused in one line."""
    checked_moments(problem)
    V = row_space(problem)
    return Ground(problem.gamma, problem.Phi @ V, problem.P_pi, problem.r_pi, problem.d_mu, V.T, False)


def _array(m: Any) -> Array:
    out = np.empty((m.nrows(), m.ncols()), dtype=object)
    for i, row in enumerate(m.tolist()):
        out[i] = row
    return out
