"""What `inspect` says of a sparse problem is what it says of the dense one, to the bounds that it claims."""

import json

import numpy as np
import pytest
from scipy import sparse

import theory
from tests.command_line import run
from tests.large import copies, kept_sparse
from theory.experiments.inspection import inspect_problem
from theory.experiments.large_inspection import inspect_large
from theory.problems import open_problem
from theory.thresholds.discounts import chain_threshold, td_stable_intervals

CHOSEN = ["baird-reward", "threestate", "finite-window", "random:states=20,features=4", "quadrant-stable-biased"]


@pytest.mark.parametrize("name", CHOSEN)
def test_numbers_and_thresholds_are_the_dense_ones(name):
    problem = open_problem(name)
    dense, here = inspect_problem(problem), inspect_large(kept_sparse(problem))
    assert here.rank == dense.rank
    assert here.quadrant == dense.quadrant
    assert here.step_size == dense.target_network.step_size
    assert here.target_network.holds == dense.target_network.verdict.holds
    assert np.allclose(here.rho, dense.chain_spectrum.radius)
    assert np.abs(here.target.true_values - dense.v_pi.astype(float)).max() <= here.target.true_bound + 1e-12
    if dense.target.theta is not None:
        off = np.abs(here.target.theta - dense.target.theta.astype(float))
        assert (off <= here.target.bound + 1e-9 * np.abs(here.target.theta)).all()
        assert np.allclose(here.target.values, dense.target.values.astype(float))
    if dense.v_mu is not None:
        assert np.abs(here.behaviour.true_values - dense.v_mu.astype(float)).max() <= here.behaviour.true_bound + 1e-9


@pytest.mark.parametrize("name", CHOSEN)
def test_intervals_in_gamma_hold_the_exact_ones(name):
    problem = open_problem(name)
    large = inspect_large(copies(problem, 10))
    exact, chain = td_stable_intervals(problem), chain_threshold(problem)
    for gamma in np.linspace(0, 0.999, 60):
        here = large.td_intervals.holds_at(float(gamma))
        assert str(here) in ("undecided", str(exact.holds_at(float(gamma))))
        bracket = large.chain_threshold.is_above(float(gamma))
        assert str(bracket) in ("undecided", str(chain.is_above(float(gamma))))
    ends = [interval.high.value for interval in large.td_intervals.intervals]
    known = [interval.high.value for interval in exact.intervals]
    assert np.allclose([1.0 if x is None else x for x in ends], known, atol=1e-8)


def test_copies_have_the_values_of_what_they_are_copies_of():
    problem = open_problem("threestate")
    dense, large = theory.inspect(problem), theory.inspect(copies(problem, 1000))
    assert np.allclose(sorted(set(np.round(large.target.true_values, 6))), sorted(dense.v_pi.astype(float)), atol=1e-5)
    assert "3,000 states" in str(large)


def test_an_a_that_may_be_singular_has_no_fixed_point_that_is_certain():
    tie = copies(open_problem("twostate:gamma=5/6"), 10)
    found = inspect_large(tie)
    assert found.target.theta is None
    assert "singular" in found.target.note
    assert found.td.undecided
    assert "which does not tell" in found.td.reason


@pytest.mark.parametrize("alpha", ["1e400", "-1", "0", "1e-400"])
def test_a_step_size_that_is_none_is_refused(capsys, alpha):
    code, out, err = run(capsys, "inspect", "gridworld:side=60", "--step-size", alpha)
    assert (code, out) == (2, "")
    assert "step-size: must be positive" in err


def test_problems_made_by_rule_are_listed(capsys):
    _, out, _ = run(capsys, "list", "--json")
    assert {"gridworld", "sparse"} == {e["name"] for e in json.loads(out)["generated"]}
    assert "gridworld:side=10" in run(capsys, "list")[1]


def test_the_command_prints_a_screen_and_a_document(capsys, tmp_path):
    path = str(tmp_path / "large.npz")
    copies(open_problem("baird"), 300).save(path)
    code, out, err = run(capsys, "inspect", path, "--gamma", "0.95")
    assert (code, err) == (0, "")
    assert "2,100 states, 8 features, γ=19/20, floats, sparse P with 2,100 entries" in out
    assert "unstable" in out
    assert "re-checked" in out
    code, out, _ = run(capsys, "inspect", path, "--json")
    document = json.loads(out)
    assert (code, document["rank"], document["quadrant"]) == (0, 7, "td-unstable/chain-unbiased")
    assert document["td"]["certified"] is document["td"]["rechecked"] is True
    assert len(document["fixed_points"]["v_pi"]) == 2100


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", "--flips"),
        ("inspect", "--exact"),
        ("chain", "--k", "3"),
        ("derive",),
        ("compare", "--plot", "x.png"),
    ],
)
def test_what_needs_a_dense_matrix_says_so_in_one_line(capsys, arguments):
    command, *options = arguments
    code, out, err = run(capsys, command, "gridworld:side=60", *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "3,600 states" in err


def test_thresholds_alone_are_those_of_the_inspection():
    problem = copies(open_problem("threestate"), 1000)
    here, found = theory.gamma_thresholds(problem), inspect_large(problem)
    assert str(here.td) == str(found.td_intervals)
    assert str(here.chain) == str(found.chain_threshold)
    assert here.certificates() == {"td": None, "chain": None}
    one = np.random.default_rng(1).standard_normal((5000, 1))
    twins = copies(open_problem("twostate"), 2500).with_features(np.hstack([one, 2 * one]))
    with pytest.raises(theory.InvalidProblem, match="features seem to depend on each other"):
        theory.gamma_thresholds(twins)


@pytest.mark.parametrize("reward", [1.0, 1e200])
def test_values_that_nothing_bounds_are_called_unknown(capsys, tmp_path, reward):
    """They lay in an empty place, each to inf, proved."""
    S = 2500
    P = sparse.diags_array([np.full(S - 1, 0.51), np.full(S - 1, 0.49)], offsets=[-1, 1]).tolil()
    P[0, 0] = 0.51
    letters = {"Phi": np.ones((S, 1)), "d_mu": np.full(S, 1 / S), "r_pi": np.full(S, reward), "episodic": True}
    theory.Problem.from_matrices(1, P_pi=sparse.csr_array(P), **letters).save(tmp_path / "long.npz")
    code, out, err = run(capsys, "inspect", str(tmp_path / "long.npz"))
    assert (code, err) == (0, "")
    assert "v_π is not known: nothing bounds it in doubles" in out
    assert "nan" not in out
    assert " inf" not in out
