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
    mo.vstack([choice])
    return (choice,)


@app.cell
def _(choice, mo, theory):
    problem = theory.open_problem(choice.value)
    mo.vstack([problem, mo.md(theory.catalogue()[choice.value].famous_for)])
    return (problem,)


@app.cell
def _(mo, problem, theory):
    inspected = theory.inspect(problem)
    mo.vstack([inspected, mo.plain_text(str(theory.gamma_thresholds(problem)))])
    return (inspected,)


@app.cell
def _(inspected, mo, problem, theory):
    mo.image(
        theory.png(inspected.plot()),
        alt=f"Eigenvalues, bias, windows and transients of {problem.name}",
        width="100%",
    )
    return


if __name__ == "__main__":
    app.run()
