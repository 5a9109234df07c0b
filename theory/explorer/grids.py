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
    tools = [_sizes(session), _paste(session)]
    if problem.n_states > sources.MAX_EDITED or problem.n_features > sources.MAX_EDITED:
        return [mo.md(f"The grid holds up to {sources.MAX_EDITED} states and features; paste numbers instead."), *tools]
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
    return [mo.md(about), table.form(submit_button_label="Apply", bordered=False, on_change=apply), *tools]


def _sizes(session: Session) -> Any:
    """Buttons for one state or feature more or less."""
    changes = {"Add a state": (1, 0), "Remove the last state": (-1, 0)}
    changes |= {"Add a feature": (0, 1), "Remove the last feature": (0, -1)}

    def button(label: str, states: int, features: int) -> Any:
        change = lambda v: v.edited(sources.resize(v.problem, states, features))  # noqa: E731
        return mo.ui.button(label=label, on_click=lambda _: session.attempt(change))

    return mo.hstack([button(label, *sizes) for label, sizes in changes.items()], justify="start", wrap=True)


def _paste(session: Session) -> Any:
    """A field for a block of numbers."""
    fields: dict[str, Any] = {
        "text": mo.ui.text_area(placeholder="1  0.5\n2  1/3", rows=3, full_width=True, label="Numbers to paste"),
        "place": mo.ui.dropdown(list(sources.PLACES), value="features Φ", label="They are"),
    }

    def put(value: Any) -> None:
        if value and value["text"].strip():
            place = sources.PLACES[value["place"]]
            session.attempt(lambda v: v.edited(sources.paste(v.problem, value["text"], place)))

    about = "A block of numbers as a spreadsheet copies it or NumPy prints it: a row a state. {place} {text}"
    return mo.md(about).batch(**fields).form(submit_button_label="Paste", bordered=False, on_change=put)


def _shown(view: View, edited: Problem) -> View:
    """Numbers that were left as they are leave the view as it is, with the name of its problem."""
    return view if edited == view.problem else view.edited(edited)


def _braced(text: str) -> str:
    """A text for a template in which braces mean a field."""
    return text.replace("{", "{{").replace("}", "}}")
