"""The affine maps are the rules: applied move by move they reproduce them, and their mean is the expected update."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from tests.learners.cases import PROBLEMS, corrected_rules, half, noisy, one_vector_rules, start, third
from tests.learners.stated_means import matrix_and_vector, mean_map, pair_problem
from tests.mean_updates import gradient_mean
from theory.exact.matrices import fraction, fractions, least_norm_solution, rational
from theory.exact.matrices import matrix as as_flint
from theory.learners.affine import affine, behaviour_steps
from theory.learners.concurrent import ConcurrentChain
from theory.learners.families import learners
from theory.learners.gradient import GTD2, TDC, WithAuxiliary
from theory.learners.n_step import ChainedNStep, NStep
from theory.learners.sequential import SequentialChain, TargetNetwork
from theory.learners.soft import SoftTarget
from theory.learners.td import OffPolicyTD
from theory.learners.transition import View
from theory.model.linear_model import exact_moments
from theory.model.points import td_fixed_point
from theory.noise.errors import step_maps
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem

by_name = pytest.mark.parametrize("problem", PROBLEMS[:3], ids=lambda p: p.name)


@cache
def maps(rule, name):
    """The maps of a rule on one of the problems, derived once for all tests."""
    return affine(rule, next(p for p in PROBLEMS if p.name == name))


def closing_rules(gamma):
    return [
        *one_vector_rules(gamma),
        NStep(gamma, third, 1), NStep(gamma, third, 2), ChainedNStep(gamma, third, n=2, K=1),
        TargetNetwork(gamma, third, 2), SequentialChain(gamma, third, 2, K=2),
        SequentialChain(gamma, third, 2, K=1, hot=False, after="ring"),
        SequentialChain(gamma, third, 1, K=1, after="stop"),
        SoftTarget(gamma, third, tau=Fraction(1, 5)),
        ConcurrentChain(gamma, third, K=2), ConcurrentChain(gamma, third, K=2, order="in-place"),
        corrected_rules(gamma, K=2)[0],
    ]  # fmt: skip


def test_every_learner_closes_or_says_why_not():
    rules = {rule.name: rule for rule in closing_rules(half)}
    assert all(rule.obstacle() is None for rule in rules.values())
    for name in learners().keys() - rules.keys():
        rule = learners()[name](half) if name == "lstd" else learners()[name](half, third)
        assert rule.obstacle() is not None, "a learner that closes belongs into closing_rules"
        with pytest.raises(InvalidProblem, match=f"{name} has no affine maps: .* (trace|linear)"):
            affine(rule, noisy())
    assert ConcurrentChain(half, third, K=1, normalise=True).obstacle() is not None


@by_name
def test_maps_applied_along_a_path_are_the_rule(problem):
    """Twelve moves drawn from the chain of nodes, memory and all, in rationals."""
    for rule in closing_rules(problem.exact.gamma):
        found = maps(rule, problem.name)
        rng = np.random.default_rng(1)
        heads = start(found.n_vectors, found.view.n_features)
        state = rule.init(heads if found.n_vectors > 1 or hasattr(rule, "K") else heads[0])
        z, node = found.start @ heads.ravel(), 0
        seen = {(s.place, s.next_place, s.seen.reward, s.seen.ratio): s.seen for s in behaviour_steps(found.view)}
        for _ in range(12):
            leaving = [m for m in found.moves if m.node == node]
            move = leaving[rng.integers(len(leaving))]
            places = found.nodes[node].place, found.nodes[move.next_node].place
            state = rule.update(state, seen[*places, fraction(move.seen.reward), fraction(move.seen.ratio)])
            M, c = matrix_and_vector(move)
            z, node = M @ z + c, move.next_node
            assert np.all(found.read(node) @ z == rule.value(state, found.view.value_features)), rule


def stated_mean(rule, problem, z, memory):
    """Where the mean update is said to take z, from the exact moments alone; the letters are the docstrings'."""
    m, gamma, alpha = exact_moments(problem), problem.exact.gamma, rule.alpha
    F = problem.n_features
    X, Y, A, A_mu = (fractions(x).reshape(F, F) for x in (m.X, m.Y, m.A, m.behaviour.A))
    b, b_mu = fractions(m.b), fractions(m.behaviour.b)
    if rule.name in ("td", "off-policy-td"):
        return z + alpha * (b_mu - A_mu @ z if rule.name == "td" else b - A @ z)
    if rule.name in ("gtd2", "tdc", "tdrc"):
        theta, w = z[:F], z[F:]
        step = A.T @ w if rule.name == "gtd2" else b - A @ theta - gamma * Y.T @ w
        return np.concatenate([theta + alpha * step, w + rule.beta * (b - A @ theta - X @ w - rule.ridge * w)])
    if rule.name == "htd":
        theta, w = z[:F], z[F:]
        missing = b - A @ theta
        return np.concatenate([theta + alpha * (missing - (A_mu - A).T @ w), w + rule.beta * (missing - A_mu.T @ w)])
    if rule.name in ("n-step", "chained-n-step"):
        n = exact_moments(problem.in_steps_of(rule.n))
        Y, b, gamma = fractions(n.Y).reshape(F, F), fractions(n.b), gamma**rule.n
        if rule.name == "n-step":
            return z + alpha * (b - (X - gamma * Y) @ z)
    heads = z.reshape(-1, F)
    if rule.name == "soft-target":
        theta = heads[1] + alpha * (b + gamma * Y @ heads[0] - X @ heads[1])
        return np.concatenate([(1 - rule.tau) * heads[0] + rule.tau * theta, theta])
    steps = [b_mu - A_mu @ heads[0], *(b + gamma * Y @ p - X @ q for p, q in pairwise(heads))]
    if "head" not in memory:
        return (heads + alpha * np.array(steps)).ravel()
    moved = heads.copy()
    if memory["head"] < len(heads):
        moved[memory["head"]] += alpha * steps[memory["head"]]
    return moved.ravel()


