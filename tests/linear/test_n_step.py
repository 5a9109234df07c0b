import numpy as np
import pytest

from tests.cases import each_case
from tests.linear.examples import projection, random_problem, swap
from theory.linear.chain import chain_by_recursion
from theory.linear.fixed_points import td_fixed_point
from theory.linear.moments import moments
from theory.linear.n_step import n_step_fixed_point, n_step_moments, n_step_radius
from theory.linear.spectra import chain_radius
from theory.problems import InvalidProblem


@each_case()
def test_one_step_is_td(case):
    p = case.problem
    m, n = moments(p), n_step_moments(p, 1)
    for a, b in [(m.X, n.X), (m.Y, n.Y), (m.A, n.A), (m.b, n.b)]:
        assert np.allclose(a, b, atol=1e-13)
    assert n_step_radius(p, 1) == pytest.approx(chain_radius(p), abs=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_moments_and_radius_by_explicit_powers(n):
    p = random_problem(1, 4, 2)
    D, G = np.diag(p.d_mu), p.gamma * p.P_pi
    power = np.linalg.matrix_power(G, n)
    m = n_step_moments(p, n)
    assert np.allclose(p.gamma**n * m.Y, p.Phi.T @ D @ power @ p.Phi)
    assert np.allclose(m.b, p.Phi.T @ D @ sum(np.linalg.matrix_power(G, j) @ p.r_pi for j in range(n)))
    assert n_step_radius(p, n) == pytest.approx(np.abs(np.linalg.eigvals(projection(p) @ power)).max())
    assert np.allclose(n_step_fixed_point(p, n).theta, np.linalg.solve(m.A, m.b))


def test_fixed_point_moves_with_n_where_features_project_and_stays_where_not():
    p = random_problem(2, 5, 2)
    assert np.abs(n_step_fixed_point(p, 4).values - td_fixed_point(p).values).max() > 1e-2
    tabular = p.with_features(np.eye(5))
    assert np.allclose(n_step_fixed_point(tabular, 4).values, td_fixed_point(tabular).values, atol=1e-10)


def test_chain_of_n_step_estimators_reaches_its_own_fixed_point():
    p = random_problem(2, 5, 2)
    assert n_step_radius(p, 3) < 0.8
    limit = chain_by_recursion(p, 200, "zero", n=3).theta[-1]
    assert np.allclose(limit, n_step_fixed_point(p, 3).theta, atol=1e-10)


def test_more_steps_repair_a_biased_chain():
    p = swap([[1], [3]])  # ρ = 3/2 for one step; swap² = I, so ρ = γ² for two
    assert n_step_radius(p, 1) == pytest.approx(1.5)
    assert n_step_radius(p, 2) == pytest.approx(0.81)


def test_steps_are_counted_from_one():
    with pytest.raises(InvalidProblem, match="n: the number of steps"):
        n_step_moments(swap([[1], [3]]), 0)
