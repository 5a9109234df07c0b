r"""Identities that a reader types, read by a small grammar into the letters of `theory.symbolic` and decided.

    identity  =  sum "=" sum
    sum       =  product { ("+" | "-") product }
    product   =  signed { ["*" | "·"] factor }
    factor    =  atom { "^T" | "ᵀ" | "'" | "^-1" | "^k" | "^" digit }
    atom      =  number | letter | "(" sum ")"

The letters are those of `LETTERS`, in ASCII or Greek. Nothing is evaluated: a text that is not in this grammar is an
error that points at the place. ``^-1`` is known of X and A, ``^k`` of B; other powers are numbers up to 6. Texts
and intermediate results are bounded, so that no input takes long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.problems import InvalidProblem
from theory.propositions.theories.paper import paper_theory
from theory.symbolic import Claim, IllTyped, Operator, Outcome, Proved, Refuted, Scalar

MAX_TEXT, MAX_TERMS, MAX_POWER, MAX_DEPTH = 300, 4000, 6, 30
MAX_DEGREE, MAX_BITS = 300, 4000  # letters in one term, bits of one number

# What may be typed, and the attribute of the paper's theory where it has another name; `theory.text.words` explains.
_TYPED = ("Phi", "D", "P", "r", "X", "Y", "A", "b", "B", "Pi", "W_k", "theta0", "theta_k", "theta_pi", "gamma", "alpha")
LETTERS = {name: {"B": "G", "theta_k": "theta"}.get(name, name) for name in _TYPED}
_GREEK = {
    "Φ": "Phi",
    "Π": "Pi",
    "γ": "gamma",
    "α": "alpha",
    "θ⁰": "theta0",
    "θᵏ": "theta_k",
    "θ_π": "theta_pi",
    "I": "1",
}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,6}(?:/[0-9]{1,6})?)|(?P<post>\^T|ᵀ|'|\^-1|⁻¹|\^k|ᵏ|\^[0-9])"
    r"|(?P<name>θ⁰|θᵏ|θ_π|[A-Za-z]+[0-9]?(?:_[a-z]+)?|[ΦΠγα])|(?P<sign>[-−+*·()=]))"
)
EXAMPLES = (
    "Pi Pi = Pi",
    "B^k = B B^k",
    "theta_k - theta_pi = B^k (theta0 - theta_pi)",
    "X (1 - B) = A",
    "Phi^T D (1 - Pi) = 0",
    "Pi P = P Pi",
    "W_k (1 - B) = 1 - B^k",
)


@dataclass(frozen=True, repr=False)
class Answer:
    """An identity as it was understood, and what came of it."""

    claim: Claim
    outcome: Outcome

    def __str__(self) -> str:
        return str(self.outcome)

    def __repr__(self) -> str:
        return repr(self.outcome)

    def _repr_markdown_(self) -> str:
        return answer_card(self)


def decide_identity(text: str) -> Answer:
    """Prove or refute an identity.

    >>> print(decide_identity("Pi Phi = Phi").outcome)
    Proved 'Pi Phi = Phi': for all dimensions
      uses 'Xi X = 1'
    """
    left, right = read_identity(text)
    name = " ".join(text.split())
    try:
        claim = paper_theory().T.claim(name, left, right)
        return Answer(claim, claim.decide())
    except IllTyped as error:
        raise InvalidProblem(f"the sides do not fit together: {error}") from None


def answer_card(answer: Answer) -> str:
    """A reader's identity as it was understood, and the proof or the matrices against it."""
    understood = answer.claim.latex()
    lines = [f"$$ {understood} $$" if len(understood) <= 1500 else f"`{answer.claim.name}`", ""]
    outcome = answer.outcome
    if isinstance(outcome, Proved):
        uses = ", ".join(outcome.uses) or "nothing but algebra"
        outcome.certificate.recheck()
        lines.append(f"● **Proved**, {outcome.scope}; uses {uses}. The certificate was checked again by SymPy.")
    elif isinstance(outcome, Refuted):
        outcome.witness.recheck()
        lines.append(f"■ **Refuted**, by these matrices (checked again in fractions):\n\n```\n{outcome.witness}\n```")
    else:
        lines.append(f"○ **Open**: {outcome.reason}.")
    return "\n".join(lines)


def read_identity(text: str) -> tuple[Any, Any]:
    """Both sides in the engine's letters."""
    if len(text) > MAX_TEXT:
        raise InvalidProblem(f"an identity has at most {MAX_TEXT} characters")
    reader = _Reader(text)
    left = reader.sum()
    reader.expect("=")
    right = reader.sum()
    if reader.kind != "end":
        raise reader.error("the end")
    return left, right


