"""The parts of the report: what is computed, from which request, on which sources, by which command again.

Two parts come in many units with stores of their own, from which they resume: the random problems and table 1. The
others are one function each, run side by side on the executor, and their results are kept whole (`results`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from theory.experiments import family_figures, paper_figures, success_rate
from theory.experiments.table1 import Table1, run_table1
from theory.experiments.table1 import default_store as table1_store
from theory.montecarlo.running import results
from theory.montecarlo.store import Store
from theory.montecarlo.store import default_store as success_rate_store
from theory.report.examples import examples
from theory.report.results import Result, Results, sources
from theory.report.verification import attack, closed_forms, verify_all

Watch = Callable[[str, float], None]  # a part's name, and how much of it is done, from 0 to 1
_EXACT = ("problems", "linear", "exact", "symbolic", "propositions", "report/verification.py")
_LEARNT = ("problems", "linear", "learners", "experiments")


@dataclass(frozen=True)
class Request:
    """What is asked: the profile by name, the seed, and what the profile means for each part."""

    profile: str
    seed: int
    table1: Table1
    mutants: int | None  # of each identity; None: all

    @classmethod
    def of(cls, profile: str, seed: int) -> Request:
        """quick: minutes; full: everything as in the paper, eight repetitions of table 1 with its other readings."""
        table1 = Table1("full", 8, seed, readings=True) if profile == "full" else Table1(profile, 1, seed)
        return cls(profile, seed, table1, None if profile == "full" else 14)


@dataclass(frozen=True)
class Part:
    """One function of the request; `seconds` is what it takes about, quick and full, in a process of its own."""

    name: str
    compute: Callable[[Request], Any]
    command: str  # with {profile} and {seed}
    sources: tuple[str, ...]
    seconds: tuple[float, float]
    depends: tuple[str, ...] = ()  # fields of the request that matter

    def key(self, request: Request) -> dict[str, Any]:
        return {name: getattr(request, name) for name in self.depends} | {"sources": sources(*self.sources)}


def _verify(request: Request) -> Any:
    return verify_all()


def _attack(request: Request) -> Any:
    return attack(request.mutants)


def _closed_forms(request: Request) -> Any:
    return closed_forms()


def _examples(request: Request) -> Any:
    return examples()


def _expected_updates(request: Request) -> Any:
    return paper_figures.expected_updates()


def _n_step_chains(request: Request) -> Any:
    return paper_figures.n_step_chains(request.profile, request.seed)


def _transients(request: Request) -> Any:
    return family_figures.transients()


def _bias_variance(request: Request) -> Any:
    return family_figures.bias_variance(request.profile, request.seed)


def _best_window(request: Request) -> Any:
    return family_figures.best_window(request.profile, request.seed)


_DRAWN = ("profile", "seed")
PARTS = (
    Part("bias-variance", _bias_variance, "theory figure bias-variance --profile {profile} --seed {seed}", _LEARNT,
         (7, 89), _DRAWN),
    Part("n-step-chains", _n_step_chains, "theory figure n-step-chains --profile {profile} --seed {seed}", _LEARNT,
         (7, 10), _DRAWN),
    Part("statements", _verify, "theory verify --strict", _EXACT, (5, 5)),
    Part("examples", _examples, "theory inspect NAME", ("problems", "linear", "exact", "experiments/inspection.py",
         "report/examples.py"), (2, 2)),
    Part("mutants", _attack, "theory report --profile {profile}", _EXACT, (7, 15), ("mutants",)),
    Part("expected-updates", _expected_updates, "theory figure expected-updates", _LEARNT, (1, 1)),
    Part("transient", _transients, "theory figure transient", _LEARNT, (2, 2)),
    Part("best-window", _best_window, "theory figure best-window --profile {profile} --seed {seed}", _LEARNT,
         (3, 18), _DRAWN),
    Part("closed-forms", _closed_forms, "theory verify --latex", _EXACT, (0, 0)),
)  # fmt: skip
SUCCESS_RATE, TABLE1, DRAWING = "success-rate", "table-1", "figures"
# What everything takes about, in seconds, quick and full, for the display of the remaining time only. Those of the full
# profile are measured on two cores, where two parts run at a time.
COSTS = {part.name: (part.seconds[0] / 2, part.seconds[1] / 2) for part in PARTS} | {
    TABLE1: (20.0, 1200.0), SUCCESS_RATE: (30.0, 800.0), DRAWING: (12.0, 15.0),
}  # fmt: skip


def results_of(
    request: Request, folder: Path, executor: Executor | None = None, watch: Watch | None = None
) -> dict[str, Result]:
    """Every part's result by name; what the stores in `folder` hold is not computed again."""
    watch = watch or (lambda *_: None)
    kept = Results(folder / "report")
    found = {part.name: kept.get(part.name, part.key(request)) for part in PARTS}
    for name, result in found.items():
        if result is not None:
            watch(name, 1.0)
    missing = [part for part in PARTS if found[part.name] is None]
    if missing:
        watch(missing[0].name, 0.0)
    for part, value, seconds in _computed(missing, request, executor):
        found[part.name] = kept.put(part.name, part.key(request), value, seconds)
        watch(part.name, 1.0)
    whole = {name: result for name, result in found.items() if result is not None}
    whole[TABLE1] = _in_units(TABLE1, request, folder, executor, watch)
    whole[SUCCESS_RATE] = _in_units(SUCCESS_RATE, request, folder, executor, watch)
    return whole


