r"""Blocks that a permutation uncovers: what is triangular need not be treated as one.

Write an edge i → j wherever some of the given matrices has an entry (i, j). Ordered by the strongly connected
components of this graph, all of them are block triangular at once, so that

    det(λX − Y) = Π_b det(λX_b − Y_b)        and the eigenvalues of X − γY are those of the blocks' X_b − γY_b.

A corridor of any length falls into single numbers, problems side by side into their parts. An isolated row and
column of zeros is a block of its own.
"""

from __future__ import annotations

import numpy as np
from flint import fmpq_mat

from theory.exact.matrices import entry_length
from theory.problems.graph import communicating_classes


def strong_components(*matrices: fmpq_mat) -> list[list[int]]:
    """The index sets of the diagonal blocks, each ascending, in the order of their first members.

    >>> strong_components(fmpq_mat([[1, 5, 0], [0, 1, 2], [0, 3, 1]]))
    [[0], [1, 2]]
    """
    n = matrices[0].nrows()
    if n == 0:
        return []
    pattern = np.zeros((n, n), dtype=bool)
    for m in matrices:
        pattern |= np.array([x != 0 for x in m.entries()]).reshape(n, n)
    return [sorted(members) for members in communicating_classes(pattern)]


def block(m: fmpq_mat, members: list[int]) -> fmpq_mat:
    """The rows and columns of these members."""
    rows = m.tolist()
    return fmpq_mat([[rows[i][j] for j in members] for i in members])


def pencil_blocks(X: fmpq_mat, Y: fmpq_mat) -> list[tuple[fmpq_mat, fmpq_mat]]:
    """(X_b, Y_b), the different ones, the shortest first."""
    if X.nrows() == 0:
        return []
    parts = strong_components(X, Y)
    if len(parts) == 1:
        return [(X, Y)]
    found: dict[tuple[str, str], tuple[fmpq_mat, fmpq_mat]] = {}
    for members in parts:
        pair = block(X, members), block(Y, members)
        found.setdefault((str(pair[0].tolist()), str(pair[1].tolist())), pair)
    return sorted(found.values(), key=lambda pair: (pair[0].nrows(), entry_length(*pair)))
