import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.linear.examples import baird, random_problem, swap, twostate
from tests.strategies import exact_problems
from theory.linear.fixed_points import td_fixed_point
from theory.linear.gradient_td import (
    emphatic_fixed_point,
    emphatic_spectrum,
    emphatic_update,
    follow_on,
    gradient_fixed_point,
    gradient_spectrum,
    gradient_update,
)
from theory.linear.moments import key_matrix, moments
from theory.linear.spectra import td_spectrum
from theory.linear.values import target_values
from theory.problems import InvalidProblem


def mean_update(p, update):
    """Σ over all transitions of their probability under μ times the sampled update."""
    P, R, pi, mu = (np.asarray(x, dtype=float) for x in (p.mdp.P, p.mdp.R, p.pi, p.mu))
    total = 0
    S, A, _ = P.shape
    for s in range(S):
        for a in range(A):
            for t in range(S):
                weight = p.d_mu[s] * mu[s, a] * P[s, a, t]
                if weight > 0:
                    reward = R[s, a] if R.ndim == 2 else R[s, a, t]
                    total = total + weight * update(p.Phi[s], reward, p.Phi[t], pi[s, a] / mu[s, a])
    return total


@each_case("MDP")
@pytest.mark.parametrize("method", ["gtd2", "tdc", "tdrc"])
@pytest.mark.parametrize("form", ["textbook", "2009"])
def test_expected_update_is_the_mean_of_the_sampled_one(case, method, form):
    p, F, eta, kappa = case.problem, case.problem.n_features, 0.3, 0.7
    z = np.cos(1 + np.arange(2 * F))
    theta, w = z[:F], z[F:]

    def update(phi, reward, phi_next, ratio):
        delta = reward + p.gamma * phi_next @ theta - phi @ theta
        if method == "gtd2":
            step = ratio * (phi - p.gamma * phi_next) * (phi @ w)
        else:
            step = ratio * (delta * phi - p.gamma * phi_next * (phi @ w))
        aux = ratio * (delta - w @ phi) * phi if form == "textbook" else (ratio * delta - w @ phi) * phi
        if method == "tdrc":
            aux = aux - kappa * w
        return np.concatenate([step, eta * aux])

    expected = gradient_update(p, method, ratio=eta, ridge=kappa)
    assert np.allclose(expected.vector - expected.matrix @ z, mean_update(p, update), atol=1e-10)


@each_case("MDP")
def test_emphatic_update_is_the_stationary_mean_with_the_follow_on_trace(case):
    """F_t = 1 + γρ_{t−1}F_{t−1}: iterate its conditional mean f(s) = d(s)·E[F|s] from nothing until it stands."""
    p = case.problem
    P, pi, mu = (np.asarray(x, dtype=float) for x in (p.mdp.P, p.pi, p.mu))
    f = np.zeros(p.n_states)
    ratio = np.divide(pi, mu, out=np.zeros_like(pi), where=mu > 0)
    flow = np.einsum("sa,sa,sat->st", mu, ratio, P)
    steps = int(np.ceil(40 / (1 - p.gamma)))  # γ^steps < e^−40
    for _ in range(steps):
        f = p.d_mu + p.gamma * f @ flow
    assert np.allclose(f, follow_on(p), rtol=1e-10)
    update = emphatic_update(p)
    assert np.allclose(update.matrix, (p.Phi.T * f) @ (p.Phi - p.gamma * p.P_pi @ p.Phi), rtol=1e-9, atol=1e-9)
    assert np.allclose(update.vector, (p.Phi.T * f) @ p.r_pi, rtol=1e-9, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(exact_problems())
def test_emphatic_key_matrix_is_positive_definite_on_the_features(problem):
    A = emphatic_update(problem).matrix
    lowest = np.linalg.eigvalsh((A + A.T) / 2)[0]
    assert lowest > -1e-12 * max(1, np.abs(A).max())
    assert emphatic_spectrum(problem).positive_real() != "no"


def test_emphatic_td_is_stable_where_td_is_not():
    for p in (baird(), twostate("99/100"), swap([[1], [3]])):
        assert td_spectrum(p).positive_real() == "no"
        assert emphatic_spectrum(p).positive_real() == "yes"


def test_emphatic_fixed_point_solves_its_own_equation_and_differs_from_td():
    p = random_problem(3, 5, 2)
    update = emphatic_update(p)
    theta = emphatic_fixed_point(p).theta
    assert np.allclose(theta, np.linalg.solve(update.matrix, update.vector), atol=1e-10)
    assert np.abs(theta - td_fixed_point(p).theta).max() > 1e-3
    assert np.allclose(emphatic_fixed_point(baird()).values, target_values(baird()), atol=1e-9)


@pytest.mark.parametrize("method", ["gtd2", "tdc", "tdrc"])
def test_gradient_methods_rest_at_the_td_fixed_point(method):
    p = random_problem(4, 5, 3)
    update = gradient_update(p, method, ratio=0.5)
    point, w = gradient_fixed_point(p)
    assert np.allclose(update.matrix @ np.concatenate([point.theta, w]), update.vector, atol=1e-10)
    assert np.linalg.matrix_rank(update.matrix) == 6


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([baird(), twostate("99/100"), swap([[1], [3]]), random_problem(5, 6, 3)]), st.floats(0.01, 100))
def test_gtd2_is_stable_for_every_ratio_where_A_is_regular(problem, ratio):
    assert gradient_spectrum(problem, "gtd2", ratio=ratio).positive_real() == "yes"


def test_tdc_needs_a_fast_enough_auxiliary():
    """One feature: G_η = [[A, X−A], [ηA, ηX]] has trace A + ηX and det ηA², so it is stable iff η > −A/X."""
    p = swap([[1], [3]])
    m = moments(p)
    threshold = -(m.A / m.X).item()
    assert threshold > 0
    assert gradient_spectrum(p, "tdc", ratio=1.01 * threshold).positive_real() == "yes"
    assert gradient_spectrum(p, "tdc", ratio=0.99 * threshold).positive_real() == "no"


def test_gtd2_does_not_converge_where_A_is_singular():
    p = twostate("5/6", (1, 1))
    assert abs(key_matrix(p).item()) < 1e-15
    assert gradient_spectrum(p, "gtd2").positive_real() == "undecided"


def test_bad_arguments_are_named():
    with pytest.raises(InvalidProblem, match="ratio"):
        gradient_update(baird(), "tdc", ratio=0)
    with pytest.raises(InvalidProblem, match="gtd2, tdc or tdrc"):
        gradient_update(baird(), "gtd")
