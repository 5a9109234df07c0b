"""Table 1: all its cells, the marks by their rules, resuming, and the argument about impossible pairs."""

import json
from dataclasses import replace
from fractions import Fraction
from math import inf

import numba
import numpy as np
import pytest

from tests.learners.cases import noisy
from theory.code_version import reach
from theory.experiments.table1 import PROFILES, Table1, run_table1, study
from theory.experiments.table1.cells import MARKS, cell, mark
from theory.experiments.table1.impossible import impossible_pairs, is_homogeneous, squared_factor
from theory.experiments.table1.paper import LEARNERS, PRINTED, READINGS
from theory.experiments.table1.study import compute, stored
from theory.experiments.table1.text import table1_csv, table1_markdown
from theory.experiments.table1.units import COLUMNS, Scale, Unit, run_unit, version
from theory.learners.driver import run_bulk
from theory.learners.protocol import Protocol
from theory.learners.streams import Initials
from theory.montecarlo import Cell, Study, run_study
from theory.montecarlo.executors import local_processes
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import Transitions, sample_transitions
from theory.store import Store

TINY = Scale(
    steps=200,
    tuning_seeds=2,
    test_seeds=3,
    protocol=Protocol(step_sizes=(0.1, 0.01), last_head=4, heads=(1, 4), windows=(5,)),
)
# Typed from the paper's table; None is "div".
PAPER = """
    td                    0.0   10.0  10.1    0.0   99.3  102.8
    off-policy-td         div    div   div    div    div    div
    etd                   0.0    div   0.0  136.7    div    div
    gtd2                  0.2    0.1   0.0   12.5   83.4  139.6
    tdc                   0.3    0.3   0.0   13.3   87.0   43.6
    chained-concurrent    0.0    0.4   0.1    0.0   72.6   77.9
    chained-sequential    0.0    0.0   0.0    0.0    0.0    0.2
"""


@pytest.fixture(scope="module")
def tiny():
    with Store(None) as store:
        return run_table1(Table1(custom=TINY, repetitions=2, seed=3), store)


def text(result):
    return json.dumps(result)


def test_all_42_cells_have_the_paper_s_numbers(tiny):
    expected = {}
    for line in PAPER.strip().splitlines():
        learner, *numbers = line.split()
        columns = [(p, g) for g in (0.9, 0.99) for p in ("baird", "baird-reward", "threestate")]
        expected |= {
            (learner, *c): None if x == "div" else float(x) for c, x in zip(columns, numbers, strict=True)
        }  # fmt: skip
    cells = [c for c in tiny["cells"] if c["mark"] != "not in the paper"]
    assert {(c["learner"], c["problem"], c["gamma"]): c["paper"] for c in cells} == expected
    assert len(cells) == 42
    assert all(c["paper_diverged"] == (c["paper"] is None) for c in cells)
    assert all((c["rmse"] is None) == c["diverged"] for c in tiny["cells"])


def test_workers_do_not_change_a_byte(tiny):
    with Store(None) as store, local_processes(2) as pool:
        assert text(run_table1(Table1(custom=TINY, repetitions=2, seed=3), store, pool)) == text(tiny)


def test_interrupted_and_resumed_is_the_same_and_computes_nothing_twice(tiny, tmp_path, monkeypatch):
    asked = Table1(custom=TINY, repetitions=2, seed=3)

    def stop(done, total, found):
        if done == 5:
            raise KeyboardInterrupt

    with Store(tmp_path / "t.sqlite") as store, pytest.raises(KeyboardInterrupt):
        run_table1(asked, store, None, stop)
    computed = []
    monkeypatch.setattr(study, "run_unit", lambda unit: computed.append(unit) or run_unit(unit))
    with Store(tmp_path / "t.sqlite") as store:
        assert text(run_table1(asked, store)) == text(tiny)
    assert len(computed) == 96 - 5  # eight learners, six columns, two repetitions
    assert len(set(computed)) == len(computed)


def test_its_store_belongs_to_the_code_of_the_learners_alone():
    """An edit of the Monte Carlo study must not throw table 1's results away, nor may the two share a store."""
    reached = reach("theory.experiments.table1.units")
    assert not any("montecarlo" in name for name in reached)
    assert {"theory.learners.protocol", "theory.problems.sampling", "theory.model.points"} <= set(reached)
    assert f"numba {numba.__version__}" in version()
    with Store(None) as store:
        compute([Unit("td", 1, 0, 0, TINY)], store)
        with pytest.raises(InvalidProblem, match="store"):
            run_study(Study((Cell(2, 1),), 1), store)


def test_another_seed_or_repetition_is_another_number():
    base = Unit("td", 1, 0, 0, TINY)
    values = {run_unit(u)["mean_square"][0] for u in (base, replace(base, seed=1), replace(base, repetition=1))}
    assert len(values) == 3


