"""The slow questions themselves, as functions that run in another process and answer in plain texts and arrays."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from theory.experiments.flips import change_text, nearest_flips, then_text
from theory.experiments.search import Wanted, search_problem
from theory.explorer.noise_panel import stability
from theory.explorer.panels import UPDATES, Curves, start
from theory.explorer.view import View
from theory.problems import InvalidProblem, Problem

SEARCH_SECONDS = 20.0
SEEDS = 20


@dataclass(frozen=True, eq=False)
class Crossing:
    """A change that crosses a line, in words, and the problem beyond it."""

    change: str
    then: str
    size: float  # relative
    problem: Problem


@dataclass(frozen=True, eq=False)
class Found:
    """A problem of the wanted kind, or none; what was tried, or why there can be none."""

    problem: Problem | None
    text: str


def crossings(problem: Problem) -> list[Crossing]:
    """The nearest flips, two of each kind."""
    return [
        Crossing(change_text(flip, problem.state_labels), then_text(flip), flip.size, flip.problem)
        for flip in nearest_flips(problem, per_kind=2)
    ]


def other_problem(wanted: Wanted, states: int, features: int, seed: int, seconds: float) -> Found:
    """Search a problem of that kind."""
    result = search_problem(wanted, states, features, seed, time_limit=seconds)
    return Found(result.problem, result.tried if result.impossible is None else result.impossible)


def data_said(name: str, contents: bytes, gamma: Fraction) -> tuple[str, str]:
    """What recorded transitions say of TD and the chain, and of every method."""
    from theory.data.inspect import open_data

    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(contents)
        try:
            data = open_data(path, gamma)
            return str(data), str(data.compare())
        except InvalidProblem as error:  # which begins with a path that the visitor has never seen
            raise InvalidProblem(str(error).replace(f"{folder}/", "")) from None


def sampled_curves(view: View, seed: int) -> tuple[Curves, str]:
    """Median RMSE over seeds of off-policy TD, the target network and the concurrent chain; and what to know of it."""
    from theory.learners.driver import run_bulk
    from theory.learners.families import find_learner
    from theory.learners.streams import Initials, draw_transitions

    problem, alpha = view.problem.realised(), float(view.alpha)
    moves = draw_transitions(np.random.default_rng(seed), problem, UPDATES, SEEDS)
    marks = np.arange(0, UPDATES + 1, 10)
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "off-policy TD": ("off-policy-td", {"alpha": [alpha]}),
        f"target network, T = {view.window}": ("target-network", {"alpha": [alpha], "window": [view.window]}),
        f"chain, head {view.heads}": ("chained-concurrent", {"alpha": [alpha], "k": [view.heads]}),
    }
    curves: Curves = {}
    for name, (learner, settings) in asked.items():
        theta = np.tile(start(view), (SEEDS, find_learner(learner).n_vectors(view.heads), 1))
        result = run_bulk(learner, problem, settings, moves, Initials(theta), marks=marks)
        with np.errstate(invalid="ignore"):
            error = np.sqrt(np.median(result.curve[0], axis=0))
        curves[name] = (marks, np.where(np.isfinite(error), error, np.inf))
    return curves, stability(view)
