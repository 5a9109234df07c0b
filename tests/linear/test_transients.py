from itertools import islice

import numpy as np
import pytest

from tests.linear.examples import baird, random_problem, swap, twostate
from theory.linear.spectra import chain_radius, head_step_sizes
from theory.linear.target_networks import window_radii
from theory.linear.transients import joint_iteration, transfer_radius, transient
from theory.model.iteration import richardson
from theory.model.linear_model import moments
from theory.model.points import chain_values
from theory.problems import InvalidProblem, Problem


@pytest.mark.parametrize(
    ("problem", "alpha", "K"),
    [(baird(), 0.1, 64), (random_problem(1, 5, 3), 0.1, 6), (twostate("9/10", (1, 1)), 0.3, 10)],
    ids=["baird", "random", "twostate"],
)
def test_errors_are_those_of_the_simulated_chain(problem, alpha, K):
    found = transient(problem, alpha, K, max_steps=700)
    steps = len(found.log10_error) - 1
    F = problem.n_features
    run = islice(richardson(*moments(problem).joint(K), alpha, np.zeros((K + 1) * F)), steps + 1)
    values = np.array([theta.reshape(K + 1, F) @ problem.Phi.T for theta in run])
    fixed = chain_values(problem, K)
    error = np.abs(values - fixed).max(axis=2)
    # The simulation rounds at the size of values that peaked at `error.max()`; below that it knows nothing.
    assert np.allclose(10**found.log10_error, error, rtol=1e-8, atol=1e-10 * error.max())


def test_error_of_head_64_on_baird_peaks_above_280_and_then_converges():
    found = transient(baird(), 0.1, 64)
    assert 280 < 10 ** found.log10_peak[64] < 281
    assert found.settled
    assert found.peak_step[64] > 300
    # Head by head: more heads do not change earlier ones.
    assert np.array_equal(transient(baird(), 0.1, 40, max_steps=500).log10_error, found.log10_error[:501, :41])


def test_peaks_grow_like_R_to_the_K_at_K_256():
    p = baird("99/100")
    gain, _ = transfer_radius(p, 0.1)
    found = transient(p, 0.1, 256)
    assert found.settled
    growth = (found.log10_peak[256] - found.log10_peak[192]) / 64
    assert gain > 1
    # Rᴷ comes with a power of K, −½ log₁₀(K) from the width of the maximum: 2 % of the exponent here.
    assert growth == pytest.approx(np.log10(gain), rel=0.03)


def test_growth_beyond_the_range_of_doubles_is_infinite():
    """One feature, no reward: head k rests at βᵏc₀, so its first error is |1 − βᵏ| times the largest |v₀|."""
    p = swap([[1], [3]])  # β = 3/2
    found = transient(p, 0.1, 2500, [1.0], max_steps=5)
    k = np.arange(1, 1700)
    expected = np.log10(3.0) + k * np.log10(1.5) + np.log1p(-(1.5**-k)) / np.log(10)
    assert np.allclose(found.log10_error[0, 1:1700], expected, rtol=1e-12)
    assert np.isposinf(found.log10_error[0, 2500])
    assert not found.settled
    # Head 0 stays: nothing is known of its chain.
    assert np.isneginf(found.log10_error[:, 0]).all()


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_errors_scale_with_the_start(scale):
    p = baird(reward=False)
    unit, scaled = (transient(p, 0.1, 20, np.ones(8) * x, max_steps=300).log10_error for x in (1.0, scale))
    assert np.allclose(scaled - unit, np.log10(scale), atol=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_R_is_above_one_wherever_td_diverges(seed):
    p = random_problem(seed, 4, 3, gamma=0.99)
    alpha = 0.3 * head_step_sizes(p).limit
    gain, at = transfer_radius(p, alpha)
    assert abs(at) == pytest.approx(1)
    assert gain >= chain_radius(p) - 1e-12
    if window_radii(p, alpha, [1])[0] > 1:
        assert gain > 1


def test_R_is_the_maximum_over_a_much_finer_circle():
    p = random_problem(3, 5, 4, gamma=0.95)
    it = joint_iteration(p, 0.2)
    circle = np.exp(1j * np.linspace(0, np.pi, 40_001))
    gains = (it.step / (circle[:, None] - 1 + it.step))[..., None] * it.B  # H(λ) on the circle
    finest = np.abs(np.linalg.eigvals(gains)).max()
    gain, _ = transfer_radius(p, 0.2)
    assert gain >= finest - 1e-12
    assert gain == pytest.approx(finest, rel=1e-6)


def test_extremes():
    assert transfer_radius(twostate("1/2").with_features([[0], [0]]), 0.1)[0] == 0
    one = Problem.from_matrices(0, Phi=[[2]], P_pi=[[1]], r_pi=[3], d_mu=[1])
    assert transfer_radius(one, 0.1)[0] == 0
    assert transient(one, 0.1, 2).settled
    with pytest.raises(InvalidProblem, match="K"):
        transient(one, 0.1, -1)
    with pytest.raises(InvalidProblem, match="alpha"):
        transient(one, np.nan, 1)
