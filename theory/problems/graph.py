"""The transition graph of a problem, and what its shape says.

Edges are the positive entries of a transition matrix. networkx finds the communicating classes,
the closed ones among them (where the chain ends up), the period and what is reachable; validation
uses the same functions that the explorer shows.
"""

from __future__ import annotations

import numpy as np

from theory.problems.numbers import Array


def chain_graph(P: Array):  # type: ignore[no-untyped-def]
    """`networkx.DiGraph` on 0..S−1 with an edge for each positive entry of `P`."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(P)))
    sources, targets = np.nonzero(np.asarray(P > 0, dtype=bool))
    graph.add_edges_from(zip(sources.tolist(), targets.tolist(), strict=True))
    return graph


def communicating_classes(P: Array) -> list[set[int]]:
    """Maximal sets of states that reach each other."""
    import networkx as nx

    return sorted((set(c) for c in nx.strongly_connected_components(chain_graph(P))), key=min)


def closed_classes(P: Array) -> list[set[int]]:
    """The communicating classes that are never left; one of them ⇔ a unique stationary distribution."""
    import networkx as nx

    return sorted((set(c) for c in nx.attracting_components(chain_graph(P))), key=min)


def period(P: Array) -> int:
    """The period of the chain's closed class (greatest common divisor of its cycle lengths).

    >>> period(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    3
    """
    import math

    import networkx as nx

    graph = chain_graph(P)
    closed = closed_classes(P)
    periods = []
    for states in closed:
        component = graph.subgraph(states)
        level = nx.single_source_shortest_path_length(component, min(states))
        periods.append(math.gcd(*(level[u] + 1 - level[v] for u, v in component.edges)))
    return math.gcd(*periods) if len(periods) == 1 else math.lcm(*periods)
