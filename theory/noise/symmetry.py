r"""Exchangeable states of a learner, found exactly, and its moments up to their exchange.

Exchanging two states permutes nodes and coordinates. Where that leaves all C_m, A_m, B_m with their probabilities as
they are, and the law of the start and all readings too, the moments are the same before and after it, at every move and
for every step size. Exchangeable pairs generate all permutations within classes of states (on Baird's problem of six),
and one moment of each orbit is enough: orbit sums of the map's rows give the recursion of these alone.

    (node i, monomial y_a y_b ⋯)  ~  (πi, y_πa y_πb ⋯)      representative: states of a class in the order they occur

Without the constant the maps of x alone have to be left as they are: moments of independent standard normals are
invariant and inside the cone that the recursion keeps, so its spectral radius on orbits is that on all moments.

Baird, second moments with the constant: 252 → 18 (TD), 840 → 49 (GTD2, TDC).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from theory.noise.errors import ErrorChain

Moment = tuple[int, tuple[int, ...]]  # node, and the coordinates that are multiplied, sorted


class Orbits:
    """The classes of exchangeable states of a chain; none where numbers are floats."""

    def __init__(self, chain: ErrorChain, constant: bool) -> None:
        self.chain, self.constant = chain, constant
        self._node = {key: i for i, key in enumerate(chain.nodes)}
        self._coordinate = {label: a for a, label in enumerate(chain.labels)}
        self.classes = [c for c in self._classes() if len(c) > 1]

    def representative(self, node: int, monomial: Sequence[int]) -> Moment:
        """The same moment with the states of each class in the order of where they occur."""
        if not self.classes:
            return node, tuple(monomial)
        place = self.chain.nodes[node][0]
        to: dict[int, int] = {}
        for members in self.classes:
            marks: dict[int, list[tuple[int, ...]]] = {s: [] for s in members}
            if place[0] in marks:
                marks[place[0]].append((-1, *place[1:]))
            for a in monomial:
                if a < self.chain.size:
                    vector, (state, *rest) = self.chain.labels[a]
                    if state in marks:
                        marks[state].append((vector, *rest))
            ranked = sorted(members, key=lambda s: (marks[s] == [], marks[s], s))
            to |= dict(zip(ranked, members, strict=True))
        nodes, coordinates = self._moved_node(node, to), (self._moved(a, to) for a in monomial)
        return nodes, tuple(sorted(coordinates))

    def _moved_node(self, node: int, to: dict[int, int]) -> int:
        (state, *rest), memory = self.chain.nodes[node]
        return self._node[(to.get(state, state), *rest), memory]

    def _moved(self, a: int, to: dict[int, int]) -> int:
        if a >= self.chain.size:
            return a
        vector, (state, *rest) = self.chain.labels[a]
        return self._coordinate[vector, (to.get(state, state), *rest)]

    def _classes(self) -> list[list[int]]:
        """States by exchangeability, which is transitive."""
        if not self.chain.is_exact:
            return []
        classes: list[list[int]] = []
        for s in range(len(self.chain.d_mu)):
            own = next((c for c in classes if self._exchangeable(c[0], s)), None)
            if own is None:
                classes.append([s])
            else:
                own.append(s)
        return classes

    def _exchangeable(self, s: int, t: int) -> bool:
        """Does exchanging two states leave the moves, and with the constant start and readings, as they are?"""
        chain, swap = self.chain, {s: t, t: s}
        try:
            nodes = [self._moved_node(i, swap) for i in range(len(chain.nodes))]
            to = [self._moved(a, swap) for a in range(chain.size + 1)]
        except KeyError:
            return False
        if not (chain.law[nodes] == chain.law).all():
            return False
        moved = (
            (nodes[i], nodes[j], p, frozenset((to[r], to[c], x) for r, c, x in entries))
            for (i, j, p, entries), count in self._moves.items()
            for _ in range(count)
        )
        same = Counter(moved) == self._moves
        if not (same and self.constant):
            return same
        x, rows = to[:-1], [swap.get(s, s) for s in range(len(chain.d_mu))]
        covariance = chain.spread @ chain.spread.T
        start = (chain.first[nodes] == chain.first).all() and (chain.centre[x] == chain.centre).all()
        start = start and (covariance[np.ix_(x, x)] == covariance).all()
        read = (chain.read[nodes][:, rows][:, :, to] == chain.read).all() and (chain.d_mu[rows] == chain.d_mu).all()
        return bool(start and read)

    @cached_property
    def _moves(self) -> Counter[tuple[int, int, Any, frozenset[Any]]]:
        return Counter(self._sparse(m) for m in range(len(self.chain.node)))

    def _sparse(self, m: int) -> tuple[int, int, Any, frozenset[Any]]:
        n = self.chain.size + int(self.constant)
        parts = self.chain.parts[:, m, :n, :n]
        rows, columns = np.nonzero((parts != 0).any(axis=0))
        entries = frozenset((r, c, tuple(parts[:, r, c])) for r, c in zip(rows.tolist(), columns.tolist(), strict=True))
        return int(self.chain.node[m]), int(self.chain.next_node[m]), self.chain.probability[m], entries
