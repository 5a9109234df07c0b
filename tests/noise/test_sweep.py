"""Exact errors over step sizes: ends against the algebraic ones, errors against those of single settings."""

from fractions import Fraction

import numpy as np
import pytest

from theory.learners.sequential import TargetNetwork
from theory.noise.errors import step_maps
from theory.noise.mean_square import largest_step_size, square_maps
from theory.noise.moments import Moments, setting_moments
from theory.noise.runs import last_half
from theory.noise.stable_step_size import second_radii, stable_step_size
from theory.noise.sweep import closing_rule, setting_map, sweep
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem


@pytest.mark.parametrize("learner", ["td", "tdc", "chained-concurrent"])
def test_second_moments_end_where_they_exactly_do(learner):
    problem = catalogue_problem("twostate:gamma=1/2")
    rule = closing_rule(learner, problem)
    found = sweep(rule, problem, steps=1000)
    exact = float(largest_step_size(square_maps(rule, problem)).value)
    assert found.second == pytest.approx(exact, rel=1e-4)
    assert found.fourth < found.second  # heavy tails come first
    assert found.reason is None


def test_fourth_moments_of_one_feature_end_where_their_matrix_has_the_eigenvalue_one():
    """Twostate, head 1 and TD at γ = 1/2: moves to the second state multiply by 1 − 2α and 1 − 8α, others by 1."""
    problem = catalogue_problem("twostate:gamma=1/2")
    found = sweep(closing_rule("chained-concurrent", problem), problem, steps=100)

    def radius(alpha, order):
        a, b = (1 - 2 * alpha) ** order, (1 - 8 * alpha) ** order
        return np.abs(np.linalg.eigvals([[0.5, 0.5], [0.5 * a, 0.5 * b]])).max()

    assert radius(found.second, 2) == pytest.approx(1, abs=1e-4)
    assert radius(0.995 * found.fourth, 4) < 1 < radius(1.005 * found.fourth, 4)


def test_a_learner_that_no_step_size_suits_has_no_end():
    problem = catalogue_problem("threestate")
    found = sweep(closing_rule("off-policy-td", problem), problem, steps=1000)
    assert (found.second, found.fourth) == (None, None)
    assert found.rmse_below(found.alpha[3]) == found.rmse[3]


def test_a_map_has_the_errors_of_single_settings_and_the_end_of_ratio_one():
    problem = catalogue_problem("twostate-reward:gamma=1/2")
    rule = closing_rule("gtd2", problem)
    sizes = 2.0 ** np.arange(-6, 0)
    found = setting_map(rule, problem, sizes, 2.0, steps=500)  # rays from 1/8 on, an octave apart: one is of ratio 1
    one = np.sqrt(last_half(setting_moments(rule, problem), sizes[2:3], sizes[4:5], 500))
    assert found.rmse[4, 2] == pytest.approx(one[0], rel=1e-12)
    ray = sweep(rule, problem, sizes, steps=500)
    even = found.second[np.abs(found.second[:, 1] / found.second[:, 0] - 1).argmin()]
    assert even == pytest.approx([ray.second, ray.second], rel=1e-3)
    with pytest.raises(InvalidProblem, match="has one step size"):
        setting_map(closing_rule("td", problem), problem, sizes, 1.0)


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        ("gtd2", "twostate-reward:gamma=99/100"),
        ("tdc", "twostate-reward:gamma=1/2"),
        ("tdc", "twostate-reward:gamma=99/100"),
        ("tdrc", "twostate-reward:gamma=1/2"),
    ],
)
def test_lines_of_a_map_leave_it_on_both_sides_and_part_what_shrinks(learner, name):
    """At γ = .99 TDC has stable step sizes from some ratio β/α on alone: its lines go along that ray."""
    problem = catalogue_problem(name)
    rule = closing_rule(learner, problem)
    sizes = 2.0 ** np.arange(-10, 0)
    found, moments = setting_map(rule, problem, sizes, 2.0, steps=10), setting_moments(rule, problem)
    for order, line, off in ((2, found.second, 1.001), (4, found.fourth, 1.03)):
        alpha, beta = line.T
        assert alpha[0] < sizes[0]
        assert beta[-1] < sizes[0] or alpha[-1] > sizes[-1]
        on_rows, on_rays = (
            (moments.radius(alpha / off, beta / off**both, order) < 1)
            & (moments.radius(alpha * off, beta * off**both, order) > 1)
            for both in (0, 1)
        )
        assert np.all(on_rows | on_rays)


@pytest.mark.parametrize(("name", "limit"), [("baird", Fraction(2, 35)), ("twostate", Fraction(5, 17))])
def test_a_stable_step_size_is_below_the_exact_limit_and_twice_it_is_not(name, limit):
    """TD's own limit is larger on both."""
    found = stable_step_size(catalogue_problem(name), Fraction(1, 2))
    assert found < limit <= 2 * found


def test_many_moments_are_iterated():
    """A Garnet with 1,080 moments of a head: below the step size found ρ₂ < 1, at twice it no more."""
    problem = catalogue_problem("garnet")
    found = stable_step_size(problem, Fraction(4))
    maps = step_maps(closing_rule("chained-concurrent", problem), problem)
    for alpha, stable in ((found, True), (2 * found, False)):
        assert all(Moments(maps.vector(v)).radius(float(alpha))[0] < 1 for v in (0, 1)) is stable
    assert stable_step_size(catalogue_problem("garnet:states=60,features=16"), Fraction(1)) is None


def test_what_decides_a_step_size_or_why_it_is_not_known():
    known = second_radii(catalogue_problem("twostate:gamma=4/5"), 0.25, 5)
    assert known["the chain"] < 1 < known["off-policy TD"]
    network = setting_moments(TargetNetwork(Fraction(4, 5), 1, 5), catalogue_problem("twostate:gamma=4/5"))
    assert known["the target network"] == pytest.approx(network.radius(np.array([0.25]))[0], rel=1e-9)
    large = second_radii(catalogue_problem("garnet"), 0.1, 5)
    assert large["the chain"] > 1
    assert "too many" in large["the target network"]
    larger = second_radii(catalogue_problem("garnet:states=60,features=50"), 0.1, 5)
    assert all("too many" in why for why in larger.values())
    assert "too close to 1" in second_radii(catalogue_problem("twostate:gamma=1/2"), 0.5, 5)["off-policy TD"]
