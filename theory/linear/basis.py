r"""A basis of span Φ in which nothing is singular and nothing overflows.

Let r = rank Φ. The columns of W (S, r) are orthonormal in the D-weighted inner product and span the
same values as the features:

    WᵀDW = I_r        Φ = W R        X = RᵀR        Π = W WᵀD

Values v = Φθ have coordinates c = Rθ, v = Wc, and the chain is an affine map of c in which X no
longer appears (extra-basis):

    c ← WᵀDr + B c        B = γ WᵀD P W

B has the eigenvalues of γX⁻¹Y, and the nonzero ones of γΠP (prop-3), whatever the scale, number or
dependence of the features; where X is singular (Baird: 7 states, 8 features) it stands for the
pseudo-inverse version. `principal` turns the basis so that X is diagonal in it, X → Σ²,
which is what powers of I − αX need.

Each feature is first divided by a power of two near its largest entry. Spans do not notice, rank
decisions become independent of units, and features of size 10^±300 cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.linear.moments import Moments, moments, numerical_rank
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray
from theory.problems.once import once


@dataclass(frozen=True, eq=False)
class Basis:
    """A D-orthonormal basis of span Φ and the features' coordinates in it."""

    W: FloatArray  # (S, r), WᵀDW = I
    R: FloatArray  # (r, F), Φ = W R
    dual: FloatArray  # (r, S), WᵀD: coordinates of the projection of any values

    @property
    def rank(self) -> int:
        return self.W.shape[1]

    @property
    def full_rank(self) -> bool:
        """Are the features linearly independent, so that X is invertible?"""
        return self.rank == self.R.shape[1]

    def compress(self, P: FloatArray) -> FloatArray:
        """WᵀDPW, the operator ΠP on span Φ."""
        return self.dual @ P @ self.W

    def values(self, c: FloatArray) -> FloatArray:
        """v = Wc; for a stack (…, r) of coordinates a stack (…, S)."""
        return c @ self.W.T

    def theta(self, c: FloatArray) -> FloatArray:
        """The parameters with Rθ = c, the shortest of them where the features are dependent."""
        if self.rank == 0:
            return np.zeros((*c.shape[:-1], self.R.shape[1]))
        # A column scale s: R = (R/s)·s. Solving with R/s keeps factors in range.
        scale = _column_scales(self.R)
        flat = c.reshape(-1, self.rank).T
        with np.errstate(over="ignore"):  # parameters for subnormal features may be ±inf
            if self.full_rank:
                theta = np.linalg.solve(self.R / scale, flat) / scale[:, None]
            else:
                unit = float(np.max(scale))
                Q, L = np.linalg.qr((self.R / unit).T)
                theta = (Q @ np.linalg.solve(L.T, flat)) / unit
        return theta.T.reshape(*c.shape[:-1], -1)


@once
def feature_basis(problem: Problem) -> Basis:
    """The basis of span Φ; its rank is that of Φ with every feature brought to size one.

    >>> twice = Problem.from_matrices("1/2", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> feature_basis(twice).rank
    1
    """
    root = np.sqrt(problem.d_mu)[:, None]
    scale = _column_scales(problem.Phi)
    shape = max(problem.Phi.shape)
    if problem.d_mu.min() < 1e-12 * problem.d_mu.max():
        # A state visited once in 1e30 steps hides the features that only it tells apart, and a rounding of the others
        # is much to it: the rank is that of Φ, and its row must be right in its own units.
        plain = np.linalg.svd(problem.Phi / scale, compute_uv=False)
        return _row_by_row(root, problem.Phi / scale, scale, numerical_rank(plain, shape))
    U, sigma, Vt = np.linalg.svd(root * (problem.Phi / scale), full_matrices=False)
    r = numerical_rank(sigma, shape)
    U = U[:, :r]
    return Basis(U / root, (sigma[:r, None] * Vt[:r]) * scale, (U * root).T)


def _row_by_row(root: FloatArray, Phi: FloatArray, scale: FloatArray, rank: int) -> Basis:
    """D^½Φ = QR with rows of every size right in their own units: sorted rows, pivoted columns (Cox, Higham)."""
    from scipy.linalg import qr

    weighted = root * Phi
    rows = np.argsort(-np.abs(weighted).max(axis=1), kind="stable")
    Q, R, columns = qr(weighted[rows], mode="economic", pivoting=True)
    U, coordinates = np.empty_like(Q[:, :rank]), np.empty_like(R[:rank])
    U[rows], coordinates[:, columns] = Q[:, :rank], R[:rank]
    return Basis(U / root, coordinates * scale, (U * root).T)


def principal(basis: Basis) -> tuple[Basis, FloatArray]:
    """The basis turned so that R Rᵀ = Σ² is diagonal, and the singular values Σ (r,) of D^½Φ.

    The eigenvalues of X on span Φ are Σ².
    """
    U, sigma, Vt = np.linalg.svd(basis.R, full_matrices=False)
    return Basis(basis.W @ U, sigma[:, None] * Vt, U.T @ basis.dual), sigma


def row_space(problem: Problem) -> FloatArray:
    """Orthonormal V (F, r) of the parameters that matter, (ker Φ)^⊥; the identity where Φ has full rank.

    X, Y, A and every expected update vanish on ker Φ and never leave its complement, so VᵀAV has the
    eigenvalues of A without the F − r structural zeros.
    """
    basis = feature_basis(problem)
    if basis.full_rank:
        return np.eye(problem.n_features)
    if basis.rank == 0:
        return np.zeros((problem.n_features, 0))
    return np.linalg.qr(basis.R.T / np.max(_column_scales(basis.R)))[0]


def unit_moments(problem: Problem) -> tuple[Moments, int]:
    """The moments of Φ/2ᵉ, and e: the problem's own are 4ᵉ times the matrices and 2ᵉ times the vectors.

    With e from the largest feature entry nothing overflows, so that signs and ratios of eigenvalues
    are right where the moments themselves cannot be written as doubles.
    """
    exponent = int(np.frexp(np.abs(problem.Phi).max())[1])
    if abs(exponent) < 200:  # squares of these and of their sums stay in range
        return moments(problem), 0
    return moments(problem.with_features(np.ldexp(problem.Phi, -exponent))), exponent


def checked_moments(problem: Problem) -> Moments:
    """The moments as doubles; a one-line error where features are too large or too small for that.

    Iterations need this: with Φ ~ 1e300 the update α(b − Aθ) cannot be written down.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        m = moments(problem)
    arrays = [x for x in (m.X, m.Y, m.A, m.b, m.A_mu, m.b_mu) if x is not None]
    if not all(np.isfinite(x).all() for x in arrays):
        raise InvalidProblem("the moments ΦᵀDΦ, … overflow double precision: rescale the features or rewards", "Phi")
    used = np.abs(problem.Phi).max(axis=0) > 0
    if np.any(np.diag(m.X)[used] < np.finfo(float).tiny):
        column = int(np.flatnonzero(used & (np.diag(m.X) < np.finfo(float).tiny))[0])
        raise InvalidProblem(f"feature {column} is so small that ΦᵀDΦ underflows: rescale it", "Phi")
    return m


def check_finite(array: Array, what: str, where: str) -> Array:
    """Passes finite numbers on; anything else has overflowed, and is refused in one line."""
    if not np.isfinite(array).all():
        raise InvalidProblem(f"{what} overflow double precision: rescale the rewards", where)
    return array


def _column_scales(matrix: FloatArray) -> FloatArray:
    largest = np.abs(matrix).max(axis=0)
    # One below frexp's exponent, so that 2^(e−1) ≤ largest never overflows.
    return np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)
