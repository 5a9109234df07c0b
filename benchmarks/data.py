"""What a pass over recorded transitions costs: ``theory inspect`` of Parquet, beside a bare loop of pyarrow and NumPy.

The bare loop decodes the same columns in batches and multiplies φᵀ[φ; ρφ'; ρr], uncertain of everything: no names, no
checks, no trajectories. `read` is the pass alone, `inspect` the command in a process of its own, bootstrap and bounds
included, of which the start is measured by the same command on forty rows. Seconds are of processor time.
``python -m benchmarks.data 10000000`` adds a folder of so many rows of 20 features, in sixteen files.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.large import command

ONE_THREAD = "import os; os.environ.update(OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')\n"
BARE = """
import sys, resource, time, numpy as np
import pyarrow.parquet as parquet
path, F = sys.argv[1], int(sys.argv[2])
begun, S = time.process_time(), 0.0
for batch in parquet.ParquetFile(path, pre_buffer=False, buffer_size=2**20).iter_batches(2**16, use_threads=False):
    Z = np.empty((2 * F + 1, batch.num_rows))
    for i in range(F):
        Z[i], Z[F + i] = batch.column(f"phi_{i}").to_numpy(), batch.column(f"next_phi_{i}").to_numpy()
    Z[-1] = batch.column("reward").to_numpy()
    Z[F:] *= batch.column("ratio").to_numpy()
    S = S + Z[:F] @ Z.T
print(time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""
READ = """
import sys, resource, time
import pyarrow.parquet
import theory
from theory.data.inspect import open_data
begun = time.process_time()
open_data(sys.argv[1], 0.99).passed()
print(time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def write(path: Path, trajectories: int, moves: int, F: int, seed: int = 0) -> None:
    """Random features in the order of trajectories, in row groups of some 10⁵ rows."""
    import pyarrow as arrow
    from pyarrow import parquet

    rng, some = np.random.default_rng(seed), max(1, 100_000 // moves)
    writer = None
    for first in range(0, trajectories, some):
        k = min(some, trajectories - first)
        x = rng.standard_normal((k, moves + 1, F))
        columns = {f"phi_{i}": x[:, :-1, i].ravel() for i in range(F)}
        columns |= {f"next_phi_{i}": x[:, 1:, i].ravel() for i in range(F)}
        columns |= {"reward": rng.random(k * moves), "ratio": rng.choice([0.5, 1.5], k * moves)}
        columns["episode"] = np.repeat(np.arange(first, first + k) + seed * trajectories, moves)
        table = arrow.table(columns)
        writer = writer or parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def process(code: str, *arguments: str) -> tuple[float, float]:
    """Seconds and GiB that the code prints."""
    done = subprocess.run(
        [sys.executable, "-c", ONE_THREAD + code, *arguments], capture_output=True, text=True, check=True
    )
    seconds, memory = (float(x) for x in done.stdout.split())
    return seconds, memory


def measured(path: Path, rows: int, F: int, start: float) -> dict[str, float]:
    """The fastest of three of each, taken in turn."""
    bare, read = float("inf"), float("inf")
    memory = 0.0
    for _ in range(3):
        bare = min(bare, process(BARE, str(path), str(F))[0])
        seconds, memory = process(READ, str(path))
        read = min(read, seconds)
    whole, most = command("inspect", str(path), "--gamma", "0.99")
    return {
        "rows": rows,
        "features": F,
        "bare_s": bare,
        "read_s": read,
        "rows_per_s": rows / read,
        "read_over_bare": read / bare,
        "read_GiB": memory,
        "inspect_after_start_s": whole - start,
        "inspect_GiB": most,
    }


def run(rows: int, folder: Path) -> dict[str, dict[str, float]]:
    """Long trajectories of 20 features, short ones of 50."""
    write(folder / "start.parquet", 40, 1, 20)
    start, _ = command("inspect", str(folder / "start.parquet"), "--gamma", "0.99")
    found = {}
    for name, moves, F in (("long", 1000, 20), ("short", 10, 50)):
        path = folder / f"{name}.parquet"
        write(path, rows // moves, moves, F)
        found[name] = measured(path, rows, F, start)
        path.unlink()
    return found


def many(rows: int, folder: Path) -> dict[str, float]:
    """A folder of sixteen files, end to end."""
    parts = folder / "parts"
    parts.mkdir()
    for i in range(16):
        write(parts / f"part-{i}.parquet", rows // 16_000, 1000, 20, seed=i)
    seconds, memory = command("inspect", str(parts), "--gamma", "0.99")
    return {"rows": rows // 16_000 * 16_000, "inspect_s": seconds, "inspect_GiB": memory}


def main(argument: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(json.dumps(run(40_000 if argument == "quick" else 1_000_000, folder), indent=2))
        if argument not in (None, "quick"):
            print(json.dumps(many(int(str(argument)), folder), indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
