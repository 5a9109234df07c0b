"""How each result was obtained, and, in a place of its own, when and on which machine.

All of the report but its last section is a function of the request and the versions: the same bytes wherever and
whenever it is written. The last section, `THIS_RUN`, is the only one with dates, times and the machine.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from theory.experiments.table1_text import table1_command
from theory.report.markdown import table
from theory.report.parts import PARTS, SUCCESS_RATE, TABLE1, Request
from theory.report.results import Result, versions

THIS_RUN = "This run"
# The parts in the order of the report.
TITLES = {
    "statements": "statements",
    "mutants": "mutants of the identities",
    "closed-forms": "closed forms",
    SUCCESS_RATE: "random problems",
    TABLE1: "table 1 and learning curves",
    "expected-updates": "expected updates",
    "n-step-chains": "n-step chains",
    "transient": "transients",
    "bias-variance": "bias and variance",
    "best-window": "best window",
    "examples": "counterexamples and catalogue",
}


def provenance_table(request: Request, values: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """One line a part: command, seed, profile, how much."""
    sizes = _sizes(values)
    own = {part.name: part for part in PARTS}
    rows = []
    for name, title in TITLES.items():
        drawn = name in (SUCCESS_RATE, TABLE1) or "seed" in own[name].depends
        scaled = drawn or name == "mutants"
        rows.append(
            [
                title,
                f"`{command(name, request, values)}`",
                str(request.seed) if drawn else "–",
                request.profile if scaled else "every profile",
                sizes[name],
                files.get(name, "–"),
            ]
        )
    return table(["part", "command", "seed", "profile", "how much", "files"], rows)


def command(name: str, request: Request, values: Mapping[str, Any]) -> str:
    """What to type for this part alone."""
    if name == TABLE1:
        return str(table1_command(values[TABLE1]))
    if name == SUCCESS_RATE:
        return str(values[SUCCESS_RATE]["command"])
    part = next(part for part in PARTS if part.name == name)
    return part.command.format(profile=request.profile, seed=request.seed)


def versions_line() -> str:
    """The versions that the results depend on."""
    return ", ".join(f"{name} {number}" for name, number in versions().items())


def this_run(results: Mapping[str, Result]) -> str:
    """When, where, and how long: the only section that differs between two runs of the same request."""
    rows = [
        [
            title,
            "computed in this run" if results[name].fresh else "stored by an earlier run",
            f"{results[name].seconds:.1f} s" if results[name].seconds else "not recorded",
        ]
        for name, title in TITLES.items()
    ]
    fresh = sum(result.seconds for result in results.values() if result.fresh)
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return "\n\n".join(
        [
            f"Written on {datetime.now(UTC):%Y-%m-%d at %H:%M} UTC on {machine}. Parts run side by side, so their "
            f"times overlap; {fresh:.0f} s of work were done in this run. An interrupted and resumed part counts the "
            "time of all its runs.",
            table(["part", "where from", "time"], rows, right=(2,)),
        ]
    )


def _sizes(values: Mapping[str, Any]) -> dict[str, str]:
    """How much of everything."""
    rates, t1 = values[SUCCESS_RATE], values[TABLE1]
    problems = sum(row["samples"] for name in ("rates", "map", "conjecture", "windows") for row in rates[name])
    p, n = t1["protocol"], t1["repetitions"]
    chains, split, window = values["n-step-chains"], values["bias-variance"], values["best-window"]
    mutants = values["mutants"]
    return {
        "statements": f"{len(values['statements'])} statements",
        "mutants": f"{mutants['total']:,} mutants of {mutants['identities']} identities",
        "closed-forms": f"{len(values['closed-forms'])} formulas",
        SUCCESS_RATE: f"{problems:,} random problems",
        TABLE1: f"{n} repetition{'s' if n > 1 else ''}, {p['tuning_seeds']} + {p['test_seeds']} seeds, "
        f"{p['step_sizes']} step sizes, {p['steps']:,} moves",
        "expected-updates": f"{values['expected-updates']['heads']} heads, no sampling",
        "n-step-chains": f"{chains['seeds']} seeds, {chains['steps']:,} moves",
        "transient": f"{len(values['transient']['curves'][0]['log10_peak']) - 1} heads, no sampling",
        "bias-variance": f"{split['seeds']} seeds, {split['steps']:,} moves",
        "best-window": f"{window['seeds']} seeds, {window['steps']:,} moves",
        "examples": f"{len({e['entry'] for e in values['examples']})} problems",
    }
