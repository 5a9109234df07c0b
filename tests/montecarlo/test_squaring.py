"""Repeated squaring proves on which side of the circle the spectral radius lies, and never errs."""

import numpy as np
import pytest

from theory.montecarlo.dense import NO, OPEN, YES
from theory.montecarlo.disc import inside_disc
from theory.montecarlo.moments import frobenius


def matrices(rho, n=40, F=6, seed=0):
    M = np.random.default_rng(seed).normal(size=(n, F, F))
    return M * (rho / np.abs(np.linalg.eigvals(M)).max(axis=1))[:, None, None]


@pytest.mark.parametrize(("rho", "verdict"), [(0.5, YES), (0.999, YES), (1.001, NO), (3.0, NO)])
def test_both_sides_are_proved(rho, verdict):
    assert (inside_disc(matrices(rho), np.zeros(40)) == verdict).all()


def test_nothing_is_said_within_the_error():
    """If some matrix within the error lies on the other side, no verdict may be given."""
    for rho, error in ((0.99, 0.011), (1.01, 0.011), (0.999999, 1e-5), (1 - 1e-12, 1e-11)):
        # A + E with E = ±error·vvᵀ/‖v‖² moves a symmetric matrix's top eigenvalue by exactly ±error.
        Q = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
        C = Q @ np.diag([rho, 0.3, -0.2, 0.1, 0.0]) @ Q.T
        assert inside_disc(C[None], np.array([error])).tolist() == [OPEN]


def test_a_tie_is_left_open():
    C = np.array([[[0.0, 1.0], [1.0, 0.0]], [[1.0, 5.0], [0.0, 1.0]]])
    assert inside_disc(C, np.zeros(2)).tolist() == [OPEN, OPEN]


def test_what_is_not_finite_is_left_open():
    C = np.full((3, 2, 2), np.nan)
    C[1] = 1e200
    C[2] = 0.1
    assert inside_disc(C, np.array([0.0, 0.0, np.inf])).tolist() == [OPEN, OPEN, OPEN]


def test_the_norm_is_not_below_the_exact_one():
    from fractions import Fraction

    M = np.random.default_rng(2).normal(size=(20, 7, 7))
    for norm, one in zip(frobenius(M), M, strict=True):
        assert Fraction(float(norm)) ** 2 >= sum(Fraction(float(x)) ** 2 for x in one.ravel())
