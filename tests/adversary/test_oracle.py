"""The oracle is right where answers are known, so that it may judge others."""

from fractions import Fraction
from random import Random

import numpy as np

from tests.adversary import families, oracle


def test_routh_and_schur_agree_with_floating_point_away_from_ties():
    rng = Random(1)
    seen = set()
    for _ in range(400):
        n = rng.randint(1, 5)
        m = [[Fraction(rng.randint(-4, 6), 3) for _ in range(n)] for _ in range(n)]
        values = np.linalg.eigvals(np.array(m, float))
        if min(abs(values.real).min(), abs(abs(values) - 1).min()) > 1e-6:
            answers = oracle.all_right(m), oracle.all_inside(m)
            assert answers == (values.real.min() > 0, abs(values).max() < 1)
            seen.add(answers)
    assert len(seen) == 4


def test_ties_are_no():
    assert not oracle.all_right([[Fraction(0), Fraction(1)], [Fraction(-1), Fraction(0)]])
    assert not oracle.all_inside([[Fraction(0), Fraction(1)], [Fraction(-1), Fraction(0)]])
    assert not oracle.all_right([[Fraction(0)]])


def test_a_realised_matrix_is_the_chains():
    """X⁻¹Y = sR, by the oracle's own moments."""
    rng = Random(2)
    for n in (1, 2, 4):
        R = families.jordan(rng, n).R
        doc, s = families.realised(Fraction(1, 2), R, Fraction(3, 4), Fraction(0), "x")
        Phi, P = (
            [[Fraction(x) for x in row] for row in rows] for rows in (doc["features"], doc["target"]["transitions"])
        )
        X, Y = oracle.moments(Phi, P, [Fraction(x) for x in doc["behaviour"]["distribution"]])
        assert oracle.solve(X, Y) == [[s * x for x in row] for row in R]
        assert all(sum(row) == 1 and min(row) >= 0 for row in P)


def test_prescribed_eigenvalues_are_those_of_the_matrix():
    rng = Random(3)
    for n in (2, 3, 5):
        spectrum = families.jordan(rng, n)
        for a, b in spectrum.values:
            shifted = [[x - (a if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(spectrum.R)]
            square = oracle.product(shifted, shifted)  # (R − a)² + b² is singular
            square = [[x + (b * b if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(square)]
            assert oracle.characteristic_polynomial(square)[-1] == 0
