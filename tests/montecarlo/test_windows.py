"""TD and the chain are the two ends of one curve over T."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from theory.linear.target_networks import window_radii
from theory.model.linear_model import moments
from theory.montecarlo.cells import Cell
from theory.montecarlo.dense import NO, OPEN, YES
from theory.montecarlo.disc import inside_disc
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.moments import batch_moments
from theory.montecarlo.verdicts import batch_verdicts
from theory.montecarlo.windows import _few_updates, _many_updates, weights, window_verdicts
from theory.problems.ensembles import Batch

GAMMA = Fraction(99, 100)
WINDOWS = (1.0, 3.0, 20.0, 1000.0, inf)


@pytest.mark.parametrize("step_size", [0.5, 1.5])
@pytest.mark.parametrize(("S", "F"), [(2, 1), (6, 5), (6, 6)])
def test_verdicts_are_those_of_the_radii(S, F, step_size):
    (batch,) = chunk_batches(Cell(S, F), 2, 0, 40)
    found = window_verdicts(batch, GAMMA, WINDOWS, step_size)
    for i in range(40):
        p = batch.problem(i, GAMMA)
        alpha = step_size / np.linalg.eigvalsh(moments(p).X)[-1]
        radii = window_radii(p, alpha, WINDOWS)
        sure = np.abs(radii - 1) > 1e-9
        got = np.array([found[T][i] for T in WINDOWS])
        assert (got[sure] == np.where(radii < 1, YES, NO)[sure]).all()


@pytest.mark.parametrize(("S", "F"), [(12, 12), (15, 14), (30, 10)])
def test_both_ways_to_compute_it_agree_where_they_decide(S, F):
    """Few updates: I − pA in the eigenbasis of X; many: q + (1 − q)W where X is white."""
    (batch,) = chunk_batches(Cell(S, F), 4, 0, 60)
    m = batch_moments(batch, 0.99)
    values, U = np.linalg.eigh(m.X)
    alpha = 0.5 / values[:, -1]
    few, many = _few_updates(m, values, U, alpha), _many_updates(m, values, U, alpha, 0.5)
    decided = 0
    for T in (1.0, 2.0, 64.0, 4096.0, 65536.0):
        (G, error), (other, other_error) = few(T), many(T)
        for one, another in zip(np.linalg.eigvals(G), np.linalg.eigvals(other), strict=True):
            assert np.abs(one).max() == pytest.approx(np.abs(another).max(), abs=1e-4)
        a, b = inside_disc(G, error), inside_disc(other, other_error)
        both = (a != OPEN) & (b != OPEN)
        assert (a[both] == b[both]).all()
        decided += both.sum()
    assert decided > 50


def test_few_updates_do_not_suffer_from_small_eigenvalues():
    """T = 1 is TD: an error of about ‖αΔA‖, however badly conditioned X is."""
    (batch,) = chunk_batches(Cell(30, 30), 0, 0, 20)
    m = batch_moments(batch, 0.99)
    values, U = np.linalg.eigh(m.X)
    alpha = 0.5 / values[:, -1]
    assert (_few_updates(m, values, U, alpha)(1.0)[1] < 1e-11).all()
    assert (_many_updates(m, values, U, alpha, 0.5)(1.0)[1] > 1e-10).all()


def test_the_infinite_window_is_the_chain():
    (batch,) = chunk_batches(Cell(5, 4), 0, 0, 100)
    assert window_verdicts(batch, GAMMA, (inf,), 0.5)[inf].tolist() == batch_verdicts(batch, GAMMA).chain.tolist()


def test_certified_verdicts_are_the_same():
    (batch,) = chunk_batches(Cell(4, 3), 0, 0, 15)
    plain, certified = (window_verdicts(batch, GAMMA, (1.0, 8.0, inf), 0.5, certify=c) for c in (False, True))
    for T, verdicts in plain.items():
        assert verdicts.tolist() == certified[T].tolist()


def test_a_problem_that_is_stable_only_for_some_windows():
    """extra-target-network's example at α = 1/16: stable exactly for T = 8..127."""
    Phi = np.array([[[2.0, -5.0], [0.0, -1.0], [4.0, -5.0]]])
    P = np.array([[[0.0, 0, 1], [0, 0, 1], [1, 0, 0]]])
    d = np.array([[6, 9, 1]]) / 16
    batch = Batch(Phi, P, d)
    X = Phi[0].T @ (d[0][:, None] * Phi[0])
    step = np.linalg.eigvalsh(X)[-1] / 16
    found = window_verdicts(batch, GAMMA, (1.0, 7.0, 8.0, 127.0, 128.0, inf), step)
    assert [int(v[0]) for v in found.values()] == [NO, NO, YES, YES, NO, NO]


def test_weights_are_powers():
    x = np.array([0.1, 0.9, 1.0, 1.3, 1.99])
    for T in (1, 2, 5, 30):
        q, rest = weights(x, T)
        np.testing.assert_allclose(q, (1 - x) ** T, rtol=1e-13, atol=1e-300)
        np.testing.assert_allclose(rest, 1 - (1 - x) ** T, rtol=1e-13)
