"""Methods that know actions, and emphatic TD of any decay: their means by following each sampled update's own trace."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from tests.cases import each_case
from theory.experiments.comparison import compare
from theory.methods.family import find_method
from theory.methods.outcome import fixed_point_of, outcome, true_values
from theory.model.enclosed import enclosed
from theory.model.linear_model import exact_model, float_model
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.mdp import MDP
from theory.problems.sampling import enumerate_transitions
from theory.problems.sources import find_problem


def moves(problem):
    """(s, a, t, probability given s, reward, γ(t), π, μ) of every move."""
    found = []
    for s, a, t, probability, reward, _, discount in enumerate_transitions(problem):
        given = float(probability) / float(problem.d_mu[s])
        found.append((s, a, t, given, float(reward), float(discount), float(problem.pi[s, a]), float(problem.mu[s, a])))
    return found


def trace_means(problem, Phi, fade, weight):
    """A and b of θ ← θ + α w δ y with y ← γ c y + φ: the mean of y at each state, iterated until it stands."""
    known, y = moves(problem), np.zeros((problem.n_states, Phi.shape[1]))
    for _ in range(4000):
        new = problem.d_mu[:, None] * Phi
        for s, _, t, p, _, discount, pi, mu in known:
            new[t] += p * problem.gamma * discount * fade(pi, mu) * y[s]
        if np.abs(new - y).max() < 1e-15 * np.abs(new).max():
            break
        y = new
    A, b = np.zeros((Phi.shape[1],) * 2), np.zeros(Phi.shape[1])
    for s, _, t, p, reward, discount, pi, mu in known:
        A += p * weight(pi, mu) * np.outer(y[s], Phi[s] - problem.gamma * discount * Phi[t])
        b += p * weight(pi, mu) * reward * y[s]
    return A, b


def ratio(pi, mu):
    return pi / mu


LAMBDA = 0.6
TRACES = {
    "tree-backup:3/5": (lambda pi, mu: LAMBDA * pi, ratio),
    "v-trace:3/5": (lambda pi, mu: LAMBDA * min(1.0, pi / mu), lambda pi, mu: min(1.0, pi / mu)),
}


@each_case("MDP")
@pytest.mark.parametrize("name", list(TRACES))
def test_the_mean_of_a_sampled_update_along_its_trace(case, name):
    if case.problem.gamma > 0.999:
        pytest.skip("the trace takes too long to stand")
    model = float_model(case.problem)
    A, b = trace_means(case.problem, model.Phi, *TRACES[name])
    _, matrix, vector = find_method(name).expected(model)
    assert np.allclose(matrix, A, rtol=1e-9, atol=1e-10)
    assert np.allclose(vector, b, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("zeta", ["0", "1/4", "1/2", "7/10", "1"])
def test_action_dependent_bootstrapping(zeta):
    """ψ goes from 0 over twice its least to where nothing is cut: ν = 1/max(μ, π)."""
    problem = catalogue_problem("baird")
    larger = np.maximum(problem.pi.astype(float), problem.mu.astype(float))
    z, low, top = float(Fraction(zeta)), 1 / larger.max(), 1 / larger[larger > 0].min()
    psi = 2 * z * low + max(0.0, 2 * z - 1) * (top - 2 * low)
    model = float_model(problem)
    A, b = trace_means(problem, model.Phi, lambda pi, mu: min(psi, 1 / max(pi, mu)) * pi, ratio)
    _, matrix, vector = find_method(f"abtd:{zeta}").expected(model)
    assert np.allclose(matrix, A, atol=1e-12)
    assert np.allclose(vector, b, atol=1e-12)


@each_case("MDP")
def test_the_naive_residual_gradient_is_the_mean_over_single_moves(case):
    problem, model = case.problem, float_model(case.problem)
    A, b = np.zeros((model.rank,) * 2), np.zeros(model.rank)
    for s, _, t, p, reward, discount, pi, mu in moves(problem):
        along = model.Phi[s] - problem.gamma * discount * model.Phi[t]
        A += problem.d_mu[s] * p * pi / mu * np.outer(along, along)
        b += problem.d_mu[s] * p * pi / mu * reward * along
    _, matrix, vector = find_method("naive-residual-gradient").expected(model)
    assert np.allclose(matrix, A, atol=1e-12)
    assert np.allclose(vector, b, atol=1e-12)


def test_the_textbook_s_a_split_example():
    """Sutton and Barto, example 11.2: A goes to B or C, B ends with 1, C with 0; naive residual gradient finds
    v(A) = 1/2, v(B) = 3/4, v(C) = 1/4 where the true values are 1/2, 1 and 0.
    """
    mdp = MDP([[[0, "1/2", "1/2"]], [[0, 0, 0]], [[0, 0, 0]]], [[0], [1], [0]], 1, start=[1, 0, 0])
    split = Problem.from_mdp(mdp, pi=[[1]] * 3, mu=[[1]] * 3, Phi=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], name="a-split")
    model = exact_model(split)
    v = true_values(model)
    assert [str(x) for x in v] == ["1/2", "1", "0"]
    assert [str(x) for x in fixed_point_of(find_method("naive-residual-gradient"), model, v).values] == [
        "1/2",
        "3/4",
        "1/4",
    ]


@each_case("MDP")
@pytest.mark.parametrize("beta", [0.0, 0.4])
def test_emphatic_td_of_any_decay_follows_its_own_trace(case, beta):
    problem, model = case.problem, float_model(case.problem)
    flow: dict[tuple[int, int], float] = defaultdict(float)
    for s, _, t, p, _, discount, pi, mu in moves(problem):
        flow[s, t] += p * pi / mu * discount
    f = problem.d_mu.copy()
    for _ in range(200):  # β²⁰⁰ < 10⁻⁷⁹
        f = problem.d_mu + beta * sum(w * f[s] * np.eye(problem.n_states)[t] for (s, t), w in flow.items())
    _, matrix, vector = find_method(f"etd-beta:{beta}").expected(model)
    ahead = model.Phi - problem.gamma * problem.P_pi @ model.Phi
    assert np.allclose(matrix, model.Phi.T * f @ ahead, atol=1e-11)
    assert np.allclose(vector, model.Phi.T * f @ problem.r_pi, atol=1e-11)


@pytest.mark.parametrize("name", ["tree-backup", "v-trace", "abtd", "naive-residual-gradient", "htd"])
def test_what_a_formula_lacks_is_said(name):
    bare = Problem.from_matrices("9/10", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    found = outcome(find_method(name), bare)
    assert found.holds.json is None
    assert found.reason.startswith("not applicable here: ")
    (row,) = compare(bare, [name]).to_dict()["methods"]
    assert row["converges"] is None
    assert row["fixed_point"]["theta"] is None
    assert row["reason"] == row["threshold_reason"] == row["rate_reason"] == found.reason


def test_what_many_states_lack_is_said_before_a_matrix_of_them_is_made():
    S = 150  # more than exact matrices are made of unasked, and features as many as states
    P = np.roll(np.eye(S), 1, axis=1)
    wide = Problem.from_matrices(0.9, Phi=np.eye(S), P_pi=P, d_mu=np.full(S, 1 / S))
    (row,) = compare(wide, ["v-trace"]).to_dict()["methods"]
    assert (row["converges"], row["fixed_point"]["theta"]) == (None, None)


def test_a_sparse_problem_without_actions_takes_no_matrix_of_its_states(monkeypatch):
    problem = find_problem("sparse:states=5000,features=3")
    model = enclosed(problem)
    monkeypatch.setattr(type(model), "eye", None)
    assert outcome(find_method("v-trace"), problem, model).reason.startswith("not applicable here: ")
