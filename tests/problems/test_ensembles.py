"""Random problems in batches.

Statistical tests use fixed seeds and allow six standard deviations: a right law passes for all but 2e−9 of
the seeds.
"""

from functools import partial

import numpy as np
import pytest

from theory.problems.ensembles import (
    dirichlet_ensemble,
    garnet_ensemble,
    garnet_problem,
    paper_ensemble,
)
from theory.problems.graph import closed_classes, communicating_classes, gth
from theory.problems.numbers import InvalidProblem

ENSEMBLES = {
    "paper": partial(paper_ensemble, states=6, features=4),
    "paper-wide": partial(paper_ensemble, states=3, features=5),
    "paper-one-state": partial(paper_ensemble, states=1, features=2),
    "dirichlet": partial(dirichlet_ensemble, states=6, features=4, concentration=0.5),
    "dirichlet-sparse": partial(dirichlet_ensemble, states=6, features=4, concentration=0.002),
    "dirichlet-one-state": partial(dirichlet_ensemble, states=1, features=1, concentration=1),
    "garnet": partial(garnet_ensemble, states=8, actions=3, branching=2, features=3),
    "garnet-thin": partial(garnet_ensemble, states=8, actions=1, branching=1, features=3, law="binary"),
    "garnet-dense": partial(garnet_ensemble, states=5, actions=2, branching=5, features=7, law="tile"),
    "garnet-one-state": partial(garnet_ensemble, states=1, actions=2, branching=1, features=1),
}
every_ensemble = pytest.mark.parametrize("ensemble", ENSEMBLES.values(), ids=ENSEMBLES)
ARRAYS = ("Phi", "P_pi", "d_mu", "P_mu", "r_pi", "r_mu")


def rng(seed=3):
    return np.random.default_rng(seed)


@every_ensemble
def test_rows_are_distributions_and_every_state_is_visited(ensemble):
    batch = ensemble(rng(), 50)
    for rows in (batch.P_pi, batch.d_mu, batch.P_mu):
        if rows is not None:
            assert (rows >= 0).all()
            # At most eight entries, each rounded a few times, and a division: far below 1e−14.
            np.testing.assert_allclose(rows.sum(axis=-1), 1, rtol=0, atol=1e-14)
    assert (batch.d_mu > 0).all()


@every_ensemble
def test_same_generator_state_same_bytes(ensemble):
    one, two = ensemble(rng(), 20), ensemble(rng(), 20)
    for name in ARRAYS:
        a, b = getattr(one, name), getattr(two, name)
        assert (a is None and b is None) or a.tobytes() == b.tobytes()


@every_ensemble
def test_a_problem_of_the_batch_is_its_slices(ensemble):
    batch = ensemble(rng(), 3)
    problem = batch.problem(2, "9/10")
    for name in ARRAYS:
        array, got = getattr(batch, name), getattr(problem, name)
        if array is not None:
            np.testing.assert_array_equal(got, array[2])
    assert problem.gamma == 0.9
    assert not problem.is_exact


@pytest.mark.parametrize("concentration", [0.5, 1.0, 4.0])
def test_dirichlet_moments(concentration):
    # A coordinate of Dirichlet(c,…,c) in S dimensions: mean 1/S, variance (S−1)/(S²(cS+1)).
    S = 4
    batch = dirichlet_ensemble(rng(), 20_000, S, 1, concentration)
    variance = (S - 1) / S**2 / (concentration * S + 1)
    for x in (batch.d_mu[:, 0], batch.P_pi[:, 1, 2]):
        assert abs(x.mean() - 1 / S) < 6 * np.sqrt(variance / x.size)
        # (x − 1/S)² lies in [0, 1), so its variance is at most its mean.
        assert abs(((x - 1 / S) ** 2).mean() - variance) < 6 * np.sqrt(variance / x.size)


def test_gth_of_several_chains_is_right_on_periodic_and_nearly_decomposable_chains():
    cycle = np.roll(np.eye(4), 1, axis=1)
    e = 1e-15
    slow = np.array([[1 - e, e, 0, 0], [0, 0.5, 0.5, 0], [0, 0.25, 0.75 - 3 * e, 3 * e], [0.5, 0, 0, 0.5]])
    d = gth(np.array([cycle, slow]))
    np.testing.assert_allclose(d[0], 0.25, rtol=1e-15)
    # Balance by hand, exactly: in terms of x = d_1, flows e·d_0 = ½d_3, 3e·d_2 = ½d_3, and into state 1
    # e·d_0 + ¼d_2 = ½d_1; so d_3 = 2e·d_0, d_2 = d_0/3, d_1 = 2e·d_0 + d_0/6.
    by_hand = np.array([1, 1 / 6 + 2 * e, 1 / 3, 2 * e])
    # 0.75 − 3e is rounded, but GTH never reads the diagonal.
    np.testing.assert_allclose(d[1], by_hand / by_hand.sum(), rtol=1e-14)


@pytest.mark.parametrize(("S", "A", "b"), [(8, 1, 1), (12, 2, 1), (9, 3, 2), (4, 2, 4), (1, 1, 1)])
def test_garnet_behaviour_is_irreducible(S, A, b):
    for P in garnet_ensemble(rng(), 40, S, A, b, 1).P_mu:
        assert communicating_classes(P) == [set(range(S))]
        assert closed_classes(P) == [set(range(S))]


@pytest.mark.parametrize(("S", "A", "b"), [(8, 3, 1), (8, 3, 2), (8, 2, 5), (4, 2, 4)])
def test_garnet_branching_is_exact(S, A, b):
    for seed in range(20):
        P = garnet_problem(rng(seed), S, A, b, 2, gamma=0.9).mdp.P
        assert ((P > 0).sum(axis=2) == b).all()


def test_garnet_problem_is_the_ensemble_of_one():
    sizes = (9, 3, 2, 4, "absolute-normal")
    problem = garnet_problem(rng(), *sizes, gamma="9/10")
    alone = garnet_ensemble(rng(), 1, *sizes).problem(0, "9/10")
    assert problem.mdp.n_actions == 3
    for name in ARRAYS:
        # The same numbers summed over actions in another order: a few roundings.
        np.testing.assert_allclose(getattr(problem, name), getattr(alone, name), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (partial(paper_ensemble, n=1, states=2, features=1, law="gauss"), r"law: no feature law named 'gauss'"),
        (partial(dirichlet_ensemble, n=1, states=2, features=1, concentration=np.nan), r"concentration: must be"),
        (partial(garnet_ensemble, n=1, states=2, actions=1, branching=3, features=1), r"branching: .* 2 states, got 3"),
    ],
)
def test_rejects(call, message):
    generator = rng()
    with pytest.raises(InvalidProblem, match=message):
        call(generator)
