# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""How often does it go wrong? Random problems counted live, and the paper's figure as one point of the map."""

import marimo

app = marimo.App(width="medium", app_title="Success rates")


@app.cell(hide_code=True)
def _():
    from fractions import Fraction

    import marimo as mo

    from theory.explorer.rates import SHARES, rate_chart, rate_rows, rate_table
    from theory.explorer.sources import LAWS
    from theory.explorer.statements import statement_card
    from theory.propositions.registry import statement
    from theory.propositions.statement import verify

    return (
        Fraction,
        LAWS,
        SHARES,
        mo,
        rate_chart,
        rate_rows,
        rate_table,
        statement,
        statement_card,
        verify,
    )


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # How often does it go wrong?

    The paper's figure 1 draws random MDPs with normal features and finds that chained TD is unbiased in all of them,
    while off-policy TD diverges in many. It uses **as many features as states**. Then $\Pi = I$, so
    $\rho(\gamma\Pi P) = \gamma < 1$ by algebra: no sample could have shown a bias. With one feature fewer the question
    is a real one. Every draw below is decided by a proof in floats, or counted as undecided.
    """)
    return


@app.cell(hide_code=True)
def _(LAWS, SHARES, mo):
    share = mo.ui.dropdown(list(SHARES), value="F = S − 1", label="Features")
    gamma = mo.ui.slider(0.5, 0.99, 0.01, value=0.99, show_value=True, label="γ", debounce=True)
    law = mo.ui.dropdown([name for name in LAWS if name != "tabular"], value="normal", label="Law of the features")
    largest = mo.ui.slider(steps=[4, 8, 16, 24, 32], value=16, show_value=True, label="Largest S", debounce=True)
    samples = mo.ui.slider(steps=[100, 300, 1000, 3000], value=300, show_value=True, label="Samples", debounce=True)
    seed = mo.ui.number(0, 10**6, value=0, step=1, label="Seed")
    mo.hstack([share, gamma, law, largest, samples, seed], justify="start", wrap=True, gap=1.5)
    return gamma, largest, law, samples, seed, share


@app.cell
def _(Fraction, SHARES, gamma, largest, law, rate_rows, samples, seed, share):
    def rows_for(kind):
        exact = Fraction(round(100 * gamma.value), 100)
        return rate_rows(int(largest.value), SHARES[kind], exact, law.value, int(samples.value), int(seed.value))

    rows = rows_for(share.value)
    paper = rows_for("F = S (the paper's figure)")
    return paper, rows


@app.cell(hide_code=True)
def _(mo, paper, rate_chart, rows, share):
    mo.hstack(
        [
            mo.Html(rate_chart(rows, f"{share.value}: how often each fails")),
            mo.Html(rate_chart(paper, "F = S, the paper's setting: the bias is zero by algebra")),
        ],
        justify="start",
        wrap=True,
    )
    return


@app.cell(hide_code=True)
def _(mo, rate_table, rows):
    mo.ui.table(rate_table(rows), selection=None, pagination=False, show_download=False)
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Why F = S is vacuous, and what is true

    The same numbers on many processors, with windows and other ensembles:
    `theory success-rate --states 2..32 --features S,S-1 --samples 100000`; the figures: `theory figure success-rate`.
    """)
    return


@app.cell
def _(mo, statement, statement_card, verify):
    mo.md(statement_card(verify(statement("fig-1"))) + "\n\n---\n\n" + statement_card(verify(statement("conjecture"))))
    return


if __name__ == "__main__":
    app.run()
