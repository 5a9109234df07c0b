"""Put one problem to `theory inspect --json` in a process of its own and compare the document with what is known."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Timer
from typing import Any

from tests.adversary.families import Known

# Many problems in one process: starting Python would take longer than most answers. Stray lines are caught at the file
# descriptors, where LAPACK writes.
_SERVER = """
import json, os, sys, tempfile, time
from pathlib import Path
from theory.cli import main

work = Path(tempfile.mkdtemp())
reply = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    task = json.loads(line)
    path = work / "problem.json"
    path.write_text(json.dumps(task["document"]))
    kept = [os.dup(1), os.dup(2)]
    files = [open(work / name, "w+") for name in ("out", "err")]
    os.dup2(files[0].fileno(), 1); os.dup2(files[1].fileno(), 2)
    start = time.process_time()
    try:
        main(["inspect", str(path), "--json", *task["arguments"]])
    except SystemExit as stop:
        code = stop.code
    except BaseException as error:
        code = f"{type(error).__name__}: {error}"[:300]
    seconds = time.process_time() - start  # of one core: the machine may be shared
    sys.stdout.flush(); sys.stderr.flush()
    os.dup2(kept[0], 1); os.dup2(kept[1], 2)
    for k in kept: os.close(k)
    for f in files: f.close()
    out, err = ((work / name).read_text() for name in ("out", "err"))
    print(json.dumps({"code": code, "out": out, "err": err, "seconds": seconds}), file=reply, flush=True)
