"""The first screen: what was verified, what is true, the headline numbers, and where each is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theory.exhibits._random_problems import largest, rate
from theory.experiments.table1.text import expected_headline, mark_counts
from theory.report.examples import SHOWN, thresholds
from theory.report.markdown import inline, slug
from theory.report.parts import COQ, EXPECTED, TABLE1
from theory.report.verification import kernel_sentence, totals, verdict_counts
from theory.text.tables import markdown_table

MUTANTS = "The prover under attack: mutants"
CONDITION = inline(r"\rho(\gamma\Pi P) < 1")


def summary_table(values: Mapping[str, Any], link: Callable[..., str], where: Mapping[str, str]) -> str:
    """Question, answer, and a link to the section that shows it."""
    rows = [
        ["**Is it proved?**", _verified(values), link(where["statements"])],
        ["**Is the paper right?**", _amended(values), link(where["amended"])],
        ["**How often does each fail?**", _rates(values["success-rate"]), link(where["often"])],
        ["**Is Table 1 reproduced?**", _table1(values[TABLE1], values[EXPECTED]), link(where["table"])],
        ["**Who fails where?**", _examples(values["examples"]), link(where["examples"])],
        ["**Can I run it again?**", "Command, seed, sizes and versions of every part, and its time.",
         link(where["made"])],
    ]  # fmt: skip
    return markdown_table(["question", "answer", "shown in"], rows)


def _verified(values: Mapping[str, Any]) -> str:
    t, m = totals(values["statements"]), values["mutants"]
    bad = m["wrongly_proved"] + m["undecided"]
    return (
        f"{t['good']} of {t['statements']} statements come out as they should, {t['citing']} citing a theorem for "
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
