"""Simulation changes sides where the exact mean square does; all of it: ``python -m tests.noise.flips 24``."""

from tests.noise.flips import flips


def test_sampled_mean_squares_fall_below_the_limit_and_grow_above_it():
    """Within ±5% of α*, |z| < 4 against the exact growth: of a normal mean once in 16,000 draws, seeds fixed."""
    for name, _, (below, above) in flips(3, seed=1):
        assert below[0] < 1 < above[0], name
        assert below[1] < 1 < above[1], name
        for want, got, error in (below, above):
            assert abs(got - want) < 4 * error, name
