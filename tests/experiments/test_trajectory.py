"""Expected trajectories equal the same updates in other numbers and coordinates, and end in the fixed points."""

import json

import numpy as np
import pytest

from tests.command_line import run
from theory.experiments.trajectory import trajectory
from theory.figures import figure_spec
from theory.methods.family import find_method, methods
from theory.methods.outcome import fixed_point_of, true_values
from theory.model.iteration import target_network_iterates, td_iterates
from theory.model.linear_model import exact_model, exact_moments, moments
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem

STAR = [1, 1, 1, 1, 1, 1, 10, 1]
BAIRD = catalogue_problem("baird:gamma=99/100")


def in_floats(columns):
    return np.array([[float(x) for x in column.entries()] for column in columns])


@pytest.mark.parametrize("name", ["threestate", "twostate-reward", "baird"])
def test_td_and_its_target_network_are_the_exact_updates_in_given_features(name):
    problem = catalogue_problem(name)
    m = exact_moments(problem)
    start = list(range(1, problem.n_features + 1))
    theta = m.vector(start)
    wanted = in_floats(x for _, x in zip(range(9), td_iterates(m, "1/8", theta), strict=False))
    assert np.allclose(trajectory(problem, "td", 8, start, "1/8").theta, wanted, rtol=1e-12)
    wanted = in_floats(target_network_iterates(m, "1/8", 5, 4, theta))
    assert np.allclose(trajectory(problem, "target-network:window=5", 4, start, "1/8").theta, wanted, rtol=1e-11)


@pytest.mark.parametrize("eta", ["0", "1/10"])
def test_with_dependent_features_a_ridge_shrinks_what_changes_no_value(eta):
    m, theta, h = moments(BAIRD), np.array(STAR, dtype=float), float(exact_model(BAIRD).number(eta))
    found = trajectory(BAIRD, f"ridge-td:eta={eta}", 40, STAR, "1/16").theta
    for row in found:
        assert np.allclose(row, theta, rtol=1e-10)
        theta = theta + (m.b - (m.A + h * np.eye(8)) @ theta) / 16


def test_ridge_regressions_forget_what_changes_no_value():
    m, theta = moments(BAIRD), np.array(STAR, dtype=float)
    for row in trajectory(BAIRD, "ridge-chain:eta=1/10", 5, STAR).theta:
        assert np.allclose(row, theta, rtol=1e-10)
        theta = np.linalg.solve(m.X + 0.1 * np.eye(8), m.gamma * m.Y @ theta + m.b)


def test_tdc_begins_with_auxiliary_weights_of_zero():
    m, theta, w = moments(BAIRD), np.array(STAR, dtype=float), np.zeros(8)
    for row in trajectory(BAIRD, "tdc:ratio=10", 40, STAR, "1/200").theta:
        assert np.allclose(row, theta, rtol=1e-10)
        left = m.b - m.A @ theta
        theta, w = theta + (left - m.gamma * m.Y.T @ w) / 200, w + (left - m.X @ w) / 20


def test_soft_targets_begin_as_a_copy():
    m, theta = moments(BAIRD), np.array(STAR, dtype=float)
    target = theta
    for row in trajectory(BAIRD, "soft-target:tau=1/8", 40, STAR, "1/16").theta:
        assert np.allclose(row, theta, rtol=1e-10)
        theta = theta + (m.b + m.gamma * m.Y @ target - m.X @ theta) / 16
        target = target * 7 / 8 + theta / 8


@pytest.mark.parametrize("name", list(methods()))
def test_what_converges_ends_at_the_method_s_fixed_point(name):
    seen = 0
    for where in ("threestate", "twostate-reward:gamma=1/2"):
        problem = catalogue_problem(where)
        found = trajectory(problem, name, 3000, list(range(1, problem.n_features + 1)), "1/4")
        if found.radius is not None and found.radius > 0.99:
            continue
        model = exact_model(problem)
        resting = fixed_point_of(find_method(name, {"alpha": "1/4"}), model, true_values(model)).values
        assert np.allclose(found.values[-1], resting.astype(float), atol=1e-7)
        seen += 1
    assert seen


