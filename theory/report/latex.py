r"""Exact numbers and matrices as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

DIGITS = 10


def number(value: Fraction | int | str, *, flat: bool = False) -> str:
    r"""``\tfrac{9}{10}``, the sign in front; `flat`, for lines of text, 9/10.

    >>> print(number(Fraction(-9, 10)), number("3"), number("9/10", flat=True))
    -\tfrac{9}{10} 3 9/10
    """
    x = Fraction(value)
    if flat or x.denominator == 1:
        return str(x)
    return rf"{'-' if x < 0 else ''}\tfrac{{{abs(x.numerator)}}}{{{x.denominator}}}"


def matrix(rows: Sequence[Sequence[Any]]) -> str:
    r"""A matrix in round brackets; one entry stands for itself.

    >>> print(matrix([["1", "-1/2"]]))
    \begin{pmatrix} 1 & -\tfrac{1}{2} \end{pmatrix}
    """
    if len(rows) == len(rows[0]) == 1:
        return number(rows[0][0])
    body = r" \\ ".join(" & ".join(number(x) for x in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def algebraic(exact: str) -> str:
    r"""A fraction, a surd or a polynomial for a line of text, from the text of `theory.exact.algebraic`.

    >>> print(algebraic("15/17"), algebraic("(-25+5*sqrt(1001))/2"))
    15/17 (-25+5\sqrt{1001})/2
    >>> print(algebraic("x^3 - 2*x"))
    x^{3} - 2x
    """
    text = re.sub(r"sqrt\((\d+)\)", r"\\sqrt{\1}", exact)
    return re.sub(r"\^(\d+)", r"^{\1}", text).replace("*", "")
