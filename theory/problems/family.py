"""Families: problem files in which some numbers are formulas in declared letters.

``"parameters": {"x": "real", "p": "(0, 1)"}`` declares them, each with the open or closed interval it may come from
(``real``, ``positive``, ``(a, b)``, ``[a, b)``, …); every number of the file may then be a formula in them
(`theory.problems.expressions`). Letters are set by ``family.at(x=3, p="9/10")``, which gives an ordinary
`Problem`, checked as any other. What holds for all of them at once, `theory.derivation` finds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from theory.problems.errors import InvalidProblem
from theory.problems.expressions import Formula, constant, parse_formula
from theory.problems.jsontext import StrPath, parse_tree, read_bytes, show_path
from theory.problems.numbers import as_number, parse_number
from theory.problems.problem import Problem

MOST_PARAMETERS = 6
NUMBERS = ("gamma", "features", "transitions", "rewards", "distribution", "target_policy", "behaviour_policy")
RESERVED = frozenset({"gamma", "k", "lambda", "z", "alpha", "T", "theta"})
_INTERVAL = re.compile(r"\s*([\[(])\s*([^,]+?)\s*,\s*([^,]+?)\s*([\])])\s*")


@dataclass(frozen=True)
class Range:
    """The interval that a letter comes from; an end that is None is infinite."""

    low: Fraction | None = None
    high: Fraction | None = None
    closed_low: bool = False
    closed_high: bool = False

    def __contains__(self, x: Fraction) -> bool:
        above = self.low is None or x > self.low or (self.closed_low and x == self.low)
        return above and (self.high is None or x < self.high or (self.closed_high and x == self.high))

    def __str__(self) -> str:
        low, high = ("−∞" if self.low is None else self.low), ("∞" if self.high is None else self.high)
        return f"{'[' if self.closed_low else '('}{low}, {high}{']' if self.closed_high else ')'}"


def parse_range(text: Any, *where: str | int) -> Range:
    """``real``, ``positive``, ``(0, 1)``, ``[-1, 2)``.

    >>> str(parse_range("(0, 1]")), Fraction(1) in parse_range("(0, 1]")
    ('(0, 1]', True)
    """
    if text == "real":
        return Range()
    if text == "positive":
        return Range(low=Fraction(0))
    match = _INTERVAL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidProblem(f"expected 'real', 'positive' or an interval such as '(0, 1)', got {text!r}", *where)
    low, high = parse_number(match[2], *where), parse_number(match[3], *where)
    if low >= high:
        raise InvalidProblem(f"{text!r} is empty", *where)
    return Range(low, high, match[1] == "[", match[4] == "]")


@dataclass(frozen=True, eq=False)
class Family:
    """A problem file with letters in it: `tree` has a `Formula` wherever a number stands."""

    name: str
    parameters: dict[str, Range]
    tree: dict[str, Any]

    def at(self, values: Mapping[str, Any] | None = None, /, **letters: Any) -> Problem:
        """The problem at these values; every letter must have one, within its range."""
        from theory.problems.files import parse_problem

        given = {**(values or {}), **letters}
        for name in given:
            if name not in self.parameters:
                raise InvalidProblem(f"there is no letter {name!r}; there are {self._letters()}", "set")
        numbers: dict[str, Fraction] = {}
        for name, span in self.parameters.items():
            if name not in given:
                raise InvalidProblem(f"the letter {name} needs a number: --set {name}=…", self.name)
            numbers[name] = Fraction(as_number(given[name], name))
            if numbers[name] not in span:
                raise InvalidProblem(f"{numbers[name]} is not in {span}", name)
        try:
            plain = _each(self.tree, lambda formula, _: str(formula.value(numbers)))
        except ZeroDivisionError:
            values_text = ", ".join(f"{n} = {x}" for n, x in numbers.items())
            raise InvalidProblem(f"a denominator is zero at {values_text}", self.name) from None
        label = ",".join(f"{n}={x}" for n, x in numbers.items())
        return parse_problem(json.dumps(plain | {"name": f"{self.name}:{label}"}))

    def formulas(self) -> Iterator[tuple[Formula, tuple[str | int, ...]]]:
        """Every formula with its place."""
        found: list[tuple[Formula, tuple[str | int, ...]]] = []
        _each(self.tree, lambda formula, where: found.append((formula, where)))
        yield from found

    def __repr__(self) -> str:
        return f"Family({self.name!r}: {', '.join(f'{n} in {span}' for n, span in self.parameters.items())})"

    def _letters(self) -> str:
        return ", ".join(self.parameters)


def is_family(tree: Any) -> bool:
    """Does a parsed file declare letters?"""
    return isinstance(tree, dict) and "parameters" in tree


def read_family(path: StrPath) -> Family:
    """The family in a file; complaints begin with the path."""
    try:
        return family_from(parse_tree(read_bytes(path).decode("utf-8-sig")), Path(path).stem)
    except UnicodeDecodeError as error:
        raise InvalidProblem(f"{show_path(path)}: is not UTF-8 text, at byte {error.start}") from None
    except InvalidProblem as error:
        raise InvalidProblem(f"{show_path(path)}: {error}") from None


def family_from(tree: Any, name: str = "family") -> Family:
    """The family of a parsed file.

    >>> two = family_from({"parameters": {"x": "real"}, "gamma": "9/10", "features": [[1], ["x"]],
    ...                    "target": {"transitions": [[0, 1], [0, 1]]}, "behaviour": {"distribution": ["1/2", "1/2"]}})
    >>> two.at(x=2).exact.Phi[1, 0]
    Fraction(2, 1)
    """
    declared = tree["parameters"]
    if not isinstance(declared, dict) or not declared:
        raise InvalidProblem('declares letters as {"x": "real", "p": "(0, 1)"}', "parameters")
    if len(declared) > MOST_PARAMETERS:
        raise InvalidProblem(f"at most {MOST_PARAMETERS} letters, got {len(declared)}", "parameters")
    parameters = {}
    for letter, text in declared.items():
        if not re.fullmatch(r"[A-Za-z][A-Za-z_0-9]*", letter) or letter in RESERVED:
            raise InvalidProblem(f"{letter!r} cannot be a letter's name", "parameters")
        parameters[letter] = parse_range(text, "parameters", letter)

    def read(value: Any, where: tuple[str | int, ...]) -> Formula:
        text = value if isinstance(value, str) else str(value)
        formula = parse_formula(text, *where) if isinstance(value, str) else constant(parse_number(text, *where))
        for letter in sorted(formula.names - set(parameters)):
            raise InvalidProblem(f"the letter {letter!r} is not declared among the parameters", *where)
        return formula

    rest = {key: value for key, value in tree.items() if key not in ("parameters", "name")}
    title = tree.get("name", name)
    return Family(title if isinstance(title, str) else name, parameters, _leaves(rest, read))


def _leaves(tree: dict[str, Any], read: Any) -> dict[str, Any]:
    """The tree with numbers read as formulas, texts that are no numbers left alone."""

    def walk(value: Any, where: tuple[str | int, ...]) -> Any:
        if isinstance(value, list):
            return [walk(x, (*where, i)) for i, x in enumerate(value)]
        return read(value, where)

    out: dict[str, Any] = {}
    for key, value in tree.items():
        if key in NUMBERS:
            out[key] = walk(value, (key,))
        elif isinstance(value, dict):
            out[key] = {k: walk(v, (key, k)) if k in NUMBERS else v for k, v in value.items()}
        else:
            out[key] = value
    return out


def _each(tree: Any, change: Any, where: tuple[str | int, ...] = ()) -> Any:
    """The tree with every formula changed."""
    if isinstance(tree, Formula):
        return change(tree, where)
    if isinstance(tree, dict):
        return {key: _each(value, change, (*where, key)) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_each(value, change, (*where, i)) for i, value in enumerate(tree)]
    return tree
