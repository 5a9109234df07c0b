"""Baird's star is unstable where its docstring says."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_poly

from tests.problems.catalogue.rational import flint_matrix, key_matrix
from theory.problems.catalogue import catalogue_problem


def test_baird_is_the_textbooks():
    problem = catalogue_problem("baird")
    upper = [[2 * int(i == j) for j in range(7)] + [1] for i in range(6)]
    assert problem.exact.Phi.tolist() == [*upper, [0, 0, 0, 0, 0, 0, 1, 2]]
    assert problem.states == tuple("1234567")
    assert problem.exact.d_mu.tolist() == [Fraction(1, 7)] * 7
    assert problem.mu.tolist() == [[Fraction(6, 7), Fraction(1, 7)]] * 7
    assert problem.pi.tolist() == [[0, 1]] * 7
    assert problem.mdp.actions == ("dashed", "solid")
    assert not problem.mdp.R.any()


@pytest.mark.parametrize("N", [1, 2, 4, 5, 6, 13])
@pytest.mark.parametrize("gamma", [Fraction(1, 3), Fraction(15, 17), Fraction(14, 15), Fraction(99, 100)])
def test_the_star_has_the_characteristic_polynomial_of_its_docstring(N, gamma):
    A = key_matrix(catalogue_problem(f"baird-star:outer={N},gamma={gamma}"))
    trace = (N + 9 - gamma * (2 * N + 5)) / (N + 1)
    determinant = (1 - gamma) * (N + 20) / (N + 1) ** 2
    x = fmpq_poly([0, 1])
    # λ · (λ − 4/(N+1))^(N−1) · (λ² − trace·λ + determinant)
    pair = fmpq_poly([fmpq(int(c.numerator), int(c.denominator)) for c in (determinant, -trace, Fraction(1))])
    assert flint_matrix(A).charpoly() == x * (x - fmpq(4, N + 1)) ** (N - 1) * pair


@pytest.mark.parametrize(("spec", "threshold"), [("baird", Fraction(15, 17)), ("baird-star:outer=5", Fraction(14, 15))])
def test_the_star_is_unstable_exactly_from_its_threshold_on(spec, threshold):
    def slowest(gamma):
        A = key_matrix(catalogue_problem(spec + (",gamma=" if ":" in spec else ":gamma=") + str(gamma)))
        eigenvalues = np.linalg.eigvals(A.astype(float))
        # One eigenvalue is 0, because there is one weight more than states; leave it out.
        return np.delete(eigenvalues, np.abs(eigenvalues).argmin()).real.min()

    # The real part moves by (2N+5)/(2(N+1)) ≈ 1.2 times the change of γ, well above rounding at 1e−6.
    nudge = Fraction(1, 10**6)
    assert slowest(threshold - nudge) > 1e-7
    assert slowest(threshold + nudge) < -1e-7
