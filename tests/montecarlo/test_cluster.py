"""The same study on a real Dask cluster: a scheduler and two workers, one of which is killed in mid-run."""

import json
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from theory.montecarlo import Cell, Store, Study, run_study
from theory.montecarlo.executors import dask_cluster
from theory.problems import InvalidProblem

CELLS = (Cell(3, 2), Cell(6, 5))


def test_without_a_scheduler_it_is_one_line():
    pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'chained-td[cluster]'")
    with (
        pytest.raises(InvalidProblem, match="no Dask scheduler answers at tcp://127"),
        dask_cluster("tcp://127.0.0.1:9"),
    ):
        pass


def test_without_dask_it_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if it were not installed
    with pytest.raises(InvalidProblem, match=r"pip install 'chained-td\[cluster\]'"), dask_cluster("tcp://127.0.0.1:9"):
        pass


def start(*arguments):
    return subprocess.Popen([sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the cluster did not start"
        time.sleep(0.05)


@contextmanager
def cluster(folder, workers):
    """A scheduler's address, and its processes, the scheduler first; all are gone in the end."""
    pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'chained-td[cluster]'")
    file, here = folder / "scheduler.json", ("--host", "127.0.0.1", "--port", "0")
    processes = [start("distributed.cli.dask_scheduler", *here, "--no-dashboard", "--scheduler-file", str(file))]
    try:
        wait_until(file.exists)
        wait_until(lambda: file.read_text().strip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder))
        processes += [start("distributed.cli.dask_worker", address, *options) for _ in range(workers)]
        yield address, processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


def killing(victim):
    """Kill it when a quarter is done; when that was."""
    killed_at = []

    def progress(done, total, _found):
        if done >= total // 4 and not killed_at:
            victim.send_signal(signal.SIGKILL)
            killed_at.append(done)

    return progress, killed_at


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # dask's own, about processes that we kill
def test_a_killed_worker_changes_nothing(tmp_path):
    study = Study(CELLS, 2000, chunk=50)
    with cluster(tmp_path, 2) as (address, processes):
        progress, killed_at = killing(processes[1])
        with Store(tmp_path / "s.sqlite") as store, dask_cluster(address) as executor:
            executor._client.wait_for_workers(2, timeout=60)
            rows = run_study(study, store, executor, progress)
        assert processes[1].wait(timeout=10) == -signal.SIGKILL
    assert 0 < killed_at[0] < 4000
    with Store(None) as store:
        assert json.dumps(rows) == json.dumps(run_study(study, store))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_killed_scheduler_is_one_line_and_what_is_done_is_kept(tmp_path):
    study = Study(CELLS, 20_000, chunk=50)
    with cluster(tmp_path, 1) as (address, processes), Store(tmp_path / "s.sqlite") as store:
        progress, killed_at = killing(processes[0])
        with (
            pytest.raises(InvalidProblem, match="went away; what is finished is kept"),
            dask_cluster(address) as executor,
        ):
            run_study(study, store, executor, progress)
    first = []
    with Store(tmp_path / "s.sqlite") as store:
        rows = run_study(study, store, progress=lambda done, _total, _found: first.append(done))
    assert first[0] >= killed_at[0]
    with Store(None) as store:
        assert json.dumps(rows) == json.dumps(run_study(study, store))
