"""How far a prediction is off, exactly.

    MSVE    Σ_s d_μ(s) (v(s) − v_π(s))²                     the value error, weighted by visits
    MSE     (1/S) Σ_s (v(s) − v_π(s))²                      unweighted: the square of the paper's tables' RMSE
    MSPBE   ‖Π(r + γPv − v)‖²_D = (b − Aθ)ᵀX⁺(b − Aθ)       the projected Bellman error, zero exactly at θ_π

All three are rational; roots are given in floats.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from theory.exact.matrices import fraction, matrix, rational
from theory.exact.moments import exact_moments, true_values
from theory.exact.solve import least_norm_solution
from theory.problems import Problem


@dataclass(frozen=True)
class Errors:
    """The exact squared errors of one θ; `rmse` is a root in floats."""

    msve: fmpq
    mse: fmpq
    mspbe: fmpq

    @property
    def rmse(self) -> float:
        """Root mean squared error over the states, each counted once."""
        return square_root(self.mse)


def errors(problem: Problem, theta: fmpq_mat) -> Errors:
    """MSVE, MSE and MSPBE of Φθ.

    >>> from theory.problems import Problem
    >>> swap = Problem.from_matrices("1/2", Phi=[[1], [0]], P_pi=[[0, 1], [1, 0]], d_mu=["3/4", "1/4"], r_pi=[3, 0])
    >>> found = errors(swap, fmpq_mat([[3]]))
    >>> found.msve, found.mse, found.mspbe
    (7/4, 5/2, 0)
    """
    gap = (matrix(problem.exact.Phi) * theta - true_values(problem)[0]).entries()
    weights = [rational(x) for x in problem.exact.d_mu]
    msve = sum((d * x * x for d, x in zip(weights, gap, strict=True)), fmpq(0))
    mse = sum((x * x for x in gap), fmpq(0)) / problem.n_states
    m = exact_moments(problem)
    residual = m.b - m.A * theta
    lifted = least_norm_solution(m.X, residual)
    assert lifted is not None  # b − Aθ is in the range of Φᵀ, which is that of X
    return Errors(msve, mse, (residual.transpose() * lifted)[0, 0])


def square_root(x: fmpq) -> float:
    """√x as a double, also where x itself is beyond their range; inf where √x is."""
    value: Fraction = fraction(x)
    if value == 0:
        return 0.0
    # √(p/q) = √(p·q·4ⁿ)/(q·2ⁿ); n makes the integer root at least 64 bits long before isqrt cuts it off.
    p, q = value.numerator, value.denominator
    n = max(0, 128 + q.bit_length() - p.bit_length())
    root = math.isqrt((p * q) << (2 * n))
    try:
        return float(Fraction(root, q << n))
    except OverflowError:
        return math.inf
