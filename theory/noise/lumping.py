"""Exact lumping: the coarsest partition on which several matrices act at once.

Functions constant on the classes of a partition are mapped to such functions exactly where all members of a class have
equal row sums into each class. Beginning with the classes of a given function, classes are split by these sums until
none is; the result is the coarsest such partition that tells all values of the function apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theory.problems.numbers import Array

Rows = list[dict[int, tuple[Any, ...]]]  # row → column → the entries of all matrices


def lump(rows: Rows, start: Sequence[int]) -> list[int]:
    """The class of each coordinate, numbered from 0 by their first members.

    >>> lump([{0: (1,), 1: (2,)}, {0: (2,), 1: (1,)}, {2: (5,)}], [0, 0, 0])
    [0, 0, 1]
    """
    classes = _numbered(list(start))
    while True:
        signatures = [(c, frozenset(row_sums(row, classes).items())) for c, row in zip(classes, rows, strict=True)]
        finer = _numbered(signatures)
        if max(finer) == max(classes):
            return finer
        classes = finer


def lumped(rows: Rows, classes: Sequence[int]) -> list[Array]:
    """Each matrix on the functions constant on classes, (n, n)."""
    n = max(classes) + 1
    count = len(next(x for row in rows for x in row.values()))
    out = [np.full((n, n), 0, dtype=object) for _ in range(count)]
    for c in range(n):
        member = classes.index(c)
        for column, sums in row_sums(rows[member], classes).items():
            for matrix, x in zip(out, sums, strict=True):
                matrix[c, column] = x
    return out


def row_sums(row: dict[int, tuple[Any, ...]], classes: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    """Sums of a row into each class, those that are all zero left out."""
    sums: dict[int, tuple[Any, ...]] = {}
    for column, entries in row.items():
        c = classes[column]
        sums[c] = tuple(a + b for a, b in zip(sums[c], entries, strict=True)) if c in sums else entries
    return {c: entries for c, entries in sums.items() if any(x != 0 for x in entries)}


def _numbered(values: list[Any]) -> list[int]:
    seen: dict[Any, int] = {}
    return [seen.setdefault(value, len(seen)) for value in values]
