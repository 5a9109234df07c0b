"""``python -m tests.adversary --minutes 10 --seed 1 [--families a,b] [--keep FOLDER]``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Lock, local

from tests.adversary.families import FAMILIES
from tests.adversary.judge import Finding, Server, judge

PATIENCE = 30.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--problems", type=int, default=10**9, help="of each family, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="write the problems with faults into this folder")
    options = parser.parse_args()
    names, until = options.families.split(","), time.monotonic() + 60 * options.minutes
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    slowest: dict[str, float] = defaultdict(float)
    here, lock = local(), Lock()

    def one(name: str, index: int) -> None:
        if time.monotonic() > until:
            return
        if not hasattr(here, "server"):
            here.server = Server()
        document, known = FAMILIES[name](Random(f"{options.seed} {name} {index}"))
        finding = judge(here.server, document, known)
        if here.server.process.poll() is not None:
            here.server = Server()
        with lock:
            _count(counts[name], finding)
            slowest[name] = max(slowest[name], finding.seconds)
            for fault in finding.faults:
                print(f"{name} {index}: {fault}", flush=True)
            for what in finding.undecided:
                print(f"{name} {index}: undecided {what}", flush=True)
            if finding.seconds > PATIENCE:
                print(f"{name} {index}: {finding.seconds:.0f} s", flush=True)
            if options.keep and (finding.faults or finding.undecided or finding.seconds > PATIENCE):
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{name}-{options.seed}-{index}.json").write_text(json.dumps(document))

    with ThreadPoolExecutor(options.workers) as pool:
        index = 0
        while index < options.problems and time.monotonic() < until:
            list(pool.map(lambda name, i=index: one(name, i), names))  # type: ignore[misc]
            index += 1
    print(f"\n{'family':20} {'problems':>8} {'wrong':>6} {'undecided':>9} {'slow':>5} {'slowest':>8}")
    total: Counter[str] = Counter()
    for name in names:
        c = counts[name]
        total += c
        print(f"{name:20} {c['problems']:8} {c['wrong']:6} {c['undecided']:9} {c['slow']:5} {slowest[name]:7.1f}s")
    print(f"{'all':20} {total['problems']:8} {total['wrong']:6} {total['undecided']:9} {total['slow']:5}")
    return 1 if total["wrong"] or total["slow"] else 0


def _count(counter: Counter[str], finding: Finding) -> None:
    counter["problems"] += 1
    counter["wrong"] += bool(finding.faults)
    counter["undecided"] += bool(finding.undecided)
    counter["slow"] += finding.seconds > PATIENCE


if __name__ == "__main__":
    sys.exit(main())
