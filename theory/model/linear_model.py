r"""What a method's formulas are written in: a problem's letters, in one kind of numbers, for independent features.

Let Φ = CR with C (S×r) of full column rank. A learner is seen only through w = Rθ, because its values are Φθ = Cw, and
an operator RᵀM̂R on θ moves w as GM̂ does, G = RRᵀ ≻ 0. So every formula in X, Y, A, their
transposes, I and inverses holds as it is written, with

    X = GCᵀDC        Y = GCᵀDPC        A = X − γY        Aᵀ: G(CᵀD(I − γP)C)ᵀ        b = GCᵀDr

in place of the F×F moments: R(RᵀX̂R + ηI)⁻¹Rᵀ = (GX̂ + ηI)⁻¹G. Eigenvalues that belong to ker Φ are gone, X is
invertible, and with independent features nothing has changed. TD's stability is that of GÂ and not of Â (it depends on
the features' basis); what the chain does is that of X̂⁻¹γŶ alone.

**Sign convention**, stated here once: an update is ``theta += alpha * (b - A @ theta)``, so it is stable for small α
exactly when every eigenvalue of A has positive real part.

A formula is written once, with +, −, factors from the left, and what the model of its numbers gives: `times`, `solve`,
`eye`, `blocks`, `stack`, `transposed`, `weighted`, `number`. `FloatModel` holds arrays, `ExactModel` FLINT's rational
matrices, vectors as columns; they differ in C, a change of coordinates: same spectra, same values.
`theory.model.enclosed` holds balls.

    float_model     C = ΦV, V an orthonormal basis of (ker Φ)^⊥: G = I
    value_model     WᵀDW = I, Φ = WR: X̂ = I whatever the scale and the condition of the features
    exact_model     C are the leftmost independent columns of Φ, R its reduced row echelon form
    moments         Φ itself: the paper's F×F matrices, singular where features depend on each other
    exact_moments   the same, exactly
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.matrices import (
    array,
    block_bidiagonal,
    columns,
    geometric_sum,
    identity,
    joined,
    matrix,
    rational,
    row_basis,
    scaled_rows,
    stacked,
)
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray
from theory.problems.problem import cached_for_all_discounts, cached_on_problem

T = TypeVar("T")

WITHOUT_DISCOUNT = ("G", "X_hat", "Y_hat", "b_hat")
MANY = 10_000  # transitions that are not turned into fractions all at once
TINY = float(np.finfo(float).tiny)
EPS = float(np.finfo(float).eps)


class TooLong(InvalidProblem):
    """A computation of minutes that was not requested by name."""


class NotApplicable(InvalidProblem):
    """A formula needs what the problem does not have."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """The letters of a problem in one kind of numbers; r independent features."""

    gamma: Any
    Phi: Any  # (S, r), C
    P: Any  # (S, S)
    r: Any  # (S,)
    d: Any  # (S,)
    R: Any = None  # (r, F); None is I
    P_mu: Any = None  # (S, S), where the behaviour's own chain is known
    r_mu: Any = None  # (S,)
    problem: Any = None  # of which actions may be known
    exact: ClassVar[bool] = False
    proves: ClassVar[bool] = True  # is what is true of its numbers true of the problem?
    resolved = True  # are they known?
    width: ClassVar[float | None] = None  # the widest bound on an entry of X̂ or Ŷ, where they have bounds

    @property
    def rank(self) -> int:
        """r, the number of independent features."""
        raise NotImplementedError

    @property
    def n_states(self) -> int:
        """S."""
        raise NotImplementedError

    @property
    def n_features(self) -> int:
        """F."""
        if self.R is None:
            return self.rank
        return int(self.R.shape[1] if isinstance(self.R, np.ndarray) else self.R.ncols())

    def number(self, value: Any) -> Any:
        """A parameter in this kind of numbers."""
        raise NotImplementedError

    def vector(self, values: Sequence[Any] | Array) -> Any:
        """Numbers as a vector."""
        raise NotImplementedError

    def eye(self, n: int | None = None) -> Any:
        """The identity, of size r by default."""
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

    def solution(self, M: Any, b: Any) -> Any | None:
        """M⁻¹b; None where M is singular, in floats up to rounding."""
        try:
            return self.solve(M, b)
        except ZeroDivisionError:
            return None

    def blocks(self, a: Any, b: Any, c: Any, d: Any) -> Any:
        """[[a, b], [c, d]]."""
        return stacked(joined(a, b), joined(c, d))

    def stack(self, *parts: Any) -> Any:
        """One vector below the other."""
        return stacked(*parts)

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
        return M if self.G is None else self.times(self.G, M)

    def seen(self, V: Any) -> Any:
        """ΦᵀV for anything over the states, as it moves w."""
        return self.by(self.summed(V))

    def summed(self, V: Any) -> Any:
        """CᵀV."""
        return self.times(self.transposed(self.Phi), V)

    @cached_property
    def G(self) -> Any:
        """RRᵀ; None is I."""
        return None if self.R is None else self.times(self.R, self.transposed(self.R))

    @cached_property
    def X_hat(self) -> Any:
        """CᵀDC, symmetric."""
        return self.times(self.transposed(self.Phi), self.weighted(self.Phi))

    @cached_property
    def Y_hat(self) -> Any:
        """CᵀDPC."""
        return self.times(self.transposed(self.Phi), self.weighted(self.times(self.P, self.Phi)))

    @cached_property
    def b_hat(self) -> Any:
        """CᵀDr."""
        return self.times(self.transposed(self.Phi), self.weighted(self.rewards))

    @property
    def A_hat(self) -> Any:
        """X̂ − γŶ."""
        return self.X_hat - self.gamma * self.Y_hat

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
        return self.by(self.b_hat)

    @cached_property
    def B(self) -> Any:
        """γX⁻¹Y, which moves the chain's error from head to head."""
        return self.gamma * self.solve(self.X_hat, self.Y_hat)

    @cached_property
    def c(self) -> Any:
        """X⁻¹b: the chain is w ← Bw + c."""
        return self.solve(self.X_hat, self.b_hat)

    @cached_property
    def behaviour(self) -> Self:
        """The model of the behaviour's own values, whose A and b are A_μ and b_μ; an error where they are unknown."""
        if self.P_mu is None:
            raise NotApplicable("A_μ and θ_μ need the behaviour's own transitions", "P_mu")
        return self.along(self.P_mu, self.r_mu)

    @property
    def rewards(self) -> Any:
        """r; an error where they are the behaviour's, and unknown."""
        if self.r is None:
            raise InvalidProblem("θ_μ and v_μ need the behaviour's own rewards", "r_mu")
        return self.r

    def along(self, P: Any, r: Any) -> Self:
        """The same features and weights, with other transitions and rewards."""
        other = replace(self, P=P, r=r)
        other.__dict__.update({name: x for name, x in self.__dict__.items() if name in ("G", "X_hat")})
        return other

    def joint(self, K: int) -> tuple[Any, Any]:
        """M and b† of the heads 0..K at once (eq-M): A_μ in the first diagonal block, X in the others, −γY below."""
        if K < 0:
            raise InvalidProblem(f"the chain's last head must be 0 or more, got {K}", "K")
        first = self.behaviour
        M = block_bidiagonal([first.A] + [self.X] * K, -self.gamma * self.Y)
        return M, self.stack(first.b, *[self.b] * K)

    def geometric(self, M: Any, k: int) -> Any:
        """I + M + … + Mᵏ⁻¹ for k ≥ 1."""
        return geometric_sum(M, k, self.eye(), self.times)[1]

    def coordinates(self, theta: Any) -> Any:
        """w = Rθ."""
        return theta if self.R is None else self.times(self.R, theta)

    def parameters(self, w: Any) -> Any:
        """The shortest θ with Rθ = w."""
        if self.R is None:
            return w
        return self.times(self.transposed(self.R), w if self.G is None else self.solve(self.G, w))

    def values(self, w: Any) -> Any:
        """Cw, over the states."""
        return self.times(self.Phi, w)

    def point(self, w: Any) -> tuple[Array, Array, str | None]:
        """θ (F,) and values (S,) of w, as arrays, and what is to be said about them."""
        raise NotImplementedError

    def cached(self, key: tuple[Any, ...], compute: Callable[[], T]) -> T:
        """What several methods are made of, computed once; `key` says all that it depends on beside the model."""
        known: dict[Any, Any] = self.__dict__.setdefault("_cached", {})
        if key not in known:
            known[key] = compute()
        return known[key]

    def at(self, gamma: Any) -> Self:
        """With another discount; moments that do not know it are kept."""
        other = replace(self, gamma=gamma)
        other.__dict__.update({name: x for name, x in self.__dict__.items() if name in WITHOUT_DISCOUNT})
        return other