def _computed(parts: list[Part], request: Request, executor: Executor | None) -> Iterator[tuple[Part, Any, float]]:
    for part, (value, seconds) in results(iter(parts), partial(_timed, request), executor):
        yield part, value, seconds


def _timed(request: Request, part: Part) -> tuple[Any, float]:
    begun = time.perf_counter()
    return part.compute(request), time.perf_counter() - begun


class _Counted:
    """Progress over several rounds of units: how much is done, and how much of that was found."""

    def __init__(self, name: str, whole: int, watch: Watch) -> None:
        self.name, self.whole, self.watch = name, whole, watch
        self.before = self.last = self.fresh = 0

    def __call__(self, done: int, total: int, found: int) -> None:
        if done == found:  # a round begins
            self.before, self.last = self.last, self.last
        self.last = self.before + done
        self.fresh += done > found
        self.watch(self.name, min(self.last / max(self.whole, 1), 1.0))


def _in_units(name: str, request: Request, folder: Path, executor: Executor | None, watch: Watch) -> Result:
    begun = time.perf_counter()
    if name == TABLE1:
        with Store(table1_store(folder)) as store:
            counted = _Counted(name, len(request.table1.units()), watch)
            value: Any = run_table1(request.table1, store, executor, counted)
            version = store.path
    else:
        studies = success_rate.studies(request.profile, request.seed).values()
        command = f"theory figure success-rate --profile {request.profile} --seed {request.seed}"
        with Store(success_rate_store(folder)) as store:
            counted = _Counted(name, sum(s.samples * len(s.cells) for s in studies), watch)
            value = success_rate.run(store, request.profile, request.seed, executor, counted, command)
            version = store.path
    watch(name, 1.0)
    # The numbers are always put together from the store; only the time it took is kept beside it.
    asked = replace(request.table1, custom=None) if name == TABLE1 else request.profile
    key = {"asked": str(asked), "seed": request.seed, "store": "" if version is None else version.name}
    times, seconds = Results(folder / "report"), time.perf_counter() - begun
    earlier = times.get(name, key)
    if counted.fresh:
        seconds += earlier.seconds if earlier is not None else 0.0
        return Result(value, times.put(name, key, None, seconds).seconds, fresh=True)
    return Result(value, 0.0 if earlier is None else earlier.seconds, fresh=False)
