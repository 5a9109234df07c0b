r"""An independent checker of certificates: plain integers and fractions, nothing else of this package.

A certificate document (`Certificate.to_dict`) holds the question with all numbers of the problem, an answer
and evidence. `check` derives from the question a pencil (N, E) and asks of its eigenvalues Nv = λEv

    half-plane: all Re λ > 0?     disc: all |λ| < 1?     definite: N + Nᵀ ≻ 0?

and then tests the evidence with exact integer arithmetic. Why each kind of evidence proves its answer is
said in `theory.certified.certificates`; here is only the checking. A matrix is (integer rows, denominator > 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from theory.certified.recheck.integers import (
    Matrix,
    blocks,
    largest,
    matrix,
    minus,
    number,
    plus,
    positive,
    row_space,
    scaled,
    solve,
    times,
    transposed,
    unit,
)
from theory.certified.recheck.roots import axis_side, characteristic, circle_side
from theory.certified.recheck.windows import exact_sum, window_sum

EXACT_WINDOW = 48  # the T-th power of a rational matrix is T times as long: beyond this, round and bound
LONGEST_EXACT_WINDOW = 20_000  # only a root count needs more, and has its limit too
HUGE = 4096
BITS = (256, 512, 1024, 2048, 4096)


def check(document: Mapping[str, Any]) -> bool:
    """Does the evidence of this document prove its answer? A malformed document proves nothing."""
    try:
        question, evidence, holds = document["question"], document["evidence"], document["holds"]
        if not isinstance(holds, bool):
            return False
        T = int(question["window"]) if question["kind"] == "window" else 0
        if evidence["kind"] == "roots" and T > LONGEST_EXACT_WINDOW:
            return False
        attempts = BITS if T > EXACT_WINDOW and evidence["kind"] != "roots" else (0,)
        return any(_check(question, evidence, holds, bits) for bits in attempts)
    except (KeyError, ValueError, TypeError, IndexError, ZeroDivisionError, AttributeError, OverflowError):
        return False


class _Pencil(NamedTuple):
    """The claim, N, E and a bound on the error of N's entries (0 unless a long window was rounded).

    For the half plane, whose E is I, the second matrix is Â: N = GÂ. Of a window so long that the sum S_T exceeds
    2**HUGE (and N = ±S_T·moment, plus I), the true S_T is at least as large: `exploded`.
    """

    claim: str
    N: Matrix
    E: Matrix
    error: Fraction = Fraction(0)
    exploded: bool = False
    key: Matrix | None = None  # Â, of a window with hot start


def _check(question: Mapping[str, Any], evidence: Mapping[str, Any], holds: bool, bits: int) -> bool:
    claim, N, E, error, exploded, key = _pencil(question, bits)
    n, kind = len(N[0]), evidence["kind"]
    if kind == "vacuous":
        return n == 0 and holds
    if n == 0 or any(len(M[0]) != n or len(row) != n for M in (N, E) for row in M[0]):
        return False
    if kind == "symmetric":  # N + Nᵀ ≻ 0, in the metric of the preconditioner for the half plane
        return claim in ("definite", "half-plane") and holds and positive(plus(E, transposed(E)))
    if kind == "witness":
        x = [number(v) for v in evidence["x"]]
        form = sum(x[i] * x[j] * Fraction(N[0][i][j], N[1]) for i in range(n) for j in range(n))
        return claim == "definite" and not holds and len(x) == n and any(x) and form <= 0
    if claim == "definite":
        return False
    if kind == "contraction":  # [[E, Nᵀ], [N, E]] ≻ 0
        return claim == "disc" and error == 0 and holds and positive(blocks(E, transposed(N), N, E))
    if kind == "signature" and not exploded:
        return _signature(claim, N, E, error, evidence, holds)
    if kind == "singular":  # then G_T = I − S_T GÂ has the eigenvalue 1
        return key is not None and not holds and characteristic(key)[0] == 0
    if kind == "trace":
        trace = abs(Fraction(sum(N[0][i][i] for i in range(n)), N[1]))
        # |tr N| ≥ |tr S_T·moment| − n, and what is missing is a factor of S_T: 3n leave n after both.
        return claim == "disc" and unit(n) == E and not holds and trace - n * error > (3 * n if exploded else n)
    if kind == "roots":
        p = [number(c) for c in evidence["polynomial"]]
        if error != 0 or p != characteristic(N if claim == "half-plane" else solve(E, N)):
            return False
        side = int(evidence["side"])
        return holds == (side < 0) and side == (axis_side(p) if claim == "half-plane" else circle_side(p))
    return False


def _pencil(q: Mapping[str, Any], bits: int) -> _Pencil:
    kind = q["kind"]
    if kind == "matrix":
        M = matrix(q["M"])
        return _Pencil("disc", minus(unit(len(M[0])), scaled(number(q["alpha"]), M)), unit(len(M[0])))
    gamma, P, d = number(q["gamma"]), matrix(q["P"]), [number(x) for x in q["d"]]
    if min(d) <= 0:
        raise ValueError("weights must be positive")
    D = matrix([[x if i == j else 0 for j in range(len(d))] for i, x in enumerate(d)])
    if kind == "uniform":
        N = minus(D, scaled(gamma, times(D, P)))
        return _Pencil("definite", N, N)
    Phi = matrix(q["Phi"])
    chosen, R = row_space(Phi)
    if not chosen:
        return _Pencil("disc", ([], 1), ([], 1))
    C = [[row[j] for j in chosen] for row in Phi[0]], Phi[1]
    CD = times(transposed(C), D)
    X, Y, G = times(CD, C), scaled(gamma, times(CD, times(P, C))), times(R, transposed(R))
    A, one = minus(X, Y), unit(len(chosen))
    if kind == "td":
        return _Pencil("half-plane", times(G, A), A)
    if kind == "chain":
        return _Pencil("disc", Y, X)
    alpha = number(q["alpha"])
    if kind == "step":
        zero = [[0] * len(chosen) for _ in chosen], 1
        GA, GX = times(G, A), times(G, X)
        choice = {"td": GA, "behaviour": GA, "sequential": GX, "joint": blocks(GA, zero, zero, GX)}
        M = choice[q["which"]]
        return _Pencil("disc", minus(unit(len(M[0])), scaled(alpha, M)), unit(len(M[0])))
    if kind == "window" and int(q["window"]) >= 1:
        moment = scaled(alpha, times(G, {"hot": A, "cold": Y}[q["start"]]))
        S, error, exploded = _window_sum(times(G, X), alpha, int(q["window"]), bits)
        product = times(S, moment)
        error *= len(chosen) * largest(moment)
        if q["start"] == "cold":
            return _Pencil("disc", product, one, error, exploded)
        return _Pencil("disc", minus(one, product), one, error, exploded, A)
    raise ValueError(kind)


def _signature(claim: str, N: Matrix, E: Matrix, error: Fraction, evidence: Mapping[str, Any], holds: bool) -> bool:
    """Q = KᵀSK with NᵀQ + QN ≻ 0 (half plane) or EᵀQE − NᵀQN ≻ 0 (disc); it holds iff S = I."""
    K, signs = matrix(evidence["K"]), [int(s) for s in evidence["signs"]]
    n = len(N[0])
    if len(K[0]) != n or len(signs) != n or set(signs) - {1, -1} or holds != (min(signs) > 0):
        return False
    SK = [[s * x for x in row] for s, row in zip(signs, K[0], strict=True)], K[1]
    Q = times(transposed(K), SK)
    QN = times(Q, N)
    if claim == "half-plane":
        return positive(plus(QN, transposed(QN)))
    H = minus(times(transposed(E), times(Q, E)), times(transposed(N), QN))
    if error:  # N is off by Δ, |Δ_ij| ≤ error: NᵀQΔ + ΔᵀQN + ΔᵀQΔ, entry by entry, then n times the largest
        rows = max(sum(abs(QN[0][i][j]) for i in range(n)) for j in range(n))
        total = Fraction(sum(abs(x) for row in Q[0] for x in row), Q[1])
        slack = n * (2 * error * Fraction(rows, QN[1]) + error**2 * total)
        H = minus(H, scaled(slack, unit(n)))
    return positive(H)


def _window_sum(X: Matrix, alpha: Fraction, T: int, bits: int) -> tuple[Matrix, Fraction, bool]:
    """Σ_{j<T} (I − αX)ʲ, a bound on the error of its entries, and whether it was cut at 2**HUGE."""
    if bits == 0:
        return exact_sum(X, alpha, T), Fraction(0), False
    rows, e, error = window_sum(X, alpha, T, bits)
    grid = Fraction(2) ** min(e, HUGE)
    return scaled(grid, (rows, 1)), error * grid, e > HUGE
