"""The transition graph of a chain P, and its stationary distribution d: dᵀP = dᵀ, Σd = 1.

Edges are the positive entries of P. Found are the communicating classes, the closed ones among them (where the chain
ends up) and the period; validation uses the same functions that the explorer shows. Which states reach which is found
by squaring the matrix of edges, log₂ S times at most.

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

from theory.problems.numbers import Array, FloatArray, InvalidProblem, is_exact, solve_exactly

if TYPE_CHECKING:
    import networkx as nx

    from theory.problems.problem import Problem


def communicating_classes(P: Array) -> list[set[int]]:
    """Maximal sets of states that reach each other, in the order of their least state."""
    return [states for states, _ in _classes(P)]


def closed_classes(P: Array) -> list[set[int]]:
    """The communicating classes that are never left; one of them ⇔ a unique stationary distribution."""
    return [states for states, closed in _classes(P) if closed]


def _classes(P: Array) -> list[tuple[set[int], bool]]:
    """The communicating classes, and whether they are closed."""
    # In floats, whose products are quickest: counts of ways, cut off at one. A line of 2000 states takes 1.5 s.
    reach = np.asarray((P > 0) | np.eye(len(P), dtype=bool), dtype=np.float32)
    while ((further := np.minimum(reach @ reach, 1)) != reach).any():
        reach = further
    mutual = (reach * reach.T) > 0
    first = np.flatnonzero(mutual.argmax(axis=1) == np.arange(len(P)))
    return [(set(np.flatnonzero(mutual[s]).tolist()), bool((mutual[s] == (reach[s] > 0)).all())) for s in first]


def period(P: Array) -> int:
    """How long the chain's long run takes to repeat its pattern of possible states.

    The period of a closed class is the greatest common divisor of its cycle lengths. By breadth-first
    levels ℓ from any of its states it is gcd of ℓ(u) + 1 − ℓ(v) over the edges u → v, since these
    numbers sum to a cycle's length along every cycle. Several closed classes together repeat after the
    least common multiple.

    >>> period(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    3
    """
    periods = []
    for states in closed_classes(P):
        edges = np.asarray(P[np.ix_(sorted(states), sorted(states))] > 0, dtype=bool)
        level, seen = np.zeros(len(edges), dtype=int), np.arange(len(edges)) == 0
        while not seen.all():
            new = edges[seen].any(axis=0) & ~seen
            level[new], seen = level[seen].max() + 1, seen | new
        u, v = np.nonzero(edges)
        periods.append(math.gcd(*(level[u] + 1 - level[v]).tolist()))
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
    """GTH elimination for an irreducible chain: Gaussian elimination without subtraction."""
    T = np.array(P, dtype=np.float64)
    n = len(T)
    for k in range(n - 1, 0, -1):
        # Censor state k: its off-diagonal row mass takes the place of 1 − T[k, k].
        T[:k, k] /= T[k, :k].sum()
        T[:k, :k] += np.outer(T[:k, k], T[k, :k])
    d = np.ones(n)
    for k in range(1, n):
        d[k] = d[:k] @ T[:k, k]
    return d / d.sum()


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
