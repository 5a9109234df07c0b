"""Questions to servers that run side by side, each question with a time limit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.replay.cases import Case, make
from tests.replay.trim import trim

HERE = Path(__file__).parent


class Server:
    """A process that answers with the `theory` of the checkout `code`; ended at a time limit, and started again."""

    def __init__(self, code: Path) -> None:
        self.code, self.folder = code, Path(tempfile.mkdtemp(prefix="replay-"))
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(HERE / "server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(self.code)},
            cwd=self.folder,
        )
        if self.process.stdout.readline() != "ready\n":
            raise SystemExit(f"replay: the theory in {self.code} cannot be imported")

    def ask(self, case: Case) -> dict[str, Any]:
        """Exit code, outputs and seconds; the code is ``slow`` or ``died`` where there is no answer."""
        arguments = case.command.format(make(case.problem, self.folder)).split()
        clock, start = threading.Timer(case.limit, self.process.kill), time.monotonic()
        clock.start()
        self.process.stdin.write(json.dumps(arguments) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        clock.cancel()
        if line:
            return json.loads(line)
        seconds = time.monotonic() - start
        self.process.communicate()
        self.start()
        return {"code": "slow" if seconds >= case.limit else "died", "out": "", "err": "", "seconds": seconds}

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        shutil.rmtree(self.folder)


def record(case: Case, reply: dict[str, Any], texts: bool = False) -> dict[str, Any]:
    """The line that is stored; with `texts` also the reasons, to be shown."""
    line = {"problem": case.problem, "command": case.command, "code": reply["code"]}
    if reply["code"] in (0, 1) and reply["out"]:
        line["answer"] = trim(json.loads(reply["out"]), texts=texts)
    else:
        line["error"] = reply["err"].strip().rpartition("\n")[2][:300]
    return line | {"seconds": round(reply["seconds"], 3)}


def ask_all(weights: dict[Case, float], code: Path, workers: int) -> Iterator[tuple[Case, dict[str, Any]]]:
    """Every case with its reply, as they come; progress on standard error, measured by the cases' weights."""
    mine, servers = threading.local(), []

    def ask(case: Case) -> dict[str, Any]:
        if not hasattr(mine, "server"):
            mine.server = Server(code)
            servers.append(mine.server)
        return mine.server.ask(case)

    start, done, told = time.monotonic(), 0.0, 0.0
    pool = ThreadPoolExecutor(workers)
    asked = {pool.submit(ask, case): case for case in weights}
    try:
        for n, future in enumerate(as_completed(asked), 1):
            yield asked[future], future.result()
            done, passed = done + weights[asked[future]], time.monotonic() - start
            if passed > told + 5 or n == len(asked):
                told, left = passed, passed * (sum(weights.values()) / done - 1)
                print(f"{n:,} of {len(asked):,}, {passed:.0f} s passed, about {left:.0f} s left", file=sys.stderr)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for server in servers:
            server.close()
