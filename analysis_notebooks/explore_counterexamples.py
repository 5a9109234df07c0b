# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""Counterexamples: one problem for each of the four cases, and the explorer in which one can be dragged to another."""

import marimo

app = marimo.App(width="medium", app_title="Counterexamples")


@app.cell(hide_code=True)
def _():
    import marimo as mo

    import theory

    return mo, theory


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Four cases, and who lives there

    Off-policy TD is stable when every eigenvalue of $A = X - \gamma Y$ has positive real part; the chain is unbiased
    when $\rho(\gamma \Pi P_\pi) < 1$. Neither implies the other: two states are enough for all four cases, by $\Phi$
    alone. Baird's star is unstable for TD from $\gamma = 15/17$ on, and the chain is unbiased at every $\gamma$.

    `theory explore` opens the explorer, in which $\gamma$ and every feature can be dragged across these lines.
    """)
    return


@app.cell(hide_code=True)
def _(mo, theory):
    names = [name for name in theory.catalogue() if name.startswith(("quadrant-", "baird", "twostate", "kolter"))]
    choice = mo.ui.dropdown(names, value="quadrant-unstable-unbiased", label="Problem")
    choice
    return (choice,)


@app.cell
def _(choice, theory):
    problem = theory.open_problem(choice.value)
    problem
    return (problem,)


@app.cell(hide_code=True)
def _(choice, mo, theory):
    mo.md(theory.catalogue()[choice.value].famous_for)
    return


@app.cell
def _(problem, theory):
    inspected = theory.inspect(problem)
    inspected
    return (inspected,)


@app.cell
def _(problem, theory):
    theory.gamma_thresholds(problem)
    return


@app.cell
def _(inspected, problem, theory):
    theory.png(inspected.plot(), alt=f"Eigenvalues, bias, windows and transients of {problem.name}")
    return


if __name__ == "__main__":
    app.run()
