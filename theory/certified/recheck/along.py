r"""An independent checker of statements about all values of a parameter: γ in [0, 1), or p in a given pencil.

A document says, of each of some open intervals, that the answer is the same on all of it:

    question    {"kind": "td-discounts" or "chain-discounts", "Phi", "P", "d"}
                {"kind": "pencil", "claim": "half-plane" or "disc", "N": [N₀, N₁, …], "E": [E₀, …]}, N(p) = Σ N_k pᵏ
    stretches   [{"low", "high", "holds", "evidence"}, …], apart; high null: without end
    ends        [{"low", "high", "polynomial"}, …]: the borders from low to high are its one root there
    factors     of det(zE(p) − N(p)), each its coefficients of z⁰, z¹, … as polynomials in p; where they are needed

Evidence of a stretch:

- **crossings**: no border polynomial (`theory.certified.recheck.borders`) vanishes within, and at `point` the roots are
  all on the right side, or are not.
- **pieces** that cover it, of a pencil N₀ + pN₁ in the half plane: a V (`theory.certified.recheck.inequalities`) whose
  form is positive at both ends of a piece, and so between them, since it is affine in p; or dominance, which is convex:
  N_ii − Σ|N_ij|w_j/w_i is concave. At the far end dominance may be weak: then it is strict before.
- **monotone**, of the chain: ρ(γΠP) = γρ(ΠP), so what holds at a γ holds below it, and what fails fails above.
- **vacuous**: no features.

0 belongs to a stretch that begins there: A(0) = X.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from theory.certified.recheck.borders import (
    Curve,
    borders,
    inside,
    is_isolated,
    may_vanish,
    trimmed,
    value,
    without,
)
from theory.certified.recheck.evidence import Pencil, proves
from theory.certified.recheck.given import moments, transitions
from theory.certified.recheck.inequalities import sign
from theory.certified.recheck.integers import (
    Matrix,
    determinant,
    matrix,
    number,
    plus,
    positive,
    scaled,
    times,
    transposed,
    unit,
)
from theory.certified.recheck.roots import Polynomial

AT_A_POINT = ("signature", "roots", "dominance")


def check_along(document: Mapping[str, Any]) -> bool:
    """Does the evidence prove every stretch and every end? Raises on documents that are none."""
    if set(document) - {"factors", "ends"} != {"question", "stretches"}:
        return False
    family = Family(document)
    stretches = [(number(s["low"]), None if s["high"] is None else number(s["high"]), s) for s in document["stretches"]]
    ends = [(number(e["low"]), number(e["high"]), e) for e in document.get("ends", ())]
    spans = sorted(((low, high) for low, high, _ in (*stretches, *ends)), key=lambda s: (s[0], s[1] is None, s[1]))
    if any(a[1] is None or a[1] > b[0] for a, b in pairwise(spans)):
        return False
    if not stretches or any(high is not None and low >= high for low, high, _ in stretches):
        return False
    if family.discounts and (spans[0][0] < 0 or spans[-1][1] is None or spans[-1][1] > 1):
        return False
    return all(_end(family, *e) for e in ends) and all(_stretch(family, *s) for s in stretches)


class Family:
    """N(p), E(p) of a document, and the border polynomials once they are asked for."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        q = document["question"]
        self.given = document.get("factors")
        self.kind, self.discounts = q["kind"], q["kind"] != "pencil"
        self.norm: Fraction | None = None
        self.symmetric: list[Matrix] | None = None
        if not self.discounts:
            if set(q) != {"kind", "claim", "N", "E"} or q["claim"] not in ("half-plane", "disc"):
                raise ValueError("no question")
            self.claim, self.N, self.E = q["claim"], [matrix(M) for M in q["N"]], [matrix(M) for M in q["E"]]
            n = len(self.N[0][0])
            if any(len(M[0]) != n or len(M[0][0]) != n for M in (*self.N, *self.E)):
                raise ValueError("shapes")
            return
        if set(q) != {"kind", "Phi", "P", "d"}:
            raise ValueError("no question")
        m = moments(Fraction(0), q["Phi"], *transitions(q))
        zero = scaled(Fraction(0), m.X)
        if q["kind"] == "td-discounts":
            self.claim, self.N, self.E = "half-plane", [m.by(m.X), scaled(Fraction(-1), m.by(m.Y))], [unit(m.rank)]
            self.symmetric = [m.X, scaled(Fraction(-1), m.Y)]
        elif q["kind"] == "chain-discounts":
            self.claim, self.N, self.E = "disc", [zero, m.Y], [m.X]
            self.norm = m.norm if m.complete else None
        else:
            raise ValueError("no question")

    @property
    def disc(self) -> bool:
        return self.claim == "disc"

    @property
    def size(self) -> int:
        return len(self.N[0][0])

    def at(self, p: Fraction) -> Pencil:
        """The pencil at one value of the parameter."""
        key = None if self.symmetric is None else _at(self.symmetric, p)
        norm = None if self.norm is None else p * self.norm
        return Pencil(self.claim, _at(self.N, p), _at(self.E, p), symmetric=key, complete=norm)

    @cached_property
    def factors(self) -> list[Curve]:
        """The given ones, once their product is seen to be det(zE − N) up to a number that is not zero."""
        found = [[trimmed([number(x) for x in c]) or [Fraction(0)] for c in f] for f in self.given or ()]
        n = self.size
        if sum(len(f) - 1 for f in found) > n or not all(any(f[-1]) for f in found):
            raise ValueError("no factors")
        degree = max(sum(max(map(len, f)) - 1 for f in found), n * (max(len(self.N), len(self.E)) - 1))
        ratio: Fraction | None = None
        for k in range(degree + 1):
            p = Fraction((k + 1) // 2 * (-1) ** k)
            (N, q), (E, r) = _at(self.N, p), _at(self.E, p)
            for z in range(n + 1):
                rows = [[z * e * q - x * r for e, x in zip(a, b, strict=True)] for a, b in zip(E, N, strict=True)]
                whole, product = Fraction(determinant(rows), (q * r) ** n), Fraction(1)
                for f in found:
                    product *= value([value(c, p) for c in f], Fraction(z))
                if whole and ratio is None:
                    ratio = product / whole
                if product != (ratio or 0) * whole:
                    raise ValueError("no factors")
        if not ratio:
            raise ValueError("no factors")
        return found

    @cached_property
    def borders(self) -> list[Polynomial]:
        """The polynomials in p without whose roots nothing changes."""
        return [b for i, f in enumerate(self.factors) if f not in self.factors[:i] for b in borders(f, self.disc)]


def _end(family: Family, low: Fraction, high: Fraction, end: Mapping[str, Any]) -> bool:
    """All borders from low to high are at the one root of the polynomial, or at low = high itself."""
    p = trimmed([number(c) for c in end["polynomial"]])
    if set(end) != {"low", "high", "polynomial"} or len(p) < 2:
        return False
    if low == high:
        return value(p, low) == 0 and any(value(b, low) == 0 for b in family.borders)
    if not is_isolated(p, low, high):
        return False
    parts = [without(b, p) for b in family.borders]
    return any(times for _, times in parts) and not any(
        may_vanish(rest, low, high) or value(rest, low) == 0 or value(rest, high) == 0 for rest, _ in parts
    )


def _stretch(family: Family, low: Fraction, high: Fraction | None, stretch: Mapping[str, Any]) -> bool:
    holds, evidence = stretch["holds"], stretch["evidence"]
    if set(stretch) != {"low", "high", "holds", "evidence"} or not isinstance(holds, bool):
        return False
    kind = evidence["kind"]
    if kind == "vacuous":
        return family.size == 0 and holds
    if kind == "crossings":
        point = number(evidence["point"])
        if (
            not low < point
            or (high is not None and point >= high)
            or any(may_vanish(b, low, high) for b in family.borders)
        ):
            return False
        return holds == all(inside(f, point, family.disc) for f in family.factors)
    if high is None:
        return False
    if kind == "pieces":
        return _covered(family, low, high, holds, evidence["pieces"])
    return kind == "monotone" and family.kind == "chain-discounts" and _monotone(family, low, high, holds, evidence)


def _covered(family: Family, low: Fraction, high: Fraction, holds: bool, pieces: Sequence[Mapping[str, Any]]) -> bool:
    if family.disc or len(family.N) > 2 or [unit(family.size)] != family.E:
        return False
    reached = low
    for piece in pieces:
        first, last = number(piece["low"]), number(piece["high"])
        if not first <= reached <= last or not _convex(family.at(first), family.at(last), piece, holds):
            return False
        reached = last
    return reached >= high


def _convex(first: Pencil, last: Pencil, piece: Mapping[str, Any], holds: bool) -> bool:
    """The same evidence at both ends, hence between them."""
    if set(piece) == {"low", "high", "w"}:
        w = [number(x) for x in piece["w"]]
        return holds and _dominant(first, w, strict=True) and _dominant(last, w, strict=False)
    if set(piece) != {"low", "high", "V", "Z", "negative"} or piece["Z"] is not None:
        return False
    V = matrix(piece["V"])
    if not sign(V, holds, piece["negative"]):
        return False
    forms = [times(V, p.N) for p in (first, last)]
    return all(positive(plus(VN, transposed(VN))) for VN in forms)


def _dominant(p: Pencil, w: Sequence[Fraction], *, strict: bool) -> bool:
    """N_ii w_i > Σ_{j≠i} |N_ij|w_j; without `strict`, ≥ will do."""
    N = p.N[0]
    if len(w) != len(N) or min(w) <= 0:
        return False
    sums = [sum(abs(x) * y for x, y in zip(row, w, strict=True)) for row in N]
    rooms = [2 * max(row[i], 0) * w[i] - total for i, (row, total) in enumerate(zip(N, sums, strict=True))]
    return min(rooms) >= 0 and not (strict and min(rooms) == 0)


def _monotone(family: Family, low: Fraction, high: Fraction, holds: bool, evidence: Mapping[str, Any]) -> bool:
    at, inner = number(evidence["at"]), evidence["evidence"]
    if not (high <= at <= 1 if holds else 0 < at <= low):
        return False
    if inner["kind"] == "complete":
        return holds and family.norm is not None and at * family.norm <= 1
    return inner["kind"] in AT_A_POINT and proves(family.at(at), inner, holds)


def _at(coefficients: Sequence[Matrix], p: Fraction) -> Matrix:
    out = coefficients[-1]
    for M in reversed(coefficients[:-1]):
        out = plus(scaled(p, out), M)
    return out
