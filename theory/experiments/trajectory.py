r"""Expected trajectories: what a method does on average from a given start, update by update, in floats.

A method's `Expected` iteration moves z (θ, and with some methods a second vector behind it):

    mean        z ← z + α(vector − matrix z)
    iteration   z ← matrix z + vector
    direct      z solves matrix z = vector, from the first update on

Formulas are in r independent features, w = Rθ (`theory.model.linear_model`). The rest of θ, in ker Φ, changes no value:
there every feature is zero, and the method on one zero feature says what becomes of it (a ridge shrinks it). A method
that inverts X says nothing there, and leaves it where it is.

A *sweep* is an update over all states, each counted once, as in dynamic programming, in place of the weights d_μ
(Sutton and Barto 2018, figure 11.2, right). The errors are

    uniform   √(Σ_s (v(s) − v_π(s))²/S)        d_μ   the same weighted by d_μ, √VE        PBE   ‖Π(r + γPv − v)‖, √PBE
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.experiments.inspection import default_step_size
from theory.learners.rule import one_of
from theory.learners.value_space import ERRORS
from theory.methods.family import find_method
from theory.methods.method import Method
from theory.model.linear_model import FloatModel, float_model
from theory.model.points import starting_point, target_values
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray, as_number, show_number
from theory.text.words import count
from theory.views.page import Column, Page, Viewable, data_frame, dim, prose, strong, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 20_000_000  # numbers that are kept: 160 MB
SHOWN = 12  # rows of a printed table


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Viewable):
    """θ_0, …, θ_N of a method's expected updates, what they predict, and their errors; in floats."""

    problem: Problem
    method: Method
    step_size: Fraction | None  # None: the method has none beside its parameters
    sweep: bool
    measure: str  # the error that `error` is
    theta: FloatArray  # (N + 1, F)
    values: FloatArray  # (N + 1, S)
    errors: dict[str, FloatArray]  # (N + 1,) each, by measure
    radius: float | None  # ρ of one update's matrix, None where it is solved at once

    @property
    def error(self) -> FloatArray:
        """(N + 1,), in the measure that was asked for."""
        return self.errors[self.measure]

    @property
    def steps(self) -> int:
        """N."""
        return len(self.theta) - 1

    @property
    def label(self) -> str:
        """The method with its numbers."""
        size = "" if self.step_size is None else f", α = {show_number(self.step_size)}"
        return f"{self.method.label}{size}"

    def to_dict(self) -> dict[str, Any]:
        """The document of ``theory trajectory --json``; what has left the range of doubles is null."""
        return {
            "problem": self.problem.name,
            "gamma": str(Fraction(self.problem.given.gamma)),
            "method": self.method.name,
            "parameters": self.method.parameter_texts,
            "step_size": None if self.step_size is None else str(self.step_size),
            "sweep": self.sweep,
            "certified": False,
            "radius": self.radius,
            "steps": self.steps,
            "theta": self.theta,
            "values": self.values,
            "error": self.error,
            "errors": self.errors,
        }

    def page(self) -> Page:
        """Some of its updates."""
        marks = sorted({0, *np.geomspace(1, max(self.steps, 1), SHOWN - 1).astype(int).tolist()})
        headings = (
            "update",
            Column("√VE"),
            Column("uniform", drop=2),
            Column("√PBE", drop=1),
            Column("θ", True, below=True),
        )
        rows = [
            (
                f"{t:,}",
                *(_number(self.errors[name][t]) for name in ("d_mu", "uniform", "pbe")),
                f"({', '.join(_number(x) for x in self.theta[t])})",
            )
            for t in marks[: 1 if self.steps == 0 else None]
        ]
        each = "each update a sweep over all states" if self.sweep else "states weighted by d_μ"
        notes = "√VE: root mean square error against v_π weighted by d_μ; √PBE: projected Bellman error. In floats."
        return Page(
            (
                prose(
                    strong(self.problem.name), f"  {self.label}, γ = {show_number(self.problem.given.gamma)}, {each}"
                ),
                prose(),
                table(headings, rows),
                prose(),
                prose(self._ends()),
                prose(dim(notes)),
            )
        )

    def _ends(self) -> str:
        if self.radius is None:
            return "Solved at once: the first update is the last."
        if not np.isfinite(self.radius):
            return "One update's matrix is beyond double precision."
        text = f"One update multiplies the distance to the fixed point by a matrix with ρ = {self.radius:.6g}"
        return text + (": it converges." if self.radius < 1 else ": it does not converge." if self.radius > 1 else ".")

    def to_pandas(self) -> Any:
        """A frame with a row an update."""
        return data_frame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The same for CSV."""
        names = [f"theta_{i}" for i in range(self.theta.shape[1])]
        return [
            {"update": t} | {name: float(x[t]) for name, x in self.errors.items()} | dict(zip(names, row, strict=True))
            for t, row in enumerate(self.theta.tolist())
        ]

    def plot(self) -> Figure:
        """A matplotlib figure: the parameters, and the errors."""
        from theory.figures.live.trajectory import plot_trajectory

        return plot_trajectory(self)

    def __repr__(self) -> str:
        end = f"√VE {_number(self.errors['d_mu'][0])} → {_number(self.errors['d_mu'][-1])}"
        return f"<Trajectory of {self.label} on {self.problem.name}: {count(self.steps, 'update')}, {end}>"


def trajectory(
    problem: Problem,
    method: str,
    steps: int,
    start: str | Sequence[Any] = "zero",
    step_size: Any = None,
    sweep: bool = False,
    error: str = "uniform",
) -> Trajectory:
    """θ_0 = `start` and `steps` expected updates of a method as `find_method` reads it: ``td``, ``tdc:ratio=10``.

    The step size defaults to the largest power of two not above 1/λ_max(X).

    >>> from theory.problems.catalogue import catalogue_problem
    >>> found = trajectory(catalogue_problem("baird"), "td", 1000, [1, 1, 1, 1, 1, 1, 10, 1], "1/100")
    >>> bool(found.error[-1] > 7 * found.error[0])
    True
    """
    if steps < 0:
        raise InvalidProblem(f"must be 0 or more, got {steps}", "steps")
    one_of(error, ERRORS, "error")
    if (steps + 1) * (problem.n_states + problem.n_features) > MOST:
        raise InvalidProblem(f"{steps:,} updates of so many states are more than {MOST:,} numbers", "steps")
    size = default_step_size(problem) if step_size is None else Fraction(as_number(step_size, "step_size"))
    if size <= 0:
        raise InvalidProblem(f"must be positive, got {size}", "step_size")
    chosen = find_method(method, {"alpha": size})
    model = float_model(problem)
    moved = _swept(model) if sweep else model
    theta = np.asarray(starting_point(model, start))
    w = model.coordinates(theta)
    with np.errstate(all="ignore"):
        try:
            kind, M, vector = chosen.expected(moved)
        except np.linalg.LinAlgError:
            raise InvalidProblem("inverts a matrix that is singular here", chosen.name) from None
        path, radius = _iterates(chosen, kind, M, vector, size, w, steps)
        left = _silent(chosen, moved, size, steps)
        thetas = path @ (np.eye(model.rank) if model.R is None else model.R)
        if model.R is not None:
            thetas += left[:, None] * (theta - model.R.T @ w)
        thetas[0] = theta
        values = path @ model.Phi.T
        errors = _errors(problem, model, path, values)
    return Trajectory(problem, chosen, size if kind == "mean" else None, sweep, error, thetas, values, errors, radius)


def _swept(model: FloatModel) -> FloatModel:
    return replace(model, d=np.full(model.n_states, 1 / model.n_states))


def _iterates(
    method: Method, kind: str, M: FloatArray, vector: FloatArray, size: Fraction, w: FloatArray, steps: int
) -> tuple[FloatArray, float | None]:
    """(steps + 1, r): what is first in z; and ρ of one update's matrix."""
    r = len(w)
    path = np.empty((steps + 1, r))
    path[0] = w
    if kind == "direct":
        try:
            path[1:] = np.linalg.solve(M, vector)[:r]
        except np.linalg.LinAlgError:
            raise InvalidProblem("its system is singular: there is nothing to arrive at", method.name) from None
        return path, None
    if kind == "mean":
        M, vector = np.eye(len(M)) - float(size) * M, float(size) * vector
    z = np.concatenate([w, method.second(w)]) if len(M) > r else w
    for t in range(1, steps + 1):
        z = M @ z + vector
        path[t] = z[:r]
    return path, float(np.abs(np.linalg.eigvals(M)).max(initial=0.0)) if np.isfinite(M).all() else np.inf


def _silent(method: Method, model: FloatModel, size: Fraction, steps: int) -> FloatArray:
    """(steps + 1,): by how much a parameter that changes no value has shrunk."""
    zero = replace(model, Phi=np.zeros((model.n_states, 1)), R=None)
    try:
        return _iterates(method, *method.expected(zero), size, np.ones(1), steps)[0][:, 0]
    except (np.linalg.LinAlgError, InvalidProblem):
        return np.ones(steps + 1)


def _errors(problem: Problem, model: FloatModel, path: FloatArray, values: FloatArray) -> dict[str, FloatArray]:
    gap = values - target_values(problem)
    left = model.b_hat - path @ model.A_hat.T
    pbe = (left * np.linalg.solve(model.X_hat, left.T).T).sum(axis=1)
    squares = {"uniform": (gap * gap).mean(axis=1), "d_mu": gap * gap @ model.d, "pbe": np.maximum(pbe, 0.0)}
    return {name: np.sqrt(squares[name]) for name in ERRORS}


def _number(x: float) -> str:
    return f"{x:.4g}" if np.isfinite(x) else "∞"
