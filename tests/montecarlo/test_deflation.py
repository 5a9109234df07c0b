"""Splitting off the slow eigenvalues proves on which side of the circle they lie, and never errs."""

import numpy as np
import pytest

from theory.montecarlo import Cell
from theory.montecarlo.deflation import deflated, low_rank, small_verdict
from theory.montecarlo.dense import NO, OPEN, YES
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.kernel import _cayley
from theory.montecarlo.moments import batch_moments
from theory.montecarlo.one_by_one import exact_td


def verdict(C, error=0.0):
    C = np.ascontiguousarray(C, dtype=float)
    return deflated(C, error, C.copy(), np.empty(C.shape), np.empty(C.shape))


def far_from_normal(rng, F, slow):
    """Blocks `slow` on the diagonal, small eigenvalues after them, and much above: ‖Cᵏ‖ grows before it decays."""
    C = np.triu(rng.normal(size=(F, F)), 1)
    at = 0
    for block in slow:
        n = len(block)
        C[at : at + n, at : at + n] = block
        at += n
    C[range(at, F), range(at, F)] = rng.uniform(-0.5, 0.5, F - at)
    Q = np.linalg.qr(rng.normal(size=(F, F)))[0]
    return Q @ C @ Q.T


def turn(rho, angle):
    return rho * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@pytest.mark.parametrize("margin", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("angle", [0.003, 0.5, 2.0, 3.14])
def test_a_pair_near_the_circle_is_told_apart(margin, angle):
    rng = np.random.default_rng(5)
    for rho, side in ((1 - margin, YES), (1 + margin, NO)):
        C = far_from_normal(rng, 12, [turn(rho, angle), np.array([[0.8]])])
        assert np.linalg.norm(C, 2) > 3
        assert verdict(C) == side


def test_no_verdict_where_the_error_reaches_the_circle():
    """The worst error moves an eigenvalue by ‖x‖‖y‖/|yᵀx| times its size."""
    rng = np.random.default_rng(2)
    for rho in (0.999, 1.001):
        C = far_from_normal(rng, 10, [np.array([[rho]])])
        values, right = np.linalg.eig(C)
        slow = np.argmax(np.abs(values))
        x, y = right[:, slow].real, np.linalg.inv(right)[slow].real
        reach = abs(1 - rho) / (np.linalg.norm(x) * np.linalg.norm(y))
        worst = np.sign(1 - rho) * np.outer(y, x) / (np.linalg.norm(x) * np.linalg.norm(y))
        moved = np.abs(np.linalg.eigvals(C + 1.02 * reach * worst)).max()
        assert (moved > 1) == (rho < 1)  # it does cross
        assert verdict(C, 1.02 * reach) == OPEN
        assert verdict(C, 0.01 * reach) == (YES if rho < 1 else NO)


@pytest.mark.parametrize("C", [np.diag([1.0, 0.3, 0.1]), np.diag([-1.0, 0.3, 0.1]), np.eye(6)], ids=["1", "-1", "I"])
def test_ties_are_left_open(C):
    assert verdict(C) == OPEN


def test_what_is_not_finite_is_left_open():
    assert verdict(np.full((4, 4), np.nan)) == OPEN
    assert verdict(np.full((4, 4), 1e300)) == OPEN
    assert verdict(np.zeros((4, 4))) == OPEN  # no direction dominates; the norm decides that
    assert verdict(np.diag([0.5, 0.1, 0.0]), np.inf) == OPEN


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_the_small_determinant_counts_eigenvalues_beyond_the_circle(m):
    rng = np.random.default_rng(m)
    decided = 0
    for _ in range(200):
        T = rng.normal(size=(m, m))
        T *= rng.uniform(0.7, 1.3) / np.abs(np.linalg.eigvals(T)).max()
        inside = np.abs(np.linalg.eigvals(T)).max() < 1
        assert small_verdict(T, 0.0) == (YES if inside else NO)
        delta = 10.0 ** rng.uniform(-4, -1)
        answer = small_verdict(T, delta)
        decided += answer != OPEN
        for _ in range(20 if answer != OPEN else 0):
            E = rng.normal(size=(m, m))
            E *= delta / np.linalg.norm(E)
            assert answer == (YES if np.abs(np.linalg.eigvals(T + E)).max() < 1 else NO)
    assert decided > 50


def test_low_rank_agrees_with_eigenvalues():
    rng = np.random.default_rng(8)
    for _ in range(100):
        m = int(rng.integers(1, 4))
        C = rng.normal(size=(9, m)) @ rng.normal(size=(m, 9))
        C *= rng.uniform(0.8, 1.2) / np.abs(np.linalg.eigvals(C)).max()
        C += 1e-9 * rng.normal(size=(9, 9))
        side = YES if np.abs(np.linalg.eigvals(C)).max() < 1 else NO
        assert low_rank(C, 1e-9, np.empty((9, 9))) == side


@pytest.mark.parametrize("F", [20, 19])
def test_it_agrees_with_exact_arithmetic_on_random_problems(F):
    """TD's question without the squaring that usually answers it."""
    S, decided = 20, 0
    for batch in chunk_batches(Cell(S, F), 4, 0, 40):
        m = batch_moments(batch, 0.99)
        for i, (A, error) in enumerate(zip(m.A, m.error_A, strict=True)):
            C, room = np.empty((F, F)), (np.empty((F, F)), np.empty((F, F)))
            error_C = _cayley(A, 0.05, error, C, *room, np.empty(F, dtype=np.int64))
            answer = verdict(C, error_C)
            if answer != OPEN:
                decided += 1
                assert answer == exact_td(batch, i, Cell(S, F).gamma, 1)
    assert decided > 25
