"""A study's answer depends on what is asked, and on nothing else."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from math import sqrt

import numpy as np
import pytest

from theory.montecarlo import Cell, Store, Study, Task, run_chunk, run_study
from theory.montecarlo.chunks import VersionMismatch, version
from theory.montecarlo.executors import ONE_THREAD, local_processes
from theory.montecarlo.rows import wilson
from theory.problems import InvalidProblem

CELLS = (Cell(3, 2), Cell(5, 5, windows=(1.0, float("inf"))), Cell(4, 3, law="binary"))


def answer(study, executor=None, path=None):
    with Store(path) as store:
        return json.dumps(run_study(study, store, executor))


def test_counts_add_up():
    with Store(None) as store:
        rows = run_study(Study(CELLS, 700, chunk=300), store)
    for row in rows:
        td_only, chain_only = row["td_unstable"] - row["both"], row["chain_biased"] - row["both"]
        assert td_only + chain_only + row["both"] + row["neither"] + row["undecided"] == row["samples"] == 700
        assert row["ci95"]["td_unstable"] == list(wilson(row["td_unstable"], 700))
        assert row["ci95"]["unbiased_given_td_unstable"] == list(wilson(td_only, row["td_unstable"]))
        for tests in row["decided_by"].values():
            assert sum(tests.values()) == 700
    assert rows[1]["windows"][0]["stable"] == 700 - rows[1]["td_unstable"]  # α is small enough for these
    assert rows[1]["windows"][1]["stable"] == 700 - rows[1]["chain_biased"]


def test_more_samples_extend_the_old_ones(tmp_path):
    path = tmp_path / "s.sqlite"
    few, more = Study(CELLS[:1], 250, chunk=100), Study(CELLS[:1], 500, chunk=100)
    first = answer(few, path=path)
    with Store(path) as store:
        seen = []
        rows = run_study(more, store, progress=lambda done, total, found: seen.append((done, total, found)))
        assert seen[0] == (200, 500, 200)  # two full chunks; the half one is drawn again, whole
        assert seen[-1][0] == 500
        assert len(store) == 6
    assert json.dumps(rows) == answer(more)
    assert answer(few, path=path) == first
    assert rows[0]["td_unstable"] >= json.loads(first)[0]["td_unstable"]


def test_order_and_company_of_cells_do_not_matter():
    alone = json.loads(answer(Study(CELLS[1:2], 150)))
    together = json.loads(answer(Study(CELLS[::-1], 150)))
    assert together[1] == alone[0]


def test_any_executor_will_do():
    with ThreadPoolExecutor(3) as pool:
        assert answer(Study(CELLS, 150, chunk=20), pool) == answer(Study(CELLS, 150, chunk=20))


def test_one_and_two_processes_give_the_same_bytes():
    study = Study(CELLS, 120, chunk=20)
    with local_processes(1) as pool:
        one = answer(study, pool)
        limits = pool.submit(os.getenv, "OPENBLAS_NUM_THREADS").result()
    with local_processes(2) as pool:
        two = answer(study, pool)
    assert one == two == answer(study)
    assert limits == "1"


def test_starting_processes_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    for name in ONE_THREAD:
        if name != "OMP_NUM_THREADS":
            monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    with pytest.raises(InvalidProblem, match="workers"), local_processes(0):
        pass
    with local_processes(1):
        assert dict(os.environ) == before


RUN = "import sys\nfrom theory.commands.success_rate import command\nif __name__ == '__main__': command(sys.argv[1:])\n"


def command(script, *arguments):
    return [sys.executable, str(script), "--states", "20", "--features", "S,S-1", "--chunk", "40", "--json", *arguments]


def chunks_in(path):
    with Store(path) as store:
        return len(store)


def test_killed_and_resumed_gives_the_same_bytes(tmp_path):
    """SIGKILL as soon as the store holds some chunks; the second run must find them and end alike."""
    script, path = tmp_path / "run.py", tmp_path / "s.sqlite"
    script.write_text(RUN)
    ask = command(script, "--samples", "40000", "--workers", "1")
    doomed = subprocess.Popen([*ask, "--store", str(path)], stdout=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and (not path.exists() or chunks_in(path) < 3):
        time.sleep(0.01)
    doomed.kill()
    doomed.communicate(timeout=60)  # returns when nobody writes any more: the worker must not outlive its parent
    assert doomed.returncode == -signal.SIGKILL
    assert 3 <= chunks_in(path) < 2000
    resumed = subprocess.run([*ask, "--store", str(path)], capture_output=True, check=True)
    with Store(None) as store:
        fresh = run_study(Study((Cell(20, 19), Cell(20, 20)), 40_000, chunk=40), store)
    document = json.loads(resumed.stdout)
    assert json.dumps(document["rows"]) == json.dumps(fresh)
    assert resumed.stderr == b""
    again = subprocess.run([*ask, "--store", str(path)], capture_output=True, check=True)
    assert again.stdout == resumed.stdout


def test_interrupted_says_what_is_done_and_how_to_go_on(tmp_path):
    script, path = tmp_path / "run.py", tmp_path / "s.sqlite"
    script.write_text(RUN)
    ask = command(script, "--samples", "100000", "--workers", "1", "--store", str(path))
    process = subprocess.Popen(ask, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 120
    try:
        while not path.exists() or chunks_in(path) < 2:
            assert time.monotonic() < deadline, "the command did not begin"
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert "of 200,000 problems are kept in" in errors
    assert "run the same command to go on" in errors
    assert errors.count("\n") == 1


def test_a_worker_with_other_code_refuses():
    with pytest.raises(VersionMismatch, match="install the same"):
        run_chunk(Task(CELLS[0], 0, 0, 3, "theory 0.0.1"))
    assert "numpy" in version()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"samples": 0}, "samples"),
        ({"chunk": 0}, "chunk"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**128}, "seed"),
        ({"cells": ()}, "states"),
    ],
)
def test_impossible_studies_are_refused(change, said):
    with pytest.raises(InvalidProblem, match=said):
        Study(**{"cells": CELLS, "samples": 1} | change)


def test_quantiles_are_those_of_all_radii():
    from theory.linear.spectra import chain_radius
    from theory.montecarlo.draws import chunk_batches

    cell = Cell(4, 3, quantiles=True)
    with Store(None) as store:
        (row,) = run_study(Study((cell,), 90, chunk=40), store)
    problems = [
        b.problem(i, cell.gamma)
        for k, n in ((0, 40), (1, 40), (2, 10))
        for b in chunk_batches(cell, 0, k, n)
        for i in range(len(b))
    ]
    radii = sorted(map(chain_radius, problems))
    assert row["rho_quantiles"]["0.5"] == pytest.approx(radii[44], rel=1e-9)  # the 45th of 90
    assert sum(r >= 1 for r in radii) == row["chain_biased"]


def straightforward(rng, S, F, n, gamma=0.99):
    """The study as one would write it down, nothing shared: one problem at a time, S×S matrices, eigenvalues."""
    unstable = biased = 0
    for _ in range(n):
        Phi, P, d = rng.normal(size=(S, F)), rng.uniform(size=(S, S)), rng.uniform(size=S)
        P /= P.sum(axis=1, keepdims=True)
        D = np.diag(d / d.sum())
        A = Phi.T @ D @ (np.eye(S) - gamma * P) @ Phi
        Pi = Phi @ np.linalg.inv(Phi.T @ D @ Phi) @ Phi.T @ D
        unstable += bool((np.linalg.eigvals(A).real <= 0).any())
        biased += bool(np.abs(np.linalg.eigvals(gamma * Pi @ P)).max() >= 1)
    return unstable, biased


@pytest.mark.parametrize(
    ("S", "F", "n"),
    [
        (2, 1, 3000),
        (2, 2, 3000),
        (3, 2, 3000),
        (5, 3, 2000),
        (10, 9, 2000),
        (10, 10, 2000),
        (30, 29, 300),
        (100, 99, 16),
        (100, 50, 16),
    ],
)
def test_rates_agree_with_a_straightforward_sampler(S, F, n):
    """Two samples of n: |difference| ≤ 4.9 standard errors, error probability 10⁻⁶ for each of the eighteen."""
    with Store(None) as store:
        (row,) = run_study(Study((Cell(S, F),), n, seed=11), store)
    other = straightforward(np.random.default_rng(12), S, F, n)
    for ours, theirs in zip((row["td_unstable"], row["chain_biased"]), other, strict=True):
        p = (ours + theirs + 1) / (2 * n + 2)
        assert abs(ours - theirs) <= 4.9 * sqrt(2 * n * p * (1 - p)) + 1
