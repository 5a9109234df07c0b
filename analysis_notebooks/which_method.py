# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""Which method for my problem, and for my data? From recorded transitions to a decision."""

import marimo

app = marimo.App(width="medium", app_title="Which method?")


@app.cell(hide_code=True)
def _():
    import marimo as mo

    import theory

    return mo, theory


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Which method converges on my data?

    Recorded transitions are all that is needed: features $\phi$ of a state and of its successor, the reward, and the
    ratio $\pi/\mu$ of the action taken. Here they come from FrozenLake: the behaviour moves at random, the target
    goes right or down, and four groups of neighbouring states are the features.
    """)
    return


@app.cell
def _(theory):
    lake = theory.open_problem("gymnasium:FrozenLake-v1,features=aggregated,groups=4,gamma=9/10")
    lake
    return (lake,)


@app.cell
def _(theory):
    moves = theory.record(
        "FrozenLake-v1",
        target=lambda s: [0.0, 0.5, 0.5, 0.0],
        behaviour=lambda s: [0.25] * 4,
        features=lambda s: [float(s // 4 == group) for group in range(4)],
        episodes=2000,
    )
    data = theory.open_data(moves, gamma=0.9)
    print(data)
    return (data,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    Aggregated states are safe for every behaviour: that is a theorem (field-5), and the data agree with it, with
    confidence. Every other method on the same rows:
    """)
    return


@app.cell
def _(data):
    print(data.compare())
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # And on a problem that is known?

    On Baird's counterexample off-policy TD diverges. The table says which method to use, with a proof of each verdict
    and all values of its parameter for which it holds:
    """)
    return


@app.cell
def _(theory):
    theory.compare("baird", ["off-policy-td", "chain", "target-network", "td-lambda", "etd", "gtd2", "tdc", "lstd"])
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    Where TD fails and the chain does not, more heads make the bias as small as one likes:
    """)
    return


@app.cell
def _(theory):
    theory.png(
        theory.inspect("baird").plot(), alt="Eigenvalues, bias, windows and transients of Baird's counterexample"
    )
    return


if __name__ == "__main__":
    app.run()
