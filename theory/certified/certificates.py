r"""Certificates: the question, the answer, and evidence that a few lines of other code can check; as documents, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from theory.certified import recheck
from theory.certified.evidence import EVIDENCE, Blocks, Evidence
from theory.certified.questions import QUESTIONS, Question
from theory.problems import InvalidProblem

_WORDS = ("window", "start", "which", "signs", "side", "blocks", "parts", "power", "scale")


@dataclass(frozen=True, eq=False)
class Certificate:
    """An answer with its proof. `recheck` repeats the proof in independent code."""

    question: Question
    holds: bool
    evidence: Evidence

    def recheck(self) -> bool:
        """Does the evidence prove the answer to the question? Exact, and slower than finding it was."""
        return recheck.check(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; exact numbers as text ``p/q``."""
        return {
            "question": plain_document(self.question),
            "holds": self.holds,
            "evidence": plain_document(self.evidence),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Certificate:
        """The certificate of a document; whether it proves anything, `recheck` tells."""
        parts = _known(document, {"question", "holds", "evidence"})
        if not isinstance(parts["holds"], bool):
            raise InvalidProblem("is not a certificate of a known kind", "certificate")
        return cls(read_question(parts["question"]), parts["holds"], _read_evidence(parts["evidence"]))

    def __repr__(self) -> str:
        """In one line: the matrices are in `to_dict`."""
        return f"<Certificate: {self.question.kind}, holds={self.holds}, by {self.evidence.kind}>"

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Certificate) else NotImplemented

    def __hash__(self) -> int:
        return hash(repr(self.to_dict()))


def _known(document: Mapping[str, Any], names: set[str]) -> Mapping[str, Any]:
    if unknown := set(document) - names:
        raise InvalidProblem(f"unknown field {sorted(unknown)[0]!r}", "certificate")
    return document


def plain_document(about: Question | Evidence) -> dict[str, Any]:
    """Plain data, as in a certificate."""
    return {"kind": about.kind, **{f.name: _plain(getattr(about, f.name)) for f in fields(about)}}


def read_question(document: Mapping[str, Any]) -> Question:
    """The question of a document."""
    return _read(document, QUESTIONS)


def _read_evidence(document: Mapping[str, Any]) -> Evidence:
    return _read(document, EVIDENCE)


def _read(document: Mapping[str, Any], kinds: Mapping[str, Any]) -> Any:
    known = dict(document)
    kind = kinds.get(str(known.pop("kind", "")))
    if kind is None:
        raise InvalidProblem("is not a certificate of a known kind", "certificate")
    read = {k: v if k in _WORDS else _exact(v, k) for k, v in _known(known, {f.name for f in fields(kind)}).items()}
    for name in ("signs", "polynomial", "scale"):
        if name in read:
            read[name] = tuple(read[name])
    if kind is Blocks:
        read["blocks"] = tuple(tuple(block) for block in read["blocks"])
        read["parts"] = tuple(None if part is None else _read_evidence(part) for part in read["parts"])
    try:
        return kind(**read)
    except TypeError:
        raise InvalidProblem("lacks a number that it depends on", kind.kind) from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(x) for x in value]
    if type(value) in EVIDENCE.values():
        return plain_document(value)
    if value is None or isinstance(value, str | int):
        return value
    # FLINT writes integers of any length; Python refuses beyond 4300 digits.
    exact = Fraction(value)
    return str(fmpq(exact.numerator, exact.denominator))


def _exact(value: Any, *where: str | int) -> Any:
    """The reverse of `_plain`: fractions, and arrays of them; None is itself."""
    if value is None:
        return None
    if isinstance(value, list):
        rows = [_exact(x, *where) for x in value]
        out = np.empty(
            len(rows) if not rows or not isinstance(rows[0], np.ndarray) else (len(rows), len(rows[0])), object
        )
        out[:] = rows
        return out
    try:
        return recheck.number(value)
    except (TypeError, ValueError, ZeroDivisionError):
        raise InvalidProblem(f"{value!r:.60} is not a number", *where) from None
