"""Slow questions beside the page: asked with a button, computed in a thread, shown when they are done.

The page's own thread stays free for the sliders; while a job runs, the page looks after it once a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from theory.exact.verdicts import chain_unbiased, td_stable
from theory.experiments.flips import nearest_flips
from theory.experiments.search import SearchResult, Wanted, search_problem
from theory.explorer.panels import UPDATES, Curves, start
from theory.explorer.view import View
from theory.problems import InvalidProblem

SEARCH_SECONDS = 20.0
SEEDS = 20
_WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="explorer")


@dataclass(frozen=True, eq=False)
class Job:
    """A question under way; `kind` says what its answer is."""

    kind: str  # "flips", "search", "sampled"
    title: str
    future: Future[Any] = field(repr=False)
    begun: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> bool:
        return self.future.done()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    @property
    def answer(self) -> tuple[Any, str]:
        """The result, or None and one line on what went wrong."""
        error = self.future.exception()
        if error is None:
            return self.future.result(), ""
        return None, " ".join(str(error).split()) or type(error).__name__

    def settled(self) -> Job:
        """The same job as a new object, so that a page that looks after it notices the end."""
        return replace(self)


def ask(kind: str, title: str, question: Callable[[], Any]) -> Job:
    """Start a job; one runs at a time, the others wait."""
    return Job(kind, title, _WORKER.submit(question))


def ask_flips(view: View) -> Job:
    """What is the smallest change that crosses a line?"""
    return ask("flips", f"nearest flips of {view.problem.name}", lambda: nearest_flips(view.problem, per_kind=2))


def ask_search(td: str, chain: str, states: int, features: int, seed: int = 0) -> Job:
    """A problem in that quadrant."""
    wanted = Wanted(td, chain)
    title = f"a problem with {states} states and {features} features, TD {td}, chain {chain}"
    return ask("search", title, lambda: search_problem(wanted, states, features, seed, time_limit=SEARCH_SECONDS))


def ask_other_side(view: View, boundary: str) -> Job:
    """A problem of the same size on the other side of one line, and on the same side of the other."""
    td, chain = td_stable(view.problem).holds, chain_unbiased(view.problem).holds
    want_td, want_chain = (not td, bool(chain)) if boundary == "td" else (bool(td), not chain)
    words = "stable" if want_td else "unstable", "unbiased" if want_chain else "biased"
    return ask_search(*words, view.problem.n_states, view.problem.n_features)


def found_problem(result: SearchResult) -> Any:
    """The problem of a search, or the reason for none as an error."""
    if result.problem is not None:
        return result.problem
    raise InvalidProblem(result.impossible or f"nothing was found: {result.tried}")


def ask_sampled(view: View, seed: int = 0) -> Job:
    """Sampled learners on the same transitions: the median error over the seeds."""
    return ask("sampled", f"{SEEDS} sampled runs on {view.problem.name}", lambda: sampled_curves(view, seed))


def sampled_curves(view: View, seed: int) -> Curves:
    """Median RMSE over seeds of off-policy TD, the target network and the concurrent chain."""
    from theory.learners.bulk.initials import Initials
    from theory.learners.bulk.run import run_bulk
    from theory.learners.registry import heads_of
    from theory.problems.sampling import sample_transitions

    problem, alpha = view.problem.realised(), float(view.alpha)
    moves = sample_transitions(np.random.default_rng(seed), problem, UPDATES, SEEDS)
    marks = np.arange(0, UPDATES + 1, 10)
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "off-policy TD": ("off-policy-td", {"alpha": [alpha]}),
        f"target network, T = {view.window}": ("target-network", {"alpha": [alpha], "window": [view.window]}),
        f"chain, head {view.heads}": ("chained-concurrent", {"alpha": [alpha], "k": [view.heads]}),
    }
    curves: Curves = {}
    for name, (learner, settings) in asked.items():
        theta = np.tile(start(view), (SEEDS, heads_of(learner, view.heads), 1))
        result = run_bulk(learner, problem, settings, moves, Initials(theta), marks=marks)
        assert result.curve is not None
        with np.errstate(invalid="ignore"):
            error = np.sqrt(np.median(result.curve[0], axis=0))
        curves[name] = (marks, np.where(np.isfinite(error), error, np.inf))
    return curves