@dataclass(frozen=True, eq=False)
class FloatModel(LinearModel):
    """In doubles."""

    proves = False

    @property
    def rank(self) -> int:
        return int(self.Phi.shape[1])

    @property
    def n_states(self) -> int:
        return len(self.d)

    def number(self, value: Any) -> float:
        return float(value)

    def vector(self, values: Sequence[Any] | Array) -> Array:
        return np.array(values, dtype=np.float64)

    def eye(self, n: int | None = None) -> Array:
        return np.eye(self.rank if n is None else n)

    def times(self, M: Array, V: Array) -> Array:
        return M @ V

    def transposed(self, M: Array) -> Array:
        return M.T

    def solve(self, M: Array, B: Array) -> Array:
        return np.linalg.solve(M, B)

    def solution(self, M: Array, b: Array) -> Array | None:
        # Entries are computed to EPS·max(1, |M|); a singular value below that times r is zero.
        sigma = np.linalg.svd(M, compute_uv=False)
        size = max(1.0, float(np.abs(M).max(initial=0.0)))
        return self.solve(M, b) if sigma.min(initial=np.inf) > len(M) * EPS * size else None

    def blocks(self, a: Array, b: Array, c: Array, d: Array) -> Array:
        """Many times faster than NumPy's own on matrices this small."""
        r = self.rank
        out = np.empty((2 * r, 2 * r))
        out[:r, :r], out[:r, r:], out[r:, :r], out[r:, r:] = a, b, c, d
        return out

    def stack(self, *parts: Array) -> Array:
        return np.concatenate(parts)

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

    @cached_property
    def X_hat(self) -> Array:
        X = self.Phi.T @ self.weighted(self.Phi)
        return (X + X.T) / 2  # symmetric to the last bit: Cholesky and eigh rely on it

    def parameters(self, w: Array) -> Array:
        if self.R is None or self.G is None:
            return w if self.R is None else self.R.T @ w
        return np.linalg.lstsq(self.R, w, rcond=None)[0]

    def point(self, w: Array) -> tuple[Array, Array, str | None]:
        return self.parameters(w), self.Phi @ w, None

    @cached_property
    def key_spectrum(self) -> Array:
        """The eigenvalues of A."""
        return np.linalg.eigvals(self.A)

    @cached_property
    def chain_spectrum(self) -> Array:
        """The eigenvalues β of B = γX⁻¹Y."""
        return np.linalg.eigvals(self.B)


