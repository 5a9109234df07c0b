"""Verdicts in bulk against eigenvalues, in one run: γ = .99, the paper's ensemble, drawing included everywhere.

Ratios above 1 mean that we are faster. One core: processor time of a process with one BLAS thread, the least of many
short runs taken in turns, because the machine is shared.

`over_batched`: batched ``numpy.linalg.eigvals`` of the F×F matrices A and γX⁻¹Y, for each size of the default grid of
``theory success-rate``, and in total over the grid. `cold`: the README's example as a fresh process with an empty
store, over a dozen lines of batched NumPy as a fresh process (below 3 is the aim); wall time. `two_workers`: wall time
of one worker process over that of two, the median of several pairs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from theory.montecarlo import Cell, Store, Study, Task, run_chunk
from theory.montecarlo.axes import parse_sizes
from theory.montecarlo.chunks import version
from theory.montecarlo.draws import batch_size, chunk_batches
from theory.montecarlo.executors import local_processes
from theory.montecarlo.study import compute

GAMMA = 0.99
Sizes = Sequence[tuple[int, int]]
GRID = parse_sizes("2,5,10,20,50", "S,S-1,S/2")
EXAMPLE = ["-m", "theory", "success-rate", "--states", "10", "--features", "S,S-1", "--samples", "1000"]
DOZEN = """
import numpy as np
S, n, gamma, rng = 10, 1000, 0.99, np.random.default_rng(0)
for F in (S - 1, S):
    Phi = rng.normal(size=(n, S, F))
    P, d = rng.uniform(size=(n, S, S)), rng.uniform(size=(n, S))
    P, d = P / P.sum(axis=2, keepdims=True), d / d.sum(axis=1, keepdims=True)
    weighted = (Phi * d[:, :, None]).transpose(0, 2, 1)
    X, Y = weighted @ Phi, gamma * weighted @ (P @ Phi)
    unstable = (np.linalg.eigvals(X - Y).real <= 0).any(axis=1)
    biased = (np.abs(np.linalg.eigvals(np.linalg.solve(X, Y))) >= 1).any(axis=1)
    print(S, F, unstable.mean(), biased.mean(), (unstable & biased).mean())
"""


def run(repeats: int = 20, grid: Sizes = GRID, samples: int = 30_000, rounds: int = 7) -> dict[str, object]:
    with local_processes(1) as one:
        out = one.submit(single_core, repeats, grid).result()
        with local_processes(2) as two:
            study = Study((Cell(20, 15), Cell(20, 19)), samples)
            pairs = [
                wall(lambda: compute(study, Store(None), one)) / wall(lambda: compute(study, Store(None), two))
                for _ in range(5)
            ]
    return out | {"two_workers": sorted(pairs)[2]} | cold(rounds)


def single_core(repeats: int, grid: Sizes) -> dict[str, object]:
    """To be run in a process with one BLAS thread."""
    ours, batched = {}, {}
    for S, F in grid:
        n = 2 * batch_size(S)
        best = fastest([lambda: ours_(S, F, n), lambda: batched_(S, F, n)], repeats)  # noqa: B023
        ours[S, F], batched[S, F] = (seconds / n for seconds in best)
    return {
        "over_batched": {f"S={S} F={F}": batched[S, F] / ours[S, F] for S, F in grid},
        "over_batched_total": sum(batched.values()) / sum(ours.values()),
        "ours_us": {f"S={S} F={F}": 1e6 * seconds for (S, F), seconds in ours.items()},
    }


def ours_(S: int, F: int, n: int) -> int:
    counts = run_chunk(Task(Cell(S, F), 0, 0, n, version()))
    return counts["td_only"] + counts["both"]


def batched_(S: int, F: int, n: int) -> int:
    """The good NumPy programmer's way, in which eigenvalues are believed."""
    unstable = 0
    for b in chunk_batches(Cell(S, F), 0, 0, n):
        weighted = (b.Phi * b.d_mu[:, :, None]).transpose(0, 2, 1)
        X, Y = weighted @ b.Phi, GAMMA * weighted @ (b.P_pi @ b.Phi)
        unstable += int((np.linalg.eigvals(X - Y).real <= 0).any(axis=1).sum())
        np.abs(np.linalg.eigvals(np.linalg.solve(X, Y))).max(axis=1)
    return unstable


def cold(rounds: int) -> dict[str, object]:
    """The least wall time of each as a fresh process, in turns."""
    ours = theirs = float("inf")
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            store = ["--store", str(Path(folder) / "s.sqlite")]
            ours = min(ours, wall(lambda: _process([*EXAMPLE, *store])))  # noqa: B023
        theirs = min(theirs, wall(lambda: _process(["-c", DOZEN])))
    return {"cold": ours / theirs, "cold_s": {"ours": ours, "a dozen lines": theirs}}


def _process(arguments: list[str]) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def wall(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def fastest(calls: list[Callable[[], object]], repeats: int) -> list[float]:
    """The least processor time of each, taken in turns so that what disturbs one disturbs all."""
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            best[i] = min(best[i], time.process_time() - start)
    return best


def main(quick: bool = False) -> None:
    print(json.dumps(run(1, ((4, 2), (4, 4)), 100, 1) if quick else run(), indent=1))


if __name__ == "__main__":
    main(quick=sys.argv[1:] == ["quick"])
