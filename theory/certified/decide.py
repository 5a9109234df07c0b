r"""From a question to a verdict: cheap proofs first, exact root counts last.

1. *Floats*, microseconds: A + Aᵀ ≻ 0, or the chain contracts in the norm of X, or the eigenvectors give a
   signature; each with proved rounding bounds, one for the whole matrix (`theory.certified.doubles`), and where that is
   too coarse one for every entry (`theory.certified.bounded_pencils`), which windows have from the start.
2. *Balls* of 128 bits: the same and the trace, for the exact rationals, also for dependent features, extreme numbers
   and long windows; then signatures from eigenvectors computed with up to 2048 bits.
3. *Exactly*: the characteristic polynomial and Sturm's count of its roots, which also decides ties. Small pencils come
   here right after the first balls.

Where the exact count would take minutes and no balls decided, the verdict is *undecided*, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq_poly

from theory.certified.answers import UNDECIDED, Answer, Verdict
from theory.certified.balls import floats, is_positive_definite, is_signature, precise_eigenbasis, precision
from theory.certified.bounded_pencils import bounded_pencil, prove
from theory.certified.candidates import eigenbasis, lyapunov
from theory.certified.certificates import (
    Contraction,
    Evidence,
    Question,
    Roots,
    Signature,
    Singular,
    Symmetric,
    Trace,
    Vacuous,
)
from theory.certified.doubles import FloatPencil, is_contraction, is_symmetric_definite, proved_signature
from theory.certified.pencils import Pencil, WindowPencil, pencil
from theory.exact.matrices import fraction
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle

SMALL = 2e6  # an exact count of less work (some 10 ms) comes before balls of high precision
LIMIT = 8e9  # and of more work (some 30 s) is not begun
PRECISIONS = (128, 256, 512, 1024, 2048)


def decide(question: Question, fast: FloatPencil | None = None) -> Verdict:
    """The verdict on a question about eigenvalues; `fast` is its pencil in floats, where there is one."""
    if fast is not None:
        verdict = _by_floats(question, fast)
        if verdict is not None:
            return verdict
    evidence = _by_bounds(question)
    if evidence is not None:
        return _from(question, evidence, "floats")
    subject = pencil(question)
    if subject.size == 0:
        return _verdict(question, True, Vacuous(), "every feature is zero: no eigenvalues, nothing to learn", "exact")
    for bits in PRECISIONS:
        if bits > PRECISIONS[0] and subject.work() <= SMALL:
            break
        with precision(bits):
            evidence = _by_balls(subject, bits == PRECISIONS[0])
        if evidence is not None:
            return _from(question, evidence, f"balls of {bits} bits")
    if subject.work() > LIMIT:
        if isinstance(subject, WindowPencil) and subject.hot and subject.moment.det() == 0:
            reason = "det A = 0, so G_T has an eigenvalue at +1 for every T: a tie, if no other is beyond"
            return _verdict(question, False, Singular(), reason, "exact")
        return Verdict(question, UNDECIDED, _too_long(question, subject), "undecided")
    return _exactly(question, subject.exact() if isinstance(subject, WindowPencil) else subject)


def _by_floats(question: Question, fast: FloatPencil) -> Verdict | None:
    disc = question.kind != "td"
    evidence: Evidence
    if is_contraction(fast) if disc else is_symmetric_definite(fast):
        evidence = _CONTRACTION if disc else _SYMMETRIC
        return _verdict(question, True, evidence, _words(question, evidence), "floats")
    found = proved_signature(fast, disc)
    if found is None:
        return None
    evidence = Signature(found.K, tuple(int(s) for s in found.signs))
    return _verdict(question, min(evidence.signs) > 0, evidence, _words(question, evidence), "floats")


def _by_bounds(question: Question) -> Evidence | None:
    bounded = bounded_pencil(question)
    return None if bounded is None else prove(bounded)


def _by_balls(subject: Pencil | WindowPencil, first: bool) -> Evidence | None:
    N, E = subject.in_balls()
    alpha = None if subject.step is None else arb(subject.step)
    if first:
        trace = N.trace() if alpha is None else subject.size - alpha * N.trace()
        if subject.disc and E is None and abs(trace) > subject.size:
            return Trace()
        if isinstance(subject, Pencil):
            if subject.symmetric is not None:
                A = arb_mat(subject.symmetric)
                if is_positive_definite(A + A.transpose()):
                    return _SYMMETRIC
            elif is_positive_definite(_contraction(N, E, alpha)):
                return _CONTRACTION
    for K, signs, W in _candidates(N, E, subject.disc, alpha, first):
        if is_signature(N, E, subject.disc, K, signs, W, alpha):
            return Signature(K, tuple(int(s) for s in signs))
    return None


def _candidates(
    N: arb_mat, E: arb_mat | None, disc: bool, alpha: arb | None, first: bool
) -> Iterator[tuple[Any, Any, Any]]:
    rounded = floats(N, E, disc, alpha) if first else None
    if rounded is not None:
        for guess in (eigenbasis, lyapunov):
            with np.errstate(all="ignore"):
                found = guess(rounded[0], rounded[1], disc, rounded[2])
            if found is not None:
                yield found
    if not first:
        precise = precise_eigenbasis(N, E, disc, alpha)
        if precise is not None:
            yield precise


def _contraction(N: arb_mat, E: arb_mat | None, alpha: arb | None) -> arb_mat:
    """[[E, Nᵀ], [N, E]], or N + Nᵀ − αNᵀN: ‖I − αN‖ < 1."""
    if alpha is not None:
        return N + N.transpose() - alpha * (N.transpose() * N)
    n = N.nrows()
    e: list[list[Any]] = [[int(i == j) for j in range(n)] for i in range(n)] if E is None else E.tolist()
    above = [a + b for a, b in zip(e, N.transpose().tolist(), strict=True)]
    return arb_mat(above + [a + b for a, b in zip(N.tolist(), e, strict=True)])


def _exactly(question: Question, subject: Pencil) -> Verdict:
    p = characteristic_polynomial(subject.eigen())
    if subject.disc:
        _, on, beyond = unit_circle(p)
    else:
        beyond, on, _ = half_planes(p)
    side = 1 if beyond else 0 if on else -1
    n, law = subject.size, "Schur–Cohn" if subject.disc else "Routh–Hurwitz"
    if side < 0:
        reason = f"{law}: {_subject(question)}"
    elif side > 0:
        where = "|λ| > 1" if subject.disc else "Re λ < 0"
        reason = f"{law}: {beyond} of {n} eigenvalue{'s' * (n > 1)} with {where}"
    else:
        reason = f"tie: {_tie(p, subject.disc)}"
    evidence = Roots(tuple(fraction(c) for c in p.coeffs()), side)
    return _verdict(question, side < 0, evidence, reason, "exact")


def _tie(p: fmpq_poly, disc: bool) -> str:
    if disc:
        places = [f"at {x:+d}".replace("-", "−") for x in (1, -1) if p(x) == 0]
        return f"ρ = 1 exactly, an eigenvalue {' and '.join(places) or 'pair on the unit circle'}"
    place = "0 (det A = 0)" if p(0) == 0 else "an imaginary pair"
    return f"the smallest Re λ is 0 exactly, at {place}"


def _words(question: Question, evidence: Evidence) -> str:
    """One line: what was proved and by which number."""
    if isinstance(evidence, Symmetric):
        return "A + Aᵀ ≻ 0 (Lyapunov), so all Re λ(A) > 0"
    if isinstance(evidence, Contraction):
        return _CONTRACTS[question.kind]
    if isinstance(evidence, Trace):
        return f"|trace| exceeds the number of eigenvalues, which rules out {_subject(question)}"
    assert isinstance(evidence, Signature)
    wrong, n = evidence.signs.count(-1), len(evidence.signs)
    law = "Lyapunov" if question.kind == "td" else "Stein"
    if wrong == 0:
        return f"{_subject(question)}, by a {law} matrix Q ≻ 0"
    where = "Re λ < 0" if question.kind == "td" else "|λ| > 1"
    return f"{wrong} of {n} eigenvalue{'s' * (n > 1)} with {where}, by the signature of a {law} matrix"


_SYMMETRIC, _CONTRACTION = Symmetric(), Contraction()
_SUBJECTS = {
    "td": "all Re λ(A) > 0",
    "chain": "ρ(γΠP) < 1",
    "window": "ρ(G_T) < 1",
    "step": "ρ(I − αM) < 1",
    "matrix": "ρ(I − αM) < 1",
}
_CONTRACTS = {
    "chain": "X − γ²YᵀX⁻¹Y ≻ 0, so ρ(γΠP) < 1 (contraction in the norm of D)",
    "step": "‖I − αM‖₂ < 1",
    "matrix": "‖I − αM‖₂ < 1",
}


def _subject(question: Question) -> str:
    return _SUBJECTS[question.kind]


def _too_long(question: Question, subject: Pencil | WindowPencil) -> str:
    cost = f"take about {subject.work() * 4e-9:.0f} s" if isfinite(subject.work()) else "have too many digits"
    return (
        f"undecided: {PRECISIONS[-1]}-bit balls cannot tell whether {_subject(question)}, "
        f"and the exact count of {subject.size} root{'s' * (subject.size > 1)} would {cost}"
    )


def _from(question: Question, evidence: Evidence, method: str) -> Verdict:
    holds = not isinstance(evidence, Trace) and min(getattr(evidence, "signs", (1,))) > 0
    return _verdict(question, holds, evidence, _words(question, evidence), method)


def _verdict(question: Question, holds: bool, evidence: Evidence, reason: str, method: str) -> Verdict:
    return Verdict(question, Answer.of(holds), reason, method, evidence)
