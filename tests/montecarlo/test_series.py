"""The power series decides ρ(f gᵀ + R) < 1 as eigenvalues do, and says nothing where it cannot know."""

import numpy as np
import pytest

from theory.montecarlo.dense import NO, OPEN, YES
from theory.montecarlo.series import TERMS, series_verdict, winding


def verdict(W, f, g, error=0.0):
    F = len(W)
    room = np.empty((F, F)), np.empty((F, F)), np.empty(F), np.empty(F), np.empty(TERMS)
    return series_verdict(np.ascontiguousarray(W), error, f, g, *room)


def random_case(rng, F, rest):
    """f gᵀ of trace about one, and a rest with ‖R‖_F = `rest`."""
    f, g, R = rng.normal(size=F), rng.normal(size=F), rng.normal(size=(F, F))
    g += f * (1 - f @ g) / (f @ f)
    f *= rng.uniform(0.7, 1.3)
    return np.outer(f, g) + R * rest / np.linalg.norm(R), f, g


@pytest.mark.parametrize("rest", [0.05, 0.6, 1.2])
def test_it_is_right_on_both_sides(rest):
    rng, seen = np.random.default_rng(1), {YES: 0, NO: 0, OPEN: 0}
    for _ in range(300):
        W, f, g = random_case(rng, int(rng.integers(1, 9)), rest)
        rho = np.abs(np.linalg.eigvals(W)).max()
        found = verdict(W, f, g)
        seen[found] += 1
        if found != OPEN and abs(rho - 1) > 1e-9:
            assert found == (YES if rho < 1 else NO)
    assert seen[YES] > 50
    assert seen[NO] > 50


def test_a_rest_of_norm_above_one_is_allowed_if_its_square_is_small():
    R = np.array([[0.0, 3.0], [0.0, 0.0]])
    for c, side in ((0.1, YES), (0.4, NO)):  # f gᵀ = c e₂e₁ᵀ: eigenvalues ±√(3c)
        f, g = np.array([0.0, 1.0]), np.array([c, 0.0])
        assert verdict(np.outer(f, g) + R, f, g) == side
    assert verdict(np.eye(2) * 0.95 + R, np.zeros(2), np.zeros(2)) == OPEN


@pytest.mark.parametrize(("c", "side"), [([0, -1.5], NO), ([0, -0.5], YES), ([0.9, -0.95], YES), ([0.9, -1.05], NO)])
def test_complex_zeros_are_counted(c, side):
    """1 − c₀w − c₁w²: the product of its zeros is −1/c₁."""
    zeros = np.roots([-c[1], -c[0], 1])
    assert (np.abs(zeros).min() <= 1) == (side == NO)
    assert winding(np.array(c, dtype=float), 2, 0.0) == side


def test_nothing_is_said_within_the_error():
    c = np.array([0.5, 0.49])  # h(1) = .01, and nowhere on the circle is |h| smaller
    assert winding(c, 2, 0.009) == YES
    assert winding(c, 2, 0.011) == OPEN
    assert winding(np.array([0.0, -1.0]), 2, 0.0) == OPEN  # zeros ±i
    one = np.ones(1)
    for rho, error in ((0.99, 0.011), (1.01, 0.011), (1.0, 0.0)):
        assert verdict(np.array([[rho]]), one, rho * one, error) == OPEN
    assert verdict(np.array([[0.99]]), one, 0.99 * one, 0.009) == YES