"""


ENDLESS = 600.0  # seconds after which a process is ended


class Server:
    """A process that answers one inspection after the other."""

    def __init__(self) -> None:
        root = Path(__file__).parent.parent.parent
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(root)}
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (lives as long as the process)
        self.start = partial(
            subprocess.Popen,
            [sys.executable, "-c", _SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=environment,
        )
        self.process = self.start()

    def ask(self, document: dict[str, Any], arguments: tuple[str, ...]) -> dict[str, Any]:
        if not self.alive:  # the question before was too much for it
            self.process.communicate()
            self.process = self.start()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"document": document, "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        clock = Timer(ENDLESS, self.process.kill)
        clock.start()
        start = time.monotonic()
        line = self.process.stdout.readline()
        clock.cancel()
        if not line:
            self.process.wait()
            self.errors.seek(0)
            return {"code": "died", "out": "", "err": self.errors.read()[-500:], "seconds": time.monotonic() - start}
        return json.loads(line)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()  # closes its pipes
        self.errors.close()


REFUSAL = re.compile(r"theory: error: Phi: [^\n]*(underflows|overflow double precision): rescale [^\n]*\n")


@dataclass(frozen=True)
class Finding:
    """What came of one problem: faults are wrong answers, tracebacks and stray lines; a scale may be refused."""

    faults: tuple[str, ...]
    undecided: tuple[str, ...]
    seconds: float
    refused: bool = False


def judge(server: Server, document: dict[str, Any], known: Known) -> Finding:
    answer = server.ask(document, known.arguments)
    if answer["code"] == 2 and REFUSAL.fullmatch(answer["err"]) and not answer["out"]:
        return Finding((), (), answer["seconds"], refused=True)
    if answer["code"] != 0:
        return Finding((f"exit {answer['code']}: {answer['err'].strip()[-300:]}",), (), answer["seconds"])
    faults = [f"stray line: {answer['err'].strip()[:200]}"] if answer["err"] else []
    try:
        found = json.loads(answer["out"])
    except ValueError:
        return Finding((f"not JSON: {answer['out'][:200]!r}",), (), answer["seconds"])
    undecided = []
    for name, value, truth in (
        ("td", found["td"]["stable"], known.td),
        ("chain", found["chain"]["unbiased"], known.chain),
        ("window", found["target_network"]["stable"], known.window),
    ):
        if value is None:
            undecided.append(name)
        elif truth is not None and value != truth:
            faults.append(f"{name}: says {value}, is {truth}")
    faults += _thresholds(found, known, undecided) + _consistency(found)
    return Finding(tuple(faults), tuple(undecided), answer["seconds"])


def _thresholds(found: dict[str, Any], known: Known, undecided: list[str]) -> list[str]:
    faults = []
    end = found["td"]["gamma_threshold"]
    if known.td_end_squared is not None:
        faults += _threshold("TD's threshold", end, known.td_end_squared, undecided)
    if known.chain_threshold_squared is not None:
        faults += _threshold(
            "the chain's threshold", found["chain"]["gamma_threshold"], known.chain_threshold_squared, undecided
        )
    return faults


def _threshold(name: str, end: dict[str, Any], squared: Fraction, undecided: list[str]) -> list[str]:
    interval = end.get("interval")
    if interval is None or interval[0] is None:
        if "every" in (end.get("reason") or "") and "unknown" not in end["reason"]:
            return [] if squared >= 1 else [f"{name}: says every γ, is √{squared}"]
        undecided.append(name)
        return []
    low = Fraction(interval[0])
    if low * low > squared and not (low >= 1 and squared >= 1):
        return [f"{name}: says at least {float(low)}, is √{float(squared)}"]
    if interval[1] is None:
        undecided.append(name)
        return []
    high = Fraction(interval[1])
    if high * high < squared and not (high >= 1 and squared >= 1):
        return [f"{name}: says at most {float(high)}, is √{float(squared)}"]
    return []


def _consistency(found: dict[str, Any]) -> list[str]:
    """What one document says must agree with itself."""
    faults, gamma = [], Fraction(str(found["gamma"]))
    pieces = found["td"]["stable_intervals"]["intervals"] if found["td"].get("stable_intervals") else []
    ends = [end for piece in pieces for end in piece]
    bounds = [end["interval"] for end in ends if end.get("interval") and None not in end["interval"]]
    for (_, a), (b, _) in pairwise(bounds):
        if Fraction(b) < Fraction(a) and Fraction(a) != Fraction(b):
            faults.append(
                f"intervals of γ overlap or are out of order: {float(Fraction(a))} before {float(Fraction(b))}"
            )
    inside = [
        low["interval"] and high["interval"] and None not in (*low["interval"], *high["interval"])
        and (Fraction(low["interval"][1]) < gamma or gamma == 0) and gamma < Fraction(high["interval"][0])
        for low, high in pieces
    ]  # fmt: skip
    if any(inside) and found["td"]["stable"] is not True:
        faults.append(f"γ lies inside a stable interval, and TD is {found['td']['stable']}")
    interval = found["chain"]["gamma_threshold"].get("interval") or [None, None]
    if interval[0] is not None and gamma < Fraction(interval[0]) and found["chain"]["unbiased"] is not True:
        faults.append(f"γ is below the chain's threshold, and the chain is {found['chain']['unbiased']}")
    if interval[1] is not None and gamma > Fraction(interval[1]) and found["chain"]["unbiased"] is not False:
        faults.append(f"γ is beyond the chain's threshold, and the chain is {found['chain']['unbiased']}")
    rho = found["chain"].get("rho_bounds")
    if rho and found["chain"]["unbiased"] is not None:
        low, high = (Fraction(x) for x in rho)
        if (high < 1) > found["chain"]["unbiased"] or (low > 1) > (not found["chain"]["unbiased"]):
            faults.append(f"ρ in [{float(low)}, {float(high)}], and the chain is {found['chain']['unbiased']}")
    values = found["td"].get("eigenvalue_bounds")
    if values and found["td"]["stable"] is not None:
        if sum(v["count"] for v in values) != found["rank"]:
            faults.append("the eigenvalues of A do not count up to the rank")
        if any(Fraction(v["real"][1]) < 0 for v in values) and found["td"]["stable"]:
            faults.append("an eigenvalue of A is left of the axis, and TD is stable")
        if all(Fraction(v["real"][0]) > 0 for v in values) and not found["td"]["stable"]:
            faults.append("all eigenvalues of A are right of the axis, and TD is unstable")
    return faults
