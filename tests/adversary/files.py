"""Files of every kind, changed at random: read rightly, or refused in one line, in a second and within a gibibyte.

``python -m tests.adversary.files --files 20000 --seed 0`` writes problem files, families, dense and sparse archives,
Matrix Market files and recorded transitions, changes some of their numbers, keys, shapes, types, headers and bytes, and
reads them. A file that is accepted is read again here, by other code, and both must say the same; a file
that is refused must be refused by `InvalidProblem`, in one line of at most 300 characters.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import random
import resource
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from theory.data.inspect import open_data
from theory.problems import InvalidProblem, Problem
from theory.problems.sources import find_family, find_problem

LONGEST, SECONDS, MEMORY = 300, 1.0, 1 << 30
ODD = [
    None, True, False, "", " ", "0", "-0", "1e400", "1e-400", "-1", "2", "1/0", "0/0", "1/3", "nan", "inf", "٣", "½",
    "0x10", "1_000", "1,5", "__import__('os')", "x" * 100_000, "9" * 5000, 1e308, -1, 0, 2, 10**400, [], {}, [[]],
    [1], {"gamma": 1}, "\x00", "\ud800", "é", "gamma", "1e999999999",
]  # fmt: skip
WORDS = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e400",
    "1E-400",
    "01",
    "+1",
    ".5",
    "5.",
    "'1'",
    "//",
    "",
    "{",
    "]",
    "\x00",
    "\ufeff",
]


def small(rng: random.Random) -> dict[str, Any]:
    """A problem file of two or three states, as a tree."""
    S, F = rng.choice([(2, 1), (2, 2), (3, 2)])
    row = lambda n: [str(Fraction(x, 6)) for x in rng.choice([[6] + [0] * (n - 1), [3, 3] + [0] * (n - 2)])]  # noqa: E731
    tree: dict[str, Any] = {
        "name": "small", "gamma": "9/10", "features": [[rng.randint(-3, 3) or 1 for _ in range(F)] for _ in range(S)]
    }  # fmt: skip
    if rng.random() < 0.5:
        tree["target"] = {"transitions": [row(S) for _ in range(S)], "rewards": [rng.randint(-2, 2) for _ in range(S)]}
        tree["behaviour"] = {"distribution": [str(Fraction(1, S))] * S}
        return tree
    tree["transitions"] = [[row(S) for _ in range(2)] for _ in range(S)]
    tree["transitions"][0][0] = tree["transitions"][-1][1] = [str(Fraction(1, S))] * S
    tree["rewards"] = [[rng.randint(-2, 2) for _ in range(2)] for _ in range(S)]
    tree["target_policy"] = [["1/2", "1/2"]] * S
    tree["behaviour_policy"] = [["1/3", "2/3"]] * S
    return tree


def change_tree(tree: Any, rng: random.Random) -> Any:
    """One place of a tree: another value, gone, twice, or deeper."""
    if not isinstance(tree, dict | list) or not tree or rng.random() < 0.15:
        kind = rng.choice(["odd", "wrap", "text", "float"])
        if kind == "wrap":
            return [tree]
        return str(tree) if kind == "text" else rng.random() * 3 if kind == "float" else rng.choice(ODD)
    place = rng.choice(list(tree) if isinstance(tree, dict) else range(len(tree)))
    kind, out = rng.choice(["into"] * 8 + ["gone", "more"]), tree.copy()
    if kind == "into":
        out[place] = change_tree(tree[place], rng)
    elif kind == "gone":
        del out[place]
    elif isinstance(tree, dict):
        out[rng.choice(["gama", "states", "start", "episodic", "discount", "letters", "x" * 1000])] = rng.choice(ODD)
    else:
        out.append(tree[place])
    return out


def change_text(text: str, rng: random.Random) -> str:
    """Some characters of a text."""
    at = rng.randrange(len(text) + 1)
    kind = rng.choice(["word", "cut", "twice", "drop", "swap"])
    if kind == "word":
        return text[:at] + rng.choice(WORDS) + text[at:]
    if kind == "cut":
        return text[:at]
    if kind == "twice":
        return text[:at] + text[max(0, at - rng.randint(1, 30)) : at] + text[at:]
    end = at + rng.randint(1, 5)
    return text[:at] + text[end:] if kind == "drop" else text[:at] + text[at:end][::-1] + text[end:]


def change_bytes(data: bytes, rng: random.Random) -> bytes:
    """Some bytes of a file."""
    out, at = bytearray(data), rng.randrange(len(data))
    kind = rng.choice(["flip", "cut", "insert", "zero"])
    if kind == "flip":
        out[at] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del out[at:]
    elif kind == "insert":
        out[at:at] = rng.randbytes(rng.randint(1, 9))
    else:
        out[at : at + 50] = bytes(len(out[at : at + 50]))
    return bytes(out)


def change_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """Another type, shape or number."""
    kind = rng.choice(["type", "number", "shape", "rows", "scalar"])
    if kind == "type":
        types = ["f2", "f4", "f8", "i1", "u1", "i8", "u8", "c16", "?", "U3", "S3", "O", ">f8", "M8[s]"]
        with np.errstate(all="ignore"), suppress(ValueError):  # some text is no number
            return array.astype(rng.choice(types))
        return array
    if kind == "number" and array.size and array.dtype.kind in "fiu":
        out = array.copy().astype(float)
        odd = [math.nan, math.inf, -math.inf, -1.0, 0.0, 2.0, 1e308, 5e-324, 0.3]
        out.flat[rng.randrange(array.size)] = rng.choice(odd)
        return out
    if kind == "shape":
        return array.reshape(rng.choice([(-1,), (1, -1), (-1, 1), (1, 1, -1)]))
    if kind == "rows" and array.ndim:
        return array[:-1] if rng.random() < 0.5 else np.concatenate([array, array[-1:]])
    return np.array(rng.choice([0.5, 1.0, 0.0, -1.0, "x", 7]))


def problem_file(folder: Path, rng: random.Random) -> Path:
    """JSON, with its tree or its text changed."""
    tree = small(rng)
    for _ in range(rng.randint(0, 2)):
        tree = change_tree(tree, rng)
    text = json.dumps(tree, ensure_ascii=rng.random() < 0.5)
    for _ in range(rng.choice([0, 0, 0, 1])):
        text = change_text(text, rng)
    data = text.encode("utf-8", "surrogatepass")
    (folder / "p.json").write_bytes(change_bytes(data, rng) if data and rng.random() < 0.1 else data)
    return folder / "p.json"


def family_file(folder: Path, rng: random.Random) -> Path:
    """A family with one letter, changed in the same way."""
    tree = small(rng)
    tree["features"][0][0] = "x"
    tree = {"parameters": {"x": rng.choice(["real", "(0, 1)", "[0, 3]"])}, **tree}
    for _ in range(rng.randint(0, 2)):
        tree = change_tree(tree, rng)
    if isinstance(tree, dict) and isinstance(tree.get("features"), list) and rng.random() < 0.4:
        formulas = [
            "x+x*x",
            "x**2",
            "1/x",
            "x^400",
            "x()",
            "y",
            "x.real",
            "(" * 300 + "x",
            "lambda: x",
            "x" * 3000,
            "²x",
        ]
        tree["features"] = [[rng.choice(formulas)], *tree["features"][1:]]
    (folder / "f.json").write_text(json.dumps(tree), encoding="utf-8", errors="surrogatepass")
    return folder / "f.json"


def letters_of(rng: random.Random, sparse: bool) -> dict[str, np.ndarray]:
    """The parts of an archive."""
    P = np.array([[0, 1.0], [0.5, 0.5]])
    parts = {"gamma": np.array(0.9), "Phi": np.array([[1.0], [2.0]]), "d_mu": np.array([0.5, 0.5])}
    parts |= {"r_pi": np.array([1.0, -1.0])} if rng.random() < 0.5 else {}
    if not sparse:
        return parts | {"P_pi": P}
    data = {"data": np.array([1, 0.5, 0.5]), "indices": np.array([1, 0, 1]), "indptr": np.array([0, 1, 3])}
    return parts | {f"P_pi_{key}": value for key, value in data.items()}


def archive_file(folder: Path, rng: random.Random) -> Path:
    """A dense or sparse archive: arrays changed, then its bytes."""
    parts = letters_of(rng, sparse=rng.random() < 0.5)
    for _ in range(rng.randint(0, 2)):
        key = rng.choice(list(parts))
        kind = rng.choice(["change", "change", "change", "gone", "name"])
        value = parts.pop(key)
        if kind != "gone":
            new = rng.choice(["P_pi", "gama", "indptr", "discount", "episodic"]) if kind == "name" else key
            parts[new] = change_array(value, rng) if kind == "change" else value
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as made:
        for key, value in parts.items():
            member = io.BytesIO()
            np.save(member, value, allow_pickle=True)
            data = member.getvalue()
            made.writestr(f"{key}.npy", change_bytes(data, rng) if rng.random() < 0.05 else data)
    data = held.getvalue()
    (folder / "a.npz").write_bytes(change_bytes(data, rng) if rng.random() < 0.15 else data)
    return folder / "a.npz"


def market_file(folder: Path, rng: random.Random) -> Path:
    """A Matrix Market file beside its features."""
    head = "%%MatrixMarket matrix coordinate real general"
    lines = [head, "% gamma = 9/10", "2 2 3", "1 2 1", "2 1 0.5", "2 2 0.5"]
    for _ in range(rng.randint(0, 2)):
        at = rng.randrange(len(lines))
        kind = rng.choice(["word", "gone", "twice", "text"])
        if kind == "word":
            words = lines[at].split(" ")
            words[rng.randrange(len(words))] = rng.choice(
                ["0", "3", "-1", "1e400", "nan", "x", "300000000", "array", "1,5"]
            )
            lines[at] = " ".join(words)
        elif kind == "gone" and len(lines) > 1:
            del lines[at]
        elif kind == "twice":
            lines.insert(at, lines[at])
        else:
            lines[at] = change_text(lines[at], rng)
    (folder / "m.mtx").write_text("\n".join(lines) + rng.choice(["\n", "", " ", "\n\n"]), encoding="utf-8")
    np.save(
        folder / "m.features.npy", change_array(np.array([[1.0], [2.0]]), rng) if rng.random() < 0.2 else [[1.0], [2.0]]
    )
    np.save(folder / "m.distribution.npy", np.array([0.5, 0.5]))
    return folder / "m.mtx"


def transitions(rng: random.Random) -> dict[str, list[Any]]:
    """Columns of recorded moves."""
    n = rng.randint(3, 12)
    return {
        "trajectory": [i // 4 for i in range(n)],
        "phi_0": [round(rng.uniform(-1, 1), 3) for _ in range(n)],
        "phi_1": [round(rng.uniform(-1, 1), 3) for _ in range(n)],
        "reward": [rng.randint(-2, 2) for _ in range(n)],
        "ratio": [rng.choice([0.5, 1.0, 2.0]) for _ in range(n)],
        "next_phi_0": [round(rng.uniform(-1, 1), 3) for _ in range(n)],
        "next_phi_1": [round(rng.uniform(-1, 1), 3) for _ in range(n)],
    }


def table_file(folder: Path, rng: random.Random) -> Path:
    """Recorded moves as CSV, with columns, cells or characters changed."""
    columns = transitions(rng)
    for _ in range(rng.randint(0, 2)):
        name = rng.choice(list(columns))
        kind = rng.choice(["cell", "cell", "gone", "name"])
        values = columns.pop(name)
        if kind == "cell":
            values[rng.randrange(len(values))] = rng.choice(ODD[:40])
            columns[name] = values
        elif kind == "name":
            columns[rng.choice(["Reward", "phi", "rho", "done", "", "reward "])] = values
    if not columns:
        columns = {"reward": [1]}
    held = io.StringIO()
    writer = csv.writer(held, delimiter=rng.choice(",,,;\t"))
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    text = held.getvalue()
    for _ in range(rng.choice([0, 0, 1])):
        text = change_text(text, rng)
    (folder / "t.csv").write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    return folder / "t.csv"


KINDS: dict[str, Callable[[Path, random.Random], Path]] = {
    "problem": problem_file,
    "family": family_file,
    "archive": archive_file,
    "market": market_file,
    "table": table_file,
}


def number(value: Any) -> Fraction:
    """A number of a file, as anyone would read it."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise ValueError(value)
    return Fraction(value.strip() if isinstance(value, str) else value)


