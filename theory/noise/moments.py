r"""The moments of a learner's error: one linear map, at every step size.

With the maps M_m of `theory.noise.errors` the p-th moments T_i = E[y ⊗ ⋯ ⊗ y 1{node i}] go from move to move by

    T_j ← Σ_{m: i → j} p_m (M_m ⊗ ⋯ ⊗ M_m) T_i,          q_t = E‖v_t − v_π‖² = Σ_i ⟨form_i, T_i(t)⟩ for p = 2.

The constant in y carries masses and lower moments along. Of a symmetric T the entries a ≤ b ≤ … are enough, and of
those one of each orbit of exchangeable states (`theory.noise.symmetry`): a vector Y with Y ← L(α, β)Y. M is affine in
(α, β), so L is a polynomial of degree p: its values at a few settings give its coefficients and those all settings.
What is too long for a matrix is applied to T move by move. Everything about second and fourth moments is asked of this
map: last halves and curves of runs, the stationary error, spectral radii; exactly, its determinant
(`theory.noise.mean_square`); pairs of heads and windows are parts of it (`theory.noise.heads`, `theory.noise.windows`).

*Spectral radii* are of x alone, as if no constant drove it. Symmetric tensors have the largest radius: |E[x¹ ⊗ ⋯ ⊗ xᵖ]|
is at most the product of the p-th roots of E|xᵏ|ᵖ (Hölder). For even p the map keeps the cone spanned by p-th powers,
so its radius ρ is an eigenvalue with an eigenvector in the cone. Of all eigenvalues it is nearest to any real σ > ρ,
and inverse iteration finds it. σ > ρ is seen from (σ − L)⁻¹ of independent normals' moments, which is the sum of
Lⁿ/σⁿ⁺¹ of them and inside the cone exactly then; elsewhere a larger σ is taken.

*Rounding*: floats round each step by a few units of 10⁻¹⁶ of the largest entry; about 2ᵇ·10⁻¹⁶ after b squarings.
Entries below 10⁻²⁹⁰ are set to 0. Overflow means divergence: ∞.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.exact.matrices import fraction, matrix
from theory.learners.rule import Rule
from theory.linear.spectra import same_restarts
from theory.noise.errors import ErrorChain, step_maps
from theory.noise.symmetry import Moment, Orbits
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

MAX_MOMENTS = 60_000  # before exchange of states
MAX_MATRIX = 3000  # different moments of a matrix: 72 MB
MAX_POLYNOMIAL = 1200  # and of the matrices that are the coefficients of a polynomial
SMALL = 150  # up to which all eigenvalues are found
ITERATED = 400  # second moments from which on ρ₂ is iterated: a factorisation takes longer
INVERSE = 10  # vectors of inverse iteration
SHIFTS = (1.001, 1.1, 2.0, 16.0, 256.0, 1e6, 1e12)
OUTSIDE = 1e-5  # how far a computed eigenvector may be outside of the cone, relative
MOST_WORK, LONGEST = 3e7, 1e9  # multiplications of one application of the map, and of all in an iteration
VECTORS = 80  # of Arnoldi's iteration: with 30 it has settled on another eigenvalue than the largest
SETTLED, RESTART, ROUNDS = 1e-11, 60, 20  # of GMRES: the residual, relative, and how long it goes on
FLUSH = 1e-290
CHUNK = 1_000_000  # numbers in the matrices that are squared together: 8 MB
WORDS = {2: "second", 4: "fourth"}


@dataclass(frozen=True, eq=False)
class Numbering:
    """The different moments of one order: which each of all moments is, and one of each."""

    order: int
    n: int  # coordinates that are multiplied
    columns: Array  # (N, h)
    first: list[Moment]
    rows: list[tuple[Array, Array]]  # (N,): which of the different moments are at a node, and which monomials they are

    def __len__(self) -> int:
        return len(self.first)

    def add(self, L: Array, rows: Array, node: int, values: Array) -> None:
        """Add values (rows, h) of all moments at a node to some rows of L."""
        columns = self.columns[node]
        if len(self) == self.columns.size:  # no states are exchanged: all moments, node by node
            L[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] += values
        elif L.dtype == object:
            for column, value in zip(columns.tolist(), values.T, strict=True):
                L[rows, column] += value
        else:
            L[rows] += (self._sums[node] @ values.T).T

    @cached_property
    def _sums(self) -> list[Any]:
        from scipy.sparse import csr_array

        h = self.columns.shape[1]
        return [csr_array((np.ones(h), (own, np.arange(h))), shape=(len(self), h)) for own in self.columns]

    def place(self, node: int, monomial: tuple[int, ...]) -> int:
        """Of a moment with sorted coordinates."""
        return int(self.columns[node, places(self.n, self.order)[monomial]])


@cache
def monomials(n: int, order: int) -> tuple[tuple[int, ...], ...]:
    """All a ≤ b ≤ … of n indices."""
    return tuple(combinations_with_replacement(range(n), order))


@cache
def places(n: int, order: int) -> dict[tuple[int, ...], int]:
    """The number of each monomial."""
    return {m: i for i, m in enumerate(monomials(n, order))}


@cache
def sorted_places(n: int, order: int) -> Array:
    """(n^order,): which monomial each tuple of indices is."""
    known = places(n, order)
    return np.array([known[tuple(sorted(t))] for t in np.ndindex(*[n] * order)])


class Moments:
    """Moments of a chain at any settings; of a chain at one setting alone, step sizes do not matter."""

    def __init__(self, chain: ErrorChain) -> None:
        self.chain = chain
        self._numbered: dict[tuple[int, bool], Numbering] = {}
        self._polynomials: dict[tuple[int, bool], dict[tuple[int, int], FloatArray]] = {}
        self._unit = 1.0
        if len(chain.parts) > 1:
            largest = np.abs(chain.in_floats.parts[1:]).max()
            self._unit = 2.0 ** -np.ceil(np.log2(largest)) if 0 < largest < np.inf else 1.0

    @property
    def size(self) -> int:
        """D."""
        return self.chain.size

    def numbered(self, order: int = 2, constant: bool = True) -> Numbering:
        """The different moments, of y or of x alone; too many are refused."""
        key, n, N = (order, constant), self.size + int(constant), len(self.chain.nodes)
        h = comb(n + order - 1, order)
        if N * h > MAX_MOMENTS:
            raise InvalidProblem(f"{N * h:,} {WORDS[order]} moments are more than {MAX_MOMENTS:,}", "learner")
        if key not in self._numbered:
            orbits = Orbits(self.chain, constant)
            columns, first = np.arange(N * h).reshape(N, h), [(i, m) for i in range(N) for m in monomials(n, order)]
            if orbits.classes:
                known: dict[Moment, int] = {}
                tops = [orbits.representative(*moment) for moment in first]
                columns = np.array([known.setdefault(top, len(known)) for top in tops]).reshape(N, h)
                first = list(known)
            at = (
                [[c for c, (i, _) in enumerate(first) if i == node] for node in range(N)] if orbits.classes else columns
            )
            numbers = places(n, order)
            rows = [(np.array(own, dtype=int), np.array([numbers[first[c][1]] for c in own], dtype=int)) for own in at]
            self._numbered[key] = Numbering(order, n, columns, first, rows)
        return self._numbered[key]

    def matrices(self, alpha: Any, beta: FloatArray | None = None, order: int = 2, constant: bool = True) -> FloatArray:
        """(settings, n, n): L(α, β)."""
        a = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        b = a if beta is None else np.atleast_1d(np.asarray(beta, dtype=np.float64))
        count = len(self._few(order, constant))
        if len(self.chain.parts) == 1:
            return np.broadcast_to(self._matrix(self.chain.in_floats.maps, order, constant), (len(a), count, count))
        if len(a) == 1 and order > 2 and (order, constant) not in self._polynomials:
            return self._matrix(self.chain.in_floats.mixed((a[0], b[0])), order, constant)[None]
        L = np.zeros((len(a), count, count))
        for (i, j), coefficient in self._polynomial(order, constant).items():
            L += ((a / self._unit) ** i * (b / self._unit) ** j)[:, None, None] * coefficient
        return L

    def exact_powers(self) -> list[fmpq_mat]:
        """L₀, L₁, L₂ of second moments of x alone, exactly; of a chain whose B is 0."""
        assert not (self.chain.parts[2] != 0).any()
        at = [self._matrix(self.chain.mixed((x, 0)), 2, False) for x in (0, 1, 2)]
        square = (at[2] - 2 * at[1] + at[0]) / 2
        return [matrix(x) for x in (at[0], at[1] - at[0] - square, square)]

    def _few(self, order: int, constant: bool, most: int | None = None) -> Numbering:
        found, most = self.numbered(order, constant), MAX_MATRIX if most is None else most
        if len(found) > most:
            raise InvalidProblem(f"{len(found):,} different {WORDS[order]} moments are more than {most:,}", "learner")
        return found

    def _polynomial(self, order: int, constant: bool) -> dict[tuple[int, int], FloatArray]:
        """The coefficients of αⁱβʲ, in units of the step sizes in which the maps are of size 1; by interpolation."""
        key = (order, constant)
        if key not in self._polynomials:
            self._few(order, constant, MAX_POLYNOMIAL)
            two = bool((self.chain.parts[2] != 0).any())
            powers = [(i, j) for i, j in product(range(order + 1), repeat=2) if i + j <= order and (two or j == 0)]
            chain = self.chain.in_floats
            values = [self._matrix(chain.mixed((self._unit * i, self._unit * j)), order, constant) for i, j in powers]
            at = fmpq_mat([[fmpq(i) ** k * fmpq(j) ** m for k, m in powers] for i, j in powers]).inv()
            self._polynomials[key] = {
                power: sum(float(fraction(x)) * value for x, value in zip(row, values, strict=True) if x)  # type: ignore[misc]
                for power, row in zip(powers, at.tolist(), strict=True)
            }
        return self._polynomials[key]

    def _matrix(self, maps: Array, order: int, constant: bool) -> Array:
        """(n, n): L of one setting's maps, in their own numbers."""
        found, chain = self.numbered(order, constant), self.chain if maps.dtype == object else self.chain.in_floats
        L = np.full((len(found), len(found)), 0 * maps.flat[0], dtype=maps.dtype)
        for i, j, p, M in zip(chain.node, chain.next_node, chain.probability, maps, strict=True):
            rows, wanted = found.rows[j]
            if len(rows):
                found.add(L, rows, i, p * symmetric_power(M[: found.n, : found.n], order, wanted))
        return L

    def start(self, scale: float = 100.0, order: int = 2) -> FloatArray:
        """(n,): before the first move, y a Gaussian vector with mean m and covariance C (Isserlis).

        E[y_a y_b] = C_ab + m_a m_b, and of four the sum over all ways to pair up some of them, the others by means.
        """
        chain, n = self.chain.in_floats, self.size + 1
        m, C = np.append(-chain.centre, 1.0), np.zeros((n, n))
        C[:-1, :-1] = scale**2 * chain.spread @ chain.spread.T
        return np.array([chain.first[node] * _gaussian(m, C, at) for node, at in self.numbered(order).first])

    def form(self, order: int = 2) -> FloatArray:
        """(n,): the error from the moments, E[q^(order/2)]."""
        found, n = self.numbered(order), self.size + 1
        weights = np.zeros(len(found))
        for columns, form in zip(found.columns, self.chain.in_floats.form, strict=True):
            power = reduce(np.multiply.outer, [form] * (order // 2))
            np.add.at(weights, columns, np.bincount(sorted_places(n, order), power.ravel(), columns.shape[0]))
        return weights

    def chunks(
        self, alpha: Any, beta: FloatArray | None, order: int = 2, constant: bool = True
    ) -> Iterator[FloatArray]:
        """The matrices of all settings, some at a time."""
        alpha = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        count = max(1, CHUNK // len(self.numbered(order, constant)) ** 2)
        for at in range(0, len(alpha), count):
            some = slice(at, at + count)
            yield self.matrices(alpha[some], None if beta is None else beta[some], order, constant)

    def applied(self, maps: FloatArray, order: int = 2) -> Callable[[FloatArray], FloatArray]:
        """The map on all tensors, (N·nᵖ,) to such, for as many coordinates as the maps (m, n, n) have."""
        chain, (m, n, _) = self.chain.in_floats, maps.shape
        by_next = np.argsort(chain.next_node, kind="stable")
        node, M = chain.node[by_next], maps[by_next]
        weights = chain.probability[by_next][:, None, None]
        reached, begins = np.unique(chain.next_node[by_next], return_index=True)

        def apply(flat: FloatArray) -> FloatArray:
            T = weights * flat.reshape(len(chain.nodes), n, -1)[node]
            for _ in range(order):  # one place after the other: it comes first, and goes to the end
                T = (M @ T).swapaxes(1, 2).reshape(m, n, -1)
            found = np.zeros((len(chain.nodes), n**order))
            found[reached] = np.add.reduceat(T.reshape(m, -1), begins, axis=0)
            return found.ravel()

        return apply

    def stepped(self, steps: int, scale: float = 100.0) -> FloatArray:
        """(steps + 1,): q_0, …, q_steps of a chain at one setting, move by move; ∞ from where floats overflow.

        Made symmetric each time: the antisymmetric part of the rounding obeys another map, which may be unstable.
        """
        chain = self.chain.in_floats
        apply, form, Y = self.applied(chain.maps), chain.form, chain.start(scale)
        curve = np.full(steps + 1, np.inf)
        with np.errstate(over="ignore", invalid="ignore"):
            for t in range(steps + 1):
                square = (form * Y).sum()
                if not np.isfinite(square):
                    break
                curve[t] = square
                Y = apply(Y.ravel()).reshape(Y.shape)
                Y = (Y + Y.swapaxes(1, 2)) / 2
        return curve

    def settled(self, L: FloatArray) -> float:
        """E[q] of the solution of Y = LY whose masses are the law's."""
        return max(float(self.form() @ self.fixed_point(L)), 0.0)

    def fixed_point(self, L: FloatArray) -> FloatArray:
        """(n,): the one solution of Y = LY whose masses are the law's: where the learner tends if ρ₂ < 1."""
        found, D = self.numbered(2), self.size
        mass = np.array([monomial == (D, D) for _, monomial in found.first])
        held = np.zeros(len(found))
        for node, p in enumerate(self.chain.in_floats.law):
            held[found.place(node, (D, D))] = p
        A, drive = L[np.ix_(~mass, ~mass)], L[np.ix_(~mass, mass)] @ held[mass]
        held[~mass] = np.linalg.solve(np.eye(len(A)) - A, drive)
        return held

    def settled_by_iteration(self) -> float:
        """The same of a chain at one setting, by GMRES, which only applies the map.

        From masses `law`, which the recursion keeps, the rest obeys Z = L(Z) + b with b = L(begin) − begin.
        """
        from scipy.sparse.linalg import LinearOperator, gmres

        chain = self.chain.in_floats
        apply, begin = self.applied(chain.maps), np.zeros((len(chain.law), *chain.maps.shape[1:]))
        begin[:, -1, -1] = chain.law
        size = begin.size
        gap = LinearOperator((size, size), lambda z: z - apply(z), dtype=np.float64)
        b = apply(begin.ravel()) - begin.ravel()
        Z, failed = gmres(gap, b, rtol=SETTLED, restart=RESTART, maxiter=ROUNDS)
        if failed or not np.isfinite(Z).all():
            raise InvalidProblem(f"{size:,} second moments settle too slowly", "learner")
        return max(float((chain.form * (begin + Z.reshape(begin.shape))).sum()), 0.0)

    def radius(self, alpha: Any = 1.0, beta: FloatArray | None = None, order: int = 2) -> FloatArray:
        """(settings,): ρ₂ or ρ₄, in floats."""
        a = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        count = self._count(order)
        if count <= SMALL:
            return np.concatenate([_radii(L) for L in self.chunks(a, beta, order, constant=False)])
        if len(a) > 1 and len(self.chain.parts) > 1 and count <= MAX_POLYNOMIAL:
            self._polynomial(order, False)
        b = [None] * len(a) if beta is None else np.asarray(beta, dtype=np.float64).tolist()
        return np.array([self.perron(x, y, order)[0] for x, y in zip(a.tolist(), b, strict=True)])

    def perron(
        self,
        alpha: float = 1.0,
        beta: float | None = None,
        order: int = 2,
        near: FloatArray | None = None,
        tolerance: float = 0.0,
    ) -> tuple[float, FloatArray]:
        """ρ₂ or ρ₄, and its tensor (N, D, …, D) in the cone; looked for from one near it where it is known."""
        N, D = len(self.chain.nodes), self.size
        maps = self.chain.in_floats.mixed((alpha, alpha if beta is None else beta))[:, :-1, :-1]
        if not np.isfinite(maps).all():
            return np.inf, np.tile(_inside(D, order), (N, *[1] * order))
        if self._count(order) <= (ITERATED if order == 2 else MAX_MATRIX):
            L = self.matrices(np.array([alpha]), None if beta is None else np.array([beta]), order, False)[0]
            return self._inverse_iteration(L, order)
        return self._arnoldi(maps, order, near, tolerance)

    def _count(self, order: int) -> float:
        """Different moments of x alone; ∞ where they are not even numbered."""
        try:
            return len(self.numbered(order, False))
        except InvalidProblem:
            return np.inf

    def _inverse_iteration(self, L: FloatArray, order: int) -> tuple[float, FloatArray]:
        from scipy.linalg import lu_factor, lu_solve
        from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

        n, found = len(L), self.numbered(order, False)
        shape, spread = (len(found.columns), *[self.size] * order), sorted_places(self.size, order)

        def tensor(y: FloatArray) -> FloatArray:
            return _upright(y[found.columns][:, spread].reshape(shape))

        if n <= SMALL:
            values, vectors = np.linalg.eig(L)
            at = int(np.argmax(values.real))
            return float(values[at].real), tensor(vectors[:, at].real)
        zero, one = np.zeros(self.size), np.eye(self.size)
        unit = np.array([_gaussian(zero, one, monomial) for _, monomial in found.first])
        for sigma in SHIFTS:
            gap = -L
            gap.flat[:: n + 1] += sigma
            factors = lu_factor(gap, overwrite_a=True, check_finite=False)
            inverse = LinearOperator(L.shape, lambda x, f=factors: lu_solve(f, x, check_finite=False), dtype=np.float64)
            inside = lu_solve(factors, unit, check_finite=False)
            if not _is_inside(inside[found.columns][:, spread].reshape(shape)):
                continue
            with suppress(ArpackNoConvergence):
                few, again = min(INVERSE, n - 1), same_restarts(eigs)
                values, vectors = eigs(inverse, k=1, which="LM", v0=inside, ncv=few, tol=1e-12, **again)
                if abs(values[0].imag) < 1e-9 * abs(values[0]) and values[0].real > 0:
                    return float(sigma - 1 / values[0].real), tensor(vectors[:, 0].real)
        raise InvalidProblem(f"the iteration for ρ{'₂' if order == 2 else '₄'} did not settle", "learner")

    def _arnoldi(
        self, maps: FloatArray, order: int, near: FloatArray | None, tolerance: float
    ) -> tuple[float, FloatArray]:
        from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

        N, (m, D, _) = len(self.chain.nodes), maps.shape
        if m * D ** (order + 1) > MOST_WORK:
            raise InvalidProblem(f"{N * D**order:,} {WORDS[order]} moments are too many to iterate", "learner")
        size = N * D**order
        operator = LinearOperator((size, size), matvec=self.applied(maps, order), dtype=np.float64)
        start = np.tile(_inside(D, order).ravel(), N) if near is None else near.ravel()
        vectors = min(VECTORS if near is None else VECTORS // 2, size - 1)
        rounds = max(2, int(LONGEST / (vectors * m * D ** (order + 1))))
        failed = InvalidProblem(f"the iteration for ρ{'₂' if order == 2 else '₄'} did not settle", "learner")
        accuracy = max(tolerance, 1e-9) if order > 2 else tolerance
        try:
            least = {"tol": accuracy, "maxiter": rounds} | same_restarts(eigs)
            values, found = eigs(operator, k=1, which="LR", v0=start, ncv=vectors, **least)
        except ArpackNoConvergence:
            raise failed from None
        T = _upright(found[:, 0].real.reshape(N, *[D] * order))
        if not _in_cone(T):
            raise failed
        return float(values[0].real), (T + T.swapaxes(1, 2)) / 2 if order == 2 else T


def setting_moments(rule: Rule, problem: Problem) -> Moments:
    """Of a rule on a problem at all step sizes; exact in what is exchanged where the problem is exact."""
    return Moments(step_maps(rule, problem))


@cache
def _halves(n: int, order: int) -> tuple[Array, Array, Array, Array, Any]:
    """Both halves of each monomial a ≤ b ≤ …; all pairs of halves, and the sparse matrix (h, pairs) that adds them."""
    from scipy.sparse import csr_array

    halves, whole = places(n, order // 2), places(n, order)
    first, second = (np.array([halves[m[a : a + order // 2]] for m in whole]) for a in (0, order // 2))
    left, right = np.triu_indices(len(halves))
    names = list(halves)
    into = [whole[tuple(sorted((*names[a], *names[b])))] for a, b in zip(left, right, strict=True)]
    return first, second, left, right, csr_array((np.where(left == right, 0.5, 1.0), (into, np.arange(len(into)))))


def symmetric_power(M: Array, order: int, rows: Array | None = None) -> Array:
    """(rows, h): what y ← My does to moments of that order, of all or of some; products of the two halves' orders."""
    if order == 1:
        return M
    first, second, i, j, gathered = _halves(len(M), order)
    if rows is not None:
        first, second = first[rows], second[rows]
    if order == 2:  # in any numbers
        straight = M[np.ix_(first, i)] * M[np.ix_(second, j)]
        return np.asarray(straight + (i != j).astype(int) * (M[np.ix_(first, j)] * M[np.ix_(second, i)]))
    half = symmetric_power(M, order // 2)
    left, right = half[first].T, half[second].T
    return np.asarray((gathered @ (left[i] * right[j] + left[j] * right[i])).T)


def _gaussian(m: FloatArray, C: FloatArray, where: tuple[int, ...]) -> float:
    if not where:
        return 1.0
    first, *rest = where
    total = m[first] * _gaussian(m, C, tuple(rest))
    for k, other in enumerate(rest):
        total += C[first, other] * _gaussian(m, C, tuple(rest[:k] + rest[k + 1 :]))
    return float(total)


def _radii(L: FloatArray) -> FloatArray:
    """(settings,); ∞ where the matrix is beyond the range of doubles."""
    finite = np.isfinite(L).all(axis=(1, 2))
    found = np.full(len(L), np.inf)
    if finite.any() and L.shape[1]:
        found[finite] = np.abs(np.linalg.eigvals(L[finite])).max(axis=1)
    return found


def _traced(T: FloatArray) -> FloatArray:
    """(N, D, D): E[xxᵀ|x|^(p − 2)] of moments of order two or four."""
    return np.einsum("nabcc->nab", T) if T.ndim == 5 else T


def _upright(T: FloatArray) -> FloatArray:
    """An eigenvector with the sign of a law's moments."""
    return T if np.trace(_traced(T), axis1=1, axis2=2).sum() >= 0 else -T


def _in_cone(T: FloatArray) -> bool:
    """Are these moments (N, D, …, D), up to sign, of a law? Then E[xxᵀ|x|^(p − 2)] is semidefinite."""
    traced = _traced(T)
    second = np.linalg.eigvalsh((traced + traced.swapaxes(1, 2)) / 2)
    return bool(min(second.max(), -second.min()) <= OUTSIDE * np.abs(second).max())


def _is_inside(T: FloatArray) -> bool:
    """Is E[xxᵀ|x|^(p − 2)] positive definite at every node?"""
    if not np.isfinite(T).all():
        return False
    traced = _traced(T)
    return bool(np.linalg.eigvalsh((traced + traced.swapaxes(1, 2)) / 2).min() > 0)


def _inside(D: int, order: int) -> FloatArray:
    """The moments of D independent standard normals."""
    one = np.eye(D)
    if order == 2:
        return one
    pairs = ("ab,cd->abcd", "ac,bd->abcd", "ad,bc->abcd")
    return np.asarray(sum(np.einsum(pair, one, one) for pair in pairs))
