"""``python -m tests.replay record`` and ``python -m tests.replay compare``: see the package."""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

from tests.replay.ask import HERE, Server, ask_all, record
from tests.replay.cases import Case, all_cases, make
from tests.replay.compare import KINDS, Difference, compare_records

RECORDED = HERE / "recorded.jsonl.xz"
LISTED = 30  # of each kind but flips

Lines = dict[Case, dict[str, Any]]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__)
    parser.add_argument("task", choices=("record", "compare"))
    parser.add_argument("--code", type=Path, default=HERE.parent.parent, help="the checkout that is asked")
    parser.add_argument("--into", type=Path, default=RECORDED, help="the recording")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--commands", default="", help="only these: inspect,compare")
    parser.add_argument("--only", default="", help="only these groups: catalogue,gymnasium,adversary,random,data,large")
    parser.add_argument("--every", type=int, default=1, help="every N-th case")
    parser.add_argument("--sample", type=int, default=10**9, help="so many cases, always the same")
    parser.add_argument("--problem", help="only this one, by its id")
    parser.add_argument("--show", action="store_true", help="print both answers")
    options = parser.parse_args()
    options.code, lines = options.code.resolve(), read(options.into)
    if options.task == "record":
        return _record(options, lines)
    return _compare(options, {case: lines[case] for case in _chosen(list(lines), options)})


def read(path: Path = RECORDED) -> Lines:
    """The recorded lines, those of an unfinished recording included."""
    packed, unfinished = path.exists() and path.read_bytes(), path.with_suffix("")
    text = (lzma.decompress(packed).decode() if packed else "") + (
        unfinished.read_text() if unfinished.exists() else ""
    )
    return {Case(line["problem"], line["command"]): line for line in map(json.loads, text.splitlines())}


def _chosen(cases: list[Case], options: argparse.Namespace) -> list[Case]:
    wanted = [(options.only, lambda case: case.group), (options.commands, lambda case: case.name)]
    for names, of in (*wanted, (options.problem, lambda case: case.problem)):
        cases = [case for case in cases if not names or of(case) == names or of(case) in names.split(",")]
    cases = cases[:: options.every]
    return Random(0).sample(cases, min(options.sample, len(cases)))


def _record(options: argparse.Namespace, lines: Lines) -> int:
    server, unfinished = Server(options.code), options.into.with_suffix("")
    names = [problem["name"] for problem in json.loads(server.ask(Case("catalogue:", "list"))["out"])["problems"]]
    server.close()
    cases = all_cases(names)
    missing = dict.fromkeys((case for case in _chosen(cases, options) if case not in lines), 1.0)
    with unfinished.open("a") as file:
        for case, reply in ask_all(missing, options.code, options.workers):
            lines[case] = record(case, reply)
            print(json.dumps(lines[case], ensure_ascii=False), file=file, flush=True)
    text = "".join(json.dumps(lines[case], ensure_ascii=False) + "\n" for case in cases if case in lines)
    options.into.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    unfinished.unlink()
    for (group, name), n in sorted(Counter((case.group, case.name) for case in lines).items()):
        print(f"{n:6,}  {group:10} {name}")
    return 0


def _compare(options: argparse.Namespace, lines: Lines) -> int:
    found: dict[str, list[tuple[Case, Difference]]] = {kind: [] for kind in KINDS}
    seconds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    weights = {case: line["seconds"] + 0.02 for case, line in lines.items()}
    for case, reply in ask_all(weights, options.code, options.workers):
        old, new = lines[case], record(case, reply, texts=True)
        for difference in compare_records(old, new):
            found[difference.kind].append((case, difference))
        for total in (seconds[case.name], seconds["all"]):
            total[:] = total[0] + old["seconds"], total[1] + new["seconds"]
        if options.show:
            _show(case, old, new)
    _list(found)
    for name, (before, after) in sorted(seconds.items()):
        print(f"{name:10} old {before:8.1f} s, new {after:8.1f} s")
    counts = (f"{len(found[k])} {KINDS[k].lower()}" for k in ("flip", "undecided", "decided", "number", "slower"))
    times = "old {:.0f} s, new {:.0f} s".format(*seconds["all"])
    print(f"replay: {len(lines):,} answers, {', '.join(counts)}, {times}")
    return 1 if found["flip"] or found["crash"] else 0


def _list(found: dict[str, list[tuple[Case, Difference]]]) -> None:
    for kind, rows in found.items():
        if rows:
            print(f"\n{len(rows):,} {KINDS[kind]}")
        if kind == "vanished":
            for where, n in Counter(difference.where for _, difference in rows).most_common():
                print(f"  {n:,} times {where}")
            continue
        for case, difference in rows if kind == "flip" else rows[:LISTED]:
            print(f"  {case.problem}  {case.command}  {difference.where}: {difference.text}")
            if kind in ("flip", "crash"):
                print(f"    python -m tests.replay compare --show --commands {case.name} --problem '{case.problem}'")


def _show(case: Case, old: dict[str, Any], new: dict[str, Any]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="replay-"))
    print(f"theory {case.command.format(make(case.problem, folder))}   # in {folder}")
    print("old", json.dumps(old, ensure_ascii=False, indent=1), "\nnew", json.dumps(new, ensure_ascii=False, indent=1))
    print(*compare_records(old, new), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
