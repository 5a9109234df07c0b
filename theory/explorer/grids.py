"""A problem's numbers in a grid of fields, applied together: a row is a state, and every cell a text such as 6/7."""

from __future__ import annotations

from html import escape
from typing import Any

import marimo as mo

from theory.explorer import sources
from theory.explorer.session import Session
from theory.explorer.view import View
from theory.problems import Problem


def grid(view: View, session: Session) -> list[Any]:
    """The problem's numbers, each in a field of its own."""
    problem = view.problem
    if problem.n_states > sources.MAX_EDITED or problem.n_features > sources.MAX_EDITED:
        return [mo.md(f"The grid holds up to {sources.MAX_EDITED} states and features; edit the JSON file instead.")]
    rows = sources.grid_rows(problem)
    names = list(rows[0])[1:]
    cells: dict[str, Any] = {
        f"c{s}_{i}": mo.ui.text(row[name], full_width=True)
        for s, row in enumerate(rows)
        for i, name in enumerate(names)
    }
    head = "".join(f'<th scope="col" style="padding:0 .2rem">{escape(_braced(name))}</th>' for name in ("", *names))
    body = "".join(
        f'<tr><th scope="row" style="padding-right:.5rem">{escape(_braced(row["state"]))}</th>'
        + "".join(
            f'<td data-name="{escape(_braced(name))} of state {escape(_braced(row["state"]))}" '
            f'style="min-width:3.6rem;padding:0 .1rem">{{c{s}_{i}}}</td>'
            for i, name in enumerate(names)
        )
        + "</tr>"
        for s, row in enumerate(rows)
    )
    table = mo.Html(f'<div style="overflow-x:auto"><table><tr>{head}</tr>{body}</table></div>').batch(**cells)

    def apply(value: Any) -> None:
        if value:
            texts = [
                {"state": row["state"], **{name: value[f"c{s}_{i}"] for i, name in enumerate(names)}}
                for s, row in enumerate(rows)
            ]
            session.attempt(lambda v: _shown(v, sources.edit(problem, texts)))

    about = (
        "A row is a state: features φ, moves → of the target π, reward, and how often μ visits. Fractions are welcome."
    )
    return [mo.md(about), table.form(submit_button_label="Apply", bordered=False, on_change=apply)]


def _shown(view: View, edited: Problem) -> View:
    """Numbers that were left as they are leave the view as it is, with the name of its problem."""
    return view if edited == view.problem else view.show(edited)


def _braced(text: str) -> str:
    """A text for a template in which braces mean a field."""
    return text.replace("{", "{{").replace("}", "}}")
