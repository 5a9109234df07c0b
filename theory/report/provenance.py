"""How each result was obtained, and, in a place of its own, when and on which machine.

All of the report but its last section is a function of the request and the versions, and of whether the Coq kernel was
asked about this version: the same bytes wherever and whenever it is written. The last section, `THIS_RUN`, is the only
one with dates, times and the machine.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import theory
from theory.code_version import versions
from theory.experiments.table1.text import table1_command
from theory.figures import Caption, figure_specs
from theory.figures._figure import EVERY
from theory.report.parts import COQ, EXPECTED, PARTS, TABLE1, Request, Result
from theory.report.verification import kernel_amount
from theory.text.tables import markdown_table

THIS_RUN = "This run"
PACKAGES = ("numpy", "scipy", "numba", "sympy", "python-flint", "networkx")
SOFTWARE = "chained-td: a workbench for the theory of off-policy value prediction"
BIBTEX = """\
```
@software{{chained-td,
  author = {{{{The chained-td developers}}}},
  title = {{{title}}},
  version = {{{version}}},
  note = {{Report of the {profile} profile, seed {seed}}}
}}

@inproceedings{{schmitt2022chaining,
  author = {{Schmitt, Simon and Shawe-Taylor, John and van Hasselt, Hado}},
  title = {{Chaining Value Functions for Off-Policy Learning}},
  booktitle = {{Proceedings of the AAAI Conference on Artificial Intelligence}},
  year = {{2022}}
}}
```"""
# What is no figure, in the order of the report.
TITLES = {
    "statements": "statements",
    COQ: "the Coq kernel",
    "mutants": "mutants of the identities",
    "closed-forms": "closed forms",
    "examples": "counterexamples and catalogue",
    TABLE1: "table 1",
    EXPECTED: "table 1 by its expectations",
}


def provenance_table(request: Request, values: Mapping[str, Any], captions: Mapping[str, Caption]) -> str:
    """One line a part: command, seed, profile, how much, and its files."""
    commands = {part.name: part.command for part in PARTS} | {TABLE1: table1_command(values[TABLE1])}
    commands |= {COQ: "theory verify --coq", EXPECTED: "theory table1 --exact --profile {profile}"}
    files = {"examples": "[catalogue.md](catalogue.md)", TABLE1: "[table1.md](table1.md), [table1.csv](table1.csv)"}
    rows = [
        [
            title,
            f"`{commands[name].format(profile=request.profile, seed=request.seed)}`",
            str(request.seed) if name == TABLE1 else "–",
            request.profile if name in (TABLE1, EXPECTED, "mutants") else EVERY,
            amount,
            files.get(name, "–"),
        ]
        for (name, title), amount in zip(TITLES.items(), _amounts(values), strict=True)
    ]
    for shown in figure_specs():
        rows.append(
            [
                _lowered(shown.title),
                f"`{shown.command(request.profile, request.seed)}`",
                str(request.seed) if shown.sampled else "–",
                request.profile if shown.sampled else EVERY,
                captions[shown.name].amount,
                f"[{shown.name}.svg]({shown.name}.svg)",
            ]
        )
    return markdown_table(["part", "command", "seed", "profile", "how much", "files"], rows)


def versions_line() -> str:
    """The versions that the results depend on."""
    return ", ".join(f"{name} {number}" for name, number in versions(*PACKAGES).items())


def citation(profile: str, seed: int) -> list[str]:
    """The software at its version, which with profile and seed says every number, and the paper; as BibTeX, too."""
    number = theory.__version__
    return [
        f"The chained-td developers, *{SOFTWARE}*, version {number}, report of the {profile} profile, seed {seed}. A "
        "statement is cited by its id, such as `prop-2`, a problem by its name, and the paper it is about with it.",
        BIBTEX.format(title=SOFTWARE, version=number, profile=profile, seed=seed),
    ]


def this_run(results: Mapping[str, Result]) -> str:
    """When, where, and how long: the only section that differs between two runs of the same request."""
    titles = TITLES | {shown.name: _lowered(shown.title) for shown in figure_specs()}
    rows = [
        [
            title,
            _where_from(results[name]),
            f"{results[name].seconds:.1f} s" if results[name].seconds else "not recorded",
        ]
        for name, title in titles.items()
    ]
    fresh = sum(result.seconds for result in results.values() if result.fresh)
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    return "\n\n".join(
        [
            f"Written on {datetime.now(UTC):%Y-%m-%d at %H:%M} UTC on {machine}. Parts run side by side, so their "
            f"times overlap; {fresh:.0f} s of work were done in this run. An interrupted and resumed part counts the "
            "time of all its runs, and figures of table 1’s learners find their numbers in its store.",
            markdown_table(["part", "where from", "time"], rows, right=(2,)),
        ]
    )


def _where_from(result: Result) -> str:
    if result.value is None:
        return "not asked"
    return "computed in this run" if result.fresh else "stored by an earlier run"


def _amounts(values: Mapping[str, Any]) -> list[str]:
    """How much of everything, in the order of `TITLES`."""
    mutants, p, n = values["mutants"], values[TABLE1]["protocol"], values[TABLE1]["repetitions"]
    return [
        f"{len(values['statements'])} statements",
        kernel_amount(values[COQ]),
        f"{mutants['total']:,} mutants of {mutants['identities']} identities",
        f"{len(values['closed-forms'])} formulas",
        f"{len({e['entry'] for e in values['examples']})} problems",
        f"{n} repetition{'s' if n > 1 else ''}, {p['tuning_seeds']} + {p['test_seeds']} seeds, "
        f"{p['step_sizes']} step sizes, {p['steps']:,} moves",
        f"{len(values[EXPECTED]['cells'])} cells",
    ]


def _lowered(title: str) -> str:
    """A title within a line."""
    return title[:1].lower() + title[1:]
