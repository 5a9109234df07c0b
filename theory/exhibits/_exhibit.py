"""What an exhibit is: one figure with its data, from the sizes of a profile to the words below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from theory.problems import InvalidProblem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.store import Store

Data = dict[str, Any]  # what `compute` gives: plain data, as JSON has it
Row = dict[str, Any]
Progress = Callable[[int, int, int], None]  # units done, of all, of which found in the store
S = TypeVar("S")

# The report's sections with figures, in its order; within one, exhibits stand by name.
SECTIONS = OFTEN, CURVES, BEYOND = "How often? Random problems", "Learning curves", "Beyond the paper"
EVERY = "every profile"  # the only size of an exhibit that draws nothing at random


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
class Exhibit(Generic[S]):
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

    def made_for(self, **given: Any) -> Exhibit[S]:
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
