"""What a table of transitions says, in one place: both verdicts with their confidence, and the fixed point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from theory.data.confidence import Confidence, confidence, groups
from theory.data.estimate import Estimate, estimate, trajectories_cut_off
from theory.data.methods import Judged, judge
from theory.problems import InvalidProblem, Problem
from theory.problems.data import Table, estimated_problem, read_table
from theory.problems.numbers import FloatArray, as_number, show_number
from theory.text.words import count, subject

MEASURES = {"td": "min Re λ(A)", "chain": "ρ(γX⁻¹Y)"}


@dataclass(frozen=True, eq=False)
class Data:
    """Transitions at a discount; prints as what they say."""

    table: Table
    gamma: float
    level: float = 0.95
    seed: int = 0

    @cached_property
    def estimate(self) -> Estimate:
        """X̂, Ŷ, b̂ and what they are made of."""
        return estimate(self.table)

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
        """Every method, or those named, with how sure its answer is."""
        return DataComparison(self, tuple(judge(self.estimate, self.gamma, names, given, self.level, self.seed)))

    def problem(self) -> Problem:
        """The problem that the moves between named states suggest."""
        return estimated_problem(self.table, self.gamma)

    def about(self) -> dict[str, Any]:
        """The data themselves, for JSON."""
        table = self.table
        return {
            "name": table.name,
            "transitions": len(table),
            "trajectories": table.n_episodes,
            "told_apart": table.told_apart,
            "features": table.n_features,
            "rank": self.estimate.V.shape[1],
            "mean_ratio": float(table.ratio.mean()),
            "on_policy": table.on_policy,
            "ignored": list(table.ignored),
        }

    def to_dict(self) -> dict[str, Any]:
        """As ``theory inspect DATA --json`` prints it."""
        return {
            "data": self.about(),
            "gamma": self.gamma,
            "td": self.td.to_dict(),
            "chain": self.chain.to_dict(),
            "theta": None if self.theta is None else self.theta.tolist(),
        }

    @property
    def title(self) -> str:
        """The data in a line."""
        table = self.table
        text = (
            f"{table.name}  {len(table):,} transition{'s' * (len(table) != 1)} in "
            f"{groups(table.n_episodes, table.told_apart)}, {count(table.n_features, 'feature')}, "
            f"γ = {show_number(self.gamma)} (estimates)"
        )
        if table.on_policy:
            text += "\nno ratios or probabilities: taken as on-policy"
        return text + (f"\nnot read: {', '.join(table.ignored)}" if table.ignored else "")

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
            "data": self.data.about(),
            "gamma": self.data.gamma,
            "methods": [row.to_dict(level) for row in self.rows],
        }

    def __str__(self) -> str:
        said = {True: "converges", False: "does not converge", None: "is undecided"}
        return "\n".join(f"{row.method.name} {said[row.converges]}: {row.reason}" for row in self.rows)

    __repr__ = __str__


def open_data(source: Any, gamma: Any, level: float = 0.95, seed: int = 0) -> Data:
    """Transitions from a file, a mapping or a frame."""
    if gamma is None:
        raise InvalidProblem("transitions do not say at which discount: give one, e.g. --gamma 0.99", "gamma")
    discount = float(as_number(gamma, "gamma"))
    if not 0 <= discount <= 1:
        raise InvalidProblem(f"must be in [0, 1], got {show_number(discount)}", "gamma")
    if not 0.5 <= level < 1:
        raise InvalidProblem(f"must be in [0.5, 1), got {show_number(level)}", "level")
    table = read_table(source)
    cut = trajectories_cut_off(table)
    if discount == 1 and cut:
        which = f"{cut:,} of {groups(table.n_episodes, table.told_apart)} do not end (done)"
        more = "--estimated takes 1 where named states all reach an end"
        raise InvalidProblem(f"must be below 1: {which}; {more}", "gamma")
    return Data(table, discount, level, seed)


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
