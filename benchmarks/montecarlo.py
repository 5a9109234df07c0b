"""Verdicts in bulk against eigenvalues, in one run: γ = .99, the paper's ensemble, drawing included everywhere.

Ratios above 1 mean that we are faster. One core: processor time of a process with one BLAS thread.

`over_loop`: the obvious loop, one problem at a time, eigenvalues of A and of the S×S matrix γΠP, for each size of the
default grid of ``theory success-rate``; `over_loop_total` for the whole grid, the same number of problems each.
`over_batched`: batched ``numpy.linalg.eigvals`` of the F×F matrices A and γX⁻¹Y, for each size.
`over_batched_algebra`: the same for F = S where also the peer knows that ρ(γΠP) = γ and takes eigenvalues of A only.
`two_workers`: wall time of one worker process over that of two, means little on a busy machine.
`profile_us`: where our time goes, in microseconds a problem; `eigvals_us` what one F×F eigenvalue problem costs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from theory.montecarlo import Cell, Store, Study, Task, run_chunk
from theory.montecarlo import verdicts as bulk
from theory.montecarlo.axes import parse_sizes
from theory.montecarlo.chunks import version
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.executors import local_processes
from theory.montecarlo.study import compute
from theory.problems.ensembles import Batch

GAMMA = 0.99
SIZES = ((20, 10), (50, 25), (10, 9), (10, 10), (50, 49), (50, 50))
GRID = parse_sizes("2,5,10,20,50", "S,S-1,S/2")
STAGES = ("quick_verdicts", "_sharper", "exact_td", "exact_chain")


def run(problems: int = 400, repeats: int = 3) -> dict[str, object]:
    with local_processes(1) as one:
        out = one.submit(single_core, problems, repeats).result()
        with local_processes(2) as two:
            out["two_workers"] = worker_ratio(one, two)
    return out


def single_core(problems: int, repeats: int) -> dict[str, object]:
    """To be run in a process with one BLAS thread."""
    run_chunk(Task(Cell(3, 2), 0, 0, 8, version()))  # compiles
    over_batched, algebra, profile, eigvals_us = {}, {}, {}, {}
    for S, F in SIZES:
        name = f"S={S} F={F}"
        ours, batched, only_A = fastest([partial(f, S, F, problems) for f in (ours_, batched_, algebra_)], repeats)
        over_batched[name] = batched / ours
        if F == S:
            algebra[name] = only_A / ours
        profile[name] = stages(S, F, problems)
        eigvals_us[name] = 1e6 * fastest([partial(eigvals_only, F, problems)], repeats)[0] / problems
    few = max(20, problems // 10)
    ours = {size: fastest([partial(ours_, *size, few * 4)], repeats)[0] / 4 for size in GRID}
    loop = {size: fastest([partial(loop_, *size, few)], 2)[0] for size in GRID}
    return {
        "over_loop": {f"S={S} F={F}": loop[S, F] / ours[S, F] for S, F in GRID},
        "over_loop_total": sum(loop.values()) / sum(ours.values()),
        "over_batched": over_batched,
        "over_batched_algebra": algebra,
        "profile_us": profile,
        "eigvals_us": eigvals_us,
    }


def ours_(S: int, F: int, n: int) -> int:
    counts = run_chunk(Task(Cell(S, F), 0, 0, n, version()))
    return counts["td_only"] + counts["both"]


def batched_(S: int, F: int, n: int) -> int:
    """The good NumPy programmer's way."""
    unstable = 0
    for b in chunk_batches(Cell(S, F), 0, 0, n):
        X, Y = moments(b)
        unstable += int((np.linalg.eigvals(X - GAMMA * Y).real <= 0).any(axis=1).sum())
        np.abs(np.linalg.eigvals(GAMMA * np.linalg.solve(X, Y))).max(axis=1)
    return unstable


def algebra_(S: int, F: int, n: int) -> int:
    unstable = 0
    for b in chunk_batches(Cell(S, F), 0, 0, n):
        X, Y = moments(b)
        unstable += int((np.linalg.eigvals(X - GAMMA * Y).real <= 0).any(axis=1).sum())
    return unstable


def loop_(S: int, F: int, n: int) -> int:
    """The obvious way."""
    unstable, rng = 0, np.random.default_rng(0)
    for _ in range(n):
        Phi, P, d = rng.normal(size=(S, F)), rng.uniform(size=(S, S)), rng.uniform(size=S)
        P, D = P / P.sum(axis=1, keepdims=True), np.diag(d / d.sum())
        Pi = Phi @ np.linalg.inv(Phi.T @ D @ Phi) @ Phi.T @ D
        unstable += bool((np.linalg.eigvals(Phi.T @ D @ (np.eye(S) - GAMMA * P) @ Phi).real <= 0).any())
        np.abs(np.linalg.eigvals(GAMMA * Pi @ P)).max()
    return unstable


def eigvals_only(F: int, n: int) -> None:
    np.linalg.eigvals(np.random.default_rng(0).normal(size=(n, F, F)))


def moments(b: Batch) -> tuple[np.ndarray, np.ndarray]:
    weighted = (b.Phi * b.d_mu[:, :, None]).transpose(0, 2, 1)
    return weighted @ b.Phi, weighted @ (b.P_pi @ b.Phi)


def stages(S: int, F: int, n: int) -> dict[str, float]:
    """Processor time of drawing, of the compiled kernel, of what sharpens it, and of exact arithmetic."""
    spent = dict.fromkeys(STAGES, 0.0)
    original = {name: getattr(bulk, name) for name in STAGES}

    def timed(name: str) -> Callable:
        def call(*args, **options):
            start = time.process_time()
            try:
                return original[name](*args, **options)
            finally:
                spent[name] += time.process_time() - start

        return call

    for name in STAGES:
        setattr(bulk, name, timed(name))
    try:
        start = time.process_time()
        ours_(S, F, n)
        total = time.process_time() - start
    finally:
        for name in STAGES:
            setattr(bulk, name, original[name])
    start = time.process_time()
    for _ in chunk_batches(Cell(S, F), 0, 0, n):
        pass
    spent = {"drawing": time.process_time() - start, **spent}
    spent["rest"] = total - sum(spent.values())
    return {name: round(1e6 * seconds / n, 1) for name, seconds in spent.items()}


def worker_ratio(one: Executor, two: Executor) -> float:
    study = Study((Cell(20, 15), Cell(20, 19)), 24_000)

    def wall(executor: Executor) -> float:
        start = time.perf_counter()
        compute(study, Store(None), executor)
        return time.perf_counter() - start

    list(two.map(run_chunk, [Task(Cell(3, 2), 0, i, 8, version()) for i in range(8)]))  # compiles in both
    pairs = [(wall(one), wall(two)) for _ in range(2)]
    return min(a for a, _ in pairs) / min(b for _, b in pairs)


def fastest(calls: list[Callable], repeats: int) -> list[float]:
    """The least processor time of each, taken in turns so that what disturbs one disturbs all."""
    best = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            best[i] = min(best[i], time.process_time() - start)
    return best


def partial(f: Callable, *args: int) -> Callable:
    return lambda: f(*args)


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
