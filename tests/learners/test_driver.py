"""The rule is the specification: every learner's compiled step is its plain rule, on the same moves.

What is tried is read off the rules' own declarations, so a learner that is added is tried, too.
"""

from itertools import cycle, islice, product

import numpy as np
import pytest

from tests.learners.cases import PROBLEMS, ending
from tests.learners.plain import dyadic, expected, sampled, starts
from theory.learners.driver import run_bulk
from theory.learners.families import learners
from theory.learners.streams import Initials
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import Transitions

K = 4
# Values of the columns beside α; every learner takes as many settings as the longest of its lists has.
VALUES = {"beta": [0.5, 0.25], "lambda_": [0.5, 0.0, 1.0], "n": [1, 3, 2], "window": [1, 2, 3, 2], "k": [2, 1, 0, 4]}
VALUES["epsilon"] = [0.5, 0.25]
# lstd has no step; its own test is below.
STEPPED = [name for name, rule in learners().items() if "alpha" in rule.columns]


def settings_of(rule):
    lists = {name: VALUES[name] for name in rule.columns if name != "alpha"}
    size = max(map(len, lists.values()), default=1)
    columns = [list(islice(cycle(values), size)) for values in lists.values()]
    return [dict(zip(lists, row, strict=True)) for row in zip(*columns, strict=True)] or [{}]


def options_of(rule):
    """All combinations of the rule's variants; numbers as they are and doubled. Arithmetic has its own tests."""
    own = {name: choice for name, choice in rule.options().items() if name not in rule.arithmetic}
    choices = [
        c.words or ((True, False) if isinstance(c.default, bool) else (float(c.default), 2.0 * c.default))
        for c in own.values()
    ]
    return [dict(zip(own, row, strict=True)) for row in product(*choices)]


def each_case(learner):
    rule = learners()[learner]
    return [(setting, options) for options in options_of(rule) for setting in settings_of(rule)]


def start_of(learner, problem, seeds, **kind):
    return starts(learner, problem, seeds, K, auxiliary="w" in learners()[learner].parameters, **kind)


@pytest.mark.parametrize("learner", STEPPED)
def test_step_is_the_plain_rule_bit_for_bit_on_dyadic_numbers(learner):
    """In so few moves no double is rounded, so both must give the same rationals: the sums over the last half of an
    odd and an even number of steps, the last error, and the error at every checkpoint."""
    problem = dyadic()
    initials = start_of(learner, problem, 2, integer=True)
    for setting, options in each_case(learner):
        if options.get("normalise"):
            continue  # roots are not rational
        for steps in (1, 2, 5) if learners()[learner].action_values or "c_bar" in options else (1, 2, 5, 6):
            transitions, marks = sampled(problem, steps + learners()[learner].action_values, 2), range(steps + 1)
            settings = {"alpha": np.array([1.0, 0.5]), **setting}
            result = run_bulk(learner, problem, settings, transitions, initials, options=options, marks=marks)
            for i, alpha in enumerate(settings["alpha"]):
                for seed in range(2):
                    each = {"alpha": alpha, **setting}
                    truth = expected(learner, problem, each, transitions, seed, initials, options, marks, K, exact=True)
                    case = (setting, options, steps)
                    assert result.mean_square[i, seed] == float(truth.mean_square), case
                    assert result.final[i, seed] == float(truth.final), case
                    assert result.curve[i, seed].tolist() == [float(x) for x in truth.curve], case
                    assert result.passed[i, seed] == truth.passed, case


@pytest.mark.parametrize("problem", [PROBLEMS[0], catalogue_problem("threestate"), ending()], ids=lambda p: p.name)
@pytest.mark.parametrize("learner", STEPPED)
def test_step_is_the_plain_rule_to_rounding_on_long_runs(problem, learner):
    """150 moves with a step size at which nothing grows much: each move rounds a few dozen numbers, 150·50·2⁻⁵³ is
    1e−12, and 1e−10 leaves room for growth by 100. An index or ratio out of place is wrong in the first digit."""
    rule = learners()[learner]
    transitions, initials = sampled(problem, 151, 1), start_of(learner, problem, 1)
    marks = [0, 1, 50, 76, 150]
    for setting, options in each_case(learner):
        tame = 0.1 if setting.get("lambda_") == 1.0 or getattr(rule, "emphatic", False) else 1.0
        each = {"alpha": 0.02 * tame, **setting} | ({"beta": setting["beta"] / 10} if "beta" in setting else {})
        result = run_bulk(learner, problem, each, transitions, initials, options=options, marks=marks)
        truth = expected(learner, problem, each, transitions, 0, initials, options, marks, K)
        assert result.mean_square[0, 0] == pytest.approx(truth.mean_square, rel=1e-10), (setting, options)
        assert result.final[0, 0] == pytest.approx(truth.final, rel=1e-10), (setting, options)
        assert result.curve[0, 0] == pytest.approx(np.array(truth.curve), rel=1e-10), (setting, options)


