"""How the answers to slow questions are shown, and what one can do with them."""

from __future__ import annotations

from html import escape
from typing import Any

import marimo as mo

from theory.experiments.flips import Flip
from theory.explorer.background import Job, ask_flips, ask_other_side, ask_sampled, found_problem
from theory.explorer.panels import trajectories
from theory.explorer.session import Session
from theory.explorer.view import View
from theory.problems import Problem


def questions(kind: str, view: View, start: Any) -> list[Any]:
    """Buttons of a panel; `start` takes the job."""
    if kind == "Trajectories":
        return [mo.ui.button(label="Sample 20 runs", on_click=lambda _: start(ask_sampled(view)))]
    return [
        mo.ui.button(label="Nearest flips", on_click=lambda _: start(ask_flips(view))),
        mo.ui.button(label="One like this, TD flipped", on_click=lambda _: start(ask_other_side(view, "td"))),
        mo.ui.button(label="One like this, chain flipped", on_click=lambda _: start(ask_other_side(view, "chain"))),
    ]


def clock(job: Job | None) -> Any:
    """Looks after a job every second; nothing where none is under way."""
    if job is None or job.done:
        return mo.Html("")
    return mo.ui.refresh(options=["1s"], default_interval="1s", label=f"Working on {job.title} …")


def answer(kind: str, job: Job | None, view: View, session: Session) -> list[Any]:
    """What the last job found, if it belongs to this panel."""
    belongs = {"Trajectories": ("sampled",), "Flip": ("flips", "search"), "Search": ("search",)}.get(kind, ())
    if job is None or job.kind not in belongs:
        return []
    if not job.done:
        return [mo.md(f"*Working on {job.title}: {job.seconds:.0f} s so far. Everything else can be used meanwhile.*")]
    result, problem = job.answer
    if problem:
        return [mo.callout(problem, kind="danger")]
    if job.kind == "sampled":
        return [mo.Html(trajectories(view, result))]
    if job.kind == "flips":
        return _flips(result, view, session)
    try:
        found = found_problem(result)
    except ValueError as error:
        return [mo.md(f"**{job.title}:** {error}")]
    return [mo.md(f"Found {job.title}, certified; {result.tried}."), _show_button("Show it", found, session)]


def _flips(found: list[Flip], view: View, session: Session) -> list[Any]:
    if not found:
        return [mo.md("No single change of γ, of one feature or of d crosses a line.")]
    lines = [describe(flip, view.problem) for flip in found]
    rows = "".join(
        f'<tr><td style="padding-right:1rem">{i + 1}. {escape(line)}</td><td style="padding-right:1rem">'
        f"{'TD' if flip.boundary == 'td' else 'chain'} {flip.becomes}</td><td>{flip.size:.3g}</td></tr>"
        for i, (line, flip) in enumerate(zip(lines, found, strict=True))
    )
    head = "".join(
        f'<th scope="col" style="text-align:left">{name}</th>' for name in ("change", "then", "relative size")
    )
    names = [f"{i + 1}. {line}" for i, line in enumerate(lines)]
    go = mo.ui.dropdown(
        {name: name for name in names}, label="Go beyond the line",
        on_change=lambda name: session.attempt(lambda v: v.show(found[names.index(name)].problem) if name else v),
    )  # fmt: skip
    table = mo.Html(f'<div style="overflow-x:auto"><table><tr>{head}</tr>{rows}</table></div>')
    return [mo.md("The smallest changes that cross a line, each certified on both sides:"), table, go]


def describe(flip: Flip, problem: Problem) -> str:
    """The change in words."""
    at = flip.exact or f"{flip.crossing:.6g}"
    labels = problem.state_labels
    if flip.kind == "gamma":
        return f"γ from {problem.gamma:.6g} across {at}"
    if flip.kind == "feature":
        s, f = flip.place
        return f"feature {f + 1} of state {labels[s]} from {float(flip.start):.6g} across {at}"
    i, j = flip.place
    return f"move {at} of μ's visits from state {labels[i]} to state {labels[j]}"


def _show_button(label: str, problem: Problem, session: Session) -> Any:
    return mo.ui.button(label=label, on_click=lambda _: session.attempt(lambda v: v.show(problem)))
