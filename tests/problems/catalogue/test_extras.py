"""The workbench's own problems do what they are famous for."""

from fractions import Fraction

import numpy as np
import pytest

from tests.problems.catalogue.rational import chain_radius, key_matrix, moments, td_stable
from theory.problems.catalogue import catalogue_problem


@pytest.mark.parametrize(
    ("td", "chain"), [("stable", "unbiased"), ("unstable", "biased"), ("stable", "biased"), ("unstable", "unbiased")]
)
def test_quadrants_are_what_they_are_called(td, chain):
    problem = catalogue_problem(f"quadrant-{td}-{chain}")
    assert problem.exact.d_mu.tolist() == [Fraction(9, 10), Fraction(1, 10)]
    assert problem.exact.P_pi.tolist() == [[0, 1], [1, 0]]
    assert td_stable(problem) == (td == "stable")
    assert (chain_radius(problem) < 1) == (chain == "unbiased")


def test_finite_window_is_stable_exactly_for_windows_8_to_127():
    problem = catalogue_problem("finite-window")
    X, Y = (m.astype(float) for m in moments(problem))
    assert not td_stable(problem)
    assert chain_radius(problem) > 1
    Q, power, B = np.eye(2) - X / 16, np.eye(2), problem.gamma * np.linalg.solve(X, Y)
    stable = []
    for T in range(1, 1000):
        power = power @ Q
        rho = np.abs(np.linalg.eigvals(power + (np.eye(2) - power) @ B)).max()
        assert abs(rho - 1) > 1e-9  # far enough from 1 that floats can tell
        if rho < 1:
            stable.append(T)
    assert stable == list(range(8, 128))


def test_complex_cycle_has_the_stated_eigenvalues():
    problem = catalogue_problem("complex-cycle")
    assert (problem.exact.P_mu == problem.exact.P_pi).all()
    A = key_matrix(problem)  # on-policy: A = A_μ
    # 11/30 ± i√2/15 have the sum 11/15 and the product (11/30)² + 2/225.
    assert A[0, 0] + A[1, 1] == Fraction(11, 15)
    assert A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0] == Fraction(11, 30) ** 2 + Fraction(2, 225)
