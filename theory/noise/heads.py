r"""The concurrent chain with many heads: moments of pairs of heads, from which each head's error follows.

Every head k ≥ 1 has the same map, y_k ← A_m y_k + B_m y_{k−1} with y_k = (e_k, 1), and head 0 its own, y_0 ← A⁰_m y_0.
So of all heads' moments X_kl = E[y_k y_lᵀ 1{node}] those of a pair obey

    X_kl ← Σ p (A X_kl Aᵀ + A X_{k,l−1} Bᵀ + B X_{k−1,l} Aᵀ + B X_{k−1,l−1} Bᵀ),        k, l ≥ 1,

four maps that are the same for all pairs, found once and up to exchange of states; with l = 0 those of A⁰. The radius
of X_kl ↦ Σ p A X_kl Aᵀ is one head's own, and the pairs are triangular in (k, l): ρ₂ of a chain with any number of
heads is the larger of head 0's and head 1's own.

*Along a run* they are stepped in machine code, K²/2 pairs a move, and ended early where the outcome is above what is
known. *In the long run* (ρ₂ < 1) each pair is the solution of a linear
system with the same matrix, pairs with equal k + l at once: 257 heads in a fraction of a second.

*The bias first*: E‖e‖² ≥ ‖E e‖², and means have K numbers for each node and state instead of K²: their last half by
squaring bounds each setting from below, so that most need not be stepped at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from theory.learners.concurrent import ConcurrentChain
from theory.machine_code import njit
from theory.noise.errors import ErrorChain, step_maps
from theory.noise.moments import Moments
from theory.noise.runs import late_sum
from theory.noise.symmetry import Orbits
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

PairMoments = FloatArray  # (n, K + 1, K + 1): each orbit's moment, for all pairs of heads
CHECKED = 1000  # moves between two looks at what is known, without a bias
SETTLED = 1e-3  # of the largest mean
BLOCKS = 16  # of a last half
_KINDS = ((True, True), (True, False), (False, False))  # pairs of heads by whether they come after head 0


@dataclass(frozen=True, eq=False)
class Bias:
    """The last half of a run in `BLOCKS` blocks of `count` moves, the last of which ends with the run."""

    sums: FloatArray  # (BLOCKS, heads): what the sum of E[q_t] over a block cannot be below
    steps: int
    count: int
    settled: bool  # the means stay where they are

    @property
    def bound(self) -> FloatArray:
        """(heads,): the mean over the last half cannot be below."""
        found: FloatArray = self.sums.sum(axis=0) / (self.steps - self.steps // 2)
        return found

    @property
    def rest(self) -> FloatArray:
        """(BLOCKS + 1, heads): the sums from each block on."""
        found = np.zeros((BLOCKS + 1, self.sums.shape[1]))
        found[:-1] = np.cumsum(self.sums[::-1], axis=0)[::-1]
        return found


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
        self.own = [Moments(self.maps.vector(head)) for head in (0, 1)]
        self.orbits = Orbits(self.maps, constant=True)
        self.D = D = self.maps.size // 3
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
        D = self.D
        i, found = self.orbits.representative(node, sorted((a if a < D else 3 * D, b + D if b < D else 3 * D)))
        left = next((x for x in found if x < D), D)
        right = next((x - D for x in found if D <= x < 2 * D), D)
        return i, left, right

    def start(self, K: int, scale: float = 100.0) -> PairMoments:
        """Before the first move: heads are drawn independently."""
        chain, D = self.maps.in_floats, self.D
        y = np.append(-chain.centre[:D], 1.0)
        C = np.zeros((D + 1, D + 1))
        C[:D, :D] = scale**2 * chain.spread[:D] @ chain.spread[:D].T
        X = np.empty((len(self.first), K + 1, K + 1))
        for c, (i, a, b) in enumerate(self.first):
            X[c] = chain.first[i] * y[a] * y[b]
            X[c][np.diag_indices(K + 1)] += chain.first[i] * C[a, b]
        return X

    def form(self) -> FloatArray:
        """(n,): a head's squared error from its own moments."""
        found, last = np.zeros(len(self.first)), self.maps.vector(2).in_floats
        for i, form in enumerate(last.form):
            for a, b in np.ndindex(*form.shape):
                found[self._pairs[i, a, b]] += form[a, b]
        return found

    def last_half(
        self,
        alpha: float,
        heads: Sequence[int],
        steps: int = 100_000,
        scale: float = 100.0,
        enough: float = np.inf,
        bias: Bias | None = None,
    ) -> FloatArray:
        """(heads,): each head's mean of E[q_t] over the last half, all moves stepped; ∞ from overflow on.

        Also ∞ as soon as all of them are known to be above `enough`, by the bias of the moves to come.
        """
        K, X, f = max(heads), self.start(max(heads), scale), self.form()
        inner, edge, corner = (self._pair_map(alpha, *which) for which in _KINDS)
        kept = self._needed(f, inner)
        inner = inner.of(kept)
        # Pairs flat, behind room for the pairs back that the first ones look at.
        flat, side = np.zeros((2, len(kept), K + 2 + (K + 1) ** 2)), np.zeros((2, len(f), K + 2))
        flat[0, :, K + 2 :], side[0, :, 1:] = X[kept].reshape(len(kept), -1), X[:, :, 0]
        late, begin = np.zeros(K + 1), steps // 2
        terms = (
            _sparse_rows([inner.both, inner.right, inner.left, inner.before], [0, 1, K + 1, K + 2]),
            _sparse_rows([edge.both, edge.left], [0, 1]),
            _sparse_rows([corner.both], [0]),
        )
        scored = np.array(heads)
        limit = enough * (steps - begin)
        rest, block = (np.zeros((1, len(heads))), CHECKED) if bias is None else (bias.rest, bias.count)
        if not _step_pairs(
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

    def stationary(self, alpha: FloatArray, K: int) -> FloatArray:
        """(settings, K + 1): each head's E[q] in the long run; ∞ where ρ₂ ≥ 1."""
        f = self.form()
        found = np.full((len(alpha), K + 1), np.inf)
        for at, a in enumerate(np.asarray(alpha, dtype=np.float64).tolist()):
            if self.radius(a) < 1:
                found[at] = self._long_run(a, K, f)
        return np.maximum(found, 0.0)

    def radius(self, alpha: float, order: int = 2) -> float:
        """ρ₂ or ρ₄ of the chain: the larger of head 0's and head 1's own."""
        return max(float(one.radius(alpha, None, order)[0]) for one in self.own)

    def _long_run(self, alpha: float, K: int, f: FloatArray) -> FloatArray:
        D, law = self.D, self.maps.in_floats.law
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

    def bias(self, alpha: float, heads: Sequence[int], steps: int = 100_000) -> Bias:
        """Bounds from below by the means alone, in blocks: sum of E‖e‖² ≥ sum of ‖E e‖² ≥ count·‖block mean‖²."""
        D, K, last = self.D, max(heads), self.maps.vector(2).in_floats
        index = {(i, a): self._pairs[i, a, D] for i in range(len(self.maps.nodes)) for a in range(D + 1)}
        used = sorted(set(index.values()))
        place = {c: at for at, c in enumerate(used)}
        n = len(used)
        read = last.read
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
        sums = means**2 @ last.weights * count
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
        D, n = self.D, len(self.first)
        chain = self.maps.in_floats
        maps = chain.mixed((alpha, alpha))
        sides = []
        for head in (left, right):
            own = np.append(np.arange(D, 2 * D) if head else np.arange(D), 3 * D)
            A = maps[:, own][:, :, own]
            B = np.zeros_like(A)
            if head:
                B[:, :D, :D] = maps[:, D : 2 * D, :D]
            sides.append((A, B))
        (A, B), (A2, B2) = sides
        pairs = np.array([[self._pairs[i, *c] for c in np.ndindex(D + 1, D + 1)] for i in range(len(chain.nodes))])
        at, a, b = np.array(self.first).T
        found = []
        for M, Q in ((A, A2), (A, B2), (B, A2), (B, B2)):
            L = np.zeros((n, n))
            for m, (i, j) in enumerate(zip(chain.node, chain.next_node, strict=True)):
                rows = np.flatnonzero(at == j)
                products = chain.probability[m] * M[m, a[rows], :, None] * Q[m, b[rows], None, :]
                np.add.at(L, (rows[:, None], pairs[i]), products.reshape(len(rows), (D + 1) ** 2))
            found.append(L)
        return _PairMap(*found)


def _check(maps: ErrorChain) -> None:
    """Heads 1 and 2 have the same maps, and see themselves and the head before alone."""
    D = maps.size // 3
    one, two = slice(D, 2 * D), slice(2 * D, 3 * D)
    parts = maps.parts
    same = (parts[:, :, two, two] == parts[:, :, one, one]).all()
    same = same and (parts[:, :, two, one] == parts[:, :, one, :D]).all()
    apart = (parts[:, :, :D, D:-1] == 0).all() and (parts[:, :, one, two] == 0).all()
    apart = apart and (parts[:, :, two, :D] == 0).all()
    if not (same and apart and (parts[:, :, two, -1] == parts[:, :, one, -1]).all()):
        raise InvalidProblem("heads see more than the head before", "learner")


def _sparse_rows(maps: list[FloatArray], back: list[int]) -> tuple[Array, Array, Array, FloatArray]:
    """All entries by row: where each row begins, and of each entry its column, how far back it looks, its value."""
    from scipy.sparse import csr_array

    found, n = csr_array(np.hstack(maps)), len(maps[0])
    which, columns = np.divmod(found.indices.astype(np.int64), n)
    return found.indptr.astype(np.int64), columns, np.array(back)[which], found.data


@njit(cache=True, fastmath={"contract"})
def _combine(out, X, room, size, begins, columns, offsets, values):  # type: ignore[no-untyped-def]
    """Each row of `out` as a sum of rows of X, looked at some places back; four of them at a time."""
    end = room + size
    for c in range(len(begins) - 1):
        new = out[c, room:end]
        new[:] = 0.0
        e, last = begins[c], begins[c + 1]
        while e + 4 <= last:
            v0, v1, v2, v3 = values[e], values[e + 1], values[e + 2], values[e + 3]
            old0 = X[columns[e], room - offsets[e] : end - offsets[e]]
            old1 = X[columns[e + 1], room - offsets[e + 1] : end - offsets[e + 1]]
            old2 = X[columns[e + 2], room - offsets[e + 2] : end - offsets[e + 2]]
            old3 = X[columns[e + 3], room - offsets[e + 3] : end - offsets[e + 3]]
            for i in range(size):
                new[i] += (v0 * old0[i] + v1 * old1[i]) + (v2 * old2[i] + v3 * old3[i])
            e += 4
        while e < last:
            v, old = values[e], X[columns[e], room - offsets[e] : end - offsets[e]]
            for i in range(size):
                new[i] += v * old[i]
            e += 1


@njit(cache=True, fastmath={"contract"})
def _step_pairs(  # type: ignore[no-untyped-def]
    flat, side, K, steps, begin, f, late, scored, limit, rest, block, kept, turned, inner, edge, corner
):
    """Step all pairs, and add up f·X_kk of the moves after `begin`; False where all sums scored pass the limit.

    They pass it with the `rest` of the blocks that have not begun, of as many moves each, the last ending the run.

    `flat` holds X_kl of all pairs (of the moments kept) and `side` X_k0 of all k, each twice, the first copy being the
    start.
    """
    n, room, width = flat.shape[1], K + 2, K + 1
    size = width * width
    for t in range(1, steps + 1):
        X, out, old, new = flat[(t - 1) % 2], flat[t % 2], side[(t - 1) % 2], side[t % 2]
        _combine(out, X, room, size, *inner)
        _combine(new, old, 1, width, *edge)
        _combine(new, old, 1, 1, *corner)
        for c in range(n):
            own, mirror = new[kept[c]], new[turned[kept[c]]]
            for k in range(width):
                out[c, room + k * width] = own[1 + k]
            for k in range(width):
                out[c, room + k] = mirror[1 + k]
        if t > begin:
            for c in range(n):
                if f[c] != 0:
                    for k in range(width):
                        late[k] += f[c] * out[c, room + k * (width + 1)]
        if t % 1024 == 0:
            for c in range(n):
                for i in range(size):
                    if abs(out[c, room + i]) < 1e-290:
                        out[c, room + i] = 0.0
            for c in range(len(new)):
                for k in range(width):
                    if abs(new[c, 1 + k]) < 1e-290:
                        new[c, 1 + k] = 0.0
        if t > begin and (steps - t) % block == 0:
            ahead = rest[max(0, len(rest) - 1 - (steps - t) // block)]
            if (late[scored] + ahead).min() > limit:
                return False
    return True
