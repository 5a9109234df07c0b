"""What proves a verdict on a rational problem, found in floats and in factors of a polynomial, held by fractions.

TD asks for Re z > 0 of N = A'WWᵀ, the chain for |z| < 1 of the pencil N = γY', E = X', a target network for |z| < 1 of
R (``Network.v``). A symmetric Q with NᵀQ + QN ≻ 0 (Lyapunov), or EᵀQE − NᵀQN ≻ 0 (Stein), decides unless an eigenvalue
is on the boundary. It solves the equation with the right side 1; where eigenvalues mirror each other in the boundary
the equation has no solution, and Q = HS does, with the matrix sign S and SN's own positive H. A tie is shown by an
irreducible factor of the characteristic polynomial that is even, or its own reciprocal (``Boundary.v``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from theory.coq.rationals import definite, diagonal, echelon, floats, identity, length, matrix, rational, rounded
from theory.coq.trees import NotExported

DIGITS = (3, 5, 8, 12, 18, 26, 40)  # binary digits of Q, fewest first
MORE = (64, 160, 400, 1000)  # the same of an exact solution
MOST_FEATURES = 200  # dependent ones too: Coq reads Φ and a basis of it
FEW = 8  # features up to which the equation is solved exactly where floats do not suffice
LONGEST = 2500  # binary digits of a window's matrix that Coq multiplies in seconds


@dataclass(frozen=True)
class Reduced:
    """The problem with independent features: Φ = Φ'W and Φ' = ΦV."""

    Phi: fmpq_mat
    P: fmpq_mat
    d: list[fmpq]
    gamma: fmpq
    Hat: fmpq_mat
    W: fmpq_mat
    V: fmpq_mat

    @property
    def sizes(self) -> tuple[int, int, int]:
        """States, features, independent ones."""
        return self.Phi.nrows(), self.Phi.ncols(), self.W.nrows()

    @property
    def X(self) -> fmpq_mat:
        return self.Hat.transpose() * diagonal(self.d) * self.Hat

    @property
    def N(self) -> fmpq_mat:
        """γY'."""
        return self.gamma * self.Hat.transpose() * diagonal(self.d) * self.P * self.Hat

    @property
    def gram(self) -> fmpq_mat:
        return self.W * self.W.transpose()

    @property
    def td(self) -> fmpq_mat:
        """A'WWᵀ, whose eigenvalues are the nonzero ones of A."""
        return (self.X - self.N) * self.gram

    def network(self, alpha: fmpq, T: int, hot: bool = True) -> fmpq_mat:
        """R = 1 − α Σ_{i<T} (1 − αX'WWᵀ)ⁱ A'WWᵀ; with a cold start α Σ_{i<T} (1 − αX'WWᵀ)ⁱ γY'WWᵀ."""
        one = identity(self.W.nrows())
        step, total = one - alpha * self.X * self.gram, 0 * one
        if length(step) * T <= 4 * LONGEST:
            for _ in range(T):
                total = one + step * total
            R = one - alpha * total * self.td if hot else alpha * total * self.N * self.gram
            if length(R) <= LONGEST:
                return R
        raise NotExported(f"a window of {T} updates on this problem: its numbers are too long")


def reduced(question: Mapping[str, Any]) -> Reduced:
    """The problem of a question, with a basis of its features."""
    if len(question["Phi"][0]) > MOST_FEATURES:
        raise NotExported(f"more than {MOST_FEATURES} features")
    Phi, P, d = matrix(question["Phi"]), matrix(question["P"]), [rational(x) for x in question["d"]]
    if 0 in d:
        raise NotExported("a state that is never visited: the theorems in Coq have d > 0")
    W, pivots = echelon(Phi)
    if not pivots:
        raise NotExported("Φ = 0: there is nothing to learn")
    V = matrix([[int(i == j) for j in pivots] for i in range(Phi.ncols())])
    return Reduced(Phi, P, d, rational(question["gamma"]), Phi * V, W, V)


@dataclass(frozen=True)
class Form:
    """Q, and what must be positive definite."""

    Q: fmpq_mat
    decrease: fmpq_mat


def form(N: fmpq_mat, E: fmpq_mat | None, holds: bool) -> Form:
    """A Q of few digits: with E of Stein's inequality, without of Lyapunov's."""
    for Q in _candidates(N, E):
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


def _candidates(N: fmpq_mat, E: fmpq_mat | None) -> Iterator[fmpq_mat]:
    """From floats, fewest digits first; then of few features the exact solution, however close a tie is."""
    for look in (_by_equation, _by_sign):
        try:
            solution = look(floats(N), None if E is None else floats(E))
        except (np.linalg.LinAlgError, OverflowError):
            continue
        if np.isfinite(solution).all() and solution.any():
            yield from (rounded((solution + solution.T) / 2, digits) for digits in DIGITS)
    if N.nrows() <= FEW:
        try:
            exact = _exactly(N, E)
        except ZeroDivisionError:  # eigenvalues that mirror each other
            return
        yield from (rounded(exact, digits) for digits in MORE)
        yield exact


