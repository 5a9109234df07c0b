"""Verdicts of methods against simulations of their expected updates, and fixed points against other routes."""

import numpy as np
import pytest

from tests.mean_updates import emphatic_values
from tests.methods.test_methods import SMALL, converges, each_problem, every_method
from theory.budgets import EXACT_STATES
from theory.certified.answers import Answer
from theory.exact.matrices import fraction, rational
from theory.linear.spectra import step_sizes
from theory.methods.family import find_method
from theory.methods.outcome import best_error, fixed_point_of, outcome, rate, true_values
from theory.model.linear_model import exact_model, float_model
from theory.model.points import chain_heads, target_values, td_fixed_point
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem


@each_problem
def test_every_verdict_is_that_of_a_root_count_and_rechecks(problem):
    model = exact_model(problem)
    for method in every_method(model):
        found = outcome(method, problem, model)
        assert found.holds == Answer.of(converges(method, problem)), method.name
        if found.verdict is not None:
            assert found.verdict.certificate.recheck()


@pytest.mark.parametrize("problem", SMALL[::3], ids=lambda p: p.name)
def test_simulated_expected_updates_do_what_the_verdict_says(problem):
    """From 2¹⁶ updates at once: the error vanishes where it converges and does not where it diverges.

    Within 10⁻³ of the boundary, ties included, that would take more updates.
    """
    model = float_model(problem)
    for method in every_method(model):
        kind, M, _ = method.expected(model)
        if kind == "direct" or not M.size:
            continue
        holds, step = outcome(method, problem).holds, M
        if kind == "mean":
            eigenvalues = np.linalg.eigvals(M)
            if abs(eigenvalues.real.min()) < 1e-9:
                continue  # a tie, or as good as one: floats may see it on either side
            alpha = step_sizes(eigenvalues).best if eigenvalues.real.min() > 0 else 1 / (1 + np.abs(M).sum())
            step = np.eye(len(M)) - alpha * M
        if abs(np.abs(np.linalg.eigvals(step)).max() - 1) < 1e-3:
            continue
        size = 0.0
        for _ in range(16):
            step = step @ step
            norm = np.abs(step).max()
            if norm > 1e100:
                size = np.inf
                break
            size = norm
        assert (size < 1e-3) == (holds is Answer.YES), method.name
        assert (size > 1e3) == (holds is Answer.NO), method.name


@each_problem
def test_rest_points_are_those_of_the_other_rooms(problem):
    model = exact_model(problem)
    v_pi = true_values(model)

    def values(text):
        return fixed_point_of(find_method(text), model, v_pi)

    ahead = {"n-step-td:3": td_fixed_point(problem.in_steps_of(3))} if problem.is_exact else {}
    for text, known in {"td": td_fixed_point(problem), **ahead}.items():
        found = values(text)
        assert (found.theta is not None) == known.unique_values
        if found.theta is not None:
            assert all(x == y for x, y in zip(found.theta, known.theta.entries(), strict=True))
            assert all(x == y for x, y in zip(found.values, known.values.entries(), strict=True))
    horizon = chain_heads(exact_model(problem), 4, "zero")[-1]
    assert all(x == y for x, y in zip(values("fixed-horizon:4").theta, horizon.entries(), strict=True))
    if not problem.d_mu.all():
        assert "never visited" in values("etd").note
        return
    emphatic = as_doubles(values("etd").values)
    assert np.abs(emphatic - emphatic_values(problem)).max() <= 1e-8 * (1 + np.abs(emphatic).max())


@each_problem
def test_no_rest_point_beats_the_best(problem):
    model = exact_model(problem)
    v_pi = true_values(model)
    best = best_error(model, v_pi)
    for method in every_method(model):
        error = fixed_point_of(method, model, v_pi).error
        assert error is None or (error.uniform >= best.uniform * (1 - 1e-12) and error.d_mu >= best.d_mu * (1 - 1e-12))
    v, root = target_values(problem), np.sqrt(problem.d_mu)
    for weights, found in ((np.full(len(v), len(v) ** -0.5), best.uniform), (root, best.d_mu)):
        theta = np.linalg.lstsq(weights[:, None] * problem.Phi, weights * v, rcond=None)[0]
        expected = np.linalg.norm(weights * (problem.Phi @ theta - v))
        assert abs(found - expected) <= 1e-8 * (1 + np.abs(v).max())


def test_floats_rest_where_exact_numbers_do():
    problem = catalogue_problem("threestate")
    models = exact_model(problem), float_model(problem)
    for method in every_method(models[0]):
        exact, floats = (fixed_point_of(method, g, true_values(g)) for g in models)
        exact_values = as_doubles(exact.values)
        assert np.abs(exact_values - floats.values).max() < 1e-8 * (1 + np.abs(exact_values).max())


def as_doubles(array):
    return np.array([float(fraction(rational(x))) for x in array])


def test_a_large_problem_is_undecided_with_its_reason_except_where_the_ladder_has_its_own_question():
    S = EXACT_STATES + 1
    ring = Problem.from_matrices(
        "1/2", Phi=[[1 + i % 3] for i in range(S)], P_pi=np.roll(np.eye(S, dtype=int), 1, axis=1), d_mu=[f"1/{S}"] * S
    )
    assert outcome(find_method("etd"), ring).holds == Answer.UNDECIDED
    assert f"{S} states" in outcome(find_method("etd"), ring).reason
    assert outcome(find_method("td"), ring).holds == Answer.YES


def test_rates_have_their_reasons():
    model = float_model(catalogue_problem("baird"))
    assert rate(find_method("lstd"), model) == (None, "solved at once")
    assert rate(find_method("td"), model) == (None, "no step size converges, in floats")
    assert rate(find_method("td"), None) == (None, "beyond double precision")
    assert abs(rate(find_method("chain"), model)[0] - 0.9) < 1e-12
