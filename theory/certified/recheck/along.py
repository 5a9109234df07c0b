r"""An independent checker of statements about all values of a parameter: γ in [0, 1), or p in a given pencil.

A document says, of each of some open intervals, that the answer is the same on all of it:

    question    {"kind": "td-discounts" or "chain-discounts", "Phi", "P", "d"}
                {"kind": "pencil", "claim": "half-plane" or "disc", "N": [N₀, N₁, …], "E": [E₀, …]}, N(p) = Σ N_k pᵏ
    stretches   [{"low", "high", "holds", "evidence"}, …], apart; high null: without end
    ends        [{"low", "high", "polynomial"}, …]: the borders from low to high are its one root there
    factors     of det(zE(p) − N(p)), each its coefficients of z⁰, z¹, … as polynomials in p; where they are needed

Evidence of a stretch:

- **crossings**: no border polynomial vanishes within, and at `point` the roots are
  all on the right side, or are not.
- **pieces** that cover it, of a pencil N₀ + pN₁ in the half plane: a V whose
  form is positive at both ends of a piece, and so between them, since it is affine in p; or dominance, which is convex:
  N_ii − Σ|N_ij|w_j/w_i is concave. At the far end dominance may be weak: then it is strict before.
- **monotone**, of the chain: ρ(γΠP) = γρ(ΠP), so what holds at a γ holds below it, and what fails fails above.
- **vacuous**: no features.

0 belongs to a stretch that begins there: A(0) = X.

**Border polynomials** in a parameter p, one of which vanishes where an eigenvalue is on the border, in plain integers.

For a polynomial f(z, p), its coefficients of z⁰, z¹, … polynomials in p, its roots z_i leave the right half plane or
the unit disc only where one of these is zero:

    half plane   Π z_i  and  Π_{i<j} (z_i + z_j)
    disc         Π (1 − z_i),  Π (1 + z_i)  and  Π_{i<j} (1 − z_i z_j)

or where the leading coefficient is and a root comes from infinity. The last product is a Hurwitz determinant (Orlando),
of the disc after z = (1 + s)/(1 − s); it is found by interpolation. Where one of them is zero, not all roots are on
the right side.

An independent checker of stretches of a parameter that matrix inequalities prove, affine in it.

    question    {"kind": "resolvent", "claim": "half-plane", "disc" or "regular", "O", "L": [L₀, L₁], "R": [R₀, R₁],
                "endless"}, about M(p) = O L(p)⁻¹R(p); of the disc O = I
    stretches   [{"low", "high", "holds", "pieces"}, …], apart; high null: without end, where the question is endless
    pieces      [{"low", "high", "V", "Z", "negative"}, …] that cover a stretch

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

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import comb, lcm
from typing import Any

from theory.certified.recheck.given import Pencil, moments, proves, transitions
from theory.certified.recheck.integers import (
    Matrix,
    Polynomial,
    blocks,
    determinant,
    divided,
    hurwitz,
    largest,
    matrix,
    number,
    plus,
    positive,
    scaled,
    schur,
    short,
    times,
    transposed,
    unit,
)

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


Curve = list[Polynomial]  # the coefficients of z⁰, z¹, …, each a polynomial in p

DEEPEST = 400  # halvings of an interval before a root is presumed in it


def value(p: Sequence[Fraction], x: Fraction) -> Fraction:
    """p(x)."""
    out = Fraction(0)
    for c in reversed(p):
        out = out * x + c
    return out


def trimmed(p: Sequence[Fraction]) -> Polynomial:
    """Without leading zeros."""
    out = list(p)
    while out and out[-1] == 0:
        out.pop()
    return out


def borders(f: Curve, disc: bool) -> list[Polynomial]:
    """The polynomials in p without whose roots no root z of f changes sides."""
    m = len(f) - 1
    found = [f[-1]]
    if m >= 1:
        found += [_sum(f, 1), _sum(f, -1)] if disc else [f[0]]
    if m >= 2:
        found.append(_pair_product(f, disc))
    return [p for p in map(trimmed, found) if len(p) != 1]  # a number that is not zero never vanishes


def inside(f: Curve, p: Fraction, disc: bool) -> bool:
    """Are all roots z at this p on the right side?"""
    at = [value(c, p) for c in f]
    if at[-1] == 0:
        raise ValueError("a root at infinity")
    return schur(at) if disc else hurwitz([-c if j % 2 else c for j, c in enumerate(at)])


def may_vanish(p: Polynomial, low: Fraction, high: Fraction | None) -> bool:
    """Is there, for all that is proved, a root strictly between? False is a proof: Descartes' rule, piece by piece.

    Without `high` it is all beyond low.
    """
    if not p:
        return True
    todo = [(_beyond(p, low) if high is None else _within(p, low, high), 0)]
    while todo:
        q, depth = todo.pop()
        changes = _changes(_shifted(q[::-1]))
        if changes == 0:
            continue
        d = len(q) - 1
        left = [c << (d - i) for i, c in enumerate(q)]
        right = _shifted(left)
        if changes == 1 or depth > DEEPEST or right[0] == 0:
            return True
        todo += [(left, depth + 1), (right, depth + 1)]
    return False


def is_isolated(p: Polynomial, low: Fraction, high: Fraction) -> bool:
    """One root between low and high, a simple one, and none at the ends."""
    ends = low < high and value(p, low) * value(p, high) < 0
    return ends and _changes(_shifted(_within(p, low, high)[::-1])) == 1


def without(q: Polynomial, p: Polynomial) -> tuple[Polynomial, int]:
    """q over as many powers of p as divide it, and how many these are."""
    times = 0
    while len(q) >= len(p):
        quotient, rest = divided(q, p)
        if rest:
            break
        q, times = quotient, times + 1
    return q, times


def _sum(f: Curve, sign: int) -> Polynomial:
    length = max(map(len, f))
    out = [Fraction(0)] * length
    for k, c in enumerate(f):
        for i, x in enumerate(c):
            out[i] += x * sign**k
    return out


def _pair_product(f: Curve, disc: bool) -> Polynomial:
    m = len(f) - 1
    degrees = [len(c) - 1 for c in reversed(f)]  # of a_0, a_1, …
    most = (m - 1) * max(degrees)
    if not disc and degrees[0] == 0:  # every term of the determinant has indices that add up to m(m − 1)/2
        slope = max(-(-d // k) for k, d in enumerate(degrees) if k)
        most = min(most, slope * m * (m - 1) // 2)
    q = lcm(*(x.denominator for c in f for x in c))
    scaled = [[int(x * q) for x in c] for c in f]

    def at(x: int) -> int:
        values = [_border_at(c, x) for c in scaled]
        return _hurwitz_determinant(_in_half_plane(values) if disc else values)

    return interpolated(at, most)


def interpolated(at: Callable[[int], int], degree: int) -> Polynomial:
    """The polynomial of at most this degree with these values at integers (Newton)."""
    points = [(k + 1) // 2 * (-1) ** k for k in range(degree + 1)]  # 0, −1, 1, −2, …
    table = [Fraction(at(x)) for x in points]
    for k in range(1, degree + 1):
        for i in range(degree, k - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (points[i] - points[i - k])
    out = [table[degree]]
    for i in range(degree - 1, -1, -1):  # out·(x − x_i) + table[i]
        out = [Fraction(0), *out]
        for j in range(len(out) - 1):
            out[j] -= points[i] * out[j + 1]
        out[0] += table[i]
    return out


def _hurwitz_determinant(values: list[int]) -> int:
    m = len(values) - 1
    a = values[::-1]
    rows = [[a[2 * i - j + 1] if 0 <= 2 * i - j + 1 <= m else 0 for j in range(m - 1)] for i in range(m - 1)]
    return determinant(rows)


def _in_half_plane(values: list[int]) -> list[int]:
    """(1 − s)ᵐ f((1 + s)/(1 − s))."""
    m = len(values) - 1
    out = [0] * (m + 1)
    for k, c in enumerate(values):
        for i in range(k + 1):
            for j in range(m - k + 1):
                out[i + j] += c * comb(k, i) * comb(m - k, j) * (-1) ** j
    return out


def _within(p: Polynomial, low: Fraction, high: Fraction) -> list[int]:
    """p(low + (high − low)x) up to a positive factor, in integers."""
    c = lcm(low.denominator, high.denominator)
    start, width = int(low * c), int((high - low) * c)
    out: list[int] = []
    for k, coefficient in enumerate(reversed(short(p))):
        raised = [0] * (len(out) + 1)
        for i, x in enumerate(out):
            raised[i] += start * x
            raised[i + 1] += width * x
        raised[0] += int(coefficient) * c**k
        out = raised
    return out


def _beyond(p: Polynomial, low: Fraction) -> list[int]:
    """(1 − t)ᵈ p(low + t/(1 − t)): on (0, 1) what p is beyond low."""
    moved, d = _within(p, low, low + 1), len(p) - 1
    out = [0] * (d + 1)
    for k, c in enumerate(moved):
        for j in range(d - k + 1):
            out[k + j] += c * comb(d - k, j) * (-1) ** j
    return out


def _shifted(p: Sequence[int]) -> list[int]:
    """p(x + 1)."""
    out = list(p)
    for k in range(len(out) - 1):
        for i in range(len(out) - 2, k - 1, -1):
            out[i] += out[i + 1]
    return out


def _changes(p: Sequence[int]) -> int:
    signs = [c > 0 for c in p if c]
    return sum(a != b for a, b in pairwise(signs))


def _border_at(p: Sequence[int], x: int) -> int:
    out = 0
    for c in reversed(p):
        out = out * x + c
    return out


CLAIMS = ("half-plane", "disc", "regular")


def check_inequalities(document: Mapping[str, Any]) -> bool:
    """Does every piece of every stretch prove what is said? A malformed document proves nothing."""
    try:
        return _check(document)
    except Exception:  # whatever a document can break, it does not prove
        return False


def _check(document: Mapping[str, Any]) -> bool:
    if set(document) != {"question", "stretches"} or not document["stretches"]:
        return False
    family = _Family(document["question"])
    spans = []
    for stretch in document["stretches"]:
        if set(stretch) != {"low", "high", "holds", "pieces"} or not isinstance(stretch["holds"], bool):
            return False
        low, high = _ends(stretch)
        spans.append((low, high))
        if not _pieces_cover(family, low, high, stretch["holds"], stretch["pieces"]):
            return False
    return all(a is not None and a < b for (_, a), (b, _) in pairwise(spans))


class _Family:
    def __init__(self, q: Mapping[str, Any]) -> None:
        if set(q) != {"kind", "claim", "O", "L", "R", "endless"} or q["kind"] != "resolvent":
            raise ValueError("no question")
        self.claim, self.endless = q["claim"], q["endless"]
        self.O, self.L, self.R = matrix(q["O"]), [matrix(x) for x in q["L"]], [matrix(x) for x in q["R"]]
        r, m = len(self.O[0]), len(self.O[0][0])
        shapes = [_shape(x) for x in (*self.L, *self.R)]
        if self.claim not in CLAIMS or not isinstance(self.endless, bool) or shapes != [(m, m)] * 2 + [(m, r)] * 2:
            raise ValueError("no question")
        if self.claim == "disc" and unit(r) != self.O:
            raise ValueError("no question")

    @property
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


def _pieces_cover(family: _Family, low: Fraction, high: Fraction | None, holds: bool, pieces: Any) -> bool:
    reached: Fraction | None = low
    for piece in pieces:
        first, last = _ends(piece)
        if reached is None or first > reached or not _proved(family, first, last, holds, piece):
            return False
        reached = None if last is None else max(reached, last)
    return reached is None or (high is not None and reached >= high)


def _proved(family: _Family, low: Fraction, high: Fraction | None, holds: bool, piece: Mapping[str, Any]) -> bool:
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
