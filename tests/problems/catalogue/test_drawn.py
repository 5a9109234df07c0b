"""Random problems by seed."""

import numpy as np
import pytest

from theory.problems.catalogue import catalogue_problem
from theory.problems.ensembles import garnet_ensemble, paper_ensemble

RANDOM = ("garnet", "random")


@pytest.mark.parametrize("name", RANDOM)
def test_random_entries_depend_on_the_seed_alone(name):
    assert catalogue_problem(f"{name}:seed=5") == catalogue_problem(f"{name}:seed=5")
    one, two = catalogue_problem(f"{name}:seed=5"), catalogue_problem(f"{name}:seed=6")
    assert one.relabelled(name="x") != two.relabelled(name="x")


def test_random_is_the_first_draw_of_the_papers_ensemble():
    batch = paper_ensemble(np.random.default_rng(3), 1, 6, 4, "binary")
    problem = catalogue_problem("random:seed=3,states=6,features=4,law=binary")
    assert problem.relabelled(name="x") == batch.problem(0, "99/100").relabelled(name="x")


def test_garnet_is_the_first_draw_of_its_ensemble_and_has_an_mdp():
    batch = garnet_ensemble(np.random.default_rng(3), 1, 6, 2, 3, 4)
    problem = catalogue_problem("garnet:seed=3,states=6,actions=2,branching=3,features=4")
    assert problem.mdp.n_actions == 2
    np.testing.assert_array_equal(problem.Phi, batch.Phi[0])
    # Sums over two actions in another order, and two GTH eliminations of six states.
    np.testing.assert_allclose(problem.P_pi, batch.P_pi[0], rtol=1e-14)
    np.testing.assert_allclose(problem.d_mu, batch.d_mu[0], rtol=1e-13)
