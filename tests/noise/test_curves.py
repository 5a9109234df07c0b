"""Exact errors along a run: by squaring as by stepping, and what samples scatter around."""

import json

import numpy as np
import pytest

from tests.command_line import run
from tests.learners.cases import noisy
from tests.learners.stated_means import all_transitions
from tests.noise.stepping import error_curve, last_half
from theory.experiments.learning import Run, learn, with_exact
from theory.learners.corrected import ChainedQ, ChainedRetrace
from theory.learners.families import find_learner
from theory.learners.traces import TDLambda
from theory.learners.transition import View
from theory.model.linear_model import moments
from theory.noise.curves import exact_curve, window_curve, without_trace
from theory.noise.errors import error_chain
from theory.noise.moments import Moments
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import enumerate_transitions
from theory.problems.sources import find_problem

MARKS = np.array([0, 7, 64, 301])
CASES = [
    ("td", {"alpha": 0.05}),
    ("off-policy-td", {"alpha": 0.01}),
    ("gtd2", {"alpha": 0.05, "beta": 0.1}),
    ("soft-target", {"alpha": 0.05}),
    ("target-network", {"alpha": 0.05, "window": 4}),
]


@pytest.mark.parametrize("weighting", ["uniform", "d_mu"])
@pytest.mark.parametrize(("name", "setting"), CASES, ids=[name for name, _ in CASES])
def test_squaring_is_stepping(name, setting, weighting):
    problem = find_problem("threestate")
    rule = find_learner(name).of(problem.gamma, setting)
    found = exact_curve(rule, problem, MARKS, 10.0, weighting)
    stepped = error_curve(error_chain(rule, problem, exact=False).measured(weighting, problem), 301, 10)
    assert found.square == pytest.approx(stepped[MARKS], rel=1e-9)
    assert found.last_half == pytest.approx(last_half(stepped), rel=1e-9)


@pytest.mark.parametrize("after", ["wrap", "stop"])
@pytest.mark.parametrize("k", [1, 2])
def test_windows_are_the_chain_of_all_heads(after, k):
    problem = find_problem("twostate")
    rule = find_learner("chained-sequential").of(
        problem.gamma, {"alpha": 0.05, "window": 3, "k": k}, 2, {"after": after}
    )
    long, short = exact_curve(rule, problem, MARKS, 10.0, "d_mu"), window_curve(rule, problem, MARKS, 10.0, "d_mu")
    assert short.square == pytest.approx(long.square, rel=1e-9)
    assert short.last_half == pytest.approx(long.last_half, rel=1e-9)
    assert short.deviation == pytest.approx(long.deviation, rel=1e-7)


def test_many_heads_in_turns_take_a_moment():
    problem = catalogue_problem("threestate")
    rule = find_learner("chained-sequential").of(problem.gamma, {"alpha": 0.1, "window": 100}, 256)
    found = exact_curve(rule, problem, np.array([0, 30_000]), 100.0)
    assert found.last_half < found.square[0]
    assert (found.deviation > 0).all()
    assert found.reason is None


def test_the_start_has_gaussian_moments():
    """q = σ²‖Φξ‖²/S: mean σ² tr(ΦΦᵀ)/S, variance 2σ⁴ tr((ΦΦᵀ)²)/S², where v_π = 0."""
    problem = catalogue_problem("baird")
    found = exact_curve(find_learner("td").of(0.9, {"alpha": 0.1}), problem, np.array([0, 1]), 3.0)
    G = problem.Phi @ problem.Phi.T / 7
    assert found.square[0] == pytest.approx(9 * np.trace(G))
    assert found.deviation[0] == pytest.approx(9 * np.sqrt(2 * np.trace(G @ G)))


def test_fourth_moments_up_to_exchange_of_states_are_all_of_them():
    """Baird: 2,310 of TD, 77 up to exchange."""
    problem = catalogue_problem("baird-reward")
    rule = find_learner("td").of(problem.gamma, {"alpha": 0.02})
    found = exact_curve(rule, problem, np.array([0, 3]), 10.0, "d_mu")
    moments = Moments(error_chain(rule, problem, exact=False).measured("d_mu", problem))
    (L,), Y = moments.matrices(0.02, order=4), moments.start(10.0, 4)
    assert len(Y) == 2310
    fourth = moments.form(4) @ (L @ (L @ (L @ Y)))
    assert found.deviation[1] ** 2 == pytest.approx(fourth - found.square[1] ** 2, rel=1e-9)


