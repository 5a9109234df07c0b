"""How the learners contain each other, exactly, on the same moves."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.learners.cases import PROBLEMS, half, noisy, start, third
from theory.learners.concurrent import ConcurrentChain
from theory.learners.corrected import ChainedExpectedSarsa, ChainedQ, ChainedRetrace
from theory.learners.gradient import GTD2, TDRC
from theory.learners.lstd import LSTD
from theory.learners.n_step import ChainedNStep, NStep
from theory.learners.sequential import SequentialChain, TargetNetwork
from theory.learners.td import TD, OffPolicyTD
from theory.learners.traces import ETD, TDLambda
from theory.learners.transition import View
from theory.problems import InvalidProblem, Problem
from theory.problems.sampling import Transitions, sample_transitions

STEPS = 12  # exact numbers grow by a few digits a step
g = Fraction(4, 5)


def moves(problem, *, action_values=False, steps=STEPS):
    """A sampled stream with exact numbers: rewards and ratios are looked up again as rationals."""
    drawn = sample_transitions(np.random.default_rng(3), problem, steps + 1, 1)
    view = View(problem, action_values=action_values)
    pi, mu, R = problem.pi, problem.mu, problem.mdp.R
    s, a, t = (x.astype(int) for x in drawn.seed(0)[:3])
    reward = R[s, a] if R.ndim == 2 else R[s, a, t]
    return [view.see(s[i], a[i], t[i], reward[i], (pi[s, a] / mu[s, a])[i], b=a[i + 1]) for i in range(steps)]


def run(rule, state, stream):
    states = [state]
    for move in stream:
        states.append(rule.update(states[-1], move))
    return states


def on_policy(problem):
    return Problem.from_mdp(problem.mdp, pi=problem.mu, mu=problem.mu, Phi=problem.given.Phi, name="on-policy")


def test_td_stays_td_when_the_policies_agree():
    problem = on_policy(noisy())
    theta = start(1, 2)[0]
    reference = run(TD(g, third), TD(g, third).init(theta), moves(problem))
    for rule in (OffPolicyTD(g, third), TDLambda(g, third, Fraction(0)), NStep(g, third, 1)):
        for ours, theirs in zip(run(rule, rule.init(theta), moves(problem)), reference, strict=True):
            assert np.all(ours.theta == theirs.theta), rule


def test_a_chain_without_further_heads_is_td():
    theta = start(1, 2)
    reference = run(TD(g, third), TD(g, third).init(theta[0]), moves(noisy()))
    for rule in (
        ConcurrentChain(g, third, K=0), ChainedNStep(g, third, n=3, K=0), SequentialChain(g, third, 5, K=0),
        SequentialChain(g, third, 5, K=0, after="ring"),
    ):  # fmt: skip
        for ours, theirs in zip(run(rule, rule.init(theta), moves(noisy())), reference, strict=True):
            assert np.all(ours[0][0] == theirs.theta), rule


def test_target_network_renewed_at_every_move_is_off_policy_td():
    theta = start(1, 2)[0]
    rule, td = TargetNetwork(g, third, 1), OffPolicyTD(g, third)
    both = zip(
        run(rule, rule.init(np.array([theta, theta])), moves(noisy())), run(td, td.init(theta), moves(noisy())),
        strict=True,
    )  # fmt: skip
    assert all(np.all(rule.value(a, theta) == td.value(b, theta)) for a, b in both)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)
def test_light_cone(problem):
    """Equal starts, simultaneous updates: head k is off-policy TD for t ≤ k and, with a generic start, not after."""
    K = 6
    gamma, theta = problem.exact.gamma, start(1, problem.n_features)[0]
    chain, td = ConcurrentChain(gamma, third, K=K), OffPolicyTD(gamma, third)
    ours = run(chain, chain.init(np.array([theta] * (K + 1))), moves(problem))
    theirs = run(td, td.init(theta), moves(problem))
    for t in range(STEPS + 1):
        for k in range(K + 1):
            if t <= k:
                assert np.all(ours[t].heads[k] == theirs[t].theta)
    assert any(np.any(ours[t].heads[0] != theirs[t].theta) for t in range(STEPS + 1))


def test_light_cone_does_not_survive_an_in_place_sweep():
    """Head 2 after two moves has seen three values of head 0; a reward makes the difference visible."""
    problem = PROBLEMS[2]
    theta, gamma = start(1, 3)[0], problem.exact.gamma
    chain, td = ConcurrentChain(gamma, third, K=4, order="in-place"), OffPolicyTD(gamma, third)
    ours = run(chain, chain.init(np.array([theta] * 5)), moves(problem))
    theirs = run(td, td.init(theta), moves(problem))
    assert any(np.any(ours[t].heads[k] != theirs[t].theta) for k in range(1, 5) for t in range(k + 1))


def test_one_step_is_a_special_case_of_n_steps_and_of_traces():
    theta, heads = start(1, 2)[0], start(4, 2)
    td, chain = OffPolicyTD(g, third), ConcurrentChain(g, third, K=3)
    reference = run(td, td.init(theta), moves(noisy()))
    for rule in (NStep(g, third, 1), TDLambda(g, third, Fraction(0))):
        for ours, theirs in zip(run(rule, rule.init(theta), moves(noisy())), reference, strict=True):
            assert np.all(ours.theta == theirs.theta)
    n_step = ChainedNStep(g, third, n=1, K=3)
    both = zip(
        run(n_step, n_step.init(heads), moves(noisy())), run(chain, chain.init(heads), moves(noisy())), strict=True
    )
    assert all(np.all(a.theta == b.heads) for a, b in both)


def test_emphasis_vanishes_for_full_traces():
    """ETD(1) has M = 1, as TD(1)."""
    theta = start(1, 2)[0]
    etd, td = ETD(g, third, Fraction(1)), TDLambda(g, third, Fraction(1))
    for a, b in zip(run(etd, etd.init(theta), moves(noisy())), run(td, td.init(theta), moves(noisy())), strict=True):
        assert np.all(a.theta == b.theta)


def test_tdrc_without_ridge_would_be_tdc_and_gradients_rest_without_error():
    theta, w = start(2, 2)
    move = moves(noisy())[0]
    ridge = TDRC(g, third, half, kappa=Fraction(1, 9))
    assert np.all(ridge.update(ridge.init(theta, w), move).w - (w - half / 9 * w)
                  == replace(ridge, kappa=1).update(ridge.init(theta, w), move).w - (w - half * w))  # fmt: skip
    rule = GTD2(g, third, half)
    assert np.all(rule.update(rule.init(theta), move).theta == theta)  # w = 0: θ waits for w


def test_action_value_chains_coincide_without_traces():
    heads = start(3, 4)
    sarsa, q = ChainedExpectedSarsa(g, third, K=2), ChainedQ(g, third, K=2, lambda_=Fraction(0))
    retrace = ChainedRetrace(g, third, K=2, lambda_=Fraction(0))
    runs = [run(r, r.init(heads), moves(noisy(), action_values=True)) for r in (sarsa, q, retrace)]
    assert all(np.all(a.heads == b.heads) and np.all(a.heads == c.heads) for a, b, c in zip(*runs, strict=True))


def test_action_values_need_no_ratio():
    heads = start(3, 4)
    for rule in (ChainedExpectedSarsa(g, third, K=2), ChainedQ(g, third, K=2, lambda_=half)):
        known = moves(noisy(), action_values=True)
        unknown = [move._replace(ratio=None) for move in known]
        a, b = (run(rule, rule.init(heads), list_)[-1] for list_ in (known, unknown))
        assert np.all(a.heads == b.heads)


@pytest.mark.parametrize("hot", [True, False])
def test_sequential_schedule(hot):
    """Windows of 2, heads 0..2: which head moves when, and what it starts from."""
    heads = start(3, 2)
    for after, order in {"wrap": [0, 0, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1], "stop": [0, 0, 1, 1, 2, 2] + [3] * 6}.items():
        rule = SequentialChain(g, third, 2, K=2, hot=hot, after=after)
        states = run(rule, rule.init(heads), moves(noisy()))
        assert [s.head for s in states[:-1]] == order
        began = states[2].heads[1]  # head 1 when its turn has come
        assert np.all(began == (states[2].heads[0] if hot else heads[1]))
        if after == "stop":
            assert all(np.all(s.heads == states[6].heads) for s in states[6:])
        else:
            assert np.all(states[6].heads[0] == states[6].heads[2])  # wrapped: the last head became head 0
    wrap, ring = (SequentialChain(g, third, 2, K=2, hot=hot, after=after) for after in ("wrap", "ring"))
    for a, b in zip(*(run(r, r.init(heads), moves(noisy())) for r in (wrap, ring)), strict=True):
        assert np.all(a.heads == b.heads)
        assert np.all(ring.value(b, heads[0]) == heads[0] @ a.heads[a.head])


def test_hot_ring_continues_as_target_network():
    """After head 0's window a hot ring is target-network TD from θ⁰ in both places."""
    heads = start(5, 2)
    ring, stream_ = SequentialChain(g, third, 3, K=4, after="ring"), moves(noisy(), steps=18)
    states = run(ring, ring.init(heads), stream_)
    learned = states[3].heads[0]
    target = TargetNetwork(g, third, 3)
    theirs = run(target, target.init(np.array([learned, learned])), stream_[3:])
    x = heads[0]
    assert all(ring.value(a, x) == target.value(b, x) for a, b in zip(states[3:], theirs, strict=True))


