r"""Answers with three values, verdicts that carry them, and brackets between two opposite ones.

A question may stay *undecided*, and undecided is not no. So an `Answer` is YES, NO or UNDECIDED, has no truth value and
refuses to be compared with one: what treats "not proved" as "refuted" fails at once instead of printing a threshold
where certification gave up.

A `Bracket` says between which two values of a parameter the answer changes. It exists only where one end is proved and
the other refuted, about the same question otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np

from theory.certified.certificates import Certificate
from theory.certified.evidence import Evidence
from theory.certified.questions import Question
from theory.problems.mdp import same_numbers

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
        return None if self.evidence is None else Certificate(self.question, self.proved, self.evidence)

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
        return f"<Verdict: {self.question.kind} {self.holds}, by {self.method}>"


@dataclass(frozen=True)
class Bracket:
    """Between `low` and `high` the answer changes: proved at one end, refuted at the other, with a certificate each.

    `parameter` is the one number in which the two questions differ: gamma, alpha or window.
    """

    below: Verdict
    above: Verdict
    parameter: str = field(init=False)
    low: Fraction = field(init=False)
    high: Fraction = field(init=False)

    def __post_init__(self) -> None:
        if {self.below.holds, self.above.holds} != {YES, NO}:
            raise TypeError(f"a bracket takes one proved and one refuted end, got {self.below!r} and {self.above!r}")
        parameter = _difference(self.below.question, self.above.question)
        ends = tuple(Fraction(getattr(v.question, parameter)) for v in (self.below, self.above))
        if ends[0] >= ends[1]:
            raise TypeError(f"the ends of a bracket are in order, got {parameter} = {ends[0]} below {ends[1]}")
        for name, value in zip(("parameter", "low", "high"), (parameter, *ends), strict=True):
            object.__setattr__(self, name, value)

    @property
    def width(self) -> Fraction:
        """high − low."""
        return self.high - self.low


def _difference(a: Question, b: Question) -> str:
    """The single number in which two questions of one kind differ."""
    different = ["kind"]
    if type(a) is type(b):
        different = [f.name for f in fields(a) if not _equal(getattr(a, f.name), getattr(b, f.name))]
    if len(different) != 1 or different[0] not in ("gamma", "alpha", "window"):
        raise TypeError(f"the ends of a bracket differ in one parameter, not in {', '.join(different) or 'none'}")
    return different[0]


def _equal(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a is b or same_numbers(a, b)
    return a is b or bool(a == b)
