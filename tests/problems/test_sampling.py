import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from theory.problems import MDP, InvalidProblem, Problem
from theory.problems.sampling import Table, enumerate_transitions, sample_transitions

ALMOST_ONE = math.nextafter(1.0, 0.0)  # the largest double that a generator returns


def loop(reward_depends_on_next: bool = True) -> Problem:
    """Three states, three actions with zeros in P and μ, all numbers exact."""
    P = [
        [["1/2", "1/2", 0], [0, "1/3", "2/3"], [1, 0, 0]],
        [[0, 0, 1], ["1/5", "1/5", "3/5"], [0, 1, 0]],
        [["7/10", 0, "3/10"], [1, 0, 0], [0, 0, 1]],
    ]
    R3 = [
        [[1, -2, 5], [0, "1/3", 7], [-1, 0, 0]],
        [[0, 0, 4], [2, 1, 0], [0, -3, 0]],
        [["1/7", 0, 1], [6, 0, 0], [0, 0, 8]],
    ]
    R2 = [[1, "-1/2", 3], [0, 4, 1], ["1/7", 2, 5]]
    mdp = MDP(P, R3 if reward_depends_on_next else R2, "9/10")
    return Problem.from_mdp(
        mdp,
        pi=[["1/4", "3/4", 0], [0, 1, 0], ["1/2", "1/2", 0]],
        mu=[["1/2", "1/3", "1/6"], ["1/4", "3/4", 0], ["1/3", "1/3", "1/3"]],
        Phi=[[1, 0], ["1/2", -1], [0, 3]],
        name="loop",
    )


def ring(size: int) -> Problem:
    """0 → 1 → … → size − 1 → 0 under either of two actions: periodic, and every move certain."""
    P = np.zeros((size, 2, size))
    P[np.arange(size), :, (np.arange(size) + 1) % size] = 1
    R = np.stack([np.arange(size), -np.arange(size)], axis=1).astype(float)
    half = np.full((size, 2), 0.5)
    return Problem.from_mdp(MDP(P, R, 0.9), pi=[0] * size, mu=half, Phi=np.ones((size, 1)))


# All transitions


@pytest.mark.parametrize("depends", [False, True])
def test_enumerated_transitions_reproduce_the_moments_exactly(depends):
    problem = loop(depends)
    Phi, D, P, r = problem.exact.Phi, np.diag(problem.exact.d_mu), problem.exact.P_pi, problem.exact.r_pi
    X, Y, b, total = 0, 0, 0, Fraction(0)
    for s, a, t, p, reward, ratio, _ in enumerate_transitions(problem):
        assert all(isinstance(x, Fraction) for x in (p, reward, ratio))
        assert ratio == problem.pi[s, a] / problem.mu[s, a]
        X = X + p * np.outer(Phi[s], Phi[s])
        Y = Y + p * ratio * np.outer(Phi[s], Phi[t])
        b = b + p * ratio * reward * Phi[s]
        total += p
    assert total == 1
    assert np.all(Phi.T @ D @ Phi == X)
    assert np.all(Phi.T @ D @ P @ Phi == Y)
    assert np.all(Phi.T @ D @ r == b)


def test_enumerated_transitions_are_exactly_the_possible_ones():
    problem = loop()
    found = [(o.state, o.action, o.next_state) for o in enumerate_transitions(problem)]
    expected = [
        (s, a, t) for s in range(3) for a in range(3) for t in range(3)
        if problem.mu[s, a] > 0 and problem.mdp.P[s, a, t] > 0
    ]  # fmt: skip
    assert found == expected


# The inverse


def test_no_uniform_number_selects_an_impossible_outcome():
    """The cumulative sum of ten 0.1s stops at 0.9999999999999999, below the largest uniform number."""
    weights = np.array([0.0, 0.0] + [0.1] * 5 + [0.0] + [0.1] * 5 + [0.0, 0.0])
    assert np.cumsum(weights)[-1] <= ALMOST_ONE
    table = Table.of(weights, (0, len(weights)))
    edges = np.cumsum(weights)
    u = np.concatenate([[0.0, ALMOST_ONE], edges, np.nextafter(edges, 0), np.nextafter(edges, 1)])
    u = np.clip(u, 0, ALMOST_ONE)
    drawn = table.draw(0, table.keys(u))
    assert (weights[drawn] > 0).all()
    assert drawn[0] == 2
    assert drawn[1] == 12


def test_a_draw_never_leaves_its_group():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 6, size=70_000)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    table = Table.of(rng.random(offsets[-1]) + 1e-3, offsets)
    groups = np.arange(len(sizes))
    for u in (0.0, ALMOST_ONE, 0.3):
        drawn = table.draw(groups, table.keys(np.full(len(sizes), u)))
        assert (offsets[:-1] <= drawn).all()
        assert (drawn < offsets[1:]).all()
    assert (table.draw(groups, table.keys(np.zeros(len(sizes)))) == offsets[:-1]).all()
    assert (table.draw(groups, table.keys(np.full(len(sizes), ALMOST_ONE))) == offsets[1:] - 1).all()


