"""The random problems of a chunk: the same for everyone who asks.

Chunk i of a draw law with seed s has the i-th child of ``SeedSequence([s, *digest])``, where `digest` is that of the
law, and generators (SFC64) from it. So a cell's problems do not depend on which other cells a study has, on the number
of workers, or on what was computed before; and chunk i can be drawn without drawing chunks 0..i−1.

Within a chunk the problems come in batches whose size depends on S alone, small enough that a batch stays in the cache.
A chunk of n problems is the first n of its batches: a longer chunk begins with the same problems.

The paper's ensemble with normal features, which is most of what is drawn, has three generators, for Φ, P_π and d_μ, and
fills the same arrays batch after batch: new ones would cost more than what is written into them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from theory.machine_code import njit
from theory.montecarlo.cells import Cell
from theory.montecarlo.normals import Normals
from theory.problems.ensembles import ENSEMBLES, Batch
from theory.problems.numbers import FloatArray

_ENTRIES = 1 << 16  # of P_π held at once: half a megabyte


def chunk_batches(cell: Cell, seed: int, index: int, size: int) -> Iterator[Batch]:
    """The `size` problems of chunk `index`, in batches; a batch is good until the next one is asked for."""
    source = chunk_seed(cell, seed, index)
    step = batch_size(cell.states)
    sizes = [min(step, size - done) for done in range(0, size, step)]
    if (cell.ensemble, cell.law, cell.sink) == ("paper", "normal", 0.0):
        streams = Streams(source, cell.states, cell.features, sizes[0])
        yield from (streams.batch(n) for n in sizes)
    else:
        rng = _generator(source)
        yield from (select(draw(rng, cell, step), slice(n)) for n in sizes)


def chunk_seed(cell: Cell, seed: int, index: int) -> np.random.SeedSequence:
    """The `index`-th child of the law's own sequence."""
    digest = hashlib.sha256(cell.draw_key.encode()).digest()
    words = np.frombuffer(digest[:16], dtype="<u4").tolist()
    return np.random.SeedSequence([seed, *words], spawn_key=(index,))


def batch_size(states: int) -> int:
    """How many problems are drawn at once."""
    return max(8, min(512, _ENTRIES // states**2))


def _generator(source: np.random.SeedSequence) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64(source))


class Streams:
    """The source of the paper's ensemble with normal features: a generator for each of Φ, P_π and d_μ."""

    def __init__(self, source: np.random.SeedSequence, S: int, F: int, most: int) -> None:
        features, chains, visits = source.spawn(3)
        self._normals = Normals(np.random.SFC64(features))
        self._uniform = {3: _generator(chains), 2: _generator(visits)}  # by the number of axes
        self._Phi = np.empty((most, S, F))
        self._rows = {3: np.empty((most, S, S)), 2: np.empty((most, S))}

    def batch(self, n: int) -> Batch:
        """The next n problems."""
        self._normals.fill(self._Phi[:n])
        return Batch(self._Phi[:n], self._uniform_rows(3, n), self._uniform_rows(2, n))

    def _uniform_rows(self, axes: int, n: int) -> FloatArray:
        """P_π (n, S, S) or d_μ (n, S)."""
        rows = self._rows[axes][:n]
        self._uniform[axes].random(out=rows)
        _normalise(rows.reshape(-1, rows.shape[-1]))
        return rows


@njit(cache=True)
def _normalise(rows):  # type: ignore[no-untyped-def]
    """U ← (1 − U)/Σ(1 − U) for each row: 1 − U is never zero, so no row is empty. Sums in a fixed order."""
    n, S = rows.shape
    whole = S - S % 4
    for i in range(n):
        row = rows[i]
        a = b = c = d = 0.0
        for j in range(0, whole, 4):
            a += 1.0 - row[j]
            b += 1.0 - row[j + 1]
            c += 1.0 - row[j + 2]
            d += 1.0 - row[j + 3]
        for j in range(whole, S):
            a += 1.0 - row[j]
        factor = 1.0 / ((a + b) + (c + d))
        for j in range(S):
            row[j] = (1.0 - row[j]) * factor


def draw(rng: np.random.Generator, cell: Cell, n: int) -> Batch:
    """`n` problems of the cell's law; the sink, where there is one, is drawn last."""
    size = {"states": cell.states, "features": cell.features}
    batch = ENSEMBLES[cell.ensemble].draw(rng, n, **size, law=cell.law, **dict(cell.parameters))
    return with_sink(rng, batch, cell.sink) if cell.sink > 0 else batch


def with_sink(rng: np.random.Generator, batch: Batch, mass: float) -> Batch:
    """P_π ← (1−q) P_π + q 1eᵀ_z, z uniform: with probability q the target goes to one state z, from everywhere.

    d_μ stays. Where all features point the same way, z's own features are then copied to every state, and
    ΠP grows with how large they happen to be, whatever S is: there the conjecture fails.
    """
    P = batch.P_pi * (1.0 - mass)
    sink = rng.integers(batch.P_pi.shape[1], size=len(batch))
    P[np.arange(len(batch)), :, sink] += mass
    return replace(batch, P_pi=P)


def select(batch: Batch, index: slice | np.ndarray) -> Batch:
    """Some of the problems of a batch."""
    arrays: dict[str, Any] = {f.name: getattr(batch, f.name) for f in fields(batch)}
    chosen: dict[str, Any] = {name: None if array is None else array[index] for name, array in arrays.items()}
    return Batch(**chosen)
