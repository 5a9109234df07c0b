r"""Exact expectations against the project's own simulation, at the settings of table 1 whose tails are light.

    python -m tests.noise.agreement [--seeds 100] [--simulated reports/table1.csv] [--learner td,tdc]

For every closing cell: the setting that tuning chose, simulated anew with seeds of its own, and z = (sampled mean
square − expected) / standard error. Where ρ₄ ≥ 1 no mean is an estimate, and the setting is left out; all others are
judged. The standard error is *exact* where the spread over seeds is computed (all but the concurrent chain's heads
after the first), elsewhere that *of the sample*.

A run may be so long that few seeds rule its mean although ρ₄ < 1, or that nothing is left in doubles: then the standard
error is large against the mean, or 0, and a small |z| says little. Such a setting is judged a second time, over the
longest of the runs of a half, a quarter, … as many moves whose standard error is at most a fifth of the mean (of the
sequential chain, at a head in training there).
Exit code 1 if any |z| ≥ 4 or a setting with ρ₄ < 1 is not judged.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from pathlib import Path

import numpy as np

from theory.experiments.table1.exact import ExactLearner, Setting, exact_learner
from theory.experiments.table1.expected import closes, on_grid, read_cells
from theory.experiments.table1.units import Scale
from theory.learners.driver import run_bulk
from theory.learners.streams import draw_transitions
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem

FEW = 0.2  # of a standard error, relative: up to here a |z| says something
SHORTEST = 16  # moves


@dataclass(frozen=True)
class Agreement:
    """One setting: what is expected, what was sampled, and how many standard errors lie between."""

    name: str
    rho4: float
    expected: float = inf
    sampled: float = inf
    error: float = inf  # the standard error of the mean square, relative to what is expected
    exact: bool = False  # or of the sample
    z: float | None = None
    shorter: bool = False  # a second time, over a shorter run

    def __str__(self) -> str:
        if self.rho4 >= 1:
            return f"{self.name:<64} ρ₄ = {self.rho4:.6f}: no estimate"
        z = "not judged" if self.z is None else f"z {self.z:+.2f}"
        whose = "exact" if self.exact else "of the sample"
        found = f"expected {self.expected:<12.6g} sampled {self.sampled:<12.6g} {z}"
        error = f"{self.error:.2g} of the mean square" if self.error else "below the range of doubles"
        return f"{self.name:<64} {found}  (standard error {whose}, {error})"

    @property
    def tells(self) -> bool:
        """Does its |z| say something?"""
        return 0 < self.error <= FEW


def agreements(cells: Sequence[dict], scale: Scale, seeds: int, seed: int = 7) -> Iterator[Agreement]:
    """Of the cells whose learner closes, at their settings."""
    for at, cell in enumerate(c for c in cells if closes(c["learner"])):
        setting = on_grid(cell["config"], scale)
        problem = catalogue_problem(f"{cell['problem']}:gamma={cell['gamma_exact']}")
        exact = exact_learner(cell["learner"], problem)
        found = _judged(cell, problem, exact, setting, scale, seeds, (seed, at))
        yield found
        if found.rho4 < 1 and not found.tells:
            less = _shorter(exact, setting, scale, seeds)
            if less is not None:
                yield replace(_judged(cell, problem, exact, *less, seeds, (seed, at, 1)), shorter=True)


def _judged(
    cell: dict,
    problem: Problem,
    exact: ExactLearner,
    setting: Setting,
    scale: Scale,
    seeds: int,
    seed: tuple[int, ...],
) -> Agreement:
    learner, text = cell["learner"], ", ".join(f"{name} {value:.3g}" for name, value in setting.items())
    name = f"{learner} {cell['problem']} {cell['gamma_exact']} ({text}), {scale.steps} moves"
    rho4 = exact.radius(setting, 4)
    if rho4 >= 1:
        return Agreement(name, rho4)
    expected = exact.rmse(setting, scale)
    moves, starts = (np.random.default_rng([*seed, part]) for part in (0, 1))
    drawn = draw_transitions(moves, problem, scale.steps, seeds)
    values = scale.protocol.starts(starts, learner, problem, seeds)
    found = run_bulk(learner, problem, setting, drawn, values).mean_square[0]
    sampled, deviation = float(found.mean()), exact.deviation(setting, scale)
    error = (float(found.std(ddof=1)) if deviation is None else deviation) / sqrt(seeds)
    difference = sampled - expected**2
    # Where nothing scatters in doubles, nothing is left: below 10⁻¹¹ of what there was at the start both are rounding.
    z = difference / error if error > 0 else 0.0 if abs(difference) < 1e-11 else inf
    relative = error / expected**2 if expected**2 > 0 else 0.0
    return Agreement(
        name, rho4, expected, sqrt(sampled), relative, deviation is not None, z if isfinite(error) else None
    )


def _shorter(exact: ExactLearner, setting: Setting, scale: Scale, seeds: int) -> tuple[Setting, Scale] | None:
    """The longest of the shorter runs with a standard error that says something."""
    steps = scale.steps // 2
    while steps >= SHORTEST:
        if "window" in setting:  # the head that begins with the last half
            setting = {**setting, "k": min(setting["k"], steps // 2 // setting["window"])}
            if setting["k"] < 1:
                return None
        less = replace(scale, steps=steps)
        expected, deviation = exact.rmse(setting, less), exact.deviation(setting, less)
        if deviation is None:
            return None
        if 0 < deviation <= FEW * sqrt(seeds) * expected**2:
            return setting, less
        steps //= 2
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every setting, and how many were judged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--simulated", type=Path, default=Path("reports/table1.csv"))
    parser.add_argument("--learner", default="")
    asked = parser.parse_args(arguments)
    cells = read_cells(asked.simulated)
    if asked.learner:
        cells = [c for c in cells if c["learner"] in asked.learner.split(",")]
    found = []
    for one in agreements(cells, Scale(), asked.seeds):
        print(one, flush=True)
        found.append(one)
    print("\n".join(summary(found, asked.seeds)))
    unjudged = [one for one in found if one.rho4 < 1 and one.z is None]
    return int(bool(unjudged) or any(abs(one.z) >= 4 for one in found if one.z is not None))


def summary(found: Sequence[Agreement], seeds: int) -> list[str]:
    """How many settings there are, how many have ρ₄ < 1, how many of these were judged, and by which error."""
    whole, again = ([one for one in found if one.shorter == short] for short in (False, True))
    light = [one for one in whole if one.rho4 < 1]
    judged = [one for one in light if one.z is not None]
    own = sum(not one.exact for one in judged)
    few = sum(not one.tells for one in judged)
    return [
        f"{len(whole)} settings, {len(whole) - len(light)} with ρ₄ ≥ 1: no estimate",
        f"{len(judged)} of {len(light)} with ρ₄ < 1 judged with {seeds} seeds, {own} by the standard error of the"
        f" sample; largest |z| {_largest(judged):.2f}",
        f"{few} of them by one above {FEW:.0%} of the mean square, or below doubles; over shorter runs, where it tells,"
        f" {len(again)} are judged again: largest |z| {_largest(again):.2f}",
    ]


def _largest(found: Sequence[Agreement]) -> float:
    return max((abs(one.z) for one in found if one.z is not None), default=0.0)


if __name__ == "__main__":
    sys.exit(main())