@dataclass(frozen=True, eq=False)
class ExactModel(LinearModel):
    """In FLINT's rationals; vectors are columns."""

    exact = True

    @property
    def rank(self) -> int:
        return self.Phi.ncols()

    @property
    def n_states(self) -> int:
        return self.Phi.nrows()

    def number(self, value: Any) -> Any:
        return rational(Fraction(value))

    def vector(self, values: Sequence[Any] | Array) -> fmpq_mat:
        return matrix(values)

    def eye(self, n: int | None = None) -> fmpq_mat:
        return identity(self.rank if n is None else n)

    def times(self, M: Any, V: fmpq_mat) -> fmpq_mat:
        return product(M, V) if isinstance(M, np.ndarray) else M * V

    def weighted(self, V: fmpq_mat, weights: fmpq_mat | None = None) -> fmpq_mat:
        return scaled_rows((self.d if weights is None else weights).entries(), V)

    def resolvent(self, discount: Any, *parts: fmpq_mat) -> tuple[fmpq_mat, ...]:
        both = self.solve(self.eye(self.n_states) - discount * self.transitions, joined(*parts))
        ends = np.cumsum([0, *(part.ncols() for part in parts)]).tolist()
        return tuple(columns(both, range(a, b)) for a, b in pairwise(ends))

    def follow_on(self, discount: Any) -> fmpq_mat:
        return self.solve(self.eye(self.n_states) - discount * self.transitions.transpose(), self.d)

    @property
    def transitions(self) -> fmpq_mat:
        """P as a matrix of fractions."""
        return matrix(self.P) if isinstance(self.P, np.ndarray) else self.P

    def point(self, w: fmpq_mat) -> tuple[Array, Array, str | None]:
        return array(self.parameters(w)), array(self.Phi * w), None


