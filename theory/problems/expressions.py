r"""Numbers with letters in them: ``2*x - 1``, ``(1 - p)/2``, ``x^2``.

A formula is written as in Python, with ``^`` for powers as well. Python's parser makes a syntax tree of it, of which
only numbers, names, ``+ - * /`` and powers with a whole number are taken; nothing is ever evaluated as Python.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.problems.errors import InvalidProblem
from theory.problems.numbers import parse_number

LONGEST = 2000  # characters of a formula
DEEPEST = 200  # operations inside each other: a formula is walked by recursion
LARGEST_EXPONENT = 24  # powers are multiplied out

_OPERATIONS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^"}
_CHARACTERS = re.compile(r"[A-Za-z_0-9.+\-*/^()\s]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


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
    if len(text) > LONGEST:
        raise InvalidProblem(f"a formula has at most {LONGEST} characters, this one {len(text)}", *where)
    shown = text if len(text) <= 40 else text[:37] + "..."

    def refused(complaint: str) -> InvalidProblem:
        return InvalidProblem(f"{shown!r}: {complaint}", *where)

    if not _CHARACTERS.fullmatch(text):
        raise refused("has a character of no number, name or operation")
    # Every name gets an underscore in front, so that none is a word of Python's.
    python = _NAME.sub(r"_\g<0>", " ".join(text.split())).replace("^", "**")

    def read(node: ast.AST, depth: int) -> Formula:
        if depth > DEEPEST:
            raise refused(f"is nested more than {DEEPEST} deep")
        if isinstance(node, ast.Constant):
            return constant(parse_number(python[node.col_offset : node.end_col_offset], *where))
        if isinstance(node, ast.Name):
            return Formula("name", (node.id[1:],))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
            return read(node.operand, depth + 1)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return Formula("negative", (read(node.operand, depth + 1),))
        if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATIONS:
            raise refused("only numbers, names, + - * / and powers make a formula")
        left = read(node.left, depth + 1)
        if not isinstance(node.op, ast.Pow):
            return Formula(_OPERATIONS[type(node.op)], (left, read(node.right, depth + 1)))
        exponent = getattr(node.right, "value", None)
        if not isinstance(exponent, int) or exponent > LARGEST_EXPONENT:
            raise refused(f"an exponent is a whole number up to {LARGEST_EXPONENT}")
        return Formula("^", (left, exponent))

    try:
        return read(ast.parse(python, mode="eval").body, 0)
    except SyntaxError as error:
        raise refused(f"{error.msg.partition('.')[0]}; a product is written 2*x") from None
    except (MemoryError, RecursionError):
        raise refused("is nested too deep") from None
