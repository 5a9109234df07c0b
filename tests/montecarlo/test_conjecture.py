"""S ≫ F: the bias rate is provably small for normal features, and is not for others."""

import numpy as np
import pytest

from theory.montecarlo.cells import Cell
from theory.montecarlo.conjecture import bias_bound
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.study import Study, run_study
from theory.store import Store


@pytest.mark.parametrize("n", [1, 3])
def test_the_bound_is_the_formula(n):
    (batch,) = chunk_batches(Cell(300, 2), 0, 0, 3)
    for b, P, d in zip(bias_bound(batch, 0.9, n), batch.P_pi, batch.d_mu, strict=True):
        D, power = np.diag(d), np.linalg.multi_dot([np.eye(300)] + [P] * n)
        spread = np.linalg.norm(d) + 0.9**n * np.linalg.norm(D @ power)
        assert np.isclose(b, 2 * 3 * spread**2 / (1 - 0.9**n * np.trace(D @ power)) ** 2, rtol=1e-12)
        assert b < 1


def test_the_bound_is_never_above_one():
    (batch,) = chunk_batches(Cell(3, 3), 0, 0, 5)
    assert (bias_bound(batch, 0.99) == 1).all()


def test_it_holds_for_normal_features_and_fails_for_absolute_ones_with_a_sink():
    """At S = 256, F = 1 the bound is about .012; measured are about 0 and .2. Error probability below 10⁻⁶ each."""
    normal, absolute = Cell(256, 1), Cell(256, 1, law="absolute-normal", sink=1.0)
    with Store(None) as store:
        holds, fails = run_study(Study((normal, absolute), 250), store)
    assert holds["ci95"]["chain_biased"][0] <= holds["bias_bound"] < 0.02
    assert fails["ci95"]["chain_biased"][0] > holds["bias_bound"]
    assert fails["bias_bound"] is None