def test_lstd_takes_the_least_norm_solution_where_features_depend():
    problem = PROBLEMS[0].with_features([[1, 1], [1, 1], [2, 2]])
    view = View(problem, exact=False)
    drawn = sample_transitions(np.random.default_rng(0), problem, 50, 1)
    rule = LSTD(problem.gamma)
    state = run(rule, rule.init(np.zeros(2)), view.stream(drawn))[-1]
    theta = rule.theta(state)
    assert abs(theta[0] - theta[1]) < 1e-9 * abs(theta[0])  # least norm is symmetric in equal features


def test_action_value_stream_waits_for_the_next_action():
    drawn = sample_transitions(np.random.default_rng(0), noisy(), 7, 2)
    view = View(noisy(), action_values=True, exact=False)
    seen = list(view.stream(drawn, 1))
    assert len(seen) == 6
    for i, move in enumerate(seen):
        assert np.all(move.phi_follow == seen[i + 1].phi if i < 5 else True)
    assert len(list(View(noisy(), exact=False).stream(drawn, 1))) == 7
    assert isinstance(drawn, Transitions)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: TD(g, 0), "alpha: must be positive and finite, got 0"),
        (lambda: OffPolicyTD(g, float("nan")), "alpha: must be positive and finite, got nan"),
        (lambda: GTD2(g, 1, -1), "beta: must be positive"),
        (lambda: GTD2(g, 1, 1, "2010"), "reading: must be one of textbook, 2009, plain-first, got '2010'"),
        (lambda: ETD(g, 1, 2), r"lambda: must lie in \[0, 1\], got 2"),
        (lambda: SequentialChain(g, 1, 0), "window: must be an integer of 1 or more, got 0"),
        (lambda: SequentialChain(g, 1, 1, K=3, k=4), "k: head 4 does not exist: the last head is 3"),
        (lambda: SequentialChain(g, 1, 1, after="end"), "after: must be one of wrap, stop, ring"),
        (lambda: ConcurrentChain(g, 1, order="up"), "order: must be one of jacobi, in-place"),
        (lambda: NStep(g, 1, 0), "n: must be an integer of 1 or more"),
        (lambda: LSTD(g, -1), "epsilon: must be 0 or more"),
        (lambda: View(Problem.from_matrices("1/2", Phi=[[1]], P_pi=[[1]], d_mu=[1])), "has no MDP behind it"),
    ],
)  # fmt: skip
def test_bad_settings_get_their_line(make, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        make()
