"""Answers from data are as sure as they say."""

import json

import numpy as np
import pytest

from tests.command_line import run
from tests.data.coverage import OTHERS, count
from tests.data.intervals import held
from theory.data.estimate import bound
from theory.data.inspect import open_data
from theory.model.linear_model import moments
from theory.problems.sampling import sample_transitions
from theory.problems.sources import find_problem


def test_wrong_answers_stay_within_five_percent():
    found = count(96, seed=3)
    for question in ("td", "chain"):
        given = {how: found[question, how, "right"] + found[question, how, "wrong"] for how in ("bootstrap", "bound")}
        assert given["bootstrap"] > 40
        assert given["bound"] > 0
        assert found[question, "bootstrap", "wrong"] <= 0.05 * 96
        assert found[question, "bound", "wrong"] == 0
    for name in OTHERS:
        assert found[name, "bootstrap", "right"] > 15
        assert found[name, "bootstrap", "wrong"] <= 0.05 * 96


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say():
    """Of 60, 57 are expected to; fewer than 51 happen once in 200, for any of the four."""
    shares = held(60, seed=0)
    assert set(shares) == {(how, question) for how in ("each", "grouped") for question in ("td", "chain")}
    assert all(share >= 51 / 60 for share in shares.values()), shares


def sample(name, trajectories, moves, seed=0, **extra):
    problem = find_problem(name)
    seen = sample_transitions(np.random.default_rng(seed), problem, moves, trajectories).all()
    s, t = seen.state.ravel(), seen.next_state.ravel()
    columns = {"phi": problem.Phi[s], "next_phi": problem.Phi[t], "reward": seen.reward.ravel()}
    return problem, {**columns, "ratio": seen.ratio.ravel(), "state": s, "next_state": t, **extra}


def test_estimates_are_the_moments_of_many_moves():
    problem, columns = sample("threestate", 50, 2000)
    X, Y, b = open_data(columns, 0.5).estimate.mean
    true = moments(problem)
    for mine, theirs in ((X, true.X), (Y, true.Y), (b, true.b)):
        assert np.abs(mine - theirs).max() < 0.05


def test_dependent_features_are_seen_through_their_row_space():
    _, columns = sample("twostate", 100, 5, episode=np.repeat(np.arange(100), 5))
    twin = {**columns, "phi": np.hstack([columns["phi"]] * 2), "next_phi": np.hstack([columns["next_phi"]] * 2)}
    one, two = open_data(columns, 0.5), open_data(twin, 0.5)
    assert two.estimate.V.shape == (2, 1)
    assert two.chain.value == pytest.approx(one.chain.value)
    assert two.chain.answer == one.chain.answer == "unbiased"


def test_features_that_are_nearly_dependent_leave_it_undecided():
    """Sums of squares see 10⁻⁵ as 10⁻¹⁰: what is between rounding and a feature of its own is not decided."""
    _, columns = sample("twostate", 100, 5, episode=np.repeat(np.arange(100), 5))
    rng = np.random.default_rng(0)
    phi = columns["phi"]
    near = np.hstack([phi, phi * (1 + 1e-5 * rng.random(phi.shape))])
    found = open_data(columns | {"phi": near, "next_phi": np.hstack([columns["next_phi"]] * 2)}, 0.5)
    assert found.td.answer is None
    assert found.td.bounded is None
    assert "so nearly dependent" in str(found)
    (row,) = found.compare(["tdc"]).rows
    assert row.converges is None


def test_bound_covers_and_shrinks():
    rng = np.random.default_rng(0)
    missed = 0
    for _ in range(200):
        sums = rng.choice([0.0, 1.0, 3.0], size=(400, 2, 2))
        missed += bool((np.abs(sums.mean(axis=0) - 4 / 3) > bound(sums, 0.05)).any())
    assert missed <= 10
    sums = rng.random((4000, 2, 2))
    assert bound(sums, 0.05).max() < bound(sums[:400], 0.05).max()


def test_states_that_are_their_own_features_need_no_estimate():
    """A = D(I − γP) and ΠP = P, whatever the ratios happened to be; without trajectories, too."""
    _, columns = sample("threestate", 1, 60)
    named = {key: value for key, value in columns.items() if "phi" not in key}
    found = open_data(named, 0.99)
    assert (found.td.answer, found.chain.answer) == ("stable", "unbiased")
    assert "by structure" in str(found)
    assert "M-matrix" in found.to_dict()["td"]["how"]
    other = open_data(columns, 0.9)  # invertible features: the chain by structure, TD by estimate
    assert other.chain.structure is not None
    assert other.td.structure is None


def test_what_is_undecided_says_how_much_more_it_needs():
    _, columns = sample("twostate", 60, 5, episode=np.repeat(np.arange(60), 5))
    found = open_data(columns, "5/6")  # the tie itself
    assert found.td.answer is None
    assert "more transitions would settle it" in str(found) or "too close to tell" in str(found)


def test_the_command_reads_a_file(tmp_path, capsys):
    _, columns = sample("twostate", 100, 5)
    path = tmp_path / "d.csv"
    cells = (columns["state"], columns["phi"][:, 0], columns["next_state"], columns["next_phi"][:, 0], columns["ratio"])
    rows = [f"{s},{f},{t},{g},1,{q},{i // 5}" for i, (s, f, t, g, q) in enumerate(zip(*cells, strict=True))]
    path.write_text("\n".join(["state,phi_0,next_state,next_phi_0,reward,ratio,episode", *rows]))

    code, out, _ = run(capsys, "inspect", str(path), "--gamma", "1/2", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["data"]["trajectories"] == 100
    assert document["td"]["answer"] == "stable"
    assert document["td"]["interval"][0] < document["td"]["estimate"] < document["td"]["interval"][1]
    _, out, _ = run(capsys, "inspect", str(path), "--gamma", "1/2", "--estimated", "--json")
    assert json.loads(out)["quadrant"] == "td-stable/chain-unbiased"
    code, out, _ = run(capsys, "compare", str(path), "--gamma", "1/2", "--estimated", "--json")
    assert json.loads(out)["problem"] == "d.csv, estimated"
    for option in (["--plot", str(tmp_path / "p.png")], ["--flips"], ["--coq", str(tmp_path / "p.v")]):
        code, out, err = run(capsys, "inspect", str(path), "--gamma", "1/2", *option)
        assert (code, out) == (2, "")
        assert "--estimated" in err
    code, out, err = run(capsys, "inspect", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
