"""The transition graph of a chain P, and its stationary distribution d: dᵀP = dᵀ, Σd = 1.

Edges are the positive entries of P. Found are the communicating classes, the closed ones among them (where the chain
ends up) and the period; validation uses the same functions that the explorer shows. SciPy finds the strongly connected
components of dense and of sparse matrices.

d is unique exactly when there is one closed class, whatever the period: a power iteration would not see that on a
periodic chain, a linear solve does. Two routes:

- exact: a rational solve of (Pᵀ − I) d = 0 with the last equation replaced by Σd = 1;
- floats: GTH elimination (Grassmann, Taksar and Heyman 1985), which never subtracts, so every
  entry of d is accurate to a small relative error even when the chain is nearly decomposable.

`transition_graph` draws both policies of a problem in one graph of networkx, which takes 0.2 s to import.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theory.problems.numbers import Array, FloatArray, InvalidProblem, Number, is_exact, solve_exactly
from theory.problems.validate import ending

if TYPE_CHECKING:
    import networkx as nx

    from theory.problems.problem import Problem


def communicating_classes(P: Array) -> list[set[int]]:
    """Maximal sets of states that reach each other, in the order of their least state."""
    label, _ = labelled_classes(P)
    return sorted(({*np.flatnonzero(label == k).tolist()} for k in range(label.max() + 1)), key=min)


def closed_classes(P: Array) -> list[set[int]]:
    """The communicating classes that are never left; one of them ⇔ a unique stationary distribution."""
    label, closed = labelled_classes(P)
    return sorted(({*np.flatnonzero(label == k).tolist()} for k in np.flatnonzero(closed)), key=min)


def labelled_classes(P: Any) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The number of each state's communicating class, (S,), and whether a class is closed; P may be sparse."""
    from scipy.sparse import csgraph

    edges = sparse_edges(P)
    count, label = csgraph.connected_components(edges, connection="strong")
    closed = np.ones(count, dtype=bool)
    before, after = (label[states] for states in edges.nonzero())
    closed[before[before != after]] = False
    return label, closed


def sparse_edges(P: Any) -> Any:
    """Where P > 0, as a sparse matrix."""
    from scipy.sparse import csr_array

    positive = P > 0
    return csr_array(positive if hasattr(positive, "tocsr") else np.asarray(positive, dtype=bool))


def never_ending(P: Any) -> list[int]:
    """The states from which no end can be reached under P, dense or sparse; none exactly where ρ(P) < 1.

    >>> never_ending(np.array([[0, 0.5, 0], [1, 0, 0], [0, 0, 1]]))
    [2]
    """
    from scipy.sparse import block_array, csgraph, csr_array

    ends = np.asarray(ending(P) > 0, dtype=bool)
    # Backwards from one more state, S, which stands for the end.
    back = block_array([[sparse_edges(P).T, None], [csr_array([ends]), csr_array((1, 1), dtype=bool)]], format="csr")
    met = csgraph.breadth_first_order(back, len(ends), return_predecessors=False)
    return np.setdiff1d(np.arange(len(ends)), met).tolist()


def check_ends(gamma: Number, P: Any, who: str) -> None:
    """At γ = 1 values are finite exactly where an end can be reached from every state."""
    endless = never_ending(P) if gamma == 1 else []
    if endless:
        raise InvalidProblem(f"must be below 1: from state {endless[0]} the {who} never ends an episode", "gamma")


def period(P: Array) -> int:
    """How long the chain's long run takes to repeat its pattern of possible states.

    The period of a closed class is the greatest common divisor of its cycle lengths. By distances ℓ from any of its
    states it is gcd of ℓ(u) + 1 − ℓ(v) over the edges u → v, since these numbers sum to a cycle's length along every
    cycle. Several closed classes together repeat after the least common multiple.

    >>> period(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    3
    """
    from scipy.sparse import csgraph

    periods = []
    for states in closed_classes(P):
        edges = sparse_edges(P[np.ix_(sorted(states), sorted(states))])
        distance = csgraph.shortest_path(edges, unweighted=True, indices=0).astype(int)
        u, v = edges.nonzero()
        periods.append(math.gcd(*(distance[u] + 1 - distance[v]).tolist()))
    return math.lcm(*periods)


def stationary_distribution(P: Array, *where: str | int) -> Array:
    """The unique d with dᵀP = dᵀ, of the same kind as `P`; an error where it is not unique.

    >>> stationary_distribution(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [0.5, 0.5]
    """
    classes = closed_classes(P)
    if len(classes) > 1:
        shown = " and ".join(
            "{" + ", ".join(map(str, sorted(c)[:4])) + ("…}" if len(c) > 4 else "}") for c in classes[:2]
        )
        raise InvalidProblem(
            f"the stationary distribution is not unique: the chain has {len(classes)} closed classes, {shown}", *where
        )
    recurrent = sorted(classes[0])
    block = P[np.ix_(recurrent, recurrent)]
    d = np.zeros(len(P), dtype=P.dtype)
    if is_exact(P):
        d[:] = Fraction(0)
        equations = block.T - np.eye(len(block), dtype=int)
        equations[-1] = 1
        d[recurrent] = solve_exactly(equations, np.eye(len(block), dtype=int)[-1])
    else:
        d[recurrent] = gth(block)
    d.flags.writeable = False
    return d


def gth(P: FloatArray) -> FloatArray:
    """GTH elimination for irreducible chains (…, S, S): Gaussian elimination without subtraction."""
    T = np.array(P, dtype=np.float64)
    S = T.shape[-1]
    for k in range(S - 1, 0, -1):
        # Censor state k: its off-diagonal row mass takes the place of 1 − T[k, k].
        T[..., :k, k] /= T[..., k, :k].sum(axis=-1, keepdims=True)
        T[..., :k, :k] += T[..., :k, k, None] * T[..., k, None, :k]
    d = np.ones(T.shape[:-1])
    for k in range(1, S):
        d[..., k] = (d[..., :k] * T[..., :k, k]).sum(axis=-1)
    return d / d.sum(axis=-1, keepdims=True)


def transition_graph(problem: Problem) -> nx.DiGraph:
    """Both policies' moves in one graph, in floats.

    Node s has `label` and `d_mu`. Edge s → s' exists where P_π or P_μ is positive and has `pi` and `mu`, the
    probabilities of the move, 0 where that policy does not make it; `mu` is None where P_μ is unknown.
    """
    import networkx as nx

    graph = nx.DiGraph(name=problem.name)
    for s, (label, d) in enumerate(zip(problem.state_labels, problem.d_mu.tolist(), strict=True)):
        graph.add_node(s, label=label, d_mu=d)
    given, P_pi, P_mu = problem.given, problem.P_pi, problem.P_mu
    moves = given.P_pi > 0 if given.P_mu is None else (given.P_pi > 0) | (given.P_mu > 0)
    for s, t in np.argwhere(moves).tolist():
        graph.add_edge(s, t, pi=float(P_pi[s, t]), mu=None if P_mu is None else float(P_mu[s, t]))
    return graph
