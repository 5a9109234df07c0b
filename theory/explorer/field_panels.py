"""Two panels about the field: every method on the problem, and why TD or the chain fails, state by state."""

from __future__ import annotations

from html import escape

import numpy as np

from theory.certified.verdicts import uniformly_safe
from theory.experiments.comparison import Row, compare
from theory.experiments.why import Direction, direction, unsafe_feature
from theory.explorer.charts import BAD, GOOD
from theory.explorer.graphs import plot_shares
from theory.explorer.texts import side_by_side
from theory.explorer.view import View
from theory.problems import Problem
from theory.problems.graph import transition_graph
from theory.thresholds.results import WholeSet

MANY = 24  # states listed
FEW = 8  # features up to which all values of a parameter are found within a second or two
HEAD = ("method", "converges", "for", "for γ in", "error d_μ", "rate", "cost")
_SIDES = (
    "adds nothing",
    f'<span style="color:{BAD}">■</span> feeds the growth',
    f'<span style="color:{GOOD}">●</span> damps the growth',
)
_LETTERS = {
    **{"lambda": "λ", "eta": "η", "tau": "τ", "ratio": "β/α", "window": "T"},
    **{"alpha": "α", "kappa": "κ", "horizon": "H"},
}
_TABLE = "font-size:.9em;border-collapse:separate;border-spacing:.9em .1em"  # the page's own style has no room


def methods(view: View) -> str:
    """A line a method: converges (certified), for which of its parameter and of γ, error, rate, cost."""
    problem = view.problem
    given = {"alpha": view.alpha, "window": view.window, "tau": view.tau}
    found = compare(problem, None, given, sets=problem.n_features <= FEW)
    head = "".join(f'<th scope="col">{x}</th>' for x in HEAD)
    rows = "".join(_line(row) for row in found.rows)
    least = f"{found.best_error.d_mu:.4g}"
    note = (
        f"All verdicts are certified, and so are the sets: all values at which a method converges. α = {view.alpha}, "
        f"T = {view.window} and τ = {view.tau} are those of the sliders. The error is to v_π, weighted by d_μ; the "
        f"least that the features allow is {least}. The rate is a float, at the best step size. The cost is in "
        "multiply-adds per transition."
    )
    table = f'<table class="methods" style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    return f'<div style="overflow-x:auto" tabindex="0">{table}</div><p style="max-width:60rem">{escape(note)}</p>'


def _line(row: Row) -> str:
    said, colour, mark = row.outcome.holds.pick(("yes", GOOD, "●"), ("no", BAD, "■"), ("undecided", "inherit", "○"))
    own = "–"
    if row.method.own is not None:
        letter, values = _LETTERS.get(row.method.own, row.method.own), row.threshold.values
        link = ":" if isinstance(values, WholeSet) else " in"
        own = f"no {letter}" if str(values) == "none" else f"{letter}{link} {'?' if values is None else values}"
    settings = ", ".join(f"{_LETTERS.get(k, k)} = {v}" for k, v in row.method.settings.items())
    error = "–" if row.rest.error is None else f"{row.rest.error.d_mu:.4g}"
    rate = "–" if row.rate is None else f"{row.rate:.4g}"
    gammas = "?" if row.discounts.values is None else str(row.discounts.values)
    cells = (own, gammas, error, rate, row.method.cost)
    return (
        f'<tr><th scope="row">{escape(row.method.name)} <small>{escape(settings)}</small></th>'
        f'<td title="{escape(row.outcome.reason)}"><span style="color:{colour}" aria-hidden="true">{mark}</span>'
        f" {said}</td>" + "".join(f"<td>{escape(x)}</td>" for x in cells) + "</tr>"
    )


def why(view: View) -> str:
    """The direction that decides, its value at each state, and what each state adds."""
    problem, parts = view.problem, []
    for kind, name in (("td", "Off-policy TD"), ("chain", "The chain")):
        found = direction(problem, kind)
        if found is None:
            parts.append(f"<h3>{name}</h3><p>No direction: all features are zero, or floats cannot tell it.</p>")
            continue
        parts.append(f"<h3>{name}</h3><p style='max-width:60rem'>{escape(found.sentence)}</p>{_states(problem, found)}")
    g = problem.given
    x = unsafe_feature(uniformly_safe(g.d_mu, g.P_pi, g.gamma))
    if x is not None:
        listed = ", ".join(f"{float(v):.4g}" for v in x[:MANY]) + (", …" if len(x) > MANY else "")
        parts.append(
            "<h3>Every choice of features</h3>"
            f"<p>Not all are safe: the one feature ({escape(listed)}) makes TD unstable and the chain biased.</p>"
        )
    parts.append("<p><small>Directions and shares are floats; the verdicts above are certified.</small></p>")
    return "".join(parts)


def _states(problem: Problem, found: Direction) -> str:
    """On the graph of the target's moves, and in numbers: vermilion squares feed the growth, blue discs damp it."""
    labels = list(problem.state_labels)
    shares = np.where(
        np.abs(found.shares) > 1e-12 * np.abs(found.shares).max(), found.shares, 0.0
    )  # rounding is nothing
    feeds = (shares if found.kind == "chain" else -shares).tolist()
    values = [f"{z.real:.3g}" + (f" {z.imag:+.3g}i" if abs(z.imag) > 1e-9 else "") for z in found.values.tolist()]
    what = "adds to |β|" if found.kind == "chain" else "adds to Re λ"
    rows = []
    for s, label in enumerate(labels[:MANY]):
        side = _SIDES[(feeds[s] > 0) - (feeds[s] < 0)]
        share = f"{shares[s]:+.3g}" if shares[s] else "0"
        rows.append(
            f'<tr><th scope="row">{escape(str(label))}</th><td>{values[s]}</td><td>{share}</td><td>{side}</td></tr>'
        )
    head = "".join(f'<th scope="col">{x}</th>' for x in ("state", "value", what, ""))
    table = f'<table style="{_TABLE}"><tr>{head}</tr>{"".join(rows)}</table>'
    table = f'<div style="overflow-x:auto" tabindex="0">{table}</div>'
    if len(labels) > MANY:
        return table + f"<p><small>The first {MANY} of {len(labels)} states.</small></p>"
    most = sorted(range(len(labels)), key=lambda s: -feeds[s])[:3]
    named = ", ".join(str(labels[s]) for s in most if feeds[s] > 0) or "none"
    alt = f"States on the target's moves; what feeds the growth most: {named}."
    svg = plot_shares(transition_graph(problem), feeds, values, f"What each state {what}", alt)
    return side_by_side(svg, table)
