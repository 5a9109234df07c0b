# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""Closed forms: Twostate from its definition to its threshold, a family around it, and Baird's star."""

import marimo

app = marimo.App(width="medium", app_title="Closed forms")


@app.cell(hide_code=True)
def _():
    from fractions import Fraction

    import marimo as mo

    import theory

    return Fraction, mo, theory


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # From the definition to the threshold

    *Twostate*: two states, one feature $\phi = (1, 2)$; the target always goes to the second state, the behaviour
    visits both equally often. Then $X = \tfrac12 1^2 + \tfrac12 2^2 = \tfrac52$ and
    $Y = \tfrac12 1\cdot 2 + \tfrac12 2\cdot 2 = 3$; off-policy TD has the matrix $A(\gamma) = X - \gamma Y$ and one
    link of the chain multiplies by $B = \gamma X^{-1}Y$. Everything else is derived:
    """)
    return


@app.cell
def _(theory):
    twostate = theory.derive("twostate-reward")
    twostate
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    So $\theta^k_* - \theta_\pi = (6\gamma/5)^k(\theta^0 - \theta_\pi)$, as in the paper's appendix: the bias vanishes
    below $\gamma = 5/6$ and grows beyond. At $5/6$ itself $A$ is zero; there is no $\theta_\pi$, and a form in $k$
    takes its place. Move $\gamma$ across it:
    """)
    return


@app.cell(hide_code=True)
def _(mo):
    sixths = mo.ui.slider(0, 59, value=49, label="60·γ", show_value=True)
    heads = mo.ui.slider(1, 8, value=4, label="k", show_value=True)
    mo.hstack([sixths, heads], justify="start")
    return heads, sixths


@app.cell
def _(Fraction, heads, sixths, theory):
    moved = theory.derive("twostate-reward", gamma=Fraction(sixths.value, 60), k=heads.value)
    return (moved,)


@app.cell
def _(moved):
    moved
    return


@app.cell
def _(moved, theory):
    theory.png(moved.plot(), alt="Iterations of Twostate against their closed forms")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # All of its relatives

    Leave the second feature $x$ and the behaviour's share $p$ of the first state open, and the same forms hold with
    these letters in them. TD is stable exactly where the first polynomial is positive, the chain is unbiased exactly
    where the others are; certified verdicts at random members agree.
    """)
    return


@app.cell
def _(theory):
    relatives = theory.derive("twostate-family")
    relatives
    return


@app.cell
def _(theory):
    plane = theory.figure("phase", problem="twostate-family", over="x,p", gamma="9/10")
    theory.png(plane, alt="Who fails where over x and p at γ = 9/10")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Baird's star

    Eight features for seven states: $A$ has one quadratic factor that matters, whose roots cross the imaginary axis
    where $17\gamma = 15$. The chain does not see it, because $B$ has the single nonzero eigenvalue $\gamma$.
    """)
    return


@app.cell
def _(theory):
    baird = theory.derive("baird-reward")
    baird
    return (baird,)


@app.cell
def _(baird, theory):
    theory.png(baird.plot(), alt="Iterations on Baird's star against their closed forms")
    return


if __name__ == "__main__":
    app.run()
