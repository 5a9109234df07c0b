# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""How often does it go wrong? Random problems counted live, and the paper's figure as one point of the map."""

import marimo

app = marimo.App(width="medium", app_title="Success rates")


@app.cell(hide_code=True)
def _():
    import marimo as mo

    import theory

    return mo, theory


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
def _(mo):
    shares = {"F = S (the paper's figure)": "S", "F = S − 1": "S-1", "F = S/2": "S/2"}
    laws = ["normal", "absolute-normal", "binary", "aggregation", "tile"]
    share = mo.ui.dropdown(list(shares), value="F = S − 1", label="Features")
    gamma = mo.ui.slider(0.5, 0.99, 0.01, value=0.99, show_value=True, label="γ", debounce=True)
    law = mo.ui.dropdown(laws, value="normal", label="Law of the features")
    largest = mo.ui.slider(steps=[4, 8, 16, 24, 32], value=16, show_value=True, label="Largest S", debounce=True)
    samples = mo.ui.slider(steps=[100, 300, 1000, 3000], value=300, show_value=True, label="Samples", debounce=True)
    seed = mo.ui.number(0, 10**6, value=0, step=1, label="Seed")
    mo.hstack([share, gamma, law, largest, samples, seed], justify="start", wrap=True, gap=1.5)
    return gamma, largest, law, samples, seed, share, shares


@app.cell
def _(gamma, largest, law, samples, seed, share, shares, theory):
    def count(features):
        return theory.success_rate(
            [S for S in (2, 3, 4, 6, 8, 12, 16, 24, 32) if largest.value >= S],
            features,
            samples=int(samples.value),
            seed=int(seed.value),
            gamma=f"{gamma.value:.2f}",
            law=law.value,
        )

    counts = count(shares[share.value])
    paper = count("S")
    return counts, paper


@app.cell(hide_code=True)
def _(counts, mo, paper, share):
    mo.hstack(
        [
            mo.Html(counts.svg(f"{share.value}: how often each fails")),
            mo.Html(paper.svg("F = S, the paper's setting: the bias is zero by algebra")),
        ],
        justify="start",
        wrap=True,
    )
    return


@app.cell(hide_code=True)
def _(counts):
    counts
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
def _(theory):
    theory.verify("fig-1", "conjecture").cards()
    return


if __name__ == "__main__":
    app.run()
