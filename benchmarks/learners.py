"""The driver against NumPy and JAX, in one run: Baird-Reward, γ = .9, the error measured after every transition.

One core: processor time of this process (for JAX, which may use threads of its own, that counts them all). All run the
same experiment: the same transitions, settings and starts; a unit is one transition seen by one setting (or by one head
of a chain). `over_X` is X's time for the experiment in multiples of ours: what one waits. Peers execute every unit;
our steps skip those of ratio 0 (6 of 7 here), which change nothing, and `over_X_per_update` leaves that advantage out
and counts only the updates that we make. Step sizes are so small that no run diverges and none is retired.

`over_plain_loop`: one setting, one transition at a time, a few NumPy calls each; for the chain, head by head.
`over_vectorised`: NumPy over all settings at once; for the chain, over step sizes and heads.
`over_jax`: ``jit(vmap(scan))`` over parameters, double precision; `over_jax_values` the same in value space. Without
JAX in the environment they are left out and `jax` says so.
`same_result`: the largest relative difference between a peer's errors after the last transition and ours.
`executed_millions`: updates that our steps really make, per second, in double precision; `peak_share`: their
multiply-adds (N rows moved, the error's N where it is measured for every setting, and those of the step itself) as a
share of the core's measured peak.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from benchmarks._peers import PLAIN, VECTORISED, K, jax_present, jax_program
from theory.learners.driver import run_bulk
from theory.learners.families import find_learner
from theory.learners.protocol import grid
from theory.learners.streams import Initials, draw_transitions
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import Transitions

LEARNERS = ("off-policy-td", "gtd2", "chained-concurrent")
SIZES = np.geomspace(1e-6, 1e-4, 40)
FEW = 300  # transitions of the slow peers


def run(steps: int = 40_000, repeats: int = 5) -> dict[str, object]:
    problem = catalogue_problem("baird-reward")
    peak = multiply_add_peak()
    found = {learner: compare(learner, problem, steps, repeats, peak) for learner in LEARNERS}
    jax = "measured" if jax_present() else "skipped: jax is not installed (it comes with the extra `bench`)"
    return {"peak_multiply_adds_billions": peak, "jax": jax, "learners": found}


def compare(learner: str, problem: Problem, steps: int, repeats: int, peak: float) -> dict[str, Any]:
    chain = learner == "chained-concurrent"
    settings = {
        "off-policy-td": {"alpha": np.geomspace(1e-6, 1e-4, 1600)},
        "gtd2": grid(alpha=SIZES, beta=SIZES),
        "chained-concurrent": grid(alpha=SIZES[::5], k=[2**i for i in range(9)]),
    }[learner]
    units = len(np.unique(settings["alpha"])) * K if chain else len(settings["alpha"])
    moves = draw_transitions(np.random.default_rng(0), problem, steps, 1)
    few = Transitions(moves.drawn[:, :FEW], moves.possible)
    starts = Initials(np.ones((1, find_learner(learner).n_vectors(K), problem.n_features)))
    tasks: dict[str, tuple[float, Callable[[], Any]]] = {
        "ours": (units * steps, lambda: run_bulk(learner, problem, settings, moves, starts)),
        "plain_loop": (FEW * (K if chain else 1), lambda: PLAIN[learner](problem, few)),
        "vectorised": (FEW * units, lambda: VECTORISED[learner](problem, few, settings)),
    }
    if jax_present():
        for values in (False, True):
            program = jax_program(learner, problem, moves, settings, values=values)
            tasks["jax_values" if values else "jax"] = (units * steps, program)
    rate = rates(tasks, repeats)
    executed = float((moves.all().ratio != 0).mean()) * rate["ours"]
    exact = tasks["ours"][1]()
    early = run_bulk(learner, problem, settings, few, starts).final[:, 0]
    difference = {}
    for name in rate.keys() - {"ours", "plain_loop"}:
        ours = early if name == "vectorised" else exact.final[:, 0]
        difference[name] = float(np.abs(np.ravel(tasks[name][1]()[1]) / ours - 1).max())
    N = problem.n_states
    work = {"off-policy-td": 2 * N + 3, "gtd2": 4 * N + 7, "chained-concurrent": N + 2}[learner]
    peers = [name for name in rate if name != "ours"]
    return {
        **{f"over_{name}": round(rate["ours"] / rate[name], 1) for name in peers},
        **{f"over_{name}_per_update": round(executed / rate[name], 1) for name in peers},
        "same_result": {name: float(f"{difference[name]:.1e}") for name in sorted(difference)},
        "executed_millions": round(executed / 1e6),
        "peak_share": round(executed * work / 1e9 / peak, 3),
    }


def rates(tasks: dict[str, tuple[float, Callable[[], Any]]], repeats: int) -> dict[str, float]:
    """Units per second of processor time, the best of interleaved repeats."""
    best = dict.fromkeys(tasks, float("inf"))
    for _, task in tasks.values():
        task()  # compiles
    for _ in range(repeats):
        for name, (_, task) in tasks.items():
            begin = time.process_time()
            task()
            best[name] = min(best[name], time.process_time() - begin)
    return {name: units / best[name] for name, (units, _) in tasks.items()}


def multiply_add_peak() -> float:
    """Billions of double multiply-adds a second: Horner's rule on independent numbers that stay in cache."""

    def horner(x, y, a, c):
        for _ in range(300):
            for j in range(x.size):
                v = x[j]
                for _ in range(12):
                    v = v * a + c
                y[j] = v

    kernel = njit(fastmath={"contract"})(horner)
    x, y = np.ones(1024), np.ones(1024)
    rate = rates({"peak": (300 * 12 * 1024, lambda: kernel(x, y, 0.9, 0.1))}, 20)
    return round(rate["peak"] / 1e9, 2)


def main(quick: bool = False) -> None:
    print(json.dumps(run(FEW, 1) if quick else run(), indent=2))


if __name__ == "__main__":
    main(quick=sys.argv[1:] == ["quick"])
