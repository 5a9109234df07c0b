"""Many settings at once: exchanged states change nothing, batches equal single runs, spreads equal what samples do."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.learners.cases import noisy
from tests.noise import stepping
from tests.noise.stepping import error_curve, moment_map, square_error, stationary_moments
from theory.learners.driver import run_bulk
from theory.learners.families import find_learner
from theory.learners.streams import draw_initials, draw_transitions
from theory.noise.errors import error_chain, step_maps
from theory.noise.moments import Moments, setting_moments
from theory.noise.runs import curve, last_half, spread
from theory.noise.symmetry import Orbits
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem

LEARNERS = ["td", "off-policy-td", "gtd2", "tdc", "tdrc", "soft-target", "n-step"]
ALPHA, BETA = np.array([0.01, 0.05, 0.002]), np.array([0.03, 0.02, 0.05])


def rule_at(name, gamma, alpha, beta):
    rule = find_learner(name)
    sizes = {"alpha": alpha, "beta": beta, "n": 2}
    return rule.of(gamma, {column: sizes[column] for column in rule.columns}, 1)


def moments_of(name, problem):
    return setting_moments(rule_at(name, problem.exact.gamma if problem.is_exact else problem.gamma, 1, 1), problem)


def beta_of(name):
    return BETA if "beta" in find_learner(name).columns else None


@pytest.mark.parametrize("name", LEARNERS)
def test_a_batch_equals_runs_stepped_one_by_one(name):
    problem = catalogue_problem("threestate:gamma=1/2")
    found = last_half(moments_of(name, problem), ALPHA, beta_of(name), 41, 10.0)
    for q, alpha, beta in zip(found, ALPHA.tolist(), BETA.tolist(), strict=True):
        stepped = error_curve(error_chain(rule_at(name, 0.5, alpha, beta), problem, exact=False), 41, 10)
        assert q == pytest.approx(stepping.last_half(stepped), rel=1e-10)


@pytest.mark.parametrize("name", ["td", "gtd2", "tdc"])
def test_exchanging_states_changes_nothing(name):
    """Baird's six states are found, and the moments of one of each orbit are those of all."""
    problem = catalogue_problem("baird-reward:gamma=9/10")
    lumped = moments_of(name, problem)
    assert Orbits(lumped.chain, constant=True).classes == [[0, 1, 2, 3, 4, 5]]
    whole = Moments(lumped.chain.in_floats)
    assert len(lumped.numbered(2)) * 10 < len(whole.numbered(2))
    beta = None if beta_of(name) is None else BETA[:1]
    few, all_of_them = (last_half(m, ALPHA[:1], beta, 64) for m in (lumped, whole))
    assert few == pytest.approx(all_of_them, rel=1e-10)
    stepped = error_curve(error_chain(rule_at(name, 0.9, 0.01, 0.03), problem, exact=False), 64)
    assert few[0] == pytest.approx(stepping.last_half(stepped), rel=1e-10)


def test_a_single_different_reward_tells_states_apart():
    problem = catalogue_problem("threestate")
    assert Orbits(moments_of("td", problem).chain, constant=True).classes == []


def test_rewards_do_not_tell_states_apart_where_nothing_drives_the_error():
    """Baird's own states, with a reward of its own each: exchanged without the constant alone."""
    mdp = catalogue_problem("baird").mdp
    own = np.array([[Fraction(s)] * mdp.n_actions for s in range(mdp.n_states)])
    plain = catalogue_problem("baird")
    problem = Problem.from_mdp(replace(mdp, R=own), pi=plain.pi, mu=plain.mu, Phi=plain.exact.Phi)
    chain = moments_of("td", problem).chain
    assert Orbits(chain, constant=True).classes == []
    assert Orbits(chain, constant=False).classes == [[0, 1, 2, 3, 4, 5]]
    found, whole = (Moments(one).radius(ALPHA, None, 4) for one in (chain, chain.in_floats))
    assert found == pytest.approx(whole, rel=1e-9)


