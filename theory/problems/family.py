"""Families: problem files in which some numbers are formulas in declared letters.

``"parameters": {"x": "real", "p": "(0, 1)"}`` declares them, each with the open or closed interval it may come from
(``real``, ``positive``, ``(a, b)``, ``[a, b)``, …); every number of the file may then be a formula in them, and in
``gamma`` (`theory.problems.formulas`). No denominator may be zero anywhere in the ranges. Letters are set by
``family.at(x=3, p="9/10")``, which gives an ordinary `Problem`, checked as any other. What holds for all of them at
once, `theory.derivation` finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from theory.problems.errors import InvalidProblem
from theory.problems.files import PLACES, check_form, needs_numbers, numbers_in, problem_from_tree
from theory.problems.formulas import DISCOUNTS, Formula, Range, constant, parse_formula, parse_range, vanishes
from theory.problems.jsontext import Literal, tensor, type_word
from theory.problems.numbers import as_number, parse_number
from theory.problems.problem import Problem
from theory.problems.validate import check_gamma

MOST_PARAMETERS = 6
RESERVED = frozenset({"gamma", "k", "lambda", "z", "alpha", "T", "theta"})


@dataclass(frozen=True, eq=False)
class Family:
    """A problem file with letters in it: `tree` has a `Formula` wherever a number stands."""

    name: str
    parameters: dict[str, Range]
    tree: dict[str, Any]

    def at(self, values: Mapping[str, Any] | None = None, /, *, gamma: Any = None, **letters: Any) -> Problem:
        """The problem at these values, and at another discount where one is given; every letter must have a value."""
        given = {**(values or {}), **letters}
        gamma = given.pop("gamma", gamma)
        for name in given:
            if name not in self.parameters:
                raise InvalidProblem(f"there is no letter {name!r}; there are {', '.join(self.parameters)}", "set")
        missing = [name for name in self.parameters if name not in given]
        if len(missing) == len(self.parameters):
            raise InvalidProblem(needs_numbers(missing), self.name)
        if missing:
            letter, verb = ("the letter", "needs a number") if len(missing) == 1 else ("the letters", "need numbers")
            example = ",".join(f"{name}=…" for name in missing)
            raise InvalidProblem(f"{letter} {', '.join(missing)} {verb}: {example}", self.name)
        numbers: dict[str, Fraction] = {}
        for name, span in self.parameters.items():
            numbers[name] = Fraction(as_number(given[name], name))
            if numbers[name] not in span:
                raise InvalidProblem(f"{numbers[name]} is not in {span}", name)
        label = ",".join(f"{n}={x}" for n, x in numbers.items())
        usual = self.tree["gamma"].value(numbers)
        discount = usual if gamma is None else Fraction(check_gamma(gamma, ends=self.tree.get("episodic") is True))
        label += "" if discount == usual else f",gamma={discount}"
        tree = self.tree | {"gamma": constant(discount)}
        plain = _each(tree, lambda formula, _: str(formula.value(numbers | {"gamma": discount})))
        return problem_from_tree(plain | {"name": f"{self.name}:{label}"})

    def draw(self, rng: np.random.Generator, denominator: int = 100) -> dict[str, Fraction]:
        """Random values of all letters with about this denominator; from ±10 where a range has no end."""
        found: dict[str, Fraction] = {}
        for name, span in self.parameters.items():
            low, high = span.cut(Fraction(10))
            q = denominator * max(1, ceil(2 / ((high - low) * denominator)))  # at least one number inside
            while name not in found or found[name] not in span:
                found[name] = Fraction(int(rng.integers(ceil(low * q), floor(high * q), endpoint=True)), q)
        return found

    def formulas(self) -> Iterator[tuple[Formula, tuple[str | int, ...]]]:
        """Every formula with its place."""
        found: list[tuple[Formula, tuple[str | int, ...]]] = []
        _each(self.tree, lambda formula, where: found.append((formula, where)))
        yield from found

    def __repr__(self) -> str:
        return f"Family({self.name!r}: {', '.join(f'{n} in {span}' for n, span in self.parameters.items())})"

    @property
    def gamma(self) -> Fraction | None:
        """The discount that the file gives; None where that is a formula in the letters."""
        written: Formula = self.tree["gamma"]
        return None if written.names else written.value({})


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

    spans = parameters | {"gamma": DISCOUNTS}

    def read(value: Any, where: tuple[str | int, ...]) -> Formula:
        if isinstance(value, Literal | int | float):
            formula = constant(parse_number(str(value), *where))
        elif isinstance(value, str):
            formula = parse_formula(value, *where)
        else:
            raise InvalidProblem(f"expected a number or a formula, got {type_word(value)}", *where)
        for letter in sorted(formula.names - set(parameters) - ({"gamma"} if where != ("gamma",) else set())):
            raise InvalidProblem(f"the letter {letter!r} is not declared among the parameters", *where)
        for below in formula.denominators():
            _check_below(below, spans, where)
        return formula

    rest = {key: value for key, value in tree.items() if key not in ("parameters", "name")}
    check_form(rest)
    for key in ("discount", "start", "matrices"):
        if key in rest:
            raise InvalidProblem('a family has none: multiply it into the transitions, and say "episodic": true', key)
    sizes = {"S": _length(rest["features"])}
    sizes["F"] = _length(rest["features"][0]) if sizes["S"] else 0
    sizes["A"] = _length(rest["target_policy"][0]) if _length(rest.get("target_policy")) else 0
    for letter, (*parts, key), value in numbers_in(rest):
        _check_sizes(value, [sizes[axis] for axis in PLACES[letter][1]], (*parts, key))
        formulas = tensor(value, len(PLACES[letter][1]), read, *parts, key)
        for part in parts:
            rest[part] = rest[part] | {key: formulas}
        if not parts:
            rest[key] = formulas
    title = tree.get("name", name)
    return Family(title if isinstance(title, str) else name, parameters, rest)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def _check_sizes(value: Any, sizes: Sequence[int], where: tuple[str | int, ...]) -> None:
    if not sizes:
        return
    if not _length(value) or _length(value) != sizes[0]:
        found = f"a list of {len(value)}" if isinstance(value, list) else repr(value)
        raise InvalidProblem(f"expected a list of {sizes[0] or 'some'}, got {found}", *where)
    for i, item in enumerate(value):
        _check_sizes(item, sizes[1:], (*where, i))


def _check_below(below: Formula, spans: Mapping[str, Range], where: tuple[str | int, ...]) -> None:
    found = vanishes(below, spans)
    if found is False:
        return
    ranges = ", ".join(f"{name} in {spans[name]}" for name in sorted(below.names))
    verb = "can be zero" if found else "could not be shown to differ from zero"
    told = f" for {ranges}; declare ranges without its zeros" if ranges else ""
    raise InvalidProblem(f"the denominator {below} {verb}{told}", *where)


def _each(tree: Any, change: Any, where: tuple[str | int, ...] = ()) -> Any:
    """The tree with every formula changed."""
    if isinstance(tree, Formula):
        return change(tree, where)
    if isinstance(tree, dict):
        return {key: _each(value, change, (*where, key)) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_each(value, change, (*where, i)) for i, value in enumerate(tree)]
    return tree
