"""The methods by name, found in the files of this folder: a method is a class here that has a name."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import theory.methods
from theory.methods.method import Method, field_name
from theory.problems import InvalidProblem


@cache
def methods() -> dict[str, type[Method]]:
    """All methods by name, file after file, in the order in which they stand there."""
    found: dict[str, type[Method]] = {}
    for folder in theory.methods.__path__:
        for path in sorted(Path(folder).glob("*.py")):
            module = import_module(f"theory.methods.{path.stem}")
            here = [x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__]
            found |= {x.name: x for x in here if issubclass(x, Method) and "name" in vars(x)}
    return found


def find_method(text: str, defaults: Mapping[str, Any] | None = None) -> Method:
    """A method from its name or alias, with parameters behind colons: ``td-lambda:0.9``, ``tdrc:ratio=2:kappa=1/2``.

    A value without a name is that of the first parameter that has a default. `defaults` are values of parameters, by
    name, for methods that have them and are not told otherwise.

    >>> find_method("n-step:8"), find_method("fqi").name
    (NStepTD(n=8), 'chain')
    """
    name, *rest = text.strip().split(":")
    known = {alias: m for m in methods().values() for alias in (m.name, *m.aliases)}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(methods())}"
        raise InvalidProblem(f"{name!r} is unknown; {hint}", "method")
    kind = known[name]
    told: dict[str, str] = {}
    for part in rest:
        key, equals, value = part.rpartition("=")
        key = key if equals else next((k for k, p in kind.parameters().items() if p.default is not None), "")
        if key not in kind.parameters():
            has = ", ".join(kind.parameters()) or "none"
            raise InvalidProblem(f"{kind.name} has no parameter {key or value!r}; it has {has}", "method")
        if key in told:
            raise InvalidProblem(f"{text.strip()!r} gives {key} twice", "method")
        told[key] = value
    given = {k: v for k, v in (defaults or {}).items() if k in kind.parameters()}
    return kind(**{field_name(k): v for k, v in (given | told).items()})
