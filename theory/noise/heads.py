r"""The concurrent chain with many heads: moments of pairs of heads, from which each head's error follows.

Every head k ≥ 1 has the same map, y_k ← A_m y_k + B_m y_{k−1} with y_k = (e_k, 1), and head 0 its own, y_0 ← A⁰_m y_0.
So of all heads' moments X_kl = E[y_k y_lᵀ 1{node}] those of a pair obey

    X_kl ← Σ p (A X_kl Aᵀ + A X_{k,l−1} Bᵀ + B X_{k−1,l} Aᵀ + B X_{k−1,l−1} Bᵀ),        k, l ≥ 1,

four maps that are the same for all pairs, found once and up to exchange of states; with l = 0 those of A⁰. The radius
of X_kl ↦ Σ p A X_kl Aᵀ is one head's own, and the pairs are triangular in (k, l): ρ₂ of a chain with any number of
heads is the larger of head 0's and head 1's own.

*Along a run* they are stepped, K²/2 pairs a move. *In the long run* (ρ₂ < 1) each pair is the solution of a linear
system with the same matrix, pairs with equal k + l at once: 257 heads in a fraction of a second.

*The bias first*: E‖e‖² ≥ ‖E e‖², and means have K numbers for each node and state instead of K²: their last half by
squaring bounds each setting from below, so that most need not be stepped at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theory.learners.concurrent import ConcurrentChain
from theory.noise.pairs import BLOCKS, Bias, sparse_rows, step_pairs
from theory.noise.settings import late_sum
from theory.noise.step_maps import StepMaps, step_maps
from theory.noise.symmetry import Orbits
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

Moments = FloatArray  # (n, K + 1, K + 1): each orbit's moment, for all pairs of heads
CHECKED = 1000  # moves between two looks at what is known, without a bias
SETTLED = 1e-3  # of the largest mean
_KINDS = ((True, True), (True, False), (False, False))  # pairs of heads by whether they come after head 0


@dataclass(frozen=True, eq=False)
class _PairMap:
    """What the moments of a pair come from, (n, n) each: those of (k, l), (k, l−1), (k−1, l), (k−1, l−1)."""

    both: FloatArray
    right: FloatArray
    left: FloatArray
    before: FloatArray

    def of(self, kept: Array) -> _PairMap:
        """Of some moments alone."""
        both, right, left, before = (x[np.ix_(kept, kept)] for x in (self.both, self.right, self.left, self.before))
        return _PairMap(both, right, left, before)


class HeadMoments:
    """The concurrent chain (simultaneous updates) on a problem, with any number of heads at any step size."""

    def __init__(self, problem: Problem) -> None:
        gamma = problem.exact.gamma if problem.is_exact else problem.gamma
        self.maps = step_maps(ConcurrentChain(gamma, 1, K=2), problem)  # head 2 has the maps of all later ones
        _check(self.maps)
        self.orbits = Orbits(self.maps)
        D = self.maps.block
        self.constant = 3 * D
        self._pairs: dict[tuple[int, int, int], int] = {}
        self._known: tuple[float, dict[tuple[bool, bool], _PairMap]] = (np.nan, {})
        first: list[tuple[int, int, int]] = []
        # Heads 1 and 2 stand for a pair of any two: coordinates a of the one, b of the other, D for the constant.
        for i in range(len(self.maps.nodes)):
            for a in range(D + 1):
                for b in range(D + 1):
                    top = self._top(i, a, b)
                    if top not in self._pairs:
                        self._pairs[top] = len(first)
                        first.append(top)
                    self._pairs[i, a, b] = self._pairs[top]
        self.first = first
        self.turned = np.array([self._pairs[i, b, a] for i, a, b in first])

    def _top(self, node: int, a: int, b: int) -> tuple[int, int, int]:
        """The representative of a pair; an ordered one, so that left and right are in different blocks."""
        D = self.maps.block
        i, found = self.orbits.representative(
            node, tuple(sorted((a if a < D else self.constant, b + D if b < D else self.constant)))
        )
        left = next((x for x in found if x < D), D)
        right = next((x - D for x in found if D <= x < 2 * D), D)
        return i, left, right

    def start(self, K: int, scale: float = 100.0) -> Moments:
        """Before the first move: heads are drawn independently."""
        chain, D = self.maps.chain, self.maps.block
        spread = chain.spread[:D].astype(np.float64)
        y = np.append(-chain.centre[:D].astype(np.float64), 1.0)
        C = np.zeros((D + 1, D + 1))
        C[:D, :D] = scale**2 * spread @ spread.T
        X = np.empty((len(self.first), K + 1, K + 1))
        for c, (i, a, b) in enumerate(self.first):
            X[c] = float(chain.first[i]) * y[a] * y[b]
            X[c][np.diag_indices(K + 1)] += float(chain.first[i]) * C[a, b]
        return X

    def form(self, weighting: str = "uniform") -> FloatArray:
        """(n,): a head's squared error from its own moments."""
        D = self.maps.block
        read = self.maps.chain.read[:, :, np.append(np.arange(2 * D, 3 * D), 3 * D)].astype(np.float64)
        weights = self.maps.chain.weights(weighting).astype(np.float64)
        found = np.zeros(len(self.first))
        for i, rows in enumerate(read):
            for a, b in np.ndindex(D + 1, D + 1):
                found[self._pairs[i, a, b]] += (weights * rows[:, a]) @ rows[:, b]
        return found

    def last_half(
        self,
        alpha: float,
        heads: Sequence[int],
        steps: int = 100_000,
        scale: float = 100.0,
        weighting: str = "uniform",
        enough: float = np.inf,
        bias: Bias | None = None,
    ) -> FloatArray:
        """(heads,): each head's mean of E[q_t] over the last half, all moves stepped; ∞ from overflow on.

        Also ∞ as soon as all of them are known to be above `enough`, by the bias of the moves to come.
        """
        K, X, f = max(heads), self.start(max(heads), scale), self.form(weighting)
        inner, edge, corner = (self._pair_map(alpha, *which) for which in _KINDS)
        kept = self._needed(f, inner)
        inner = inner.of(kept)
        # Pairs flat, behind room for the pairs back that the first ones look at.
        flat, side = np.zeros((2, len(kept), K + 2 + (K + 1) ** 2)), np.zeros((2, len(f), K + 2))
        flat[0, :, K + 2 :], side[0, :, 1:] = X[kept].reshape(len(kept), -1), X[:, :, 0]
        late, begin = np.zeros(K + 1), steps // 2
        terms = (
            sparse_rows([inner.both, inner.right, inner.left, inner.before], [0, 1, K + 1, K + 2]),
            sparse_rows([edge.both, edge.left], [0, 1]),
            sparse_rows([corner.both], [0]),
        )
        scored = np.array(heads)
        limit = enough * (steps - begin)
        rest, block = (np.zeros((1, len(heads))), CHECKED) if bias is None else (bias.rest, bias.count)
        if not step_pairs(
            flat, side, K, steps, begin, f[kept], late, scored, limit, rest, block, kept, self.turned, *terms
        ):
            return np.full(len(heads), np.inf)
        errors = late[scored] / (steps - begin)
        return np.where(np.isfinite(errors), np.maximum(errors, 0), np.inf)

    def _needed(self, f: FloatArray, inner: _PairMap) -> Array:
        """The moments of later heads that errors depend on: without means where nothing drives those heads."""
        used = (inner.both != 0) | (inner.right != 0) | (inner.left != 0) | (inner.before != 0)
        needed = f != 0
        while True:
            more = needed | used[needed].any(axis=0)
            if (more == needed).all():
                return np.flatnonzero(needed)
            needed = more

    def stationary(self, alpha: FloatArray, K: int, weighting: str = "uniform") -> FloatArray:
        """(settings, K + 1): each head's E[q] in the long run; ∞ where ρ₂ ≥ 1."""
        f = self.form(weighting)
        found = np.full((len(alpha), K + 1), np.inf)
        for at, a in enumerate(np.asarray(alpha, dtype=np.float64).tolist()):
            if self.radius(a) < 1:
                found[at] = self._long_run(a, K, f)
        return np.maximum(found, 0.0)

    def radius(self, alpha: float) -> float:
        """ρ₂ of the chain: the larger of head 0's and head 1's own, without the constant."""
        kept = self._errors
        own = (self._pair_map(alpha, head, head).both[np.ix_(kept, kept)] for head in (False, True))
        return max(float(np.abs(np.linalg.eigvals(L)).max()) for L in own)

    @property
    def _errors(self) -> Array:
        D = self.maps.block
        return np.array([c for c, (_, a, b) in enumerate(self.first) if a < D and b < D])

    def _long_run(self, alpha: float, K: int, f: FloatArray) -> FloatArray:
        D, law = self.maps.block, self.maps.chain.law.astype(np.float64)
        mass = np.array([a == D and b == D for _, a, b in self.first])
        held = np.zeros(len(mass))
        for i, p in enumerate(law.tolist()):
            held[self._pairs[i, D, D]] = p

        def solved(L: FloatArray, *others: FloatArray) -> tuple[FloatArray, FloatArray]:
            """X = constant + rows @ (the moments of other pairs), where X = LX + others; masses are held."""
            inverse = np.zeros_like(L)
            inverse[np.ix_(~mass, ~mass)] = np.linalg.inv((np.eye(len(L)) - L)[np.ix_(~mass, ~mass)])
            return (inverse @ (L @ held) + held)[:, None], inverse @ np.hstack(others)

        inner, edge, corner = (self._pair_map(alpha, *which) for which in _KINDS)
        constant, rows = solved(inner.both, inner.right, inner.left, inner.before)
        edge_constant, edge_rows = solved(edge.both, edge.left)
        # One diagonal k + l = d after the other, by k.
        last, this = np.zeros((2, len(f), K + 1))
        this[:, :1] = solved(corner.both, 0 * corner.both)[0]
        errors = [float(f @ this[:, 0])]
        for d in range(1, 2 * K + 1):
            k = np.arange(max(1, d - K), min(d - 1, K) + 1)
            X = np.zeros_like(this)
            with np.errstate(over="ignore", invalid="ignore"):
                X[:, k] = constant + rows @ np.vstack([this[:, k], this[:, k - 1], last[:, k - 1]])
            if d <= K:
                X[:, d : d + 1] = edge_constant + edge_rows @ this[:, d - 1 : d]
                X[:, 0] = X[self.turned, d]
            last, this = this, X
            if d % 2 == 0:
                errors.append(float(f @ X[:, d // 2]))
        found = np.array(errors)
        return np.where(np.isfinite(found), found, np.inf)

    def bias(self, alpha: float, heads: Sequence[int], steps: int = 100_000, weighting: str = "uniform") -> Bias:
        """Bounds from below by the means alone, in blocks: sum of E‖e‖² ≥ sum of ‖E e‖² ≥ count·‖block mean‖²."""
        D, K, chain = self.maps.block, max(heads), self.maps.chain
        index = {(i, a): self._pairs[i, a, D] for i in range(len(self.maps.nodes)) for a in range(D + 1)}
        used = sorted(set(index.values()))
        place = {c: at for at, c in enumerate(used)}
        n = len(used)
        read = chain.read[:, :, np.append(np.arange(2 * D, 3 * D), 3 * D)].astype(np.float64)
        forms = np.zeros((len(heads), read.shape[1], (K + 1) * n))
        for (i, a), c in index.items():
            for at, k in enumerate(heads):
                forms[at, :, k * n + place[c]] += read[i, :, a]
        inner, corner = self._pair_map(alpha, True, True), self._pair_map(alpha, False, False)
        L = np.zeros((K + 1, n, K + 1, n))
        for k in range(K + 1):
            L[k, :, k] = (inner if k else corner).both[np.ix_(used, used)]
            if k:
                L[k, :, k - 1] = inner.left[np.ix_(used, used)]
        start = np.tile(self.start(0, 0.0)[used, 0, 0], K + 1)
        count = (steps - steps // 2) // BLOCKS
        begin = steps - BLOCKS * count + 1
        flat, rows = L.reshape(1, (K + 1) * n, -1), forms.reshape(-1, (K + 1) * n)
        means = late_sum(flat, rows, start, begin, count, BLOCKS)[0].reshape(BLOCKS, len(heads), -1) / count
        sums = means**2 @ chain.weights(weighting).astype(np.float64) * count
        settled = bool(np.abs(means - means[-1]).max() < SETTLED * np.abs(means[-1]).max())
        return Bias(np.where(np.isfinite(sums), sums, np.inf), steps, count, settled)

    def _pair_map(self, alpha: float, left: bool, right: bool) -> _PairMap:
        """By whether the two heads come after head 0; those of the last step size are remembered."""
        if alpha != self._known[0]:
            self._known = alpha, {}
        if (left, right) not in self._known[1]:
            self._known[1][left, right] = self._new_pair_map(alpha, left, right)
        return self._known[1][left, right]

    def _new_pair_map(self, alpha: float, left: bool, right: bool) -> _PairMap:
        D = self.maps.block
        chain = self.maps.chain
        n = len(self.first)
        found = [np.zeros((n, n)) for _ in range(4)]
        maps = self.maps.at(np.array([alpha]))[0]
        own = {True: np.append(np.arange(D, 2 * D), 3 * D), False: np.append(np.arange(D), 3 * D)}
        into: list[list[int]] = [[] for _ in self.maps.nodes]
        for m, j in enumerate(chain.next_node.tolist()):
            into[j].append(m)
        sides = []
        for head in (left, right):
            A = maps[:, own[head]][:, :, own[head]]
            B = np.zeros_like(A)
            if head:
                B[:, :D, :D] = maps[:, D : 2 * D, :D]
            sides.append((A, B))
        (A, B), (A2, B2) = sides
        for row, (j, a, b) in enumerate(self.first):
            for m in into[j]:
                i, p = int(chain.node[m]), float(chain.probability[m])
                for into_map, (M, N) in zip(found, ((A, A2), (A, B2), (B, A2), (B, B2)), strict=True):
                    for c in np.nonzero(M[m, a])[0].tolist():
                        for d in np.nonzero(N[m, b])[0].tolist():
                            into_map[row, self._pairs[i, c, d]] += p * M[m, a, c] * N[m, b, d]
        return _PairMap(*found)


def _check(maps: StepMaps) -> None:
    """Heads 1 and 2 have the same maps, and see themselves and the head before alone."""
    D = maps.block
    one, two = slice(D, 2 * D), slice(2 * D, 3 * D)
    parts = maps.parts
    same = (parts[:, :, two, two] == parts[:, :, one, one]).all()
    same = same and (parts[:, :, two, one] == parts[:, :, one, :D]).all()
    apart = (parts[:, :, :D, D:-1] == 0).all() and (parts[:, :, one, two] == 0).all()
    apart = apart and (parts[:, :, two, :D] == 0).all()
    if not (same and apart and (parts[:, :, two, -1] == parts[:, :, one, -1]).all()):
        raise InvalidProblem("heads see more than the head before", "learner")
