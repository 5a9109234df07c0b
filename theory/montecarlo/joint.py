r"""All methods on the same random problems: how many each solves, and also where another fails, and why it fails.

The problems are those of the study of TD and chain (`theory.montecarlo.draws`), and so are the verdicts on these two.
Those on other methods are eigenvalues in doubles; where they are within `CLOSE` of the border the exact question is
asked instead, and of all of them with `certify`. Of methods that a theorem covers the theorem decides: emphatic TD,
residual gradient and fixed horizons always converge, GTD2 and LSTD where A is regular.

The cause of a failure is read off the eigenvalues that decide:

    chain   det A < 0: an odd number of β > 1      negative: the largest |β| at β < 0      pair: at a complex pair
    TD      det A < 0                              real: an even number of λ < 0           pair: at a complex pair
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from theory.code_version import code_version
from theory.methods.family import find_method
from theory.methods.method import Method
from theory.methods.outcome import outcome
from theory.model.linear_model import FloatModel
from theory.montecarlo.cells import Cell
from theory.montecarlo.chunks import Task, check_version
from theory.montecarlo.draws import chunk_batches
from theory.montecarlo.rows import wilson
from theory.montecarlo.verdicts import NO, OPEN, YES, batch_verdicts
from theory.problems import InvalidProblem
from theory.problems.ensembles import Batch
from theory.store import default_store

CLOSE = 1e-9  # of the border, relative to the largest eigenvalue: what doubles do not decide
CAUSES = ("determinant", "negative", "pair", "real")
SAFE_STEP = 0.5  # α λ_max(X) of target networks whose step size is not given


def version() -> str:
    """The version of all that a chunk's numbers depend on, beside its task."""
    return code_version(__name__)


def store_path(directory: Path | str = "reports/data") -> Path:
    """``reports/data/methods-<version>.sqlite``."""
    return default_store("methods", version(), directory)


def known_methods(text: str) -> tuple[str, ...]:
    """``td,chain,n-step:8`` as checked texts, in order, each once."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    found = [find_method(name, {"alpha": 1}) for name in names]
    if len({repr(m) for m in found}) < len(found):
        raise InvalidProblem("names a method twice", "methods")
    return names


def run_chunk(task: Task) -> dict[str, Any]:
    """Draw and decide: how often each set of methods converges, how many are undecided, and the causes."""
    check_version(task, version())
    solved: Counter[str] = Counter()
    causes = {"td": Counter[str](), "chain": Counter[str]()}
    undecided = 0
    for batch in chunk_batches(task.cell, task.seed, task.index, task.size):
        td, chain = batch_verdicts(batch, task.cell.gamma)
        for i in range(len(batch)):
            known = {"off-policy-td": td.verdicts[i], "chain": chain.verdicts[i]}
            with np.errstate(all="ignore"):
                answers = decide(task.methods, batch, i, task.cell, known)
            if OPEN in answers:
                undecided += 1
                continue
            solved["".join("1" if a == YES else "0" for a in answers)] += 1
            for kind, question in (("td", td), ("chain", chain)):
                if question.verdicts[i] == NO:
                    causes[kind][cause(kind, _model(batch, i, float(task.cell.gamma)))] += 1
    return {"solved": dict(solved), "undecided": undecided, "causes": {k: dict(c) for k, c in causes.items()}}


def decide(names: tuple[str, ...], batch: Batch, i: int, cell: Cell, known: dict[str, Any]) -> list[Any]:
    """A verdict a method: YES, NO or OPEN; those that are `known`, by the method's name, are not asked for again."""
    model = _model(batch, i, float(cell.gamma))
    out = []
    for name in names:
        method = _method(name)
        if getattr(method, "alpha", 0) is None:  # a step size that has to be given, and was not
            method = method.with_setting("alpha", _step_size(model))
        if method.name in known:
            out.append(known[method.name])
            continue
        if method.reason_for_all_values("gamma") is not None:
            out.append(YES)
            continue
        side = None if cell.certify else _side(method, model)
        if side is None:
            answer = outcome(method, batch.problem(i, cell.gamma)).holds
            side = answer.pick(1, -1, 0)
        out.append(YES if side > 0 else NO if side < 0 else OPEN)
    return out