class _Reader:
    """One token ahead."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.kind, self.token = "", ""
        self.advance()

    def advance(self) -> None:
        rest = self.text[self.at :]
        if not rest.strip():
            self.kind, self.token = "end", ""
            return
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise InvalidProblem(f"{rest.strip()[:12]!r} at character {self.at + 1} is not in the grammar")
        assert match.lastgroup is not None
        self.kind, self.token, self.at = match.lastgroup, match[match.lastgroup], match.end()

    def error(self, wanted: str) -> InvalidProblem:
        found = f"{self.token!r}" if self.kind != "end" else "the end"
        return InvalidProblem(f"expected {wanted} and found {found} at character {self.at}")

    def expect(self, sign: str) -> None:
        if self.token != sign:
            raise self.error(repr(sign))
        self.advance()

    def sum(self) -> Any:
        value = self.product()
        while self.token in ("+", "-", "−"):
            sign = self.token
            self.advance()
            value = _checked(lambda a, b: a + b if sign == "+" else a - b, value, self.product())  # noqa: B023
        return value

    def product(self) -> Any:
        negative = self.token in ("-", "−")
        if negative:
            self.advance()
        value = self.factor()
        while self.kind in ("number", "name") or self.token in ("*", "·", "("):
            if self.token in ("*", "·"):
                self.advance()
            value = _product(value, self.factor())
        return -value if negative else value

    def factor(self) -> Any:
        name = self.token if self.kind == "name" else ""
        value = self.atom()
        while self.kind == "post":
            value = self.postfix(_GREEK.get(name, name), value)
            name = ""
        return value

    def postfix(self, name: str, value: Any) -> Any:
        mark = self.token
        self.advance()
        if mark in ("^T", "ᵀ", "'"):
            return value.T if isinstance(value, Operator) else value
        if mark in ("^-1", "⁻¹"):
            if name not in ("X", "A"):
                raise InvalidProblem("only X and A have an inverse here: write X^-1 or A^-1")
            return getattr(paper_theory(), f"{name}i")
        if mark in ("^k", "ᵏ"):
            if name == "gamma":
                return paper_theory().gamma_k
            if name != "B":
                raise InvalidProblem("only B and gamma have a k-th power here: write B^k")
            return paper_theory().G_k
        power = int(mark[1:])
        if power > MAX_POWER:
            raise InvalidProblem(f"powers go up to {MAX_POWER}, got {power}")
        if isinstance(value, Operator) and value.source != value.target:
            raise InvalidProblem(f"{name or 'a product'} is not square and has no power")
        out: Any = 1
        for _ in range(power):
            out = _product(out, value)
        return out

    def atom(self) -> Any:
        if self.token == "(":
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise InvalidProblem(f"more than {MAX_DEPTH} brackets inside each other")
            self.advance()
            value = self.sum()
            self.expect(")")
            self.depth -= 1
            return value
        kind, token = self.kind, self.token
        if kind == "number":
            self.advance()
            if re.search(r"/0+$", token):
                raise InvalidProblem(f"{token} divides by zero")
            return Fraction(token)
        if kind != "name":
            raise self.error("a letter, a number or a bracket")
        name = _GREEK.get(token, token)
        if name == "1":
            self.advance()
            return Fraction(1)
        if name not in LETTERS:
            raise InvalidProblem(f"there is no letter {token!r}; there are {', '.join(LETTERS)}")
        self.advance()
        letter = LETTERS[name]
        return getattr(paper_theory().T, letter) if letter in ("gamma", "alpha") else getattr(paper_theory(), letter)


def _product(a: Any, b: Any) -> Any:
    if _size(a) * _size(b) > MAX_TERMS:
        raise InvalidProblem(f"expands to more than {MAX_TERMS} terms")
    if _degree(a) + _degree(b) > MAX_DEGREE:
        raise InvalidProblem(f"expands to terms of more than {MAX_DEGREE} letters")
    if not isinstance(a, Operator | Scalar) and not isinstance(b, Operator | Scalar) and _bits(a) + _bits(b) > MAX_BITS:
        raise InvalidProblem("has a number that is too long")
    return _checked(lambda x, y: x * y, a, b)


def _checked(operation: Any, a: Any, b: Any) -> Any:
    try:
        return operation(a, b)
    except IllTyped as error:
        raise InvalidProblem(f"does not fit together: {error}") from None


def _size(value: Any) -> int:
    return len(value.terms) if isinstance(value, Operator | Scalar) else 1


def _degree(value: Any) -> int:
    if not isinstance(value, Operator | Scalar):
        return 0
    return max((len(mono) + len(word) for mono, word in value.terms), default=0)


def _bits(number: Fraction | int) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())
