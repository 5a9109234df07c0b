"""What an entry of the catalogue is: a name, where it comes from, and exact parameters.

A parameter is a number (an exact rational), an integer, or a choice among words; each says what it
accepts. An entry builds a problem whose name is the text that builds it again: ``kolter:p=3/5``
names only what differs from the defaults, in the entry's own order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from theory.problems.errors import InvalidProblem
from theory.problems.family import Family, family_from
from theory.problems.numbers import as_number, parse_number
from theory.problems.problem import Problem

Value = Fraction | int | str


@dataclass(frozen=True)
class Parameter:
    """One parameter: its default, what it means, and what it accepts, in words and as a test."""

    default: Value
    meaning: str
    kind: Literal["number", "integer", "choice"]
    expects: str
    accepts: Callable[[Any], bool] = field(repr=False)

    def read(self, value: Any, *where: str | int) -> Value:
        """`value`, typed on a command line or given in Python, as this parameter's kind.

        A Python float is taken for the decimal it prints as, 0.9 for 9/10: entries are exact.
        """
        read: Value
        if self.kind == "choice":
            read = str(value).strip()
        else:
            text = repr(float(value)) if isinstance(value, float) else value
            number = parse_number(text, *where) if isinstance(text, str) else Fraction(as_number(text, *where))
            if self.kind == "integer" and number.denominator != 1:
                raise InvalidProblem(f"must be an integer, got {_short(value)}", *where)
            read = int(number) if self.kind == "integer" else number
        if not self.accepts(read):
            raise InvalidProblem(f"must be {self.expects}, got {_short(value)}", *where)
        return read


def number(default: str, meaning: str, expects: str, accepts: Callable[[Fraction], bool]) -> Parameter:
    """An exact rational; `expects` completes the sentence "must be …"."""
    return Parameter(parse_number(default), meaning, "number", expects, accepts)


def probability(default: str, meaning: str) -> Parameter:
    """A number in [0, 1]."""
    return number(default, meaning, "a number in [0, 1]", lambda x: 0 <= x <= 1)


def integer(default: int, meaning: str, low: int, high: int, *, odd: bool = False) -> Parameter:
    """An integer from `low` to `high`, both included."""
    expects = f"an {'odd ' if odd else ''}integer from {low} to {high}"
    return Parameter(default, meaning, "integer", expects, lambda x: low <= x <= high and not (odd and x % 2 == 0))


def choice(meaning: str, *words: str) -> Parameter:
    """One of `words`, the first by default."""
    return Parameter(words[0], meaning, "choice", "one of " + ", ".join(words), lambda x: x in words)


@dataclass(frozen=True)
class Entry:
    """One named problem, with parameters."""

    name: str
    title: str
    source: str
    famous_for: str
    parameters: Mapping[str, Parameter]
    make: Callable[..., Problem] = field(repr=False)

    def build(self, **parameters: Any) -> Problem:
        """The problem at these parameters (defaults elsewhere), under the name that builds it again."""
        for key in parameters:
            if key not in self.parameters:
                raise InvalidProblem(f"no such parameter; {self.name} has {', '.join(self.parameters)}", self.name, key)
        values = {
            key: known.read(parameters[key], self.name, key) if key in parameters else known.default
            for key, known in self.parameters.items()
        }
        try:
            problem = self.make(**values)
        except InvalidProblem as error:
            raise InvalidProblem(error.complaint, self.name, *error.place) from None
        return problem.relabelled(name=self.spec(values))

    def spec(self, values: Mapping[str, Value]) -> str:
        """``name:key=value,…`` with what differs from the defaults."""
        told = [f"{k}={values[k]}" for k, known in self.parameters.items() if values[k] != known.default]
        return self.name + (":" + ",".join(told) if told else "")


def entry(
    name: str,
    make: Callable[..., Problem],
    *,
    title: str,
    source: str,
    famous_for: str,
    gamma: str,
    **parameters: Parameter,
) -> Entry:
    """An entry; every one has ``gamma`` as its last parameter, and `make` takes it by that name."""
    discount = number(gamma, "discount", "a number in [0, 1]", lambda x: 0 <= x <= 1)
    return Entry(name, title, source, famous_for, MappingProxyType({**parameters, "gamma": discount}), make)


@dataclass(frozen=True)
class FamilyEntry:
    """A named family: problems with letters in them, as in a file that declares parameters."""

    name: str
    title: str
    source: str
    famous_for: str
    letters: Mapping[str, str]  # what each letter means
    tree: Mapping[str, Any] = field(repr=False)

    @cached_property
    def family(self) -> Family:
        """The family itself."""
        return family_from(dict(self.tree), self.name)


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."
