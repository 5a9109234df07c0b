# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The explorer: see on which side a problem falls, and drag it across the line. `theory explore` opens it."""

import marimo

app = marimo.App(width="medium", app_title="Explorer: off-policy TD and its chain")


@app.cell(hide_code=True)
def _():
    import marimo as mo

    from theory.explorer import answers, cards, controls, panels
    from theory.explorer.session import Session, first_view

    return Session, answers, cards, controls, first_view, mo, panels


@app.cell(hide_code=True)
def _(Session, first_view, mo):
    _view, _note = first_view(mo.query_params().to_dict())
    get_view, set_view = mo.state(_view)
    get_note, set_note = mo.state(_note)
    get_job, set_job = mo.state(None)
    session = Session(get_view, set_view, set_note)
    return get_job, get_note, get_view, session, set_job


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Where does a problem fall?

    Off-policy TD with linear features may diverge; chained TD may stay biased. Choose a problem, move $\gamma$ or a
    feature, and watch it cross the lines. Verdicts are certified; curves are floats.
    """)
    return


@app.cell(hide_code=True)
def _(controls, mo):
    source = controls.source_choice()
    mo.vstack([source])
    return (source,)


@app.cell(hide_code=True)
def _(controls, get_view, mo, session, set_job, source):
    if source.value == "Search":
        source_elements = [controls.search_form(session, set_job)]
    else:
        source_elements = controls.source_controls(source.value, get_view(), session)
    return (source_elements,)


@app.cell(hide_code=True)
def _(controls, get_view, session, source):
    source_details = controls.source_details(source.value, get_view(), session)
    return (source_details,)


@app.cell(hide_code=True)
def _(controls, get_view, mo, source_details, source_elements):
    mo.vstack(
        [
            mo.hstack([source_elements[0], *source_details], justify="start", wrap=True, gap=1),
            *source_elements[1:],
            controls.about(get_view()),
        ]
    )
    return


@app.cell(hide_code=True)
def _(get_note, mo):
    mo.callout(get_note(), kind="danger") if get_note() else mo.Html("")
    return


@app.cell(hide_code=True)
def _(controls, get_view, session):
    gamma_slider = controls.gamma_slider(get_view(), session)
    return (gamma_slider,)


@app.cell(hide_code=True)
def _(controls, get_view, session):
    gamma_text = controls.gamma_text(get_view(), session)
    return (gamma_text,)


@app.cell(hide_code=True)
def _(controls, get_view, session):
    entry_slider = controls.entry_slider(get_view(), session)
    return (entry_slider,)


@app.cell(hide_code=True)
def _(controls, get_view, session):
    entry_choice = controls.entry_choice(get_view(), session)
    return (entry_choice,)


@app.cell(hide_code=True)
def _(controls, get_view, session):
    settings = controls.settings(get_view(), session)
    return (settings,)


@app.cell(hide_code=True)
def _(entry_choice, entry_slider, gamma_slider, gamma_text, mo, settings):
    mo.vstack(
        [
            gamma_slider,
            mo.hstack([gamma_text, entry_slider, entry_choice], justify="start", wrap=True, gap=1.5),
            mo.hstack(settings, justify="start", wrap=True, gap=1.5),
        ]
    )
    return


@app.cell(hide_code=True)
def _(cards, get_view, mo):
    mo.Html(cards.card(cards.verdict_card, get_view()))
    return


@app.cell(hide_code=True)
def _(cards, get_view, mo):
    mo.Html(cards.card(cards.quick_ruler, get_view()))
    return


@app.cell(hide_code=True)
def _(mo, panels):
    tab = mo.ui.tabs(dict.fromkeys((*panels.PANELS, "Exact", "Flip", "Export"), ""))
    mo.vstack([tab])
    return (tab,)


@app.cell(hide_code=True)
def _(cards, controls, get_view, mo, panels, tab):
    if tab.value in panels.PANELS:
        shown = [mo.Html(panels.panel(get_view(), tab.value))]
    elif tab.value == "Exact":
        shown = [mo.Html(cards.card(cards.exact_card, get_view()))]
    elif tab.value == "Export":
        shown = controls.export_controls(get_view(), controls.address())
    else:
        shown = [mo.md("What is the smallest change that crosses a line, and who lives on the other side?")]
    mo.vstack(shown)
    return


@app.cell(hide_code=True)
def _(answers, get_view, mo, set_job, tab):
    asked = answers.questions(tab.value, get_view(), set_job) if tab.value in ("Flip", "Trajectories") else []
    mo.hstack(asked, justify="start", wrap=True)
    return


@app.cell(hide_code=True)
def _(answers, get_job, mo):
    clock = answers.clock(get_job())
    mo.vstack([clock])
    return (clock,)


@app.cell(hide_code=True)
def _(answers, clock, get_job, get_view, mo, session, set_job, source, tab):
    _kind = "Search" if source.value == "Search" else tab.value
    answered = answers.answer(_kind, get_job(), get_view(), session)
    if get_job() is not None and get_job().done and hasattr(clock, "value"):
        set_job(get_job().settled())
    mo.vstack(answered)
    return


if __name__ == "__main__":
    app.run()
