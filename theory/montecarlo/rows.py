"""From the counts of chunks to a row of the result: rates, intervals, and what is conditional on what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import isfinite, sqrt
from typing import Any

import numpy as np

from theory.montecarlo.cells import Cell

_Z = 1.959963984540054  # of the normal law, for 95%
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def row(cell: Cell, chunks: Iterable[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """Counts, rates and 95% Wilson intervals of one cell, from (size, counts) of its chunks.

    `td_unstable` and `chain_biased` count each by itself, `both` and `neither` together; all among the decided.
    An interval's upper end counts the undecided as if they had been seen. `bias_bound` is the average of the
    bound of `theory.montecarlo.conjecture`, proved for normal features only.
    """
    n = 0
    counts: Counter[str] = Counter()
    by: dict[str, Counter[str]] = {"td": Counter(), "chain": Counter()}
    windows = [[0, 0] for _ in cell.windows]
    bound, rho = 0.0, []
    for size, part in chunks:
        n += size
        counts.update({name: value for name, value in part.items() if isinstance(value, int)})
        for asked, tests in part["decided_by"].items():
            by[asked].update(tests)
        for total, (stable, undecided) in zip(windows, part["windows"], strict=True):
            total[0] += stable
            total[1] += undecided
        bound += part["bound"]
        rho += part["rho"]
    open_ = counts["undecided"]
    unstable, biased = counts["td_only"] + counts["both"], counts["chain_only"] + counts["both"]
    shown = {"td_unstable": unstable, "chain_biased": biased, "both": counts["both"], "neither": counts["neither"]}
    ci = {name: list(wilson(k, n, open_)) for name, k in shown.items()}
    ci["unbiased_given_td_unstable"] = list(wilson(counts["td_only"], unstable))
    out: dict[str, Any] = {
        "states": cell.states,
        "features": cell.features,
        "gamma": float(cell.gamma),
        "ensemble": cell.ensemble,
        "law": cell.law,
        "sink": cell.sink,
        "n_steps": cell.n_steps,
        "samples": n,
        **shown,
        "undecided": open_,
        "near_boundary": counts["near_boundary"],
        "rates": {name: k / n for name, k in shown.items()}
        | {"unbiased_given_td_unstable": counts["td_only"] / unstable if unstable else None},
        "ci95": ci,
        "bias_bound": bound / n if cell.law == "normal" else None,
        "decided_by": {asked: {k: v for k, v in sorted(tests.items()) if v} for asked, tests in by.items()},
    }
    if cell.windows:
        out["step_size"] = cell.step_size
        out["windows"] = [
            {
                "window": int(T) if isfinite(T) else "inf",
                "stable": stable,
                "undecided": undecided,
                "rate": stable / n,
                "ci95": list(wilson(stable, n, undecided)),
            }
            for T, (stable, undecided) in zip(cell.windows, windows, strict=True)
        ]
    if cell.quantiles:
        values = np.quantile(rho, QUANTILES, method="inverted_cdf")
        out["rho_quantiles"] = {str(q): float(x) for q, x in zip(QUANTILES, values, strict=True)}
    return out


def wilson(count: int, total: int, undecided: int = 0) -> tuple[float, float]:
    """Wilson's 95% interval for a rate of which `count` of `total` were seen, and `undecided` more may have been.

    Unlike k/n ± z√(…) it stays within [0, 1] and is right for rates near 0 and 1, where most of ours are.

    >>> [round(x, 4) for x in wilson(0, 10)]
    [0.0, 0.2775]
    """
    if total == 0:
        return 0.0, 1.0
    top = min(count + undecided, total)
    low, high = (
        (2 * k + _Z**2 + sign * _Z * sqrt(_Z**2 + 4 * k * (1 - k / total))) / (2 * (total + _Z**2))
        for k, sign in ((count, -1), (top, 1))
    )
    return low if count else 0.0, high if top < total else 1.0
