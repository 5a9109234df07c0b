r"""Numbers with letters in them: ``2*x - 1``, ``(1 - p)/2``, ``x^2``. Parsed here; nothing is evaluated.

    sum      = product { ("+" | "-") product }
    product  = factor { ("*" | "/") factor }
    factor   = { "+" | "-" } power
    power    = atom [ ("^" | "**") whole number ]
    atom     = number | name | "(" sum ")"

A formula is a tree of these; `value` puts numbers, or elements of any field, in the place of the names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.problems.errors import InvalidProblem

LONGEST, DEEPEST, LARGEST_EXPONENT = 2000, 60, 24
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?|\.\d+)|([A-Za-z_][A-Za-z_0-9]*)|(\*\*|[-+*/^()]))")


@dataclass(frozen=True)
class Formula:
    """A number or a name, or an operation on formulas."""

    operation: str  # "number", "name", "+", "-", "*", "/", "^", "negative"
    parts: tuple[Any, ...]

    @property
    def names(self) -> frozenset[str]:
        """The letters in it."""
        if self.operation == "name":
            return frozenset(self.parts)
        return frozenset().union(*(part.names for part in self.parts if isinstance(part, Formula)))

    def value(self, letters: Mapping[str, Any], number: Callable[[Fraction], Any] = lambda x: x) -> Any:
        """With these values for the letters; ZeroDivisionError where something is divided by zero."""
        if self.operation == "number":
            return number(self.parts[0])
        if self.operation == "name":
            return letters[self.parts[0]]
        first, *rest = (part.value(letters, number) if isinstance(part, Formula) else part for part in self.parts)
        if self.operation == "negative":
            return -first
        (second,) = rest
        if self.operation == "^":
            return first**second
        if self.operation == "/":
            if second == 0:
                raise ZeroDivisionError("a denominator is zero")
            return first / second
        return first + second if self.operation == "+" else first - second if self.operation == "-" else first * second

    def __str__(self) -> str:
        """As it would be written; every operation within another in parentheses."""
        if self.operation in ("number", "name"):
            return str(self.parts[0])
        texts = [f"({part})" if isinstance(part, Formula) and part._compound else str(part) for part in self.parts]
        return f"-{texts[0]}" if self.operation == "negative" else f" {self.operation} ".join(texts)

    @property
    def _compound(self) -> bool:
        return self.operation not in ("number", "name") or (self.operation == "number" and self.parts[0] < 0)

    def denominators(self) -> Iterator[Formula]:
        """Whatever is divided by."""
        for part in self.parts:
            if isinstance(part, Formula):
                yield from part.denominators()
        if self.operation == "/":
            yield self.parts[1]


def constant(value: Fraction) -> Formula:
    """A number."""
    return Formula("number", (value,))


def parse_formula(text: str, *where: str | int) -> Formula:
    """The formula that a text spells.

    >>> parse_formula("(1 - p)/2 + x^2").value({"p": Fraction(1, 3), "x": Fraction(2)})
    Fraction(13, 3)
    >>> sorted(parse_formula("2*x*y").names)
    ['x', 'y']
    """
    return _Parser(text, where).read()


class _Parser:
    def __init__(self, text: str, where: tuple[str | int, ...]) -> None:
        if len(text) > LONGEST:
            raise InvalidProblem(f"a formula has at most {LONGEST} characters, this one {len(text)}", *where)
        self.text, self.where, self.tokens, self.depth = text, where, list(_tokens(text, where)), 0
        self.at = 0

    def read(self) -> Formula:
        found = self._sum()
        if self.at < len(self.tokens):
            raise self._complaint(f"{self.tokens[self.at]!r} is not expected there (a product is written 2*x)")
        return found

    def _sum(self) -> Formula:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._complaint(f"is nested more than {DEEPEST} deep")
        left = self._product()
        while self._next() in ("+", "-"):
            left = Formula(self._take(), (left, self._product()))
        self.depth -= 1
        return left

    def _product(self) -> Formula:
        left = self._factor()
        while self._next() in ("*", "/"):
            left = Formula(self._take(), (left, self._factor()))
        return left

    def _factor(self) -> Formula:
        sign = 1
        while self._next() in ("+", "-"):
            sign = -sign if self._take() == "-" else sign
        found = self._power()
        return found if sign > 0 else Formula("negative", (found,))

    def _power(self) -> Formula:
        base = self._atom()
        if self._next() not in ("^", "**"):
            return base
        self._take()
        exponent = self._take() if self._next() is not None else ""
        if not exponent.isdigit() or int(exponent) > LARGEST_EXPONENT:
            raise self._complaint(f"an exponent is a whole number up to {LARGEST_EXPONENT}, got {exponent!r}")
        return Formula("^", (base, int(exponent)))

    def _atom(self) -> Formula:
        token = self._next()
        if token is None:
            raise self._complaint("ends too early")
        self._take()
        if token == "(":
            inside = self._sum()
            if self._next() != ")":
                raise self._complaint("a parenthesis is not closed")
            self._take()
            return inside
        if token[0].isdigit() or token[0] == ".":
            return constant(Fraction(token))
        if token[0].isalpha() or token[0] == "_":
            return Formula("name", (token,))
        raise self._complaint(f"{token!r} is not expected there")

    def _next(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def _complaint(self, what: str) -> InvalidProblem:
        shown = self.text if len(self.text) <= 40 else self.text[:37] + "..."
        return InvalidProblem(f"{shown!r}: {what}", *self.where)


def _tokens(text: str, where: tuple[str | int, ...]) -> Iterator[str]:
    end = len(text.rstrip())
    at = 0
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise InvalidProblem(f"{text[at:].strip()[:20]!r} is not a number, a name or an operation", *where)
        yield match[1] or match[2] or match[3]
        at = match.end()
