"""A cell's problems are the same for everyone who asks."""

import numpy as np
import pytest

from theory.montecarlo.cells import Cell
from theory.montecarlo.draws import batch_size, chunk_batches, chunk_seed, with_sink
from theory.problems.ensembles import paper_ensemble

CELL = Cell(4, 2)


def problems(cell, seed=0, index=0, size=10):
    parts = [(b.Phi.copy(), b.P_pi.copy(), b.d_mu.copy()) for b in chunk_batches(cell, seed, index, size)]
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_a_longer_chunk_begins_with_the_same_problems():
    step = batch_size(CELL.states)
    long = problems(CELL, size=2 * step + 3)
    for size in (1, step, step + 1):
        assert same(problems(CELL, size=size), [part[:size] for part in long])


@pytest.mark.parametrize("change", [{"gamma": "1/2"}, {"n_steps": 3}, {"windows": (1.0,)}, {"certify": True}])
def test_what_is_asked_does_not_change_the_draws(change):
    assert same(problems(CELL), problems(Cell(4, 2, **change)))


@pytest.mark.parametrize("other", [Cell(4, 2, law="binary"), Cell(4, 2, sink=0.5), Cell(4, 2, ensemble="dirichlet")])
def test_another_law_draws_other_problems(other):
    assert not same(problems(CELL), problems(other))


def test_seeds_and_chunks_draw_other_problems():
    assert not same(problems(CELL), problems(CELL, seed=1))
    assert not same(problems(CELL), problems(CELL, index=1))


def test_chunks_are_the_children_of_one_seed_sequence():
    parent = np.random.SeedSequence(chunk_seed(CELL, 5, 0).entropy)
    for index, child in enumerate(parent.spawn(3)):
        assert chunk_seed(CELL, 5, index).generate_state(4).tolist() == child.generate_state(4).tolist()


def test_a_sink_takes_its_mass_from_every_state():
    rng = np.random.default_rng(0)
    batch = paper_ensemble(rng, 50, 5, 2)
    sunk = with_sink(rng, batch, 0.75)
    np.testing.assert_allclose(sunk.P_pi.sum(axis=2), 1, rtol=0, atol=1e-15)
    gained = sunk.P_pi - 0.25 * batch.P_pi
    sink = gained[:, 0].argmax(axis=1)
    for s in range(5):
        np.testing.assert_allclose(gained[np.arange(50), s, sink], 0.75, rtol=0, atol=1e-15)
    assert len(set(sink.tolist())) == 5
