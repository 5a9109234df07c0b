"""The concurrent chain by pairs of heads is the chain with all its heads."""

import numpy as np
import pytest

from tests.noise.stepping import error_curve, last_half, mean_error, second_moments, square_error, stationary_moments
from theory.learners.concurrent import ConcurrentChain
from theory.noise.errors import error_chain
from theory.noise.heads import HeadMoments
from theory.noise.moments import setting_moments
from theory.problems.catalogue import catalogue_problem

K, ALPHA = 3, 0.05


@pytest.fixture(scope="module", params=["threestate", "baird-reward"])
def problem(request):
    return catalogue_problem(f"{request.param}:gamma=9/10")


@pytest.fixture(scope="module")
def heads(problem):
    return HeadMoments(problem)


def chain_of(problem, k, alpha=ALPHA):
    return error_chain(ConcurrentChain(problem.gamma, alpha, K=k), problem, exact=False)


def test_pairs_are_the_whole_chain(problem, heads):
    found = heads.last_half(ALPHA, range(K + 1), 50, 10.0)
    whole = [last_half(error_curve(chain_of(problem, k), 50, 10)) for k in range(K + 1)]
    assert found == pytest.approx(whole, rel=1e-10)


def test_the_long_run_of_pairs_is_that_of_the_chain(problem, heads):
    alpha = 0.01
    found = heads.stationary(np.array([alpha]), 2)[0]
    whole = [square_error(chain, stationary_moments(chain)) for chain in (chain_of(problem, k, alpha) for k in (1, 2))]
    assert found[1:] == pytest.approx(whole, rel=1e-7)


def test_no_error_is_below_its_bias(problem, heads):
    steps = 64
    bound = heads.bias(ALPHA, [1, 2], steps).bound
    errors = heads.last_half(ALPHA, [1, 2], steps)
    assert (bound <= errors).all()
    for k, b in zip((1, 2), bound, strict=True):
        moments = list(second_moments(chain_of(problem, k), steps))[steps // 2 + 1 :]
        means = np.array([mean_error(chain_of(problem, k), Y) for Y in moments])
        blocks = means.reshape(16, -1, means.shape[1]).mean(axis=1)
        assert b == pytest.approx((blocks**2).mean(), rel=1e-9)


def test_stepping_ends_early_only_above_what_is_enough(heads):
    errors = heads.last_half(ALPHA, [1, 2], 4000)
    assert heads.last_half(ALPHA, [1, 2], 4000, enough=1.01 * errors.min()) == pytest.approx(errors)
    assert np.isinf(heads.last_half(ALPHA, [1, 2], 40_000, enough=1e-3 * errors.min())).all()


def test_the_bias_of_the_moves_to_come_ends_stepping_sooner_and_never_below_what_is_enough(heads):
    steps = 16_000
    bias, errors = heads.bias(ALPHA, [1, 2], steps), heads.last_half(ALPHA, [1, 2], steps)
    assert bias.rest[0] == pytest.approx(bias.bound * (steps - steps // 2))
    for enough in np.linspace(0.98, 1.02, 9) * errors.min():
        found = heads.last_half(ALPHA, [1, 2], steps, enough=enough, bias=bias)
        assert enough < errors.min() or found == pytest.approx(errors)
        assert np.isinf(found).all() or found == pytest.approx(errors)
    between = (bias.bound.min() + errors.min()) / 2
    assert np.isinf(heads.last_half(ALPHA, [1, 2], steps, enough=between, bias=bias)).all()


def test_the_radius_is_that_of_one_head_for_any_number(problem, heads):
    whole = setting_moments(ConcurrentChain(problem.exact.gamma, 1, K=2), problem).radius(np.array([ALPHA]))[0]
    # Pairs of different heads make Jordan blocks: the eigenvalue of the whole is that one to a root of the precision.
    assert whole == pytest.approx(heads.radius(ALPHA), rel=1e-4)