def test_moments_too_many_for_a_matrix_are_stepped():
    problem = catalogue_problem("garnet:states=30,features=8")
    rule = find_learner("tdc").of(problem.gamma, {"alpha": 0.01, "beta": 0.01})
    found = exact_curve(rule, problem, np.array([0, 5]), 10.0)
    stepped = error_curve(error_chain(rule, problem, exact=False), 5, 10)
    assert found.square == pytest.approx(stepped[[0, 5]])
    assert found.last_half == pytest.approx(last_half(stepped))
    assert "fourth moments" in found.reason
    with pytest.raises(InvalidProblem, match="too long to step"):
        exact_curve(rule, problem, np.array([0, 10_000_000]), 10.0)


@pytest.mark.parametrize(("name", "setting"), CASES[:3], ids=[name for name, _ in CASES[:3]])
def test_samples_scatter_as_the_band_says(name, setting):
    problem = noisy()
    asked = Run(name, setting, steps=200, seeds=2000, points=4, scale=1.0, seed=5)
    result = with_exact(problem, learn(problem, asked))
    z = (result.rmse**2 - result.exact.square) / (result.exact.deviation / np.sqrt(asked.seeds))
    assert np.abs(z).max() < 4
    low, high = result.exact.band(asked.seeds)
    assert (low < result.exact.rmse).all()
    assert (result.exact.rmse < high).all()


@pytest.mark.parametrize(
    "traced", [TDLambda(0.9, 0.05, 0), ChainedQ(0.9, 0.05, 1, None, 0), ChainedRetrace(0.9, 0.05, 1, None, 0)]
)
def test_without_a_trace_every_update_is_that_of_a_learner_that_closes(traced):
    """Three moves from the same start."""
    plain, view = without_trace(traced), View(noisy(), action_values=traced.action_values, exact=False)
    begin = np.arange(1.0, 1 + view.n_features * traced.n_vectors(1))
    shape = begin if traced.n_vectors(1) == 1 else begin.reshape(2, -1)
    states = [rule.init(shape) for rule in (traced, plain)]
    for *_, move in [*all_transitions(view)][:3]:
        states = [rule.update(state, move) for rule, state in zip((traced, plain), states, strict=True)]
        assert states[0][0] == pytest.approx(states[1][0], rel=1e-14)


def test_divergence_is_infinite_not_an_error():
    problem = find_problem("twostate")
    found = exact_curve(
        find_learner("off-policy-td").of(problem.gamma, {"alpha": 2.0}), problem, np.array([0, 5000]), 1.0
    )
    assert found.square[-1] == np.inf
    assert found.last_half == np.inf


def test_the_command_shows_both(capsys):
    arguments = ["learn", "threestate", "--learner", "td", "--compare", "etd", "--step-size", "1/32", "--steps", "200"]
    code, out, err = run(capsys, *arguments, "--seeds", "4", "--exact", "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert len(document["exact"]["curve"]) == len(document["rmse"]["curve"])
    assert document["exact"]["curve"][0][2] < document["exact"]["curve"][0][1] < document["exact"]["curve"][0][3]
    assert document["compare"][0]["exact"] is None  # and the reason beside it, as everywhere
    assert "trace" in document["compare"][0]["reason"]
    assert "reason" not in document
    _, out, _ = run(capsys, *arguments, "--seeds", "4", "--exact", "--error", "pbe", "--json")
    assert len(json.loads(out)["exact"]["curve"]) == len(document["exact"]["curve"])


@pytest.mark.parametrize("name", ["threestate", "baird", "kolter", "random-walk:features=dependent"])
@pytest.mark.parametrize("exact", [True, False])
def test_projected_bellman_errors_are_those_of_all_moves(name, exact):
    """Before and after one move, by X⁺, A and b of given features and the list of all transitions."""
    problem = find_problem(name)
    m, theta, alpha = moments(problem), np.arange(1, problem.n_features + 1) / 3, 1 / 16
    X = np.linalg.pinv(m.X)

    def pbe(at):
        left = m.b - m.A @ at
        return left @ X @ left

    after = 0.0
    for move in enumerate_transitions(problem):
        phi, ahead = problem.Phi[move.state], problem.Phi[move.next_state]
        delta = float(move.reward) + problem.gamma * float(move.discount) * ahead @ theta - phi @ theta
        after += float(move.probability) * pbe(theta + alpha * float(move.ratio) * delta * phi)
    rule = find_learner("off-policy-td").of(problem.gamma, {"alpha": alpha})
    given = problem if exact else problem.with_features(problem.Phi)
    found = exact_curve(rule, given, np.array([0, 1]), 1.0, "pbe", theta)
    assert found.square == pytest.approx([pbe(theta), after], rel=1e-9, abs=1e-12)
