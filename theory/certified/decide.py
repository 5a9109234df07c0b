r"""From a question to a verdict: the first proof found, in words. Three strategies, cheap ones first:

1. *Floats* with a bound on what rounding may have done (`theory.model.balls`): microseconds.
2. *Exactly*: the characteristic polynomial and Sturm's count of its roots, which alone decides ties. At once where it
   takes milliseconds, last where it takes up to half a minute.
3. *Balls* of 128 to 2048 bits (`theory.certified.proofs`): signatures from eigenvectors as precise.

Of matrices that are known within bounds (`theory.certified.questions.Enclosed`) it is the bounds that decide, in
doubles and then in balls. Features that distinguish all states settle the chain by themselves.

Where the exact count would take minutes and nothing else decided, the verdict is *undecided*, with the reason.

With `confirm`, each proof is repeated by the independent checker before it counts; a proof that fails there is none,
and the next one is looked for. Where the checker would take more than seconds, the proof stands and is not called
re-checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import isfinite

import numpy as np
from flint import fmpq, fmpq_poly

from theory.budgets import BALL_ROWS, BALLS, COUNT_FIRST, RECHECK, ROOTS, VERDICT_BITS
from theory.certified.answers import UNDECIDED, Answer, Verdict, certificate
from theory.certified.proofs import (
    Complete,
    Dominance,
    Evidence,
    ExactPencil,
    Pencil,
    Roots,
    Signature,
    Vacuous,
    WindowPencil,
    proofs,
    side_of,
)
from theory.certified.questions import ChainUnbiased, Question, WindowStable
from theory.exact.matrices import fraction, identity, matrix, rational
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle
from theory.model.balls import Bounded, as_balls, precision
from theory.problems.numbers import check_arithmetic

DISAGREE = "undecided: two enclosures of the moments do not meet"


def decide(question: Question, confirm: bool = False) -> Verdict:
    """The verdict on a question about eigenvalues."""
    check_arithmetic()
    failed = 0
    for evidence, method in strategies(question):
        holds = Answer.of(side_of(evidence) < 0)
        verdict = Verdict(question, holds, _words(question, evidence), method, evidence)
        verdict = confirmed(verdict) if confirm else verdict
        if verdict.decided:
            return verdict
        failed += 1
    reason = f"undecided: {failed} proofs failed their re-check" if failed else _too_hard(question)
    return Verdict(question, UNDECIDED, reason, "undecided")


def strategies(question: Question) -> Iterator[tuple[Evidence, str]]:
    """Proofs of the answer and how they were found, one after the other; nothing is computed before it is asked for."""
    fast = question.float_pencil()
    if fast is not None:
        yield from ((evidence, "floats") for evidence in proofs(fast))
    if isinstance(question, ChainUnbiased) and _is_complete(question):
        yield Complete(), "structure"
    subject = question.pencil()
    if question.shape[1] == 0 or (isinstance(subject, ExactPencil | WindowPencil) and subject.size == 0):
        yield Vacuous(), "exact"
    elif isinstance(subject, ExactPencil | WindowPencil):
        w = question.weights() if subject.work() / subject.size**2 <= ROOTS else None
        if w is not None and _is_dominant(subject.exact(), w):
            yield Dominance(np.array([fraction(x) for x in w], dtype=object)), "structure"
        yield from _of_exact(subject)
    else:
        yield from _of_bounds(subject)


def confirmed(verdict: Verdict) -> Verdict:
    """The same, its proof repeated by the independent checker where that takes seconds; undecided if it fails there."""
    if verdict.evidence is None or _recheck_seconds(verdict.question, verdict.evidence) > RECHECK:
        return verdict
    question = verdict.question.again()
    if question is None:
        return Verdict(verdict.question, UNDECIDED, DISAGREE, "undecided")
    if certificate(question.kind, question.given(), verdict.proved, verdict.evidence).recheck():
        return replace(verdict, rechecked=True)
    return Verdict(verdict.question, UNDECIDED, "undecided: the proof failed its re-check", "undecided")


def _is_complete(question: ChainUnbiased) -> bool:
    """Do the features of a chain distinguish all states, and does γP contract?"""
    g = question.problem.given
    if g.Phi.shape[0] > g.Phi.shape[1]:
        return False
    norm = max(sum(map(Fraction, row)) for row in g.P_pi.tolist())
    return bool(Fraction(g.gamma) * norm < 1) and matrix(g.Phi).rank() == len(g.Phi)


def _is_dominant(p: ExactPencil, w: list[fmpq]) -> bool:
    """Are the rows diagonally dominant with these weights?"""
    N, E = p.N.tolist(), (identity(p.size) if p.E is None else p.E).tolist()
    for i in range(p.size):
        row = [abs(x) + abs(y) for x, y in zip(N[i], E[i], strict=True)] if p.disc else [abs(x) for x in N[i]]
        if not 2 * (E if p.disc else N)[i][i] * w[i] > sum((x * y for x, y in zip(row, w, strict=True)), fmpq(0)):
            return False
    return True


def _of_exact(subject: ExactPencil | WindowPencil) -> Iterator[tuple[Evidence, str]]:
    if quick := subject.work() <= COUNT_FIRST:
        yield exact_roots(subject.exact()), "exact"
    for bits in VERDICT_BITS:
        first = bits == VERDICT_BITS[0]
        if not first and float(subject.size) ** 3 * bits > BALLS:
            break
        with precision(bits):
            pencil = subject.in_balls()
        for evidence in proofs(pencil, bits, simple=first, precise=not first):
            yield evidence, f"balls of {bits} bits"
    if not quick and subject.work() <= ROOTS:
        yield exact_roots(subject.exact()), "exact"


def _of_bounds(pencil: Pencil[Bounded]) -> Iterator[tuple[Evidence, str]]:
    """In doubles, then in balls with the bounds for radii."""
    yield from ((evidence, "floats with bounds") for evidence in proofs(pencil))
    for bits in VERDICT_BITS[:2] if len(pencil.N.mid) <= BALL_ROWS else ():
        with precision(bits):
            N, E = as_balls(pencil.N), None if pencil.E is None else as_balls(pencil.E)
        in_balls = Pencil(pencil.disc, N, E, None if pencil.disc else N)
        yield from (
            (evidence, f"balls of {bits} bits") for evidence in proofs(in_balls, bits, simple=False, precise=True)
        )


def exact_roots(subject: ExactPencil) -> Roots:
    """The characteristic polynomial, and on which side its roots are."""
    p = characteristic_polynomial(subject.eigen())
    if subject.disc:
        _, on, beyond = unit_circle(p)
    else:
        beyond, on, _ = half_planes(p)
    return Roots(tuple(fraction(c) for c in p.coeffs()), 1 if beyond else 0 if on else -1)


def _recheck_seconds(question: Question, evidence: Evidence) -> float:
    """About how long the checker takes: it multiplies long integers in Python, and reads S² fractions first.

    These count for more than their time: beyond some 700 states they would be most of the memory of an inspection.
    """
    S, F = question.shape
    n = 2 * F if isinstance(evidence, Signature) and evidence.K is None else F
    products = 2.0 * S * S * (F + 20) + 2 * S * F * F + 12 * n**3
    if isinstance(evidence, Roots):
        products += n**4
    if isinstance(question, WindowStable):
        products += 4 * n**3 * question.window.bit_length()
        if isinstance(evidence, Roots):
            products += n**4 * question.window
    return products * 3e-7


def _words(question: Question, evidence: Evidence) -> str:
    """One line: what was proved and by which number."""
    subject, letter = question.claim, question.half_plane
    beyond, law = ("Re λ < 0", "Lyapunov") if letter is not None else ("|λ| > 1", "Stein")
    match evidence:
        case Vacuous():
            return "every feature is zero: no eigenvalues, nothing to learn"
        case Dominance():
            return f"in every row the diagonal outweighs the rest (no two features share a state), so {subject}"
        case Complete():
            return "Φ has full row rank, so ΠP = P and ρ(γΠP) = γρ(P) < 1"
        case Signature(None, _):
            return question.contraction if letter is None else f"{letter} + {letter}ᵀ ≻ 0 (Lyapunov), so {subject}"
        case Signature():
            wrong, n = evidence.signs.count(-1), len(evidence.signs)
            if wrong == 0:
                return f"{subject}, by a {law} matrix Q ≻ 0"
            return f"{wrong} of {n} eigenvalue{'s' * (n > 1)} with {beyond}, by the signature of a {law} matrix"
        case Roots():
            return _counted(question, evidence)
    raise TypeError(f"no words for {evidence!r}")


def _counted(question: Question, evidence: Roots) -> str:
    p, letter = fmpq_poly([rational(c) for c in evidence.polynomial]), question.half_plane
    if evidence.side == 0 and letter is None:
        places = [f"at {x:+d}".replace("-", "−") for x in (1, -1) if p(x) == 0]
        return f"tie: ρ = 1 exactly, an eigenvalue {' and '.join(places) or 'pair on the unit circle'}"
    if evidence.side == 0:
        place = f"0 (det {letter} = 0)" if p(0) == 0 else "an imaginary pair"
        return f"tie: the smallest Re λ is 0 exactly, at {place}"
    law = "Schur–Cohn" if letter is None else "Routh–Hurwitz"
    if evidence.side < 0:
        return f"{law}: {question.claim}"
    n = len(evidence.polynomial) - 1
    beyond = unit_circle(p).outside if letter is None else half_planes(p).left
    return f"{law}: {beyond} of {n} eigenvalue{'s' * (n > 1)} with {'|λ| > 1' if letter is None else 'Re λ < 0'}"


def _too_hard(question: Question) -> str:
    subject = question.pencil()
    if isinstance(subject, ExactPencil | WindowPencil):
        cost = f"take about {subject.work() * 4e-9:.0f} s" if isfinite(subject.work()) else "have too many digits"
        return (
            f"undecided: balls cannot tell whether {question.claim}, "
            f"and the exact count of {subject.size} root{'s' * (subject.size > 1)} would {cost}"
        )
    size, width = float(np.abs(subject.N.mid).max(initial=0.0)), float(subject.N.rad.max(initial=0.0))
    return (
        f"undecided: entries of up to {size:.2g} are known to {width:.1g}, which does not tell whether {question.claim}"
    )
