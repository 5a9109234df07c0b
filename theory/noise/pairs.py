"""All pairs of heads stepped move by move in machine code, ended early where the outcome is above what is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.machine_code import njit
from theory.problems.numbers import Array, FloatArray

BLOCKS = 16


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


def sparse_rows(maps: list[FloatArray], back: list[int]) -> tuple[Array, Array, Array, FloatArray]:
    """All entries by row: where each row begins, and of each entry its column, how far back it looks, its value."""
    begins, columns, offsets, values = [0], [], [], []
    for row in range(len(maps[0])):
        for M, offset in zip(maps, back, strict=True):
            for c in np.nonzero(M[row])[0].tolist():
                columns.append(c)
                offsets.append(offset)
                values.append(M[row, c])
        begins.append(len(columns))
    return np.array(begins), np.array(columns), np.array(offsets), np.array(values)


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
def step_pairs(  # type: ignore[no-untyped-def]
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
