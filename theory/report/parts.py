"""The parts of the report: what is computed, from which request, by which code, by which command again.

Every figure is a part. Some parts come in many units with stores of their own, from which they resume: the random
problems and table 1, sampled and by its expectations. The others are one function each, run side by side on the
executor, and their results are kept whole (`Results`), each under a key of everything that determines it: its name,
the request, and the version of the code that computes it. The report is written from what is read back, so that a
first and a second run cannot differ. What the Coq kernel said is kept by `theory verify --coq`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from theory.code_version import code_version
from theory.coq.compiler import CoqMissing, find_coqc
from theory.experiments.table1 import Table1, run_table1
from theory.experiments.table1 import default_store as table1_store
from theory.experiments.table1.expected import default_store as expected_store
from theory.experiments.table1.expected import expected_table
from theory.experiments.table1.paper import LEARNERS
from theory.figures import FigureSpec, figure_spec, figure_specs
from theory.figures._figure import Work
from theory.montecarlo.executors import results
from theory.propositions.kernel_checked import ask, remembered
from theory.report.examples import examples
from theory.report.verification import attack, closed_forms, verify_all
from theory.store import Store

_OF_ALL = "theory report: each result has the version of its own code"


@dataclass(frozen=True)
class Result:
    """A part's result, and how it came about: here and now or earlier, and how many seconds that took."""

    value: Any
    seconds: float
    fresh: bool


class Results:
    """The store of results in a folder, which is made where there is none; `get` is None where there is no result."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "report.sqlite"

    def get(self, name: str, key: dict[str, Any]) -> Result | None:
        """The result that was put last."""
        with Store(self.path, _OF_ALL) as store:
            found = [value for *_, value in store.rows(_what(name, key), _unsound)]
        return Result(found[-1]["result"], found[-1]["seconds"], fresh=False) if found else None

    def put(self, name: str, key: dict[str, Any], value: Any, seconds: float) -> Result:
        """Keep it, whole or not at all, and give it as it will be read."""
        kept = {"seconds": round(seconds, 2), "result": value}
        with Store(self.path, _OF_ALL) as store:
            what = _what(name, key)
            store.put(what, len(store.known(what)), 1, kept)
        return Result(json.loads(json.dumps(value)), kept["seconds"], fresh=True)


def _what(name: str, key: dict[str, Any]) -> str:
    return json.dumps([name, key], sort_keys=True)


def _unsound(_: int, value: Any) -> str | None:
    sound = isinstance(value, dict) and set(value) == {"seconds", "result"} and type(value["seconds"]) in (int, float)
    return None if sound else "does not hold a result with its seconds"


Watch = Callable[[str, float], None]  # a part's name, and how much of it is done, from 0 to 1
# Statements are found by their names, not by imports: hence the whole package.
_EXACT = ("theory.propositions", "theory.report.verification")


@dataclass(frozen=True)
class Request:
    """What is asked: the profile by name, the seed, and what the profile means for each part."""

    profile: str
    seed: int
    table1: Table1
    mutants: int | None  # of each identity; None: all
    expected: tuple[str, ...] = LEARNERS  # the rows of table 1 that are computed without sampling

    @classmethod
    def of(cls, profile: str, seed: int) -> Request:
        """quick: minutes; full: everything as in the paper, eight repetitions of table 1 with its other readings."""
        table1 = Table1("full", 8, seed, readings=True) if profile == "full" else Table1(profile, 1, seed)
        # The concurrent chain's pairs of heads take minutes.
        rows = tuple(name for name in LEARNERS if profile == "full" or name != "chained-concurrent")
        return cls(profile, seed, table1, None if profile == "full" else 14, rows)


@dataclass(frozen=True)
class Part:
    """One function of the request; `seconds` is what it takes about, quick and full, in a process of its own."""

    name: str
    compute: Callable[[Request], Any]
    command: str  # with {profile} and {seed}
    code: tuple[str, ...]  # the modules and packages that compute it
    seconds: tuple[float, float]
    depends: tuple[str, ...] = ()  # fields of the request that matter

    def key(self, request: Request) -> dict[str, Any]:
        return {name: getattr(request, name) for name in self.depends} | {"version": code_version(*self.code)}


def _verify(request: Request) -> Any:
    return verify_all()


def _attack(request: Request) -> Any:
    return attack(request.mutants)


def _closed_forms(request: Request) -> Any:
    return closed_forms()


def _examples(request: Request) -> Any:
    return examples()


def _shown(name: str, request: Request) -> Any:
    return figure_spec(name).result(request.profile, request.seed)


def _part(shown: FigureSpec[Any]) -> Part:
    """A figure without a store is one function."""
    module = f"theory.figures.{shown.name.replace('-', '_')}"
    depends = ("profile", "seed") if shown.sampled else ()
    command = shown.command("{profile}", "{seed}")
    return Part(shown.name, partial(_shown, shown.name), command, (module,), shown.seconds, depends)


TABLE1, EXPECTED, DRAWING, COQ = "table-1", "table-1-exact", "figures", "coq"
IN_UNITS = [shown for shown in figure_specs() if shown.kept is not None]
# The longest first, so that no process is left alone with one at the end.
PARTS = sorted(
    (
        Part("statements", _verify, "theory verify --strict", _EXACT, (5, 5)),
        Part("mutants", _attack, "theory report --profile {profile}", _EXACT, (7, 15),
             ("mutants",)),
        Part("closed-forms", _closed_forms, "theory verify --latex", _EXACT, (0, 0)),
        Part("examples", _examples, "theory inspect NAME",
             ("theory.report.examples",), (2, 2)),
        *(_part(shown) for shown in figure_specs() if shown.kept is None),
    ),
    key=lambda part: -part.seconds[0],
)  # fmt: skip
# What everything takes about, in seconds, quick and full, for the display of the remaining time only, on two cores,
# where two parts run at a time. Figures that share table 1's store find their units there.
COSTS = (
    {part.name: (part.seconds[0] / 2, part.seconds[1] / 2) for part in PARTS}
    | {shown.name: (shown.seconds[0] / 2, shown.seconds[1] / 2) for shown in IN_UNITS}
    | {shown.name: (0.0, 0.0) for shown in IN_UNITS if shown.kept is not None and shown.kept.store is table1_store}
    | {TABLE1: (20.0, 1200.0), EXPECTED: (30.0, 240.0), DRAWING: (12.0, 15.0), COQ: (0.0, 80.0)}
)


def results_of(
    request: Request, folder: Path, executor: Executor | None = None, watch: Watch | None = None
) -> dict[str, Result]:
    """Every part's result by name; what the stores in `folder` hold is not computed again."""
    watch = watch or (lambda *_: None)
    kept = Results(folder)
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
    whole[COQ] = _kernel(request, watch)
    units = _Units(request, folder, executor, watch)
    whole[TABLE1] = units.result(TABLE1, table1_store(folder), partial(_table1, request.table1), str(request.table1))
    exactly = partial(_expected, request, whole[TABLE1].value["cells"])
    whole[EXPECTED] = units.result(EXPECTED, expected_store(folder), exactly, str((request.table1, request.expected)))
    for shown in IN_UNITS:
        assert shown.kept is not None
        compute = partial(shown.result, request.profile, request.seed)
        whole[shown.name] = units.result(shown.name, shown.kept.store(folder), compute, request.profile)
    return whole


