"""Mean-square step sizes: computed roots against closed forms, certificates against eigenvalues and simulation."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from tests.learners.cases import noisy, third
from tests.learners.stated_means import mean_map
from tests.noise.stepping import moment_map
from theory.exact.matrices import identity, is_positive_definite, matrix
from theory.learners.affine import affine
from theory.learners.concurrent import ConcurrentChain
from theory.learners.corrected import ChainedExpectedSarsa
from theory.learners.gradient import GTD2, TDC, TDRC
from theory.learners.n_step import NStep
from theory.learners.sequential import TargetNetwork
from theory.learners.soft import SoftTarget
from theory.learners.td import TD, OffPolicyTD
from theory.linear.spectra import largest_step_size as eigenvalue_limit
from theory.noise import mean_square
from theory.noise.cone import certify
from theory.noise.errors import error_chain
from theory.noise.mean_square import exact_chain, largest_step_size, mean_maps, square_maps
from theory.noise.moments import Moments
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem

one = Fraction(1)


@cache
def maps(name, kind, ratio=one):
    problem = noisy() if name == "noisy" else catalogue_problem(name)
    gamma = problem.exact.gamma
    rule = {
        "gtd2": lambda: GTD2(gamma, one, one),
        "tdc": lambda: TDC(gamma, one, one),
        "tdrc": lambda: TDRC(gamma, one, one),
        "chain": lambda: ConcurrentChain(gamma, one, K=1),
        "soft": lambda: SoftTarget(gamma, one, tau=third),
        "n-step": lambda: NStep(gamma, one, 2),
        "td": lambda: TD(gamma, one),
        "off-policy-td": lambda: OffPolicyTD(gamma, one),
    }[kind]()
    return rule, problem, square_maps(rule, problem, ratio)


@pytest.mark.parametrize("gamma", ["0", "1/3", "1/2", "4/5"])
def test_twostate_has_the_closed_form_of_off_policy_td(gamma):
    """Two states, one feature: (5 − 6γ)/(17 − 36γ + 20γ²), by hand from the 2×2 determinant."""
    g = Fraction(gamma)
    found = largest_step_size(maps(f"twostate:gamma={gamma}", "off-policy-td")[2])
    assert found.exact == (5 - 6 * g) / (17 - 36 * g + 20 * g * g)


def test_large_features_have_small_step_sizes():
    """Features times c, step sizes over c²: here below 2⁻³⁰, where an interval of fixed width would hold 0."""
    mild = noisy()
    scaled = Problem.from_mdp(mild.mdp, pi=mild.pi, mu=mild.mu, Phi=mild.exact.Phi * 10**6)
    rule = TD(mild.exact.gamma, one)
    large, small = (largest_step_size(square_maps(rule, p)).exact for p in (mild, scaled))
    assert float(large) == pytest.approx(float(small) * 10**12, rel=1e-14)


def test_off_policy_td_has_no_stable_step_size_where_its_mean_diverges():
    found = largest_step_size(maps("twostate", "off-policy-td")[2])
    assert found.value == 0
    assert str(found) == "none"


def test_heads_of_the_chain_have_theirs():
    """5/17 is the closed form above at γ = 0: a head's own moves do not see γ."""
    assert largest_step_size(maps("twostate", "chain")[2]).exact == Fraction(5, 17)
    *_, head = maps("baird", "chain")[2]
    assert largest_step_size([head]).exact == Fraction(2, 35)


def test_baird_at_one_half_is_a_quadratic_number():
    x = largest_step_size(maps("baird:gamma=1/2", "off-policy-td")[2]).exact
    assert [int(c) for c in x.polynomial.coeffs()] == [104, -2562, 15337]


CASES = [("threestate", "td"), ("threestate", "gtd2"), ("noisy", "off-policy-td"), ("noisy", "chain"),
         ("twostate", "gtd2"), ("twostate", "tdc"), ("noisy", "soft"),
         ("twostate:gamma=1/2", "n-step"), ("noisy", "tdrc")]  # fmt: skip


def radius(kind, name, alpha):
    """ρ₂ by eigenvalues of the whole map in floats, without blocks, exchanges or parts in α."""
    rule, problem, _ = maps(name, kind)
    sizes = {"alpha": alpha} | ({"beta": alpha} if "beta" in rule.columns else {})
    numbers = {n: float(x) for n, x in vars(rule).items() if isinstance(x, Fraction)} | sizes
    chain = error_chain(type(rule)(**{**vars(rule), **numbers}), problem, exact=False)
    D = chain.size
    return np.abs(np.linalg.eigvals(moment_map(chain, chain.maps[:, :D, :D]))).max()


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_the_spectral_radius_passes_one_at_the_root(name, kind):
    found = largest_step_size(maps(name, kind)[2]).exact
    at = float(found)
    assert radius(kind, name, at) == pytest.approx(1, abs=1e-9)
    assert radius(kind, name, 0.99 * at) < 1 < radius(kind, name, 1.01 * at)
    for below in (0.9, 0.5, 0.1):
        assert radius(kind, name, below * at) < 1


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_witnesses_are_there_exactly_below_the_root(name, kind):
    found = maps(name, kind)[2]
    at = Fraction(float(largest_step_size(found).exact))
    assert all(one.stable(at * Fraction(99, 100)) for one in found)
    assert not all(one.stable(at * Fraction(101, 100)) for one in found)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_block_by_block_the_radius_is_that_of_the_whole(name, kind):
    for alpha in (Fraction(1, 20), Fraction(3, 4)):
        found = max(one.moments.radius(float(alpha))[0] for one in maps(name, kind)[2])
        assert found == pytest.approx(radius(kind, name, float(alpha)), rel=1e-7)  # a double eigenvalue loses half