@pytest.mark.parametrize("learner", STEPPED)
def test_steps_know_discounts_of_single_states(learner):
    problem, rule = ending("9/10", discount=["1", "1/2", "0"]), learners()[learner]
    transitions, initials = sampled(problem, 41, 1), start_of(learner, problem, 1)
    setting = {"alpha": 0.01, **settings_of(rule)[-1]}
    result = run_bulk(learner, problem, setting, transitions, initials, marks=[40])
    truth = expected(learner, problem, setting, transitions, 0, initials, None, [40], K)
    assert result.final[0, 0] == pytest.approx(truth.final, rel=1e-10)


@pytest.mark.parametrize("order", ["jacobi", "in-place"])
def test_normalised_steps_stand_still_in_a_state_without_features(order):
    problem = PROBLEMS[0].with_features([[1, 0], [0, 0], [-1, 1]])
    options = {"order": order, "normalise": True}
    transitions, initials = sampled(problem, 60, 1), starts("chained-concurrent", problem, 1, K)
    for k in (0, 3):
        each = {"alpha": 0.1, "k": k}
        result = run_bulk("chained-concurrent", problem, each, transitions, initials, options=options)
        truth = expected("chained-concurrent", problem, each, transitions, 0, initials, options, (), K)
        assert result.mean_square[0, 0] == pytest.approx(truth.mean_square, rel=1e-10)


@pytest.mark.parametrize("learner", learners())
def test_driver_runs_the_rule_itself_as_it_runs_the_step(learner):
    """The slow road, which every learner can take, reports what the plain loop of these tests does; so does the other,
    by the tests above. Marks at the start, on either side of half of an odd number of moves, and at the end."""
    rule, problem = learners()[learner], ending("9/10")
    transitions, initials = sampled(problem, 31 + rule.action_values, 2), start_of(learner, problem, 2)
    marks, options = [0, 15, 16, 31], {} if rule.step is None else {"space": "parameters"}
    settings = {name: VALUES[name] for name in settings_of(rule)[0]} | {"alpha": 0.02}
    each = {name: np.resize(settings[name], 2) for name in rule.columns if name in settings}
    result = run_bulk(learner, problem, each, transitions, initials, options=options, marks=marks)
    for i, seed in ((0, 0), (result.mean_square.shape[0] - 1, 1)):
        setting = {name: column[i].item() for name, column in each.items()}
        truth = expected(learner, problem, setting, transitions, seed, initials, {}, marks, K)
        assert result.final[i, seed] == pytest.approx(truth.final, rel=1e-12)
        assert result.curve[i, seed] == pytest.approx(np.array(truth.curve), rel=1e-12)
        if rule.reads is None:
            assert result.mean_square[i, seed] == pytest.approx(truth.mean_square, rel=1e-12)
            assert result.passed[i, seed] == truth.passed


def test_a_checkpoint_at_the_last_move_counts_nothing_twice():
    """Found by comparing with the driver before this one: what was held was added at the checkpoint and at the end."""
    problem = catalogue_problem("baird")
    transitions, initials = sampled(problem, 50, 2), starts("off-policy-td", problem, 2, 0)
    plain, marked = (
        run_bulk("off-policy-td", problem, {"alpha": 0.01}, transitions, initials, marks=marks).mean_square
        for marks in ((), (50, 50))
    )
    assert np.array_equal(plain, marked)


def test_no_ratio_but_zero_keeps_the_start():
    """A stream in which the target never acts: the error of the start is the error of the whole half."""
    problem = dyadic()
    drawn = sampled(problem, 400, 1)
    quiet = np.flatnonzero(drawn.seed(0).ratio == 0)
    still = Transitions(drawn.drawn[:, quiet], drawn.possible)
    initials = starts("off-policy-td", problem, 1, 0, integer=True)
    error = np.square(problem.Phi @ initials.theta[0, 0] - np.array([3.0, 2.0])).mean()
    for learner, extra in {"off-policy-td": {}, "etd": {}, "gtd2": {"beta": 0.5}, "n-step": {"n": 2}}.items():
        result = run_bulk(learner, problem, {"alpha": 0.5, **extra}, still, initials)
        assert result.mean_square[0, 0] == result.final[0, 0] == error, learner