def _step_size(model: FloatModel) -> Fraction:
    """`SAFE_STEP` by λ_max(X), to six digits."""
    return model.cached(("step",), lambda: Fraction(float(f"{SAFE_STEP / float(np.linalg.eigvalsh(model.X)[-1]):.6g}")))


@cache
def _method(name: str) -> Method:
    return find_method(name)


def cause(kind: str, model: FloatModel) -> str:
    """Why it fails, by the eigenvalue that decides; in doubles."""
    if np.linalg.det(model.A) < 0:
        return "determinant"
    if kind == "td":
        worst = model.key_spectrum[model.key_spectrum.real.argmin()]
        return "pair" if worst.imag != 0 else "real"
    worst = model.chain_spectrum[np.abs(model.chain_spectrum).argmax()]
    return "pair" if worst.imag != 0 else "negative" if worst.real < 0 else "real"


def _model(batch: Batch, i: int, gamma: float) -> FloatModel:
    S = batch.Phi.shape[1]
    return FloatModel(gamma, batch.Phi[i], batch.P_pi[i], np.zeros(S), batch.d_mu[i])


def _side(method: Method, model: FloatModel) -> int | None:
    """+1 converges, −1 does not, None too close for doubles."""
    try:
        kind, M, _ = method.question(model)
        values = np.linalg.svd(M, compute_uv=False) if kind == "direct" else np.linalg.eigvals(M)
    except np.linalg.LinAlgError:
        return None
    if kind == "direct":
        return 1 if values[-1] > CLOSE * max(values[0], np.abs(model.X).max()) else None
    size = float(np.abs(values).max())
    margin = 1 - size if kind == "iteration" else float(values.real.min()) / size
    if not math.isfinite(margin) or abs(margin) < CLOSE:
        return None
    return 1 if margin > 0 else -1


def joint_row(cell: Cell, methods: tuple[str, ...], chunks: Iterable[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """Rates with 95% Wilson intervals, the joint table, how many each solves where another fails, and why."""
    solved: Counter[str] = Counter()
    causes = {"td": Counter[str](), "chain": Counter[str]()}
    n = undecided = 0
    for size, part in chunks:
        n += size
        solved.update(part["solved"])
        undecided += part["undecided"]
        for kind, counts in part["causes"].items():
            causes[kind].update(counts)

    def count(*wanted: tuple[int, str]) -> int:
        return sum(k for key, k in solved.items() if all(key[i] == c for i, c in wanted))

    indices = range(len(methods))
    converge = [count((i, "1")) for i in indices]
    return {
        "states": cell.states,
        "features": cell.features,
        "gamma": float(cell.gamma),
        "samples": n,
        "undecided": undecided,
        "methods": [
            {"method": name, "converges": k, "rate": k / n, "ci95": list(wilson(k, n, undecided))}
            for name, k in zip(methods, converge, strict=True)
        ],
        "joint": [
            {"solved_by": [name for name, bit in zip(methods, key, strict=True) if bit == "1"], "count": k}
            for key, k in sorted(solved.items(), key=lambda item: (-item[1], item[0]))
        ],
        "rescued": [[count((i, "0"), (j, "1")) for j in indices] for i in indices],
        "causes": {kind: {name: c[name] for name in CAUSES if c[name]} for kind, c in causes.items()},
    }


def unsound(task: Task, counts: Any) -> str | None:
    """Why this cannot be what `run_chunk` gives for a task; None if it can."""
    if not isinstance(counts, dict) or set(counts) != {"solved", "undecided", "causes"}:
        return "does not hold the counts of a chunk"
    numbers = [counts["undecided"], *counts["solved"].values()]
    if not all(type(k) is int and 0 <= k <= task.size for k in numbers) or sum(numbers) != task.size:
        return f"has counts that do not add up to its {task.size} problems"
    return None
