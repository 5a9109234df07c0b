import math

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


def test_transition_graph_has_the_moves_of_both_policies():
    P = [[[1, 0], ["1/3", "2/3"], [0, 1]], [[1, 0]] * 3]
    mdp = MDP(P, [[0] * 3] * 2, "9/10", states=("home", "away"), actions=("safe", "risky", "never"))
    forked = Problem.from_mdp(mdp, pi=[[0, 1, 0], [1, 0, 0]], mu=[["1/2", "1/2", 0]] * 2, Phi=[[1], [2]])
    graph = transition_graph(forked)
    # d(away) = d(home)·(1/2)(2/3) in balance: 3/4 and 1/4.
    assert dict(graph.nodes(data=True)) == {0: {"label": "home", "d_mu": 0.75}, 1: {"label": "away", "d_mu": 0.25}}
    assert {(s, t): (e["pi"], e["mu"]) for s, t, e in graph.edges(data=True)} == {
        (0, 0): (pytest.approx(1 / 3), pytest.approx(2 / 3)),
        (0, 1): (pytest.approx(2 / 3), pytest.approx(1 / 3)),
        (1, 0): (1.0, 1.0),
    }
    only = Problem.from_mdp(mdp, pi=[[1, 0, 0]] * 2, mu=[["1/2", "1/2", 0]] * 2, Phi=[[1], [2]])
    assert transition_graph(only).edges[0, 1] == {"pi": 0.0, "mu": pytest.approx(1 / 3)}
    swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    assert transition_graph(swap).edges[0, 1] == {"pi": 1.0, "mu": None}
