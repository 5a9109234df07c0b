"""What a figure is: one figure with its data, from the sizes of a profile to the words below it; and which there are.

They are found by their files, and one is imported only when it is asked for.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from theory.problems import InvalidProblem
from theory.problems.numbers import did_you_mean
from theory.text.words import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.store import Store

Data = dict[str, Any]  # what `compute` gives: plain data, as JSON has it
Row = dict[str, Any]
Progress = Callable[[int, int, int], None]  # units done, of all, of which found in the store
S = TypeVar("S")

FOLDER = Path(__file__).parent
# The report's sections with figures, in its order; within one, figures stand by name.
SECTIONS = OFTEN, CURVES, BEYOND = "How often? Random problems", "Learning curves", "Beyond the paper"
PROFILES = ("quick", "full")
EVERY = "every profile"  # the only size of a figure that draws nothing at random


@dataclass(frozen=True)
class Caption:
    """What stands below a figure, what is to be seen in it, and how much went into it."""

    text: str
    alt: str
    amount: str


@dataclass(frozen=True)
class Kept:
    """Long work comes in units, which a store keeps: its file in a folder, and the version of what computes them."""

    store: Callable[[Path], Path]
    version: Callable[[], str]
    noun: str = "units"


@dataclass(frozen=True)
class Work:
    """Where units are kept and run: by default nowhere, and here."""

    store: Store | None = None
    executor: Executor | None = None
    progress: Progress | None = None

    def open_store(self) -> AbstractContextManager[Store]:
        """The store that was given, which stays open; else one in memory."""
        from theory.store import Store

        return Store(None) if self.store is None else nullcontext(self.store)


@dataclass(frozen=True)
class Size:
    """How many moves and seeds figures beyond the paper run learners for, and with which step sizes."""

    steps: int
    seeds: int
    step_sizes: tuple[float, ...]


SIZES = {
    "quick": Size(20_000, 20, tuple(2.0 ** (-i / 3) for i in range(1, 41, 3))),
    "full": Size(100_000, 100, tuple(2.0 ** (-i / 3) for i in range(1, 41))),
}
WINDOWS = tuple(2**i for i in range(13))


@dataclass(frozen=True)
class FigureSpec(Generic[S]):
    """One figure. `compute` gets a size, a seed and the work; `rows`, `plot` and `caption` get what it gave."""

    title: str
    section: str
    sizes: Mapping[str, S]  # by profile, or of `EVERY`
    compute: Callable[[S, int, Work], Data]
    rows: Callable[[Data], list[Row]]
    plot: Callable[[Data], Figure]
    caption: Callable[[Data], Caption]
    seconds: tuple[float, float]  # about, quick and full, in one process
    kept: Kept | None = None
    of: Callable[..., S] | None = None  # the size of one that is drawn for a problem: problem, over, letters, gamma
    whole: bool = False  # written as JSON, too, for what the CSV leaves out
    name: str = field(default="", compare=False)  # the file's; the listing gives it

    @property
    def sampled(self) -> bool:
        """Do profile and seed matter?"""
        return EVERY not in self.sizes

    def made_for(self, **given: Any) -> FigureSpec[S]:
        """The same of another problem: what `of` takes."""
        if self.of is None:
            raise InvalidProblem(f"is not drawn of a problem: it takes no {', '.join(given)}", self.name)
        if "problem" in given and "over" not in given:
            raise InvalidProblem("is missing: two letters such as gamma,phi[1,1]", "over")
        return replace(self, sizes={EVERY: self.of(**given)})

    def result(self, profile: str = "quick", seed: int = 0, work: Work | None = None) -> Data:
        """The data of the figure."""
        wanted = profile if self.sampled else EVERY
        if wanted not in self.sizes:
            raise InvalidProblem(f"no profile named {profile!r}; there are {', '.join(self.sizes)}", "profile")
        return self.compute(self.sizes[wanted], seed, work or Work())

    def command(self, profile: str, seed: int | str, result: Data | None = None) -> str:
        """What to type for this figure alone."""
        options = f" {result['options']}" if result is not None and "options" in result else ""
        return f"theory figure {self.name}{options}" + (f" --profile {profile} --seed {seed}" if self.sampled else "")


@cache
def names() -> tuple[str, ...]:
    """Every figure's name, by the alphabet."""
    found = (m.name for m in iter_modules([str(FOLDER)]) if not m.ispkg and not m.name.startswith("_"))
    return tuple(sorted(name.replace("_", "-") for name in found))


@cache
def figure_spec(name: str) -> FigureSpec[Any]:
    """The figure of a name, or one line that says which there are."""
    if name not in names():
        raise InvalidProblem(f"no figure named {name!r}; {did_you_mean(name, names(), f'there are {listed(names())}')}")
    module = importlib.import_module(f"{__package__}.{name.replace('-', '_')}")
    return replace(module.FIGURE, name=name)


def figure_specs() -> list[FigureSpec[Any]]:
    """All of them, in the order of the report: by section, then by name."""
    return sorted((figure_spec(name) for name in names()), key=lambda e: (SECTIONS.index(e.section), e.name))


def family(name: str) -> list[str]:
    """The figure of this name and those named after it: ``success-rate``, ``success-rate-map``, …"""
    return [other for other in names() if other == name or other.startswith(f"{name}-")]


def first_line(name: str) -> str:
    """What a figure's file says of itself, without importing it."""
    source = (FOLDER / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
