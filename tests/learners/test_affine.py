"""The affine maps are the rules: applied move by move they reproduce them, and their mean is the expected update."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from tests.learners.cases import PROBLEMS, corrected_rules, half, noisy, one_vector_rules, start, third
from theory.learners.affine import affine, behaviour_steps, closes, step_size_parts
from theory.learners.concurrent import ConcurrentChain
from theory.learners.gradient import GTD2
from theory.learners.model import Model
from theory.learners.nstep import ChainedNStep, NStep
from theory.learners.registry import RULES
from theory.learners.sequential import SequentialChain, TargetNetwork
from theory.learners.td import OffPolicyTD
from theory.learners.transition import View
from theory.problems import InvalidProblem, Problem

by_name = pytest.mark.parametrize("problem", PROBLEMS[:3], ids=lambda p: p.name)


@cache
def maps(rule, name):
    """The maps of a rule on one of the problems, derived once for all tests."""
    return affine(rule, next(p for p in PROBLEMS if p.name == name))


def closing_rules(gamma):
    return [
        *one_vector_rules(gamma),
        NStep(gamma, third, 1), NStep(gamma, third, 2), ChainedNStep(gamma, third, 2, K=1),
        TargetNetwork(gamma, third, 2), SequentialChain(gamma, third, 2, K=2),
        SequentialChain(gamma, third, 2, K=1, hot=False, after="ring"),
        SequentialChain(gamma, third, 1, K=1, after="stop"),
        ConcurrentChain(gamma, third, K=2), ConcurrentChain(gamma, third, K=2, order="in-place"),
        corrected_rules(gamma, K=2)[0],
    ]  # fmt: skip


def test_every_learner_closes_or_says_why_not():
    rules = {rule.name: rule for rule in closing_rules(half)}
    assert all(closes(rule) for rule in rules.values())
    for name in RULES.keys() - rules.keys():
        rule = RULES[name](half) if name == "lstd" else RULES[name](half, third)
        assert not closes(rule)
        with pytest.raises(InvalidProblem, match=f"{name} has no affine maps: .* (trace|linear)"):
            affine(rule, noisy())
    assert not closes(ConcurrentChain(half, third, K=1, normalise=True))


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
            state = rule.update(state, seen[*places, move.reward, move.ratio])
            z, node = move.matrix @ z + move.vector, move.next_node
            assert np.all(found.read(node) @ z == rule.value(state, found.view.value_features)), rule


@by_name
def test_mean_of_the_maps_is_the_expected_update(problem):
    """At every memory that comes back for ever; where there is none, that is the mean over the stationary law."""
    for rule in closing_rules(problem.exact.gamma):
        found = maps(rule, problem.name)
        assert sum(found.law) == 1
        model = Model(problem, exact=True, action_values=rule.action_values)
        heads = start(found.n_vectors, found.view.n_features)
        z = found.start @ heads.ravel() + start(1, found.size)[0]  # auxiliary weights, too
        template = found.coordinates
        after = {}
        for move in found.moves:
            weight = found.law[move.node] * move.probability
            if weight:
                memory = template.memory(template.state(z, found.nodes[move.node].memory))
                # A window of moves is averaged over, as the stated mean is; a head and its clock are not.
                key = () if "window" in memory and isinstance(memory["window"], tuple) else tuple(memory.values())
                total, moved = after.get(key, (0, 0 * z))
                after[key] = (total + weight, moved + weight * (move.matrix @ z + move.vector))
        for key, (total, moved) in after.items():
            memory = dict(zip(rule.memory, key, strict=True)) if key else {}
            expected = rule.expected_update(template.state(z, memory), model)
            assert np.all(moved / total == template.pack(expected)), (rule, key)
        if not rule.memory:
            matrix, vector = found.expected()
            assert np.all(matrix @ z + vector == template.pack(rule.expected_update(template.state(z, {}), model)))


def test_floats_agree_with_fractions():
    problem = noisy()
    for rule in closing_rules(problem.exact.gamma):
        rough = replace(rule, gamma=problem.gamma, alpha=1 / 3, **({"beta": 0.5} if hasattr(rule, "beta") else {}))
        if hasattr(rule, "kappa"):
            rough = replace(rough, kappa=float(rule.kappa))
        exact, floats = maps(rule, problem.name), affine(rough, problem, exact=False)
        assert [m[:2] for m in exact.moves] == [m[:2] for m in floats.moves]
        for one, other in zip(exact.moves, floats.moves, strict=True):
            assert other.matrix.dtype == np.float64
            # Sums of a few products of numbers below 10.
            assert np.abs(one.matrix.astype(float) - other.matrix).max() < 1e-13
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
def test_step_size_parts_give_the_map_at_any_step_sizes(problem):
    for rule in [*one_vector_rules(problem.exact.gamma), ConcurrentChain(problem.exact.gamma, third, K=2)]:
        sizes = {"alpha": Fraction(3, 7), "beta": Fraction(2, 5)}
        other = replace(rule, **{name: sizes[name] for name in rule.columns if name in sizes})
        parts = step_size_parts(rule, problem)
        for part, move in zip(parts, affine(other, problem).moves, strict=True):
            whole = part.constant + sizes["alpha"] * part.alpha
            whole = whole if part.beta is None else whole + sizes["beta"] * part.beta
            assert np.all(whole == np.column_stack([move.matrix, move.vector])), rule


def test_an_in_place_sweep_is_not_linear_in_its_step_size():
    with pytest.raises(InvalidProblem, match="not linear in its step sizes"):
        step_size_parts(ConcurrentChain(half, third, K=2, order="in-place"), PROBLEMS[2])


def test_a_problem_without_an_mdp_has_no_moves():
    with pytest.raises(InvalidProblem, match="no MDP behind it"):
        affine(OffPolicyTD(half, third), Problem.from_matrices("1/2", Phi=[[1]], P_pi=[[1]], d_mu=[1]))