def misread(kind: str, path: Path, found: Any) -> str | None:
    """What of an accepted file was read otherwise than it is written; None where all is right."""
    if kind == "table":
        text = path.read_text(encoding="utf-8-sig")
        rows = [
            row
            for row in csv.reader(io.StringIO(text), delimiter=max(",;\t", key=text.partition("\n")[0].count))
            if row
        ]
        return None if found == len(rows) - 1 else f"{found} moves of {len(rows) - 1} rows"
    if kind == "family" or not isinstance(found, Problem):
        return None
    chains = [np.asarray(found.P_pi.sum(axis=1), dtype=float).ravel(), [float(sum(found.d_mu))]]
    if not found.is_episodic and any(abs(float(x) - 1) > 1e-6 for sums in chains for x in sums):
        return "probabilities that do not sum to one"
    if kind == "problem":
        tree = json.loads(path.read_text(encoding="utf-8-sig"), parse_float=Fraction)
        written = {"gamma": tree["gamma"], "Phi": tree["features"]}
        read = {"gamma": found.given.gamma, "Phi": found.given.Phi.tolist()}
    elif kind == "archive":
        with np.load(path) as archive:
            written = {key: archive[key].tolist() for key in ("gamma", "Phi") if key in archive}
        read = {"gamma": found.gamma, "Phi": found.Phi.tolist()}
    else:
        entries = [line.split() for line in path.read_text().splitlines() if line.strip() and not line.startswith("%")]
        P = np.zeros((found.n_states, found.n_states))
        for i, j, x in entries[1:]:
            P[int(i) - 1, int(j) - 1] = float(x)
        return None if np.array_equal(P, found.P_pi) else "other transitions"
    for key, value in written.items():
        if flat(value) != flat(read[key]):
            return f"{key}: {value!r:.60} as {read[key]!r:.60}"
    return None