@by_name
def test_mean_of_the_maps_is_the_stated_mean(problem):
    """At every memory that comes back for ever: over windows of moves the mean is taken, a head in training is one
    memory each. The last move of its turn also hands over, which the test above has seen."""
    for rule in closing_rules(problem.exact.gamma):
        if rule.action_values or getattr(rule, "order", "") == "in-place":
            continue  # pairs have their own test, and E[ρ²] is in no moment
        found = maps(rule, problem.name)
        z = start(1, found.size)[0]
        after = {}
        for move in found.moves:
            weight = found.law[move.node] * move.probability
            memory = {k: v for k, v in found.nodes[move.node].memory.items() if isinstance(v, int)}
            hands_over = bool(memory) and memory["moves"] == rule.window - 1
            if weight and not hands_over:
                key = tuple(memory.items())
                total, moved = after.get(key, (0, 0 * z))
                M, c = matrix_and_vector(move)
                after[key] = (total + weight, moved + weight * (M @ z + c))
        assert after or rule.window == 1
        for key, (total, moved) in after.items():
            assert np.all(moved / total == stated_mean(rule, problem, z, dict(key))), (rule, key)
        if not rule.memory:
            matrix, vector = mean_map(found)
            assert np.all(matrix @ z + vector == stated_mean(rule, problem, z, {}))


@by_name
def test_mean_of_chained_expected_sarsa_is_that_of_the_concurrent_chain_on_pairs(problem):
    rule = corrected_rules(problem.exact.gamma, K=2)[0]
    matrix, vector = mean_map(maps(rule, problem.name))
    z = start(1, len(vector))[0]
    chain = ConcurrentChain(rule.gamma, rule.alpha, K=2)
    assert np.all(matrix @ z + vector == stated_mean(chain, pair_problem(problem), z, {}))


@by_name
def test_gradient_methods_and_closed_forms_agree(problem):
    """I − αG_η and αg of `tests.mean_updates`: sums of a few products of numbers below 100."""
    for rule in one_vector_rules(problem.exact.gamma):
        if isinstance(rule, WithAuxiliary):
            matrix, vector = mean_map(maps(rule, problem.name))
            ratio = float(rule.beta / rule.alpha)
            stated = gradient_mean(problem, rule.name, ratio, ridge=float(rule.ridge or 1))
            G = (np.eye(len(vector)) - matrix.astype(float)) / float(rule.alpha)
            assert np.abs(G - stated[0]).max() < 1e-11
            assert np.abs(vector.astype(float) / float(rule.alpha) - stated[1]).max() < 1e-11


def rest(rule, problem):
    """Solutions z of z = matrix z + vector: one of least norm, and the rank of the equations."""
    matrix, vector = mean_map(affine(rule, problem))
    equations = as_flint(np.eye(len(vector), dtype=int).astype(object) - matrix)
    return least_norm_solution(equations, as_flint(vector)), equations.rank()


@pytest.mark.parametrize("name", ["twostate", "baird", "threestate"])
def test_gradient_methods_rest_at_the_td_fixed_point_with_w_zero(name):
    """On Baird (8 features of rank 7) in values; the rank of the equations is then twice that of the features."""
    problem = catalogue_problem(name)
    gamma, F, Phi = problem.exact.gamma, problem.n_features, as_flint(problem.exact.Phi)
    for rule in (GTD2(gamma, third, half), GTD2(gamma, half, third), TDC(gamma, third, 2)):
        z, rank = rest(rule, problem)
        theta, w = fractions(z)[:F], fractions(z)[F:]
        assert not np.any(w)
        assert Phi * as_flint(theta) == td_fixed_point(problem).values
        assert rank == 2 * Phi.rank()


