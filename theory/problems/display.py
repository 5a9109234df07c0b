"""How a problem shows itself in a notebook: matrices as LaTeX, and one small HTML card."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import Any

from theory.problems.numbers import Array, is_short, show_number
from theory.problems.problem import Problem

# Past this many states a matrix says less than its shape.
_SHOWN = 12


def latex_number(value: Any) -> str:
    r"""``\tfrac{9}{10}`` for a short fraction, six digits for anything else."""
    if isinstance(value, Fraction) and is_short(value):
        if value.denominator == 1:
            return str(value.numerator)
        sign = "-" if value < 0 else ""
        return rf"{sign}\tfrac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    mantissa, _, exponent = show_number(value).partition("e")
    return mantissa + (rf"\cdot 10^{{{int(exponent)}}}" if exponent else "")


def latex_array(array: Array) -> str:
    """A matrix, or a vector as a column."""
    rows = array.tolist()
    if array.ndim == 1:
        rows = [[x] for x in rows]
    body = r" \\ ".join(" & ".join(latex_number(x) for x in row) for row in rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


def problem_latex(problem: Problem) -> str:
    """The problem's letters as one displayed formula."""
    return rf"$\displaystyle {_formula(problem)}$"


def problem_html(problem: Problem) -> str:
    """A card: name and size, then the matrices where they are small enough to read."""
    head = f"<strong>{escape(problem.name)}</strong> — {escape(problem.summary)}"
    labels = "" if problem.states is None else f"<div>states: {escape(', '.join(problem.states))}</div>"
    return f'<div class="theory-problem">{head}{labels}<div>\\[{escape(_formula(problem))}\\]</div></div>'


def _formula(problem: Problem) -> str:
    g = problem.given
    letters = [(r"\Phi", g.Phi), (r"P_\pi", problem.successors), (r"r_\pi", g.r_pi), (r"d_\mu", g.d_mu)]
    if problem.behaviour_successors is not None:
        letters.append((r"P_\mu", problem.behaviour_successors))
    if g.r_mu is not None:
        letters.append((r"r_\mu", g.r_mu))
    parts = [rf"\gamma = {latex_number(g.gamma)}"]
    for letter, array in letters:
        if max(array.shape) <= _SHOWN:
            parts.append(f"{letter} = {latex_array(array)}")
        else:
            shape = r" \times ".join(map(str, array.shape))
            parts.append(rf"{letter} \in \mathbb{{R}}^{{{shape}}}")
    return r",\quad ".join(parts)
