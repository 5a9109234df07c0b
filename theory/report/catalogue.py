"""The catalogue as a table and as a page: every named problem, on which side it falls, at which discounts it flips."""

from __future__ import annotations

from theory.report.examples import SHOWN, Example, chain_range, example_heading, td_range, thresholds
from theory.report.markdown import link, plain, slug
from theory.text.tables import markdown_table
from theory.text.words import word

HEAD = """\
# The catalogue

Written by `theory report`. Verdicts are certified. “Exact” thresholds are algebraic numbers, given by a short
form or by decimals of which every digit is certain; “bracketed” ones lie between two certified verdicts. `theory
inspect NAME` shows one problem with its spectra and fixed points.
"""


def catalogue_page(examples: list[Example]) -> str:
    """Markdown of its own."""
    return "\n".join([HEAD, catalogue_table(examples), "", *(_story(e) for e in _named(examples))])


def catalogue_table(examples: list[Example], page: str = "") -> str:
    """One line a problem; its name links to its story: in the report where it is shown there, or on `page`."""
    rows = [
        [
            link(example_heading(e["name"]), f"`{e['name']}`")
            if page and e["name"] in SHOWN
            else f"[`{e['name']}`]({page}#{slug(e['name'])})",
            f"{e['states']}\u00a0×\u00a0{e['features']}" + (f", rank {e['rank']}" if e["rank"] < e["features"] else ""),
            e["gamma"],
            word("td", e["td"]["holds"]),
            td_range(e, short=True),
            word("chain", e["chain"]["holds"]),
            chain_range(e, short=True),
            thresholds(e),
        ]
        for e in _named(examples)
    ]
    return markdown_table(
        ["problem", "S × F", "γ", "TD", "TD stable for", "chain", "chain unbiased for", "thresholds"], rows
    )


def _named(examples: list[Example]) -> list[Example]:
    """Those of the catalogue at their defaults."""
    return [e for e in examples if e["name"] == e["entry"]]


def _story(e: Example) -> str:
    parameters = ", ".join(f"`{k}` = {default} ({plain(meaning)})" for k, (default, meaning) in e["parameters"].items())
    return (
        f"## {e['name']}\n\n{plain(e['title'])}. {plain(e['famous_for'])}\n\n"
        f"- Source: {plain(e['source'])}\n"
        f"- Off-policy TD: {plain(e['td']['reason'])} ({e['td']['method']})\n"
        f"- Chained TD: {plain(e['chain']['reason'])} ({e['chain']['method']})\n"
        f"- Parameters: {parameters}\n"
    )
