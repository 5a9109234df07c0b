import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from theory.problems import MDP, Problem
from theory.problems.graph import (
    closed_classes,
    communicating_classes,
    period,
    transition_graph,
)


def closure(edges):
    """Which states reach which in zero or more steps, by networkx: the second route to every class below."""
    graph = nx.from_numpy_array(edges, create_using=nx.DiGraph)
    reach = np.zeros_like(edges)
    for s in graph:
        reach[s, list(nx.descendants(graph, s) | {s})] = True
    return reach


@st.composite
def chains(draw):
    """Sparse stochastic matrices: every state keeps at least one edge."""
    size = draw(st.integers(1, 7))
    edges = draw(arrays(bool, (size, size), elements=st.booleans()))
    for s in range(size):
        edges[s, draw(st.integers(0, size - 1))] = True
    return edges / edges.sum(axis=1, keepdims=True)


@given(chains())
def test_communicating_classes_are_the_mutually_reachable_sets(P):
    mutual = closure(P > 0)
    mutual &= mutual.T
    expected = {frozenset(np.nonzero(row)[0].tolist()) for row in mutual}
    found = communicating_classes(P)
    assert {frozenset(c) for c in found} == expected
    assert len(found) == len(expected)
    assert found == sorted(found, key=min)


@given(chains())
def test_closed_classes_are_the_classes_without_a_way_out(P):
    reach = closure(P > 0)
    expected = [
        c for c in communicating_classes(P) if not reach[np.ix_(sorted(c), sorted(set(range(len(P))) - c))].any()
    ]
    assert closed_classes(P) == expected
    assert expected  # a finite chain ends up somewhere


@given(chains())
def test_period_is_the_common_divisor_of_the_return_times(P):
    """Walks of at most 3S steps are enough: out to any cycle, around it or not, and back differ by its length."""
    expected = 1
    for c in closed_classes(P):
        edges = P[np.ix_(sorted(c), sorted(c))] > 0
        walk, returns = np.eye(len(c), dtype=bool), []
        for n in range(1, 3 * len(c) + 1):
            walk = walk @ edges
            returns += [n] if walk[0, 0] else []
        expected = math.lcm(expected, math.gcd(*returns))
    assert period(P) == expected


def test_period_of_two_closed_classes_is_their_least_common_multiple():
    P = np.zeros((5, 5))
    P[[0, 1, 2, 3, 4], [1, 0, 3, 4, 2]] = 1
    assert period(P) == 6


def test_classes_and_period_of_exact_matrices():
    P = np.array([[Fraction(0), Fraction(1)], [Fraction(1, 2), Fraction(1, 2)]], dtype=object)
    assert (communicating_classes(P), closed_classes(P), period(P)) == ([{0, 1}], [{0, 1}], 1)


@pytest.fixture
def forked():
    """From 0, "safe" stays; "risky" pays 6 on 1 and 0 on 0; "never" is taken by nobody. From 1, all go to 0."""
    P = [[[1, 0], ["1/3", "2/3"], [0, 1]], [[1, 0]] * 3]
    R = [[[1, 0], [0, 6], [0, 9]], [[2, 0]] * 3]
    mdp = MDP(P, R, "9/10", states=("home", "away"), actions=("safe", "risky", "never"))
    return Problem.from_mdp(mdp, pi=[[0, 1, 0]] * 2, mu=[["1/2", "1/2", 0]] * 2, Phi=[[1], [2]], name="forked")


def test_transition_graph_nodes_carry_label_and_visits(forked):
    nodes = transition_graph(forked).nodes(data=True)
    # d(away) = d(home)·(1/2)(2/3) in balance: 3/4 and 1/4.
    assert {s: (n["label"], n["d_mu"]) for s, n in nodes} == {0: ("home", 0.75), 1: ("away", 0.25)}
    assert all(set(n) == {"label", "d_mu"} for _, n in nodes)


def test_transition_graph_edges_carry_both_policies(forked):
    graph = transition_graph(forked)
    assert set(graph.edges) == {(0, 0), (0, 1), (1, 0)}
    stay, leave, back = graph.edges[0, 0], graph.edges[0, 1], graph.edges[1, 0]
    assert stay["pi"] == pytest.approx(1 / 3)
    assert stay["mu"] == pytest.approx(1 / 2 + 1 / 6)
    assert leave["pi"] == pytest.approx(2 / 3)
    assert leave["mu"] == pytest.approx(1 / 3)
    # E_μ[R | home → home]: safe (1/2, reward 1) against risky (1/6, reward 0).
    assert (stay["reward_pi"], stay["reward_mu"]) == (0.0, pytest.approx(3 / 4))
    assert (leave["reward_pi"], leave["reward_mu"]) == (6.0, 6.0)
    assert (back["reward_pi"], back["reward_mu"]) == (2.0, 2.0)
    assert stay["actions"] == ("safe", "risky")
    assert leave["actions"] == ("risky",)
    assert back["actions"] == ("safe", "risky")


def test_transition_graph_probabilities_and_rewards_add_up_to_the_problem(forked):
    graph = transition_graph(forked)
    for s in graph:
        out = [graph.edges[e] for e in graph.out_edges(s)]
        assert sum(e["pi"] for e in out) == pytest.approx(1)
        assert sum(e["mu"] for e in out) == pytest.approx(1)
        assert sum(e["pi"] * e["reward_pi"] for e in out if e["pi"]) == pytest.approx(forked.r_pi[s])
        assert sum(e["mu"] * e["reward_mu"] for e in out) == pytest.approx(forked.r_mu[s])


def test_a_move_that_only_one_policy_makes_has_probability_zero_under_the_other():
    mdp = MDP([[[1, 0], [0, 1]], [[1, 0], [0, 1]]], [[1, 2], [3, 4]], "1/2")
    problem = Problem.from_mdp(mdp, pi=[0, 0], mu=[["1/2", "1/2"]] * 2, Phi=[[1], [2]])
    edge = transition_graph(problem).edges[0, 1]
    assert (edge["pi"], edge["mu"]) == (0, 0.5)
    assert (edge["reward_pi"], edge["reward_mu"]) == (None, 2.0)
    assert edge["actions"] == ("1",)


def test_transition_graph_of_matrices_alone_says_what_is_unknown():
    swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    graph = transition_graph(swap)
    assert isinstance(graph, nx.DiGraph)
    assert graph.edges[0, 1] == {"pi": 1.0, "mu": None, "reward_pi": None, "reward_mu": None, "actions": ()}
