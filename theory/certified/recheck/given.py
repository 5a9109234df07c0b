"""The moments of a problem in a document, on the leftmost independent features, and what they presuppose.

What each kind of evidence must satisfy; `theory.certified.proofs` says why that proves the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from theory.certified.recheck.integers import (
    Matrix,
    axis_side,
    blocks,
    characteristic,
    circle_side,
    matrix,
    minus,
    number,
    plus,
    positive,
    row_space,
    solve,
    times,
    transposed,
    unit,
    weighted,
    whole,
)

ROUNDED = Fraction(1, 10**8)  # how far a sum of doubles may be from one, powers of P included


class Moments(NamedTuple):
    """X̂ = CᵀDC, Ŷ = CᵀDPC and G = RRᵀ of Φ = CR, the columns of C independent."""

    X: Matrix
    Y: Matrix
    G: Matrix
    complete: bool  # as many independent features as states
    norm: Fraction  # ‖P‖ in the largest norm

    @property
    def rank(self) -> int:
        return len(self.X[0])

    def by(self, M: Matrix) -> Matrix:
        """GM; G is I for independent features."""
        return M if unit(self.rank) == self.G else times(self.G, M)


def moments(gamma: Fraction, features: Any, P: Matrix, d: Sequence[Fraction]) -> Moments:
    """Of a discounted problem whose visited states tell what all features tell; raises where it is none."""
    presupposed(gamma, P, d)
    Phi, norm = matrix(features), Fraction(max(map(sum, P[0])), P[1])
    if len(Phi[0]) != len(d):
        raise ValueError("as many rows of features as states")
    chosen, R = row_space(Phi)
    visited = [row for row, x in zip(Phi[0], d, strict=True) if x]
    if len(visited) < len(d) and len(row_space((visited, Phi[1]))[0]) < len(chosen):
        raise ValueError("some values are never learned")
    if not chosen:
        nothing: Matrix = ([], 1)
        return Moments(nothing, nothing, nothing, False, norm)
    C = [[row[j] for j in chosen] for row in Phi[0]], Phi[1]
    CD, one = transposed(weighted(d, C)), unit(len(chosen))
    G = one if one == R else times(R, transposed(R))
    return Moments(times(CD, C), times(CD, times(P, C)), G, len(chosen) == len(d), norm)


def transitions(question: Any) -> tuple[Matrix, list[Fraction]]:
    """P and d of a question."""
    return matrix(question["P"]), [number(x) for x in question["d"]]


def presupposed(gamma: Fraction, P: Matrix, d: Sequence[Fraction]) -> None:
    """Raise where this is no problem with finite values; states may be never visited."""
    S = len(d)
    if not 0 <= gamma <= 1 or min(d) < 0 or len(P[0]) != S or any(len(row) != S or min(row) < 0 for row in P[0]):
        raise ValueError("no problem")
    q = lcm(*(x.denominator for x in d))
    weights = [[int(x * q) for x in d]], q
    if abs(sum(weights[0][0]) - q) > _room(q) * q or any(sum(row) - P[1] > _room(P[1]) * P[1] for row in P[0]):
        raise ValueError("no probabilities")
    if gamma == 1 and not _all_end(P):
        raise ValueError("values are infinite")


def _room(below: int) -> Fraction:
    """How far a sum may be from one: rounding, where the numbers are doubles."""
    return ROUNDED if below & (below - 1) == 0 else Fraction(0)


def _all_end(P: Matrix) -> bool:
    """Can a row that sums to less than one be reached from every state?"""
    rows, below = P
    ends = {s for s, row in enumerate(rows) if below - sum(row) > _room(below) * below}
    more = ends
    while more:
        more = {s for s, row in enumerate(rows) if s not in ends and any(row[t] for t in more)}
        ends = ends | more
    return len(ends) == len(rows)


Evidence = Mapping[str, Any]


class Pencil(NamedTuple):
    """The claim, N and E, and how far the true N and E may be from these, entry by entry; None: not at all."""

    claim: str
    N: Matrix
    E: Matrix
    symmetric: Matrix | None = None  # Â of N = GÂ, for the half plane
    complete: Fraction | None = None  # γ‖P‖ of a chain whose features distinguish all states
    radii: tuple[Matrix, Matrix] | None = None


def _surely_positive(H: Matrix, radius: Matrix | None) -> bool:
    """Is H ≻ 0, and every symmetric matrix within the radius of it?

    For t > 0 and symmetric |Δ| ≤ R, |xᵀΔx| ≤ Σ_i x_i² Σ_j R_ij t_j/t_i; t_i is about H_ii^(−1/2), a power of two.
    """
    if radius is None:
        return positive(H)
    (h, q), (r, below), n = H, radius, len(H[0])
    if any(h[i][i] <= 0 for i in range(n)):
        return False
    s = [h[i][i].bit_length() // 2 for i in range(n)]  # t_i = 2^(−s_i)
    low = min(s) - max(s)
    slack = [sum((r[i][j] + r[j][i]) << (s[i] - s[j] - low) for j in range(n)) for i in range(n)]
    # H − diag(slack)/(2·below·2^(−low)), over one denominator
    scale = 2 * below << -low
    rows = [[x * scale - (slack[i] * q if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(h)]
    return positive((rows, q * scale))


def _absolute(M: Matrix) -> Matrix:
    return [[abs(x) for x in row] for row in M[0]], M[1]


def _quadratic_radius(QM: Matrix, Q: Matrix, radius: Matrix) -> Matrix:
    """How far MᵀQM may move when M does: |MᵀQ|R + Rᵀ|QM| + Rᵀ|Q|R."""
    side = times(transposed(_absolute(QM)), radius)
    return plus(plus(side, transposed(side)), times(transposed(radius), times(_absolute(Q), radius)))


def _vacuous(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    return not p.N[0] and p.claim != "definite" and holds


def _witness(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    x, (N, q), n = [number(v) for v in evidence["x"]], p.N, len(p.N[0])
    if len(x) != n:
        return False
    form = sum(x[i] * x[j] * Fraction(N[i][j], q) for i in range(n) for j in range(n))
    return p.claim == "definite" and not holds and any(x) and form <= 0


def _complete(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """Φ has as many independent columns as there are states, and γ‖P‖ < 1."""
    return p.complete is not None and p.complete < 1 and holds


def _dominance(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """2N_ii w_i > Σ_j |N_ij|w_j, or 2E_ii w_i > Σ_j (|E_ij| + |N_ij|)w_j."""
    w = [number(x) for x in evidence["w"]]
    own = p.N if p.claim == "half-plane" else p.E
    rows = _absolute(own) if p.claim == "half-plane" else plus(_absolute(p.E), _absolute(p.N))
    for radius in p.radii or ():
        rows = plus(rows, radius)
    if not holds or p.claim == "definite" or len(w) != len(own[0]) or min(w) <= 0:
        return False
    sums = (sum((x * y for x, y in zip(row, w, strict=True)), Fraction(0)) for row in rows[0])
    # What the diagonal itself may lose is among the radii, once there and once here.
    lost = [sum(Fraction(radius[0][i][i], radius[1]) for radius in p.radii or ()) for i in range(len(w))]
    return all(2 * (Fraction(own[0][i][i], own[1]) - lost[i]) * w[i] > total / rows[1] for i, total in enumerate(sums))


def _roots(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    polynomial, side = [number(c) for c in evidence["polynomial"]], whole(evidence["side"])
    if p.radii is not None or p.claim == "definite" or holds != (side < 0):
        return False
    if polynomial != characteristic(p.N if p.claim == "half-plane" else solve(p.E, p.N)):
        return False
    return side == (axis_side(polynomial) if p.claim == "half-plane" else circle_side(polynomial))


def _signature(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """Q = KᵀSK with NᵀQ + QN ≻ 0 (half plane) or EᵀQE − NᵀQN ≻ 0 (disc); it holds iff S = I."""
    signs, n = [whole(s) for s in evidence["signs"]], len(p.N[0])
    if len(signs) != n or set(signs) - {1, -1} or holds != (min(signs) > 0):
        return False
    if evidence["K"] is None:
        return holds and _natural(p)
    K = matrix(evidence["K"])
    if p.claim == "definite" or len(K[0]) != n or len(K[0][0]) != n:
        return False
    SK = [[s * x for x in row] for s, row in zip(signs, K[0], strict=True)], K[1]
    Q = times(transposed(K), SK)
    QN = times(Q, p.N)
    if p.claim == "half-plane":
        moved = None if p.radii is None else times(_absolute(Q), p.radii[0])
        radius = None if moved is None else plus(moved, transposed(moved))
        return _surely_positive(plus(QN, transposed(QN)), radius)
    QE = times(Q, p.E)
    H = minus(times(transposed(p.E), QE), times(transposed(p.N), QN))
    radius = None
    if p.radii is not None:
        radius = plus(_quadratic_radius(QN, Q, p.radii[0]), _quadratic_radius(QE, Q, p.radii[1]))
    return _surely_positive(H, radius)


def _natural(p: Pencil) -> bool:
    """Â + Âᵀ ≻ 0 (N + Nᵀ where that is the claim itself), or [[E, Nᵀ], [N, E]] ≻ 0 for the disc."""
    if p.claim == "disc":
        radius = None if p.radii is None else blocks(p.radii[1], transposed(p.radii[0]), p.radii[0], p.radii[1])
        return _surely_positive(blocks(p.E, transposed(p.N), p.N, p.E), radius)
    M = p.N if p.claim == "definite" else p.symmetric
    radius = None if p.radii is None else plus(p.radii[0], transposed(p.radii[0]))
    return M is not None and _surely_positive(plus(M, transposed(M)), radius)


EVIDENCE: dict[str, Callable[[Pencil, Evidence, bool], bool]] = {
    "vacuous": _vacuous,
    "witness": _witness,
    "complete": _complete,
    "dominance": _dominance,
    "roots": _roots,
    "signature": _signature,
}
PARTS = {
    "vacuous": {"kind"},
    "witness": {"kind", "x"},
    "complete": {"kind"},
    "dominance": {"kind", "w"},
    "roots": {"kind", "polynomial", "side"},
    "signature": {"kind", "K", "signs"},
}


def proves(p: Pencil, evidence: Evidence, holds: bool) -> bool:
    """Does the evidence show that the claim holds, or that it does not?"""
    kind = evidence["kind"]
    return set(evidence) == PARTS[kind] and EVIDENCE[kind](p, evidence, holds)
