"""The transition graph of a problem, and what its shape says.

Edges are the positive entries of a transition matrix. Found are the communicating classes, the closed
ones among them (where the chain ends up), the period and what is reachable; validation uses the same
functions that the explorer shows. `transition_graph` draws both policies in one graph: an edge s → s'
for every move that π or μ makes.

Classes are found by two searches in depth (Kosaraju): in the order in which the first one leaves the states,
the last first, all that reach such a state and belong to no class yet are its class. networkx, which takes
0.2 s to import, does the rest.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.problems.numbers import Array

if TYPE_CHECKING:
    import networkx as nx

    from theory.problems.problem import Problem


def chain_graph(P: Array) -> nx.DiGraph:
    """`networkx.DiGraph` on 0..S−1 with an edge for each positive entry of `P`."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(P)))
    sources, targets = np.nonzero(np.asarray(P > 0, dtype=bool))
    graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    return graph


def communicating_classes(P: Array) -> list[set[int]]:
    """Maximal sets of states that reach each other, in the order of their least state."""
    moves = np.asarray(P > 0, dtype=bool)
    after, before = ([np.flatnonzero(row).tolist() for row in edges] for edges in (moves, moves.T))
    left: list[int] = []
    seen: set[int] = set()
    for s in range(len(moves)):
        left += _in_depth(s, after, seen)
    found, seen = [], set()
    for s in reversed(left):
        if s not in seen:
            found.append(set(_in_depth(s, before, seen)))
    return sorted(found, key=min)


def closed_classes(P: Array) -> list[set[int]]:
    """The communicating classes that are never left; one of them ⇔ a unique stationary distribution."""
    moves = np.asarray(P > 0, dtype=bool)
    return [c for c in communicating_classes(P) if set(np.flatnonzero(moves[sorted(c)].any(axis=0)).tolist()) <= c]


def _in_depth(start: int, neighbours: list[list[int]], seen: set[int]) -> list[int]:
    """The states reached from `start` and not `seen` before, in the order in which a search in depth leaves them."""
    if start in seen:
        return []
    seen.add(start)
    left, path = [], [(start, iter(neighbours[start]))]
    while path:
        s, rest = path[-1]
        t = next((t for t in rest if t not in seen), None)
        if t is None:
            left.append(s)
            path.pop()
        else:
            seen.add(t)
            path.append((t, iter(neighbours[t])))
    return left


def period(P: Array) -> int:
    """How long the chain's long run takes to repeat its pattern of possible states.

    The period of a closed class is the greatest common divisor of its cycle lengths. By breadth-first
    levels ℓ from any of its states it is gcd of ℓ(u) + 1 − ℓ(v) over the edges u → v, since these
    numbers sum to a cycle's length along every cycle. Several closed classes together repeat after the
    least common multiple.

    >>> period(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    3
    """
    import networkx as nx

    graph = chain_graph(P)
    periods = []
    for states in closed_classes(P):
        component = graph.subgraph(states)
        level = nx.single_source_shortest_path_length(component, min(states))
        periods.append(math.gcd(*(level[u] + 1 - level[v] for u, v in component.edges)))
    return math.lcm(*periods)


def transition_graph(problem: Problem) -> nx.DiGraph:
    """Both policies' moves in one graph, in floats.

    Node s has `label` and `d_mu`. Edge s → s' exists where P_π or P_μ is positive and has

    - `pi`, `mu`: the probabilities of the move, 0 where that policy does not make it
      (`mu` is None where P_μ is unknown);
    - `reward_pi`, `reward_mu`: E[R | s, s'] under each policy, None where it does not make the move or
      the problem has no MDP;
    - `actions`: names of the actions that either policy takes in s and that can lead to s'; empty
      without an MDP.
    """
    import networkx as nx

    graph = nx.DiGraph(name=problem.name)
    for s, (label, d) in enumerate(zip(problem.state_labels, problem.d_mu.tolist(), strict=True)):
        graph.add_node(s, label=label, d_mu=d)
    given, P_pi, P_mu = problem.given, problem.P_pi, problem.P_mu
    moves = given.P_pi > 0 if given.P_mu is None else (given.P_pi > 0) | (given.P_mu > 0)
    for s, t in np.argwhere(moves).tolist():
        mu = None if P_mu is None else float(P_mu[s, t])
        graph.add_edge(s, t, pi=float(P_pi[s, t]), mu=mu, **_causes(problem, s, t))
    return graph


def _causes(problem: Problem, s: int, t: int) -> dict[str, Any]:
    mdp, pi, mu = problem.mdp, problem.pi, problem.mu
    if mdp is None or pi is None or mu is None:
        return {"reward_pi": None, "reward_mu": None, "actions": ()}
    arrive = mdp.P[s, :, t].astype(np.float64)
    reward = (mdp.R[s] if mdp.R.ndim == 2 else mdp.R[s, :, t]).astype(np.float64)
    result: dict[str, Any] = {}
    for name, policy in {"reward_pi": pi, "reward_mu": mu}.items():
        weight = policy[s].astype(np.float64) * arrive
        result[name] = float(weight @ reward / weight.sum()) if weight.any() else None
    taken = np.nonzero(((pi[s] > 0) | (mu[s] > 0)) & (mdp.P[s, :, t] > 0))[0]
    names = mdp.actions or tuple(str(a) for a in range(mdp.n_actions))
    return {**result, "actions": tuple(names[a] for a in taken)}
