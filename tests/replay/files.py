"""Data sets and large sparse problems, by number, written with NumPy, SciPy and pyarrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import io, sparse

DATA_SETS, LARGE = 10, 12
STATES = (500, 1000, 1900, 2100, 2500, 3000, 4000, 6000, 8000, 10000, 15000, 20000)
FEATURES = (5, 8, 30, 12, 5, 20, 10, 30, 6, 15, 8, 25)


def write_data(index: int, folder: Path) -> str:
    """Moves of a random MDP: with features or named states, ratios or policies, ends, cuts or neither."""
    rng = np.random.default_rng([1, index])
    S, F, n = int(rng.integers(2, 6)), int(rng.integers(1, 4)), 200 + 100 * (index % 3)
    Phi, P = np.round(rng.random((S, F)) * 3 - 0.5, 2), rng.random((S, 2, S)) ** 4
    P /= P.sum(axis=2, keepdims=True)
    states, actions = [rng.integers(0, S, n)], (rng.random((10, n)) < 0.5).astype(int)
    for action in actions:
        below = P[states[-1], action].cumsum(axis=1) < rng.random(n)[:, None]
        states.append(below.sum(axis=1).clip(max=S - 1))
    s, t, a = (np.array(part).T.ravel() for part in (states[:-1], states[1:], actions))
    pi, mu = np.where(a == 1, 0.95, 0.05) if index % 4 else np.full(10 * n, 0.5), np.full(10 * n, 0.5)
    columns: dict[str, Any] = {"reward": (s == 0) + 0.5 * a}
    for name, at in (("", s), ("next_", t)):
        if index % 5 == 4:
            columns[f"{name}state"] = np.char.add("s", at.astype(str))
        else:
            columns |= {f"{name}phi_{j}": Phi[at, j] for j in range(F)}
    columns |= {"ratio": pi / mu} if index % 2 else {"pi": pi, "mu": mu}
    columns["episode"] = np.arange(10 * n) // 10
    if index % 3:
        columns["done" if index % 2 else "truncated"] = (np.arange(10 * n) % 10 == 9).astype(int)
    path = folder / f"data-{index}.{('csv', 'npz', 'parquet')[index % 3]}"
    if path.suffix == ".csv":
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        path.write_text("\n".join(",".join(map(str, row)) for row in [columns, *rows]) + "\n")
    elif path.suffix == ".npz":
        np.savez(path, **columns)
    else:
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path.name


def write_large(index: int, folder: Path) -> str:
    """Five random successors a state, a drift on a ring, a two-state counterexample with many copies, or groups."""
    rng = np.random.default_rng([2, index])
    S, F, kind, gamma = STATES[index], FEATURES[index], index % 4, (0.9, 0.99, 0.95)[index % 3]
    at = np.arange(S)
    to = (at[:, None] + [1, 1, 1, 2, -1]) % S if kind == 1 else rng.integers(0, S, (S, 5))
    Phi, d = rng.random((S, F)) - 0.5, rng.random(S) if kind == 0 else np.ones(S)
    if kind == 2:  # w → 2w, with small features beside it
        to = to - to % 2 + 1
        Phi = np.column_stack([1.0 + at % 2, 0.01 * Phi[:, 1:]])
    elif kind == 3:
        Phi = np.eye(F)[rng.integers(0, F, S)]
    ends = index % 5 == 2
    P = sparse.csr_array((np.full(5 * S, 0.196 if ends else 0.2), to.ravel(), 5 * np.arange(S + 1)), shape=(S, S))
    P.sum_duplicates()
    path = folder / f"large-{index}.{'mtx' if index % 5 == 3 else 'npz'}"
    if path.suffix == ".mtx":
        io.mmwrite(path, P, comment=f" gamma = {gamma}")
        for name, array in (("features", Phi), ("distribution", d / d.sum()), ("rewards", at % 2)):
            np.save(path.with_suffix(f".{name}.npy"), array)
    else:
        more = {"episodic": 1} if ends else {"discount": np.sign(at % 50)} if index % 5 == 1 else {}
        parts = {f"P_pi_{part}": getattr(P, part) for part in ("data", "indices", "indptr")}
        np.savez(path, gamma=gamma, Phi=Phi, d_mu=d / d.sum(), r_pi=at % 2, **parts, **more)
    return path.name