# Streams


@pytest.mark.parametrize("depends", [False, True])
def test_every_transition_is_possible_with_its_own_reward_and_ratio(depends):
    problem = loop(depends)
    sample = sample_transitions(np.random.default_rng(0), problem, 500, 4)
    known = {
        (o.state, o.action, o.next_state): (float(o.reward), float(o.ratio)) for o in enumerate_transitions(problem)
    }
    fields = sample.all()[:5]
    for s, a, t, reward, ratio in zip(*(f.ravel().tolist() for f in fields), strict=True):
        assert known[s, a, t] == (reward, ratio)


def test_a_seed_sees_the_same_whatever_the_number_of_seeds():
    few = sample_transitions(np.random.default_rng(7), loop(), 50, 3)
    many = sample_transitions(np.random.default_rng(7), loop(), 50, 20)
    assert (few.drawn == many.drawn[:3]).all()


@pytest.mark.parametrize("steps", [1, 4096, 4097])
def test_a_longer_run_begins_with_the_shorter_one(steps):
    short = sample_transitions(np.random.default_rng(7), loop(), steps, 3)
    long = sample_transitions(np.random.default_rng(7), loop(), 5000, 3)
    assert (short.drawn == long.drawn[:, :steps]).all()


@pytest.mark.parametrize("size", [127, 128, 129, 300])
def test_indices_do_not_overflow_at_the_size_of_their_type(size):
    sample = sample_transitions(np.random.default_rng(0), ring(size), size + 3, 2, start=0).all()
    walk = np.arange(size + 3) % size
    assert (sample.state == walk).all()
    assert (sample.next_state == (walk + 1) % size).all()
    assert (sample.reward == np.where(sample.action == 0, walk, -walk)).all()


def test_start_may_be_a_state_or_a_distribution():
    problem = loop()
    one = sample_transitions(np.random.default_rng(0), problem, 2, 30, start=2).all()
    assert (one.state[:, 0] == 2).all()
    two = sample_transitions(np.random.default_rng(0), problem, 2, 300, start=["1/2", 0, "1/2"]).all()
    assert set(two.state[:, 0].tolist()) == {0, 2}


# Frequencies. The seeds are fixed; at another seed each comparison would fail with probability 1e-6.

ALPHA = 1e-6


def assert_frequencies(counts, probabilities):
    """Pearson's chi-square at level ALPHA; every cell expects more than 25, where the approximation holds."""
    counts, probabilities = np.asarray(counts, float).ravel(), np.asarray(probabilities, float).ravel()
    assert not counts[probabilities == 0].any()
    counts, expected = counts[probabilities > 0], counts.sum() * probabilities[probabilities > 0]
    assert expected.min() > 25
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert statistic <= (chi2.isf(ALPHA, len(counts) - 1) if len(counts) > 1 else 0)


def count(sample, shape=(3, 3, 3)):
    counts = np.zeros(shape)
    np.add.at(counts, (sample.state.ravel(), sample.action.ravel(), sample.next_state.ravel()), 1)
    return counts


def test_a_stream_follows_the_behaviour_and_the_world():
    """Given the state, actions and moves of a stream are independent draws: μ and P can be tested on all of it."""
    problem = loop()
    counts = count(sample_transitions(np.random.default_rng(12), problem, 2000, 20).all())
    for s in range(3):
        assert_frequencies(counts[s].sum(axis=1), problem.mu[s])
        for a in np.nonzero(problem.mu[s])[0]:
            assert_frequencies(counts[s, a], problem.mdp.P[s, a])


def test_realised_matrices_are_sampled_with_their_own_moves():
    swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"]).realised()
    sample = sample_transitions(np.random.default_rng(14), swap, 500, 10).all()
    assert_frequencies(np.bincount(sample.next_state.ravel(), minlength=2), swap.d_mu)
    # ρ = π/μ: the target always swaps, the behaviour goes to j with d_j.
    assert (
        sample.ratio == np.where(sample.state == sample.next_state, 0, np.where(sample.next_state == 0, 10 / 9, 10))
    ).all()


# Refusals


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"steps": 0}, "^steps: must be a positive integer, got 0$"),
        ({"seeds": 2.0}, r"^seeds: must be a positive integer, got 2\.0$"),
        ({"start": 3}, "^start: state 3 does not exist; there are 3, from 0$"),
        ({"start": [1, 0, "1/9"]}, "^start: probabilities sum to 10/9, not 1$"),
    ],
)
def test_rejects_what_cannot_be_meant(arguments, match):
    with pytest.raises(InvalidProblem, match=match):
        sample_transitions(np.random.default_rng(0), loop(), **{"steps": 2, "seeds": 2, **arguments})
