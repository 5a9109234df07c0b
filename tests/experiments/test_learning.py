"""`theory learn`: its curve is the plain rule's, and settings that cannot be meant get one line."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.learners.cases import ending, noisy
from tests.learners.plain import expected, rule_of
from theory.experiments import learning
from theory.experiments.learning import Run, compare, default_setting, learn, tune
from theory.learners.affine import behaviour_steps
from theory.learners.driver import run_bulk
from theory.learners.families import learners
from theory.learners.gradient import GTD2
from theory.learners.n_step import NStep
from theory.learners.protocol import Protocol
from theory.learners.streams import draw_initials, draw_transitions, n_parameters
from theory.learners.td import OffPolicyTD
from theory.learners.transition import View
from theory.model.linear_model import moments
from theory.model.points import target_values
from theory.noise.curves import exact_curve
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
    # Two steps, one sum in another order: rounding of 500 contracting steps.
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
        ("td", {"alpha": 0.1}, {"error": "mean"}, "error: must be one of uniform, d_mu, pbe, got 'mean'"),
        ("td", {"alpha": 0.1}, {"options": {"after": "ring"}}, "td has no variant 'after'; it has space"),
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


@pytest.mark.parametrize("n", [61, 100])
@pytest.mark.parametrize("learner", ["n-step", "chained-n-step"])
def test_windows_longer_than_the_run_are_said_so(learner, n):
    given = GIVEN | {"n": n}
    run = Run(learner, default_setting(learner, given, 3), heads=3, steps=60, seeds=2)
    found = learn(THREE, run)
    assert np.ptp(found.rmse) == 0
    assert found.document()["note"] == f"a window of n = {n} moves is not complete before the run ends"
    assert learn(THREE, Run(learner, run.setting | {"n": 60}, heads=3, steps=60, seeds=2)).untrained is None


def true_errors(problem, learner, setting, moves, initials, marks):
    """Mean squared errors of the three kinds by their definitions, from the plain rule's θ."""
    rule = rule_of(learner, problem, setting, 3, {})
    v, m = target_values(problem), moments(problem)
    found = {"uniform": [], "d_mu": [], "pbe": []}
    for seed in range(moves.seeds):
        theta = initials.theta[seed]
        state = rule.init(theta if len(theta) > 1 else theta[0])
        rows = {kind: [] for kind in found}
        for t, move in enumerate([None, *View(problem, exact=False).stream(moves, seed)]):
            state = state if move is None else rule.update(state, move)
            if t in marks:
                parameters = np.linalg.lstsq(problem.Phi, rule.value(state, problem.Phi), rcond=None)[0]
                rows["uniform"].append(np.square(problem.Phi @ parameters - v).mean())
                rows["d_mu"].append(problem.d_mu @ np.square(problem.Phi @ parameters - v))
                gap = m.b - m.A @ parameters
                rows["pbe"].append(gap @ np.linalg.pinv(m.X) @ gap)
        for kind, values in rows.items():
            found[kind].append(values)
    return found


@pytest.mark.parametrize("problem", [THREE, noisy(), noisy().with_features([[1, 2], [1, 2], [-2, -4]])])
@pytest.mark.parametrize("learner", ["td", "etd", "tdc", "chained-sequential", "chained-concurrent", "target-network"])
def test_errors_are_measured_by_their_definitions(problem, learner):
    """Every step, with rows before those of the states; 40 moves of small steps round at the 14th digit."""
    moves, marks = sample_transitions(np.random.default_rng(2), problem, 40, 2), [0, 1, 13, 40]
    rule = learners()[learner]
    initials = draw_initials(np.random.default_rng(3), 2, rule.n_vectors(3), problem.n_features, scale=3.0)
    setting = default_setting(learner, GIVEN | {"alpha": 0.01, "beta": 0.02}, 3)
    truth = true_errors(problem, learner, setting, moves, initials, marks)
    for error, squares in truth.items():
        found = run_bulk(learner, problem, setting, moves, initials, error=error, marks=marks)
        np.testing.assert_allclose(found.curve[0], squares, rtol=1e-9)


@pytest.mark.parametrize("learner", ["lstd", "chained-expected-sarsa", "chained-vtrace"])
def test_d_mu_error_of_the_other_families_is_the_weighted_mean(learner):
    """From the seed-averaged errors of the states, with one seed."""
    moves, rule = sample_transitions(np.random.default_rng(2), THREE, 40, 1), learners()[learner]
    initials = draw_initials(np.random.default_rng(3), 1, rule.n_vectors(3), n_parameters(rule, THREE), scale=3.0)
    setting = default_setting(learner, {"alpha": 0.01, "k": 2}, 3)
    plain = run_bulk(learner, THREE, setting, moves, initials, marks=[5, 39])
    weighted = run_bulk(learner, THREE, setting, moves, initials, marks=[5, 39], error="d_mu")
    np.testing.assert_allclose(weighted.curve[0, 0], np.square(plain.mean_error[0]) @ THREE.d_mu, rtol=1e-9)


