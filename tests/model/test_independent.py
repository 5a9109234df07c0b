"""Independent features carry all of the spectrum but the structural zeros."""

import numpy as np
from hypothesis import given

from tests.strategies import exact_problems
from theory.exact.matrices import fractions, matrix
from theory.exact.polynomials import characteristic_polynomial
from theory.model.linear_model import exact_model, exact_moments, product
from theory.problems import Problem


@given(exact_problems(max_features=4))
def test_the_characteristic_polynomials_differ_by_the_structural_zeros(problem):
    r, m = exact_model(problem), exact_moments(problem)
    zeros = problem.n_features - r.rank
    assert r.rank == exact_model(problem).rank
    for full, small in ((m.A, r.A), (m.X, r.X), (m.gamma * m.Y, r.gamma * r.Y)):
        assert characteristic_polynomial(full) == characteristic_polynomial(small).left_shift(zeros)


def test_no_features_at_all():
    r = exact_model(Problem.from_matrices("1/2", Phi=[[0, 0]], P_pi=[[1]], d_mu=[1]))
    assert (r.rank, r.X_hat.nrows(), r.A.nrows()) == (0, 0, 0)


def test_a_product_by_rows_is_the_product(monkeypatch):
    P, C = matrix(np.arange(1, 50).reshape(7, 7)), matrix(np.arange(14).reshape(7, 2))
    assert product(fractions(P), C) == P * C
    monkeypatch.setattr("theory.model.linear_model.MANY", 1)
    assert product(fractions(P), C) == P * C
