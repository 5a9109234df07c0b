"""Verdicts on sparse problems: bounds that hold, the answers of dense ones, copies that change nothing, a checker."""

import copy
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.large import copies, kept_sparse
from theory.certified.large import large_safety, second_moments
from theory.certified.recheck import checker as recheck
from theory.certified.verdicts import chain_unbiased, td_stable, uniformly_safe, window_stable
from theory.exact.matrices import fraction, rational
from theory.model.balls import as_bounded
from theory.model.enclosed import enclosed, follow_on, resolvent
from theory.model.linear_model import exact_model, exact_moments
from theory.model.over_states import OverStates, Transitions, Weights, summed
from theory.model.over_states import given as as_given
from theory.model.points import true_values
from theory.problems import InvalidProblem, Problem, open_problem
from theory.problems.catalogue import problem_names
from theory.problems.graph import never_ending
from theory.problems.large import LargeProblem

seeds = st.integers(0, 10**6)  # not the numbers themselves: drawing thousands of them takes long
ASKED = (td_stable, chain_unbiased, lambda p, confirm=False: window_stable(p, 20, Fraction(1, 64), confirm=confirm))


def sparse_rows(S, F, seed, branching=3):
    """A problem in doubles of many sizes of weights, a few successors a state."""
    rng = np.random.default_rng(seed)
    P = np.zeros((S, S))
    for s in range(S):
        P[s, rng.integers(0, S, branching)] += rng.random(branching)
    P /= P.sum(axis=1, keepdims=True)
    d = rng.random(S) ** 8 + 1e-12
    Phi = rng.standard_normal((S, F)) * 10.0 ** rng.integers(-3, 3, F)
    return Problem.from_matrices(0.95, Phi=Phi, P_pi=P, d_mu=d / d.sum(), r_pi=rng.standard_normal(S))


@pytest.mark.parametrize("seed", range(6))
def test_both_enclosures_hold_the_exact_moments(seed):
    problem = sparse_rows(40, 4, seed)
    large = kept_sparse(problem)
    found, exact = enclosed(large), exact_moments(problem)
    X, Y = second_moments(large)
    known = zip(map(as_bounded, (found.X_hat, found.Y_hat, found.b_hat)), (exact.X, exact.Y, exact.b), strict=True)
    pairs = [*known, (X, exact.X), (Y, exact.Y)]
    for enclosure, true in pairs:
        for i in range(enclosure.mid.shape[0]):
            for j in range(enclosure.mid.shape[1]):
                off = abs(Fraction(enclosure.mid[i, j]) - fraction(true[i, j]))
                assert off <= Fraction(enclosure.rad[i, j])
        assert (enclosure.rad < 1e-10 * max(1, np.abs(enclosure.mid).max())).all()


def test_sums_over_many_blocks_are_within_their_bounds():
    rng = np.random.default_rng(0)
    S = 5_000
    U, V, w = rng.standard_normal((S, 2)) * 1e6, rng.standard_normal((S, 3)), rng.random(S)
    V[: S // 2] = 1e-9 * V[: S // 2]
    found = summed(as_given(U), Weights(w), as_given(V))
    for i in range(2):
        for j in range(3):
            terms = zip(w.tolist(), U[:, i].tolist(), V[:, j].tolist(), strict=True)
            true = sum((Fraction(a) * Fraction(b) * Fraction(c) for a, b, c in terms), Fraction(0))
            assert abs(true - Fraction(found.mid[i, j])) <= Fraction(found.rad[i, j])


def test_errors_of_the_arrays_reach_the_sums():
    V = OverStates(np.array([[1.0], [2.0]]), np.array([0.5]))
    found = summed(as_given(np.array([[1.0], [-1.0]])), Weights(np.array([0.5, 0.5]), 0.25), V)
    low, high = found.mid[0, 0] - found.rad[0, 0], found.mid[0, 0] + found.rad[0, 0]
    for w in ((0.5, 0.5), (0.75, 0.5), (0.5, 0.25)):
        for e in (-0.5, 0.5):
            assert low <= w[0] * (1 + e) - w[1] * (2 - e) <= high


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 60), st.integers(1, 4), st.sampled_from([0, 0.5, 0.9, 0.999]))
def test_the_sparse_road_never_contradicts_the_dense_one(seed, S, F, gamma):
    problem = sparse_rows(S, F, seed).with_gamma(gamma)
    large = kept_sparse(problem)
    for ask in ASKED:
        dense, here = ask(problem), ask(large, confirm=True)
        assert here.undecided or here.holds == dense.holds


@pytest.mark.parametrize("seed", range(8))
def test_the_sparse_road_decides_what_the_dense_one_does(seed):
    problem = sparse_rows(60, 1 + seed % 5, seed, branching=1 + seed % 3)
    for ask in ASKED[:2]:
        dense, here = ask(problem), ask(kept_sparse(problem), confirm=True)
        assert here.holds == dense.holds
        assert here.rechecked


