"""Random features: shapes, laws, and what each law promises.

Statistical tests use fixed seeds; each allows six standard deviations, which a right law passes for all
but 2e−9 of the seeds.
"""

import numpy as np
import pytest

from theory.problems.ensembles import LAWS, draw_features
from theory.problems.numbers import InvalidProblem

SIZES = [(1, 1), (1, 4), (2, 3), (5, 1), (5, 5), (10, 7), (7, 20)]
# Every law and size it allows: tabular needs F = S.
CASES = [(law, S, F) for law in LAWS for S, F in SIZES if law != "tabular" or S == F]


def draw(n, S, F, law, seed=1):
    return draw_features(np.random.default_rng(seed), n, S, F, law)


def test_same_generator_state_same_bytes_and_different_seeds_differ():
    for law, S, F in CASES:
        assert draw(9, S, F, law).tobytes() == draw(9, S, F, law).tobytes(), (law, S, F)
    for law in LAWS.keys() - {"tabular"}:
        assert (draw(9, 6, 4, law, seed=1) != draw(9, 6, 4, law, seed=2)).any(), law


def test_there_is_no_zero_column():
    for law, S, F in CASES:
        if law in ("binary", "tile") or (law == "aggregation" and F <= S):
            assert draw(500, S, F, law).any(axis=1).all(), (law, S, F)


def test_binary_repairs_a_zero_column_at_a_uniform_state():
    # Two states, one feature: the columns (1,0), (0,1), (1,1) have probabilities 3/8, 3/8, 1/4.
    x = draw(20_000, 2, 1, "binary")[:, :, 0]
    both = (x.sum(axis=1) == 2).mean()
    first = (x == [1, 0]).all(axis=1).mean()
    assert abs(both - 1 / 4) < 6 * np.sqrt(3 / 16 / 20_000)
    assert abs(first - 3 / 8) < 6 * np.sqrt(15 / 64 / 20_000)


@pytest.mark.parametrize(("S", "F", "partitions"), [(10, 9, 3), (10, 3, 1), (12, 4, 2), (2, 9, 5), (1, 3, 3)])
def test_tile_has_one_active_tile_in_each_partition(S, F, partitions):
    Phi = draw(50, S, F, "tile")
    assert (Phi.sum(axis=2) == partitions).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 3, 0, "normal"), r"features: must be at least 1, got 0"),
        ((1, True, 2, "normal"), r"states: must be an integer, got True"),
        ((1, 3, 2, "tabular"), r"features: tabular features are as many as the 3 states, got 2"),
        ((1, 3, 2, "norml"), r"law: no feature law named 'norml'; did you mean 'normal'\?"),
    ],
)
def test_rejects(arguments, message):
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidProblem, match=message):
        draw_features(rng, *arguments)