def flat(value: Any) -> list[float]:
    """All numbers of a nest, as doubles."""
    if isinstance(value, list):
        return [x for part in value for x in flat(part)]
    return [float(number(value))]


def read_rows(path: Path) -> int:
    """How many moves a recording has, all of them read."""
    data = open_data(path, "9/10")
    return sum(len(batch.reward) for batch in data.recorded.batches())


def attempt(seed: int, index: int) -> tuple[str, str, str]:
    """Kind, what became of file number `index`, and the fault if there is one."""
    rng = random.Random(f"{seed} {index}")
    kind = list(KINDS)[index % len(KINDS)]
    with tempfile.TemporaryDirectory() as folder:
        path = KINDS[kind](Path(folder), rng)
        before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        signal.alarm(30)
        try:
            found = read_rows(path) if kind == "table" else find_family(str(path)) if kind == "family" else None
            found = find_problem(path, None) if kind not in ("table", "family") else found
            end, fault = "read", misread(kind, path, found) or ""
        except InvalidProblem as error:
            text = str(error)
            end, fault = "refused", "" if "\n" not in text and len(text) <= LONGEST else f"{len(text)} characters"
        except Exception as error:
            end, fault = "raised", f"{type(error).__name__}: {error}"[:300]
        signal.alarm(0)
        taken, more = time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        if taken > SECONDS or more * 1024 > MEMORY:
            fault = fault or f"{taken:.1f} s, {more >> 10} MiB"
    return kind, end, fault


def attempt_many(seed: int, indices: range) -> list[tuple[int, str, str, str]]:
    """Several files by one process."""
    attempt(seed, 0), attempt(seed, 4)  # imports take their time once
    return [(i, *attempt(seed, i)) for i in indices]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary.files", description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    counts, faults = Counter(), 0
    blocks = [range(low, min(low + 250, options.files)) for low in range(0, options.files, 250)]
    with ProcessPoolExecutor(2) as pool:
        try:
            for rows in pool.map(partial(attempt_many, options.seed), blocks):
                for index, kind, end, fault in rows:
                    counts[kind, end] += 1
                    if fault:
                        faults += 1
                        print(f"file {index}, {kind}, {end}: {fault}", flush=True)
        except BrokenProcessPool:
            print("a reader died, or took more than 30 s")
            faults += 1
    for kind in KINDS:
        print(f"{kind:10}", *(f"{end} {counts[kind, end]:6}" for end in ("read", "refused", "raised")))
    print(f"{sum(counts.values())} files, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
