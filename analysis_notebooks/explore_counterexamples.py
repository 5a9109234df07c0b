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

    from theory.exhibits.live.inspection import plot_inspection
    from theory.experiments.inspection_plot import plot_data
    from theory.explorer.pictures import picture
    from theory.problems import open_problem
    from theory.problems.catalogue import catalogue

    return catalogue, mo, open_problem, picture, plot_data, plot_inspection


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
def _(catalogue, mo):
    names = [name for name in catalogue() if name.startswith(("quadrant-", "baird", "twostate", "kolter"))]
    choice = mo.ui.dropdown(names, value="quadrant-unstable-unbiased", label="Problem")
    mo.vstack([choice])
    return (choice,)


@app.cell
def _(catalogue, choice, mo, open_problem):
    problem = open_problem(choice.value)
    mo.vstack([problem, mo.md(catalogue()[choice.value].famous_for)])
    return (problem,)


@app.cell
def _(picture, plot_data, plot_inspection, problem):
    picture(
        plot_inspection(plot_data(problem)),
        f"Eigenvalues, bias, windows and transients of {problem.name}",
    )
    return


if __name__ == "__main__":
    app.run()
