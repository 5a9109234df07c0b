"""TD and the chain are the two ends of one curve over T."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from theory.linear.target_networks import window_radii
from theory.model.linear_model import moments
from theory.montecarlo.cells import Cell
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.verdicts import NO, YES, batch_moments, batch_verdicts, exact_window
from theory.montecarlo.windows import one_minus_power, window_verdicts
from theory.problems.ensembles import Batch

GAMMA = Fraction(99, 100)


def windows_of(batch, windows, step_size=0.5):
    return window_verdicts(batch, GAMMA, windows, step_size, batch_verdicts(batch, GAMMA)[1].verdicts)


WINDOWS = (1.0, 3.0, 20.0, 1000.0, inf)


@pytest.mark.parametrize("step_size", [0.5, 1.5])
@pytest.mark.parametrize(("S", "F"), [(2, 1), (6, 5), (6, 6)])
def test_verdicts_are_those_of_the_radii(S, F, step_size):
    (batch,) = chunk_batches(Cell(S, F), 2, 0, 40)
    found = windows_of(batch, WINDOWS, step_size)
    for i in range(40):
        p = batch.problem(i, GAMMA)
        alpha = step_size / np.linalg.eigvalsh(moments(p).X)[-1]
        radii = window_radii(p, alpha, WINDOWS)
        sure = np.abs(radii - 1) > 1e-9
        got = np.array([found[T][i] for T in WINDOWS])
        assert (got[sure] == np.where(radii < 1, YES, NO)[sure]).all()


@pytest.mark.parametrize(("cell", "windows"), [(Cell(4, 3), (1.0, 8.0)), (Cell(8, 8), (1.0, 64.0, 4096.0))])
def test_verdicts_are_the_certified_ones(cell, windows):
    (batch,) = chunk_batches(cell, 0, 0, 15)
    alpha = 0.5 / np.linalg.eigvalsh(batch_moments(batch, 0.99).X)[:, -1]
    for T, found in windows_of(batch, windows).items():
        exact = [exact_window(batch, i, GAMMA, 1, int(T), Fraction(float(alpha[i]))) for i in range(15)]
        assert found.tolist() == exact


def test_a_problem_that_is_stable_only_for_some_windows():
    """extra-target-network's example at α = 1/16: stable exactly for T = 8..127."""
    Phi = np.array([[[2.0, -5.0], [0.0, -1.0], [4.0, -5.0]]])
    P = np.array([[[0.0, 0, 1], [0, 0, 1], [1, 0, 0]]])
    d = np.array([[6, 9, 1]]) / 16
    batch = Batch(Phi, P, d)
    X = Phi[0].T @ (d[0][:, None] * Phi[0])
    step = np.linalg.eigvalsh(X)[-1] / 16
    found = windows_of(batch, (1.0, 7.0, 8.0, 127.0, 128.0, inf), step)
    assert [int(v[0]) for v in found.values()] == [NO, NO, YES, YES, NO, NO]


def test_weights_are_powers():
    x = np.array([0.1, 0.9, 1.0, 1.3, 1.99])
    for T in (1, 2, 5, 30):
        np.testing.assert_allclose(one_minus_power(x, T), 1 - (1 - x) ** T, rtol=1e-13)
