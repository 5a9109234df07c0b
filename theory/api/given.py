"""What the public functions take: problems, numbers, vectors of numbers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from typing import SupportsFloat

from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, as_number
from theory.problems.sources import find_problem

Path = str | os.PathLike[str]
ProblemLike = Problem | Path
Number = SupportsFloat | str  # an int, a float, a Fraction, a Decimal, SymPy's Rational, "9/10"
Numbers = Sequence[Number] | Array


def as_problem(problem: ProblemLike, gamma: Number | None = None) -> Problem:
    """The problem that is meant, at another discount where one is given."""
    if isinstance(problem, Problem):
        return problem if gamma is None else problem.with_gamma(gamma)
    if not isinstance(problem, str | os.PathLike):
        raise TypeError(f"problem: expected a Problem, a name or a path, got {type(problem).__name__}")
    return find_problem(problem, gamma)


def as_fraction(value: Number, name: str) -> Fraction:
    """The exact value of a number, of a float that of the double."""
    return Fraction(as_number(value, name))


def as_float(value: Number, name: str) -> float:
    """The nearest double."""
    try:
        return float(as_number(value, name))
    except OverflowError:
        raise InvalidProblem("too large for double precision (about 1.8e308)", name) from None
