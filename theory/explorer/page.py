# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The explorer: see on which side a problem falls, and drag it across the line. `theory explore` opens it.

A marimo notebook: it imports, calls and shows. Every visible cell has a name, by which `page.css` gives it its place.
"""

import marimo

app = marimo.App(width="medium", app_title="Explorer: off-policy TD and its chain", css_file="page.css")


@app.cell(hide_code=True)
def _():
    import marimo as mo

    from theory.explorer import answers, cards, controls, grids, panels
    from theory.explorer.session import Session, first_view
    from theory.explorer.slow import Parts

    return Parts, Session, answers, cards, controls, first_view, grids, mo, panels


@app.cell(hide_code=True)
def _(Parts, Session, first_view, mo):
    _view, _note = first_view(mo.query_params().to_dict())
    get_view, set_view = mo.state(_view)
    # The same view, told only when what the group of controls shows has changed.
    get_source, _set_source = mo.state(_view)
    get_gamma, _set_gamma = mo.state(_view)
    get_entry, _set_entry = mo.state(_view)
    get_settings, _set_settings = mo.state(_view)
    get_note, set_note = mo.state(_note)
    get_job, set_job = mo.state(None)
    get_done, set_done = mo.state(None, allow_self_loops=True)  # a cell waits for its own part
    get_tab, set_tab = mo.state(mo.query_params().to_dict().get("tab", "Overview"))
    session = Session(
        get_view,
        set_view,
        set_note,
        _note,
        source=_set_source,
        gamma=_set_gamma,
        entry=_set_entry,
        settings=_set_settings,
    )
    parts = Parts(set_done)
    return (
        get_done,
        get_entry,
        get_gamma,
        get_job,
        get_note,
        get_settings,
        get_source,
        get_tab,
        get_view,
        parts,
        session,
        set_job,
        set_tab,
    )


@app.cell(hide_code=True)
def _header(mo):
    mo.md(r"""
    # Where does a problem fall?

    Off-policy TD with linear features may diverge; chained TD may stay biased. Choose a problem, drag $\gamma$ or a
    feature across the lines. Verdicts are certified; curves are floats.
    """)
    return


@app.cell(hide_code=True)
def _source(controls, mo):
    source = controls.source_choice()
    mo.Html(f'<div data-name="Problem from">{source}</div>')
    return (source,)


@app.cell(hide_code=True)
def _(controls, get_source, session, set_job, source):
    source_elements = controls.source_controls(
        source.value, get_source(), session, lambda job: set_job(job.tell(set_job))
    )
    return (source_elements,)


@app.cell(hide_code=True)
def _(controls, get_source, session, source):
    source_details = controls.source_details(source.value, get_source(), session)
    return (source_details,)


@app.cell(hide_code=True)
def _problem(controls, get_source, mo, source, source_details, source_elements):
    mo.vstack(
        [
            mo.hstack([*source_elements, *source_details], justify="start", align="center", wrap=True, gap=1),
            controls.about(get_source()) if source.value == "Catalogue" else mo.Html(""),
        ]
    )
    return


@app.cell(hide_code=True)
def _found(answers, get_job, get_view, mo, session, source):
    found = answers.answer(source.value, get_job(), get_view(), session)
    mo.vstack(found) if found else None
    return


@app.cell(hide_code=True)
def _grid(get_view, grids, mo, session, source):
    edited = grids.grid(get_view(), session) if source.value == "Edit numbers" else []
    mo.vstack(edited) if edited else None
    return


@app.cell(hide_code=True)
def _note(get_note, mo):
    mo.callout(get_note(), kind="danger") if get_note() else None
    return


@app.cell(hide_code=True)
def _verdict(cards, get_view, mo):
    mo.Html(cards.card(cards.verdict_card, get_view()))
    return


@app.cell(hide_code=True)
def _gamma(controls, get_gamma, mo, session):
    gamma_slider = controls.gamma_slider(get_gamma(), session)
    mo.vstack([gamma_slider])
    return


@app.cell(hide_code=True)
def _ruler(get_done, get_view, mo, parts):
    get_done()
    mo.Html(parts.ruler(get_view()))
    return


@app.cell(hide_code=True)
def _exactly(controls, get_gamma, mo, session):
    gamma_text, reset = controls.gamma_text(get_gamma(), session), controls.reset_button(get_gamma(), session)
    mo.hstack([gamma_text, reset], justify="start", align="end")
    return


@app.cell(hide_code=True)
def _(controls, get_entry, session):
    entry_slider = controls.entry_slider(get_entry(), session)
    return (entry_slider,)


@app.cell(hide_code=True)
def _(controls, get_entry, session):
    entry_choice = controls.entry_choice(get_entry(), session)
    return (entry_choice,)


@app.cell(hide_code=True)
def _(controls, get_settings, session):
    sliders = controls.settings(get_settings(), session)
    return (sliders,)


@app.cell(hide_code=True)
def _settings(entry_choice, entry_slider, mo, sliders):
    mo.vstack([entry_choice, entry_slider, *sliders], gap=0.3)
    return


@app.cell(hide_code=True)
def _tabs(get_tab, mo, panels, set_tab):
    group = mo.ui.tabs(
        dict.fromkeys(panels.GROUPS, ""),
        value=panels.group_of(get_tab()),
        on_change=lambda name: set_tab(panels.GROUPS[name][0]),
    )
    mo.Html(f'<div data-name="Groups of views">{group}</div>')
    return


@app.cell(hide_code=True)
def _views(get_tab, mo, panels, set_tab):
    _names = panels.GROUPS[panels.group_of(get_tab())]
    view_tab = mo.ui.tabs(
        dict.fromkeys(_names, ""), value=get_tab() if get_tab() in _names else _names[0], on_change=set_tab
    )
    mo.Html(f'<div data-name="Views">{view_tab}</div>') if len(_names) > 1 else None
    return


@app.cell(hide_code=True)
def _panel(controls, get_done, get_tab, get_view, mo, panels, parts):
    get_done()
    tab = get_tab() if panels.group_of(get_tab()) != "Overview" else "Overview"
    if tab in panels.PANELS:
        shown = [mo.Html(parts.panel(get_view(), tab))]
    elif tab == "Exact":
        shown = [mo.Html(parts.exact(get_view()))]
    elif tab == "Export":
        shown = controls.export_controls(get_view(), controls.address())
    elif tab == "Proofs":
        shown = parts.proofs()
    else:
        shown = [mo.md("What is the smallest change that crosses a line, and who lives on the other side?")]
    mo.vstack([mo.Html(f'<span hidden data-tab="{tab}"></span>'), *shown])
    return (tab,)


@app.cell(hide_code=True)
def _questions(answers, mo, session, set_job, tab):
    asked = answers.questions(tab, session, lambda job: set_job(job.tell(set_job)))
    mo.hstack(asked, justify="start", wrap=True) if asked else None
    return


@app.cell(hide_code=True)
def _answer(answers, get_job, get_view, mo, session, tab):
    answered = answers.answer(tab, get_job(), get_view(), session)
    mo.vstack(answered) if answered else None
    return


@app.cell(hide_code=True)
def _address(controls, mo, session, set_tab):
    address_field = controls.address_field(session, set_tab)
    mo.Html(f"<div hidden data-address>{address_field}</div>")
    return


if __name__ == "__main__":
    app.run()