def decrease(Q: fmpq_mat, N: fmpq_mat, E: fmpq_mat | None) -> fmpq_mat:
    """NᵀQ + QN, or EᵀQE − NᵀQN."""
    if E is None:
        return Q * N + N.transpose() * Q
    return E.transpose() * Q * E - N.transpose() * Q * N


def downhill(Q: fmpq_mat) -> fmpq_mat:
    """x ≠ 0, a column, with xᵀQx ≤ 0."""
    direction = np.linalg.eigh(floats(Q))[1][:, 0]
    tried = [rounded(direction.reshape(-1, 1), digits) for digits in DIGITS[1:]]
    exact = _pivot(Q)
    tried += [] if exact is None else [*(rounded(exact, digits) for digits in (*DIGITS, *MORE)), exact]
    for x in tried:
        if any(x.entries()) and (x.transpose() * Q * x)[0, 0] <= 0:
            return x
    raise NotExported("a form that is not negative anywhere")


def _pivot(Q: fmpq_mat) -> fmpq_mat | None:
    """(y, 1, 0, …) with Q_{k−1}y = −h: its form is the first pivot of an elimination that is not positive."""
    n, rows = Q.nrows(), Q.tolist()
    for k in range(1, n + 1):
        if fmpq_mat([row[:k] for row in rows[:k]]).det() <= 0:
            x = fmpq_mat(n, 1)
            x[k - 1, 0] = fmpq(1)
            if k > 1:
                y = fmpq_mat([row[: k - 1] for row in rows[: k - 1]]).solve(
                    fmpq_mat([[-rows[i][k - 1]] for i in range(k - 1)])
                )
                for i, value in enumerate(y.entries()):
                    x[i, 0] = value
            return x
    return None


def _exactly(N: fmpq_mat, E: fmpq_mat | None) -> fmpq_mat:
    """The solution of `_by_equation` in fractions."""
    n = N.nrows()
    one, Nt = identity(n), N.transpose()
    if E is None:
        system, right = _kron(Nt, one) + _kron(one, Nt), one
    else:
        system, right = _kron(E.transpose(), E.transpose()) - _kron(Nt, Nt), E
    found = system.solve(fmpq_mat(n * n, 1, right.entries()))
    return fmpq_mat(n, n, found.entries())


def _kron(A: fmpq_mat, B: fmpq_mat) -> fmpq_mat:
    a, b = A.tolist(), B.tolist()
    return fmpq_mat([[x * y for x in first for y in second] for first in a for second in b])


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

    V: fmpq_mat
    U: fmpq_mat
    C: fmpq_mat
    lower: fmpq_mat
    upper: fmpq_mat


def tie(N: fmpq_mat, E: fmpq_mat | None) -> Tie:
    """The invariant subspace of an irreducible factor with a root on the boundary."""
    B = N if E is None else E.solve(N)
    f = next(filter(_reciprocal if E is not None else _even, _factors(B)), None)
    if f is None:
        raise NotExported("a verdict without a tie, and without a matrix of few digits")
    image = 0 * B
    for c in reversed(f):
        image = image * B + c * identity(B.nrows())
    columns = [_kernel(image)]
    while len(columns) < len(f) - 1:
        columns.append(B * columns[-1])
    krylov = fmpq_mat([column.entries() for column in columns]).transpose()
    for seed in count():  # an elimination without pivots needs a basis that allows it
        V = krylov * _change(len(columns), seed)
        U = (V.transpose() * V).solve(V.transpose())
        C = U * B * V
        try:
            return Tie(V, U, C, *_triangles(C))
        except ZeroDivisionError:
            continue
    raise AssertionError


def _factors(B: fmpq_mat) -> list[list[fmpq]]:
    """The irreducible monic factors of det(x − B), constant coefficients first."""
    return [[fmpq(c, f.coeffs()[-1]) for c in f.coeffs()] for f, _ in B.charpoly().numer().factor()[1]]


def _even(f: list[fmpq]) -> bool:
    """x, or a polynomial in x²: its roots have the sum 0."""
    return not any(f[-2::-2])


def _reciprocal(f: list[fmpq]) -> bool:
    """Roots come with their reciprocals: their product is ±1."""
    return f == [c / f[0] for c in reversed(f)] if f[0] else False


def _kernel(M: fmpq_mat) -> fmpq_mat:
    """A vector that M annihilates."""
    W, pivots = echelon(M)
    free = next(j for j in range(M.ncols()) if j not in pivots)
    v = fmpq_mat(M.ncols(), 1, [int(j == free) for j in range(M.ncols())])
    for i, pivot in enumerate(pivots):
        v[pivot, 0] = -W[i, free]
    return v


def _change(m: int, seed: int) -> fmpq_mat:
    """An invertible matrix of small integers; 1 first."""
    M = matrix(np.random.default_rng(seed).integers(-2, 3, (m, m)).tolist()) if seed else identity(m)
    return M if M.rank() == m else _change(m, seed + 1000)


def _triangles(C: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
    """C = lower·upper, by elimination without pivots."""
    m = C.nrows()
    lower, upper = identity(m), fmpq_mat(C)
    for j in range(m):
        for i in range(j + 1, m):
            lower[i, j] = upper[i, j] / upper[j, j]
            for k in range(m):
                upper[i, k] -= lower[i, j] * upper[j, k]
    return lower, upper