def test_learners_of_a_column_share_their_moves_and_starts():
    """With a step size this small nothing moves: all learners still sit on the same start."""
    still = replace(TINY, protocol=replace(TINY.protocol, step_sizes=(1e-300,), heads=(0,), windows=(1000,)))
    starts = {tuple(np.round(run_unit(Unit(n, 2, 0, 0, still))["mean_square"], 6)) for n in LEARNERS}
    assert len(starts) == 1


@pytest.mark.parametrize(
    ("rmse", "low", "high", "paper", "name"),
    [
        (10.0, 9.9, 10.1, 10.1, "reproduced"),
        (104.0, 103, 105, 100.0, "reproduced"),  # 4%
        (106.0, 105, 107, 100.0, "not reproduced"),  # 6%, and outside
        (106.0, 99, 107, 100.0, "within heavy-tail spread"),
        (0.02, 0.01, 0.03, 0.0, "reproduced"),  # a tenth is the paper's last digit
        (0.3, 0.2, 0.4, 0.0, "not reproduced"),
        (inf, 160, inf, inf, "reproduced"),
        (inf, 1e-30, inf, 0.0, "within heavy-tail spread"),  # few seeds diverge, most reach 0
        (inf, 200, inf, 136.7, "not reproduced"),
        (3.0, 2, 151, inf, "within heavy-tail spread"),
        (3.0, 2, 4, inf, "not reproduced"),
    ],
)
def test_marks_follow_their_rules(rmse, low, high, paper, name):
    assert mark(rmse, low, high, paper) == name
    assert name in MARKS


def test_cell_is_the_lower_median_repetition():
    def result(rmse, alpha):
        return {
            "setting": {"alpha": alpha}, "tuning_rmse": 1.0, "mean_square": [rmse**2] * 4, "ci95": [rmse, rmse],
            "passed": [7, 9] if rmse > 150 else [],
        }  # fmt: skip

    found = cell("td", 1, [result(9.0, 0.1), result(200.0, 0.2), result(11.0, 0.3), result(inf, 0.4)])
    assert found["rmse"] == 11.0
    assert found["config"] == {"alpha": 0.3}
    assert found["repetitions"]["share_divergent"] == 0.5
    assert found["repetitions"]["values"] == [9.0, None, 11.0, None]
    assert found["mark"] == "within heavy-tail spread"  # 10.0 lies between 9 and ∞
    lost = cell("td", 1, [result(200.0, 0.2)])
    assert (lost["rmse"], lost["diverged"], lost["diverged_seeds"], lost["passed_150_after"]) == (None, True, 4, 8)


def test_other_readings_are_run_for_cells_that_are_not_reproduced():
    with Store(None) as store:
        found = run_table1(Table1(custom=TINY, readings=True), store)
    for c in found["cells"]:
        tried = [r["reading"] for r in c["readings"]]
        wanted = c["mark"] in ("not reproduced", "not in the paper")
        assert tried == (list(READINGS[c["learner"]]) if wanted else [])
        if c["learner"] == "tdrc":
            assert c["readings"][0]["config"]["alpha"] == c["readings"][0]["config"]["beta"]
    assert any(c["readings"] for c in found["cells"])
    assert "cold start" in table1_markdown(found)


def test_every_reading_belongs_to_a_learner_and_runs():
    assert READINGS.keys() == set(LEARNERS)
    for learner, name in (("tdc", "start from N(0, 10²)"), ("td", "one start for all seeds")):
        assert len(run_unit(Unit(learner, 1, 0, 0, TINY, name))["mean_square"]) == 3


def test_baird_s_bound_is_exact_and_excludes_the_paper_s_pairs():
    """θ* of least norm with Φθ* = 1 is (3, …, 3, −1, 7)/13: ‖θ*‖² = 8/13, and v_π = 100."""
    assert squared_factor(catalogue_problem("baird-reward:gamma=99/100")) == 1 + Fraction(8, 13)
    assert all(p["possible"] for p in impossible_pairs(sigma=10))
    assert {(p["learner"], p["gamma"]): p["possible"] for p in impossible_pairs()} == {
        ("gtd2", 0.9): True, ("gtd2", 0.99): False, ("tdc", 0.9): True, ("tdc", 0.99): False,
    }  # fmt: skip