def test_dependent_features_of_many_different_rows_are_undecided():
    rng = np.random.default_rng(1)
    S = 5000
    one = rng.standard_normal((S, 1))
    large = copies(open_problem("twostate"), S // 2)
    twins = large.with_features(np.hstack([one, 2 * one]))
    verdict = td_stable(twins)
    assert verdict.undecided
    assert "depend on each other" in verdict.reason


@pytest.mark.parametrize("kind", [td_stable, chain_unbiased])
@pytest.mark.parametrize("name", ["baird", "kolter", "quadrant-unstable-unbiased"])
def test_the_checker_refuses_wider_bounds_the_opposite_and_other_evidence(kind, name):
    document = kind(copies(open_problem(name), 5)).certificate.to_dict()
    assert recheck.check(document)
    wide = copy.deepcopy(document)
    wide["question"]["radius"] = [["10"] * len(row) for row in wide["question"]["radius"]]
    negative = copy.deepcopy(document)
    negative["question"]["radius"][0][0] = "-1"
    other = copy.deepcopy(document) | {"evidence": {"kind": "roots", "polynomial": ["0", "1"], "side": -1}}
    for bad in (wide, negative, other, document | {"holds": not document["holds"]}):
        assert not recheck.check(bad)


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from([0.0, 0.5, 0.99, 0.9999]))
def test_values_are_within_the_bound_that_their_residual_proves(seed, gamma):
    problem = sparse_rows(12, 1, seed).with_gamma(gamma)
    large = kept_sparse(problem)
    v = resolvent(Transitions(large.successors), gamma, as_given(large.r_pi))
    true = true_values(exact_model(problem))
    for s in range(problem.n_states):
        assert abs(Fraction(v.values[s, 0]) - fraction(true[s, 0])) <= Fraction(v.error[0])
    f = follow_on(Transitions(large.successors), gamma, Weights(large.d_mu))
    exact = np.linalg.solve(np.eye(12) - gamma * problem.P_pi.T, problem.d_mu)
    assert np.abs(f.values - exact).sum() <= f.error + 1e-9 / (1 - gamma)
    assert f.error < 1e-5 / (1 - gamma)


@pytest.mark.parametrize("name", problem_names())
def test_safety_for_every_feature_is_that_of_the_dense_problem(name):
    problem = open_problem(name)
    if not problem.given.d_mu.all():
        with pytest.raises(InvalidProblem, match=r"^d_mu.*: missing coverage: state"):
            kept_sparse(problem)
        return
    g, large = problem.given, kept_sparse(problem)
    found = large_safety(large)
    assert found.holds == uniformly_safe(g.d_mu, g.P_pi, g.gamma).holds
    D, M = np.diag(problem.d_mu), np.eye(problem.n_states) - problem.gamma * problem.P_pi
    if found.proved:
        assert (found.evidence.w > 0).all()
        assert ((D @ M + M.T @ D) @ found.evidence.w > 0).all()
    else:
        assert found.evidence.x @ D @ M @ found.evidence.x < 0


def test_safety_at_the_border_is_not_claimed():
    """On-policy with γ = 1 − 2⁻⁵³: safe, by less than rounding."""
    ring = sparse.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(2, 2))
    large = LargeProblem.from_matrices(1 - 2.0**-53, Phi=[[1.0], [2.0]], P_pi=ring, d_mu=[0.5, 0.5])
    assert large_safety(large).holds.json is not False


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from([0.5, 1e-2, 1e-4]))
def test_where_episodes_end_values_without_discount_are_within_their_bound(seed, ends):
    """At γ = 1 the bound is the longest episode's length; exact fractions are the witness."""
    forever = sparse_rows(12, 1, seed)
    P = np.array(forever.P_pi)
    P[seed % 12] *= 1 - ends
    assume(not never_ending(P))
    problem = Problem.from_matrices(1, Phi=forever.Phi, P_pi=P, d_mu=forever.d_mu, r_pi=forever.r_pi, episodic=True)
    large = kept_sparse(problem)
    v = resolvent(Transitions(large.successors), 1, as_given(large.r_pi))
    true = true_values(exact_model(problem))
    for s in range(problem.n_states):
        assert abs(Fraction(v.values[s, 0]) - fraction(true[s, 0])) <= Fraction(v.error[0])
    length = np.linalg.solve(np.eye(12) - P, np.ones(12)).max()
    assert v.error[0] < 1e-6 * length**2
    f = follow_on(Transitions(large.successors), 1, Weights(large.d_mu))
    assert np.abs(f.values - np.linalg.solve(np.eye(12) - P.T, problem.d_mu)).sum() <= f.error + 1e-9 * length


@pytest.mark.parametrize("reward", [1e-320, 1e-310, 1e-200, 1e-20, 1e-12, 1e50])
def test_values_of_tiny_rewards_are_within_their_bound(reward):
    """Subnormal numbers lost digits that no bound counted, and small ones were given up."""
    P = sparse.csr_array(np.array([[0.3, 0.2], [0.5, 0.25]]))
    v = resolvent(Transitions(P), 1, as_given(np.array([reward, reward])))
    exact = [fraction(x) for x in _solved_exactly(P.toarray(), reward)]
    for found, true in zip(v.values[:, 0], exact, strict=True):
        assert abs(Fraction(found) - true) <= Fraction(v.error[0])
    if reward > 1e-290:
        assert v.error[0] < 1e-9 * reward


def _solved_exactly(P, reward):
    n = len(P)
    M = fmpq_mat([[rational(Fraction(float(i == j)) - Fraction(P[i, j])) for j in range(n)] for i in range(n)])
    return M.solve(fmpq_mat([[rational(Fraction(reward))]] * n)).entries()
