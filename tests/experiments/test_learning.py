"""`theory learn`: its curve is the plain rule's, and settings that cannot be meant get one line."""

import numpy as np
import pytest

from tests.learners.plain import expected
from theory.experiments import learning
from theory.experiments.learning import Run, default_setting, learn
from theory.learners.bulk import draw_initials
from theory.learners.families import learners
from theory.learners.protocol import n_parameters
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import sample_transitions

THREE = catalogue_problem("threestate")
GIVEN = {"alpha": 0.05, "beta": 0.1, "window": 7, "n": 2, "k": 2, "lambda_": 0.5}


def a_run(learner, **changes):
    fields = {"heads": 3, "steps": 60, "seeds": 2, "seed": 4, "points": 6} | changes
    return Run(learner, default_setting(learner, GIVEN, 3), **fields)


@pytest.mark.parametrize("learner", [name for name in learners() if name != "lstd"])
def test_curve_is_the_plain_rule_on_the_same_moves(learner):
    """Value space and parameters round differently: 60 moves amplify 10⁻¹⁶ by far less than 10⁶."""
    run = a_run(learner)
    found = learn(THREE, run)
    streams, starts, _ = (np.random.default_rng(s) for s in np.random.SeedSequence(4).spawn(3))
    moves = sample_transitions(streams, THREE, 60, 2)
    rule = learners()[learner]
    initials = draw_initials(starts, 2, rule.n_vectors(3), n_parameters(rule, THREE))
    plain = [
        expected(learner, THREE, run.setting, moves, seed, initials, marks=found.marks.tolist(), K=3)
        for seed in range(2)
    ]  # fmt: skip
    curve = np.sqrt(np.mean([p.curve for p in plain], axis=0))
    np.testing.assert_allclose(found.rmse, curve, rtol=1e-9)
    np.testing.assert_allclose(found.last_half, np.sqrt(np.mean([p.mean_square for p in plain])), rtol=1e-9)
    np.testing.assert_allclose(found.final, np.sqrt(np.mean([p.final for p in plain])), rtol=1e-9)


def test_chain_of_no_links_has_td_s_curve():
    chain = learn(THREE, Run("chained-concurrent", {"alpha": 0.05, "k": 0}, heads=0, steps=500, seeds=3))
    td = learn(THREE, Run("td", {"alpha": 0.05}, steps=500, seeds=3))
    # Two kernels, one sum in another order: rounding of 500 contracting steps.
    np.testing.assert_allclose(chain.rmse, td.rmse, rtol=1e-10)


def test_a_head_whose_turn_does_not_come_is_said_so():
    """Heads 0, 1, 2 take moves 1–60; with the last of them head 3 is handed its start, and trains from 61 on."""
    setting = {"alpha": 0.05, "window": 20, "k": 3}
    early, late = (learn(THREE, Run("chained-sequential", setting, heads=3, steps=n, seeds=2)) for n in (60, 61))
    assert np.ptp(early.rmse[:-1]) == 0
    assert early.untrained.startswith("head 3 is trained from move 61 on")
    assert early.document()["note"] == early.untrained
    assert late.untrained is None
    assert "note" not in late.document()


def test_batches_of_seeds_change_nothing(monkeypatch):
    whole = learn(THREE, a_run("gtd2", seeds=5))
    monkeypatch.setattr(learning, "_AT_ONCE", 120)
    parts = learn(THREE, a_run("gtd2", seeds=5))
    assert whole.document() == parts.document()


def test_more_seeds_begin_with_the_fewer():
    one = learn(THREE, a_run("td", seeds=1))
    assert np.isnan(one.low).all()
    assert one.document()["rmse"]["band"] == "none: one seed"


def test_divergence_is_a_result():
    problem = catalogue_problem("baird:gamma=99/100")
    found = learn(problem, Run("off-policy-td", {"alpha": 0.5}, steps=20_000, seeds=3))
    assert found.last_half == np.inf
    assert found.diverged_seeds == 3
    assert 0 < found.passed < 20_000
    assert "3 of 3 seeds" in found.document()["reason"]


def test_document_says_what_determines_it():
    config = learn(THREE, a_run("chained-sequential", options={"after": "ring"})).document()["config"]
    assert config == {
        "step_size": 0.05, "window": 7, "k": 2, "steps": 60, "seeds": 2, "seed": 4, "scale": 100.0, "heads": 3,
        "after": "ring",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("learner", "given", "fields", "line"),
    [
        ("td", {"alpha": 0.0}, {}, "step-size: must be positive and finite, got 0.0"),
        ("td", {"alpha": float("nan")}, {}, "step-size: must be positive"),
        ("gtd2", {"alpha": 0.1, "beta": -1.0}, {}, "beta: must be positive and finite, got -1.0"),
        ("etd", {"alpha": 0.1, "lambda_": 2.0}, {}, r"lambda: must lie in \[0, 1\], got 2.0"),
        ("chained-concurrent", {"alpha": 0.1, "k": 5}, {"heads": 4}, "k: head 5 does not exist: the last head is 4"),
        ("chained-sequential", {"alpha": 0.1, "window": 0, "k": 1}, {}, "window: must be an integer of 1 or more"),
        ("n-step", {"alpha": 0.1, "n": 0}, {}, "n: must be an integer of 1 or more"),
        ("td", {"alpha": 0.1}, {"seeds": 0}, "seeds: must be an integer of 1 or more, got 0"),
        ("td", {"alpha": 0.1}, {"steps": 0}, "steps: must be an integer of 1 or more, got 0"),
        ("td", {"alpha": 0.1}, {"steps": 10**9}, "steps: at most 20,000,000 fit into memory"),
        ("td", {"alpha": 0.1}, {"scale": -1.0}, "scale: must be 0 or more"),
        ("sarsa", {"alpha": 0.1}, {}, "learner: 'sarsa' is unknown; there are etd, "),
    ],
)
def test_bad_settings_get_one_line(learner, given, fields, line):
    with pytest.raises(InvalidProblem, match=f"^{line}"):
        Run(learner, given, **fields)


def test_a_missing_step_size_is_named():
    with pytest.raises(InvalidProblem, match=r"^step-size: td needs one"):
        default_setting("td", {"alpha": None}, 0)


def test_action_values_need_a_second_move():
    with pytest.raises(InvalidProblem, match=r"^steps: action values need at least two moves"):
        learn(THREE, a_run("chained-expected-sarsa", steps=1))
