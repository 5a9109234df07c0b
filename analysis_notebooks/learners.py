# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""Learners against their expected paths, target networks, and the paper's Table 1."""

import marimo

app = marimo.App(width="medium", app_title="Learners")


@app.cell(hide_code=True)
def _():
    from fractions import Fraction
    from pathlib import Path

    import marimo as mo

    import theory

    def picture(figure, alt):
        return theory.png(figure, alt=alt)

    return Fraction, Path, mo, picture, theory


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # Learners and what they do on average

    A learner's sampled update has a mean, $\theta \leftarrow \theta + \alpha(b - M\theta)$ with its own $M$ and $b$;
    what it does in the long run is written in the spectrum of $M$. First the means, then samples, then the paper's
    table.

    ## Expected updates: the paper's figure 2

    Sequential chaining climbs from head to head; training all heads at once passes through a transient that grows with
    the number of heads.
    """)
    return


@app.cell
def _(picture, theory):
    picture(
        theory.figure("expected-updates"),
        "Three panels: the value of state 7 of Baird's MDP over expected updates, for the sequential chain, for all "
        "heads at once, and for all heads at once with normalised updates.",
    )
    return


@app.cell(hide_code=True)
def _(mo):
    problem_name = mo.ui.dropdown(
        ["threestate", "baird-reward", "twostate-reward"], value="threestate", label="Problem"
    )
    learners = mo.ui.multiselect(
        ["off-policy-td", "etd", "gtd2", "tdc", "tdrc", "chained-sequential", "chained-concurrent", "target-network"],
        value=["off-policy-td", "tdc", "chained-sequential", "target-network"],
        label="Learners",
    )
    alpha = mo.ui.slider(steps=[0.001, 0.003, 0.01, 0.03, 0.1], value=0.03, show_value=True, label="α", debounce=True)
    heads = mo.ui.slider(steps=[4, 8, 16, 32, 64], value=32, show_value=True, label="Heads", debounce=True)
    window = mo.ui.slider(steps=[10, 30, 100, 300, 1000], value=100, show_value=True, label="T", debounce=True)
    steps = mo.ui.slider(steps=[1000, 5000, 20000], value=5000, show_value=True, label="Moves", debounce=True)
    mo.vstack(
        [
            mo.md("## Sampled: the same moves for every learner"),
            mo.hstack([problem_name, learners], justify="start", wrap=True),
            mo.hstack([alpha, heads, window, steps], justify="start", wrap=True, gap=1.5),
        ]
    )
    return alpha, heads, learners, problem_name, steps, window


@app.cell
def _(alpha, heads, learners, problem_name, steps, theory, window):
    learned = [
        theory.learn(
            problem_name.value,
            name,
            alpha.value,
            window=int(window.value) if name in ("chained-sequential", "target-network") else None,
            heads=int(heads.value),
            steps=int(steps.value),
        )
        for name in learners.value
    ]
    return (learned,)


@app.cell(hide_code=True)
def _(learned, mo, picture):
    if learned:
        shown = picture(
            learned[0].plot(*learned[1:]),
            "Error against the true values over moves: "
            + "; ".join(f"{r.run.learner} ends at {r.final:.3g}" for r in learned),
        )
    else:
        shown = mo.md("Choose a learner.")
    shown
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## Target networks: one family from TD to the chain

    $T$ updates per target network multiply the error by $G_T$, with $G_1 = I - \alpha A$ (TD) and $G_\infty = B$ (the
    chain). There are problems on which both ends fail and a middle works: here from $T = 8$ to $127$.
    """)
    return


@app.cell
def _(Fraction, theory):
    middle = theory.inspect("finite-window", step_size=Fraction(1, 16), window=32)
    middle
    return (middle,)


@app.cell
def _(middle, picture):
    picture(middle.plot(), "Stable windows of the target network, between TD and the chain")
    return


@app.cell(hide_code=True)
def _(Path, mo):
    table = (mo.notebook_dir() or Path()).parent / "reports" / "table1.md"
    if table.is_file():
        shown_table = mo.md(
            table.read_text(encoding="utf-8").replace("\n## ", "\n### ").replace("# Table 1", "## Table 1", 1)
        )
    else:
        shown_table = mo.md(
            "## Table 1\n\nNot computed here yet: `theory table1 --profile quick --into reports` writes it, beside the "
            "paper's numbers, in a few minutes."
        )
    shown_table
    return


if __name__ == "__main__":
    app.run()
