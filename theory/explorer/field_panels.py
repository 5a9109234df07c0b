"""Two panels about the field: every method on the problem, and why TD or the chain fails, state by state."""

from __future__ import annotations

from html import escape

from theory.certified.verdicts import uniformly_safe
from theory.experiments.comparison import Row, compare
from theory.experiments.why import Direction, direction, unsafe_feature
from theory.explorer.charts import BAD, GOOD
from theory.explorer.view import View
from theory.thresholds.spans import WholeSet

MANY = 24  # states listed
FEW = 8  # features up to which all values of a parameter are found within a second or two
HEAD = ("method", "converges", "for", "for γ in", "error d_μ", "rate", "cost")
_LETTERS = {"lambda": "λ", "eta": "η", "tau": "τ", "ratio": "β/α", "window": "T"}


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
    table = f'<table class="methods" style="font-size:.9em"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
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


def _states(problem: object, found: Direction) -> str:
    """A bar a state: orange feeds the growth, blue damps it."""
    labels = list(getattr(problem, "state_labels", ()))[:MANY]
    shares = found.shares if found.kind == "chain" else -found.shares
    top = float(abs(shares).max()) or 1.0
    what = "adds to |β|" if found.kind == "chain" else "adds to Re λ"
    rows = []
    for s, label in enumerate(labels):
        feeds, width = shares[s] > 0, 100 * abs(float(shares[s])) / top
        bar = f"width:{width:.1f}%;background:{BAD if feeds else GOOD};height:.8em;min-width:1px"
        z = found.values[s]
        told = escape(f"state {label} {'feeds' if feeds else 'damps'} the growth, {abs(shares[s]):.3g}")
        value = f"{z.real:.3g}" + (f" {z.imag:+.3g}i" if abs(z.imag) > 1e-9 else "")
        rows.append(
            f'<tr><th scope="row">{escape(str(label))}</th><td>{value}</td><td>{found.shares[s]:+.3g}</td>'
            f'<td style="width:14rem"><div style="{bar}" role="img" aria-label="{told}"></div></td></tr>'
        )
    head = "".join(f'<th scope="col">{x}</th>' for x in ("state", "value", what, ""))
    table = f'<table style="font-size:.9em"><tr>{head}</tr>{"".join(rows)}</table>'
    return f'<div style="overflow-x:auto" tabindex="0">{table}</div>'
