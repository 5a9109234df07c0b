"""What a table of transitions says, in one place: both verdicts with their confidence, and the fixed point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from theory.data.confidence import Confidence, confidence, groups
from theory.data.estimate import Estimate, estimate
from theory.data.methods import Judged, chosen_methods, judge, steps_of
from theory.data.reading import Pass, Progress, Step, read
from theory.problems import InvalidProblem, Problem
from theory.problems.data import Options, Recorded, read_recorded
from theory.problems.estimated import estimated_problem
from theory.problems.numbers import FloatArray, as_number, show_number
from theory.problems.recordings import BATCH
from theory.text.words import count, subject

MEASURES = {"td": "min Re λ(A)", "chain": "ρ(γX⁻¹Y)"}


@dataclass(eq=False)
class Data:
    """Recorded transitions at a discount; they are read when an answer is asked for, and print as what they say.

    Parameters
    ----------
    recorded : Recorded
        Where the rows are and what their columns mean.
    gamma : float
        The discount.
    level : float, default 0.95
        The confidence of each answer.
    seed : int, default 0
        Of the bootstrap.
    scheduler : str, optional
        The address of a Dask scheduler, whose workers read.
    batch : int, default 65,536
        Rows that are read at once; no number depends on it.

    See Also
    --------
    theory.open_data : makes one.
    """

    recorded: Recorded
    gamma: float
    level: float = 0.95
    seed: int = 0
    scheduler: str | None = None
    batch: int = BATCH
    progress: Progress | None = field(default=None, repr=False)
    _read: tuple[tuple[Step, ...], Pass] | None = field(default=None, repr=False)

    def passed(self, steps: tuple[Step, ...] = ()) -> Pass:
        """One pass over the rows, in which these several steps are added up, too; not again if that was done."""
        if self._read is None or not set(steps) <= set(self._read[0]):
            if self.recorded.source.once and self._read is None:
                steps = tuple(dict.fromkeys((*steps, *steps_of(chosen_methods(None), {}, self.gamma))))
            found = read(self.recorded, steps, self.scheduler, self.batch, self.progress)
            self._read = steps, found
            self.__dict__.pop("estimate", None)
        return self._read[1]

    @cached_property
    def estimate(self) -> Estimate:
        """X̂, Ŷ, b̂ and what they are made of."""
        moments, complete = self.passed()
        found = estimate(moments, self.recorded, complete)
        about = found.about
        if self.gamma == 1 and about.unended:
            which = f"{about.unended:,} of {groups(about.trajectories, about.told_apart)} do not end (done)"
            more = "--estimated takes 1 where named states all reach an end"
            raise InvalidProblem(f"must be below 1: {which}; {more}", "gamma")
        return found

    @cached_property
    def td(self) -> Confidence:
        """Is off-policy TD stable?"""
        return confidence(self.estimate, self.gamma, "td", self.level, self.seed)

    @cached_property
    def chain(self) -> Confidence:
        """Is the chain unbiased?"""
        return confidence(self.estimate, self.gamma, "chain", self.level, self.seed)

    @cached_property
    def theta(self) -> FloatArray | None:
        """Least-squares TD: the shortest θ with Âθ = b̂; None where Â is singular."""
        X, Y, b = self.estimate.mean
        try:
            found: FloatArray = self.estimate.V @ np.linalg.solve(X - self.gamma * Y, b)
        except np.linalg.LinAlgError:
            return None
        return found

    def compare(self, names: Sequence[str] | None = None, given: Mapping[str, Any] | None = None) -> DataComparison:
        """Every method, or those named, with how sure its answer is.

        Parameters
        ----------
        names : sequence of str, optional
            Methods with their parameters, as ``"n-step:4"``; all by default.
        given : mapping, optional
            Parameters that several methods share: alpha, window, tau.

        Returns
        -------
        DataComparison
            A row a method.
        """
        chosen, values = chosen_methods(names), dict(given or {})
        steps = steps_of(chosen, values, self.gamma)
        moments = self.passed(steps).moments
        assert self._read is not None
        rows = judge(self.estimate, moments, self._read[0], self.gamma, chosen, values, self.level, self.seed)
        return DataComparison(self, tuple(rows))

    def problem(self) -> Problem:
        """The problem that the moves between named states suggest."""
        return estimated_problem(self.recorded, self.gamma)

    def summary(self) -> dict[str, Any]:
        """The data themselves, for JSON."""
        about = self.estimate.about
        return {
            "name": about.name,
            "transitions": about.rows,
            "complete": about.complete,
            "trajectories": about.trajectories,
            "groups": about.grouped,
            "told_apart": about.told_apart,
            "features": about.features,
            "rank": self.estimate.V.shape[1],
            "mean_ratio": about.mean_ratio,
            "on_policy": about.on_policy,
            "ignored": list(about.ignored),
        }

    def to_dict(self) -> dict[str, Any]:
        """As ``theory inspect DATA --json`` prints it."""
        return {
            "data": self.summary(),
            "gamma": self.gamma,
            "td": self.td.to_dict(),
            "chain": self.chain.to_dict(),
            "theta": None if self.theta is None else self.theta.tolist(),
        }

    @property
    def title(self) -> str:
        """The data in a line."""
        about = self.estimate.about
        text = (
            f"{about.name}  {count(about.rows, 'transition')} in {'' if about.counted else 'about '}"
            f"{groups(about.trajectories, about.told_apart)}, {count(about.features, 'feature')}, "
            f"γ = {show_number(self.gamma)} (estimates)"
        )
        if not about.complete:
            text += f"\ninterrupted: what follows is of the first {about.rows:,} transitions alone"
        if about.on_policy and self.recorded.options.ratio is None:
            text += "\nno ratios or probabilities: taken as on-policy"
        return text + (f"\nnot read: {', '.join(about.ignored)}" if about.ignored else "")

    def __str__(self) -> str:
        return "\n".join([self.title, "", *lines(self.td), *lines(self.chain)])

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class DataComparison:
    """What transitions say about every method; prints a line a method."""

    data: Data
    rows: tuple[Judged, ...]

    def to_dict(self) -> dict[str, Any]:
        """As ``theory compare DATA --json`` prints it."""
        level = self.data.level
        return {
            "data": self.data.summary(),
            "gamma": self.data.gamma,
            "methods": [row.to_dict(level) for row in self.rows],
        }

    def __str__(self) -> str:
        said = {True: "converges", False: "does not converge", None: "is undecided"}
        return "\n".join(f"{row.method.name} {said[row.converges]}: {row.reason}" for row in self.rows)

    __repr__ = __str__


def open_data(
    source: Any,
    gamma: Any,
    level: float = 0.95,
    seed: int = 0,
    options: Options = Options(),  # noqa: B008
    scheduler: str | None = None,
    batch: int = BATCH,
    progress: Progress | None = None,
) -> Data:
    """Transitions from a file, a folder, a frame, or another library's data set."""
    if gamma is None:
        raise InvalidProblem("transitions do not say at which discount: give one, e.g. --gamma 0.99", "gamma")
    discount = float(as_number(gamma, "gamma"))
    if not 0 <= discount <= 1:
        raise InvalidProblem(f"must be in [0, 1], got {show_number(discount)}", "gamma")
    if not 0.5 <= level < 1:
        raise InvalidProblem(f"must be in [0.5, 1), got {show_number(level)}", "level")
    if batch < 1:
        raise InvalidProblem(f"must be at least 1, got {batch}", "batch")
    return Data(read_recorded(source, options), discount, level, seed, scheduler, batch, progress)


def lines(found: Confidence) -> list[str]:
    """One or two sentences about a question."""
    if found.structure is not None:
        return [f"{subject(found.question)} is {found.answer}, by structure: {found.structure} (if no others exist)"]
    sure, about = f"{100 * found.level:g}%", subject(found.question)
    measured = f"{MEASURES[found.question]} ≈ {found.value:.4g}"
    if found.interval is not None:
        low, high = found.interval
        measured += f", {sure} interval [{low:.4g}, {high:.4g}], by bootstrap"
    if found.answer is not None:
        first = f"{about} is {found.answer}, with {sure} confidence: {measured}"
    else:
        more = found.why_not or _about(found.more)
        first = f"{about}: undecided: {more}; {measured}"
    if found.bounded is not None:
        second = f"  without asymptotics: {found.bounded}, error probability at most {100 * (1 - found.level):.3g}%"
    elif np.isinf(found.radius):
        second = "  without asymptotics: no bound (it needs independent trajectories: a column episode or done)"
    else:
        second = f"  without asymptotics: undecided: {_about(found.bounded_more)}"
    return [first, second]


def _about(more: int | None) -> str:
    return "it is too close to tell" if more is None else f"about {more:,} more transitions would settle it"
