r"""An independent checker of certificates: plain integers and fractions, nothing else of this package.

A certificate document (`Certificate.to_dict`) holds the question with all numbers of the problem, an answer
and evidence. `check` derives from the question a pencil (N, E) and asks of its eigenvalues Nv = λEv

    half-plane: all Re λ > 0?     disc: all |λ| < 1?     definite: N + Nᵀ ≻ 0?

and then tests the evidence with exact integer arithmetic (`theory.certified.recheck.given`). Why each kind of
evidence proves its answer is said in `theory.certified.proofs`; here is only the checking. A matrix is
(integer rows, denominator > 0).

A document with `stretches` is about all values of a parameter (`theory.certified.recheck.parameter_range`), one with a
`cone` about the mean square of random maps (below).

What the question presupposes is checked too: 0 ≤ γ < 1, weights that sum to one (where some are 0, the features of the
other states have the rank of all, and a feature that fails is not 0 there), rows of P that sum to one or,
where episodes end, to less, shapes that fit. γ = 1 is allowed where an end can be reached from every state. Doubles
denote rationals with a power of two below, and sum to one up to their rounding only.

**The mean square of a chain of random maps.** Along moves m: i → j with probability p_m the second moments of x ← M_m x
obey L(Y)_j = Σ p_m M_m Y_i M_mᵀ, a map that keeps tuples of positive semidefinite matrices. With a tuple Y of symmetric
matrices, one a node,

    holds       Y_j ≻ 0 and Y_j − L(Y)_j ≻ 0 for every j: L(Y) ⪯ (1 − ε)Y, and Y is inside the cone, so ρ(L) < 1;
    does not    each Y_j is 0 or ≻ 0, not all are 0, and L(Y)_j − Y_j ≻ 0 where Y_j is not: L(Y) ⪰ (1 + ε)Y, ρ(L) > 1.

The probabilities of the moves from each node sum to one, up to the rounding of doubles where they denote such.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theory.certified.recheck.given import Pencil, moments, presupposed, proves, transitions
from theory.certified.recheck.integers import (
    Matrix,
    exact_sum,
    fixed,
    largest,
    matrix,
    minus,
    number,
    plus,
    positive,
    product,
    scaled,
    times,
    transposed,
    unit,
    weighted,
    whole,
    window_sum,
)
from theory.certified.recheck.parameter_range import check_range

EXACT_WINDOW = 48  # the T-th power of a rational matrix is T times as long: beyond this, round and bound
LONGEST_EXACT_WINDOW = 20_000  # only a root count needs more, and has its limit too
LONGEST_WINDOW = 2**64
BITS = (256, 1024, 4096)

PROBLEM = {"kind", "gamma", "Phi", "P", "d"}
WITHIN = {"kind", "M", "radius", "E", "E_radius"}
FIELDS = {
    "mean": ({"kind", "M"}, WITHIN),
    "iteration": ({"kind", "M"}, WITHIN),
    "td": (PROBLEM, WITHIN),
    "chain": (PROBLEM, WITHIN),
    "window": (PROBLEM | {"alpha", "window", "start"},),
    "uniform": ({"kind", "gamma", "P", "d"},),
}


def check(document: Mapping[str, Any]) -> bool:
    """Does the evidence of this document prove its answer? A malformed document proves nothing."""
    try:
        return _check(document)
    except Exception:  # whatever a document can break, it does not prove
        return False


def _check(document: Mapping[str, Any]) -> bool:
    if "stretches" in document:
        return check_range(document)
    if "cone" in document:
        return check_cone(document)
    question, evidence, holds = document["question"], document["evidence"], document["holds"]
    if set(document) != {"question", "evidence", "holds"} or not isinstance(holds, bool):
        return False
    if set(question) not in FIELDS[question["kind"]]:
        return False
    if question["kind"] == "uniform" and evidence["kind"] == "witness" and not _visited(question, evidence):
        return False
    T = whole(question["window"]) if question["kind"] == "window" else 0
    counts = evidence["kind"] == "roots"
    if (LONGEST_EXACT_WINDOW if counts else LONGEST_WINDOW) < T:
        return False
    for bits in BITS if T > EXACT_WINDOW and not counts else (0,):
        pencil = _pencil(question, bits)
        if pencil is not None and (pencil.N[0] or evidence["kind"] == "vacuous") and proves(pencil, evidence, holds):
            return True
    return False


def _visited(question: Mapping[str, Any], evidence: Mapping[str, Any]) -> bool:
    """Is the feature other than 0 in some state that is visited? Else nothing is learned that could fail."""
    return any(number(x) and number(d) for x, d in zip(evidence["x"], question["d"], strict=True))


def _pencil(q: Mapping[str, Any], bits: int) -> Pencil | None:
    kind = q["kind"]
    if q.get("M") == []:
        return Pencil("disc", ([], 1), ([], 1))
    if "radius" in q:
        return _within(q, kind in ("td", "mean"))
    if kind in ("mean", "iteration"):
        M = matrix(q["M"])
        if len(M[0]) != len(M[0][0]):
            raise ValueError("not square")
        half_plane = kind == "mean"
        return Pencil("half-plane" if half_plane else "disc", M, unit(len(M[0])), symmetric=M if half_plane else None)
    gamma, (P, d) = number(q["gamma"]), transitions(q)
    if kind == "uniform":
        presupposed(gamma, P, d)
        N = weighted(d, minus(unit(len(d)), scaled(gamma, P)))
        return Pencil("definite", N, N)
    m = moments(gamma, q["Phi"], P, d)
    if m.rank == 0:
        return Pencil("disc", ([], 1), ([], 1))
    Y = scaled(gamma, m.Y)
    A = minus(m.X, Y)
    if kind == "td":
        return Pencil("half-plane", m.by(A), unit(m.rank), symmetric=A)
    if kind == "chain":
        return Pencil("disc", Y, m.X, complete=gamma * m.norm if m.complete else None)
    alpha, hot = number(q["alpha"]), {"hot": True, "cold": False}[q["start"]]
    return _window(m.by(m.X), scaled(alpha, m.by(A if hot else Y)), alpha, whole(q["window"]), bits, hot)


def _within(q: Mapping[str, Any], half_plane: bool) -> Pencil:
    """Every N within `radius` of M and every E within `E_radius` of E, entry by entry."""
    claim = "half-plane" if half_plane else "disc"
    M, radius = matrix(q["M"]), matrix(q["radius"])
    n = len(M[0])
    E, E_radius = unit(n), ([[0] * n for _ in range(n)], 1)
    if q["E"] is not None:
        E, E_radius = matrix(q["E"]), matrix(q["E_radius"])
    square = all(len(rows) == n and len(rows[0]) == n for rows, _ in (M, radius, E, E_radius))
    if not square or (half_plane and q["E"] is not None) or min(map(min, radius[0] + E_radius[0])) < 0:
        raise ValueError("no bounds")
    if E[0] != transposed(E)[0]:
        raise ValueError("E is not symmetric")
    return Pencil(claim, M, E, symmetric=M if half_plane else None, radii=(radius, E_radius))


def _window(X: Matrix, moment: Matrix, alpha: Fraction, T: int, bits: int, hot: bool) -> Pencil | None:
    """N = Σ_{j<T} (I − αX)ʲ·moment, subtracted from I where the start is hot; None where it is too large to write."""
    if T < 1:
        raise ValueError("no window")
    n, one = len(X[0]), unit(len(X[0]))
    nothing = largest(moment) == 0  # then no sum, however long, matters
    if bits == 0 or nothing:
        change = moment if nothing else times(exact_sum(X, alpha, T), moment)
        return Pencil("disc", minus(one, change) if hot else change, one)
    try:
        N, error = product(window_sum(X, alpha, T, bits), fixed(moment, bits), bits)
    except OverflowError:
        return None
    M, grid = scaled(Fraction(1, 2**bits), (N, 1)), Fraction(1, 2**bits)
    radius, exact = scaled(error * grid, ([[1] * n for _ in range(n)], 1)), ([[0] * n for _ in range(n)], 1)
    return Pencil("disc", minus(one, M) if hot else M, one, radii=(radius, exact))


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
    if not (0 <= i < N and 0 <= j < N) or p <= 0 or D < 1:
        raise ValueError("not a move between nodes")
    entries = {(whole(r), whole(c)): x for r, c, x in move["map"]}
    if len(entries) < len(move["map"]) or not all(0 <= r < D and 0 <= c < D for r, c in entries):
        raise ValueError("an entry of the map is given twice, or is outside of it")
    return i, j, p, matrix([[entries.get((r, c), 0) for c in range(D)] for r in range(D)])
