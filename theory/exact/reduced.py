r"""A problem in independent features: what is left of X, Y and A when Φ's columns depend on each other.

Let Φ = C R with C (S×r) the leftmost independent columns of Φ and R (r×F) its reduced row echelon form.
With hats for the moments of C, X̂ = CᵀDC and Ŷ = CᵀDPC,

    X = RᵀX̂R,     Y = RᵀŶR,     A = RᵀÂR,     Â = X̂ − γŶ.

The learner is seen only through w = Rθ, because its values are Φθ = Cw, and θ ← θ + α(b − Aθ) moves w by

    w ← w + αG(b̂ − Âw),     G = RRᵀ ≻ 0.

So TD on dependent features is TD on independent ones *preconditioned* by G. The F − r further eigenvalues
of A are structural zeros: they belong to ker Φ, which no update and no value ever sees. TD's stability
is that of GÂ and not of Â (it depends on the basis); the chain's ρ is that of X̂⁻¹γŶ, since
(GX̂)⁻¹γGŶ is the same matrix. Polynomials in X and A, such as G_T of a target network, become the same
polynomials in GX̂ and GÂ. Where Φ has full column rank R = G = I; where Φ = 0, r = 0.

X̂ is positive definite because D is and C has full column rank; so it is invertible, also where X is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq, fmpq_mat

from theory.exact.matrices import columns, identity, independent_columns, matrix, rational, scaled_rows
from theory.exact.products import float_product
from theory.problems import Problem
from theory.problems.numbers import Array
from theory.problems.once import once, once_for_all_discounts


@dataclass(frozen=True, eq=False)
class Reduced:
    """The moments in independent features, exactly; r×r each."""

    gamma: fmpq
    X: fmpq_mat  # X̂
    Y: fmpq_mat  # Ŷ
    G: fmpq_mat  # RRᵀ
    independent: tuple[int, ...]  # the columns of Φ that were kept

    @property
    def rank(self) -> int:
        """r, the rank of Φ."""
        return len(self.independent)

    @property
    def key_matrix(self) -> fmpq_mat:
        """GÂ, with the nonzero eigenvalues of A and the zeros that are not structural."""
        return self.by(self.X - self.gamma * self.Y)

    @property
    def feature_moment(self) -> fmpq_mat:
        """GX̂, with the nonzero eigenvalues of X."""
        return self.by(self.X)

    @property
    def successor_moment(self) -> fmpq_mat:
        """γGŶ."""
        return self.gamma * self.by(self.Y)

    def by(self, M: fmpq_mat) -> fmpq_mat:
        """GM; G is I where the features are independent, and a product of large matrices of fractions takes seconds."""
        return M if identity(self.rank) == self.G else self.G * M


@once
def reduced(problem: Problem) -> Reduced:
    """The problem in independent features, with the target's transitions.

    >>> from theory.problems import Problem
    >>> twins = Problem.from_matrices("0.99", Phi=[[1, 1], [2, 2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> reduced(twins).key_matrix, reduced(twins).independent
    ([-47/50], (0,))
    """
    return replace(_moments(problem), gamma=rational(Fraction(problem.given.gamma)))


@once_for_all_discounts
def _moments(problem: Problem) -> Reduced:
    g = problem.given
    return _without_discount(g.Phi, g.P_pi, g.d_mu)


def heights(problem: Problem) -> list[fmpq] | None:
    """Of independent features without a state in common, their first values that are not 0; None of others."""
    m = reduced(problem)
    apart = all(m.X[i, j] == 0 for i in range(m.rank) for j in range(i))
    if not apart or m.rank < problem.n_features:
        return None
    return [next(x for x in column if x != 0) for column in matrix(problem.given.Phi).transpose().tolist()]


def reduced_moments(gamma: Fraction | float, Phi: Array, P: Array, d: Array) -> Reduced:
    """The same for any transitions P (S×S) and weights d (S); floats stand for the rationals they denote."""
    return replace(_without_discount(Phi, P, d), gamma=rational(Fraction(gamma)))


def _without_discount(Phi: Array, P: Array, d: Array) -> Reduced:
    Phi_ = matrix(Phi)
    # A rank is found modulo primes, at once; the echelon form of a large matrix has long fractions.
    chosen = list(range(Phi_.ncols())) if Phi_.rank() == Phi_.ncols() else independent_columns(Phi_)
    rank, gamma_ = len(chosen), fmpq(0)
    if rank == 0:
        empty = fmpq_mat(0, 0)
        return Reduced(gamma_, empty, empty, empty, ())
    full = rank == Phi_.ncols()
    C = Phi_ if full else columns(Phi_, chosen)
    CD = scaled_rows(matrix(d).entries(), C).transpose()
    G = identity(rank) if full else _row_gram(Phi_, rank)
    return Reduced(gamma_, CD * C, CD * _product(P, Phi if full else Phi[:, chosen], C), G, tuple(chosen))


def _product(P: Array, features: Array, C: fmpq_mat, entries: int = 250_000) -> fmpq_mat:
    """PC of many states in slices of doubles, else some rows at a time: S² fractions at once would fill the memory."""
    if P.size > entries // 25 and P.dtype.kind == features.dtype.kind == "f":
        found = float_product(P, features)
        if found is not None:
            return found
    rows = max(1, entries // len(P))
    return fmpq_mat([row for i in range(0, len(P), rows) for row in (matrix(P[i : i + rows]) * C).tolist()])


def _row_gram(Phi: fmpq_mat, rank: int) -> fmpq_mat:
    R = fmpq_mat(Phi.rref()[0].tolist()[:rank])
    return R * R.transpose()
