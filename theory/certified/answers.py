r"""Answers with three values, and verdicts that carry them.

A question may stay *undecided*, and undecided is not no. So an `Answer` is YES, NO or UNDECIDED, has no truth value and
refuses to be compared with one: what treats "not proved" as "refuted" fails at once instead of printing a threshold
where certification gave up.

A certificate is the question, the answer, and evidence that a few lines of other code can check, as one document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from flint import fmpq

from theory.certified.proofs import Evidence
from theory.certified.questions import Question
from theory.certified.recheck import checker as recheck
from theory.problems import InvalidProblem

T = TypeVar("T")


class Answer(Enum):
    """Yes, no or undecided; not a truth value.

    >>> Answer.of(None), str(Answer.YES), Answer.NO == Answer.of(False)
    (undecided, 'yes', True)
    >>> Answer.YES == True
    Traceback (most recent call last):
    TypeError: an answer may be undecided: ask for .proved, .refuted or .undecided instead of comparing with True
    """

    YES = "yes"
    NO = "no"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, holds: bool | None) -> Answer:
        """The answer that JSON writes as true, false or null."""
        return cls.UNDECIDED if holds is None else cls.YES if holds else cls.NO

    @property
    def json(self) -> bool | None:
        """True, False or None, for documents; nothing should branch on it."""
        return None if self is Answer.UNDECIDED else self is Answer.YES

    def pick(self, yes: T, no: T, undecided: T) -> T:
        """The one of three that belongs to this answer."""
        return {Answer.YES: yes, Answer.NO: no, Answer.UNDECIDED: undecided}[self]

    def __invert__(self) -> Answer:
        """The answer to the opposite question."""
        return self.pick(Answer.NO, Answer.YES, Answer.UNDECIDED)

    def __bool__(self) -> bool:
        raise TypeError("an answer may be undecided: ask for .proved, .refuted or .undecided, not for its truth value")

    def __eq__(self, other: object) -> bool:
        if other is None or isinstance(other, bool | np.bool_):
            raise TypeError(
                f"an answer may be undecided: ask for .proved, .refuted or .undecided instead of comparing with {other}"
            )
        return self is other

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return str(self.value)

    __repr__ = __str__


YES, NO, UNDECIDED = Answer


@dataclass(frozen=True, eq=False)
class Verdict:
    """An answer and how we know it; it prints as a sentence. Exactly one of proved, refuted, undecided is true."""

    question: Question
    holds: Answer
    reason: str
    method: str
    evidence: Evidence | None = field(default=None, repr=False)
    rechecked: bool = False  # has the independent checker repeated the proof?

    def __post_init__(self) -> None:
        if not isinstance(self.holds, Answer):
            raise TypeError(f"an answer is Answer.YES, NO or UNDECIDED, got {self.holds!r}")
        if (self.evidence is None) is not self.undecided:
            raise TypeError("a verdict is decided exactly where it has evidence")

    @property
    def proved(self) -> bool:
        """Is the answer certainly yes?"""
        return self.holds is YES

    @property
    def refuted(self) -> bool:
        """Is the answer certainly no?"""
        return self.holds is NO

    @property
    def undecided(self) -> bool:
        """Is there no answer?"""
        return self.holds is UNDECIDED

    @property
    def decided(self) -> bool:
        """Is it proved or refuted?"""
        return self.holds is not UNDECIDED

    @cached_property
    def certificate(self) -> Certificate | None:
        """What `recheck` proves again; None where undecided."""
        if self.evidence is None:
            return None
        return certificate(self.question.kind, self.question.given(), self.proved, self.evidence)

    @property
    def certified(self) -> bool:
        """Is there a certificate?"""
        return self.decided

    @property
    def how(self) -> str:
        """By which arithmetic we know it, and whether independent code has repeated the proof."""
        return f"{self.method}, re-checked" if self.rechecked else self.method

    @property
    def is_tie(self) -> bool:
        """Is it proved that some eigenvalue is on the boundary itself, and none beyond it?"""
        return getattr(self.evidence, "side", None) == 0

    def __bool__(self) -> bool:
        raise TypeError("a verdict may be undecided: ask for .proved, .refuted or .undecided, not for its truth value")

    def __str__(self) -> str:
        return f"{self.question.sentence(self.holds.json)}: {self.reason}"

    def __repr__(self) -> str:
        return f"<Verdict: {self}>"


Json = dict[str, Any]


@dataclass(frozen=True)
class Certificate:
    """An answer with its proof, as plain data for JSON; `recheck` repeats the proof in independent code."""

    document: Json

    def recheck(self) -> bool:
        """Does the evidence prove what is said? Exact, and slower than finding it was."""
        return recheck.check(self.document)

    def to_dict(self) -> Json:
        """The document; exact numbers are text ``p/q``."""
        return self.document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Certificate:
        """The certificate of a document; whether it proves anything, `recheck` tells."""
        if not isinstance(document, Mapping) or not isinstance(document.get("question"), Mapping):
            raise InvalidProblem("is not a certificate", "certificate")
        return cls(dict(document))

    def __repr__(self) -> str:
        """In one line: the matrices are in `to_dict`."""
        about = ", ".join(f"holds={self.document[key]}" for key in ("holds",) if key in self.document)
        return f"<Certificate: {self.document['question'].get('kind')}{', ' + about if about else ''}>"


def certificate(kind: str, given: Mapping[str, Any], holds: bool, evidence: Evidence) -> Certificate:
    """Of an answer to a question of this kind about these numbers."""
    question = {"kind": kind, **{name: plain(value) for name, value in given.items()}}
    return Certificate({"question": question, "holds": holds, "evidence": plain_evidence(evidence)})


def plain_evidence(evidence: Evidence) -> Json:
    """Plain data, as in a certificate."""
    return {"kind": evidence.kind, **{f.name: plain(getattr(evidence, f.name)) for f in fields(evidence)}}


def plain(value: Any) -> Any:
    """Numbers as text, arrays as lists; integers, words and None as they are."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, fmpq):
        return str(value)
    # FLINT writes integers of any length; Python refuses beyond 4300 digits.
    exact = Fraction(value)
    return str(fmpq(exact.numerator, exact.denominator))
