"""The random problems of a chunk, a function of the law, the seed and the index alone.

Chunk i of a draw law with seed s has the i-th child of ``SeedSequence([s, *digest])``, where `digest` is that of the
law, and a generator (SFC64) from it. So a cell's problems do not depend on which other cells a study has, on the number
of workers, or on what was computed before; and chunk i can be drawn without drawing chunks 0..i−1.

Within a chunk the problems come in batches whose size depends on S alone, small enough that a batch stays in the cache.
A chunk of n problems is the first n of its batches: a longer chunk begins with the same problems.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from theory.montecarlo.cells import Cell
from theory.problems.ensembles import ENSEMBLES, Batch

_ENTRIES = 1 << 17  # of P_π held at once: a megabyte


def chunk_batches(cell: Cell, seed: int, index: int, size: int) -> Iterator[Batch]:
    """The `size` problems of chunk `index`, in batches."""
    rng = np.random.Generator(np.random.SFC64(chunk_seed(cell, seed, index)))
    step = batch_size(cell.states)
    for done in range(0, size, step):
        batch = _draw(rng, cell, step)
        kept: dict[str, Any] = {
            name: None if array is None else array[: size - done] for name, array in vars(batch).items()
        }
        yield Batch(**kept)


def chunk_seed(cell: Cell, seed: int, index: int) -> np.random.SeedSequence:
    """The `index`-th child of the law's own sequence."""
    digest = hashlib.sha256(cell.draw_key.encode()).digest()
    words = np.frombuffer(digest[:16], dtype="<u4").tolist()
    return np.random.SeedSequence([seed, *words], spawn_key=(index,))


def batch_size(states: int) -> int:
    """How many problems are drawn at once."""
    return max(8, min(250, _ENTRIES // states**2))


def _draw(rng: np.random.Generator, cell: Cell, n: int) -> Batch:
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
