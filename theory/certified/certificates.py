r"""Certificates: the question, the answer, and evidence that a few lines of other code can check, as one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from theory.certified import recheck
from theory.certified.evidence import Evidence
from theory.problems import InvalidProblem

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