def test_parameters_and_values_measure_the_same_error():
    moves = sample_transitions(np.random.default_rng(2), THREE, 40, 2)
    initials = draw_initials(np.random.default_rng(3), 2, 1, 3, scale=3.0)
    for error in ("d_mu", "pbe"):
        both = [
            run_bulk("etd", THREE, {"alpha": 0.001}, moves, initials, error=error, options={"space": space}).mean_square
            for space in ("values", "parameters")
        ]
        np.testing.assert_allclose(*both, rtol=1e-9)


def test_tuning_takes_the_best_setting_on_seeds_of_its_own():
    protocol = Protocol(step_sizes=(0.5, 0.1, 0.02), windows=(5, 10))
    asked = {"heads": 2, "steps": 400, "seeds": 3, "seed": 1}
    run = tune(THREE, "chained-sequential", {}, protocol=protocol, tuning_seeds=4, **asked)
    assert run.tuning.settings == 3 * 2 * 2  # step sizes, windows, heads 1 and 2
    each = [
        tune(THREE, "chained-sequential", {"alpha": a, "window": T, "k": k}, protocol=protocol, tuning_seeds=4, **asked)
        for a in (0.5, 0.1, 0.02) for T in (5, 10) for k in (1, 2)
    ]  # fmt: skip
    best = min(each, key=lambda one: one.tuning.rmse)
    assert run.setting == best.setting
    assert run.tuning.rmse == best.tuning.rmse
    found = learn(THREE, run)
    document = found.document()["tuning"]
    assert (document["settings"], document["seeds"], document["rmse"]) == (12, 4, run.tuning.rmse)
    ends = {"alpha": (0.02, 0.5), "window": (5, 10), "k": (1, 2)}
    assert document["at_edge"] == tuple(name for name, values in ends.items() if run.setting[name] in values)
    by_alpha = {a: min(one.tuning.rmse for one in each if one.setting["alpha"] == a) for a in (0.02, 0.1, 0.5)}
    assert {row[0]: row[1] for row in document["sensitivity"]} == pytest.approx(by_alpha)
    # The run itself is that of the setting: tuning draws from generators of its own.
    (same,) = compare(THREE, [Run("chained-sequential", run.setting, **asked)])
    assert same.last_half == found.last_half


def test_tuning_leaves_what_is_given():
    protocol = Protocol(step_sizes=(0.5, 0.1))
    run = tune(THREE, "gtd2", {"beta": 0.25}, protocol=protocol, steps=50, tuning_seeds=2)
    assert run.setting["beta"] == 0.25
    assert run.tuning.settings == 2
    assert tune(THREE, "td-lambda", {}, protocol=protocol, steps=50, tuning_seeds=2).setting["lambda_"] == 0.5


def test_a_run_begins_where_it_is_told_to():
    """Every head and every seed at θ = (1, 1/2, −2): the first error is that of these values."""
    theta = (Fraction(1), Fraction(1, 2), Fraction(-2))
    v = target_values(THREE)
    for learner, setting in {"off-policy-td": {}, "chained-sequential": {"window": 5, "k": 2}}.items():
        found = learn(THREE, Run(learner, {"alpha": 0.01, **setting}, heads=2, steps=20, seeds=3, start=theta))
        first = np.sqrt(np.square(THREE.Phi @ np.array(theta, dtype=float) - v).mean())
        assert found.rmse[0] == pytest.approx(first, rel=1e-14)
        assert found.run.config["start"] == ["1", "1/2", "-2"]
        assert "scale" not in found.run.config
    with pytest.raises(InvalidProblem, match=r"^start: td has 3 parameters here, got 2 numbers$"):
        learn(THREE, Run("td", {"alpha": 0.01}, steps=20, start=(1, 2)))


def test_a_run_begins_in_the_states_in_which_episodes_do():
    """The problem begins in its first and last state, and d_μ holds all three."""
    drawn = draw_transitions(np.random.default_rng(0), ending(), 1, 200)
    assert set(drawn.all().state[:, 0].tolist()) == {0, 2}


@pytest.mark.parametrize("start", [None, (0.5, -2.0)])
@pytest.mark.parametrize(
    "rule", [OffPolicyTD(0.9, 0.05), GTD2(0.9, 0.05, 0.1), NStep(0.9, 0.05, 2)], ids=lambda r: r.name
)
def test_the_exact_error_is_that_of_all_paths_from_the_start(rule, start):
    """Three moves enumerated, from the states where episodes begin; without a start from two-point draws ±σ, which
    have the normal's first and second moments, and no others are asked."""
    problem = ending("9/10")
    view = View(problem, exact=False)
    steps, v = list(behaviour_steps(view)), target_values(problem)
    begins = [np.array(start)] if start is not None else [3.0 * np.array(x) for x in product((1, -1), repeat=2)]
    ahead = [(p, s, rule.init(theta)) for s, p in enumerate(problem.mdp.start.astype(float)) for theta in begins]
    squares = []
    for _ in range(4):
        total = sum(p * np.square(rule.value(state, problem.Phi) - v).mean() for p, _, state in ahead)
        squares.append(total / len(begins))
        ahead = [
            (p * step.probability, step.next_place[0], rule.update(state, step.seen))
            for p, s, state in ahead
            for step in steps
            if step.place == (s,) and p > 0
        ]
    given = None if start is None else np.array(start)
    assert exact_curve(rule, problem, np.arange(4), 3.0, start=given).square == pytest.approx(squares, rel=1e-10)
