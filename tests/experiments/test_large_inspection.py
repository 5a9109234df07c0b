"""What `inspect` says of a sparse problem is what it says of the dense one, to the bounds that it claims."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import theory
from tests.command_line import run
from tests.large import copies, kept_sparse
from theory.exact.matrices import fraction
from theory.experiments.inspection import inspect_problem
from theory.model.balls import as_bounded
from theory.model.enclosed import enclosed
from theory.problems import Problem, open_problem
from theory.thresholds.discounts import chain_threshold, td_stable_intervals

CHOSEN = ["baird-reward", "threestate", "finite-window", "random:states=20,features=4", "quadrant-stable-biased"]


@pytest.mark.parametrize("name", CHOSEN)
def test_numbers_and_thresholds_are_the_dense_ones(name):
    problem = open_problem(name)
    dense, here = inspect_problem(problem), inspect_problem(kept_sparse(problem))
    assert here.rank == dense.rank
    assert here.quadrant == dense.quadrant
    assert here.target_network.step_size == dense.target_network.step_size
    assert here.target_network.verdict.holds == dense.target_network.verdict.holds
    assert np.allclose(abs(here.chain_spectrum).max(), abs(dense.chain_spectrum).max())
    assert np.allclose(here.target_network.rho, dense.target_network.rho)
    assert np.abs(here.v_pi - dense.v_pi.astype(float)).max() <= here.bounds.v_pi + 1e-12
    if dense.target.theta is not None:
        off = np.abs(here.target.theta - dense.target.theta.astype(float))
        assert (off <= here.target.bound + 1e-9 * np.abs(here.target.theta)).all()
        assert np.allclose(here.target.values, dense.target.values.astype(float))
    if dense.v_mu is not None:
        assert np.abs(here.v_mu - dense.v_mu.astype(float)).max() <= here.bounds.v_mu + 1e-9


@pytest.mark.parametrize("name", CHOSEN)
def test_intervals_in_gamma_hold_the_exact_ones(name):
    problem = open_problem(name)
    large = inspect_problem(copies(problem, 10))
    exact, chain = td_stable_intervals(problem), chain_threshold(problem)
    for gamma in np.linspace(0, 0.999, 60):
        here = large.td_intervals.holds_at(float(gamma))
        assert str(here) in ("undecided", str(exact.holds_at(float(gamma))))
        bracket = large.chain_threshold.is_above(float(gamma))
        assert str(bracket) in ("undecided", str(chain.is_above(float(gamma))))
    ends = [interval.high.value for interval in large.td_intervals.intervals]
    known = [interval.high.value for interval in exact.intervals]
    assert np.allclose([1.0 if x is None else x for x in ends], known, atol=1e-8)


def _badly_conditioned(seed, states=9, features=4):
    """Random, its features stretched by up to 1000 in directions across the coordinates; every other one ends."""
    rng = np.random.default_rng(seed)
    P, d = rng.dirichlet(np.full(states, 0.2), states), rng.dirichlet(np.full(states, 0.4)) + 1e-6
    ends = bool(seed % 2)
    if ends:
        P[-1] = 0
    (left, _), (right, _) = (np.linalg.qr(rng.standard_normal((features, features))) for _ in range(2))
    Phi = rng.standard_normal((states, features)) @ (left * np.logspace(0, -3, features)) @ right
    return Problem.from_matrices(0.9, Phi=Phi, P_pi=P, d_mu=d / d.sum(), r_pi=np.ones(states), episodic=ends)


@pytest.mark.parametrize("seed", range(24))
def test_badly_conditioned_features_leave_next_to_nothing_unknown(seed):
    """What is said agrees with exact crossings; A + Aᵀ ≻ 0 at some γ, or X ≻ 0 alone, settles all below it."""
    problem = _badly_conditioned(seed)
    large = kept_sparse(problem)
    found, exact = td_stable_intervals(large), td_stable_intervals(problem)
    ends = [end.value for pair in exact.intervals for end in pair]
    around = [x + e for x in ends for e in (-1e-9, 0, 1e-9) if x + e >= 0]
    for gamma in [*np.linspace(0, 0.9999, 200).tolist(), *around]:
        assert str(found.holds_at(gamma)) in ("undecided", str(exact.holds_at(gamma)))
    assert sum(float(fraction(high - low)) for low, high in found.unknown) < 1e-6  # cond X ≈ 10⁷ times roundings
    model = enclosed(large)
    X, Y = (as_bounded(M).mid for M in (model.X, model.Y))
    L = np.linalg.inv(np.linalg.cholesky(X))
    last = 1 / max(1.0, np.linalg.eigvalsh(L @ (Y + Y.T) @ L.T).max() / 2)  # A + Aᵀ ≻ 0 below it, in floats
    assert found.intervals[0].low.exact == 0
    assert all(float(fraction(low)) > last * (1 - 1e-9) for low, _ in found.unknown)


def _gridworld(side):
    """To the right and down with 2/5 each, back with 1/10; the last corner ends. Polynomials, not scaled."""
    S = side * side
    i, j = np.divmod(np.arange(S), side)
    moves = [(0, 1, 0.4), (1, 0, 0.4), (0, -1, 0.1), (-1, 0, 0.1)]
    to = [np.clip(i + a, 0, side - 1) * side + np.clip(j + b, 0, side - 1) for a, b, _ in moves]
    going = np.concatenate([np.where(np.arange(S) < S - 1, p, 0.0) for _, _, p in moves])
    P = sparse.coo_array((going, (np.tile(np.arange(S), 4), np.concatenate(to))), shape=(S, S)).tocsr()
    P.eliminate_zeros()
    x, y = i / (side - 1), j / (side - 1)
    Phi = np.stack([np.ones(S), x, y, x * y, x * x], axis=1)
    d = np.full(S, 1 / S)
    return Problem.from_matrices(0.95, Phi=Phi, P_pi=P, d_mu=d, r_pi=-np.ones(S), episodic=True)


def test_no_discount_below_a_stable_symmetric_one_is_unknown(capsys, tmp_path):
    """A + Aᵀ ≻ 0 at γ = .95 and X ≻ 0 prove every γ between, whatever the features look like."""
    path = str(tmp_path / "grid.npz")
    _gridworld(60).save(path)
    document = json.loads(run(capsys, "inspect", path, "--json")[1])
    assert "A + Aᵀ ≻ 0" in document["td"]["reason"]
    said = document["td"]["stable_intervals"]
    assert set(said) == {"intervals", "complete", "unknown", "reason", "rechecked"}
    (begin, end), *_ = said["intervals"]
    assert (begin["exact"], Fraction(end["interval"][0]) > Fraction(95, 100)) == ("0", True)
    assert all(Fraction(low) > Fraction(95, 100) for low, _ in said["unknown"])
    out = " ".join(run(capsys, "inspect", path)[1].split())
    assert re.search(r"TD is stable for γ in \[0, 0\.99\d+\); unstable for γ in \(0\.99\d+, .*1\)", out)


def test_copies_have_the_values_of_what_they_are_copies_of():
    problem = open_problem("threestate")
    dense, large = theory.inspect(problem), theory.inspect(copies(problem, 1000))
    assert np.allclose(sorted(set(np.round(large.v_pi, 6))), sorted(dense.v_pi.astype(float)), atol=1e-5)
    assert "3,000 states" in str(large)


def test_an_a_that_may_be_singular_has_no_fixed_point_that_is_certain():
    tie = copies(open_problem("twostate:gamma=5/6"), 10)
    found = inspect_problem(tie)
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
    assert "2,100 states, 8 features of rank 7, γ = 19/20 (floats as given, sparse P with 2,100 entries)" in " ".join(
        out.split()
    )
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
    here, found = theory.gamma_thresholds(problem), inspect_problem(problem)
    assert str(here.td) == str(found.td_intervals)
    assert str(here.chain) == str(found.chain_threshold)
    assert here.certificates() == {"td": None, "chain": None}
    one = np.random.default_rng(1).standard_normal((5000, 1))
    twins = copies(open_problem("twostate"), 2500).with_features(np.hstack([one, 2 * one]))
    unknown = theory.gamma_thresholds(twins)
    assert "features depend on each other" in unknown.td.reason
    assert [str(unknown.td.holds_at(0.5)), str(unknown.chain.is_above(0.5))] == ["undecided"] * 2


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
