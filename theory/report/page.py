"""The report, from the parts' results to one Markdown text: its sections, the six answers, Table 1 and the rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theory.experiments.table1.text import (
    expected_grid,
    expected_headline,
    expected_legend,
    expected_summary,
    explanations,
    gamma_text,
    grid_rows,
    legend,
    mark_counts,
    summary,
)
from theory.experiments.table1.units import COLUMNS
from theory.figures import FigureSpec, figure_spec, figure_specs
from theory.figures._figure import BEYOND, CURVES, OFTEN
from theory.figures._random_problems import CHUNK, largest, rate
from theory.report.examples import SHOWN, catalogue_table, example_section, thresholds
from theory.report.html import CONTENTS
from theory.report.markdown import figure, inline, link, plain, slug
from theory.report.parts import COQ, EXPECTED, TABLE1, Request, Result
from theory.report.provenance import THIS_RUN, citation, provenance_table, this_run, versions_line
from theory.report.verification import (
    amended_table,
    closed_form_section,
    kernel_sentence,
    mutant_paragraph,
    overview_table,
    statement_section,
    totals,
    verdict_counts,
)
from theory.text.tables import markdown_table
from theory.text.words import LETTERS as GLOSSARY
from theory.text.words import TERMS

MUTANTS = "The prover under attack: mutants"
OPENING = "success-rate"  # the figure before the summary
TITLE = "Chained value functions: what is proved, measured and true"
PAPER = (
    "S. Schmitt, J. Shawe-Taylor and H. van Hasselt, *Chaining Value Functions for Off-Policy Learning*, AAAI 2022 "
    "([arXiv:2201.06468](https://arxiv.org/abs/2201.06468))"
)
CONDITION = inline(r"\rho(\gamma\Pi P) < 1")
PROBLEMS = {"baird": "Baird", "baird-reward": "Baird-Reward", "threestate": "Threestate"}
HEADLINES = (2, 5, 10, 20, 50)  # numbers of states
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
    captions = {shown.name: shown.caption(values[shown.name]) for shown in figure_specs()}
    order = sorted(captions, key=lambda name: name != OPENING)  # in which they stand
    numbers = {name: i for i, name in enumerate(order, start=1)}

    def pictures(section: str) -> list[str]:
        return [picture(shown) for shown in figure_specs() if shown.section == section and shown.name != OPENING]

    def picture(shown: FigureSpec[Any]) -> str:
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
        picture(figure_spec(OPENING)),
        f"## {SUMMARY}",
        summary_table(values),
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
        "verdict on a problem is a proof, or uses eigenvalues whose error discs are clear of the boundary; what "
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
        *(example_section(shown[name]) for name in SHOWN),
        f"## {CATALOGUE}",
        "All problems that can be called by name, at their default parameters. Thresholds are “exact” where they are "
        "known as algebraic numbers, and “bracketed” where they lie between two certified verdicts.",
        catalogue_table(examples, "catalogue.md"),
        f"## {STATEMENTS}",
        "✓ says that a statement was verified as expected: proved where it is true, refuted where it is not, every "
        "check passed and every counterexample confirmed. `theory verify ID` prints one with its identities, the sums "
        "that prove them and the matrices of its counterexamples; `--json` has the certificates.",
        overview_table(found, link),
        *(statement_section(f, values[COQ]) for f in found),
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


def summary_table(values: Mapping[str, Any]) -> str:
    """Question, answer, and a link to the section that shows it."""
    rows = [
        ["**Is it proved?**", _verified(values), link(STATEMENTS)],
        ["**Is the paper right?**", _amended(values), link(AMENDED)],
        ["**How often does each fail?**", _rates(values["success-rate"]), link(OFTEN)],
        ["**Is Table 1 reproduced?**", _table1(values[TABLE1], values[EXPECTED]), link(TABLE)],
        ["**Which method fails where?**", _examples(values["examples"]), link(EXAMPLES)],
        ["**Can I run it again?**", "Command, seed, sizes and versions of every part, and its time.",
         link(PROVENANCE)],
    ]  # fmt: skip
    return markdown_table(["question", "answer", "shown in"], rows)


def _verified(values: Mapping[str, Any]) -> str:
    t, m = totals(values["statements"]), values["mutants"]
    bad = m["wrongly_proved"] + m["undecided"]
    return (
        f"{t['good']} of {t['statements']} statements are verified as expected, {t['citing']} citing a theorem for "
        f"the last step: {t['certificates']} certificates for all dimensions, each checked twice; {t['checks']:,} "
        f"checks, {t['exact']:,} of them exact; {t['counterexamples']} counterexamples. Of {m['total']:,} "
        f"[mutants](#{slug(MUTANTS)}) {bad} slip through. " + kernel_sentence(values["statements"], values[COQ])
    )


def _amended(values: Mapping[str, Any]) -> str:
    found = values["statements"]
    t = totals(found)
    return (
        f"Of its {t['statements'] - t['beyond']} statements {verdict_counts(found)}. The condition {CONDITION} is "
        "right. It and TD’s stability occur in all four combinations; with a single feature in three, for there "
        "unbiased implies stable (`extra-quadrants`)."
    )


def _rates(result: dict[str, Any]) -> str:
    square, short = (largest(result["rows"], missing) for missing in (0, 1))
    return (
        f"On random problems with γ = {result['gamma']:g} and S = {square['states']} states. F = S, as in the paper: "
        f"TD unstable {rate(square, 'td_unstable')}, chain biased {rate(square, 'chain_biased')}, which is algebra. "
        f"F = {short['features']}: TD unstable {rate(short, 'td_unstable')}, chain biased "
        f"{rate(short, 'chain_biased')}, both {rate(short, 'both')} (95% intervals, {square['samples']:,} problems)."
    )


def _table1(result: dict[str, Any], expected: dict[str, Any]) -> str:
    n = result["repetitions"]
    how = f"{result['profile']} profile, {n} repetition{'s' if n > 1 else ''}"
    return f"Of the paper’s {mark_counts(result)} ({how}). By exact expectation {expected_headline(expected)}."


def _examples(examples: list[dict[str, Any]]) -> str:
    baird = next(e for e in examples if e["name"] == "baird")
    end = baird["td_intervals"][0][1]["exact"]
    named = [e for e in examples if e["name"] == e["entry"]]
    exact = sum(thresholds(e) == "exact" for e in named)
    rest = f", {len(named) - exact} with certified brackets" if exact < len(named) else ""
    return (
        f"{len(named)} problems with certified verdicts, {exact} of them with exact thresholds{rest}; {len(SHOWN)} "
        f"examples with all their matrices; on Baird’s counterexample TD is "
        f"stable exactly for γ < {end} and the chain unbiased for every γ."
    ).replace("<", r"\<")


def table1_section(result: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """Expected and sampled beside the paper's, the rules, and the explanations."""
    return [
        "Second moments of learners that are linear in their parameters obey a finite linear recursion "
        "(`extra-mean-square`), so what a cell of the table *estimates* can be computed: first the expectations, then "
        "the same protocol sampled, as the paper did.",
        "### What is expected",
        plain(expected_summary(expected)),
        _grid("RMSE, least expectation (paper) mark", expected_grid(expected)),
        plain(expected_legend(expected)),
        "### What is sampled",
        summary(result),
        _grid("RMSE, ours (paper) mark", grid_rows(result)),
        plain(legend(result)),
        "Every cell with its setting, intervals and spread, sampled and by expectation, is in [table1.md](table1.md) "
        "and [table1.csv](table1.csv).",
        "### Why cells differ",
        *explanations(result, expected),
    ]


def _grid(corner: str, rows: list[list[str]]) -> str:
    headings = [corner, *(f"{PROBLEMS[p]}, {_tied(f'γ = {gamma_text(g)}')}" for p, g in COLUMNS)]
    return markdown_table(headings, [[name, *map(_tied, cells)] for name, *cells in rows], right=range(1, 7))


def headline_table(result: dict[str, Any]) -> str:
    """Failure rates with their intervals at a few sizes, and at the largest."""
    states = [*HEADLINES, max(r["states"] for r in result["rows"])]
    rows = [
        [
            f"{r['states']}", f"{r['features']}", rate(r, "td_unstable"), rate(r, "chain_biased"),
            rate(r, "unbiased_given_td_unstable"), f"{r['samples']:,}", f"{r['undecided']:,}",
        ]
        for r in result["rows"]
        if r["states"] in states
    ]  # fmt: skip
    headings = ["S", "F", "TD unstable", "chain biased", "unbiased where TD is unstable", "problems", "undecided"]
    return markdown_table(headings, rows, right=range(7))


def _tied(text: str) -> str:
    """In one line: its blanks do not break."""
    return text.replace(" ", "\u00a0")


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
