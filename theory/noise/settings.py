r"""Many settings at once: the moments of a learner at all (α, β) of a grid, one small matrix each.

With the moments of order p up to exchange of states (`theory.noise.symmetry`) as one vector Y, Y(t + 1) = L(α, β)Y(t),
and the error of a run of N moves over its last half is

    q̄ = 1/n Σ_{t > N/2} f·L^t Y(0) = 1/n f·(I + L + … + L^(n−1)) · L^(N−n+1) Y(0),      n = N − ⌊N/2⌋ moves.

L^(2ᵏ) by squaring; the row f·(I + … + L^(2ᵏ−1)) doubles with it, g ← g + gL^(2ᵏ), so that a setting costs 17 products
of matrices and some of vectors for 10⁵ moves.

*Rounding*: relative to the largest entries about 2ᵇ·10⁻¹⁶ after b squarings, 10⁻¹¹ for 10⁵ moves. Entries below 10⁻²⁹⁰
are set to 0. ∞ and what comes of it, NaN, mean that the moments have passed the range of doubles: ∞.

*How an average of seeds scatters.* Of a seed's own q̄ = 1/n Σ q_t the variance is finite-dimensional, too: along with
Y₄ = E[y⊗y⊗y⊗y] and the sum Q_t of the q_s so far go Z_t = E[Q_t y⊗y] and E[Q_t²], by one linear map,

    Z' = L₂Z + E[q' y'⊗y'],     E[Q'²] = E[Q²] + 2f·L₂Z + E[q'²],     the terms with q' being linear in Y₄' = L₄Y₄.

The standard error of a *mean square* over n seeds is √(Var q̄/n), exactly; that of its root, an RMSE, is
√(Var q̄/n)/(2·RMSE) to first order (the delta method): small against the RMSE, or it means little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from theory.learners.rule import Rule
from theory.noise.step_maps import StepMaps, step_maps
from theory.noise.symmetric import form_of_moments, monomials, start_moments
from theory.noise.symmetry import Moment, Orbits
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

MAX_MOMENTS = 60_000  # before exchange of states
MAX_ORBITS = 1200
FLUSH = 1e-290
CHUNK = 1_000_000  # numbers in the matrices that are squared together: 8 MB


@dataclass(frozen=True, eq=False)
class Spread:
    """The mean square of a seed over the last half: its expectation and its standard deviation from seed to seed."""

    square: float
    deviation: float

    def z(self, rmse: float, seeds: int) -> float:
        """How many standard errors of a mean over that many seeds a sampled RMSE lies from the expectation."""
        return (rmse**2 - self.square) / (self.deviation / np.sqrt(seeds))


class SettingMoments:
    """Moments of a learner that closes on a problem, at any settings."""

    def __init__(self, maps: StepMaps) -> None:
        self.maps = maps
        self.orbits = Orbits(maps)
        self._numbered: dict[tuple[int, int], tuple[dict[Moment, int], list[Moment]]] = {}

    @property
    def size(self) -> int:
        """D."""
        return self.maps.chain.size

    def numbered(self, order: int, constant: bool = True) -> tuple[dict[Moment, int], list[Moment]]:
        """Orbit of each moment, and one moment of each orbit."""
        n = self.size + int(constant)
        count = len(self.maps.nodes) * comb(n + order - 1, order)
        if count > MAX_MOMENTS:
            raise InvalidProblem(f"{count:,} moments of order {order} are more than {MAX_MOMENTS:,}", "learner")
        if (order, n) not in self._numbered:
            self._numbered[order, n] = self.orbits.numbered(order, n)
        found = self._numbered[order, n]
        if len(found[1]) > MAX_ORBITS:
            raise InvalidProblem(f"{len(found[1]):,} different moments are more than {MAX_ORBITS:,}", "learner")
        return found

    def matrices(
        self, alpha: FloatArray, beta: FloatArray | None = None, order: int = 2, constant: bool = True
    ) -> FloatArray:
        """(settings, n, n): L(α, β), of y = (x, 1), or of x alone as if no constant drove it."""
        index, first = self.numbered(order, constant)
        columns = self._rows(alpha, beta, constant)
        L = np.zeros((len(first), len(first), len(np.atleast_1d(alpha))))
        for row, (node, monomial) in enumerate(first):
            for i, p, rows in columns[node]:
                for found, x in rows.product(monomial).items():
                    L[row, index[i, found]] += p * x
        return np.ascontiguousarray(L.transpose(2, 0, 1))

    def start(self, scale: float = 100.0, order: int = 2) -> FloatArray:
        """(n,): before the first move."""
        _, first = self.numbered(order)
        n = self.size + 1
        flat = start_moments(self.maps.chain, order, scale).reshape(len(self.maps.nodes), -1)
        place = {m: k for k, m in enumerate(monomials(n, order))}
        return np.array([flat[node, place[monomial]] for node, monomial in first])

    def form(self, weighting: str = "uniform", order: int = 2) -> FloatArray:
        """(n,): the error from the moments, E[q^(order/2)]."""
        index, first = self.numbered(order)
        chain, found = self.maps.chain, np.zeros(len(first))
        weights = form_of_moments(chain.form(weighting).astype(np.float64), order).reshape(len(self.maps.nodes), -1)
        for node, row in enumerate(weights):
            for monomial, w in zip(monomials(self.size + 1, order), row.tolist(), strict=True):
                if w:
                    found[index[node, monomial]] += w
        return found

    def last_half(
        self,
        alpha: FloatArray,
        beta: FloatArray | None = None,
        steps: int = 100_000,
        scale: float = 100.0,
        weighting: str = "uniform",
    ) -> FloatArray:
        """(settings,): the mean of E[q_t] over the last half of a run; ∞ where it passes the range of doubles."""
        f, Y = self.form(weighting), self.start(scale)
        late = steps - steps // 2
        found = [late_sum(L, f[None], Y, steps - late + 1, late)[:, 0, 0] / late for L in self._chunks(alpha, beta)]
        return _errors(np.concatenate(found))

    def curve(
        self,
        marks: Array,
        alpha: FloatArray,
        beta: FloatArray | None = None,
        scale: float = 100.0,
        weighting: str = "uniform",
    ) -> FloatArray:
        """(settings, marks): E[q_t] after some numbers of moves, increasing."""
        f, Y = self.form(weighting), self.start(scale)
        return _errors(np.concatenate([_at_marks(L, f, Y, marks) for L in self._chunks(alpha, beta)]))

    def stationary(self, alpha: FloatArray, beta: FloatArray | None = None, weighting: str = "uniform") -> FloatArray:
        """(settings,): E[q] in the long run where ρ₂ < 1, ∞ elsewhere."""
        index, first = self.numbered(2)
        D, law = self.size, self.maps.chain.law.astype(np.float64)
        mass = np.array([monomial == (D, D) for _, monomial in first])
        held = np.zeros(len(first))
        for node, p in enumerate(law.tolist()):
            held[index[node, (D, D)]] = p
        f, found = self.form(weighting), []
        for L in self._chunks(alpha, beta):
            A, drive = L[:, ~mass][:, :, ~mass], L[:, ~mass][:, :, mass] @ held[mass]
            gap = np.eye(A.shape[1]) - A
            Y = np.linalg.solve(gap, drive[:, :, None])[:, :, 0]
            found.append(Y @ f[~mass] + f[mass] @ held[mass])
        errors = np.maximum(np.concatenate(found), 0.0)
        return np.where(self.radius(alpha, beta) < 1, errors, np.inf)

    def radius(self, alpha: FloatArray, beta: FloatArray | None = None, order: int = 2) -> FloatArray:
        """(settings,): ρ₂ or ρ₄, by eigenvalues in floats."""
        chunks = self._chunks(alpha, beta, order, constant=False)
        return np.concatenate([np.abs(np.linalg.eigvals(L)).max(axis=1) for L in chunks])

    def spread(self, alpha: float, beta: float | None = None, steps: int = 100_000, scale: float = 100.0) -> Spread:
        """Expectation and standard deviation of a seed's own mean square over the last half; ∞ where they overflow."""
        with np.errstate(over="ignore", invalid="ignore"):
            step, start, begin = self._sums(alpha, beta, scale, steps)
            late = steps - begin
            end = _power(step, late) @ start
        total, square = end[-2] / late, end[-1] / late**2
        if not np.isfinite([total, square]).all():
            return Spread(float(total) if np.isfinite(total) else np.inf, np.inf)
        return Spread(float(total), float(np.sqrt(max(square - total**2, 0.0))))

    def _sums(self, alpha: float, beta: float | None, scale: float, steps: int) -> tuple[FloatArray, FloatArray, int]:
        """The map of (Y₄, Z, E[Q], E[Q²]) over one move, where they begin, and the move after which sums begin."""
        a, b = np.array([alpha]), None if beta is None else np.array([beta])
        L2, L4 = self.matrices(a, b)[0], self.matrices(a, b, order=4)[0]
        n4, n2 = len(L4), len(L2)
        f2, f4, times = self.form(), self.form(order=4), self.times_error()
        second = self.second_from_fourth()
        step = np.zeros((n4 + n2 + 2,) * 2)
        step[:n4, :n4] = L4
        step[n4 : n4 + n2, :n4], step[n4 : n4 + n2, n4 : n4 + n2] = times @ L4, L2
        step[-2, :n4], step[-2, -2] = f2 @ second @ L4, 1
        step[-1, :n4], step[-1, n4 : n4 + n2], step[-1, -1] = f4 @ L4, 2 * f2 @ L2, 1
        begin = steps // 2
        start = np.zeros(len(step))
        start[:n4] = _power(L4, begin) @ self.start(scale, 4)
        return step, start, begin

    def times_error(self) -> FloatArray:
        """(n₂, n₄): E[q y⊗y] from the fourth moments."""
        index, four = self.numbered(4)
        _, first = self.numbered(2)
        form = self.maps.chain.form().astype(np.float64)
        found = np.zeros((len(first), len(four)))
        for row, (node, monomial) in enumerate(first):
            for i, j in zip(*np.nonzero(form[node]), strict=True):
                found[row, index[node, tuple(sorted((int(i), int(j), *monomial)))]] += form[node, i, j]
        return found

    def second_from_fourth(self) -> FloatArray:
        """(n₂, n₄): E[y_a y_b] = E[y_a y_b·1·1]."""
        index, four = self.numbered(4)
        _, first = self.numbered(2)
        found = np.zeros((len(first), len(four)))
        for row, (node, monomial) in enumerate(first):
            found[row, index[node, (*monomial, self.size, self.size)]] = 1
        return found

    def _chunks(
        self, alpha: FloatArray, beta: FloatArray | None, order: int = 2, constant: bool = True
    ) -> Iterator[FloatArray]:
        alpha = np.atleast_1d(np.asarray(alpha, dtype=np.float64))
        count = max(1, CHUNK // len(self.numbered(order, constant)[1]) ** 2)
        for at in range(0, len(alpha), count):
            some = slice(at, at + count)
            yield self.matrices(alpha[some], None if beta is None else beta[some], order, constant)

    def _rows(
        self, alpha: FloatArray, beta: FloatArray | None, constant: bool
    ) -> list[list[tuple[int, float, _Products]]]:
        """For each node the moves into it: where from, how likely, and the rows of its map at all settings."""
        maps = self.maps.at(np.atleast_1d(alpha), beta)
        chain, n = self.maps.chain, self.size + int(constant)
        used = (self.maps.parts != 0).any(axis=0)
        found: list[list[tuple[int, float, _Products]]] = [[] for _ in self.maps.nodes]
        for m, (i, j, p) in enumerate(zip(chain.node, chain.next_node, chain.probability, strict=True)):
            rows = [[(c, maps[:, m, r, c]) for c in range(n) if used[m, r, c]] for r in range(n)]
            found[j].append((int(i), float(p), _Products(rows)))
        return found


def setting_moments(rule: Rule, problem: Problem) -> SettingMoments:
    """Of a rule on a problem; exact in what is exchanged where the problem is exact, in floats otherwise."""
    return SettingMoments(step_maps(rule, problem))


class _Products:
    """Products of rows of one map as sums of monomials, remembered by what is multiplied."""

    def __init__(self, rows: Sequence[list[tuple[int, FloatArray]]]) -> None:
        self.rows = rows
        self.known: dict[tuple[int, ...], dict[tuple[int, ...], FloatArray]] = {}

    def product(self, monomial: tuple[int, ...]) -> dict[tuple[int, ...], FloatArray]:
        """Π_a (row a · y), as coefficients of the monomials of y."""
        if len(monomial) == 1:
            return {(c,): x for c, x in self.rows[monomial[0]]}
        if monomial not in self.known:
            half = len(monomial) // 2
            found: dict[tuple[int, ...], FloatArray] = {}
            for left, x in self.product(monomial[:half]).items():
                for right, y in self.product(monomial[half:]).items():
                    key = tuple(sorted(left + right))
                    found[key] = found[key] + x * y if key in found else x * y
            self.known[monomial] = found
        return self.known[monomial]


def late_sum(L: FloatArray, f: FloatArray, Y: FloatArray, begin: int, count: int, blocks: int = 1) -> FloatArray:
    """(settings, blocks, rows): Σ f·L^t Y over `count` moves from `begin` on, and the blocks of as many after them."""
    settings = len(L)
    y = np.broadcast_to(Y[:, None], (settings, len(Y), 1))
    doubling = np.broadcast_to(f, (settings, *f.shape))  # f·(I + … + L^(2ᵏ−1))
    row = np.zeros((settings, *f.shape))
    ahead = np.broadcast_to(np.eye(len(Y)), L.shape)  # L^count, where there is more than one block
    bits = max(begin, count).bit_length()
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(bits):
            if begin >> k & 1:
                y = L @ y
            if count >> k & 1:
                row = doubling + row @ L
                ahead = ahead @ L if blocks > 1 else ahead
            doubling = doubling + doubling @ L
            if k + 1 < bits:
                L = _flushed(L @ L)
        found = [(row @ y)[:, :, 0]]
        for _ in range(blocks - 1):
            y = ahead @ y
            found.append((row @ y)[:, :, 0])
        return np.stack(found, axis=1)


def _at_marks(L: FloatArray, f: FloatArray, Y: FloatArray, marks: Array) -> FloatArray:
    """(settings, marks): f·L^t Y; powers of two are shared by all marks."""
    gaps = np.diff(np.concatenate([[0], np.asarray(marks)])).tolist()
    powers, y, found = [L], np.broadcast_to(Y[:, None], (len(L), len(Y), 1)), []
    with np.errstate(over="ignore", invalid="ignore"):
        for gap in gaps:
            for k in range(gap.bit_length()):
                if k == len(powers):
                    powers.append(_flushed(powers[-1] @ powers[-1]))
                if gap >> k & 1:
                    y = powers[k] @ y
            found.append((f @ y)[:, 0])
    return np.stack(found, axis=1)


def _power(L: FloatArray, t: int) -> FloatArray:
    found = np.eye(len(L))
    while t:
        if t & 1:
            found = found @ L
        L, t = _flushed(L @ L) if t > 1 else L, t >> 1
    return found


def _flushed(L: FloatArray) -> FloatArray:
    L[np.abs(L) < FLUSH] = 0.0
    return L


def _errors(found: FloatArray) -> FloatArray:
    """Not finite is ∞, and rounding leaves nothing below 0."""
    return np.where(np.isfinite(found), np.maximum(found, 0.0), np.inf)
