"""One state of the explorer: a problem, a point (γ, feature entry) near it, and the learners' settings.

A view never changes; a control makes a new one from it, and what cannot be shown is refused with `InvalidProblem`,
so that the last good view stays. A problem from the catalogue is built anew for each γ, since its other numbers may
depend on it (as ``theory inspect NAME --gamma`` does); any other keeps its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.experiments.inspection import default_step_size
from theory.explorer.texts import changed, short
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import is_exact

MAX_STATES = 64
MAX_WINDOW, MAX_HEADS, MAX_STEPS = 1_000_000, 256, 64


@dataclass(frozen=True, eq=False)
class View:
    """What the page shows; make the first one with `open_view`."""

    base: Problem
    spec: str | None  # the text that builds `base` again, where there is one
    gamma: Fraction
    alpha: Fraction
    window: int = 100  # T, updates per target network
    heads: int = 12  # k
    steps: int = 1  # n of an n-step chain
    tau: Fraction = Fraction(1, 8)  # share that a soft target takes
    entry: tuple[int, int] = (0, 0)  # which feature entry the slider moves
    value: Fraction | None = None  # where it was moved to
    opened: tuple[Problem, str | None] | None = None  # what `reset` shows again, and the text that builds it

    def __post_init__(self) -> None:
        _between("states", self.base.n_states, 1, MAX_STATES)
        _between("features", self.base.n_features, 1, MAX_STATES)
        _between("T", self.window, 1, MAX_WINDOW)
        _between("k", self.heads, 1, MAX_HEADS)
        _between("n", self.steps, 1, MAX_STEPS)
        if not 0 < self.tau <= 1:
            raise InvalidProblem("must be in (0, 1]", "tau")
        if self.alpha <= 0:
            raise InvalidProblem("must be positive", "step_size")
        for name, number in (("step_size", self.alpha), ("tau", self.tau), ("value", self.value or Fraction(1))):
            if not is_modest(number):
                raise InvalidProblem("is beyond double precision, or has more digits than the explorer shows", name)
        s, f = self.entry
        if not (0 <= s < self.base.n_states and 0 <= f < self.base.n_features):
            raise InvalidProblem(f"there is no feature {f} of state {s}", "features")
        self.problem  # noqa: B018  what cannot be built is refused here

    @cached_property
    def problem(self) -> Problem:
        """The problem at this view's γ and feature entry; with the entry moved, it is another one by name too."""
        problem = self._unmoved
        if not self.is_moved or self.value is None:
            return problem
        Phi = problem.given.Phi.copy()
        Phi[self.entry] = self.value if is_exact(Phi) else float(self.value)
        return changed(problem.with_features(Phi), problem.name)

    @property
    def is_moved(self) -> bool:
        """Is the chosen entry elsewhere than in the problem that `spec` names?"""
        return self.value is not None and self.value != self._unmoved.exact.Phi[self.entry]

    @cached_property
    def _unmoved(self) -> Problem:
        if self.gamma == self.base.exact.gamma:
            return self.base
        return _at(self.spec, self.gamma) or self.base.with_gamma(self.gamma)

    @property
    def entry_value(self) -> Fraction:
        """The chosen entry of Φ as it is now."""
        return self.problem.exact.Phi[self.entry]

    def change(self, **fields: Any) -> View:
        """The view with some fields changed."""
        return replace(self, **fields)

    def choose_entry(self, s: int, f: int) -> View:
        """Another entry for the slider; a change already made to the one before is kept."""
        if self.value is None:
            return replace(self, entry=(s, f))
        return replace(self, base=self.problem, spec=None, entry=(s, f), value=None)

    def show(self, problem: Problem, spec: str | None = None, **fields: Any) -> View:
        """Another problem at its own γ, with step size and entry chosen for it."""
        settings = {"window": self.window, "heads": self.heads, "steps": self.steps, "tau": self.tau}
        return open_view(problem, spec, **settings, **fields)

    def edited(self, problem: Problem) -> View:
        """The same problem with other numbers."""
        return self.show(problem, opened=self.opened)

    @property
    def is_changed(self) -> bool:
        """Is another problem shown than the one that was opened?"""
        return self.opened is not None and self.problem != self.opened[0]

    def reset(self) -> View:
        """What was opened, with the settings of now."""
        return self if self.opened is None else self.show(*self.opened)


def open_view(problem: Problem, spec: str | None = None, **settings: Any) -> View:
    """A first view of a problem: its own γ, and the default step size of ``theory compare`` and ``theory inspect``.

    >>> view = open_view(catalogue_problem("baird"), "baird")
    >>> view.change(gamma=Fraction(22, 25)).problem.name
    'baird:gamma=22/25'
    """
    for what, size in (("states", problem.n_states), ("features", problem.n_features)):
        _between(what, size, 1, MAX_STATES)  # before the work that follows
    alpha = min(default_step_size(problem), Fraction(2) ** 190)  # below the largest that a view admits
    return View(problem, spec, problem.exact.gamma, alpha, **{"opened": (problem, spec), **settings})


def is_modest(x: Fraction) -> bool:
    """Is it a normal double, of at most some 600 digits? What is computed with it takes no minutes."""
    return Fraction(1, 2**1020) < abs(x) < 2**1020 and max(abs(x.numerator), x.denominator).bit_length() <= 2000


def _at(spec: str | None, gamma: Fraction) -> Problem | None:
    if spec is None or spec.startswith("gymnasium:"):
        return None
    name, _, rest = spec.partition(":")
    kept = [part for part in rest.split(",") if part and part.split("=")[0].strip() != "gamma"]
    return catalogue_problem(f"{name}:{','.join([*kept, f'gamma={gamma}'])}")


def _between(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise InvalidProblem(f"the explorer shows {what} from {low} to {high}, not {short(value)}", what)
