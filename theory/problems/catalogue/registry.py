"""What an entry of the catalogue is, and how it is found: ``name`` or ``name:key=value,key=value``.

An entry has a name, a source, and exact parameters. A parameter is a number (an exact rational), an integer, or a
choice among words; each says what it accepts, and nothing is evaluated. An entry builds a problem whose name is the
text that builds it again: ``kolter:p=3/5`` names only what differs from the defaults, in the entry's own order.

A module of this folder that has ``ENTRIES`` is part of the catalogue; its ``PLACE`` says where in the list. That is the
whole registration. ``FAMILIES`` beside them are problems with letters: ``name:x=3,p=9/10`` is a member.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import theory.problems.catalogue
from theory.problems.numbers import InvalidProblem, as_number, did_you_mean, parse_number, quoted, shortened
from theory.problems.problem import Problem

if TYPE_CHECKING:
    from theory.problems.formulas import Family

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
        _check_known(parameters, self.parameters, self.name)
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
        changed = [f"{k}={values[k]}" for k, known in self.parameters.items() if values[k] != known.default]
        return self.name + (":" + ",".join(changed) if changed else "")


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
        from theory.problems.formulas import family_from

        return family_from(dict(self.tree), self.name)

    def build(self, **parameters: Any) -> Problem:
        """The member at these numbers; every letter needs one."""
        _check_known(parameters, (*self.letters, "gamma"), self.name)
        try:
            return self.family.at({key: parse_number(value, key) for key, value in parameters.items()})
        except InvalidProblem as error:
            place = error.place if error.place[:1] == (self.name,) else (self.name, *error.place)
            raise InvalidProblem(error.complaint, *place) from None


def catalogue() -> Mapping[str, Entry]:
    """Every entry by name, in the order in which they are listed."""
    return _declared("ENTRIES")


def families() -> Mapping[str, FamilyEntry]:
    """Every family by name, in the same order."""
    return _declared("FAMILIES")


def generated() -> Mapping[str, Entry]:
    """Problems made by rule, of any size: found by name, and no part of the catalogue."""
    return _declared("GENERATED")


@cache
def _declared(what: str) -> Mapping[str, Any]:
    found = [m for m in map(import_module, _modules()) if hasattr(m, "ENTRIES")]
    found.sort(key=lambda module: module.PLACE)
    return MappingProxyType({entry.name: entry for module in found for entry in getattr(module, what, ())})


def _modules() -> list[str]:
    # The package by its whole name: by that `theory.code_version` knows that all its modules are reached.
    return [
        f"theory.problems.catalogue.{module.name}"
        for module in pkgutil.iter_modules(theory.problems.catalogue.__path__)
    ]


def _written_in_full(name: str) -> Entry | FamilyEntry | None:
    """The entry of the module whose source has this name in quotes; no other one is imported."""
    for module in _modules():
        spec = find_spec(module)
        if spec is None or spec.origin is None or f'"{name}"' not in Path(spec.origin).read_text("utf-8"):
            continue
        found = import_module(module)
        for entry in (x for what in ("ENTRIES", "FAMILIES", "GENERATED") for x in getattr(found, what, ())):
            if entry.name == name:
                return entry
    return None


def problem_names() -> tuple[str, ...]:
    """The names of all entries, in order.

    >>> problem_names()[:3]
    ('twostate', 'twostate-reward', 'threestate')
    """
    return tuple(catalogue())


def catalogue_problem(spec: str) -> Problem:
    """The problem that `spec` names.

    >>> catalogue_problem("twostate:gamma=5/6")
    Problem('twostate:gamma=5/6': 2 states, 1 feature, γ=5/6, exact, MDP with 2 actions)
    """
    name, colon, rest = spec.partition(":")
    name = name.strip()
    found = _written_in_full(name)
    if found is None:
        entries: Mapping[str, Entry | FamilyEntry] = {**catalogue(), **families(), **generated()}
        if name not in entries:
            hint = did_you_mean(name.lower().replace("_", "-"), entries, "`theory list` shows them all")
            raise InvalidProblem(f"no problem named {quoted(name)}; {hint}")
        found = entries[name]
    parameters: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        key, equals, value = (text.strip() for text in part.partition("="))
        if not equals or not key or not value:
            raise InvalidProblem(f"expected key=value, got {quoted(part)}", found.name)
        if key in parameters:
            raise InvalidProblem("given twice", found.name, key)
        parameters[key] = value
    return found.build(**parameters)


def _check_known(given: Collection[str], known: Collection[str], name: str) -> None:
    for key in given:
        if key not in known:
            hint = did_you_mean(key, known, f"{name} has {', '.join(known)}")
            raise InvalidProblem(f"no parameter {quoted(key)}; {hint}", name)


def _short(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else shortened(str(value))
