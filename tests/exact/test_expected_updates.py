"""Expected updates of ETD, GTD2 and TDC against the mean of their sampled updates."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT, baird, quadrant, twostate
from tests.strategies import exact_problems
from theory.exact.expected_updates import etd, gtd2, td, tdc
from theory.exact.fixed_points import td_fixed_point
from theory.exact.matrices import fractions, is_zero, matrix
from theory.problems import InvalidProblem
from theory.problems.numbers import as_exact


def mean_update(problem, sampled):
    """Σ over all transitions of d(s) μ(a|s) P(s'|s,a) · sampled(s, φ, R, φ', ρ)."""
    P, R, pi, mu = (as_exact(x) for x in (problem.mdp.P, problem.mdp.R, problem.pi, problem.mu))
    Phi, d = problem.exact.Phi, problem.exact.d_mu
    total = 0
    for s in range(problem.n_states):
        for a in range(problem.mdp.n_actions):
            for t in range(problem.n_states):
                weight = d[s] * mu[s, a] * P[s, a, t]
                if weight:
                    reward = R[s, a] if R.ndim == 2 else R[s, a, t]
                    total = total + weight * sampled(s, Phi[s], reward, Phi[t], pi[s, a] / mu[s, a])
    return total


def vector(draw, size):
    return np.array([draw(st.fractions(-2, 2, max_denominator=3)) for _ in range(size)], dtype=object)


@EXACT
@given(exact_problems(with_mdp=True), st.data())
def test_gtd2_and_tdc_are_the_means_of_their_sampled_updates(problem, data):
    gamma, eta = problem.exact.gamma, Fraction(3, 2)
    theta, w = (vector(data.draw, problem.n_features) for _ in range(2))

    def sampled_gtd2(_, phi, reward, phi_next, ratio):
        delta = reward + gamma * theta @ phi_next - theta @ phi
        return np.concatenate([ratio * (phi - gamma * phi_next) * (phi @ w), eta * ratio * (delta - w @ phi) * phi])

    def sampled_tdc(_, phi, reward, phi_next, ratio):
        delta = reward + gamma * theta @ phi_next - theta @ phi
        main = ratio * (delta * phi - gamma * phi_next * (phi @ w))
        return np.concatenate([main, eta * ratio * (delta - w @ phi) * phi])

    z = matrix(np.concatenate([theta, w]))
    for update, sampled in ((gtd2(problem, eta), sampled_gtd2), (tdc(problem, eta), sampled_tdc)):
        assert update.b - update.M * z == matrix(mean_update(problem, sampled))


@EXACT
@given(exact_problems(with_mdp=True), st.data())
def test_etd_is_the_mean_of_its_sampled_update_with_the_mean_trace(problem, data):
    # F_t = 1 + γρ_{t−1}F_{t−1}; d(s)E[F | s] = f(s) solves f = d + γP_πᵀf.
    gamma, d = problem.exact.gamma, problem.exact.d_mu
    theta = vector(data.draw, problem.n_features)
    S = problem.n_states
    equations = matrix(np.eye(S, dtype=int).astype(object) - gamma * problem.exact.P_pi.T)
    f = fractions(equations.solve(matrix(d)))

    def sampled(s, phi, reward, phi_next, ratio):
        return f[s] / d[s] * ratio * (reward + gamma * theta @ phi_next - theta @ phi) * phi

    update = etd(problem)
    assert update.b - update.M * matrix(theta) == matrix(mean_update(problem, sampled))


@pytest.mark.parametrize("problem", [twostate(), quadrant([[1, 0], [3, 1]]), quadrant([[1], [-3]])])
def test_gradient_methods_rest_at_the_td_fixed_point_with_w_zero(problem):
    for update in (gtd2(problem), gtd2(problem, "1/4"), tdc(problem, 3)):
        assert update.rest.theta == td_fixed_point(problem).theta
        assert is_zero(update.w)
        assert update.rest.unique


def test_gradient_methods_on_baird_in_value_space():
    for update in (gtd2(baird()), tdc(baird())):
        assert update.rest.values == td_fixed_point(baird()).values
        assert (update.rest.unique, update.rest.unique_values) == (False, True)
        assert update.rest.note == "8 features of rank 7: (θ, w) of least norm, values unique"


def test_gradient_methods_rest_with_w_nonzero_where_td_has_no_fixed_point():
    # Twostate at 5/6: A = 0 and γY = X, so θ is free and w = X⁻¹b = 3/5 satisfies both halves.
    problem = twostate("5/6")
    assert td_fixed_point(problem).theta is None
    for update in (gtd2(problem), tdc(problem)):
        assert update.rest.note == "the joint matrix is singular: (θ, w) of least norm, values not unique"
        assert update.w.entries() == [fmpq(3, 5)]


def test_emphatic_td_is_positive_definite_where_td_is_not():
    problem = twostate()
    assert td(problem).M[0, 0] < 0
    assert etd(problem).M[0, 0] > 0


def test_ratio_must_be_positive():
    with pytest.raises(InvalidProblem, match="eta"):
        gtd2(twostate(), 0)
