"""The catalogue as a page: every named problem, on which side it falls, and at which discounts it would flip."""

from __future__ import annotations

from collections.abc import Iterable

from theory.exact.thresholds import Threshold
from theory.experiments.inspection import Inspection
from theory.problems.catalogue import Entry
from theory.report.markdown import table


def catalogue_page(found: Iterable[tuple[Entry, Inspection]]) -> str:
    """Markdown from the inspected entries."""
    rows, stories = [], []
    for entry, inspection in found:
        problem = inspection.problem
        rows.append(
            [
                f"[`{entry.name}`](#{entry.name})",
                _size(inspection),
                str(problem.given.gamma),
                {True: "stable", False: "unstable", None: "undecided"}[inspection.td.holds],
                ", ".join(f"[{_end(a)}, {_end(b)})" for a, b in inspection.td_intervals.intervals),
                {True: "unbiased", False: "biased", None: "undecided"}[inspection.chain.holds],
                _chain(inspection.chain_threshold),
            ]
        )
        stories.append(_story(entry, inspection))
    headings = ["problem", "S × F", "γ", "TD", "TD stable for γ in", "chain", "chain unbiased for"]
    head = (
        "# The catalogue\n\n"
        "Written by `theory report`. Verdicts are certified; thresholds are exact where they have a short form, and "
        "otherwise cut to six digits. `theory inspect NAME` shows one problem with its spectra and fixed points.\n"
    )
    return "\n".join([head, table(headings, rows), "", *stories])


def _size(inspection: Inspection) -> str:
    problem = inspection.problem
    dependent = f" (rank {inspection.rank})" if inspection.rank < problem.n_features else ""
    return f"{problem.n_states} × {problem.n_features}{dependent}"


def _story(entry: Entry, inspection: Inspection) -> str:
    parameters = ", ".join(f"`{k}` = {p.default} ({p.meaning})" for k, p in entry.parameters.items())
    return (
        f"## {entry.name}\n\n{entry.title}. {entry.famous_for}\n\n"
        f"- Source: {entry.source}\n"
        f"- Off-policy TD: {inspection.td.reason} ({inspection.td.method})\n"
        f"- Chained TD: {inspection.chain.reason} ({inspection.chain.method})\n"
        f"- Parameters: {parameters}\n"
    )


def _end(end: Threshold) -> str:
    text = "" if end.exact is None else str(end.exact)
    if text and len(text) <= 24:
        return text
    return f"{end.value:.6f}"


def _chain(threshold: Threshold) -> str:
    if threshold.value is None or threshold.value >= 1:
        return "every γ"
    return f"γ < {_end(threshold)}"
