"""The compiled squaring proves on which side of the circle the spectral radius lies, and never errs."""

import numpy as np
import pytest

from theory.montecarlo.dense import NO, OPEN, YES
from theory.montecarlo.disc import inside, room


def verdict(C, error=0.0):
    C = np.ascontiguousarray(C, dtype=float)
    return inside(C, error, room(len(C)))


def with_eigenvalues(rng, values, F):
    """A real matrix with these eigenvalues, their conjugates, and small ones, in a random basis."""
    D = np.diag(rng.uniform(-0.3, 0.3, F))
    at = 0
    for z in values:
        if z.imag:
            D[at : at + 2, at : at + 2] = [[z.real, z.imag], [-z.imag, z.real]]
            at += 2
        else:
            D[at, at] = z.real
            at += 1
    V = rng.normal(size=(F, F)) / np.sqrt(F) + 2 * np.eye(F)  # not far from normal
    return V @ D @ np.linalg.inv(V)


SLOW = [
    [1.0],
    [-1.0],
    [np.exp(0.7j)],
    [1.0, 0.9999],
    [np.exp(2j), 0.999],
    [np.exp(1j), 0.999 * np.exp(2.5j)],
    [1.0, -0.99, 0.98, 0.97, 0.96, 0.95],  # of higher rank than is tried: squaring must do it
]


# 2²⁴ · 1e-8 < 1: squaring and norms alone could not do the last ones.
@pytest.mark.parametrize(
    ("values", "distance"),
    [*((v, x) for v in SLOW for x in (0.3, 1e-2, 1e-4, 1e-6)), *((v, 1e-8) for v in SLOW[:4])],
    ids=str,
)
def test_both_sides_are_proved_close_to_the_circle(values, distance):
    rng = np.random.default_rng(3)
    for F in (7, 30):
        for rho, side in ((1 - distance, YES), (1 + distance, NO)):
            assert verdict(with_eigenvalues(rng, [rho * complex(z) for z in values], F)) == side


def test_nothing_is_said_within_the_error():
    """If some matrix within the error lies on the other side, no verdict may be given."""
    Q = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    for rho, error in ((0.99, 0.011), (1.01, 0.011), (0.999999, 1e-5), (1 - 1e-12, 1e-11)):
        # ±error·vvᵀ moves the top eigenvalue of a symmetric matrix by exactly that.
        C = Q @ np.diag([rho, 0.3, -0.2, 0.1, 0.0]) @ Q.T
        assert verdict(C, error) == OPEN
        assert verdict(C * (0.5 / rho), error) == YES


def test_a_tie_is_left_open():
    for C in ([[0, 1], [1, 0]], [[1, 5], [0, 1]], [[0, -1], [1, 0]], np.eye(6)):
        assert verdict(C) == OPEN


def test_what_is_not_finite_is_left_open():
    assert verdict(np.full((3, 3), np.nan)) == OPEN
    assert verdict(np.full((3, 3), 1e200)) == OPEN
    assert verdict(np.full((3, 3), 0.1), np.inf) == OPEN


def test_errors_of_a_matrix_far_from_normal_are_believed():
    """C = [[.5, big], [0, .5]]: an error of 1/big in the corner makes it unstable."""
    big = 100.0
    assert verdict([[0.5, big], [0.0, 0.5]], 0.0) == YES
    assert verdict([[0.5, big], [0.0, 0.5]], 1 / big) == OPEN
    assert np.abs(np.linalg.eigvals([[0.5, big], [1 / big, 0.5]])).max() > 1
