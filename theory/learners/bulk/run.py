r"""The one way into the kernels: a learner, columns of settings, shared transitions, starts.

Settings are columns of equal length, one row per setting: `alpha` for all but LSTD, `beta` for the gradient learners,
`lambda_` where there are traces, `n` for n-step learners, `window` for sequential chains and target networks, `k` for
whatever has heads. `grid` makes them from ranges. Chains are run once for all k. What is not swept is in `Options`.

Memory is bounded by one block of settings and one seed; only the results grow, (settings, seeds) each and, where
asked for, (settings, seeds, checkpoints).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.learners.bulk.concurrent import run_concurrent
from theory.learners.bulk.corrected import run_corrected
from theory.learners.bulk.data import value_space
from theory.learners.bulk.initials import Initials
from theory.learners.bulk.lanes import run_pair, run_single
from theory.learners.bulk.least_squares import run_lstd
from theory.learners.bulk.record import Record
from theory.learners.bulk.result import BulkResult
from theory.learners.bulk.turns import run_turns
from theory.learners.checks import count, one_of, positive
from theory.learners.concurrent import ORDERS
from theory.learners.gradient import READINGS
from theory.learners.registry import ACTION_VALUES, COLUMNS, HEADS, known
from theory.learners.sequential import AFTER
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array
from theory.problems.sampling import Transitions

SPACES = ("values", "parameters")
TYPES = ("float64", "float32")


@dataclass(frozen=True)
class Options:
    """What the paper leaves open (the first word is the default) and what is not swept."""

    reading: str = "textbook"  # gtd2, tdc, tdrc: ρ(δ − wᵀφ), or "2009": ρδ − wᵀφ
    kappa: float = 1.0  # tdrc: the ridge on w
    hot: bool = True  # sequential chain: start a head where the one before ended
    after: str = "wrap"  # sequential chain after its last head: wrap, stop, ring
    order: str = "jacobi"  # concurrent chain: simultaneous, or "in-place"
    normalise: bool = False  # concurrent chain: steps of length α
    rho_bar: float = 1.0  # V-trace
    c_bar: float = 1.0  # V-trace
    space: str = "values"  # td, off-policy-td, n-step, td-lambda, etd: "parameters" runs on θ itself
    dtype: str = "float64"  # "float32" is faster and less exact

    def __post_init__(self) -> None:
        words = {"reading": READINGS, "after": AFTER, "order": ORDERS, "space": SPACES, "dtype": TYPES}
        for field, choices in words.items():
            one_of(getattr(self, field), choices, field)
        positive(self, "kappa", "c_bar")
        if not self.rho_bar > 0:
            positive(self, "rho_bar")


def run_bulk(
    learner: str,
    problem: Problem,
    settings: Mapping[str, Any],
    transitions: Transitions,
    initials: Initials,
    *,
    options: Options | None = None,
    marks: Any = (),
    curve: bool | None = None,
    predictions: bool = False,
) -> BulkResult:
    """Run every setting on every seed; `marks` are checkpoints in moves, 0 being the start.

    `curve` (default: whenever there are marks) records squared errors at the checkpoints, `predictions` the
    seed-averaged prediction errors, which reading 6 needs.
    """
    known(learner)
    options = options or Options()
    columns = check_settings(learner, settings, initials.theta.shape[1])
    space = value_space(problem, action_values=learner in ACTION_VALUES)
    _check_starts(learner, initials, transitions, space.features.shape[1])
    # A pair is complete with the action after it, so action values learn from one move less.
    steps = transitions.steps - (1 if space.action_values else 0)
    if steps < 1:
        raise InvalidProblem("action values need at least two moves", "steps")
    checkpoints = np.asarray(marks, dtype=np.int64).reshape(-1)
    if np.any(np.diff(checkpoints) < 0) or np.any((checkpoints < 0) | (checkpoints > steps)):
        raise InvalidProblem(f"checkpoints must rise from 0 to at most {steps}", "marks")
    size = len(next(iter(columns.values())))
    with_curve = bool(len(checkpoints)) if curve is None else curve
    record = Record(size, transitions.seeds, space.states, steps, checkpoints, with_curve, predictions)
    given = (record, space, transitions, initials, columns)
    dtype = options.dtype
    if learner in ("gtd2", "tdc", "tdrc"):
        kappa = options.kappa if learner == "tdrc" else 0.0
        correction, textbook = learner != "gtd2", options.reading == "textbook"
        run_pair(*given, correction=correction, textbook=textbook, kappa=kappa, dtype=dtype)
    elif learner in ("chained-sequential", "target-network"):
        run_turns(*given, network=learner == "target-network", options=options, dtype=dtype)
    elif learner in ("chained-vtrace", "chained-retrace", "chained-q"):
        run_corrected(*given, learner=learner, options=options, dtype=dtype)
    elif learner in HEADS:
        run_concurrent(*given, options=options, dtype=dtype)
    elif learner == "lstd":
        run_lstd(*given)
    else:
        run_single(
            *given,
            corrected=learner != "td",
            emphatic=learner == "etd",
            traced=learner in ("etd", "td-lambda"),
            parameters=options.space == "parameters",
            dtype=dtype,
        )
    return record.result(learner, columns, dtype)


def check_settings(learner: str, settings: Mapping[str, Any], heads: int) -> dict[str, Array]:
    """Columns of equal length with values that can be meant; `heads` is K + 1."""
    allowed = COLUMNS[learner]
    for name in settings:
        if name not in allowed:
            raise InvalidProblem(f"{learner} has no setting {name!r}; it has {', '.join(allowed)}", "settings")
    columns: dict[str, Array] = {name: np.atleast_1d(np.asarray(column)) for name, column in settings.items()}
    if "k" in allowed and "k" not in columns:
        columns["k"] = np.array([heads - 1])
    missing = [name for name in allowed if name not in columns and name not in ("lambda_", "n")]
    if missing:
        raise InvalidProblem(f"{learner} needs {', '.join(missing)}", "settings")
    size = max(len(column) for column in columns.values())
    for name, column in columns.items():
        if column.ndim != 1 or len(column) not in (1, size) or size == 0:
            raise InvalidProblem(f"has shape {column.shape}, other columns have {size} rows", "settings", name)
        columns[name] = np.broadcast_to(column, size).copy()
        for i, value in enumerate(columns[name].tolist()):
            _check_value(name, value, heads, i)
    return columns


def _check_value(name: str, value: Any, heads: int, i: int) -> None:
    place = ("settings", name, i)
    if name in ("alpha", "beta") and not 0 < value < float("inf"):
        raise InvalidProblem(f"must be positive and finite, got {value}", *place)
    if name == "epsilon" and not 0 <= value < float("inf"):
        raise InvalidProblem(f"must be 0 or more and finite, got {value}", *place)
    if name == "lambda_" and not 0 <= value <= 1:
        raise InvalidProblem(f"must lie in [0, 1], got {value}", *place)
    if name in ("window", "n") and (value != int(value) or value < 1):
        raise InvalidProblem(f"must be an integer of 1 or more, got {value}", *place)
    if name == "k" and (value != int(value) or not 0 <= value < heads):
        raise InvalidProblem(f"head {value} does not exist: the last head is {heads - 1}", *place)


def _check_starts(learner: str, initials: Initials, transitions: Transitions, features: int) -> None:
    seeds, heads, F = initials.theta.shape
    count(transitions.seeds, 1, "seeds")
    if seeds != transitions.seeds:
        raise InvalidProblem(f"has starts for {seeds} seeds, the transitions have {transitions.seeds}", "initials")
    if features != F:
        raise InvalidProblem(f"has {F} parameters a head, {learner} has {features}", "initials")
    if learner == "target-network" and heads != 2:
        raise InvalidProblem(f"has {heads} heads, a target network has 2", "initials")
    if initials.w is not None and initials.w.shape != (seeds, F):
        raise InvalidProblem(f"auxiliary weights have shape {initials.w.shape}, not {(seeds, F)}", "initials")
