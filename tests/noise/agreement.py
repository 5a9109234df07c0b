r"""Exact expectations against the project's own simulation, at the settings of table 1 whose tails are light.

    python -m tests.noise.agreement [--seeds 100] [--simulated reports/table1.csv] [--learner td,tdc]

For every closing cell: the setting that tuning chose, simulated anew with seeds of its own, and z = (sampled mean
square − expected) / standard error. Where ρ₄ ≥ 1 no mean is an estimate, and the setting is left out. The standard
error is exact where the spread over seeds is computed (all learners of one rule), and the sample's own for the chains;
these are not judged where that is above a fifth of the mean, because then a few seeds rule both. Exit code 1 if any
|z| ≥ 4.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from pathlib import Path

import numpy as np

from theory.experiments.table1.exact import exact_learner
from theory.experiments.table1.expected import closes, on_grid, read_cells
from theory.experiments.table1.units import Scale
from theory.learners.bulk import draw_transitions, run_bulk
from theory.problems.catalogue import catalogue_problem

FEW = 0.2  # of a sampled mean's own standard error, relative


@dataclass(frozen=True)
class Agreement:
    """One setting: what is expected, what was sampled, and how many standard errors lie between."""

    name: str
    expected: float
    sampled: float
    z: float | None
    how: str

    def __str__(self) -> str:
        z = "  –  " if self.z is None else f"{self.z:+.2f}"
        return f"{self.name:<52} expected {self.expected:<12.6g} sampled {self.sampled:<12.6g} z {z}  {self.how}"


def agreements(cells: Sequence[dict], scale: Scale, seeds: int, seed: int = 7) -> Iterator[Agreement]:
    """Of the cells whose learner closes, at their settings."""
    for at, cell in enumerate(c for c in cells if closes(c["learner"])):
        setting = on_grid(cell["config"], scale)
        problem = catalogue_problem(f"{cell['problem']}:gamma={cell['gamma_exact']}")
        text = ", ".join(f"{name} {value:.3g}" for name, value in setting.items())
        name = f"{cell['learner']} {cell['problem']} {cell['gamma_exact']} ({text})"
        exact = exact_learner(cell["learner"], problem)
        rho4 = exact.radius(setting, 4)
        if rho4 >= 1:
            yield Agreement(name, inf, inf, None, f"ρ₄ = {rho4:.6f}: no estimate")
            continue
        expected = exact.rmse(setting, scale)
        moves, starts = (np.random.default_rng([seed, at, part]) for part in (0, 1))
        drawn = draw_transitions(moves, problem, scale.steps, seeds)
        found = run_bulk(
            cell["learner"], problem, setting, drawn, scale.protocol.starts(starts, cell["learner"], problem, seeds)
        ).mean_square[0]
        sampled, deviation = float(found.mean()), exact.deviation(setting, scale)
        own = float(found.std(ddof=1)) / sqrt(seeds)
        if deviation is None and own > FEW * sampled:
            how = f"own standard error {own / sampled:.0%} of the mean: not judged" if sampled else "nothing left"
            yield Agreement(name, expected, sqrt(sampled), None, how)
            continue
        error = own if deviation is None else deviation / sqrt(seeds)
        difference = sampled - expected**2
        # Below 10⁻¹¹ of what there was at the start both are rounding.
        z = difference / error if error > 0 else 0.0 if abs(difference) < 1e-11 else inf
        yield Agreement(name, expected, sqrt(sampled), z, "own" if deviation is None else "exact")


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
    judged = [abs(one.z) for one in found if one.z is not None]
    most = max(judged, default=0)
    print(f"{len(judged)} of {len(found)} settings judged with {asked.seeds} seeds; largest |z| {most:.2f}")
    return int(any(z >= 4 for z in judged))


if __name__ == "__main__":
    sys.exit(main())