def test_divergence_is_a_result():
    """Off-policy TD on Baird's problem: infinite, with the move after which it never came back, and no NaN."""
    problem = catalogue_problem("baird")
    transitions, initials = sampled(problem, 4000, 3), starts("off-policy-td", problem, 3, 0)
    alphas = np.array([0.5, 0.1, 1e-4])
    result = run_bulk("off-policy-td", problem, {"alpha": alphas}, transitions, initials, marks=[0, 2000, 4000])
    assert np.all(result.mean_square[0] == np.inf)
    assert np.all(result.final[0] == np.inf)
    assert not np.isnan(result.mean_square).any()
    assert not np.isnan(result.curve).any()
    assert np.all(np.isfinite(result.curve[:, :, 0]))
    assert np.all(result.diverged[0])
    assert not np.any(result.diverged[2])
    assert np.all((result.passed[0] > 0) & (result.passed[0] < 4000))
    assert np.all(result.passed[2] == -1)
    assert result.best() == 2
    # The step is where the plain rule's error passes, which happens long before anything overflows.
    truth = expected("off-policy-td", problem, {"alpha": 0.5}, sampled(problem, int(result.passed[0, 0]) + 20, 3), 0,
                     initials)  # fmt: skip
    assert truth.passed == result.passed[0, 0]


def test_lost_settings_do_not_disturb_their_neighbours():
    """Retiring swaps lanes: results must not depend on which settings share a block, nor on the checkpoints."""
    problem = catalogue_problem("baird-reward")
    transitions, initials = sampled(problem, 3000, 2), starts("gtd2", problem, 2, 0)
    rng = np.random.default_rng(2)
    alpha, beta = rng.choice([1.5, 0.5, 0.05, 0.01, 0.002], 200), rng.choice([1.5, 0.4, 0.05, 0.01], 200)
    for learner in ("gtd2", "tdc"):
        full = run_bulk(
            learner, problem, {"alpha": alpha, "beta": beta}, transitions, initials, marks=[0, 64, 999, 3000]
        )
        assert 0 < np.isinf(full.mean_square).sum() < full.mean_square.size
        for i in (0, 57, 199):
            alone = run_bulk(learner, problem, full.setting(i), transitions, initials)
            assert np.array_equal(alone.mean_square[0], full.mean_square[i])
            assert np.array_equal(alone.final[0], full.final[i])
            assert np.array_equal(alone.passed[0], full.passed[i])
    # After the last move the curve is the final error.
    assert full.curve[:, :, -1] == pytest.approx(full.final, rel=1e-12)


def test_errors_below_notice_become_zero_not_denormal():
    """Baird without rewards and a hot chain decays without end; the final error is 0, and no square is denormal."""
    problem = catalogue_problem("baird:gamma=1/2")
    transitions, initials = sampled(problem, 60_000, 1), starts("off-policy-td", problem, 1, 0)
    result = run_bulk("off-policy-td", problem, {"alpha": 0.05}, transitions, initials)
    assert result.final[0, 0] == 0


@pytest.mark.parametrize("problem", [PROBLEMS[0], ending("9/10", discount=["1", "1/2", "0"])], ids=lambda p: p.name)
def test_lstd_in_bulk_solves_what_the_rule_sums(problem):
    transitions, initials = sampled(problem, 300, 2), starts("lstd", problem, 2, 0)
    marks = [50, 150, 300]
    result = run_bulk("lstd", problem, {"epsilon": [0.0, 0.5]}, transitions, initials, marks=marks)
    for i, epsilon in enumerate([0.0, 0.5]):
        truth = expected("lstd", problem, {"epsilon": epsilon}, transitions, 1, initials, None, marks)
        # Solves with a condition number below 1e4 on both sides.
        assert result.curve[i, 1] == pytest.approx(np.array(truth.curve), rel=1e-9)
        assert result.mean_square[i, 1] == pytest.approx(truth.mean_square, rel=0.05)  # 100 of 150 prefixes


