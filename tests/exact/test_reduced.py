"""Independent features carry all of the spectrum but the structural zeros."""

import numpy as np
from hypothesis import given

from tests.cases import each_case
from tests.strategies import exact_problems
from theory.exact.matrices import columns, fractions, identity, matrix
from theory.exact.moments import exact_moments, exact_rank
from theory.exact.polynomials import characteristic_polynomial
from theory.exact.reduced import _product, reduced
from theory.problems import Problem


@given(exact_problems(max_features=4))
def test_the_characteristic_polynomials_differ_by_the_structural_zeros(problem):
    r, m = reduced(problem), exact_moments(problem)
    zeros = problem.n_features - r.rank
    assert r.rank == exact_rank(problem)
    for full, small in ((m.A, r.key_matrix), (m.X, r.feature_moment), (m.gamma * m.Y, r.successor_moment)):
        assert characteristic_polynomial(full) == characteristic_polynomial(small).left_shift(zeros)


@each_case(without=("rank-deficient",))
def test_independent_features_are_left_alone(case):
    r, m = reduced(case.problem), exact_moments(case.problem)
    assert identity(case.problem.n_features) == r.G
    assert r.key_matrix == m.A


@each_case("rank-deficient")
def test_the_kept_columns_have_a_regular_moment(case):
    r = reduced(case.problem)
    kept = columns(matrix(case.problem.exact.Phi), r.independent)
    assert r.rank < case.problem.n_features
    assert kept.rank() == r.rank
    assert r.X.det() > 0


def test_no_features_at_all():
    r = reduced(Problem.from_matrices("1/2", Phi=[[0, 0]], P_pi=[[1]], d_mu=[1]))
    assert (r.rank, r.independent, r.X.nrows()) == (0, (), 0)


def test_a_product_by_rows_is_the_product():
    P, C = matrix(np.arange(1, 50).reshape(7, 7)), matrix(np.arange(14).reshape(7, 2))
    for entries in (1, 14, 20, 10**6):
        assert _product(fractions(P), fractions(C), C, entries) == P * C
