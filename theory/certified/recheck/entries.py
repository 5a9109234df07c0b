"""The same as `theory.certified.recheck.rounded` with an exponent and an error for each entry.

An entry (m, e, r) is within r·2ᵉ of m·2ᵉ. So a direction in which a long window explodes, and which nothing feeds,
does not drown the others: a zero stays exactly zero. It costs more, and comes where one error a matrix did not suffice.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from theory.certified.recheck.integers import Matrix, minus, scaled, unit

Entry = tuple[int, int, int]
ZERO: Entry = (0, 0, 0)


class Entries(NamedTuple):
    """A matrix of entries, to about so many bits."""

    rows: list[list[Entry]]
    bits: int

    def times(self, other: Entries) -> Entries:
        """The product."""
        columns = list(zip(*other.rows, strict=True))
        return Entries([[self._dot(row, c) for c in columns] for row in self.rows], self.bits)

    def plus(self, other: Entries) -> Entries:
        """The sum."""
        pairs = [zip(r, s, strict=True) for r, s in zip(self.rows, other.rows, strict=True)]
        return Entries([[_sum(x, y, self.bits) for x, y in row] for row in pairs], self.bits)

    def power(self, m: int) -> Entries:
        """The m-th power, m ≥ 1, by squaring."""
        out = self
        for bit in bin(m)[3:]:
            out = out.times(out)
            if bit == "1":
                out = out.times(self)
        return out

    def trace(self) -> Entry:
        """The sum of the diagonal."""
        out = ZERO
        for i, row in enumerate(self.rows):
            out = _sum(out, row[i], self.bits)
        return out

    def contracts(self) -> bool:
        """Is every row's sum of absolute values below one?"""
        for row in self.rows:
            total = ZERO
            for m, e, r in row:
                total = _sum(total, (abs(m), e, r), self.bits)
            top = total[0] + total[2]
            if top and top.bit_length() > -total[1]:  # top < 2⁻ᵉ
                return False
        return True

    def _dot(self, row: list[Entry], column: tuple[Entry, ...]) -> Entry:
        out = ZERO
        for (m, e, r), (n, f, s) in zip(row, column, strict=True):
            if (m or r) and (n or s):
                out = _sum(out, (m * n, e + f, abs(m) * s + abs(n) * r + r * s), self.bits)
        return out


def entries(M: Matrix, bits: int) -> Entries:
    """An exact matrix, each entry to about `bits` bits."""
    rows, q = M
    return Entries([[_entry(x, q, bits) for x in row] for row in rows], bits)


def window_sum(X: Matrix, alpha: Fraction, T: int, bits: int) -> Entries:
    """Σ_{j<T} (I − αX)ʲ, by doubling."""
    one = unit(len(X[0]))
    step = entries(minus(one, scaled(alpha, X)), bits)
    power, total = step, entries(one, bits)
    for bit in bin(T)[3:]:
        total, power = total.plus(power.times(total)), power.times(power)
        if bit == "1":
            total, power = total.plus(power), power.times(step)
    return total


def on_grid(M: Entries, huge: int) -> tuple[Matrix, Fraction] | None:
    """One exact matrix within one error of M; None where an entry is beyond 2**huge."""
    if any((m and m.bit_length() + e > huge) or r.bit_length() + e > huge for row in M.rows for m, e, r in row):
        return None
    grid, error = -4 * huge, 0  # 2**grid is the unit; what is finer is dropped
    rows = []
    for row in M.rows:
        out = []
        for m, e, r in row:
            shift = e - grid
            out.append(m << shift if shift >= 0 else m >> -shift)
            error = max(error, (r << shift) if shift >= 0 else (r >> -shift) + 2)
        rows.append(out)
    return (rows, 1 << -grid), Fraction(error, 1 << -grid)


def _entry(x: int, q: int, bits: int) -> Entry:
    if x == 0:
        return ZERO
    shift = max(bits + q.bit_length() - abs(x).bit_length(), 0)
    m, rest = divmod(x << shift, q)
    return _short(m, -shift, 1 if rest else 0, bits)


def _sum(a: Entry, b: Entry, bits: int) -> Entry:
    if not (a[0] or a[2]):
        return _short(*b, bits)
    if not (b[0] or b[2]):
        return _short(*a, bits)
    low = max(min(a[1], b[1]), max(a[1], b[1]) - 2 * bits)
    (m, r), (n, s) = _on(a, low), _on(b, low)
    return _short(m + n, low, r + s, bits)


def _on(entry: Entry, low: int) -> tuple[int, int]:
    """In units of 2**low; coarser units round down, which costs at most one."""
    m, e, r = entry
    return (m << (e - low), r << (e - low)) if e >= low else (m >> (low - e), (r >> (low - e)) + 2)


def _short(m: int, e: int, r: int, bits: int) -> Entry:
    cut = max(abs(m).bit_length() - bits, r.bit_length() - bits, 0)
    return (m >> cut, e + cut, (r >> cut) + 2) if cut else (m, e, r)
