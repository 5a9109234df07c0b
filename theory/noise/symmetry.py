r"""States that a learner cannot tell apart, found exactly, and its moments up to their exchange.

Exchanging two states permutes nodes, coordinates and readings. Where that leaves the law of the start, all C_m, A_m,
B_m with their probabilities and all readings as they are, the moments are the same before and after it, at every move
and for every step size. Exchangeable pairs generate all permutations within classes of states (on Baird's problem of
six), and one moment of each orbit is enough: orbit sums of the map's rows give the recursion of these alone.

    (node i, monomial y_a y_b ⋯)  ~  (πi, y_πa y_πb ⋯)      representative: states of a class in the order they occur

Baird, second moments with the constant: 252 → 18 (TD), 840 → 49 (GTD2, TDC).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from theory.noise.step_maps import StepMaps
from theory.noise.symmetric import monomials
from theory.problems.numbers import Array

Moment = tuple[int, tuple[int, ...]]  # node, and the coordinates that are multiplied, sorted


class Orbits:
    """The classes of exchangeable states of a learner's maps, and the numbering of moments up to them."""

    def __init__(self, maps: StepMaps) -> None:
        self.maps = maps
        self.classes = [c for c in _classes(maps) if len(c) > 1]
        self._place = {key: i for i, key in enumerate(maps.nodes)}
        self._where = {s: k for k, s in enumerate(maps.states)}

    def numbered(self, order: int, n: int) -> tuple[dict[Moment, int], list[Moment]]:
        """The orbit of each moment of n coordinates, and a representative of each orbit."""
        index: dict[Moment, int] = {}
        first: list[Moment] = []
        for i in range(len(self.maps.nodes)):
            for monomial in monomials(n, order):
                top = self.representative(i, monomial)
                if top not in index:
                    index[top] = len(first)
                    first.append(top)
                index[i, monomial] = index[top]
        return index, first

    def representative(self, node: int, monomial: Sequence[int]) -> Moment:
        """The same moment with the states of each class in the order of where they occur."""
        if not self.classes:
            return node, tuple(monomial)
        (place, memory), block = self.maps.nodes[node], self.maps.block
        to: dict[int, int] = {}
        for members in self.classes:
            marks: dict[int, list[int]] = {s: [] for s in members}
            if place[0] in marks:
                marks[place[0]].append(-1)
            for a in monomial:
                if a < self.maps.chain.size and self.maps.states[a % block] in marks:
                    marks[self.maps.states[a % block]].append(a // block)
            ranked = sorted(members, key=lambda s: (marks[s] == [], marks[s], s))
            to |= dict(zip(ranked, members, strict=True))
        return self._place[(to.get(place[0], place[0]),), memory], tuple(sorted(self._moved(a, to) for a in monomial))

    def _moved(self, a: int, to: dict[int, int]) -> int:
        block = self.maps.block
        if a >= self.maps.chain.size:
            return a
        s = self.maps.states[a % block]
        return a - a % block + self._where[to.get(s, s)]


def _classes(maps: StepMaps) -> list[list[int]]:
    """States by exchangeability, which is transitive; none where values are of pairs or the numbers are floats."""
    S = len(maps.chain.d_mu)
    if not maps.states or not maps.chain.is_exact:
        return [[s] for s in range(S)]
    same = _Exchange(maps)
    classes: list[list[int]] = []
    for s in range(S):
        own = next((c for c in classes if same.leaves_all(c[0], s)), None)
        if own is None:
            classes.append([s])
        else:
            own.append(s)
    return classes


class _Exchange:
    """Does exchanging two states leave start, maps and readings as they are?"""

    def __init__(self, maps: StepMaps) -> None:
        self.maps, self.chain = maps, maps.chain
        self.covariance = self.chain.spread @ self.chain.spread.T
        self.moves = [self._sparse(m) for m in range(len(self.chain.node))]
        self.counted = Counter(self.moves)

    def leaves_all(self, s: int, t: int) -> bool:
        states = list(self.maps.states)
        if (s in states) != (t in states):
            return False
        swap = {s: t, t: s}
        place = {key: i for i, key in enumerate(self.maps.nodes)}
        try:
            nodes = [place[(swap.get(p[0], p[0]),), memory] for p, memory in self.maps.nodes]
        except (KeyError, TypeError):
            return False
        D, block = self.chain.size, self.maps.block
        at = [states.index(swap.get(x, x)) for x in states]
        to = [a - a % block + at[a % block] for a in range(D)] + [D]
        return self._start(nodes, to) and self._readings(nodes, to, swap) and self._moves(nodes, to)

    def _start(self, nodes: list[int], to: list[int]) -> bool:
        c, x = self.chain, to[:-1]
        same = (c.first[nodes] == c.first).all() and (c.centre[x] == c.centre).all() and (c.law[nodes] == c.law).all()
        return bool(same and (self.covariance[np.ix_(x, x)] == self.covariance).all())

    def _readings(self, nodes: list[int], to: list[int], swap: dict[int, int]) -> bool:
        rows = [swap.get(s, s) for s in range(len(self.chain.d_mu))]
        same = self.chain.read[nodes][:, rows][:, :, to] == self.chain.read
        return bool(same.all() and (self.chain.d_mu[rows] == self.chain.d_mu).all())

    def _moves(self, nodes: list[int], to: list[int]) -> bool:
        moved = (
            (nodes[i], nodes[j], p, frozenset((to[r], to[c], x) for r, c, x in entries))
            for i, j, p, entries in self.moves
        )
        return Counter(moved) == self.counted

    def _sparse(self, m: int) -> tuple[int, int, Any, frozenset[Any]]:
        parts: Array = self.maps.parts[:, m]
        rows, columns = np.nonzero((parts != 0).any(axis=0))
        entries = frozenset((r, c, tuple(parts[:, r, c])) for r, c in zip(rows.tolist(), columns.tolist(), strict=True))
        return int(self.chain.node[m]), int(self.chain.next_node[m]), self.chain.probability[m], entries
