r"""An independent checker of statements about all values of a parameter: a matrix inequality a piece, affine in it.

    question    {"kind": "resolvent", "claim": "half-plane", "disc" or "regular", "O", "L": [L₀, L₁], "R": [R₀, R₁],
                "endless"}, about M(p) = O L(p)⁻¹R(p); of the disc O = I
                {"kind": "td-discounts", "Phi", "P", "d"}, about A(γ) = X − γY in the half plane: O = L = I, R = A
                {"kind": "chain-discounts", "Phi", "P", "d"}, about γX⁻¹Y in the disc: O = I, L = X, R = γY
    stretches   [{"low", "high", "holds", "pieces"}, …], apart; high null: without end, where the question is endless
    pieces      [{"low", "high", "V", "Z", "negative"}, …] that cover a stretch; none where there are no features

Of a piece the same V and Z must give a positive definite H = F + ZB + (ZB)ᵀ at both of its ends, B = [L(p), −R(p)] and

    half-plane, regular   F = [[0, (VO)ᵀ], [VO, 0]]       disc   F = diag(−V, V)

For p in between, B(p) is a positive multiple of a mean of the two B; so H ≻ 0 for some positive multiple of B(p). On
(y, x) with L(p)y = R(p)x that leaves F, hence VM + MᵀVᵀ ≻ 0 or V − MᵀVM ≻ 0: M is regular, or has as many eigenvalues
on the wrong side as V = Vᵀ has negative ones, none where V ≻ 0 and one at least where xᵀVx < 0 for `negative`. F_yy is
0 unless it is about the disc, and H ≻ 0 shows that L(p) is invertible; of the disc an infinite eigenvalue is outside.

Without Z, where L = O = I and it is not about the disc, H = VR + RᵀVᵀ.

Where the question is endless, p ≥ 0 and B is divided by 1 + p, B₁ at infinity. Where L₁ = 0, and it is not about the
disc, R alone is: that is M times a positive number.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from theory.certified.recheck.given import moments, transitions
from theory.certified.recheck.integers import (
    Matrix,
    blocks,
    largest,
    matrix,
    number,
    plus,
    positive,
    scaled,
    times,
    transposed,
    unit,
)

CLAIMS = ("half-plane", "disc", "regular")


def check_range(document: Mapping[str, Any]) -> bool:
    """Does every piece of every stretch prove what is said? Raises on documents that are none."""
    if set(document) != {"question", "stretches"} or not document["stretches"]:
        return False
    family = Family(document["question"])
    spans = []
    for stretch in document["stretches"]:
        if set(stretch) != {"low", "high", "holds", "pieces"} or not isinstance(stretch["holds"], bool):
            return False
        low, high = _ends(stretch)
        spans.append((low, high))
        if family.discounts and (low < 0 or high is None or high > 1):
            return False
        if not _pieces_cover(family, low, high, stretch["holds"], stretch["pieces"]):
            return False
    return all(a is not None and a < b for (_, a), (b, _) in pairwise(spans))


class Family:
    """O, L(p) and R(p) of a question."""

    def __init__(self, q: Mapping[str, Any]) -> None:
        self.claim, self.endless, self.discounts = q.get("claim"), q.get("endless", False), "Phi" in q
        if self.discounts:
            self._of_discounts(q)
            return
        if set(q) != {"kind", "claim", "O", "L", "R", "endless"} or q["kind"] != "resolvent":
            raise ValueError("no question")
        self.O, self.L, self.R = matrix(q["O"]), [matrix(x) for x in q["L"]], [matrix(x) for x in q["R"]]
        r, m = _shape(self.O)
        shapes = [_shape(x) for x in (*self.L, *self.R)]
        if self.claim not in CLAIMS or not isinstance(self.endless, bool) or shapes != [(m, m)] * 2 + [(m, r)] * 2:
            raise ValueError("no question")
        if self.claim == "disc" and unit(r) != self.O:
            raise ValueError("no question")

    def _of_discounts(self, q: Mapping[str, Any]) -> None:
        if set(q) != {"kind", "Phi", "P", "d"}:
            raise ValueError("no question")
        m = moments(Fraction(0), q["Phi"], *transitions(q))
        self.O, none = unit(m.rank), scaled(Fraction(0), m.X)
        self.claim = {"td-discounts": "half-plane", "chain-discounts": "disc"}[q["kind"]]
        if self.claim == "disc":
            self.L, self.R = [m.X, none], [none, m.Y]
        else:
            self.L, self.R = [self.O, none], [m.by(m.X), scaled(Fraction(-1), m.by(m.Y))]

    @cached_property
    def plain(self) -> bool:
        """Is M = R?"""
        one = unit(len(self.O[0]))
        return self.claim != "disc" and one == self.O and one == self.L[0] and largest(self.L[1]) == 0

    def constraint(self, p: Fraction | None) -> Matrix:
        """B at one end of a piece, up to a positive factor."""
        if not self.endless:
            if p is None:
                raise ValueError("no end")
            return _beside(self._at(self.L, p), self._at(self.R, p))
        if p is not None and p < 0:
            raise ValueError("not in the range")
        share = Fraction(0) if p is None else 1 / (1 + p)  # of the constant; 1 − share of the slope
        L, R = (plus(scaled(share, x[0]), scaled(1 - share, x[1])) for x in (self.L, self.R))
        alone = self.claim != "disc" and largest(self.L[1]) == 0
        return _beside(self.L[0] if alone else L, R)

    def form(self, V: Matrix) -> Matrix:
        r, m = len(self.O[0]), len(self.O[0][0])
        if self.claim == "disc":
            return blocks(scaled(Fraction(-1), V), _zero(m, r), _zero(r, m), V)
        VO = times(V, self.O)
        return blocks(_zero(m, m), transposed(VO), VO, _zero(r, r))

    @staticmethod
    def _at(parts: list[Matrix], p: Fraction) -> Matrix:
        return plus(parts[0], scaled(p, parts[1]))


def _pieces_cover(family: Family, low: Fraction, high: Fraction | None, holds: bool, pieces: Any) -> bool:
    if not family.O[0]:
        return holds and not pieces
    reached: Fraction | None = low
    for piece in pieces:
        first, last = _ends(piece)
        if reached is None or first > reached or not _proved(family, first, last, holds, piece):
            return False
        reached = None if last is None else max(reached, last)
    return bool(pieces) and (reached is None or (high is not None and reached >= high))


def _proved(family: Family, low: Fraction, high: Fraction | None, holds: bool, piece: Mapping[str, Any]) -> bool:
    r, m = _shape(family.O)
    V, Z = matrix(piece["V"]), None if piece["Z"] is None else matrix(piece["Z"])
    if set(piece) != {"low", "high", "V", "Z", "negative"} or _shape(V) != (r, r):
        return False
    if not family.plain if Z is None else _shape(Z) != (m + r, m):
        return False
    if family.claim == "regular":
        if not holds or piece["negative"] is not None:
            return False
    elif not sign(V, holds, piece["negative"]):
        return False
    for p in (low, high):
        B = family.constraint(p)
        if Z is None:
            VR = times(V, ([[-x for x in row[m:]] for row in B[0]], B[1]))
            H = plus(VR, transposed(VR))
        else:
            ZB = times(Z, B)
            H = plus(family.form(V), plus(ZB, transposed(ZB)))
        if not positive(H):
            return False
    return True


def sign(V: Matrix, holds: bool, negative: Any) -> bool:
    """Is V = Vᵀ ≻ 0, or not, as xᵀVx < 0 shows?"""
    if transposed(V) != V:
        return False
    if holds:
        return negative is None and positive(V)
    x = [number(v) for v in negative]
    across = [sum(a * b for a, b in zip(row, x, strict=True)) for row in V[0]]
    return sum(a * b for a, b in zip(x, across, strict=True)) < 0


def _ends(span: Mapping[str, Any]) -> tuple[Fraction, Fraction | None]:
    low, high = number(span["low"]), None if span["high"] is None else number(span["high"])
    if high is not None and low > high:
        raise ValueError("no interval")
    return low, high


def _shape(M: Matrix) -> tuple[int, int]:
    return len(M[0]), len(M[0][0])


def _zero(rows: int, columns: int) -> Matrix:
    return [[0] * columns for _ in range(rows)], 1


def _beside(L: Matrix, R: Matrix) -> Matrix:
    """[L, −R]."""
    (a, p), (b, q) = L, R
    return [[q * x for x in u] + [-p * x for x in v] for u, v in zip(a, b, strict=True)], p * q
