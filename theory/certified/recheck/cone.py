r"""Checks of documents about the mean square of a chain of random maps: plain integers, nothing else of this package.

Along moves m: i → j with probability p_m the second moments of x ← M_m x obey L(Y)_j = Σ p_m M_m Y_i M_mᵀ, a map that
keeps tuples of positive semidefinite matrices. With a tuple Y of symmetric matrices, one a node,

    holds       Y_j ≻ 0 and Y_j − L(Y)_j ≻ 0 for every j: L(Y) ⪯ (1 − ε)Y, and Y is inside the cone, so ρ(L) < 1;
    does not    each Y_j is 0 or ≻ 0, not all are 0, and L(Y)_j − Y_j ≻ 0 where Y_j is not: L(Y) ⪰ (1 + ε)Y, ρ(L) > 1.

The probabilities of the moves from each node sum to one, up to the rounding of doubles where they denote such.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theory.certified.recheck.integers import (
    Matrix,
    matrix,
    minus,
    number,
    plus,
    positive,
    scaled,
    times,
    transposed,
    whole,
)

ROUNDING = Fraction(1, 2**40)


def check_cone(document: Mapping[str, Any]) -> bool:
    """Does the tuple prove the answer?"""
    question, holds = document["question"], document["holds"]
    if set(document) != {"question", "holds", "cone"} or not isinstance(holds, bool):
        return False
    if set(question) != {"kind", "nodes", "size", "moves"} or question["kind"] != "mean-square":
        return False
    N, D = whole(question["nodes"]), whole(question["size"])
    moves = [_move(move, N, D) for move in question["moves"]]
    for i in range(N):
        total = sum((p for node, _, p, _ in moves if node == i), Fraction(0))
        if abs(total - 1) > ROUNDING:
            return False
    cone = [None if Y is None else matrix(Y) for Y in document["cone"]]
    if len(cone) != N or (holds and None in cone) or all(Y is None for Y in cone):
        return False
    for Y in cone:
        if Y is not None and (
            len(Y[0]) != D or any(len(row) != D for row in Y[0]) or transposed(Y) != Y or not positive(Y)
        ):
            return False
    return all(_grows(j, Y, cone, moves, holds) for j, Y in enumerate(cone) if Y is not None)


def _grows(
    j: int, Y: Matrix, cone: list[Matrix | None], moves: list[tuple[int, int, Fraction, Matrix]], holds: bool
) -> bool:
    """Is Y_j − L(Y)_j, or the opposite, positive definite?"""
    total = scaled(Fraction(0), Y)
    for i, to, p, M in moves:
        Z = cone[i]
        if to == j and Z is not None:
            total = plus(total, scaled(p, times(times(M, Z), transposed(M))))
    return positive(minus(Y, total) if holds else minus(total, Y))


def _move(move: Mapping[str, Any], N: int, D: int) -> tuple[int, int, Fraction, Matrix]:
    """Node, next node, probability and the map, which is given by its entries [row, column, value] other than 0."""
    if set(move) != {"node", "next", "probability", "map"}:
        raise ValueError("not a move")
    i, j, p = whole(move["node"]), whole(move["next"]), number(move["probability"])
    if i >= N or j >= N or p <= 0 or D < 1:
        raise ValueError("not a move between nodes")
    rows: list[list[Any]] = [[0] * D for _ in range(D)]
    for r, c, x in move["map"]:
        rows[whole(r)][whole(c)] = x
    return i, j, p, matrix(rows)
