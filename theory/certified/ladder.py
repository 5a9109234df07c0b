r"""From a pencil to evidence: structure first, then balls of more and more bits, an exact count of roots last.

`climb` yields (evidence, method) one after another, each a proof of its own, so that a caller who rejects one gets the
next. Nothing is computed before it is asked for.

1. *Structure* (`theory.certified.structure`): diagonal dominance; block triangular patterns, each block by this ladder.
2. *Balls* of 128 bits: the trace, A + Aᵀ ≻ 0 or a contraction, signatures from eigenvectors in floats, powers.
3. *Exactly*, where that is quick: the characteristic polynomial and Sturm's count of its roots, which decides ties.
4. *Balls* of up to 2048 bits: signatures from eigenvectors as precise, and powers of the matrix.
5. *Exactly*, where it takes less than about half a minute.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat

from theory.certified.balls import (
    floats,
    is_positive_definite,
    is_signature,
    logarithms,
    precise_eigenbasis,
    precision,
    unit,
)
from theory.certified.candidates import eigenbasis, lyapunov
from theory.certified.certificates import (
    Blocks,
    Contraction,
    Evidence,
    Power,
    Roots,
    Signature,
    Singular,
    Symmetric,
    Trace,
    side_of,
)
from theory.certified.pencils import Pencil, WindowPencil
from theory.certified.structure import balanced, components, disc_dominance, dominance
from theory.exact.blocks import block
from theory.exact.matrices import fraction
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle

SMALL = 2e6  # an exact count of less work (some 10 ms) comes before balls of high precision
LIMIT = 8e9  # and of more work (some 30 s) is not begun
PRECISIONS = (128, 256, 512, 1024, 2048)
LONG_POWERS = 3e9  # n³·bits·squarings, some 20 s

Step = tuple[Evidence, str]


def climb(subject: Pencil | WindowPencil) -> Iterator[Step]:
    """Proofs about a pencil of at least one eigenvalue, the cheap ones first."""
    if isinstance(subject, Pencil):
        yield from _by_structure(subject)
    quick = subject.work() <= SMALL
    for bits in PRECISIONS:
        if quick and bits > PRECISIONS[0]:
            break
        for evidence in _by_balls(subject, bits):
            yield evidence, f"balls of {bits} bits"
    if subject.work() <= LIMIT:
        yield exact_roots(subject.exact() if isinstance(subject, WindowPencil) else subject), "exact"
    elif isinstance(subject, WindowPencil) and subject.hot and subject.moment.det() == 0:
        yield Singular(), "exact"


def exact_roots(subject: Pencil) -> Roots:
    """The characteristic polynomial, and on which side its roots are."""
    p = characteristic_polynomial(subject.eigen())
    if subject.disc:
        _, on, beyond = unit_circle(p)
    else:
        beyond, on, _ = half_planes(p)
    return Roots(tuple(fraction(c) for c in p.coeffs()), 1 if beyond else 0 if on else -1)


def _by_structure(subject: Pencil) -> Iterator[Step]:
    plain = subject if subject.alpha is None else Pencil(True, subject.eigen())
    found = dominance(plain.N, plain.E, plain.disc)
    if found is not None:
        yield found, "structure"
    blocks = components(plain.N, plain.E)
    if len(blocks) > 1:
        evidence = _by_blocks(plain, blocks)
        if evidence is not None:
            yield evidence, "structure"


def _by_blocks(subject: Pencil, blocks: list[list[int]]) -> Blocks | None:
    """Evidence for all blocks, or for one that is beyond the boundary; a tie counts when no other is beyond."""
    parts: list[Any] = []
    for members in sorted(blocks, key=len):
        E = None if subject.E is None else block(subject.E, members)
        step = next(climb(Pencil(subject.disc, block(subject.N, members), E)), None)
        parts.append(None if step is None else step[0])
        if side_of(parts[-1]) == 1:
            break
    known = {tuple(b): p for b, p in zip(sorted(blocks, key=len), parts, strict=False)}
    sides = [side_of(p) for p in parts]
    if 1 in sides:
        known = {b: p for b, p in known.items() if side_of(p) == 1}
    elif None in sides and 0 not in sides:
        return None
    return Blocks(tuple(map(tuple, blocks)), tuple(known.get(tuple(b)) for b in blocks))


def _by_balls(subject: Pencil | WindowPencil, bits: int) -> Iterator[Evidence]:
    first = bits == PRECISIONS[0]
    with precision(bits):
        N, E = subject.in_balls()
        alpha = None if subject.step is None else arb(subject.step)
    trace = N.trace() if alpha is None else subject.size - alpha * N.trace()
    if first and subject.disc and E is None and abs(trace) > subject.size:
        yield Trace(1, (0,) * subject.size)
    if first and isinstance(subject, Pencil):
        with precision(bits):
            if subject.symmetric is not None:
                A = arb_mat(subject.symmetric)
                if is_positive_definite(A + A.transpose()):
                    yield Symmetric()
            elif subject.disc and is_positive_definite(_contraction(N, E, alpha)):
                yield Contraction()
    for guess in _guesses(first):
        with precision(bits):
            found = guess(N, E, subject.disc, alpha)
            if found is not None and not is_signature(N, E, subject.disc, found[0], found[1], found[2], alpha):
                found = None
        if found is not None:
            yield Signature(found[0], tuple(int(s) for s in found[1]))
    if isinstance(subject, WindowPencil):
        with precision(bits):
            dominant = disc_dominance(N, alpha)
        if dominant is not None:
            yield dominant
    with precision(bits):
        power = by_powers(subject, N, E, alpha, bits)
    if power is not None:
        yield power


def _guesses(first: bool) -> list[Any]:
    if not first:
        return [precise_eigenbasis]

    def in_floats(guess: Any) -> Any:
        def guessed(N: arb_mat, E: arb_mat | None, disc: bool, alpha: arb | None) -> Any:
            rounded = floats(N, E, disc, alpha)
            if rounded is None:
                return None
            with np.errstate(all="ignore"):
                return guess(rounded[0], rounded[1], disc, rounded[2])

        return guessed

    return [in_floats(eigenbasis), in_floats(lyapunov)]


def _contraction(N: arb_mat, E: arb_mat | None, alpha: arb | None) -> arb_mat:
    """[[E, Nᵀ], [N, E]], or N + Nᵀ − αNᵀN: ‖I − αN‖ < 1."""
    if alpha is not None:
        return N + N.transpose() - alpha * (N.transpose() * N)
    n = N.nrows()
    e: list[list[Any]] = unit(n).tolist() if E is None else E.tolist()
    above = [a + b for a, b in zip(e, N.transpose().tolist(), strict=True)]
    return arb_mat(above + [a + b for a, b in zip(N.tolist(), e, strict=True)])


def by_powers(
    subject: Pencil | WindowPencil, N: arb_mat, E: arb_mat | None, alpha: arb | None, bits: int
) -> Power | Trace | None:
    """‖Gᵐ‖ < 1 or |tr Gᵐ| > n for m = 2ᵏ, and the trace for 3·2ᵏ and 5·2ᵏ too, while the balls are small."""
    n, shift = subject.size, Fraction(0)
    try:
        if not subject.disc:
            sizes = [x for x in logarithms(N).ravel().tolist() if np.isfinite(x)]
            if not sizes:
                return None
            shift = Fraction(2) ** round(max(sizes))
            c = arb(shift.numerator) / shift.denominator * unit(n)
            G = (c + N).solve(c - N)
        else:
            G = N if E is None else E.solve(N)
            G = G if alpha is None else unit(n) - alpha * G
    except ZeroDivisionError:
        return None
    scale = (0,) * n if isinstance(subject, WindowPencil) else balanced(logarithms(G))
    G = arb_mat([[x * arb(2) ** (scale[i] - scale[j]) for j, x in enumerate(row)] for i, row in enumerate(G.tolist())])
    powers = [G]
    for k in range(min(bits // 2, int(LONG_POWERS / (float(n) ** 3 * bits)) + 8)):
        P = powers[-1]
        if not all(x.is_finite() for x in P.entries()):
            return None
        rows = P.tolist()
        if all(sum((abs(x) for x in row), arb(0)) < 1 for row in rows):
            return Power(2**k, scale, shift)
        for back in (0, 1, 2):  # m = 2ᵏ, 2ᵏ + 2ᵏ⁻¹, 2ᵏ + 2ᵏ⁻²
            if back < len(powers):
                trace = P.trace() if back == 0 else _trace_of_product(P, powers[-1 - back])
                if abs(trace) > n:
                    return Trace(2**k + (2 ** (k - back) if back else 0), scale, shift)
        if not any(x.mid() != 0 and x.rad() < abs(x.mid()) for x in P.entries()):
            return None  # nothing is known any more
        powers = [*powers[-2:], P * P]
    return None


def _trace_of_product(A: arb_mat, B: arb_mat) -> arb:
    rows, columns = A.tolist(), B.transpose().tolist()
    return sum((x * y for a, b in zip(rows, columns, strict=True) for x, y in zip(a, b, strict=True)), arb(0))
