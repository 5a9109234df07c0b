"""How the answers to slow questions are shown, and what one can do with them."""

from __future__ import annotations

from html import escape
from typing import Any

import marimo as mo

from theory.explorer.background import Job, ask_flips, ask_other_side, ask_sampled
from theory.explorer.links import to_query
from theory.explorer.panels import sampled
from theory.explorer.questions import Crossing
from theory.explorer.session import Session
from theory.explorer.slow import working
from theory.explorer.view import View
from theory.problems import Problem
from theory.views.html import rows_html


def questions(kind: str, session: Session, start: Any) -> list[Any]:
    """Buttons of a panel; `start` takes the job."""
    if kind == "Trajectories":
        return [mo.ui.button(label="Sample 20 runs", on_click=lambda _: start(ask_sampled(session.get())))]
    if kind != "Flip":
        return []
    sides = {"One like this, TD flipped": "td", "One like this, chain flipped": "chain"}
    return [
        mo.ui.button(label="Nearest flips", on_click=lambda _: start(ask_flips(session.get()))),
        *(_other_side(label, side, session, start) for label, side in sides.items()),
    ]


def _other_side(label: str, side: str, session: Session, start: Any) -> Any:
    return mo.ui.button(label=label, on_click=lambda _: start(ask_other_side(session.get(), side)))


def answer(place: str, job: Job | None, view: View, session: Session) -> list[Any]:
    """What the last job found, if it was asked in this place: a panel, or the form of searches."""
    kinds = {"Trajectories": ("sampled",), "Flip": ("flips", "search"), "Search": ("search",), "File": ("data",)}.get(
        place, ()
    )
    if job is None or job.kind not in kinds:
        return []
    if job.kind == "search" and job.about != ("" if place == "Search" else view.problem.fingerprint):
        return []  # asked elsewhere, or one like a problem that is no longer shown
    if not job.done:
        return [mo.Html(working(job.title))]
    result, problem = job.answer
    if problem:
        return [mo.callout(problem, kind="danger")]
    if job.kind == "sampled":
        old = "" if to_query(view) == job.about else "Sampled before the last change; the curves above are newer."
        curves, stability = result
        return [mo.Html(sampled(curves, job.title, f"{stability} {old}".strip()))]
    if job.kind == "data":
        parts = "".join(f'<pre style="white-space:pre-wrap">{escape(text)}</pre>' for text in result)
        return [mo.Html(f"<p>{escape(job.title[:1].upper() + job.title[1:])}:</p>{parts}")]
    if job.kind == "flips":
        return _flips(result, job.title, session)
    if result.problem is None:
        return [mo.md(f"**There is none to show:** {job.title}: {result.text}.")]
    found = mo.md(f"Found {job.title}, certified; {result.text}.")
    return [found, _show_button("Show it", result.problem, session)]


def _flips(found: list[Crossing], title: str, session: Session) -> list[Any]:
    if not found:
        return [mo.md("No single change of γ, of one feature or of d crosses a line.")]
    names = [f"{i + 1}. {flip.change}" for i, flip in enumerate(found)]
    go = mo.ui.dropdown(
        {name: name for name in names}, label="Go beyond the line",
        on_change=lambda name: session.attempt(lambda v: v.edited(found[names.index(name)].problem) if name else v),
    )  # fmt: skip
    rows = ((name, flip.then, f"{flip.size:.3g}") for name, flip in zip(names, found, strict=True))
    table = mo.Html(rows_html(("change", "then", "relative size"), rows))
    said = f"<p>{escape(title[:1].upper() + title[1:])}: the smallest changes, each certified on both sides.</p>"
    return [mo.Html(said), table, go]


def _show_button(label: str, problem: Problem, session: Session) -> Any:
    return mo.ui.button(label=label, on_click=lambda _: session.attempt(lambda v: v.show(problem)))