def product(P: Array, V: fmpq_mat) -> fmpq_mat:
    """PV of many states, some rows at a time: S² fractions fill memory."""
    rows = max(1, 25 * MANY // len(P))
    return fmpq_mat([row for i in range(0, len(P), rows) for row in (matrix(P[i : i + rows]) * V).tolist()])


@cached_on_problem
def exact_model(problem: Problem) -> ExactModel:
    """The problem in rationals, in independent features; floats stand for the rationals they denote.

    >>> from theory.problems import Problem
    >>> twins = Problem.from_matrices("0.99", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> exact_model(twins).A, float_model(twins).A.round(12)
    ([-47/50], array([[-0.94]]))
    """
    return _without_discount(problem).at(rational(Fraction(problem.given.gamma)))


@cached_for_all_discounts
def _without_discount(problem: Problem) -> ExactModel:
    model = independent(_exact(problem))
    _ = model.X_hat, model.Y_hat, model.G
    return model


def independent(model: ExactModel) -> ExactModel:
    """The same in the leftmost independent features."""
    Phi = model.Phi
    # A rank is found modulo primes, at once; the echelon form of a large matrix has long fractions.
    if Phi.rank() == Phi.ncols():
        return model
    R = row_basis(Phi)
    return replace(model, Phi=columns(Phi, [next(j for j, x in enumerate(row) if x != 0) for row in R.tolist()]), R=R)


def heights(problem: Problem) -> list[fmpq] | None:
    """Of independent features without a state in common, their first values that are not 0; None of others."""
    m = exact_model(problem)
    if m.R is not None or any(m.X_hat[i, j] != 0 for i in range(m.rank) for j in range(i)):
        return None
    return [next(x for x in column if x != 0) for column in m.Phi.transpose().tolist()]


@cached_on_problem
def exact_moments(problem: Problem) -> ExactModel:
    """The paper's own F×F matrices, exactly.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> exact_moments(twostate).A
    [-47/100]
    """
    found = exact_model(problem)
    return found if found.R is None else _exact(problem).at(found.gamma)


def _exact(problem: Problem) -> ExactModel:
    g = problem.exact if problem.is_large else problem.given  # of large ones there are no exact numbers, which is said
    P, P_mu = (M if M is None or M.size > MANY else matrix(M) for M in (g.P_pi, g.P_mu))
    r_mu = None if g.r_mu is None else matrix(g.r_mu)
    return ExactModel(rational(0), matrix(g.Phi), P, matrix(g.r_pi), matrix(g.d_mu), None, P_mu, r_mu, problem)


@cached_on_problem
def moments(problem: Problem) -> FloatModel:
    """The paper's own F×F matrices, in doubles; features too large or too small for that are refused in one line.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> m = moments(twostate)
    >>> m.X.item(), m.Y.item()
    (2.5, 3.0)
    """
    f = problem.floats
    model = FloatModel(f.gamma, f.Phi, f.P_pi, f.r_pi, f.d_mu, None, f.P_mu, f.r_mu, problem)
    with np.errstate(over="ignore", invalid="ignore"):  # the diagonals bound the other entries (Cauchy and Schwarz)
        own, ahead = (f.d_mu @ (V * V) for V in (f.Phi, f.P_pi @ f.Phi))
        finite = all(np.isfinite(x).all() for x in (own, ahead, model.b))
    if not finite:
        raise InvalidProblem("the moments ΦᵀDΦ, … overflow double precision: rescale the features or rewards", "Phi")
    small = (own < TINY) & (np.abs(f.Phi).max(axis=0) > 0)
    if small.any():
        column = int(np.flatnonzero(small)[0])
        raise InvalidProblem(f"feature {column} is so small that ΦᵀDΦ underflows: rescale it", "Phi")
    return model


@cached_on_problem
def value_model(problem: Problem) -> FloatModel:
    """In doubles, in coordinates of the values: WᵀDW = I, Φ = WR; X̂ = I and B = γWᵀDPW without inverting X.

    Each feature is first divided by a power of two near its largest entry, so that rank does not depend on units.

    >>> twice = Problem.from_matrices("1/2", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> value_model(twice).rank
    1
    """
    if problem.is_large:
        return _whitened(float_model(problem))
    m = moments(problem)
    root, scale, shape = np.sqrt(m.d)[:, None], _column_scales(m.Phi), max(m.Phi.shape)
    weighted = root * (m.Phi / scale)
    if m.d.min() < 1e-12 * m.d.max():
        # A state visited once in 1e30 steps hides the features that only it tells apart, and a rounding of the others
        # is much to it: the rank is that of Φ, and its row must be right in its own units.
        U, R = _row_by_row(weighted, _rank(np.linalg.svd(m.Phi / scale, compute_uv=False), shape))
    else:
        U, sigma, Vt = np.linalg.svd(weighted, full_matrices=False)
        r = _rank(sigma, shape)
        U, R = U[:, :r], sigma[:r, None] * Vt[:r]
    R, seen = R * scale, m.d > 0
    W = np.divide(U, root, out=np.zeros_like(U), where=seen[:, None])
    if not seen.all():  # Φ = WR there too: the rows of R span those of Φ (`theory.problems.validate`)
        W[~seen] = np.linalg.lstsq((R / scale).T, (m.Phi[~seen] / scale).T, rcond=None)[0].T
    model = replace(m, Phi=W, R=R)
    model.__dict__["X_hat"] = np.eye(model.rank)
    return model


def _whitened(m: FloatModel) -> FloatModel:
    """The same of a model of which the moments are known."""
    L = np.linalg.cholesky(m.X_hat)
    model = replace(m, Phi=np.linalg.solve(L, m.Phi.T).T, R=L.T if m.R is None else L.T @ m.R)
    halved = np.linalg.solve(L, m.Y_hat)
    model.__dict__.update(X_hat=np.eye(m.rank), Y_hat=np.linalg.solve(L, halved.T).T)
    return model


def _row_by_row(weighted: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
    """QR with rows of every size right in their own units: sorted rows, pivoted columns (Cox, Higham)."""
    from scipy.linalg import qr

    rows = np.argsort(-np.abs(weighted).max(axis=1), kind="stable")
    Q, R, pivots = qr(weighted[rows], mode="economic", pivoting=True)
    U, coordinates = np.empty_like(Q[:, :rank]), np.empty_like(R[:rank])
    U[rows], coordinates[:, pivots] = Q[:, :rank], R[:rank]
    return U, coordinates


def _rank(sigma: Array, size: int) -> int:
    """How many singular values stand above rounding, σ > max(shape)·eps·σ_max as in NumPy."""
    return int(np.sum(sigma > size * EPS * sigma.max(initial=0.0)))


def _column_scales(M: FloatArray) -> FloatArray:
    largest = np.abs(M).max(axis=0, initial=0.0)
    return np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)


@cached_on_problem
def float_model(problem: Problem) -> FloatModel:
    """The problem in doubles, in independent features."""
    if problem.is_large:
        from theory.model.enclosed import middle

        return middle(problem)
    m, R = moments(problem), value_model(problem).R
    if len(R) == problem.n_features:
        return m
    V = np.linalg.qr(R.T / np.max(_column_scales(R), initial=1.0))[0]
    model = replace(m, Phi=m.Phi @ V, R=V.T)
    model.__dict__["G"] = None  # V is orthonormal
    return model
