"""First witness: the mean of the sampled update over all moves is the expected update, in rationals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.learners.cases import PROBLEMS, corrected_rules, half, start, third
from tests.learners.stated_means import (
    Model,
    all_transitions,
    chain_mean,
    corrected_mean,
    corrected_past,
    follow_on,
    head_step,
    mean_map,
    pair_problem,
    trace_key_matrix,
    trace_mean,
    trace_past,
)
from tests.mean_updates import emphatic_mean
from theory.exact.matrices import fractions
from theory.learners.affine import affine
from theory.learners.concurrent import ConcurrentChain
from theory.learners.htd import HTD
from theory.learners.lstd import LSTD
from theory.learners.sequential import SequentialChain, TargetNetwork, Turns
from theory.learners.traces import ETD, TDLambda
from theory.learners.transition import View
from theory.model.linear_model import exact_moments
from theory.problems.catalogue import catalogue_problem

by_name = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)


def same(a, b) -> bool:
    return a.shape == b.shape and bool(np.all(a == b))


def mean(rule, state, view, read):
    return sum(p * read(rule.update(state, move)) for *_, p, move in all_transitions(view))


@by_name
def test_moves_have_total_probability_one(problem):
    for view in (View(problem), View(problem, action_values=True)):
        assert sum(p for *_, p, _ in all_transitions(view)) == 1


@by_name
def test_lstd_sums_have_means_A_and_b(problem):
    view, m = View(problem), exact_moments(problem)
    rule = LSTD(problem.exact.gamma)
    state = rule.init(start(1, view.n_features)[0])
    F = problem.n_features
    assert same(mean(rule, state, view, lambda after: after.A), fractions(m.A).reshape(F, F))
    assert same(mean(rule, state, view, lambda after: after.b), fractions(m.b))


def test_hybrid_td_on_baird_needs_a_larger_second_step_size():
    """At γ = .99 and β = α its mean iteration has an eigenvalue of real part −.113, with β = 16α none."""
    problem = catalogue_problem("baird:gamma=99/100")
    rates = []
    for ratio in (1, 16):
        A, _ = mean_map(affine(HTD(problem.gamma, 1.0, float(ratio)), problem, exact=False))
        found = np.linalg.eigvals(np.eye(len(A)) - A)
        rates.append(found.real.min())
    assert rates[0] == pytest.approx(-0.113, abs=5e-4)
    assert rates[1] > -1e-9  # zero in the directions that no feature moves


@by_name
def test_sequential_chain_has_the_stated_mean(problem):
    """Also on the last move of a window, where heads are handed over."""
    view, model = View(problem), Model(problem, exact=True)
    heads = start(3, view.n_features)
    for head, after, hot, moves in product((0, 1, 2), ("wrap", "stop", "ring"), (True, False), (0, 1)):
        rule = SequentialChain(problem.exact.gamma, third, window=2, K=2, hot=hot, after=after)
        expected = heads.copy()
        expected[head] = heads[head] + third * head_step(heads, head, model)
        following = head
        if moves == 1:
            following = head + 1
            if head == 2 and after != "stop":
                expected[0], following = expected[2], 1
            if hot and following < 3:
                expected[following] = expected[following - 1]
        state = Turns(heads, head, moves)
        assert same(mean(rule, state, view, lambda after: after.heads), expected)
        for *_, move in all_transitions(view):
            assert rule.update(state, move)[1:] == (following, 1 - moves)


@by_name
def test_target_network_has_the_chain_s_mean(problem):
    """θ moves as head 1 of a chain whose head 0 is the target; the last move of a window copies it."""
    view, model = View(problem), Model(problem, exact=True)
    rule, heads = TargetNetwork(problem.exact.gamma, third, window=2), start(2, view.n_features)
    moved = heads[1] + third * head_step(heads, 1, model)
    for moves, target in ((0, heads[0]), (1, moved)):
        found = mean(rule, Turns(heads, 1, moves), view, lambda after: after.heads)
        assert same(found[1], moved)
        assert same(found[0], target)


@by_name
def test_concurrent_chain_has_the_stated_mean(problem):
    view, model = View(problem), Model(problem, exact=True)
    rule = ConcurrentChain(problem.exact.gamma, third, K=3)
    state = rule.init(start(4, view.n_features))
    assert same(mean(rule, state, view, lambda after: after.heads), chain_mean(rule, state.heads, model))


@by_name
def test_concurrent_mean_is_richardson_with_M(problem):
    K, model = 3, Model(problem, exact=True)
    rule = ConcurrentChain(problem.exact.gamma, third, K=K)
    heads = start(K + 1, problem.n_features)
    M, b = exact_moments(problem).joint(K)
    n = heads.size
    moved = heads.ravel() + third * (fractions(b) - fractions(M).reshape(n, n) @ heads.ravel())
    assert same(chain_mean(rule, heads, model).ravel(), moved)


@by_name
def test_in_place_sweep_adds_the_product_term(problem):
    """The docstring's αγρ²δᵏ⁻¹φ'ᵀφ, move by move, at k = 2."""
    view, gamma = View(problem), problem.exact.gamma
    heads = start(3, view.n_features)
    jacobi, swept = (ConcurrentChain(gamma, third, K=2, order=order) for order in ("jacobi", "in-place"))
    for *_, move in all_transitions(view):
        phi, _, phi_next, rho, *_ = move
        one = swept.update(swept.init(heads), move).heads
        change_of_head_1 = one[1] - heads[1]
        extra = third * rho * gamma * (phi_next @ change_of_head_1) * phi
        assert same(one[2], jacobi.update(jacobi.init(heads), move).heads[2] + extra)


@by_name
@pytest.mark.parametrize("lambda_", [Fraction(0), Fraction(2, 5), Fraction(1)])
@pytest.mark.parametrize("Rule", [TDLambda, ETD])
def test_traces_have_the_stated_mean_over_stationary_histories(problem, Rule, lambda_):
    """The rule is affine in its memory, so the mean memory given the state stands for all histories.

    Updating from the mean memory reproduces the mean memory (it is the stationary one) and moves θ on average by the
    expected update.
    """
    view, model = View(problem), Model(problem, exact=True)
    rule = Rule(problem.exact.gamma, third, lambda_)
    theta, d = start(1, view.n_features)[0], problem.exact.d_mu
    # d(s)·E[e | next state s] and d(s)·E[γρF | next state s], as carried into s.
    back = model.q.P_pi.T
    trace = back @ trace_past(rule, model)
    follow = model.q.gamma * (back @ follow_on(model)) if rule.emphatic else 0 * model.q.d_mu
    new_trace, new_follow, moved = 0 * trace, 0 * follow, 0 * theta
    for s, _, t, _, p, move in all_transitions(view):
        state = rule.init(theta)._replace(trace=trace[s] / d[s], follow=follow[s] / d[s])
        after = rule.update(state, move)
        new_trace[t] += p * after.trace
        new_follow[t] += p * after.follow
        moved = moved + p * after.theta
    assert same(new_trace, trace)
    assert same(new_follow, follow)
    assert same(moved, trace_mean(rule, theta, model))


@by_name
def test_emphatic_mean_is_the_closed_form(problem):
    """A_e and b_e of `tests.mean_updates` for λ = 0; sums of a few products of numbers below 100."""
    model, rule = Model(problem, exact=True), ETD(problem.exact.gamma, third, Fraction(0))
    assert np.abs(trace_key_matrix(rule, model).astype(float) - emphatic_mean(problem)[0]).max() < 1e-11


def test_mean_memory_is_affine_in_the_memory():
    """What the test above rests on: update(½(m + m')) = ½(update(m) + update(m')) for the trace and θ."""
    problem = PROBLEMS[0]
    view, gamma = View(problem), problem.exact.gamma
    theta, e, e2 = start(3, view.n_features)
    for rule in (TDLambda(gamma, third, half), ETD(gamma, third, half)):
        a, b = (rule.init(theta)._replace(trace=x, follow=y) for x, y in ((e, Fraction(2)), (e2, Fraction(-3))))
        middle = rule.init(theta)._replace(trace=half * (e + e2), follow=half * (a.follow + b.follow))
        for *_, move in all_transitions(view):
            both = [rule.update(state, move) for state in (a, b)]
            assert all(same(np.asarray(x), np.asarray(half * (y + z)))
                       for x, y, z in zip(rule.update(middle, move), *both, strict=True))  # fmt: skip


@by_name
@pytest.mark.parametrize("i", range(7))
def test_corrected_chains_have_the_stated_mean_over_stationary_histories(problem, i):
    """As for the traces; the memory given (s, a) is the trace that was left before this move."""
    rule = corrected_rules(problem.exact.gamma)[i]
    view = View(problem, action_values=rule.action_values)
    model = Model(problem, exact=True, action_values=rule.action_values)
    heads, gamma = start(rule.K + 1, view.n_features), problem.exact.gamma
    mu, d = problem.mu, problem.exact.d_mu
    past = corrected_past(rule, model)
    if rule.action_values:
        index = {pair: i for i, pair in enumerate(zip(*(x.tolist() for x in np.nonzero(mu > 0)), strict=True))}
        weight = [d[s] * mu[s, a] for s, a in index]
    else:
        index = {(s, 0): s for s in range(problem.n_states)}
        weight = list(d)
    again, moved = 0 * past, 0 * heads
    for s, a, t, b, p, move in all_transitions(view):
        here = index[(s, a if rule.action_values else 0)]
        there = index[(t, b if rule.action_values else 0)]
        # e_t given here; hand the rule the trace before it, chosen so that its own line gives e_t.
        e = past[here] / weight[here]
        before = (e - move.phi) / gamma  # then γ·c·before + φ = e when c = 1
        if rule.action_values:
            c = rule.coefficients(move.ratio, 0)[0]
            state = rule.init(heads)._replace(trace=before / c if c else 0 * before)
            if not c:
                assert same(e, move.phi)
        else:
            state = rule.init(heads)._replace(trace=before, carried=Fraction(1))
        after = rule.update(state, move)
        assert same(after.trace, move.discount * e)
        moved = moved + p * after.heads
        follower = next(m for s2, a2, _, _, _, m in all_transitions(view)
                        if s2 == t and (a2 == b or not rule.action_values))  # fmt: skip
        nxt = rule.update(after, follower._replace(discount=1))  # the trace while it is used
        again[there] += p * nxt.trace
    assert same(again, past)
    assert same(moved, corrected_mean(rule, heads, model))


@by_name
def test_expected_sarsa_is_chained_td_of_the_pairs(problem):
    """Its mean is that of the concurrent chain on the problem whose states are the pairs."""
    gamma, K = problem.exact.gamma, 2
    pairs = pair_problem(problem)
    chain, heads = ConcurrentChain(gamma, third, K=K), start(K + 1, pairs.n_features)
    rule = corrected_rules(gamma, K)[0]
    theirs = chain_mean(chain, heads, Model(pairs, exact=True))
    assert same(corrected_mean(rule, heads, Model(problem, True, action_values=True)), theirs)
    # The pairs' target values, averaged over π, are v_π: v = (I − γP)⁻¹r on both sides.
    v = np.linalg.solve(np.eye(problem.n_states) - problem.gamma * problem.P_pi, problem.r_pi)
    q = np.linalg.solve(np.eye(pairs.n_states) - problem.gamma * pairs.P_pi, pairs.r_pi)
    s, a = np.nonzero(np.asarray(problem.mu > 0, dtype=bool))
    averaged = np.bincount(s, weights=problem.pi.astype(float)[s, a] * q)
    assert np.abs(averaged - v).max() < 1e-11  # |v| < 100, condition of I − γP below 20/(1−γ)


@by_name
def test_uncut_vtrace_without_traces_is_chained_td_on_average(problem):
    gamma, heads = problem.exact.gamma, start(4, problem.n_features)
    rule, chain = corrected_rules(gamma)[6], ConcurrentChain(gamma, third, K=3)
    model = Model(problem, exact=True)
    assert same(corrected_mean(rule, heads, model), chain_mean(chain, heads, model))


def test_normalised_steps_have_length_alpha():
    problem = PROBLEMS[2]
    heads = start(4, problem.n_features).astype(float)
    rule = ConcurrentChain(problem.gamma, 0.25, K=3, normalise=True)
    for *_, move in all_transitions(View(problem, exact=False)):
        step = np.linalg.norm(rule.update(rule.init(heads), move).heads - heads, axis=1)
        assert np.all((np.abs(step - 0.25) < 1e-14) | (step == 0))