def _kernel(request: Request, watch: Watch) -> Result:
    """What the Coq kernel has said of this version; None where it was not asked, which the full profile does."""
    found = remembered()
    fresh = found is None and request.profile == "full" and _has_coq()
    if fresh:
        found = ask(partial(watch, COQ))
    watch(COQ, 1.0)
    return Result(found, 0.0 if found is None else found["totals"]["seconds"], fresh)


def _has_coq() -> bool:
    try:
        return bool(find_coqc())
    except CoqMissing:
        return False


def _computed(parts: list[Part], request: Request, executor: Executor | None) -> Iterator[tuple[Part, Any, float]]:
    for part, (value, seconds) in results(iter(parts), partial(_timed, request), executor):
        yield part, value, seconds


def _timed(request: Request, part: Part) -> tuple[Any, float]:
    begun = time.perf_counter()
    return part.compute(request), time.perf_counter() - begun


def _table1(asked: Table1, work: Work) -> Any:
    assert work.store is not None
    return run_table1(asked, work.store, work.executor, work.progress)


def _expected(request: Request, cells: list[dict[str, Any]], work: Work) -> Any:
    assert work.store is not None
    return expected_table(request.table1.scale, work.store, cells, request.expected, work.executor, work.progress)


@dataclass(frozen=True)
class _Units:
    """What comes in units is put together from its store; only the time it took is kept beside that."""

    request: Request
    folder: Path
    executor: Executor | None
    watch: Watch

    def result(self, name: str, path: Path, compute: Callable[[Work], Any], asked: str) -> Result:
        begun, counted = time.perf_counter(), _Counted(name, self.watch)
        with Store(path) as store:
            value = compute(Work(store, self.executor, counted))
        self.watch(name, 1.0)
        key = {"asked": asked, "seed": self.request.seed, "store": path.name}
        times, seconds = Results(self.folder), time.perf_counter() - begun
        earlier = times.get(name, key)
        if counted.fresh:
            seconds += earlier.seconds if earlier is not None else 0.0
            return Result(value, times.put(name, key, None, seconds).seconds, fresh=True)
        return Result(value, 0.0 if earlier is None else earlier.seconds, fresh=False)


class _Counted:
    """Progress over rounds of units: how much of a round is done, and how much in all was not found but computed."""

    def __init__(self, name: str, watch: Watch) -> None:
        self.name, self.watch, self.fresh = name, watch, 0

    def __call__(self, done: int, total: int, found: int) -> None:
        self.fresh += done > found
        self.watch(self.name, done / max(total, 1))
