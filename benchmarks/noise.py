"""Exact errors beside simulation: times of the grids of table 1, and ratios to simulating seeds.

`grids_s`: all settings of TD, off-policy TD, GTD2, TDC and the sequential chain on the six columns (asked: under 30 s).
`concurrent_s`: the concurrent chain's best of all step sizes up to head 32, the six columns (asked: under 180 s).
`heads_257_s`: long-run errors of 257 heads at 40 step sizes, Baird with rewards (asked: under 10 s).
`curve_over_100_seeds`: 100 marks of an exact curve of 10⁵ moves of GTD2 on Baird over simulating 100 seeds (asked: at
most 10). `equal_error_over`: seconds of the exact expectation over those of as many seeds as give a standard error of
one per cent, by the exact spread of a seed: below 1 the expectation is cheaper.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from theory.experiments.table1 import PROFILES
from theory.experiments.table1.exact import exact_learner
from theory.experiments.table1.units import COLUMNS, Scale
from theory.learners.driver import run_bulk
from theory.learners.families import find_learner
from theory.learners.streams import draw_initials, draw_transitions
from theory.noise.heads import HeadMoments
from theory.noise.moments import setting_moments
from theory.noise.runs import curve, last_half, spread
from theory.problems.catalogue import catalogue_problem

ALL_AT_ONCE = ("td", "off-policy-td", "gtd2", "tdc", "chained-sequential")
ALPHA, BETA = 2.0 ** (-16 / 3), 2.0 ** (-25 / 3)


def run(scale: Scale, columns: int, seeds: int, heads: int) -> dict[str, float]:
    problems = [catalogue_problem(f"{name}:gamma={gamma}") for name, gamma in COLUMNS[:columns]]
    grids = seconds(lambda: [exact_learner(name, p).best(scale) for p in problems for name in ALL_AT_ONCE])
    concurrent = seconds(lambda: [exact_learner("chained-concurrent", p).best(scale) for p in problems])
    chain = HeadMoments(catalogue_problem("baird-reward:gamma=9/10"))
    sizes = np.array(scale.protocol.step_sizes)
    long_run = seconds(lambda: chain.stationary(sizes, heads))
    return {
        "grids_s": grids,
        "concurrent_s": concurrent,
        "heads_257_s": long_run,
        **beside_simulation(scale.steps, seeds),
    }


def beside_simulation(steps: int, seeds: int) -> dict[str, float]:
    problem = catalogue_problem("baird:gamma=9/10")
    marks = np.linspace(0, steps, 101).astype(np.int64)
    rule = find_learner("gtd2").of(problem.exact.gamma, {"alpha": 1, "beta": 1})
    sizes = np.array([ALPHA]), np.array([BETA])
    drawn = seconds(lambda: curve(setting_moments(rule, problem), marks, *sizes))
    whole = seconds(lambda: last_half(setting_moments(rule, problem), *sizes, steps))
    moves = draw_transitions(np.random.default_rng(0), problem, steps, seeds)
    starts = draw_initials(np.random.default_rng(1), seeds, 1, problem.n_features)
    setting = {"alpha": ALPHA, "beta": BETA}
    run_bulk("gtd2", problem, setting, moves, starts)  # compiled and warm
    simulated = seconds(lambda: run_bulk("gtd2", problem, setting, moves, starts, marks=marks))
    scatter = spread(setting_moments(rule, problem), ALPHA, BETA, steps)
    # The RMSE's standard error is half that of its square, relatively: one per cent of it.
    needed = (scatter.deviation / (0.02 * scatter.square)) ** 2
    return {
        "curve_s": drawn,
        "simulated_s": simulated,
        "curve_over_100_seeds": drawn / simulated * seeds / 100,
        "seeds_for_one_per_cent": needed,
        "equal_error_over": whole / (simulated * needed / seeds),
        "equal_error_over_1000_seeds": whole / (simulated * 1000 / seeds),
    }


def seconds(work: Callable[[], Any]) -> float:
    """Of processor time: a busy machine does not count."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    if "quick" in sys.argv[1:]:
        quick = PROFILES["quick"]
        small = Scale(2000, 2, 4, quick.protocol)
        print(json.dumps(run(small, 1, 4, 8), indent=1))
    else:
        print(json.dumps(run(Scale(), 6, 100, 256), indent=1))