def test_gradient_methods_rest_with_w_nonzero_where_td_has_no_fixed_point():
    """Twostate at 5/6: A = 0 and γY = X, so θ is free and w = X⁻¹b satisfies both halves."""
    problem = catalogue_problem("twostate-reward:gamma=5/6")
    m = exact_moments(problem)
    assert m.A.det() == 0
    for rule in (GTD2(problem.exact.gamma, third, half), TDC(problem.exact.gamma, third, half)):
        z, rank = rest(rule, problem)
        assert rank == 1
        assert fractions(z)[1] == fractions(m.b)[0] / fractions(m.X)[0] != 0


def test_floats_agree_with_fractions():
    problem = noisy()
    for rule in closing_rules(problem.exact.gamma):
        rough = replace(rule, gamma=problem.gamma, alpha=1 / 3, **({"beta": 0.5} if hasattr(rule, "beta") else {}))
        for name in ("kappa", "tau"):
            if hasattr(rule, name):
                rough = replace(rough, **{name: float(getattr(rule, name))})
        exact, floats = maps(rule, problem.name), affine(rough, problem, exact=False)
        assert [m[:2] for m in exact.moves] == [m[:2] for m in floats.moves]
        for one, other in zip(exact.moves, floats.moves, strict=True):
            M, rough_M = matrix_and_vector(one)[0], matrix_and_vector(other)[0]
            assert rough_M.dtype == np.float64
            # Sums of a few products of numbers below 10.
            assert np.abs(M.astype(float) - rough_M).max() < 1e-13
            assert abs(float(one.probability) - other.probability) < 1e-15
        assert np.abs(exact.law.astype(float) - floats.law).max() < 1e-14


@by_name
def test_probabilities_leave_every_node_and_start_from_the_behaviour(problem):
    for rule in closing_rules(problem.exact.gamma):
        found = maps(rule, problem.name)
        for i in range(len(found.nodes)):
            assert sum(m.probability for m in found.moves if m.node == i) == 1
        assert sum(found.first) == 1
        assert list(found.first[: problem.n_states]) == list(problem.exact.d_mu) or rule.action_values


def test_windows_of_n_moves_are_the_nodes_of_an_n_step_learner():
    """After the warm-up there is one node for each path of n − 1 moves, of probability d·Πp; by counting paths."""
    problem = noisy()
    steps = list(behaviour_steps(View(problem)))
    found = affine(NStep(problem.exact.gamma, third, 3), problem)
    full = [i for i, node in enumerate(found.nodes) if len(node.memory["window"]) == 2]
    paths = sum(1 for a in steps for b in steps if a.next_place == b.place)
    assert len(full) == paths
    assert sum(found.law[i] for i in full) == 1
    assert all(found.law[i] == 0 for i in range(len(found.nodes)) if i not in full)


def test_auxiliary_weights_start_from_zero():
    found = affine(GTD2(Fraction(1, 2), third, half), noisy())
    F = noisy().n_features
    assert np.all(found.start == np.vstack([np.eye(F, dtype=int), np.zeros((F, F), dtype=int)]))


@by_name
def test_letters_for_step_sizes_give_the_map_at_any_step_sizes(problem):
    for rule in [*one_vector_rules(problem.exact.gamma), ConcurrentChain(problem.exact.gamma, third, K=2)]:
        sizes = {"alpha": Fraction(3, 7), "beta": Fraction(2, 5)}
        other = replace(rule, **{name: sizes[name] for name in rule.columns if name in sizes})
        alpha, beta = map(rational, sizes.values())
        letters = affine(rule, problem, sizes=True)
        for letter, move in zip(letters.moves, affine(other, problem).moves, strict=True):
            moved = sum(alpha**i * beta**j * part for (i, j), part in letter.parts.items())
            assert np.all(moved == move.parts[0, 0]), rule


def test_an_in_place_sweep_is_not_linear_in_its_step_size():
    rule = ConcurrentChain(half, third, K=2, order="in-place")
    assert {power for move in affine(rule, PROBLEMS[2], sizes=True).moves for power in move.parts} >= {(2, 0), (3, 0)}
    with pytest.raises(InvalidProblem, match="not linear in its step sizes"):
        step_maps(rule, PROBLEMS[2])


def test_an_update_that_multiplies_parameters_is_refused():
    @dataclass(frozen=True)
    class Squared(OffPolicyTD):
        name = "squared"

        def update(self, state, transition):
            moved = super().update(state, transition)
            return moved._replace(theta=moved.theta * state.theta)

    with pytest.raises(InvalidProblem, match="multiplies parameters"):
        affine(Squared(half, third), PROBLEMS[0])


def test_a_problem_without_an_mdp_has_no_moves():
    with pytest.raises(InvalidProblem, match="no MDP behind it"):
        affine(OffPolicyTD(half, third), Problem.from_matrices("1/2", Phi=[[1]], P_pi=[[1]], d_mu=[1]))
