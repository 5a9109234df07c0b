"""``python -m tests.adversary --problems 10000 --seed 1 [--families a,b] [--record FILE]``.

Problem i of a family is a function of the seed, the family's name and i alone. With ``--record`` every judged problem
is a line of a file, and what is in it is not asked again: a run that was cut off goes on, and after a mend
``--again`` asks those with faults once more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random

from tests.adversary.families import FAMILIES
from tests.adversary.judge import Finding, Server, judge

PATIENCE = 30.0

Findings = dict[tuple[str, int], Finding]  # by family and index


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=600, help="stop after these")
    parser.add_argument("--problems", type=int, default=1000, help="in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--record", type=Path, help="append to this file, and go on where it ends")
    parser.add_argument("--again", action="store_true", help="ask again what had faults, was undecided or slow")
    options = parser.parse_args()
    names, until = options.families.split(","), time.monotonic() + 60 * options.minutes
    found = _recorded(options.record, options.seed)
    again = {key for key, finding in found.items() if options.again and not _fine(finding)}
    server = Server()
    for name, index in _keys(names, options.problems):
        if time.monotonic() > until:
            break
        if (name, index) in found and (name, index) not in again:
            continue
        finding = judge(server, *FAMILIES[name](Random(f"{options.seed} {name} {index}")))
        found[name, index] = finding
        _tell(name, index, finding)
        if options.record is not None:
            line = {"seed": options.seed, "family": name, "index": index} | asdict(finding)
            with options.record.open("a") as file:
                print(json.dumps(line), file=file)
    server.close()
    return _table(names, found)


def _keys(names: list[str], problems: int) -> Iterator[tuple[str, int]]:
    """One of every family in turn."""
    return ((names[i % len(names)], i // len(names)) for i in range(problems))


def _recorded(path: Path | None, seed: int) -> Findings:
    found: Findings = {}
    for text in path.read_text().splitlines() if path is not None and path.exists() else ():
        line = json.loads(text)
        key = line.pop("family"), line.pop("index")
        if line.pop("seed") == seed:
            found[key] = Finding(**line)
    return found


def _fine(finding: Finding) -> bool:
    return not (finding.faults or finding.undecided or finding.seconds > PATIENCE)


def _tell(name: str, index: int, finding: Finding) -> None:
    for fault in finding.faults:
        print(f"{name} {index}: {fault}", flush=True)
    for what in finding.undecided:
        print(f"{name} {index}: undecided {what}", flush=True)
    if finding.seconds > PATIENCE:
        print(f"{name} {index}: {finding.seconds:.0f} s", flush=True)


def _table(names: list[str], found: Findings) -> int:
    print(f"\n{'family':20} {'problems':>8} {'faults':>6} {'undecided':>9} {'refused':>7} {'slow':>5} {'slowest':>8}")
    bad = 0
    for name in [*names, "all"]:
        of = [finding for (family, _), finding in found.items() if name in (family, "all")]
        faults, undecided = sum(bool(f.faults) for f in of), sum(bool(f.undecided) for f in of)
        refused = sum(f.refused for f in of)
        slow, slowest = sum(f.seconds > PATIENCE for f in of), max((f.seconds for f in of), default=0.0)
        print(f"{name:20} {len(of):8} {faults:6} {undecided:9} {refused:7} {slow:5} {slowest:7.1f}s")
        bad = faults + slow
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
