"""The report, from the parts' results to one Markdown text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theory.exhibits import Exhibit, exhibit, exhibits
from theory.exhibits._exhibit import BEYOND, CURVES, OFTEN
from theory.exhibits._random_problems import CHUNK
from theory.report.catalogue import catalogue_table
from theory.report.examples import SHOWN, example_story
from theory.report.html import CONTENTS
from theory.report.markdown import figure, inline, link, plain
from theory.report.measured import headline_table, table1_section
from theory.report.parts import COQ, EXPECTED, TABLE1, Request
from theory.report.provenance import THIS_RUN, citation, provenance_table, this_run, versions_line
from theory.report.results import Result
from theory.report.summary import MUTANTS, summary_table
from theory.report.verification import (
    amended_table,
    closed_form_section,
    mutant_paragraph,
    overview_table,
    statement_story,
    totals,
    verdict_counts,
)
from theory.text.tables import markdown_table
from theory.text.words import LETTERS as GLOSSARY
from theory.text.words import TERMS

OPENING = "success-rate"  # the figure before the summary
TITLE = "Chained value functions: what is proved, measured and true"
PAPER = (
    "S. Schmitt, J. Shawe-Taylor and H. van Hasselt, *Chaining Value Functions for Off-Policy Learning*, AAAI 2022 "
    "([arXiv:2201.06468](https://arxiv.org/abs/2201.06468))"
)
SECTIONS = (
    SUMMARY, AMENDED, LETTERS, FORMS, _, TABLE, _, _, EXAMPLES, CATALOGUE, STATEMENTS, _, PROVENANCE, CITE,
) = (
    "Summary",
    "What the paper says and what is true",
    "Letters",
    "Closed forms",
    OFTEN,
    "Table 1 beside the paper’s",
    CURVES,
    BEYOND,
    "Counterexamples with exact matrices",
    "The catalogue",
    "Every statement",
    MUTANTS,
    "How it was made",
    "Cite this",
)  # fmt: skip


def report_page(request: Request, results: Mapping[str, Result]) -> str:
    """Markdown; its figures are files beside it."""
    values = {name: result.value for name, result in results.items()}
    captions = {shown.name: shown.caption(values[shown.name]) for shown in exhibits()}
    order = sorted(captions, key=lambda name: name != OPENING)  # in which they stand
    numbers = {name: i for i, name in enumerate(order, start=1)}

    def pictures(section: str) -> list[str]:
        return [picture(shown) for shown in exhibits() if shown.section == section and shown.name != OPENING]

    def picture(shown: Exhibit[Any]) -> str:
        name, caption = shown.name, captions[shown.name]
        text = f"**Figure {numbers[name]}.** {plain_code(caption.text)} Data: [{name}.csv]({name}.csv)."
        return figure(caption.alt, f"{name}.svg", text)

    found, examples = values["statements"], values["examples"]
    counted = totals(found)
    contents = "\n".join(f"- {link(name)}" for name in (*SECTIONS[1:], THIS_RUN))
    shown = {e["name"]: e for e in examples}
    blocks = [
        f"# {TITLE}",
        f"A report on {PAPER}, written by `theory report --profile {request.profile} --seed {request.seed}`. "
        + _profile(request)
        + f" To cite it: {link(CITE)}.",
        picture(exhibit(OPENING)),
        f"## {SUMMARY}",
        summary_table(values, link, {"amended": AMENDED, "often": OFTEN, "table": TABLE, "curves": CURVES,
                                     "examples": EXAMPLES, "statements": STATEMENTS, "made": PROVENANCE}),
        f"## {CONTENTS}",
        contents,
        f"## {AMENDED}",
        f"Of the paper’s {counted['statements'] - counted['beyond']} statements {verdict_counts(found)}; the "
        f"{counted['amended']} that need an amendment are listed here. Taken literally, the words of "
        f"{counted['literally']} fail on an exact counterexample, which stands with the statement. Imprecise means "
        "that what is meant is true and the words, or one of several claims, are not; false as stated, "
        "that the claim itself is not true. The letters are the paper’s where it has them, and "
        f"{link(LETTERS, 'explained below')}.",
        amended_table(found, link),
        f"## {LETTERS}",
        markdown_table(["letter", "meaning"], [[inline(x.latex), x.meaning] for x in GLOSSARY]),
        TERMS,
        f"## {FORMS}",
        "The fixed point of head k, its bias, and the joint matrix of the concurrent chain, as they were proved; "
        "`theory verify --latex` prints them.",
        closed_form_section(values["closed-forms"]),
        f"## {OFTEN}",
        "With as many features as states the projection is the identity, so the chain is unbiased by algebra and the "
        "paper’s figure 1 could not have come out otherwise (`fig-1`); with one feature fewer it is a measurement. A "
        "verdict on a problem is a proof, or rests on eigenvalues whose error discs are clear of the boundary; what "
        "stays undecided is counted apart. Intervals are 95% Wilson intervals.",
        headline_table(values["success-rate"]),
        *pictures(OFTEN),
        f"## {TABLE}",
        *table1_section(values[TABLE1], values[EXPECTED]),
        f"## {CURVES}",
        *pictures(CURVES),
        f"## {BEYOND}",
        *pictures(BEYOND),
        f"## {EXAMPLES}",
        "Numbers are exact; a verdict at the γ given carries a certificate that a few lines of independent code have "
        "checked again. “Floats” means double precision with proved rounding bounds, “balls” interval arithmetic. Of "
        "thresholds every decimal is certain.",
        *(example_story(shown[name]) for name in SHOWN),
        f"## {CATALOGUE}",
        "All problems that can be called by name, at their default parameters. Thresholds are “exact” where they are "
        "known as algebraic numbers, and “bracketed” where they lie between two certified verdicts.",
        catalogue_table(examples, "catalogue.md"),
        f"## {STATEMENTS}",
        "✓ says that a statement was verified as expected: proved where it is true, refuted where it is not, every "
        "check passed and every counterexample confirmed. `theory verify ID` prints one with its identities, the sums "
        "that prove them and the matrices of its counterexamples; `--json` has the certificates.",
        overview_table(found, link),
        *(statement_story(f, values[COQ]) for f in found),
        f"## {MUTANTS}",
        mutant_paragraph(values["mutants"], request.mutants),
        f"## {PROVENANCE}",
        f"Everything is written by `theory report --profile {request.profile} --seed {request.seed}`; each part can "
        f"be had alone by the command in its line. The figures draw random problems in chunks of {CHUNK}; `theory "
        "success-rate` has other chunks by default, so the same cell and seed give other problems there, and rates "
        "that agree within their intervals, not in every digit. The same command gives the same bytes with the same "
        f"versions: {versions_line()}.",
        provenance_table(request, values, captions),
        f"## {CITE}",
        *citation(request.profile, request.seed),
        f"## {THIS_RUN}",
        this_run(results),
    ]  # fmt: skip
    return "\n\n".join(blocks) + "\n"


def plain_code(text: str) -> str:
    """Plain text in which backquoted words stay code."""
    return "`".join(part if i % 2 else plain(part) for i, part in enumerate(text.split("`")))


def _profile(request: Request) -> str:
    if request.profile == "full":
        return "It is the full profile: every protocol as in the paper."
    return (
        f"It is the {request.profile} profile: proofs and exact results are complete, sampled ones are smaller than "
        "the paper’s (each says how large)."
    )
