"""The means of gradient and emphatic methods are those of their sampled updates."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.cases import each_case
from tests.methods.test_methods import converges
from tests.strategies import exact_problems
from theory.methods.family import find_method
from theory.model.linear_model import float_model
from theory.problems.sampling import enumerate_transitions


@each_case("MDP")
@pytest.mark.parametrize("name", ["gtd2", "tdc", "tdrc"])
@pytest.mark.parametrize("form", ["textbook", "2009"])
def test_expected_update_is_the_mean_of_the_sampled_one(case, name, form):
    """In the coordinates of independent features, which is what a learner with dependent ones is seen through."""
    p, eta, kappa = case.problem, 0.3, 0.7
    model = float_model(p)
    Phi, r = model.Phi, model.rank
    z = np.cos(1 + np.arange(2 * r))
    theta, w = z[:r], z[r:]

    def update(phi, reward, phi_next, ratio):
        delta = reward + p.gamma * phi_next @ theta - phi @ theta
        if name == "gtd2":
            step = ratio * (phi - p.gamma * phi_next) * (phi @ w)
        else:
            step = ratio * (delta * phi - p.gamma * phi_next * (phi @ w))
        aux = ratio * (delta - w @ phi) * phi if form == "textbook" else (ratio * delta - w @ phi) * phi
        return np.concatenate([step, eta * (aux - kappa * w if name == "tdrc" else aux)])

    text = f"{name}:ratio={eta}" + (f":kappa={kappa}" if name == "tdrc" else "")
    _, matrix, vector = find_method(text).expected(model)
    mean = sum(
        float(t.probability) * update(Phi[t.state], float(t.reward), Phi[t.next_state], float(t.ratio))
        for t in enumerate_transitions(p)
    )
    assert np.allclose(vector - matrix @ z, mean, atol=1e-10)


@each_case("MDP")
def test_emphatic_update_is_the_stationary_mean_with_the_follow_on_trace(case):
    """F_t = 1 + γρ_{t−1}F_{t−1}: iterate its conditional mean f(s) = d(s)·E[F|s] from nothing until it stands."""
    p = case.problem
    P, pi, mu = (np.asarray(x, dtype=float) for x in (p.mdp.P, p.pi, p.mu))
    f = np.zeros(p.n_states)
    ratio = np.divide(pi, mu, out=np.zeros_like(pi), where=mu > 0)
    flow = np.einsum("sa,sa,sat->st", mu, ratio, P)
    for _ in range(int(np.ceil(40 / (1 - p.gamma)))):  # γ^steps < e^−40
        f = p.d_mu + p.gamma * f @ flow
    model = float_model(p)
    weighted = model.Phi.T * f
    _, matrix, vector = find_method("etd").expected(model)
    assert np.allclose(matrix, weighted @ (model.Phi - p.gamma * p.P_pi @ model.Phi), rtol=1e-9, atol=1e-9)
    assert np.allclose(vector, weighted @ p.r_pi, rtol=1e-9, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(exact_problems())
def test_emphatic_key_matrix_is_positive_definite_on_the_features(problem):
    A = find_method("etd").expected(float_model(problem)).matrix
    lowest = np.linalg.eigvalsh((A + A.T) / 2).min(initial=np.inf)
    assert lowest > -1e-12 * max(1, np.abs(A).max(initial=0))
    assert converges(find_method("etd"), problem)
