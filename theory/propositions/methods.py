"""What a method does on a problem, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theory.certified.answers import Answer
from theory.methods.family import find_method
from theory.methods.outcome import fixed_point_of, outcome, true_values
from theory.methods.parameters import stable_parameters
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.propositions.matrices import existing
from theory.thresholds.results import StableSet


def converges(name: str, problem: Problem) -> Answer:
    """Does the method of this name and parameters converge?

    >>> from theory.problems.catalogue import catalogue_problem
    >>> converges("td-lambda:1", catalogue_problem("twostate"))
    yes
    """
    return outcome(find_method(name), problem).holds


def stable_set(name: str, parameter: str, problem: Problem, settings: Mapping[str, Any] | None = None) -> Any:
    """The values of a parameter for which it converges."""
    return stable_parameters(find_method(name, settings), parameter, problem, exact_model(problem))[0]


def without_end(found: Any) -> bool:
    """Is it a set of numbers that reaches up to infinity?"""
    return isinstance(found, StableSet) and bool(found.spans) and found.spans[-1].high is None


def landing(name: str, problem: Problem) -> tuple[Any, float]:
    """The fixed point θ and the error of its values under d_μ."""
    model = exact_model(problem)
    found = fixed_point_of(find_method(name), model, true_values(model))
    return existing(found.theta), existing(found.error).d_mu
