"""Stored files, edited at random: refused in one line, or the numbers are those that were computed.

``python -m tests.adversary.stores --edits 10000 --seed 0`` edits a store of chunks: bytes of the file (flipped, cut,
overwritten), and cells of its tables (counts moved, values of another JSON shape, keys, digests, versions). After each
edit the study is asked again. Three ends are sound: the edit is refused with one line; what it destroyed is computed
again; or it hit what nobody reads. The rows that come out must then be those of the untouched store. Wrong rows, and
any exception that is not a refusal, are failures.

With ``--forge`` the digests of edited rows are made right again, as by someone who means it: then whatever does not add
up must still be refused. What adds up is a forgery that no check of counts can see, and is counted as such.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from theory.montecarlo import Cell, Store, Study, run_study
from theory.problems import InvalidProblem
from theory.store import StoreError, _digest

STUDY = Study((Cell(3, 2, windows=(1.0, 4.0)), Cell(2, 2, quantiles=True)), 12, seed=1, chunk=4)
SHAPES = (None, True, 0, -1, 1.5, "x", [], {}, [[]], 1e400, 10**30, "\ud800")


def original(path: Path) -> list[dict[str, Any]]:
    """A store with every chunk of the study, and its rows."""
    with Store(path) as store:
        return run_study(STUDY, store)


def edit_bytes(path: Path, rng: random.Random) -> str:
    """Some bytes of the file."""
    data = bytearray(path.read_bytes())
    kind = rng.choice(("flip", "overwrite", "cut", "insert", "zero"))
    at = rng.randrange(len(data))
    if kind == "flip":
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "overwrite":
        data[at : at + rng.randrange(1, 40)] = rng.randbytes(rng.randrange(1, 40))
    elif kind == "cut":
        del data[at:]
    elif kind == "insert":
        data[at:at] = rng.randbytes(rng.randrange(1, 9))
    else:
        data[at : at + 200] = bytes(len(data[at : at + 200]))
    path.write_bytes(bytes(data))
    return kind


def edit_cells(path: Path, rng: random.Random, forge: bool) -> str:
    """One cell of one row, or one part of a row's JSON."""
    kind = rng.choice(("count", "move", "shape", "drop", "text", "size", "place", "digest", "what", "version", "blob"))
    with closing(sqlite3.connect(path)) as db, db:
        if kind == "version":
            db.execute("UPDATE about SET version = ?", (rng.choice(("", "older", 7, b"\xff")),))
            return kind
        what, place, size, value, digest = rng.choice(db.execute("SELECT * FROM results").fetchall())
        old = (what, place, size)
        if kind in ("count", "move", "shape", "drop"):
            value = json.dumps(edited(json.loads(value), kind, rng))
        elif kind == "text":
            value = rng.choice(("", "{", "null", "[" * 5000, value[:-1], "NaN", '{"a": 1}', value + " "))
        elif kind == "blob":
            value = rng.choice((value.encode(), b"\xff\xfe", 5))
        elif kind == "size":
            size = rng.choice((size - 1, size + 1, 0, -4, 2**62))
        elif kind == "place":
            place = rng.choice((place + 1, place + 100, -1))
        elif kind == "digest":
            digest = rng.choice(("", digest[::-1], digest.upper()))
        else:
            what += " "
        if forge and kind != "digest" and isinstance(value, str):
            digest = _digest(what, place, size, value)
        db.execute("DELETE FROM results WHERE what = ? AND place = ? AND size = ?", old)
        db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", (what, place, size, value, digest))
    return kind


def edited(counts: dict[str, Any], kind: str, rng: random.Random) -> dict[str, Any]:
    """The counts of a chunk, no longer as they were."""
    names = [name for name, n in counts.items() if type(n) is int]
    name = rng.choice(sorted(counts) if kind in ("shape", "drop") else names)
    if kind == "count":
        counts[name] += rng.choice((-3, -1, 1, 2, 50))
    elif kind == "move":  # from one quadrant to another: everything still adds up
        other = rng.choice([n for n in names if n != name])
        counts[name], counts[other] = counts[other], counts[name]
    elif kind == "drop":
        del counts[name]
    else:
        counts[name] = rng.choice(SHAPES)
    return counts


def ends_soundly(path: Path, rows: list[dict[str, Any]]) -> str:
    """``refused`` or ``same``; ``WRONG`` and ``RAISED`` are failures."""
    try:
        with Store(path) as store:
            found = run_study(STUDY, store)
    except (StoreError, InvalidProblem) as refusal:
        return "refused" if "\n" not in str(refusal) else "RAISED more than a line"
    except Exception as error:  # whatever it is, it is a failure
        return f"RAISED {type(error).__name__}: {str(error)[:60]}"
    return "same" if found == rows else "WRONG"


def run(edits: int, seed: int, forge: bool = False) -> Counter[tuple[str, str]]:
    """How often each kind of edit had each end."""
    rng, ends = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as folder:
        whole, path = Path(folder) / "whole.sqlite", Path(folder) / "edited.sqlite"
        rows = original(whole)
        for _ in range(edits):
            shutil.copy(whole, path)
            kind = edit_cells(path, rng, forge) if forge or rng.random() < 0.6 else edit_bytes(path, rng)
            ends[kind, ends_soundly(path, rows)] += 1
            for left in Path(folder).glob("edited*"):
                left.unlink()
    return ends


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--forge", action="store_true", help="make digests right again")
    asked = parser.parse_args()
    ends = run(asked.edits, asked.seed, asked.forge)
    for (kind, end), n in sorted(ends.items()):
        print(f"{n:7}  {kind:10} {end}")
    bad = sum(n for (_, end), n in ends.items() if end.startswith("RAISED") or (end == "WRONG" and not asked.forge))
    print(f"{asked.edits} edits, {bad} failures")
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
