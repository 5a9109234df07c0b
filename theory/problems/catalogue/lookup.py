"""Finding an entry by what the user typed: ``name`` or ``name:key=value,key=value``.

Nothing is evaluated: a value is a number, or a word from a list. Every complaint is one line.

A module of this folder that has ``ENTRIES`` is part of the catalogue; its ``PLACE`` says where in the list. That is the
whole registration. ``FAMILIES`` beside them are problems with letters: ``name:x=3,p=9/10`` is a member.
"""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

import theory.problems.catalogue
from theory.problems.catalogue.registry import Entry, FamilyEntry
from theory.problems.errors import InvalidProblem
from theory.problems.numbers import parse_number
from theory.problems.problem import Problem


@cache
def catalogue() -> Mapping[str, Entry]:
    """Every entry by name, in the order in which they are listed."""
    return MappingProxyType({entry.name: entry for module in _modules() for entry in module.ENTRIES})


@cache
def families() -> Mapping[str, FamilyEntry]:
    """Every family by name, in the same order."""
    return MappingProxyType({f.name: f for module in _modules() for f in getattr(module, "FAMILIES", ())})


@cache
def generated() -> Mapping[str, Entry]:
    """Problems made by rule, of any size: found by name, and no part of the catalogue."""
    from theory.problems.catalogue.generated import GENERATED

    return MappingProxyType({entry.name: entry for entry in GENERATED})


def _modules() -> list[Any]:
    # The package by its whole name: by that `theory.code_version` knows that all its modules are reached.
    names = [module.name for module in pkgutil.iter_modules(theory.problems.catalogue.__path__)]
    found = (import_module(f"theory.problems.catalogue.{name}") for name in names)
    return sorted((m for m in found if hasattr(m, "ENTRIES")), key=lambda module: module.PLACE)


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
    found = _find(name.strip())
    known = found.parameters if isinstance(found, Entry) else (*found.letters, "gamma")
    parameters: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        key, equals, value = (text.strip() for text in part.partition("="))
        if not equals or not key or not value:
            raise InvalidProblem(f"expected key=value, got {_short(part)}", found.name)
        if key not in known:
            hint = difflib.get_close_matches(key, known, n=1)
            meant = f"did you mean {hint[0]!r}?" if hint else f"{found.name} has {', '.join(known)}"
            raise InvalidProblem(f"no parameter {_short(key)}; {meant}", found.name)
        if key in parameters:
            raise InvalidProblem("given twice", found.name, key)
        parameters[key] = value
    if isinstance(found, Entry):
        return found.build(**parameters)
    try:
        return found.family.at({key: parse_number(value, found.name, key) for key, value in parameters.items()})
    except InvalidProblem as error:
        raise error if error.place[:1] == (found.name,) else InvalidProblem(str(error), found.name) from None


def _find(name: str) -> Entry | FamilyEntry:
    entries: Mapping[str, Entry | FamilyEntry] = {**catalogue(), **families(), **generated()}
    if name in entries:
        return entries[name]
    hint = difflib.get_close_matches(name.lower().replace("_", "-"), entries, n=1)
    meant = f"did you mean {hint[0]!r}? " if hint else ""
    raise InvalidProblem(f"no problem named {_short(name)}; {meant}`theory list` shows them all")


def _short(text: str) -> str:
    shown = repr(text)
    return shown if len(shown) <= 40 else shown[:36] + "...'"
