"""S ≫ F: the bias rate is provably small for normal features, and is not for others."""

import numpy as np

from theory.montecarlo.cells import Cell
from theory.montecarlo.conjecture import bias_bound
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.store import Store
from theory.montecarlo.study import Study, run_study


def test_the_bound_is_the_formula():
    (batch,) = chunk_batches(Cell(300, 2), 0, 0, 3)
    for b, P, d in zip(bias_bound(batch, 0.9), batch.P_pi, batch.d_mu, strict=True):
        tau = np.trace(np.diag(d) @ P)
        assert np.isclose(b, 2 * 2 * 3 * (d @ d) * 1.9**2 / (1 - 0.9 * tau) ** 2, rtol=1e-12)
        assert b < 1


def test_the_bound_is_never_above_one():
    (batch,) = chunk_batches(Cell(3, 3), 0, 0, 5)
    assert (bias_bound(batch, 0.99) == 1).all()


def test_it_holds_for_normal_features_and_fails_for_absolute_ones_with_a_sink():
    """At S = 256, F = 1 the bound is about .08; measured are about 0 and .2. Error probability below 10⁻⁶ each."""
    normal, absolute = Cell(256, 1), Cell(256, 1, law="absolute-normal", sink=1.0)
    with Store(None) as store:
        holds, fails = run_study(Study((normal, absolute), 250), store)
    assert holds["ci95"]["chain_biased"][0] <= holds["bias_bound"] < 0.1
    assert fails["ci95"]["chain_biased"][0] > holds["bias_bound"]
    assert fails["bias_bound"] is None