def test_floats_are_the_fractions():
    problem = catalogue_problem("twostate:gamma=1/2")
    alpha = Fraction(1, 16)
    exact = error_curve(error_chain(rule_at("off-policy-td", Fraction(1, 2), alpha, 1), problem), 20, 10)
    found = curve(moments_of("off-policy-td", problem), np.arange(21), np.array([float(alpha)]), scale=10.0)[0]
    assert found == pytest.approx([float(q) for q in exact], rel=1e-12)


@pytest.mark.parametrize("name", ["td", "gtd2"])
def test_errors_are_quadratic_in_the_scale_of_the_start(name):
    moments = moments_of(name, catalogue_problem("threestate"))
    q0, q1, q2, q3 = (last_half(moments, ALPHA, beta_of(name), 100, s) for s in (0.0, 1.0, 2.0, 3.0))
    assert q2 - q0 == pytest.approx(4 * (q1 - q0), rel=1e-9)
    assert q3 - q0 == pytest.approx(9 * (q1 - q0), rel=1e-9)


@pytest.mark.parametrize("name", ["td", "gtd2", "tdrc"])
def test_the_long_run_and_the_radii_are_those_of_the_whole_map(name):
    problem = noisy()
    moments = moments_of(name, problem)
    found = [moments.settled(L) for L in moments.matrices(ALPHA, beta_of(name))]
    rho2, rho4 = (moments.radius(ALPHA, beta_of(name), p) for p in (2, 4))
    for at, (alpha, beta) in enumerate(zip(ALPHA.tolist(), BETA.tolist(), strict=True)):
        chain = error_chain(rule_at(name, problem.gamma, alpha, beta), problem, exact=False)
        assert found[at] == pytest.approx(square_error(chain, stationary_moments(chain)), rel=1e-7)
        for order, rho in ((2, rho2), (4, rho4)):
            maps = chain.maps[:, :-1, :-1]
            if order == 4:
                maps = np.einsum("mac,mbd->mabcd", maps, maps).reshape(len(maps), chain.size**2, -1)
            full = np.abs(np.linalg.eigvals(moment_map(chain, maps))).max()
            assert rho[at] == pytest.approx(full, rel=1e-7)


def test_divergence_is_infinite():
    moments = moments_of("off-policy-td", catalogue_problem("baird"))
    assert last_half(moments, np.array([0.5, 1e-4]))[0] == np.inf


@pytest.mark.parametrize(("name", "weighting"), [("td", "uniform"), ("gtd2", "uniform")])
def test_seeds_scatter_as_the_fourth_moments_say(name, weighting):
    """Mean and variance of a seed's last-half error over 4,000 seeds: |z| < 4 for both."""
    problem, steps, seeds = noisy(), 60, 4000
    found = spread(moments_of(name, problem), 0.05, 0.1 if name == "gtd2" else None, steps, 1.0)
    moves = draw_transitions(np.random.default_rng(3), problem, steps, seeds)
    starts = draw_initials(np.random.default_rng(4), seeds, 1, problem.n_features, scale=1.0)
    setting = {"alpha": 0.05} | ({"beta": 0.1} if name == "gtd2" else {})
    samples = run_bulk(name, problem, setting, moves, starts).mean_square[0]
    assert abs(found.z(np.sqrt(samples.mean()), seeds)) < 4
    centred = (samples - samples.mean()) ** 2
    assert abs(centred.mean() - found.deviation**2) < 4 * centred.std() / np.sqrt(seeds)


def test_maps_in_floats_are_the_exact_ones():
    problem = catalogue_problem("threestate")
    rule = rule_at("tdc", problem.exact.gamma, 1, 1)
    exact, floats = step_maps(rule, problem), step_maps(replace(rule, gamma=0.9), problem, exact=False)
    for sizes in zip(ALPHA, BETA, strict=True):
        assert exact.in_floats.mixed(sizes) == pytest.approx(floats.mixed(sizes), abs=1e-12)
