"""The panel about noise: its numbers against single settings, its words, and what sampled runs are told."""

import re
from fractions import Fraction

import numpy as np
import pytest

from theory.explorer import noise_panel, panels
from theory.explorer.view import open_view
from theory.learners.families import find_learner
from theory.noise.curves import exact_curve
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem


def opened(name, **changes):
    return open_view(catalogue_problem(name), name).change(**changes)


def test_a_step_size_that_is_too_large_in_mean_square_comes_with_one_that_is_not():
    assert opened("baird").alpha == Fraction(1, 2)  # that of theory compare
    assert "The chain's heads are stable at α = 1/32." in noise_panel.stability(opened("baird"))  # below 2/35
    for name in ("quadrant-stable-biased", "garnet", "random"):
        (found,) = re.findall(r"stable at α = ([\d/]+)\.", noise_panel.stability(opened(name)))
        said = noise_panel.stability(opened(name, alpha=Fraction(found)))
        assert "the chain" in said.partition("Stable in mean square:")[2].split(".")[0]


def test_the_panel_says_the_exact_error_of_each_learner_at_the_sliders_step_size():
    view = opened("twostate-reward", gamma=Fraction(1, 2), alpha=Fraction(1, 8), heads=2)
    said = panels.panel(view, "Noise")
    for name, learner, setting in (("TD", "td", {}), ("TDC, β = α", "tdc", {"beta": 0.125})):
        rule = find_learner(learner).of(view.problem.gamma, {"alpha": 0.125, **setting})
        last = np.sqrt(exact_curve(rule, view.problem, np.array([noise_panel.MOVES]), 100).last_half)
        assert f"{name} {last:.4g} (stable in mean square" in said
    rule = find_learner("chained-concurrent").of(view.problem.gamma, {"alpha": 0.125}, 2)
    last = np.sqrt(exact_curve(rule, view.problem, np.array([noise_panel.MOVES]), 100).last_half)
    assert f"chain, head 2 {last:.4g} (stable in mean square" in said
    assert said.count('role="img"') == 2


@pytest.mark.parametrize(("alpha", "stable"), [("1/4", True), ("1/2", False)])
def test_what_is_not_stable_in_mean_square_is_said_so(alpha, stable):
    """Twostate's heads bear α < 5/17; at γ = 4/5 off-policy TD bears α < 1/5, and the target network little more."""
    view = opened("twostate", gamma=Fraction(4, 5), alpha=Fraction(alpha), heads=3)
    words = noise_panel.stability(view)
    assert "off-policy TD (ρ₂ = " in words
    assert ("the chain (ρ₂ = " in words) is not stable
    assert "the target network (ρ₂ = " in words
    assert ("Stable in mean square: the chain." in words) is stable
    told = panels.panel(view, "Noise")
    assert f"({'stable' if stable else 'NOT stable'} in mean square" in told.split("chain, head 3")[1]


def test_more_heads_than_can_be_shown_and_problems_that_are_too_large_are_said_in_words():
    assert "k = 32 is shown" in panels.panel(opened("twostate", heads=64), "Noise")
    many = panels.panel(opened("garnet"), "Noise")
    assert "too many moments" in many
    words = noise_panel.stability(opened("garnet", alpha=Fraction(1, 4096)))
    assert "Stable in mean square: " in words
    unknown = "NOT KNOWN whether this step size is stable in mean square: "
    assert f"{unknown}the target network (4,080 second moments" in words
    words = noise_panel.stability(opened("garnet:states=60,features=50"))
    assert words.startswith(f"{unknown}off-policy TD (")
    plain = Problem.from_matrices("9/10", Phi=[[1], [2]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"], r_pi=[1, 0])
    assert "one was built for it" in panels.panel(open_view(plain), "Noise")
