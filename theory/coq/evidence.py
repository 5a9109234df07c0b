"""What proves a verdict on a rational problem, found in floats and in factors of a polynomial, held by fractions.

TD asks for Re z > 0 of N = A'WWᵀ, the chain for |z| < 1 of the pencil N = γY', E = X', a target network for |z| < 1 of
R (``Network.v``). A symmetric Q with NᵀQ + QN ≻ 0 (Lyapunov), or EᵀQE − NᵀQN ≻ 0 (Stein), decides unless an eigenvalue
is on the boundary. It solves the equation with the right side 1; where eigenvalues mirror each other in the boundary
the equation has no solution, and Q = HS does, with the matrix sign S and SN's own positive H. A tie is shown by an
irreducible factor of the characteristic polynomial that is even, or its own reciprocal (``Boundary.v``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_poly

from theory.coq.rationals import (
    Rows,
    combined,
    definite,
    echelon,
    floats,
    identity,
    length,
    product,
    rounded,
    scaled,
    solved,
    transpose,
)
from theory.coq.trees import NotExported

DIGITS = (3, 5, 8, 12, 18, 26, 40)  # binary digits of Q, fewest first
LONGEST = 2500  # binary digits of a window's matrix that Coq multiplies in seconds


@dataclass(frozen=True)
class Reduced:
    """The problem with independent features: Φ = Φ'W and Φ' = ΦV."""

    Phi: Rows
    P: Rows
    d: list[Fraction]
    gamma: Fraction
    Hat: Rows
    W: Rows
    V: Rows

    @property
    def X(self) -> Rows:
        return product(scaled(transpose(self.Hat), self.d), self.Hat)

    @property
    def N(self) -> Rows:
        """γY'."""
        Y = product(product(scaled(transpose(self.Hat), self.d), self.P), self.Hat)
        return [[self.gamma * y for y in row] for row in Y]

    @property
    def gram(self) -> Rows:
        return product(self.W, transpose(self.W))

    @property
    def td(self) -> Rows:
        """A'WWᵀ, whose eigenvalues are the nonzero ones of A."""
        return product(combined(self.X, Fraction(-1), self.N), self.gram)

    def network(self, alpha: Fraction, T: int, hot: bool = True) -> Rows:
        """R = 1 − α Σ_{i<T} (1 − αX'WWᵀ)ⁱ A'WWᵀ; with a cold start α Σ_{i<T} (1 − αX'WWᵀ)ⁱ γY'WWᵀ."""
        n = len(self.W)
        one = identity(n)
        step = combined(one, -alpha, product(self.X, self.gram))
        if length(step) * T > 4 * LONGEST:
            raise NotExported(f"a window of {T} updates on this problem: its numbers are too long")
        total = [[Fraction(0)] * n for _ in range(n)]
        for _ in range(T):
            total = combined(one, Fraction(1), product(step, total))
        if hot:
            R = combined(one, -alpha, product(total, self.td))
        else:
            R = [[alpha * x for x in row] for row in product(total, product(self.N, self.gram))]
        if length(R) > LONGEST:
            raise NotExported(f"a window of {T} updates on this problem: its numbers are too long")
        return R


def reduced(question: Mapping[str, Any]) -> Reduced:
    """The problem of a question, with a basis of its features."""
    Phi = [[Fraction(x) for x in row] for row in question["Phi"]]
    P = [[Fraction(x) for x in row] for row in question["P"]]
    d = [Fraction(x) for x in question["d"]]
    W, pivots = echelon(Phi)
    if not pivots:
        raise NotExported("Φ = 0: there is nothing to learn")
    Hat = [[row[j] for j in pivots] for row in Phi]
    V = [[Fraction(int(i == j)) for j in pivots] for i in range(len(Phi[0]))]
    return Reduced(Phi, P, d, Fraction(question["gamma"]), Hat, W, V)


@dataclass(frozen=True)
class Form:
    """Q, and what must be positive definite."""

    Q: Rows
    decrease: Rows


def form(N: Rows, E: Rows | None, holds: bool) -> Form:
    """A Q of few digits: with E of Stein's inequality, without of Lyapunov's."""
    for look in (_by_equation, _by_sign):
        try:
            solution = look(floats(N), None if E is None else floats(E))
        except (np.linalg.LinAlgError, OverflowError):
            continue
        if not np.isfinite(solution).all():
            continue
        for digits in DIGITS:
            Q = rounded((solution + solution.T) / 2, digits)
            M = decrease(Q, N, E)
            try:
                definite(M)
                if holds:
                    definite(Q)
                else:
                    downhill(Q)
            except NotExported:
                continue
            return Form(Q, M)
    raise NotExported("a verdict at a tie, or too close to one for a matrix of few digits")


def decrease(Q: Rows, N: Rows, E: Rows | None) -> Rows:
    """NᵀQ + QN, or EᵀQE − NᵀQN."""
    if E is None:
        QN = product(Q, N)
        return combined(QN, Fraction(1), transpose(QN))
    a, b = product(product(transpose(E), Q), E), product(product(transpose(N), Q), N)
    return combined(a, Fraction(-1), b)


