"""The same study on a real Dask cluster: a scheduler and two workers, one of which is killed in mid-run."""

import json
import signal
import subprocess
import sys
import time

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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # dask's own, about processes that we kill
def test_a_killed_worker_changes_nothing(tmp_path):
    pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'chained-td[cluster]'")
    study = Study(CELLS, 2000, chunk=50)
    file = tmp_path / "scheduler.json"
    processes = [
        start(
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(file),
        )
    ]
    try:
        wait_until(file.exists)
        wait_until(lambda: file.read_text().strip().endswith("}"))
        address = json.loads(file.read_text())["address"]
        for _ in range(2):
            processes.append(
                start(
                    "distributed.cli.dask_worker",
                    address,
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--no-dashboard",
                    "--local-directory",
                    str(tmp_path),
                )
            )
        victim = processes[1]
        killed_at = []

        def kill_in_mid_run(done, total, _found):
            if done >= total // 4 and not killed_at:
                victim.send_signal(signal.SIGKILL)
                killed_at.append(done)

        with Store(tmp_path / "s.sqlite") as store, dask_cluster(address) as executor:
            executor._client.wait_for_workers(2, timeout=60)
            rows = run_study(study, store, executor, kill_in_mid_run)
        assert victim.wait(timeout=10) == -signal.SIGKILL
        assert 0 < killed_at[0] < 4000
    finally:
        for process in processes:
            process.kill()
            process.wait()
    with Store(None) as store:
        assert json.dumps(rows) == json.dumps(run_study(study, store))
