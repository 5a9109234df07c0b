"""The explorer's controls: marimo elements whose changes go through the session.

A group of controls lives in a cell of its own, so that it is made anew when the view changes elsewhere and not while
it is itself in use: a slider keeps the keyboard's focus. What a function returns must be kept by its cell; marimo
forgets an element that nobody holds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import marimo as mo

from theory.explorer import exports, links, sources
from theory.explorer.phase import reach
from theory.explorer.session import Session, steps_with
from theory.explorer.texts import literal, short
from theory.explorer.view import View
from theory.problems.catalogue import catalogue
from theory.problems.numbers import parse_number

SOURCES = ("Catalogue", "File", "Gymnasium", "Random", "Search", "Edit numbers")
_COUNTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64]
_WINDOWS = [*_COUNTS, 100, 128, 200, 300, 500, 1000, 2000, 5000, 10_000]

_ANY = "any method"

# A field for a number moves what is typed into its range without a word.
_RANGES = "From 1 to {} states and features, seeds from 0 to 1,000,000; a number beyond becomes the nearest of these."


def source_choice() -> Any:
    """Where the problem comes from."""
    return mo.ui.tabs(dict.fromkeys(SOURCES, ""))


def source_controls(kind: str, view: View, session: Session, start: Any) -> list[Any]:
    """What one chooses a problem with, the numbers' grid apart; `start` takes jobs."""
    if kind == "Search":
        return [search_form(session, start)]
    if kind == "File":
        return [
            _upload(session, start),
            mo.md(
                "A problem file as `theory inspect` reads it and Export writes it, .json or .npz, up to 1 MiB; or "
                "recorded transitions, .csv or .parquet, up to 16 MiB: what they say at the γ of this page, with "
                "confidence. It stays on this machine."
            ),
        ]
    if kind == "Gymnasium":
        opened = {name: name for name in sources.GYMNASIUM}
        now = next((name for name, spec in sources.GYMNASIUM.items() if spec == view.spec), None)
        return [
            mo.ui.dropdown(
                opened,
                value=now,
                label="Environment",
                on_change=lambda name: _open(session, sources.GYMNASIUM.get(name)),
            ),
            mo.ui.text(
                label="or any tabular one, with parameters",
                placeholder="Taxi-v4,features=aggregated,groups=20",
                full_width=True,
                on_change=lambda spec: _make(session, spec.strip()),
            ),
        ]
    if kind == "Random":
        return [_random(session)]
    return _catalogue(view, session) if kind == "Catalogue" else []


def source_details(kind: str, view: View, session: Session) -> list[Any]:
    """Beside the catalogue's list its parameters; in a cell of its own because both show the same thing."""
    if kind != "Catalogue":
        return []
    return [
        mo.ui.text(
            view.spec or "" if _entry(view) and not view.is_moved else "",
            label="with parameters", placeholder="kolter:p=3/5",
            on_change=lambda spec: _open(session, spec.strip()),
        )
    ]  # fmt: skip


def about(view: View) -> Any:
    """What the catalogue says of the problem, as long as it is the catalogue's."""
    name = _entry(view)
    before = "Before the change: " if view.is_moved else ""
    return mo.md(before + catalogue()[name].famous_for if name else "")


def search_form(session: Session, start: Any) -> Any:
    """Which methods shall converge or not on a problem of which size; `start` takes the job."""
    from theory.explorer.background import ask_search
    from theory.methods.family import methods

    names = [_ANY, *methods()]
    fields: dict[str, Any] = {
        "converges": mo.ui.dropdown(names, value="chain", label="converges", searchable=True),
        "diverges": mo.ui.dropdown(names, value="off-policy-td", label="does not", searchable=True),
        "states": mo.ui.number(1, 10, value=3, step=1, label="states"),
        "features": mo.ui.number(1, 10, value=2, step=1, label="features"),
        "seed": mo.ui.number(0, 10**6, value=0, step=1, label="seed"),
    }

    def run(value: dict[str, Any] | None) -> None:
        if value:
            sizes = [int(value[key]) for key in ("states", "features", "seed")]
            wanted = tuple((value[key], key == "converges") for key in ("converges", "diverges") if value[key] != _ANY)
            session.attempt(lambda v: (start(ask_search(wanted, *sizes)), v)[1])

    form = mo.md("{converges} {diverges} {states} {features} {seed}\n\n" + _RANGES.format(10)).batch(**fields)
    return form.form(submit_button_label="Search", bordered=False, on_change=run)