@pytest.mark.parametrize("learner", ["gtd2", "tdc"])
def test_bound_holds_for_the_sampled_learners(learner):
    """Starts ±σ√F·e_i have mean 0 and covariance σ²I, so over these 2F starts the expectation is a finite sum."""
    plain, reward = (catalogue_problem(f"{name}:gamma=99/100") for name in ("baird", "baird-reward"))
    moves = sample_transitions(np.random.default_rng(5), plain, 3000, 1)
    other = sample_transitions(np.random.default_rng(5), reward, 3000, 1)
    F = plain.n_features
    theta = np.concatenate([np.eye(F), -np.eye(F)])[:, None, :] * 100 * np.sqrt(F)
    setting = {"alpha": [0.02], "beta": [0.01]}
    errors = []
    for problem, m in ((plain, moves), (reward, other)):
        same = Transitions(np.repeat(m.drawn, 2 * F, axis=0), m.possible)
        errors.append(run_bulk(learner, problem, setting, same, Initials(theta)).mean_square.mean())
    assert errors[0] < errors[1] <= float(squared_factor(reward)) * errors[0]
    # The difference is the error that starts from θ* itself.
    start = np.linalg.lstsq(plain.Phi, np.full(7, 100.0), rcond=None)[0]
    extra = run_bulk(learner, plain, setting, moves, Initials(start[None, None])).mean_square.mean()
    assert errors[1] - errors[0] == pytest.approx(extra, rel=1e-8)


def test_bound_is_refused_where_the_dynamics_are_not_homogeneous():
    assert is_homogeneous(catalogue_problem("threestate"))  # a deterministic target on deterministic moves
    with pytest.raises(InvalidProblem, match="is not 0 on every move"):
        squared_factor(noisy())


def test_page_and_csv_tell_everything(tiny):
    page, lines = table1_markdown(tiny), table1_csv(tiny).splitlines()
    assert page.count("\n| TD, no correction |") == 1 + 6
    assert "√(21/13)" in page
    assert lines[0] == "# seed: 3"
    assert len(lines) == 3 + 1 + 48


def test_profiles_are_the_paper_s_and_a_coarser_one():
    full, quick = PROFILES["full"], PROFILES["quick"]
    assert (full.steps, full.tuning_seeds, full.test_seeds) == (100_000, 10, 100)
    assert set(quick.protocol.step_sizes) < set(full.protocol.step_sizes)
    assert quick.test_seeds < full.test_seeds


@pytest.mark.parametrize(
    ("fields", "line"),
    [({"profile": "slow"}, "profile: no profile"), ({"repetitions": 0}, "repetitions: "), ({"seed": -1}, "seed: ")],
)
def test_bad_requests_get_one_line(fields, line):
    with pytest.raises(InvalidProblem, match=f"^{line}"):
        Table1(**fields)


def test_units_of_different_scales_never_meet_in_a_store():
    with Store(None) as store:
        small, large = (Unit("td", 0, 0, 0, s) for s in (TINY, replace(TINY, test_seeds=4)))
        compute([small, large], store)
        assert [len(stored(u, store)["mean_square"]) for u in (small, large)] == [3, 4]
    assert len(COLUMNS) == 6


def test_tdrc_is_a_row_that_the_paper_does_not_have(tiny):
    cells = [c for c in tiny["cells"] if c["learner"] == "tdrc"]
    assert "tdrc" not in PRINTED
    assert [(c["paper"], c["paper_diverged"], c["mark"]) for c in cells] == [(None, False, "not in the paper")] * 6
    page = table1_markdown(tiny)
    assert "Of the paper's 42 cells" in page
    assert "| TDRC |" in page
    assert not any(c["learner"] == "tdrc" for c in tiny["curves"])  # figure 3 is the paper's


def test_one_step_size_ties_beta_to_alpha():
    settings = Protocol(one_step_size=True).settings("tdrc")
    assert len(settings["alpha"]) == 40
    assert np.array_equal(settings["alpha"], settings["beta"])
    assert len(Protocol(one_step_size=True).settings("td")["alpha"]) == 40


def test_seeds_pairs_and_edges_of_every_cell(tiny):
    raw = {}
    for row in tiny["raw"]:
        raw.setdefault((row["learner"], row["problem"], row["gamma"]), []).append(row["last_half"])
    assert all(len(errors) == 2 * TINY.test_seeds for errors in raw.values())
    for column in COLUMNS:
        here = [c for c in tiny["cells"] if (c["problem"], c["gamma_exact"]) == column]
        (best,) = [c for c in here if c["paired"] is None]
        assert best["rmse"] == min(c["rmse"] for c in here if c["rmse"] is not None)
        for c in here:
            # Every grid of TINY has two values of a parameter or one: whatever is swept is chosen at an edge.
            swept = {"alpha", "beta", "k"} & set(c["config"])
            assert set(c["at_edge"]) == swept
            assert c["over_seeds"]["tolerance"]["low"] <= c["over_seeds"]["interquartile_mean"]
            if c is best:
                continue
            mine, theirs = (np.array(raw[name, *column]) for name in (c["learner"], best["learner"]))
            assert c["paired"]["against"] == best["learner"]
            assert c["paired"]["lower"] == (mine < theirs).sum()
            if c["paired"]["mean"] is not None:
                assert c["paired"]["mean"] == pytest.approx((mine - theirs).mean())
                assert c["paired"]["low"] <= c["paired"]["mean"] <= c["paired"]["high"]