def downhill(Q: Rows) -> Rows:
    """x ≠ 0, a column, with xᵀQx ≤ 0."""
    direction = np.linalg.eigh(floats(Q))[1][:, 0]
    for digits in DIGITS[1:]:
        x = rounded(direction.reshape(-1, 1), digits)
        if any(c for [c] in x) and product(product(transpose(x), Q), x)[0][0] <= 0:
            return x
    raise NotExported("a form that is not clearly negative anywhere")


def _by_equation(N: np.ndarray, E: np.ndarray | None) -> np.ndarray:
    """NᵀQ + QN = 1, or EᵀQE − NᵀQN = E."""
    n = len(N)
    one = np.eye(n)
    if E is None:
        system, right = np.kron(N.T, one) + np.kron(one, N.T), one
    else:
        system, right = np.kron(E.T, E.T) - np.kron(N.T, N.T), E
    return np.linalg.solve(system, right.reshape(-1)).reshape(n, n)


def _by_sign(N: np.ndarray, E: np.ndarray | None) -> np.ndarray:
    """Q = HS of N, or of the Cayley transform (1 + B)⁻¹(1 − B) of B = NE⁻¹."""
    one = np.eye(len(N))
    if E is not None:
        B = np.linalg.solve(E.T, N.T).T
        N = np.linalg.solve(one + B, one - B)
    S = N
    for _ in range(100):
        S = (S + np.linalg.inv(S)) / 2
    right, left = (one + S) / 2, (one - S) / 2
    SN = S @ N
    system = np.kron(SN.T, one) + np.kron(one, SN.T)
    H = np.linalg.solve(system, (right.T @ right + left.T @ left).reshape(-1)).reshape(N.shape)
    return np.asarray(H @ S)


@dataclass(frozen=True)
class Tie:
    """NV = EVC with UV = 1; C = lower·upper."""

    V: Rows
    U: Rows
    C: Rows
    lower: Rows
    upper: Rows


def tie(N: Rows, E: Rows | None) -> Tie:
    """The invariant subspace of an irreducible factor with a root on the boundary."""
    B = N if E is None else solved(E, N)
    n = len(B)
    f = next(filter(_reciprocal if E is not None else _even, _factors(B)), None)
    if f is None:
        raise NotExported("a verdict without a tie, and without a matrix of few digits")
    image = [[Fraction(0)] * n for _ in range(n)]
    for c in reversed(f):
        image = combined(product(image, B), c, identity(n))
    v = _kernel(image)
    columns = [v]
    while len(columns) < len(f) - 1:
        columns.append([x for [x] in product(B, [[x] for x in columns[-1]])])
    krylov = transpose(columns)
    for seed in count():  # an elimination without pivots needs a basis that allows it
        V = product(krylov, _change(len(columns), seed))
        U = solved(product(transpose(V), V), transpose(V))
        C = product(U, product(B, V))
        try:
            return Tie(V, U, C, *_triangles(C))
        except ZeroDivisionError:
            continue
    raise AssertionError


def _factors(B: Rows) -> list[list[Fraction]]:
    """The irreducible monic factors of det(x − B), constant coefficients first."""
    poly = fmpq_mat(len(B), len(B), [fmpq(x.numerator, x.denominator) for row in B for x in row]).charpoly()
    found = fmpz_poly([int(c) for c in poly.numer().coeffs()]).factor()[1]
    coefficients = ([Fraction(int(c)) for c in f.coeffs()] for f, _ in found)
    return [[c / f[-1] for c in f] for f in coefficients]


def _even(f: list[Fraction]) -> bool:
    """x, or a polynomial in x²: its roots have the sum 0."""
    return not any(f[-2::-2])


def _reciprocal(f: list[Fraction]) -> bool:
    """Roots come with their reciprocals: their product is ±1."""
    return f == [c / f[0] for c in reversed(f)] if f[0] else False


def _kernel(M: Rows) -> list[Fraction]:
    """A vector that M annihilates."""
    rows, pivots = echelon(M)
    free = next(j for j in range(len(M)) if j not in pivots)
    v = [Fraction(int(j == free)) for j in range(len(M))]
    for row, pivot in zip(rows, pivots, strict=True):
        v[pivot] = -row[free]
    return v


def _change(m: int, seed: int) -> Rows:
    """An invertible matrix of small integers; 1 first."""
    rng = np.random.default_rng(seed)
    rows = [[Fraction(int(x)) for x in row] for row in (rng.integers(-2, 3, (m, m)) if seed else np.eye(m))]
    return rows if len(echelon(rows)[1]) == m else _change(m, seed + 1000)


def _triangles(C: Rows) -> tuple[Rows, Rows]:
    """C = lower·upper, by elimination without pivots."""
    m = len(C)
    lower, upper = identity(m), [list(row) for row in C]
    for j in range(m):
        for i in range(j + 1, m):
            lower[i][j] = upper[i][j] / upper[j][j]
            upper[i] = [x - lower[i][j] * y for x, y in zip(upper[i], upper[j], strict=True)]
    return lower, upper
