"""Verdicts in bulk are those of the one-by-one analysis, at any distance from the boundary."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from tests.linear.examples import float_sides
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.linear.spectra import chain_radius
from theory.model.linear_model import moments
from theory.montecarlo.cells import Cell
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.verdicts import NO, OPEN, YES, _series, batch_verdicts
from theory.problems.ensembles import Batch, paper_ensemble

GAMMA = Fraction(99, 100)


def asked(batch, gamma, n_steps=1):
    """Both verdicts, where floats could not tell, and by which test each was found."""
    td, chain = batch_verdicts(batch, gamma, n_steps)
    return SimpleNamespace(
        td=td.verdicts, chain=chain.verdicts, near=td.near | chain.near, td_by=td.by, chain_by=chain.by
    )


def batch_of(*problems):
    """A batch from (Φ, P, d) of equal sizes."""
    return Batch(*(np.array([np.array(p[k], dtype=float) for p in problems]) for k in range(3)))


CELLS = [
    Cell(1, 1),
    Cell(2, 1),
    Cell(5, 4),
    Cell(6, 6),
    Cell(8, 7),
    Cell(6, 3, ensemble="garnet"),
    Cell(5, 4, ensemble="dirichlet", parameters={"concentration": 0.3}),
    Cell(6, 3, law="absolute-normal", sink=1.0),
    Cell(5, 3, law="aggregation"),
    Cell(5, 5, law="tabular"),
    Cell(5, 4, law="binary"),  # a good part has dependent features
    Cell(6, 5, law="tile"),  # all have
]


@pytest.mark.parametrize("cell", CELLS, ids=lambda c: f"{c.states}-{c.features}-{c.ensemble}-{c.law}")
def test_batched_equals_one_by_one(cell):
    (batch,) = chunk_batches(cell, 3, 0, 12)
    found = asked(batch, GAMMA)
    problems = [batch.problem(i, GAMMA) for i in range(len(batch))]
    assert found.td.tolist() == [td_stable(p).proved for p in problems]
    assert found.chain.tolist() == [chain_unbiased(p).proved for p in problems]
    assert sum(found.td_by.values()) == sum(found.chain_by.values()) == len(batch)


@pytest.mark.parametrize(("S", "F"), [(20, 10), (20, 19), (20, 20), (40, 39)])
def test_larger_ones_agree_with_trusted_spectra(S, F):
    """`theory.linear` takes SVDs and eigenvectors; where it is sure, so must we be, and alike."""
    (batch,) = chunk_batches(Cell(S, F), 1, 0, 20)
    found = asked(batch, GAMMA)
    words = {"yes": YES, "no": NO}
    for i in range(len(batch)):
        p = batch.problem(i, GAMMA)
        for verdict, trusted in zip((found.td[i], found.chain[i]), float_sides(p), strict=True):
            assert trusted == "undecided" or verdict == words[trusted]


def twostate():
    return [[1], [2]], [[0, 1], [0, 1]], [0.5, 0.5]


def test_a_tie_is_neither_stable_nor_unbiased():
    """Twostate at γ = 5/6: A = 5/2 − 3γ = 0 and ρ = 6γ/5 = 1."""
    found = asked(batch_of(twostate()), Fraction(5, 6))
    assert (found.td[0], found.chain[0], bool(found.near[0])) == (NO, NO, True)


@pytest.mark.parametrize("exponent", [3, 8, 13, 16, 20, 40])
def test_the_side_is_right_at_any_distance_from_the_boundary(exponent):
    delta = Fraction(1, 10**exponent)
    for gamma, verdict in ((Fraction(5, 6) - delta, YES), (Fraction(5, 6) + delta, NO)):
        found = asked(batch_of(twostate()), gamma)
        assert (found.td[0], found.chain[0]) == (verdict, verdict)
        # γ itself is not a double: within its last bit only exact arithmetic can tell.
        assert bool(found.near[0]) == (exponent > 15)


def test_the_four_quadrants():
    """extra-quadrants: one MDP, four kinds of features."""
    P, d = [[0, 1], [1, 0]], [0.9, 0.1]
    one = asked(batch_of(([[1], [0]], P, d), ([[1], [3]], P, d), ([[1], [-3]], P, d)), Fraction(9, 10))
    assert one.td.tolist() == [YES, NO, YES]
    assert one.chain.tolist() == [YES, NO, NO]
    two = asked(batch_of(([[1, 0], [3, 1]], P, d)), Fraction(9, 10))
    assert (two.td[0], two.chain[0]) == (NO, YES)


def test_a_copied_feature_does_not_change_the_chain():
    """ρ(γΠP) depends on span Φ only (extra-basis); exact arithmetic must see through the singular X."""
    batch = paper_ensemble(np.random.default_rng(0), 20, 4, 2)
    copied = Batch(batch.Phi[:, :, [0, 1, 1]], batch.P_pi, batch.d_mu)
    plain, found = asked(batch, GAMMA), asked(copied, GAMMA)
    assert found.chain.tolist() == plain.chain.tolist()
    assert found.near.all()
    assert found.chain_by["certified"] == 20
    assert found.td.tolist() == [td_stable(copied.problem(i, GAMMA)).proved for i in range(20)]


def test_nearly_dependent_features_are_never_believed_regular():
    """Columns that differ in the last bit: X is regular, but floats cannot know it."""
    batch = paper_ensemble(np.random.default_rng(0), 10, 4, 2)
    twin = batch.Phi[:, :, 1].copy()
    twin[:, 0] = np.nextafter(twin[:, 0], 9)
    close = Batch(np.concatenate([batch.Phi, twin[:, :, None]], axis=2), batch.P_pi, batch.d_mu)
    found = asked(close, GAMMA)
    assert found.near.all()
    assert found.chain.tolist() == [chain_unbiased(close.problem(i, GAMMA)).proved for i in range(10)]


def test_scale_of_features_does_not_matter():
    batch = paper_ensemble(np.random.default_rng(0), 40, 5, 4)
    plain = asked(batch, GAMMA)
    for power in (-200, 60):
        scaled = asked(Batch(batch.Phi * 2.0**power, batch.P_pi, batch.d_mu), GAMMA)
        assert scaled.td.tolist() == plain.td.tolist()
        assert scaled.chain.tolist() == plain.chain.tolist()


def test_n_steps_ask_about_the_nth_power():
    (batch,) = chunk_batches(Cell(5, 4), 0, 0, 60)
    found = asked(batch, GAMMA, 3)
    for i in range(60):
        p = batch.problem(i, GAMMA)
        assert bool(found.chain[i]) == (chain_radius(p.in_steps_of(3)) < 1)
        assert bool(found.td[i]) == bool((np.linalg.eigvals(moments(p.in_steps_of(3)).A).real > 0).all())


def test_n_step_verdicts_near_the_boundary_are_exact():
    """A swap: P² = I, so two steps are on-policy for any d: A₂ = (1 − γ²)X."""
    swap = ([[1], [-3]], [[0, 1], [1, 0]], [0.9, 0.1])
    copied = ([[1, 1], [-3, -3]], *swap[1:])
    for one in (swap, copied):
        found = asked(batch_of(one), Fraction(9, 10), 2)
        assert (found.td[0], found.chain[0]) == (YES, YES)


def test_the_series_decides_as_eigenvalues_and_determinants_do():
    """W = f gᵀ + R with ‖R‖ < 1, whose largest eigenvalue is anywhere about 1."""
    rng = np.random.default_rng(0)
    R = rng.normal(size=(200, 6, 6))
    R *= (rng.uniform(0.1, 0.9, 200) / np.linalg.norm(R, axis=(1, 2)))[:, None, None]
    f, g = rng.normal(size=(2, 200, 6)) * 0.7
    W = R + f[:, :, None] * g[:, None, :]
    below, above = _series(W, np.zeros(200), f, g)
    radius, determinant = np.abs(np.linalg.eigvals(W)).max(axis=1), np.linalg.det(np.eye(6) - W)
    assert (radius[below] < 1).all()
    assert (determinant[above] < 0).all()
    assert below.sum() > 20 < above.sum()
    assert not any(_series(W, np.full(200, 3.0), f, g)[0])


def test_every_test_decides_something():
    """No test is there for nothing, and none leaves a problem open."""
    seen = {"td": set(), "chain": set()}
    square, dependent = Cell(30, 30), Cell(4, 3, law="binary")
    for cell, n in ((Cell(6, 5), 400), (Cell(10, 5), 200), (square, 240), (dependent, 20)):
        for batch in chunk_batches(cell, 0, 0, n):
            found = asked(batch, GAMMA)
            seen["td"] |= {k for k, v in found.td_by.items() if v}
            seen["chain"] |= {k for k, v in found.chain_by.items() if v}
            assert OPEN not in found.td.tolist() + found.chain.tolist()
    assert seen["td"] == {"norm", "symmetric", "determinant", "squaring", "eigenvalues", "certified"}
    assert seen["chain"] >= {"norm", "series", "determinant", "squaring", "rank", "certified"}
