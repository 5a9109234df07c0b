"""Methods of the field beside what is there without them: ratios of times in one run.

`compare_over_inspect`: ``theory compare baird`` over ``theory inspect baird``, both from the shell, the fastest of a
few runs each; processor time of the process (asked: at most 3).
`methods_over_eigvals`: verdicts of float problems (S = 20, F = 10, γ = .99) on every method of the figure
``all-methods``, moments included, as the joint study decides them: in doubles, with the exact question where they are
close; over ``numpy.linalg.eigvals`` of A (asked: at most 30). TD and chain, which that study decides in batches, are
decided here as the others are.
`certified_over_eigvals`: all of them certified.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np

from benchmarks.verdicts import best, draw, key_and_chain
from theory.figures.all_methods import METHODS
from theory.methods.family import find_method
from theory.methods.outcome import outcome
from theory.montecarlo.cells import Cell
from theory.montecarlo.joint import decide
from theory.problems import Problem
from theory.problems.ensembles import Batch


def run(problems: int = 20, repeats: int = 3, runs: int = 5, seed: int = 0) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    drawn = [draw(rng, 20, 10) for _ in range(problems)]
    matrices = [key_and_chain(p)[0] for p in drawn]
    eigvals = sum(best(lambda A=A: np.linalg.eigvals(A), repeats) for A in matrices)
    batches = [(Batch(p.Phi[None], p.P_pi[None], p.d_mu[None]), Cell(p.n_states, p.n_features)) for p in drawn]
    bulk = sum(best(lambda b=b, c=c: in_bulk(b, c), repeats) for b, c in batches)
    certified = sum(best(lambda p=p: certify(p), 1) for p in drawn[: max(1, problems // 4)])
    compare, inspect = (min(shell(name) for _ in range(runs)) for name in ("compare", "inspect"))
    return {
        "compare_over_inspect": compare / inspect,
        "methods_over_eigvals": bulk / eigvals,
        "certified_over_eigvals": certified / eigvals * problems / max(1, problems // 4),
        "compare_baird_s": compare,
        "inspect_baird_s": inspect,
        "methods_ms": 1e3 * bulk / problems,
    }


def in_bulk(batch: Batch, cell: Cell) -> list[object]:
    """All methods, of one problem."""
    return decide(METHODS, batch, 0, cell, {})


def certify(p: Problem) -> list[object]:
    """Every method, certified."""
    return [outcome(find_method(name, {"alpha": 0.01}), p).holds for name in METHODS]


def shell(name: str) -> float:
    """Seconds of processor time of one command from the shell."""
    before = os.times()
    done = subprocess.run([sys.executable, "-m", "theory", name, "baird"], check=True, capture_output=True)
    assert done.stdout
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    quick = "quick" in sys.argv[1:]
    print(json.dumps(run(2, 1, 1) if quick else run(), indent=1))