def test_averaged_prediction_is_the_mean_over_seeds():
    problem = PROBLEMS[0]
    transitions, initials = sampled(problem, 40, 3), starts("off-policy-td", problem, 3, 0)
    marks = range(41)
    result = run_bulk("off-policy-td", problem, {"alpha": 0.02}, transitions, initials, marks=marks)
    each = [
        run_bulk("off-policy-td", problem, {"alpha": 0.02}, transitions[i : i + 1], Initials(initials.theta[i : i + 1]),
                 marks=marks).mean_error
        for i in range(3)
    ]  # fmt: skip
    assert result.mean_error == pytest.approx(np.mean(each, axis=0), rel=1e-12)


def test_averaged_prediction_of_many_settings_is_that_of_each_alone():
    """More settings than fit one block, and heads of a chain, one step size at a time."""
    problem = PROBLEMS[0]
    transitions, marks = sampled(problem, 30, 2), [10, 30]
    grids = {
        "off-policy-td": {"alpha": np.linspace(0.001, 0.05, 400)},
        "chained-concurrent": {"alpha": [0.02, 0.05], "k": [1, 2]},
    }
    for learner, setting in grids.items():
        initials = starts(learner, problem, 2, K)
        together = run_bulk(learner, problem, setting, transitions, initials, marks=marks).mean_error
        for i in (0, -1):
            one = {name: values[i] for name, values in setting.items()}
            alone = run_bulk(learner, problem, one, transitions, initials, marks=marks).mean_error
            assert np.isfinite(alone).all()
            np.testing.assert_allclose(together[i], alone[0], rtol=1e-12)


def test_seeds_and_settings_do_not_see_each_other():
    problem = catalogue_problem("threestate")
    transitions, initials = sampled(problem, 200, 3), starts("chained-sequential", problem, 3, K)
    setting = {"alpha": [0.1, 0.05, 0.1], "window": [5, 7, 7], "k": [1, 4, 2]}
    full = run_bulk("chained-sequential", problem, setting, transitions, initials)
    for seed in range(3):
        for i in range(3):
            alone = run_bulk("chained-sequential", problem, full.setting(i), transitions[seed : seed + 1],
                             Initials(initials.theta[seed : seed + 1]))  # fmt: skip
            assert alone.mean_square[0, 0] == full.mean_square[i, seed]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"learner": "q-learning"}, "learner: 'q-learning' is unknown; there are etd, gtd2"),
        ({"settings": {"alpha": [0.1, -1]}}, r"settings.alpha\[1\]: must be positive and finite, got -1"),
        ({"settings": {"alpha": 0.1, "beta": 1}}, "settings: td has no setting 'beta'; it has alpha"),
        ({"settings": {}}, "settings: td needs alpha"),
        ({"learner": "chained-sequential", "settings": {"alpha": 1, "window": 0}}, r"settings.window\[0\]: must be an"),
        ({"learner": "chained-concurrent", "settings": {"alpha": 1, "k": 9}}, r"settings.k\[0\]: head 9 does not"),
        ({"learner": "td-lambda", "settings": {"alpha": 1, "lambda_": 2}}, r"settings.lambda_\[0\]: must lie in"),
        ({"learner": "target-network", "settings": {"alpha": 1, "window": 2}}, "1 head, target-network has 2"),
        ({"marks": [5, 3]}, "marks: checkpoints must rise"),
        ({"learner": "chained-q"}, "initials: has 2 parameters a head, chained-q has 4"),
    ],
)  # fmt: skip
def test_bad_settings_get_their_line(change, complaint):
    problem = PROBLEMS[0]
    given = {"learner": "td", "settings": {"alpha": 0.1}, "marks": ()} | change
    initials = starts("td", problem, 2, 0)
    transitions = sampled(problem, 10, 2)
    with pytest.raises(InvalidProblem, match=complaint):
        run_bulk(given["learner"], problem, given["settings"], transitions, initials, marks=given["marks"])


@pytest.mark.parametrize(
    ("learner", "options", "complaint"),
    [
        ("td", {"space": "half"}, "space: must be one of values, parameters, got 'half'"),
        ("td", {"after": "stop"}, "td has no variant 'after'; it has space"),
        ("lstd", {"space": "values"}, "lstd has no variant 'space'; it has none"),
        ("gtd2", {"reading": "2010"}, "reading: must be one of textbook, 2009, plain-first, got '2010'"),
    ],
)
def test_options_get_their_line(learner, options, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        learners()[learner].check_options(options)
