"""Squaring, and eigenvalues with error discs, prove on which side of the boundary a spectrum lies, and never err."""

import numpy as np
import pytest

from theory.montecarlo.verdicts import NO, OPEN, YES, by_eigenvalues, frobenius, inside_disc


def verdict(C, error=0.0):
    """What squaring says, and eigenvalues where it says nothing."""
    C, error = np.array(C, dtype=float)[None], np.array([error])
    with np.errstate(all="ignore"):
        (found,) = inside_disc(C, error)
        return found if found != OPEN else by_eigenvalues(C, error, disc=True)[0]


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
    [1.0, -0.99, 0.98, 0.97, 0.96, 0.95],
]


# 2²⁴ · 1e-8 < 1: squaring alone could not do the last ones.
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


def test_half_planes_are_told_apart_by_eigenvalues():
    rng = np.random.default_rng(5)
    for distance in (1e-2, 1e-6, 1e-10):
        stable = with_eigenvalues(rng, [], 8) + (0.3 + distance) * np.eye(8)
        unstable = stable - np.linalg.eigvals(stable).real.min() * np.eye(8) - distance * np.eye(8)
        assert by_eigenvalues(np.stack([stable, unstable]), np.zeros(2), disc=False).tolist() == [YES, NO]
        assert by_eigenvalues(unstable[None], np.array([distance]), disc=False).tolist() == [OPEN]


def test_defective_matrices_are_left_open_by_eigenvalues():
    J = np.array([[[0.5, 1.0], [0.0, 0.5]]])
    assert by_eigenvalues(J, np.array([0.1]), disc=True).tolist() == [OPEN]


def test_a_stack_is_decided_matrix_by_matrix():
    M = np.random.default_rng(0).normal(size=(40, 6, 6))
    C = M * (np.linspace(0.5, 1.5, 40) / np.abs(np.linalg.eigvals(M)).max(axis=1))[:, None, None]
    assert inside_disc(C, np.zeros(40)).tolist() == [YES] * 20 + [NO] * 20


def test_the_norm_is_not_below_the_exact_one():
    from fractions import Fraction

    M = np.random.default_rng(2).normal(size=(20, 7, 7))
    for norm, one in zip(frobenius(M), M, strict=True):
        assert Fraction(float(norm)) ** 2 >= sum(Fraction(float(x)) ** 2 for x in one.ravel())
