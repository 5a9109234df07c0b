r"""z ← Bz + c, k times, with all digits: integers throughout, and one cancellation at the end.

With q a common denominator, the homogeneous matrix M of

    ⎡Bz + c⎤   1  ⎡qB  qc⎤ ⎡z⎤
    ⎢      ⎥ = ─  ⎢      ⎥ ⎢ ⎥
    ⎣   1  ⎦   q  ⎣ 0   q⎦ ⎣1⎦

is integer, so zᵏ = Mᵏ(z⁰, 1)/qᵏ with one greatest common divisor an entry, at the very end. Mᵏ itself is never
formed: xᵏ modulo the characteristic polynomial of M, by repeated squaring, is a combination of 1, x, …, xⁿ⁻¹ (Cayley
and Hamilton), which is then applied to the short vectors Mⁱ(z⁰, 1). Where k is small against n, k products of M with
a vector are fewer.

The numbers have about k·log₂‖M‖ bits, and zᵏ cannot be written down in fewer. Where that is too many,
`theory.certified.enclosed_chain` finds the first digits.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat, fmpz_poly

Progress = Callable[[float], None]  # the share of the work that is done

# Seconds for one bit of a greatest common divisor, of a squaring modulo a polynomial of degree one, of a
# characteristic polynomial, and for 64 bits times 64 bits.
_GCD, _SQUARING, _POLYNOMIAL, _LIMB = 2e-7, 6e-8, 2e-10, 1e-9


def homogeneous(B: fmpq_mat, c: fmpq_mat) -> tuple[fmpz_mat, fmpz]:
    """M and q."""
    q = fmpz(lcm(*(int(x.q) for x in B.entries() + c.entries())))
    rows = [[(x * q).p for x in (*row, y)] for row, y in zip(B.tolist(), c.entries(), strict=True)]
    return fmpz_mat([*rows, [fmpz(0)] * B.nrows() + [q]]), q


def exact_iterate(
    B: fmpq_mat, c: fmpq_mat, z: fmpq_mat, k: int, seen: fmpq_mat | None = None, progress: Progress | None = None
) -> fmpq_mat:
    """zᵏ with all its digits, or seen·zᵏ.

    >>> exact_iterate(fmpq_mat([[fmpq(1, 2)]]), fmpq_mat([[1]]), fmpq_mat([[0]]), 3)
    [7/4]
    """
    M, q = homogeneous(B, c)
    F, beta = B.nrows(), bits(M)
    start, below = z.numer_denom()
    moved = fmpz_mat([*([x] for x in start.entries()), [below]])
    one_by_one, at_once = _by_vectors(F + 1, beta, k), _by_polynomial(F + 1, beta, k)
    rows = F if seen is None else seen.nrows()
    reducing = _GCD * k * beta * rows
    raising = min(one_by_one, at_once) / (min(one_by_one, at_once) + reducing) if k else 0.0  # as a share of all
    if one_by_one <= at_once:
        for _ in range(k):
            moved = M * moved
        total = moved
    else:
        combination = _power_of_x(M.charpoly(), k, lambda share: _tell(progress, raising * share))
        total = fmpz_mat(F + 1, 1)
        for coefficient in combination.coeffs():
            total = total + moved * coefficient
            moved = M * moved
    total = fmpz_mat(F, 1, total.entries()[:F])
    denominator = q**k * below
    if seen is not None:
        shown, common = seen.numer_denom()
        total, denominator = shown * total, denominator * common
    out = []
    for i, numerator in enumerate(total.entries()):
        out.append(fmpq(numerator, denominator))
        _tell(progress, 1 - (1 - raising) * (rows - 1 - i) / rows)
    return fmpq_mat(rows, 1, out)


def exact_seconds(B: fmpq_mat, c: fmpq_mat, k: int, further: int = 0) -> float:
    """About how long `exact_iterate` takes, with `further` fractions of that length in lowest terms besides."""
    M, _ = homogeneous(B, c)
    n, beta = M.nrows(), bits(M)
    return min(_by_vectors(n, beta, k), _by_polynomial(n, beta, k)) + _GCD * k * beta * (n + further)


def bits(M: fmpz_mat) -> int:
    """The length of the longest entry: numerators and denominators of zᵏ have about k times as many bits."""
    return max(int(x.height_bits()) for x in M.entries())


def _by_vectors(n: int, beta: int, k: int) -> float:
    return n * n * k * (50e-9 + _LIMB * k * (beta / 64) ** 2 / 2)


def _by_polynomial(n: int, beta: int, k: int) -> float:
    return _POLYNOMIAL * n**4 * beta + _SQUARING * k * beta * n


def _power_of_x(modulus: fmpz_poly, k: int, progress: Progress) -> fmpz_poly:
    """xᵏ modulo a monic polynomial, by repeated squaring."""
    out, x = fmpz_poly([1]), fmpz_poly([0, 1])
    binary = bin(k)[2:]
    for i, bit in enumerate(binary):
        out = out * out % modulus
        if bit == "1":
            out = out * x % modulus
        progress(2.0 ** (i + 1 - len(binary)))  # each squaring takes twice as long as the one before
    return out


def _tell(progress: Progress | None, share: float) -> None:
    if progress is not None:
        progress(share)
