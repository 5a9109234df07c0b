r"""An independent checker of certificates: plain integers and fractions, nothing else of this package.

A certificate document (`Certificate.to_dict`) holds the question with all numbers of the problem, an answer
and evidence. `check` derives from the question a pencil (N, E) and asks of its eigenvalues Nv = λEv

    half-plane: all Re λ > 0?     disc: all |λ| < 1?     definite: N + Nᵀ ≻ 0?

and then tests the evidence with exact integer arithmetic (`theory.certified.recheck.evidence`). Why each kind of
evidence proves its answer is said in `theory.certified.certificates`; here is only the checking. A matrix is
(integer rows, denominator > 0).

A document with `stretches` is about all values of a parameter (`theory.certified.recheck.along`), one with a `cone`
about the mean square of random maps (`theory.certified.recheck.cone`).

What the question presupposes is checked too: 0 ≤ γ < 1, positive weights that sum to one, rows of P that sum to one or,
where episodes end, to less, shapes that fit. γ = 1 is allowed where an end can be reached from every state. Doubles
denote rationals with a power of two below, and sum to one up to their rounding only.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theory.certified.recheck import entries
from theory.certified.recheck.along import check_along
from theory.certified.recheck.cone import check_cone
from theory.certified.recheck.evidence import BITS, BOUNDED, EVIDENCE, Pencil
from theory.certified.recheck.given import moments, presupposed, transitions
from theory.certified.recheck.integers import (
    Matrix,
    blocks,
    largest,
    matrix,
    minus,
    number,
    scaled,
    times,
    transposed,
    unit,
    weighted,
    whole,
)
from theory.certified.recheck.rounded import exact_sum, plus_rounded, product, rounded, window_sum

EXACT_WINDOW = 48  # the T-th power of a rational matrix is T times as long: beyond this, round and bound
LONGEST_EXACT_WINDOW = 20_000  # only a root count needs more, and has its limit too
LONGEST_WINDOW = 2**256
HUGE = 4096
LARGEST_BY_ENTRY = 100_000  # n³ times the squarings: a second, about

FIELDS = {
    "matrix": {"kind", "M", "alpha"},
    "mean": {"kind", "M"},
    "iteration": {"kind", "M"},
    **{f"{kind}-within": {"kind", "M", "radius", "E", "E_radius"} for kind in ("td", "chain", "mean", "iteration")},
    "uniform": {"kind", "gamma", "P", "d"},
    "td": {"kind", "gamma", "Phi", "P", "d"},
    "chain": {"kind", "gamma", "Phi", "P", "d"},
    "step": {"kind", "gamma", "Phi", "P", "d", "alpha", "which"},
    "window": {"kind", "gamma", "Phi", "P", "d", "alpha", "window", "start"},
}


def check(document: Mapping[str, Any]) -> bool:
    """Does the evidence of this document prove its answer? A malformed document proves nothing."""
    try:
        return _check(document)
    except Exception:  # whatever a document can break, it does not prove
        return False


def _check(document: Mapping[str, Any]) -> bool:
    if "stretches" in document:
        return check_along(document)
    if "cone" in document:
        return check_cone(document)
    question, evidence, holds = document["question"], document["evidence"], document["holds"]
    if set(document) != {"question", "evidence", "holds"} or not isinstance(holds, bool):
        return False
    if set(question) != FIELDS[question["kind"]]:
        return False
    T = whole(question["window"]) if question["kind"] == "window" else 0
    if T > LONGEST_WINDOW or (evidence["kind"] == "roots" and T > LONGEST_EXACT_WINDOW):
        return False
    if question["kind"].endswith("-within") and evidence["kind"] not in BOUNDED:
        return False
    rounds = T > EXACT_WINDOW and evidence["kind"] != "roots"
    attempts = [(bits, False) for bits in BITS] if rounds else [(0, False)]
    if rounds and len(question["Phi"][0]) ** 3 * T.bit_length() <= LARGEST_BY_ENTRY:
        attempts[2:2] = [(256, True), (1024, True)]
    proves = EVIDENCE[evidence["kind"]]
    for bits, by_entry in attempts:
        pencil = _pencil(question, bits, by_entry)
        if (pencil.N[0] or evidence["kind"] == "vacuous") and proves(pencil, evidence, holds):
            return True
    return False


def _pencil(q: Mapping[str, Any], bits: int, by_entry: bool) -> Pencil:
    kind = q["kind"]
    if kind in ("matrix", "mean", "iteration"):
        M = matrix(q["M"])
        if len(M[0]) != len(M[0][0]):
            raise ValueError("not square")
        one = unit(len(M[0]))
        if kind == "mean":
            return Pencil("half-plane", M, one, symmetric=M)
        return Pencil("disc", M if kind == "iteration" else minus(one, scaled(number(q["alpha"]), M)), one)
    if kind.endswith("-within"):
        return _within(q, kind in ("td-within", "mean-within"))
    gamma, (P, d) = number(q["gamma"]), transitions(q)
    if kind == "uniform":
        presupposed(gamma, P, d)
        N = weighted(d, minus(unit(len(d)), scaled(gamma, P)))
        return Pencil("definite", N, N)
    m = moments(gamma, q["Phi"], P, d)
    if m.rank == 0:
        return Pencil("disc", ([], 1), ([], 1))
    Y, one = scaled(gamma, m.Y), unit(m.rank)
    A = minus(m.X, Y)
    if kind == "td":
        return Pencil("half-plane", m.by(A), one, symmetric=A)
    if kind == "chain":
        return Pencil("disc", Y, m.X, complete=gamma * m.norm if m.complete else None)
    alpha = number(q["alpha"])
    if kind == "step":
        zero = [[0] * m.rank for _ in range(m.rank)], 1
        GA, GX = m.by(A), m.by(m.X)
        choice = {"td": GA, "behaviour": GA, "sequential": GX, "joint": blocks(GA, zero, zero, GX)}
        M = choice[q["which"]]
        return Pencil("disc", minus(unit(len(M[0])), scaled(alpha, M)), unit(len(M[0])))
    hot = {"hot": True, "cold": False}[q["start"]]
    moment = scaled(alpha, m.by(A if hot else Y))
    key, T = A if hot else None, whole(q["window"])
    if by_entry:
        return _pencil_by_entry(m.by(m.X), moment, alpha, T, bits, key)
    return _window_pencil(m.by(m.X), moment, alpha, T, bits, key)


def _within(q: Mapping[str, Any], half_plane: bool) -> Pencil:
    """Every N within `radius` of M and every E within `E_radius` of E, entry by entry; of no size at all: vacuous."""
    claim = "half-plane" if half_plane else "disc"
    if not q["M"] and not q["radius"]:
        return Pencil(claim, ([], 1), ([], 1))
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


def _window_pencil(X: Matrix, moment: Matrix, alpha: Fraction, T: int, bits: int, key: Matrix | None) -> Pencil:
    """N = Σ_{j<T} (I − αX)ʲ·moment, subtracted from I where the start is hot and `key` is Â."""
    if T < 1:
        raise ValueError("no window")
    one, hot = unit(len(X[0])), key is not None
    nothing = largest(moment) == 0  # then no sum, however long, matters
    if bits == 0 or nothing:
        change = moment if nothing else times(exact_sum(X, alpha, T), moment)
        return Pencil("disc", minus(one, change) if hot else change, one, key=key)
    N = product(window_sum(X, alpha, T, bits), rounded(moment, bits), bits)
    if hot:
        N = plus_rounded((one[0], 0, 0), ([[-x for x in row] for row in N[0]], *N[1:]), bits)
    rows, e, error = N
    grid = Fraction(2) ** min(e, HUGE)
    return Pencil("disc", scaled(grid, (rows, 1)), one, None, None, error * grid, N, bits, e > HUGE, key)


def _pencil_by_entry(X: Matrix, moment: Matrix, alpha: Fraction, T: int, bits: int, key: Matrix | None) -> Pencil:
    """The same with an error for each entry."""
    one = unit(len(X[0]))
    N = entries.window_sum(X, alpha, T, bits).times(entries.entries(moment, bits))
    if key is not None:
        negative = entries.Entries([[(-m, e, r) for m, e, r in row] for row in N.rows], bits)
        N = entries.entries(one, bits).plus(negative)
    near = entries.on_grid(N, HUGE)
    M, error = near if near is not None else (one, Fraction(1))
    return Pencil("disc", M, one, None, None, error or Fraction(1, 2**HUGE), N, bits, near is None, key)
