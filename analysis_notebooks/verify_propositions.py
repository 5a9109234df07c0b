# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The paper's argument with live proofs: from Richardson iteration to propositions 1 to 9, and your own identity."""

import marimo

app = marimo.App(width="medium", app_title="The propositions, proved")


@app.cell(hide_code=True)
def _():
    import marimo as mo

    import theory

    return mo, theory


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    # The propositions, proved

    *Chaining Value Functions for Off-Policy Learning* (Schmitt, Shawe-Taylor, van Hasselt, AAAI 2022) replaces one
    iteration that may diverge by a chain of iterations that cannot. This notebook follows the argument and runs
    every proof as it goes: a proof is a certificate, a sum $\sum_i c_i\, a_i h_i b_i$ over the assumptions $h_i$
    that a small kernel expands, valid for all dimensions and all $k$. Where the paper's proof needed repair, the card
    says what and why.

    With features $\Phi$, behaviour $D = \operatorname{diag}(d_\mu)$ and target $P_\pi, r_\pi$ write

    $$X = \Phi^\top D \Phi, \quad Y = \Phi^\top D P_\pi \Phi, \quad A = X - \gamma Y, \quad b = \Phi^\top D r_\pi,
    \quad B = \gamma X^{-1} Y, \quad \Pi = \Phi X^{-1} \Phi^\top D .$$
    """)
    return


@app.cell
def _(theory):
    findings = theory.verify()
    return (findings,)


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## 1. Learning on average is Richardson iteration

    Each of the algorithms moves its parameters, on average, by $\alpha(b - M\theta)$. The error is therefore multiplied
    by $I - \alpha M$ at every step, and everything hangs on the eigenvalues of $M$.
    """)
    return


@app.cell
def _(findings):
    findings.cards("eq-td", "def-richardson", "prop-1")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## 2. The chain: each head predicts from the one before

    Freeze the bootstrap target and the matrix to invert is $X$, which is positive definite. Each head
    $\theta^k_* = X^{-1}(b + \gamma Y \theta^{k-1}_*)$ is found safely; the question moves to the limit $k \to \infty$.
    """)
    return


@app.cell
def _(findings):
    findings.cards("eq-chain", "eq-recursion", "eq-closed-form", "eq-geometric", "prop-2")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md(r"""
    ## 3. When does the bias vanish?

    The bias after $k$ heads is $B^k$ times the first one, and $B$ has the spectrum of $\gamma \Pi P_\pi$ on the
    features' span. So the chain is unbiased in the limit exactly when $\rho(\gamma \Pi P_\pi) < 1$.
    """)
    return


@app.cell
def _(findings):
    findings.cards("eq-zp", "prop-3", "claim-exponential", "neumann")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""## 4. Does estimating the heads converge? One after the other, and all at once""")
    return


@app.cell
def _(findings):
    findings.cards("prop-4", "eq-M", "prop-5", "prop-6", "prop-7")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""## 5. The appendix: similarity, the projection, the spectral radius""")
    return


@app.cell
def _(findings):
    findings.cards("lemma-1", "prop-8", "prop-9")
    return


@app.cell(hide_code=True)
def _(mo):
    mo.md("""## All statements\n\nWhat the paper says, and what came of it just now.""")
    return


@app.cell
def _(findings):
    findings
    return


@app.cell(hide_code=True)
def _(findings, mo):
    choice = mo.ui.dropdown(
        [f.statement.id for f in findings], value="extra-target-network", label="Show the card of", searchable=True
    )
    choice
    return (choice,)


@app.cell(hide_code=True)
def _(choice, findings):
    findings.cards(choice.value)
    return


@app.cell(hide_code=True)
def _(mo, theory):
    identity = mo.ui.text("Pi P = P Pi", label="Your identity", full_width=True)
    _letters = "; ".join(f"`{name}` {meaning}" for name, meaning in theory.letters().items())
    _examples = ("Pi Pi = Pi", "X (1 - B) = A", "theta_k - theta_pi = B^k (theta0 - theta_pi)", "W_k (1 - B) = 1 - B^k")
    mo.vstack(
        [
            mo.md(
                "## State an identity of your own\n\nIt is proved for all dimensions (and all k), or refuted by "
                f"exact matrices. Letters: {_letters}. Write `^T` for a transpose. Try, for example: "
                + ", ".join(f"`{e}`" for e in _examples)
                + "."
            ),
            identity,
        ]
    )
    return (identity,)


@app.cell(hide_code=True)
def _(identity, mo, theory):
    try:
        answered = theory.prove(identity.value)
    except ValueError as _error:
        answered = mo.callout(str(_error), kind="warn")
    answered
    return


if __name__ == "__main__":
    app.run()