def gamma_slider(view: View, session: Session) -> Any:
    """γ in thousandths."""
    here = float(view.gamma)
    return mo.ui.slider(
        0, max(0.999, here), 0.001, value=here, full_width=True, label="γ",
        on_change=lambda x: session.attempt(lambda v: v.change(gamma=_thousandth(x))),
    )  # fmt: skip


def address_field(session: Session, open_tab: Any) -> Any:
    """Where the page's own script writes the queries that it wants followed; nobody sees it."""

    def follow(text: str) -> None:
        session.attempt(lambda v: links.follow(text, v))
        if tab := links.tab_of(text):
            open_tab(tab)

    return mo.ui.text(debounce=False, max_length=2 * links.MAX_LINK, on_change=follow)


def gamma_text(view: View, session: Session) -> Any:
    """γ exactly, as 15/17."""
    return mo.ui.text(
        str(view.gamma), label="γ exactly",
        on_change=lambda text: session.attempt(lambda v: v.change(gamma=parse_number(text, "gamma"))),
    )  # fmt: skip


def reset_button(view: View, session: Session) -> Any:
    """Back to what was opened."""
    name = "" if view.opened is None else short(view.opened[0].name)
    return mo.ui.button(
        label="Reset", tooltip=f"Show {literal(name)} as it was opened", disabled=not view.is_changed,
        on_click=lambda _: session.attempt(lambda v: v.reset()),
    )  # fmt: skip


def entry_slider(view: View, session: Session) -> Any:
    """The chosen feature entry in twentieths."""
    far, (s, f) = reach(view.base, view.entry_value), view.entry
    return mo.ui.slider(
        -far, far, 0.05, value=round(float(view.entry_value), 3), show_value=True,
        label=f"φ{f} of state {literal(view.problem.state_labels[s])}",
        on_change=lambda x: session.attempt(lambda v: v.change(value=_twentieth(x))),
    )  # fmt: skip


