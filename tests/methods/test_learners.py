"""A learner's expected update is its method's: derived from the rule on one side, from the problem on the other."""

from fractions import Fraction

import numpy as np
import pytest

from tests.learners.cases import PROBLEMS, half, start, third
from tests.learners.stated_means import Model, all_transitions, head_step, mean_map, trace_mean
from theory.exact.matrices import fractions
from theory.learners.affine import affine
from theory.learners.concurrent import ConcurrentChain
from theory.learners.families import learners
from theory.learners.gradient import GTD2, TDC, TDRC
from theory.learners.lstd import LSTD
from theory.learners.n_step import ChainedNStep, NStep
from theory.learners.sequential import SequentialChain, TargetNetwork, Turns
from theory.learners.soft import SoftTarget
from theory.learners.td import OffPolicyTD
from theory.learners.traces import ETD, TDLambda
from theory.learners.transition import View
from theory.methods.family import find_method
from theory.model.linear_model import exact_model

by_name = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.name)

# Rules whose mean map is affine in one state, with their method; a ratio of 3/2 is β/α = (1/2)/(1/3).
AFFINE = [
    (lambda g: OffPolicyTD(g, third), "off-policy-td"),
    (lambda g: NStep(g, third, 3), "n-step-td:3"),
    (lambda g: GTD2(g, third, half), "gtd2:3/2"),
    (lambda g: TDC(g, third, half), "tdc:3/2"),
    (lambda g: TDRC(g, third, half, kappa=Fraction(2, 3)), "tdrc:ratio=3/2:kappa=2/3"),
    (lambda g: SoftTarget(g, third, tau=Fraction(1, 5)), "soft-target:alpha=1/3:tau=1/5"),
]
OTHERS = {"td-lambda", "etd", "lstd", "target-network", "chained-sequential", "chained-concurrent", "chained-n-step"}
# Learners of v_μ, of action values with truncated ratios, and one that needs A_μ: no row of the field.
WITHOUT = {"td", "htd", "chained-expected-sarsa", "chained-q", "chained-retrace", "chained-vtrace"}


def method_map(text, problem):
    """z ← matrix z + vector with α = 1/3, in `Fraction`."""
    kind, M, v = find_method(text).expected(exact_model(problem))
    n = M.nrows()
    matrix, vector = fractions(M).reshape(n, n), fractions(v)
    if kind == "mean":
        matrix, vector = np.eye(n, dtype=object) - third * matrix, third * vector
    return matrix, vector


def same(a, b) -> bool:
    return a.shape == b.shape and bool(np.all(a == b))


def test_every_learner_has_its_method_or_a_reason():
    compared = {rule(half).name for rule, _ in AFFINE} | OTHERS
    assert compared | WITHOUT == set(learners())


@by_name
@pytest.mark.parametrize(("rule", "text"), AFFINE, ids=[text for _, text in AFFINE])
def test_mean_maps(problem, rule, text):
    matrix, vector = mean_map(affine(rule(problem.exact.gamma), problem, exact=True))
    if text.startswith("n-step"):  # its first moves, which update nothing, are not seen in the long run
        assert len(matrix) == problem.n_features
    if text.startswith("soft"):  # the learner's target comes first
        F = problem.n_features
        order = [*range(F, 2 * F), *range(F)]
        matrix, vector = matrix[np.ix_(order, order)], vector[order]
    expected = method_map(text, problem)
    assert same(matrix, expected[0])
    assert same(vector, expected[1])


@by_name
@pytest.mark.parametrize(("Rule", "name"), [(TDLambda, "td-lambda"), (ETD, "etd")])
@pytest.mark.parametrize("lambda_", [Fraction(0), Fraction(2, 5), Fraction(1)])
def test_traces(problem, Rule, name, lambda_):
    rule, model = Rule(problem.exact.gamma, third, lambda_), Model(problem, exact=True)
    theta = start(1, problem.n_features)[0]
    matrix, vector = method_map(f"{name}:{lambda_}", problem)
    assert same(trace_mean(rule, theta, model), matrix @ theta + vector)


@by_name
def test_lstd_sums(problem):
    rule, F = LSTD(problem.exact.gamma), problem.n_features
    state = rule.init(start(1, F)[0])
    moves = list(all_transitions(View(problem)))
    matrix, vector = method_map("lstd", problem)
    assert same(sum(p * rule.update(state, move).A for *_, p, move in moves), matrix)
    assert same(sum(p * rule.update(state, move).b for *_, p, move in moves), vector)


@by_name
def test_target_network_over_a_window(problem):
    """The rule is affine, so the mean of a window is the mean of its moves one after the other."""
    T, rule = 3, TargetNetwork(problem.exact.gamma, third, window=3)
    moves = list(all_transitions(View(problem)))
    theta = start(1, problem.n_features)[0]
    state = Turns(np.array([theta, theta]), 1, 0)
    for t in range(T):
        heads = sum(p * rule.update(state, move).heads for *_, p, move in moves)
        state = Turns(heads, 1, (t + 1) % T)
    matrix, vector = method_map("target-network:alpha=1/3:window=3", problem)
    assert same(state.heads[1], matrix @ theta + vector)


@by_name
@pytest.mark.parametrize("name", ["chained-sequential", "chained-concurrent", "chained-n-step"])
def test_a_head_of_a_chain_rests_at_the_method_s_next_iterate(problem, name):
    """Head 1 on a head 0 that stands still: no step on average exactly at the iterate of head 0."""
    gamma, F = problem.exact.gamma, problem.n_features
    theta = start(1, F)[0]
    text = "n-step-chain:2" if name == "chained-n-step" else "chain"
    matrix, vector = method_map(text, problem)
    heads = np.array([theta, matrix @ theta + vector])
    if name == "chained-sequential":
        assert SequentialChain(gamma, third, window=2, K=1).name == name
        step = head_step(heads, 1, Model(problem, exact=True))
    else:
        rule = (
            ConcurrentChain(gamma, third, K=1) if name == "chained-concurrent" else ChainedNStep(gamma, third, 1, n=2)
        )
        mean, constant = mean_map(affine(rule, problem, exact=True))
        step = (mean @ heads.ravel() + constant - heads.ravel())[F:]
    assert not any(step)
