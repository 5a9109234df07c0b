r"""From a question to evidence: one ladder, cheap proofs before expensive ones, whatever the arithmetic.

`climb` yields (evidence, method) one after another, each a proof of its own, so that a caller who rejects one gets the
next. Nothing is computed before it is asked for. A rung is a pencil in some arithmetic with the proofs that hold there:

1. *Doubles with one bound* for all entries, microseconds (`theory.certified.doubles`): A + Aᵀ ≻ 0, or the chain
   contracts in the norm of X, or the eigenvectors give a signature.
2. *Structure* (`theory.certified.structure`): features that distinguish all states settle the chain at once.
3. *Doubles with a bound on every entry*: the same three forms, by `theory.certified.proofs`.
4. *Structure* of the exact pencil: diagonal dominance; block triangular patterns, each block from here on.
5. *Balls* of 128 bits: the trace, the three forms by `theory.certified.proofs`, of windows dominance, powers.
6. *Exactly*, where that is quick: the characteristic polynomial and Sturm's count of its roots, which decides ties.
7. *Balls* of up to 2048 bits: signatures from eigenvectors as precise, and powers of the matrix.
8. *Exactly*, where it takes less than about half a minute.

The forms of rungs 3, 5 and 7 are written once, over any arithmetic that encloses. Rung 1 has its own: norm bounds known
in advance are what makes it cost two eigenvalue calls. Powers and the trace are for balls alone, where what a squaring
loses is bought back by bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat

from theory.certified.balls import LARGEST as LARGEST_IN_BALLS
from theory.certified.balls import Balls, as_balls, as_bounded, logarithms, unit
from theory.certified.bounded import Doubles
from theory.certified.doubles import FloatPencil, by_norms
from theory.certified.evidence import Blocks, Evidence, Power, Roots, Singular, Trace, Vacuous, side_of
from theory.certified.pencils import ExactPencil, Pencil, WindowPencil
from theory.certified.proofs import proofs
from theory.certified.questions import Question, Within
from theory.certified.structure import balanced, complete, components, disc_dominance, dominance
from theory.exact.blocks import block
from theory.exact.matrices import fraction
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle

SMALL = 2e6  # an exact count of less work (some 10 ms) comes before balls of high precision
LIMIT = 8e9  # and of more work (some 30 s) is not begun
PRECISIONS = (128, 256, 512, 1024, 2048)
MANY = 80  # features beyond which doubles are asked again about what balls have formed
LONG_POWERS = 3e9  # n³·bits·squarings, some 20 s

Step = tuple[Evidence, str]


def climb(question: Question, fast: FloatPencil | None = None) -> Iterator[Step]:
    """Proofs of the answer, the cheap ones first; `fast` is the question's pencil in floats, where there is one."""
    if fast is not None:
        yield from ((evidence, "floats") for evidence in by_norms(fast, question.half_plane is None))
    if isinstance(question, Within):
        yield from _within(question)
        return
    settled = complete(question)
    if settled is not None:
        yield settled, "structure"
    bounded = question.bounded()
    if bounded is not None:
        yield from ((evidence, "floats") for evidence in proofs(bounded, Doubles()))
    subject = question.pencil()
    if subject.size == 0:
        yield Vacuous(), "exact"
    else:
        yield from climb_pencil(subject)


def climb_pencil(subject: ExactPencil | WindowPencil) -> Iterator[Step]:
    """Proofs about a pencil of at least one eigenvalue."""
    if isinstance(subject, ExactPencil):
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


def _within(question: Within) -> Iterator[Step]:
    """Proofs about all matrices within bounds: in doubles, then in balls with those bounds for radii."""
    pencil = question.bounded()
    if question.shape[0] == 0:
        yield Vacuous(), "exact"
        return
    yield from ((evidence, "floats with bounds") for evidence in proofs(pencil, Doubles()))
    if question.shape[0] > LARGEST_IN_BALLS:
        return
    for bits in PRECISIONS[:2]:
        arithmetic = Balls(bits)
        with arithmetic.working():
            N, E = as_balls(pencil.N), None if pencil.E is None else as_balls(pencil.E)
        in_balls = Pencil(pencil.disc, N, E, None if pencil.disc else N)
        yield from ((evidence, f"balls of {bits} bits") for evidence in proofs(in_balls, arithmetic, simple=False))


def exact_roots(subject: ExactPencil) -> Roots:
    """The characteristic polynomial, and on which side its roots are."""
    p = characteristic_polynomial(subject.eigen())
    if subject.disc:
        _, on, beyond = unit_circle(p)
    else:
        beyond, on, _ = half_planes(p)
    return Roots(tuple(fraction(c) for c in p.coeffs()), 1 if beyond else 0 if on else -1)


def _by_structure(subject: ExactPencil) -> Iterator[Step]:
    plain = subject if subject.alpha is None else ExactPencil(True, subject.eigen())
    found = dominance(plain.N, plain.E, plain.disc)
    if found is not None:
        yield found, "structure"
    blocks = components(plain.N, plain.E)
    if len(blocks) > 1:
        evidence = _by_blocks(plain, blocks)
        if evidence is not None:
            yield evidence, "structure"


def _by_blocks(subject: ExactPencil, blocks: list[list[int]]) -> Blocks | None:
    """Evidence for all blocks, or for one that is beyond the boundary; a tie counts when no other is beyond."""
    parts: list[Any] = []
    for members in sorted(blocks, key=len):
        E = None if subject.E is None else block(subject.E, members)
        step = next(climb_pencil(ExactPencil(subject.disc, block(subject.N, members), E)), None)
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


def _by_balls(subject: ExactPencil | WindowPencil, bits: int) -> Iterator[Evidence]:
    first, n = bits == PRECISIONS[0], subject.size
    arithmetic = Balls(bits, precise=not first)
    with arithmetic.working():
        pencil = subject.in_balls()
        trace = pencil.N.trace() if pencil.alpha is None else n - pencil.alpha * pencil.N.trace()
        beyond = first and pencil.disc and pencil.E is None and abs(trace) > n
    if beyond:
        yield Trace(1, (0,) * n)
    if n > MANY and pencil.E is None:  # doubles prove much faster, and what balls have formed is sharp enough for them
        with arithmetic.working():
            alpha = None if pencil.alpha is None else float(pencil.alpha.mid())
            rounded = Pencil(pencil.disc, as_bounded(pencil.N), alpha=alpha, contracts=False)
        yield from proofs(rounded, Doubles(), simple=False)
    yield from proofs(pencil, arithmetic, simple=first)
    if isinstance(subject, WindowPencil):
        with arithmetic.working():
            dominant = disc_dominance(pencil.N, pencil.alpha)
        if dominant is not None:
            yield dominant
    with arithmetic.working():
        power = by_powers(pencil, bits, balance=not isinstance(subject, WindowPencil))
    if power is not None:
        yield power


def by_powers(pencil: Pencil[arb_mat], bits: int, balance: bool = True) -> Power | Trace | None:
    """‖Gᵐ‖ < 1 or |tr Gᵐ| > n for m = 2ᵏ, and the trace for 3·2ᵏ and 5·2ᵏ too, while the balls are small."""
    N, E, alpha = pencil.N, pencil.E, pencil.alpha
    n, shift = N.nrows(), Fraction(0)
    try:
        if not pencil.disc:
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
    scale = balanced(logarithms(G)) if balance else (0,) * n
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
