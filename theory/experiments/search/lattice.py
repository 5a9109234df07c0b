r"""Problems in small whole numbers, and their neighbours.

A *draft* has integer features, and integer weights that divided by their sums are d and the rows of P: whatever the
integers, the fractions sum to one exactly. Its `length` counts what a reader has to read: it is smaller for zeros,
small numbers, small denominators, deterministic rows and evenly visited states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd

import numpy as np

from theory.experiments.search.margins import Batch
from theory.problems import Problem
from theory.problems.numbers import FloatArray

Row = tuple[int, ...]
DISCOUNTS = tuple(Fraction(t) for t in ("1/2", "2/3", "3/4", "4/5", "9/10", "19/20", "99/100"))
DENOMINATORS = (4, 6, 10, 16, 30, 100, 10**3, 10**5, 10**8)
SIZES = (1, 2, 3, 5, 10, 30, 100, 10**3, 10**5, 10**8)


@dataclass(frozen=True)
class Draft:
    """A problem in integers."""

    Phi: tuple[Row, ...]  # (S, F)
    rows: tuple[Row, ...]  # (S, S), weights of P
    weights: Row  # (S,), of d, each at least 1
    gamma: Fraction

    @property
    def length(self) -> int:
        """How much there is to read."""
        features = sum(4 * abs(x) + (x < 0) for row in self.Phi for x in row)
        rows = sum(2 * (sum(row) + sum(x > 0 for x in row)) for row in self.rows)
        return features + rows + 2 * sum(self.weights) + self.gamma.denominator

    def problem(self, name: str) -> Problem:
        """The exact problem."""
        P = [[Fraction(x, sum(row)) for x in row] for row in self.rows]
        d = [Fraction(w, sum(self.weights)) for w in self.weights]
        return Problem.from_matrices(self.gamma, Phi=[list(row) for row in self.Phi], P_pi=P, d_mu=d, name=name)


def batch_of(drafts: list[Draft]) -> Batch:
    """Drafts of one size in floats."""
    P, d = (np.array([getattr(x, f) for x in drafts], dtype=float) for f in ("rows", "weights"))
    Phi, gamma = np.array([x.Phi for x in drafts], dtype=float), np.array([float(x.gamma) for x in drafts])
    return Batch(Phi, P / P.sum(axis=-1, keepdims=True), d / d.sum(axis=-1, keepdims=True), gamma)


def rounded(batch: Batch, gamma: Fraction | None, fineness: Iterable[tuple[int, int]]) -> Iterator[Draft]:
    """Drafts near a batch of one, for denominators q ≥ S and largest features; γ from a short list if not given."""
    Phi, P, d = batch.Phi[0], batch.P[0], batch.d[0]
    nearest = min(DISCOUNTS, key=lambda g: abs(float(g) - float(batch.gamma[0]))) if gamma is None else gamma
    top = float(np.abs(Phi).max())
    for q, size in fineness:
        features = np.rint(Phi * (size / top)).astype(np.int64).tolist()
        rows = tuple(shares(row, min(q, 100)) for row in P)
        yield tidy(Draft(tuple(map(tuple, features)), rows, shares(d, q, least=1), nearest))


def coarse_to_fine(states: int) -> Iterator[tuple[int, int]]:
    """Denominators of at least S, and sizes of the largest feature."""
    denominators = [q for q in DENOMINATORS if q >= states]
    pairs = [(i + j, q, size) for i, q in enumerate(denominators) for j, size in enumerate(SIZES)]
    for _, q, size in sorted(pairs):
        yield q, size


def shares(p: FloatArray, q: int, least: int = 0) -> Row:
    """Integers of at least `least` near q·p that sum to q: rounded down, then the largest remainders up.

    >>> shares(np.array([0.72, 0.27, 0.01]), 10), shares(np.array([0.72, 0.27, 0.01]), 10, least=1)
    ((7, 3, 0), (6, 3, 1))
    """
    scaled = least + p * (q - least * len(p))
    floor = np.floor(scaled).astype(np.int64)
    floor[np.argsort(floor - scaled, kind="stable")[: q - int(floor.sum())]] += 1
    return tuple(floor.tolist())


def tidy(draft: Draft) -> Draft:
    """The same problem without common factors; features lose one that all of them share, and a leading sign."""
    common = gcd(*(x for row in draft.Phi for x in row)) or 1
    columns = [tuple(x // common for x in column) for column in zip(*draft.Phi, strict=True)]
    # Turning a feature around changes A and B by a similarity.
    columns = [tuple(-x for x in c) if next((x for x in c if x), 0) < 0 else c for c in columns]
    weights = tuple(w // gcd(*draft.weights) for w in draft.weights)
    rows = tuple(tuple(x // gcd(*row) for x in row) for row in draft.rows)
    return Draft(tuple(zip(*columns, strict=True)), rows, weights, draft.gamma)


def pad(draft: Draft, states: int, features: int) -> Draft:
    """More states that stay where they are, the first of them each with a feature of its own.

    X, Y and A become block diagonal: the core's blocks times a positive number, and for each new feature d and
    d(1 − γ). So B gets more eigenvalues γ and A more positive ones: no verdict on TD or the chain changes.
    """
    S, F = len(draft.Phi), len(draft.Phi[0])
    own = [(0,) * F + tuple(int(f == s) for f in range(features - F)) for s in range(states - S)]
    Phi = [(*row, *(0,) * (features - F)) for row in draft.Phi] + own
    stay = [tuple(int(i == s) for i in range(states)) for s in range(S, states)]
    rows = [(*row, *(0,) * (states - S)) for row in draft.rows] + stay
    return Draft(tuple(Phi), tuple(rows), draft.weights + (1,) * (states - S), draft.gamma)


def neighbours(draft: Draft, free_gamma: bool, grow: bool = False) -> list[Draft]:
    """Drafts that differ in one place, mostly by being simpler; with `grow` also in the other direction."""
    S, found = len(draft.weights), []
    for s, row in enumerate(draft.Phi):
        for f, x in enumerate(row):
            for y in _nearer_zero(x, grow):
                found.append(replace(draft, Phi=_put(draft.Phi, s, _put(row, f, y))))
    for s, row in enumerate(draft.rows):
        certain = [tuple(int(i == j) for i in range(S)) for j in range(S)]
        fewer = [_put(row, j, y) for j, x in enumerate(row) for y in _nearer_zero(x, grow) if y >= 0]
        found += [replace(draft, rows=_put(draft.rows, s, new)) for new in certain + fewer if sum(new) and new != row]
    evens = [(1,) * S] + [tuple(max(1, w * q // sum(draft.weights)) for w in draft.weights) for q in range(S, 2 * S)]
    single = [_put(draft.weights, s, y) for s, w in enumerate(draft.weights) for y in _nearer_zero(w, grow) if y > 0]
    found += [replace(draft, weights=w) for w in evens + single if w != draft.weights]
    if free_gamma:
        found += [replace(draft, gamma=g) for g in DISCOUNTS if g != draft.gamma]
    return list(dict.fromkeys(map(tidy, found)))


def _nearer_zero(x: int, grow: bool) -> list[int]:
    sign = 1 if x > 0 else -1
    steps = {0, sign, sign * (abs(x) // 2), sign * (abs(x) * 3 // 4), x - sign, *((x + 1, x - 1, -x) if grow else ())}
    return sorted(steps - {x}, key=abs) if x or grow else []


def _put(row: tuple, i: int, value: object) -> tuple:
    return (*row[:i], value, *row[i + 1 :])
