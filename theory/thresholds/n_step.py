r"""For which discounts is a chain of n-step estimators unbiased in the limit?"""

from __future__ import annotations

from theory.exact.matrices import fractions, matrix
from theory.exact.n_step import check_n
from theory.exact.pencil_polynomials import pencil_polynomial
from theory.exact.reduced import reduced_moments
from theory.exact.solve import power
from theory.exact.spectral_radius import largest_modulus
from theory.problems import Problem
from theory.thresholds.discounts import inverse_radius
from theory.thresholds.results import Threshold


def n_step_threshold(problem: Problem, n: int) -> Threshold:
    """ρ(ΠPⁿ)^{−1/n}: the supremum of the γ for which the n-step chain is unbiased in the limit.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> str(n_step_threshold(twostate, 2).exact)  # P² = P, so √(5/6)
    'sqrt(30)/6'
    """
    check_n(n)
    e = problem.exact
    P_n = power(matrix(e.P_pi), n)
    m = reduced_moments(e.gamma, e.Phi, fractions(P_n).reshape(P_n.nrows(), P_n.ncols()), e.d_mu)
    if m.rank == 0:
        return Threshold(None, None, None, "all features are zero: no value ever changes")
    return inverse_radius(largest_modulus(pencil_polynomial(m.X, m.Y)), n)