def entry_choice(view: View, session: Session) -> Any:
    """Which entry of Φ the slider moves."""
    names = [
        f"feature {f} of state {label}"
        for label in view.problem.state_labels for f in range(view.problem.n_features)
    ]  # fmt: skip
    F = view.problem.n_features
    places = {name: (i // F, i % F) for i, name in enumerate(names)}
    return mo.ui.dropdown(
        {name: name for name in names}, value=names[view.entry[0] * F + view.entry[1]], searchable=True,
        label="Feature to move",
        on_change=lambda name: session.attempt(lambda v: v.choose_entry(*places[name]) if name else v),
    )  # fmt: skip


def settings(view: View, session: Session) -> list[Any]:
    """Step size, updates per target network, share of a soft one, heads, n-step."""

    def slider(field: str, label: str, stops: list[Any]) -> Any:
        now = getattr(view, field)
        exact = {float(x): x for x in steps_with(stops, now)}
        return mo.ui.slider(
            steps=list(exact), value=float(now), show_value=True, label=label,
            on_change=lambda x: session.attempt(lambda v: v.change(**{field: exact[float(x or 0)]})),
        )  # fmt: skip

    return [
        slider("alpha", "Step size α", [Fraction(2) ** e for e in range(-12, 4)]),
        slider("window", "Window T", _WINDOWS),
        slider("tau", "Soft target τ", [Fraction(1, 2**e) for e in range(10, -1, -1)]),
        slider("heads", "Heads k", [*_COUNTS, 100, 128, 256]),
        slider("steps", "Steps n", _COUNTS),
    ]


def export_controls(view: View, address: str) -> list[Any]:
    """Link, downloads and texts."""
    stem, query = exports.file_stem(view), links.to_query(view)
    link = f"{address}?{query}"
    latex, numpy, text = exports.as_latex(view), exports.as_numpy(view), exports.as_json(view)
    return [
        mo.md(f"**Link to this view:** [{_shorter(link)}]({link})"),
        mo.md(f"```\n{link}\n```"),
        mo.md(f"In a terminal: `{exports.command(view)}`"),
        mo.hstack(
            [
                mo.download(text.encode(), f"{stem}.json", "application/json", label="JSON"),
                mo.download(lambda: exports.as_npz(view), f"{stem}.npz", "application/zip", label="NumPy .npz"),
                mo.download(latex.encode(), f"{stem}.tex", "text/plain", label="LaTeX"),
            ],
            justify="start", wrap=True,
        ),
        mo.accordion({
            "Problem file (JSON)": mo.md(f"```json\n{text}```"),
            "NumPy": mo.md(f"```python\n{numpy}```"),
            "LaTeX": mo.md(f"```latex\n{latex}```"),
        }),
    ]  # fmt: skip


def address() -> str:
    """Where this page is, without its query."""
    request = mo.app_meta().request
    if request is None:
        return ""
    return f"http://{request.base_url['netloc']!s}/"


def _catalogue(view: View, session: Session) -> list[Any]:
    titles = sources.catalogue_choices()
    now = next((title for title, name in titles.items() if name == _entry(view) and not view.is_moved), None)
    return [
        mo.ui.dropdown(
            {title: title for title in titles}, value=now, searchable=True, label="Problem",
            on_change=lambda title: _open(session, titles.get(title)),
        )
    ]  # fmt: skip


def _entry(view: View) -> str:
    """The catalogue's name for the view's problem, or nothing."""
    name = (view.spec or "").partition(":")[0]
    return name if name in catalogue() else ""


def _upload(session: Session, start: Any) -> Any:
    from theory.explorer.background import ask_data

    def read(files: Any) -> None:
        if files and files[0].name.lower().endswith(sources.DATA):
            session.attempt(lambda v: (start(ask_data(files[0].name, files[0].contents, v.gamma)), v)[1])
        elif files:
            session.attempt(lambda v: v.show(sources.read_upload(files[0].name, files[0].contents)))
        else:
            session.dismiss()

    return mo.ui.file(kind="area", max_size=sources.MAX_DATA, label="Problem file", on_change=read)


def _random(session: Session) -> Any:
    fields: dict[str, Any] = {
        "seed": mo.ui.number(0, 10**6, value=0, step=1, label="seed"),
        "states": mo.ui.number(1, 30, value=6, step=1, label="states"),
        "features": mo.ui.number(1, 30, value=3, step=1, label="features"),
        "law": mo.ui.dropdown(list(sources.LAWS), value="normal", label="features are"),
    }

    def draw(value: Any) -> None:
        if value:
            session.attempt(lambda v: v.show(*sources.open_source(sources.random_spec(**value))))

    form = mo.md("{seed} {states} {features} {law}\n\n" + _RANGES.format(30)).batch(**fields)
    return form.form(
        submit_button_label="Draw", bordered=False,
        on_change=draw,
    )  # fmt: skip


def _make(session: Session, spec: str) -> None:
    if spec:
        session.attempt(lambda v: v.show(sources.open_environment(spec)))
    else:
        session.dismiss()


def _open(session: Session, spec: str | None) -> None:
    if spec:
        session.attempt(lambda v: v.show(*sources.open_source(spec)))
    else:
        session.dismiss()


def _thousandth(x: Any) -> Fraction:
    return Fraction(round(x * 1000), 1000)


def _twentieth(x: Any) -> Fraction:
    return Fraction(round(x * 20), 20)


def _shorter(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
