"""The sequential chain by windows is the chain stepped move by move."""

import numpy as np
import pytest

from tests.learners.cases import noisy
from tests.noise.stepping import error_curve, last_half
from theory.learners.sequential import SequentialChain, TargetNetwork
from theory.noise.errors import error_chain
from theory.noise.moments import setting_moments
from theory.noise.runs import spread
from theory.noise.windows import WindowMoments, window_spread
from theory.problems.catalogue import catalogue_problem


@pytest.mark.parametrize(
    ("K", "window", "steps", "after"), [(2, 3, 40, "wrap"), (2, 4, 31, "stop"), (3, 2, 24, "wrap")]
)
def test_windows_are_moves(K, window, steps, after):
    problem, alpha = catalogue_problem("threestate"), np.array([0.1, 0.02])
    found = WindowMoments(problem).last_half(alpha, window, range(K + 1), K, steps, 10.0, after)
    for row, a in zip(found, alpha.tolist(), strict=True):
        for k in range(K + 1):
            rule = SequentialChain(problem.gamma, a, window, K=K, k=k, after=after)
            curve = error_curve(error_chain(rule, problem, exact=False), steps, 10)
            assert row[k] == pytest.approx(last_half(curve), rel=1e-10)


def test_windows_shrink_as_target_networks_do():
    """Both orders: ρ(W)^(1/T) is the radius of the target network's chain, which has T nodes a state."""
    problem, alpha = noisy(), np.array([0.05])
    network = setting_moments(TargetNetwork(problem.exact.gamma, 1, 3), problem)
    windows = WindowMoments(problem)
    for order in (2, 4):
        assert windows.radius(alpha, 3, order) == pytest.approx(network.radius(alpha, None, order), rel=1e-9)


@pytest.mark.parametrize("after", ["wrap", "stop"])
@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("steps", [5, 22])
def test_seeds_scatter_by_windows_as_by_moves(after, k, steps):
    """Against all heads at once; in 5 moves head 2 has not begun, and its start is part of what scatters."""
    problem = catalogue_problem("twostate-reward:gamma=1/2")
    chain = setting_moments(SequentialChain(problem.exact.gamma, 1, 3, K=2, k=k, after=after), problem)
    found = window_spread(WindowMoments(problem), 0.1, 3, k, 2, steps, 10.0, after)
    expected = spread(chain, 0.1, None, steps, 10.0)
    assert found.square == pytest.approx(expected.square, rel=1e-10)
    assert found.deviation == pytest.approx(expected.deviation, rel=1e-8)


def test_a_spread_beyond_doubles_is_infinite():
    problem = catalogue_problem("twostate-reward:gamma=1/2")
    found = window_spread(WindowMoments(problem), 4.0, 50, 1, 2, 4000)
    assert found.deviation == np.inf
