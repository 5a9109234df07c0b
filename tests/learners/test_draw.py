"""The compiled walk draws what the plain one draws."""

import numpy as np
import pytest

from theory.learners.streams import draw_transitions
from theory.problems.catalogue import catalogue_problem
from theory.problems.ensembles import garnet_problem
from theory.problems.sampling import sample_transitions

PROBLEMS = {
    "baird-reward": lambda: catalogue_problem("baird-reward"),
    "threestate": lambda: catalogue_problem("threestate:gamma=99/100"),
    "dense": lambda: garnet_problem(np.random.default_rng(4), 30, 3, 20, 5, gamma=0.9),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize(("steps", "seeds"), [(1, 1), (5000, 3)])
def test_compiled_walk_draws_the_same_moves(name, steps, seeds):
    """5,000 moves are more than a block of uniforms, so the walk is taken up where it was left."""
    problem = PROBLEMS[name]()
    plain = sample_transitions(np.random.default_rng(6), problem, steps, seeds)
    fast = draw_transitions(np.random.default_rng(6), problem, steps, seeds)
    assert plain.drawn.dtype == fast.drawn.dtype
    np.testing.assert_array_equal(plain.drawn, fast.drawn)
    for one, other in zip(plain.possible, fast.possible, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_seed_is_a_row_of_all():
    moves = draw_transitions(np.random.default_rng(6), catalogue_problem("threestate"), 50, 3)
    for one, others, everybody in zip(moves.seed(1), moves[1:].all(), moves.all(), strict=True):
        np.testing.assert_array_equal(one, everybody[1])
        np.testing.assert_array_equal(others, everybody[1:])
