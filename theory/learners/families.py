"""The learners by name: every rule in a module of this package that has a `name`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

import theory.learners
from theory.learners.rule import Rule
from theory.problems import InvalidProblem
from theory.problems.numbers import did_you_mean


@cache
def learners() -> dict[str, type[Rule]]:
    """All rules by name: those with one parameter vector, those with two, the chains."""
    found: list[type[Rule]] = []
    for folder in theory.learners.__path__:
        for path in sorted(Path(folder).glob("[!_]*.py")):
            module = import_module(f"theory.learners.{path.stem}")
            own = [x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__]
            found += [x for x in own if issubclass(x, Rule) and "name" in vars(x)]
    return {rule.name: rule for rule in sorted(found, key=lambda rule: (rule.n_vectors(2), rule.name))}


# What `theory compare` calls the expected updates of a learner, where it is another name.
BY_METHOD = {"chain": "chained-concurrent", "n-step-td": "n-step", "n-step-chain": "chained-n-step"}


def find_learner(name: str) -> type[Rule]:
    """The rule of that name, its own or its method's; else one line with the names there are."""
    name = BY_METHOD.get(name, name)
    if name not in learners():
        hint = did_you_mean(name, learners(), f"there are {', '.join(learners())}")
        raise InvalidProblem(f"{name!r} is unknown; {hint}", "learner")
    return learners()[name]