def test_a_witness_solves_its_equation():
    """Y − Σ p M Y Mᵀ = I at every node, by the maps themselves."""
    alpha = Fraction(1, 10)
    _, problem, (found,) = maps("noisy", "off-policy-td")
    Y = found.witness(alpha)
    chain = error_chain(OffPolicyTD(problem.exact.gamma, alpha), problem)
    D = chain.size
    left = list(Y)
    for i, j, p, M in zip(chain.node, chain.next_node, chain.probability, chain.maps, strict=True):
        own = matrix(M[:D, :D])
        left[j] = left[j] - p * (own * Y[i] * own.transpose())
    assert all(is_positive_definite(y) for y in Y)
    assert all(x == identity(D) for x in left)


def test_symmetry_of_baird_is_found():
    """196 second moments of 7 states in 7 coordinates; six states are alike."""
    (found,) = maps("baird:gamma=1/2", "off-policy-td")[2]
    assert found.moments.numbered(2, constant=False).columns.size == 196
    assert found.n == 11


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_largest_step_size_in_the_mean_is_that_of_the_eigenvalues(name, kind):
    """min 2 Re λ/|λ|² over the spectrum of the expected update's matrix, in floats."""
    rule, problem, _ = maps(name, kind)
    if kind == "soft":  # the target moves whatever α is: no Richardson iteration; a chain of roots instead
        at = largest_step_size(mean_maps(rule, problem)).exact
        E, _ = mean_map(affine(SoftTarget(problem.gamma, float(at), tau=1 / 3), problem, exact=False))
        assert np.abs(np.linalg.eigvals(E)).max() == pytest.approx(1, abs=1e-9)
        return
    found = affine(rule, problem)  # at α = β = 1
    G = np.eye(found.size) - mean_map(found)[0].astype(float)
    limit = eigenvalue_limit(np.linalg.eigvals(G))
    assert float(largest_step_size(mean_maps(rule, problem)).exact) == pytest.approx(limit, rel=1e-9)


def test_one_step_is_off_policy_td_in_the_mean_too():
    problem = noisy()
    steps = [
        largest_step_size(mean_maps(rule(problem.exact.gamma, one), problem)).exact for rule in (NStep, OffPolicyTD)
    ]
    assert steps[0] == steps[1]


def test_updates_that_take_turns_have_no_one_mean():
    problem = noisy()
    with pytest.raises(InvalidProblem, match="take turns"):
        mean_maps(TargetNetwork(problem.exact.gamma, one, 2), problem)


def test_actions_that_share_no_feature_are_blocks_of_their_own():
    """So that a tuple of positive definite matrices proves that ρ₂ > 1: the growing moments are of one action alone."""
    problem = catalogue_problem("random-walk:states=3")
    rule = ChainedExpectedSarsa(problem.exact.gamma, one, K=1)
    families = [Moments(one) for one in exact_chain(rule, problem).blocks]
    squares = square_maps(rule, problem)
    assert any(f.size < 2 * problem.n_features for f in families)
    limit = Fraction(float(largest_step_size(squares).exact)).limit_denominator(10**6)
    above = [certify(f, limit * Fraction(101, 100)) for f in families]
    assert any(c is not None and not c.stable and c.recheck() for c in above)
    below = [certify(f, limit * Fraction(99, 100)) for f in families]
    assert all(c is not None and c.stable and c.recheck() for c in below)
    assert max(f.perron(float(limit))[0] for f in families) == pytest.approx(1, abs=1e-5)


def test_the_ratio_of_step_sizes_counts():
    half = largest_step_size(maps("twostate", "tdc", Fraction(1, 2))[2]).exact
    assert half != largest_step_size(maps("twostate", "tdc")[2]).exact


def test_curves_fall_below_and_rise_above():
    """The exact error of a zero-reward problem, 4,000 moves from 100, 5% on either side of α*."""
    problem = catalogue_problem("threestate")
    at = float(largest_step_size(maps("threestate", "td")[2]).exact)
    below, above = (error_chain(TD(problem.gamma, f * at), problem, exact=False) for f in (0.95, 1.05))
    early, late = Moments(below).stepped(4000)[[2000, 4000]]
    assert late <= early * (1 + 1e-9)
    early, late = Moments(above).stepped(4000)[[2000, 4000]]
    assert late > 10 * early


def test_too_many_moments_are_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(mean_square, "MAX_NUMBERS", 5)
    with pytest.raises(InvalidProblem, match="9 second moments are more than 5"):
        square_maps(TD(Fraction(4, 5), one), noisy())


def test_a_problem_in_floats_is_refused():
    with pytest.raises(InvalidProblem, match="roots of determinants need a problem given exactly"):
        square_maps(TD(Fraction(1, 2), one), catalogue_problem("garnet:states=3,features=2"))
