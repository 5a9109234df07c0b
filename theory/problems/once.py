"""What is computed of a problem is computed once, and kept with it.

A `Problem` never changes, so neither do its moments or its basis. What is kept is forgotten with the problem, and not
sent along with it to another process. The arrays in it are read-only: whoever asks gets the same ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import TypeVar

import numpy as np

from theory.problems.numbers import freeze
from theory.problems.problem import KEPT, SHARED, Problem

T = TypeVar("T")


def once(function: Callable[[Problem], T]) -> Callable[[Problem], T]:
    """A function of a problem that remembers its value, for this problem.

    >>> from theory.problems import Problem
    >>> seen = []
    >>> counted = once(lambda problem: seen.append(problem.name))
    >>> one = Problem.from_matrices("1/2", Phi=[[1]], P_pi=[[1]], d_mu=[1], name="one")
    >>> counted(one), counted(one), seen
    (None, None, ['one'])
    """

    return _remembered(function, KEPT)


def once_for_all_discounts(function: Callable[[Problem], T]) -> Callable[[Problem], T]:
    """The same of what does not depend on the discount: `Problem.with_gamma` hands it on."""
    return _remembered(function, SHARED)


def _remembered(function: Callable[[Problem], T], place: str) -> Callable[[Problem], T]:
    @wraps(function)
    def kept(problem: Problem) -> T:
        known = problem.__dict__.setdefault(place, {})
        if function not in known:
            value = function(problem)
            if is_dataclass(value):
                parts = (getattr(value, f.name) for f in fields(value))
                freeze(*(part for part in parts if isinstance(part, np.ndarray)))
            known[function] = value
        found: T = known[function]
        return found

    return kept
