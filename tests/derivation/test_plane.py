"""Curves are where verdicts change: certified verdicts beside them say so, and the shading in floats agrees."""

from fractions import Fraction

import numpy as np
import pytest

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.derivation.plane import plane_of_family, plane_of_problem
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import families
from theory.problems.sources import find_problem


def beside(plane, curve, i, side):
    """Both verdicts at a rational point just below or above the i-th point of a curve."""
    height = plane.window[1][1] - plane.window[1][0]
    near = Fraction(curve.x[i]).limit_denominator(10**9)
    point = {plane.over[0]: near, plane.over[1]: Fraction(curve.y[i]) + side * height / 10**4}
    problem = plane.forms.family.at(plane.fixed | point)
    return (td_stable(problem) if curve.side == "td" else chain_unbiased(problem)).proved


@pytest.mark.parametrize(
    "plane",
    [
        plane_of_problem(find_problem("twostate"), ("gamma", "phi[1,1]")),
        plane_of_problem(find_problem("baird"), ("gamma", "phi[7,8]")),
        plane_of_problem(find_problem("quadrant-unstable-biased"), ("phi[1,1]", "phi[2,1]")),
        plane_of_family(families()["twostate-family"].family, ("x", "p"), {}, Fraction(9, 10)),
    ],
    ids=["twostate", "baird", "two entries", "family"],
)
def test_certified_verdicts_beside_a_curve_are_those_it_claims(plane):
    curves = plane.curves()
    assert curves
    for curve in curves:
        if curve.x[0] == curve.x[-1]:
            continue  # an upright line
        for i in (len(curve.x) // 3, 2 * len(curve.x) // 3):
            assert beside(plane, curve, i, -1) is curve.below
            assert beside(plane, curve, i, +1) is curve.above


def test_the_shading_changes_where_the_curves_are():
    """Every change of the shading along a column of pixels has a curve within a pixel of it, and the other way."""
    plane = plane_of_problem(find_problem("twostate"), ("gamma", "phi[1,1]"))
    x, y, quadrant = plane.shading(60, 40)
    curves, pixel = plane.curves(), y[1] - y[0]
    for column, gamma in enumerate(x):
        changes = (y[1:] + y[:-1])[np.flatnonzero(np.diff(quadrant[:, column]))] / 2
        roots = [np.interp(gamma, c.x, c.y) for c in curves if c.x[0] <= gamma <= c.x[-1]]
        assert all(min(abs(change - root) for root in roots) <= pixel for change in changes)
        inside = [root for root in roots if y[0] < root < y[-1]]
        apart = [root for root in inside if all(abs(root - r) > 2 * pixel or r == root for r in inside)]
        assert all(min(abs(change - root) for change in changes) <= pixel for root in apart)


def test_a_wall_that_does_not_depend_on_the_second_letter_is_upright():
    """The second state's feature is φ·y under a factor that TD does not see: γ alone decides at 5/6."""
    twostate = find_problem("twostate").exact
    Phi = [[1, 0], [2, 0], [0, 1]]
    P = [[0, 1, 0], [0, 1, 0], [0, 0, 1]]
    problem = Problem.from_matrices("1/2", Phi=Phi, P_pi=P, d_mu=["1/4", "1/4", "1/2"])
    assert twostate.Phi.tolist() == [[1], [2]]
    plane = plane_of_problem(problem, ("gamma", "phi[3,2]"))
    curves = plane.curves()
    upright = [c for c in curves if c.x[0] == c.x[-1]]
    assert {c.side for c in upright} == {"td", "chain"}
    assert all(abs(c.x[0] - 5 / 6) < 1e-12 and c.below and not c.above for c in upright)
    low, high = min(c.y.min() for c in upright), max(c.y.max() for c in upright)
    assert (low, high) == (-4, 4)


@pytest.mark.parametrize(
    ("over", "words"),
    [
        (("gamma", "phi[1,2]"), "there is no phi"),
        (("gamma", "y"), "expected gamma or phi"),
        (("gamma", "gamma"), "two different letters"),
    ],
)
def test_letters_that_are_not_there_are_refused(over, words):
    with pytest.raises(InvalidProblem, match=words):
        plane_of_problem(find_problem("twostate"), over)


def test_floats_have_no_exact_curves():
    with pytest.raises(InvalidProblem, match="exact numbers"):
        plane_of_problem(find_problem("random"), ("gamma", "phi[1,1]"))
