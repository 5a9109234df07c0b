"""`make bench` runs to its end: every benchmark in its shortest form, one after the other, as in a fresh clone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_every_benchmark_runs_after_every_other():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    names = {path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py")}
    assert {line.removeprefix("== ") for line in done.stdout.splitlines() if line.startswith("== ")} == names


def test_a_benchmark_that_fails_is_a_failure():
    command = [sys.executable, "-m", "benchmarks", "no_such_benchmark"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True).returncode != 0
