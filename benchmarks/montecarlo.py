"""Verdicts in bulk against eigenvalues, in one run: γ = .99, the paper's ensemble, drawing included everywhere.

Ratios above 1 mean that we are faster. One core: processor time of a process with one BLAS thread, the least of many
short runs taken in turns, because the machine is shared.

`over_loop`: the obvious loop, one problem at a time, eigenvalues of A and of the S×S matrix γΠP, for each size of the
default grid of ``theory success-rate``; its geometric mean, the ratio of total times, and the `cap` on the latter that
drawing alone would set.
`over_batched`: batched ``numpy.linalg.eigvals`` of the F×F matrices A and γX⁻¹Y, for each size.
`over_batched_algebra`: the same for F = S where also the peer knows that ρ(γΠP) = γ and takes eigenvalues of A only.
`two_workers`: wall time of one worker process over that of two, the median of several pairs; `two_peers` the same for
processes that do nothing but ``eigvals``, which is what the machine gives.
`profile_us`: where our time goes, in microseconds a problem; `eigvals_us` what one F×F eigenvalue problem costs, and
`product_us` a matrix product.

``python -m benchmarks.montecarlo costs`` measures what a large study is made of: see README.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from math import exp, log
from pathlib import Path

import numpy as np

from theory.montecarlo import Cell, Store, Study, Task, run_chunk
from theory.montecarlo import verdicts as bulk
from theory.montecarlo.axes import parse_sizes
from theory.montecarlo.chunks import version
from theory.montecarlo.draws import batch_size, chunk_batches
from theory.montecarlo.executors import dask_cluster, local_processes, results
from theory.montecarlo.study import compute
from theory.problems.ensembles import Batch

GAMMA = 0.99
SIZES = ((20, 10), (50, 25), (10, 9), (10, 10), (50, 49), (50, 50))
Sizes = Sequence[tuple[int, int]]
GRID = parse_sizes("2,5,10,20,50", "S,S-1,S/2")
QUICK = ((4, 2), (4, 4))  # sizes of the short form
STAGES = ("quick_verdicts", "_sharper", "exact_td", "exact_chain")


def run(repeats: int = 30, sizes: Sizes = SIZES, grid: Sizes = GRID, samples: int = 30_000) -> dict[str, object]:
    with local_processes(1) as one:
        out = one.submit(single_core, repeats, sizes, grid).result()
        with local_processes(2) as two:
            out["two_workers"], out["two_peers"] = worker_ratio(one, two, samples)
    return out


def single_core(repeats: int, sizes: Sizes, grid: Sizes) -> dict[str, object]:
    """To be run in a process with one BLAS thread."""
    for F in (2, 3):
        run_chunk(Task(Cell(3, F), 0, 0, 8, version()))  # compiles
    loop, ours, drawing, batched, algebra = {}, {}, {}, {}, {}
    for size in dict.fromkeys((*grid, *sizes)):
        # Some milliseconds each, so that many of them find the machine quiet.
        few, many = max(4, 400 // size[0] ** 2), max(260, 2 * batch_size(size[0]))
        peers = (loop_, few), (ours_, many), (drawing_, many), (batched_, many // 2), (algebra_, many // 2)
        best = fastest([partial(f, *size, n) for f, n in peers[: 5 if size in sizes else 3]], repeats)
        each = [seconds / n for seconds, (_, n) in zip(best, peers, strict=False)]
        loop[size], ours[size], drawing[size] = each[:3]
        if size in sizes:
            batched[size], algebra[size] = each[3:]
    ratios = {size: loop[size] / ours[size] for size in grid}
    total = sum(loop[size] for size in grid)
    return {
        "over_loop": named(ratios),
        "over_loop_geometric_mean": exp(sum(map(log, ratios.values())) / len(ratios)),
        "over_loop_total": total / sum(ours[size] for size in grid),
        "over_loop_total_cap": total / sum(drawing[size] for size in grid),
        "over_batched": named({size: batched[size] / ours[size] for size in sizes}),
        "over_batched_algebra": named({size: algebra[size] / ours[size] for size in sizes if size[0] == size[1]}),
        "ours_us": named({size: 1e6 * seconds for size, seconds in ours.items()}),
        "profile_us": {f"S={S} F={F}": stages(S, F, 1000) for S, F in sizes},
        "eigvals_us": {F: 1e6 * fastest([partial(eigvals_only, F, 50)], 10)[0] / 50 for _, F in sizes},
        "product_us": {F: 1e6 * fastest([partial(products_only, F, 500)], 10)[0] / 500 for _, F in sizes},
    }


def ours_(S: int, F: int, n: int) -> int:
    counts = run_chunk(Task(Cell(S, F), 0, 0, n, version()))
    return counts["td_only"] + counts["both"]


def drawing_(S: int, F: int, n: int) -> None:
    for _ in chunk_batches(Cell(S, F), 0, 0, n):
        pass


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


def products_only(F: int, n: int) -> None:
    A, out = np.random.default_rng(0).normal(size=(F, F)), np.empty((F, F))
    for _ in range(n):
        np.dot(A, A, out)


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
    spent = {"drawing": fastest([partial(drawing_, S, F, n)], 2)[0], **spent}
    spent["rest"] = total - sum(spent.values())
    return {name: round(1e6 * seconds / n, 1) for name, seconds in spent.items()}


def worker_ratio(one: Executor, two: Executor, samples: int, pairs: int = 5) -> tuple[float, float]:
    study = Study((Cell(20, 15), Cell(20, 19)), samples)

    def wall(executor: Executor) -> float:
        start = time.perf_counter()
        compute(study, Store(None), executor)
        return time.perf_counter() - start

    def peers(executor: Executor) -> float:
        start = time.perf_counter()
        list(executor.map(eigvals_only, [20] * 24, [400] * 24))
        return time.perf_counter() - start

    list(two.map(run_chunk, [Task(Cell(3, 2), 0, i, 8, version()) for i in range(8)]))  # compiles in both
    ours, theirs = (sorted(f(one) / f(two) for _ in range(pairs)) for f in (wall, peers))
    return ours[pairs // 2], theirs[pairs // 2]


def costs() -> dict[str, object]:
    """What 10⁹ problems, 2 ≤ S ≤ 100 and F = S, S − 1, S/2 in equal parts, are made of."""
    with local_processes(1) as one:
        seconds = one.submit(_seconds).result()
        tasks = [Task(Cell(2, 1), 0, i, 1, version()) for i in range(2000)]
        start = time.perf_counter()
        found = list(results(iter(tasks), run_chunk, one))
        handled = len(found) / (time.perf_counter() - start)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.sqlite") as store:
        start = time.perf_counter()
        for task, counts in found[:500]:
            store.put(task, 1, counts)
        stored = 500 / (time.perf_counter() - start)
    return {
        "us_a_problem": {F: {S: round(1e6 * s, 1) for (S, name), s in seconds.items() if name == F} for F in FEATURES},
        "us_mean_2_to_100": 1e6 * _mean_over_states(seconds),
        "core_days_for_1e9": _mean_over_states(seconds) * 1e9 / 86400,
        "ms_a_chunk_of_1000": 1e6 * _mean_over_states(seconds),
        "chunks_a_second_one_process_hands_out_and_takes_back": handled,
        "chunks_a_second_into_sqlite": stored,
        "cores_until_the_store_is_the_bottleneck": stored * 1000 * _mean_over_states(seconds),
        "chunks_a_second_through_dask": _through_dask(tasks[:500]),
    }


def _through_dask(tasks: list[Task]) -> float:
    """Scheduler, one worker and client on this machine."""
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        dask_cluster(cluster.scheduler_address) as executor,
    ):
        list(results(iter(tasks[:1]), run_chunk, executor))  # compiles
        start = time.perf_counter()
        return len(list(results(iter(tasks), run_chunk, executor))) / (time.perf_counter() - start)


FEATURES = ("S", "S-1", "S/2")
_STATES = (2, 5, 10, 20, 35, 50, 70, 100)


def _seconds() -> dict[tuple[int, str], float]:
    run_chunk(Task(Cell(3, 2), 0, 0, 8, version()))
    out = {}
    for S in _STATES:
        for name, F in zip(FEATURES, (S, S - 1, S // 2), strict=True):
            n = min(2000, max(100, 400_000 // S**2))
            out[S, name] = fastest([partial(ours_, S, F, n)], 3)[0] / n
    return out


def _mean_over_states(seconds: dict[tuple[int, str], float]) -> float:
    """Interpolated between the measured S in the logarithms, where costs are nearly lines."""
    states = np.arange(2, 101)
    curves = [
        np.exp(np.interp(np.log(states), np.log(_STATES), [log(seconds[S, name]) for S in _STATES]))
        for name in FEATURES
    ]
    return float(np.mean(curves))


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


def named(values: dict[tuple[int, int], float]) -> dict[str, float]:
    return {f"S={S} F={F}": value for (S, F), value in values.items()}


def main(quick: bool = False) -> None:
    out = run(1, QUICK, QUICK, 100) if quick else run()
    print("         over the loop   over batched eigvals   µs a problem")
    for name, us in out["ours_us"].items():
        loop, batched = out["over_loop"].get(name), out["over_batched"].get(name)
        algebra = out["over_batched_algebra"].get(name)
        cells = (f"{loop:.1f}" if loop else "", f"{batched:.1f}" if batched else "")
        print(
            f"{name:10} {cells[0]:>11} {cells[1]:>22} {us:14.1f}" + (f"   (A only: {algebra:.1f})" if algebra else "")
        )
    print(f"over the loop: geometric mean {out['over_loop_geometric_mean']:.1f}; ratio of total times", end=" ")
    print(f"{out['over_loop_total']:.1f}, of at most {out['over_loop_total_cap']:.1f} for drawing alone")
    print(f"two workers: {out['two_workers']:.2f} times one; processes of bare eigvals {out['two_peers']:.2f}")
    for name, stages_ in out["profile_us"].items():
        F = int(name.split("=")[-1])
        parts = ", ".join(f"{stage.strip('_').replace('_', ' ')} {us}" for stage, us in stages_.items())
        print(f"{name:10} µs: {parts} (one eigvals {out['eigvals_us'][F]:.0f}, one product {out['product_us'][F]:.1f})")


if __name__ == "__main__":
    if sys.argv[1:] == ["costs"]:
        print(json.dumps(costs(), indent=1))
    elif sys.argv[1:] == ["json"]:
        print(json.dumps(run(), indent=1))
    else:
        main(quick=sys.argv[1:] == ["quick"])
