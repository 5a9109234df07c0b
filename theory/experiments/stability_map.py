"""A method's stability over two of its parameters, γ among them: on a grid, in floats or certified point by point."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.experiments.inspection import Progress, Quiet, default_step_size
from theory.methods.family import find_method
from theory.methods.method import Method, with_value
from theory.methods.outcome import margin, outcome
from theory.methods.parameters import GAMMA
from theory.model.linear_model import LinearModel, exact_model, float_model
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

POINTS = 61  # along each axis in floats
CERTIFIED = 17  # where each is certified


@dataclass(frozen=True, eq=False)
class StabilityMap:
    """`margin` is 1 − ρ of an iteration, the smallest Re λ over the largest |λ| of a mean: positive is stable."""

    problem: Problem
    method: Method
    x: str
    y: str
    xs: tuple[Fraction, ...]
    ys: tuple[Fraction, ...]
    margin: FloatArray  # (len(ys), len(xs)); nan where floats have no answer
    certified: Array | None  # the same shape: 1 yes, 0 no, −1 undecided; None where not asked for

    @property
    def stable(self) -> Array:
        """Is it stable? Certified where asked for."""
        return self.margin > 0 if self.certified is None else self.certified == 1

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        answers = {1: True, 0: False, -1: None}
        certified = None if self.certified is None else [[answers[v] for v in row] for row in self.certified.tolist()]
        return {
            "method": self.method.name,
            "x": {"parameter": self.x, "values": [str(v) for v in self.xs]},
            "y": {"parameter": self.y, "values": [str(v) for v in self.ys]},
            "margin": [[v if np.isfinite(v) else None for v in row] for row in self.margin.tolist()],
            "certified": certified,
        }


def stability_map(
    problem: Problem,
    over: str,
    given: dict[str, Any] | None = None,
    certify: bool = False,
    progress: Progress | None = None,
) -> StabilityMap:
    """The map of ``METHOD:x,y``, for instance ``soft-target:alpha,tau`` or ``td-lambda:lambda,gamma``.

    >>> from theory.problems.catalogue import catalogue_problem
    >>> found = stability_map(catalogue_problem("baird"), "td-lambda:lambda,gamma", certify=True)
    >>> bool(found.stable[0].all()), bool(found.stable[-1].all())  # γ = 0, and γ near 1
    (True, False)
    """
    tell = Quiet() if progress is None else progress
    name, _, axes = over.rpartition(":")
    alpha = default_step_size(problem)
    method = find_method(name or over, {"alpha": alpha, **(given or {})})
    chosen = [axis.strip() for axis in axes.split(",")]
    for axis in chosen:
        if axis != "gamma" and axis not in method.parameters():
            has = ", ".join([*method.parameters(), "gamma"])
            raise InvalidProblem(f"{method.name} has no parameter {axis!r}; it has {has}", "over")
    if not name or len(chosen) != 2 or chosen[0] == chosen[1]:
        raise InvalidProblem(f"must be METHOD:x,y with two different parameters, got {over!r}", "over")
    count = CERTIFIED if certify else POINTS
    xs, ys = (grid(method, axis, alpha, count) for axis in chosen)
    floats = float_model(problem)
    exact = exact_model(problem) if certify else None
    margins, answers = np.full((len(ys), len(xs)), np.nan), np.zeros((len(ys), len(xs)), dtype=int)
    for i, y in enumerate(ys):
        tell.say(f"{chosen[1]} {i + 1} of {len(ys)}")
        for j, x in enumerate(xs):
            margins[i, j] = margin(*_with(method, floats, chosen, (x, y)))
            if exact is not None:
                answers[i, j] = _certified(method, problem, exact, chosen, (x, y))
    return StabilityMap(problem, method, chosen[0], chosen[1], xs, ys, margins, answers if certify else None)


def grid(method: Method, name: str, alpha: Fraction, count: int) -> tuple[Fraction, ...]:
    """Values of a parameter: even ones of γ and λ, powers of others, whole ones where it is whole."""
    limits = GAMMA if name == "gamma" else method.parameters()[name]
    if limits.whole:
        top = 2**10 if name == "window" else 2**6
        values = sorted({round(float(top) ** (j / (count - 1))) for j in range(count)})
        return tuple(Fraction(v) for v in values)
    if name == "tau":
        return tuple(Fraction(2 ** (-10 * (1 - j / (count - 1)))).limit_denominator(10**6) for j in range(count))
    if limits.high is not None:
        low = int(limits.low_open)
        return tuple(Fraction(j + low, count - 1 + low + int(limits.high_open)) for j in range(count))
    middle = alpha if name == "alpha" else Fraction(1)
    step = Fraction(16, count - 1)  # powers of two, ± 8 octaves; of α up to 4 times the default
    top = 2 if name == "alpha" else 8
    return tuple(middle * Fraction(2 ** float(top - 16 + step * j)).limit_denominator(10**6) for j in range(count))


def _with(
    method: Method, model: LinearModel, names: list[str], values: tuple[Fraction, Fraction]
) -> tuple[Method, LinearModel]:
    for name, value in zip(names, values, strict=True):
        if name == "gamma" and not model.exact:
            model = model.at(float(value))
        else:
            method, model = with_value(method, model, name, value)
    return method, model


def _certified(
    method: Method, problem: Problem, model: LinearModel, names: list[str], values: tuple[Fraction, Fraction]
) -> int:
    chosen, here = _with(method, model, names, values)
    at = dict(zip(names, values, strict=True))
    where = problem.with_gamma(at["gamma"]) if "gamma" in at else problem
    return outcome(chosen, where, here).holds.pick(1, 0, -1)