def test_a_sweep_is_an_update_where_all_states_are_visited_alike():
    P, r, Phi = [[0, 1, 0], ["1/2", 0, "1/2"], [1, 0, 0]], [1, 0, 2], [[1, 0], [1, 1], [0, 2]]
    problem, alike = (
        Problem.from_matrices("9/10", Phi=Phi, P_pi=P, r_pi=r, d_mu=d) for d in (["1/2", "1/3", "1/6"], ["1/3"] * 3)
    )
    for name in ("td", "chain", "etd"):
        swept = trajectory(problem, name, 9, [1, 2], "1/8", sweep=True)
        assert np.allclose(swept.theta, trajectory(alike, name, 9, [1, 2], "1/8").theta)
        assert not np.allclose(swept.theta, trajectory(problem, name, 9, [1, 2], "1/8").theta)


def test_errors_are_those_of_their_definitions():
    found = trajectory(BAIRD, "td", 20, STAR, "1/100", error="d_mu")
    P, d, v = BAIRD.P_pi, BAIRD.d_mu, found.values
    assert np.allclose(found.error, np.sqrt((v * v) @ d))  # v_π = 0
    Pi = BAIRD.Phi @ np.linalg.pinv(moments(BAIRD).X) @ BAIRD.Phi.T * d
    left = (BAIRD.gamma * v @ P.T - v) @ Pi.T
    assert np.allclose(found.errors["pbe"], np.sqrt((left * left) @ d))
    assert trajectory(BAIRD, "lstd", 1, STAR).errors["pbe"][-1] < 1e-9


def test_the_textbook_s_semi_gradient_sweeps(capsys):
    """Sutton and Barto, figure 11.2, right: w₈ passes 300 after 1,000 sweeps, w₁ to w₆ 100; w₇ falls a little."""
    theta = trajectory(BAIRD, "td", 1000, STAR, "1/100", sweep=True).theta[-1]
    assert 300 < theta[7] < 350
    assert np.allclose(theta[:6], theta[0])
    assert 100 < theta[0] < 120
    assert 5 < theta[6] < 10


def test_the_textbook_s_figure_shows_divergence_correction_and_emphasis():
    td, tdc, etd = figure_spec("baird-expected").result()["panels"]
    assert td["d_mu"][-1] > 500
    assert tdc["pbe"][-1] < 0.01
    assert 1.5 < tdc["d_mu"][-1] < 2.5  # figure 11.5: √VE stays near 2
    assert etd["d_mu"][-1] < 1e-6


def test_the_command_prints_every_update_as_json(capsys):
    code, out, err = run(
        capsys, "trajectory", "baird", "--method", "td", "--steps", "3", "--start", "1,1,1,1,1,1,10,1", "--json"
    )
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["method"] == "off-policy-td"
    assert found["steps"] == 3
    assert found["theta"][0] == STAR
    assert [len(found[key]) for key in ("theta", "values", "error")] == [4, 4, 4]
    assert found["error"] == found["errors"]["uniform"]


def test_what_leaves_the_range_of_doubles_is_null(capsys):
    words = ["trajectory", "baird", "--method", "td", "--step-size", "100", "--steps", "400", "--start", "behaviour"]
    code, out, _ = run(capsys, *words, "--json", "--gamma", "0.99")
    assert code == 0
    code, out, _ = run(capsys, *words[:-1], "1,1,1,1,1,1,10,1", "--json", "--gamma", "0.99")
    assert json.loads(out)["theta"][-1] == [None] * 8
    code, out, _ = run(capsys, *words[:-1], "1,1,1,1,1,1,10,1", "--gamma", "0.99")
    assert code == 0
    assert "∞" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--method", "nothing"], "unknown"),
        (["--method", "td", "--start", "1,2"], "expected 8 numbers"),
        (["--method", "td", "--step-size", "0"], "must be positive"),
        (["--method", "td", "--steps", "1e9"], "more than"),
        (["--method", "lstd", "--gamma", "15/17"], None),
    ],
)
def test_bad_input_is_one_line(capsys, words, said):
    code, out, err = run(capsys, "trajectory", "baird", *words)
    if said is None:
        assert code == 0
        return
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert said in err


def test_a_singular_system_has_no_trajectory_of_a_direct_method():
    with pytest.raises(InvalidProblem, match="singular"):
        trajectory(catalogue_problem("twostate:gamma=5/6"), "lstd", 3, [1])


def test_it_prints_as_a_table_and_shows_as_a_frame():
    found = trajectory(BAIRD, "td", 10, STAR, "1/100")
    assert repr(found) == "<Trajectory of off-policy-td, α = 1/100 on baird:gamma=99/100: 10 updates, √VE 5.318 → 6.47>"
    assert len(found.rows()) == 11
    assert len(found.plot().axes) == 2
