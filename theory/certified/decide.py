r"""From a question to a verdict: the first proof that the ladder finds (`theory.certified.ladder`), in words.

Where the exact count would take minutes and nothing else decided, the verdict is *undecided*, with the reason.

With `confirm`, each proof is repeated by the independent checker before it counts; a proof that fails there is none,
and the next one is looked for. So it is where the checker would take more than seconds over a power, since other
evidence may be shorter; if none is, the first proof stands, and is not called re-checked.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np
from flint import fmpq_poly

from theory.certified.answers import UNDECIDED, Answer, Verdict
from theory.certified.doubles import FloatPencil
from theory.certified.evidence import (
    Blocks,
    Complete,
    Contraction,
    Dominance,
    Evidence,
    Power,
    Roots,
    Signature,
    Singular,
    Symmetric,
    Trace,
    Vacuous,
    side_of,
)
from theory.certified.ladder import PRECISIONS, climb
from theory.certified.pencils import ExactPencil, WindowPencil
from theory.certified.questions import Question, StepAdmissible, WindowStable, Within
from theory.exact.matrices import entry_length, rational
from theory.exact.polynomials import half_planes, unit_circle

AFFORDABLE = 6.0  # seconds, about, of a re-check before a verdict is printed
OTHERS = 2  # proofs looked for where the first is too long to re-check


def decide(question: Question, fast: FloatPencil | None = None, confirm: bool = False) -> Verdict:
    """The verdict on a question about eigenvalues; `fast` is its pencil in floats, where there is one."""
    failed, long = 0, []
    for evidence, method in climb(question, fast):
        verdict = _verdict(question, evidence, method)
        if confirm and recheck_seconds(question, evidence) > AFFORDABLE:
            long.append(verdict)
            if len(long) > OTHERS or not isinstance(evidence, Power | Trace):
                break
            continue
        verdict = confirmed(verdict) if confirm else verdict
        if verdict.decided:
            return verdict
        failed += 1
    if long:
        return long[0]
    reason = f"undecided: {failed} proofs failed their re-check"
    if not failed:
        reason = _too_wide(question) if isinstance(question, Within) else _too_long(question, question.pencil())
    return Verdict(question, UNDECIDED, reason, "undecided")


def confirmed(verdict: Verdict) -> Verdict:
    """The same, its proof repeated by the independent checker where that takes seconds; undecided if it fails there."""
    if verdict.certificate is None or recheck_seconds(verdict.question, verdict.certificate.evidence) > AFFORDABLE:
        return verdict
    if verdict.certificate.recheck():
        return replace(verdict, rechecked=True)
    return Verdict(verdict.question, UNDECIDED, "undecided: the proof failed its re-check", "undecided")


def recheck_seconds(question: Question, evidence: Evidence) -> float:
    """About how long the checker takes: it multiplies long integers in Python, and reads S² fractions first.

    These count for more than their time: beyond some 700 states they would be most of the memory of an inspection.
    """
    S, F = question.shape
    joint = isinstance(question, StepAdmissible) and question.which == "joint"
    n = 2 * F if joint or isinstance(evidence, Contraction) else F
    products = 2.0 * S * S * (F + 20) + 2 * S * F * F + 12 * n**3
    if isinstance(evidence, Roots):
        products += n**4
    if isinstance(evidence, Power | Trace):
        products += 2 * n**3 * evidence.power.bit_length() + _elimination(question)
    if isinstance(question, WindowStable):
        products += 4 * n**3 * question.window.bit_length()
    return products * 3e-7


def _elimination(question: Question) -> float:
    """What (cI + N)⁻¹(cI − N) or E⁻¹N costs in integers, which grow to the length of a determinant.

    The checker does not cancel what numerators and the common denominator share: some four times as long.
    """
    subject = question.pencil()
    if isinstance(subject, WindowPencil) or subject.alpha is not None:
        return 0.0
    n, words = subject.size, entry_length(subject.N) * subject.size / 16
    return n**3 * (1 + 0.006 * words**1.585)


def _verdict(question: Question, evidence: Evidence, method: str) -> Verdict:
    holds = {-1: True, 0: False, 1: False, None: False}[side_of(evidence)]
    return Verdict(question, Answer.of(holds), _words(question, evidence), method, evidence)


def _tie(p: fmpq_poly, letter: str | None) -> str:
    if letter is None:
        places = [f"at {x:+d}".replace("-", "−") for x in (1, -1) if p(x) == 0]
        return f"ρ = 1 exactly, an eigenvalue {' and '.join(places) or 'pair on the unit circle'}"
    place = f"0 (det {letter} = 0)" if p(0) == 0 else "an imaginary pair"
    return f"the smallest Re λ is 0 exactly, at {place}"


def _words(question: Question, evidence: Evidence) -> str:
    """One line: what was proved and by which number."""
    subject, letter = question.claim, question.half_plane
    half_plane = letter is not None
    beyond, law = ("Re λ < 0", "Lyapunov") if half_plane else ("|λ| > 1", "Stein")
    match evidence:
        case Vacuous():
            return "every feature is zero: no eigenvalues, nothing to learn"
        case Symmetric():
            return f"{letter} + {letter}ᵀ ≻ 0 (Lyapunov), so {subject}"
        case Contraction():
            return question.contraction
        case Complete():
            return "Φ has full row rank, so ΠP = P and ρ(γΠP) = γρ(P) < 1"
        case Dominance():
            return f"diagonally dominant rows, so {subject} (Gershgorin)"
        case Power():
            return f"‖Gᵐ‖ < 1 for m = 2^{evidence.power.bit_length() - 1}{_CAYLEY * half_plane}, so {subject}"
        case Trace():
            what = "|trace|" if evidence.power == 1 else f"|tr Gᵐ|, m = {evidence.power},"
            return f"{what} exceeds the number of eigenvalues{_CAYLEY * half_plane}, which rules out {subject}"
        case Singular():
            return "det A = 0, so G_T has an eigenvalue at +1 for every T: a tie, if no other is beyond"
        case Signature():
            wrong, n = evidence.signs.count(-1), len(evidence.signs)
            if wrong == 0:
                return f"{subject}, by a {law} matrix Q ≻ 0"
            return f"{wrong} of {n} eigenvalue{'s' * (n > 1)} with {beyond}, by the signature of a {law} matrix"
        case Roots():
            return _counted(question, evidence)
        case Blocks():
            return _of_blocks(question, evidence)
    raise TypeError(f"no words for {evidence!r}")


def _of_blocks(question: Question, evidence: Blocks) -> str:
    n, parts = len(evidence.blocks), [p for p in evidence.parts if p is not None]
    sides = [side_of(p) for p in parts]
    where = f"block triangular with {n} blocks"
    if max(s for s in sides if s is not None) < 0:
        return f"{where}, each within: {question.claim}"
    if evidence.side is None:
        return f"{where}, and an eigenvalue of one of them is on the boundary"
    worst = parts[sides.index(evidence.side)]
    return f"{_words(question, worst)}, in one of {n} diagonal blocks"


def _counted(question: Question, evidence: Roots) -> str:
    p, disc = fmpq_poly([rational(c) for c in evidence.polynomial]), question.half_plane is None
    if evidence.side == 0:
        return f"tie: {_tie(p, question.half_plane)}"
    law = "Schur–Cohn" if disc else "Routh–Hurwitz"
    if evidence.side < 0:
        return f"{law}: {question.claim}"
    n = len(evidence.polynomial) - 1
    beyond = unit_circle(p).outside if disc else half_planes(p).left
    return f"{law}: {beyond} of {n} eigenvalue{'s' * (n > 1)} with {'|λ| > 1' if disc else 'Re λ < 0'}"


_CAYLEY = ", G = (cI + A)⁻¹(cI − A)"


def _too_wide(question: Within) -> str:
    size, width = float(np.abs(question.M).max(initial=0.0)), float(question.radius.max(initial=0.0))
    return (
        f"undecided: entries of up to {size:.2g} are known to {width:.1g}, which does not tell whether {question.claim}"
    )


def _too_long(question: Question, subject: ExactPencil | WindowPencil) -> str:
    cost = f"take about {subject.work() * 4e-9:.0f} s" if isfinite(subject.work()) else "have too many digits"
    return (
        f"undecided: {PRECISIONS[-1]}-bit balls cannot tell whether {question.claim}, "
        f"and the exact count of {subject.size} root{'s' * (subject.size > 1)} would {cost}"
    )
