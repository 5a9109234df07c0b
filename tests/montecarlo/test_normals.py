"""The normals are normal, and how many are asked for at once does not matter."""

from math import erf, sqrt

import numpy as np
import pytest

from theory.montecarlo.normals import Normals, layers


def draw(n, seed=0, parts=1):
    normals, out = Normals(np.random.SFC64(seed)), np.empty(n)
    for part in np.array_split(out, parts):
        normals.fill(part)
    return out


def test_the_law_is_normal():
    """Dvoretzky–Kiefer–Wolfowitz with Massart's constant: sup|F_n − F| > ε with probability ≤ 2exp(−2nε²) = 10⁻⁹."""
    n = 1_000_000
    x = np.sort(draw(n))
    F = np.array([0.5 * (1 + erf(v / sqrt(2))) for v in x])
    epsilon = sqrt(np.log(2 / 1e-9) / (2 * n))
    assert np.abs(F - (np.arange(n) + 0.5) / n).max() <= epsilon + 1 / n


@pytest.mark.parametrize("beyond", [2.0, 3.6541528853610088, 4.2])
def test_tails_have_their_share_on_both_sides(beyond):
    """Counts within 6 standard errors, error probability 2·10⁻⁹ each; the second is where the last layer ends."""
    n = 4_000_000
    p = 0.5 * (1 - erf(beyond / sqrt(2)))
    x = draw(n, seed=1)
    for count in ((x > beyond).sum(), (x < -beyond).sum()):
        assert abs(count - n * p) <= 6 * sqrt(n * p)


@pytest.mark.parametrize("parts", [7, 1000])
def test_how_many_at_once_does_not_matter(parts):
    assert np.array_equal(draw(20_000), draw(20_000, parts=parts))


def test_words_that_run_out_in_the_middle_of_a_draw_change_nothing():
    """Given one at a time, every rejected draw lacks words at some point."""

    class OneByOne:
        def __init__(self):
            self.bits = np.random.SFC64(5)

        def random_raw(self, _):
            return self.bits.random_raw(1)

    out = np.empty(3000)
    Normals(OneByOne()).fill(out)
    assert np.array_equal(out, draw(3000, seed=5))


def test_layers_have_equal_areas_and_close_at_the_top():
    x = layers()
    f = np.exp(-(x**2) / 2)
    areas = x[1:-1] * (f[2:] - f[1:-1])
    np.testing.assert_allclose(areas, x[0] * f[1], rtol=1e-11)
