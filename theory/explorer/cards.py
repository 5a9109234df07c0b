"""A view as words: the verdicts with their reasons, and the exact numbers.

Names and reasons may contain what a file's author wrote, so every text is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from theory.certified.verdicts import Verdict, uniformly_safe
from theory.experiments.inspection import inspect_problem
from theory.explorer.links import to_query
from theory.explorer.texts import short
from theory.explorer.view import View
from theory.linear.spectra import chain_radius, td_step_sizes
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.methods.targets import TargetNetwork
from theory.problems import Problem
from theory.text.numbers import value_text
from theory.text.words import count, subject, word
from theory.views.html import rows_html, table_html
from theory.views.page import answered, table


def verdicts(view: View) -> dict[str, tuple[Verdict, str]]:
    """Each question with its verdict and the word for it."""
    problem, g = view.problem, view.problem.given
    asked = {
        "td": TD.verdict(problem, confirm=True),
        "chain": CHAIN.verdict(problem, confirm=True),
        "window": TargetNetwork.at(view.alpha, view.window).verdict(problem, confirm=True),
        "uniform": uniformly_safe(g.d_mu, g.P_pi, g.gamma, confirm=True),
    }
    names = {kind: subject(kind, view.window) for kind in asked}
    return {names[k][0].upper() + names[k][1:]: (v, word(k, v.holds.json)) for k, v in asked.items()}


def card(render: Callable[[View], str], view: View) -> str:
    """What a card renders, or in words why it cannot: numbers may leave the range of doubles."""
    try:
        return render(view)
    except (ValueError, ArithmeticError) as error:
        return f"<p>This cannot be shown: {escape(' '.join(str(error).split()))}</p>"


def verdict_card(view: View) -> str:
    """The quadrant in a headline, and one row for every question."""
    problem, found = view.problem, verdicts(view)
    (td, td_word), (_, chain_word) = list(found.values())[:2]
    rows = [(name, _said(verdict, word), _reason(verdict)) for name, (verdict, word) in found.items()]
    limit = td_step_sizes(problem).limit if td.proved else 0.0
    steps = f"TD converges for 0 < α < {limit:.6g}" if limit else "no step size makes TD converge"
    ahead = chain_radius(problem.in_steps_of(view.steps))
    n_step = "" if view.steps == 1 else f"; ρ(γⁿΠPⁿ) = {ahead:.6g} at n = {view.steps}"
    kind = "exact" if problem.is_exact else "floats as given"
    about = (
        f"{short(problem.name)}: {count(problem.n_states, 'state')}, {count(problem.n_features, 'feature')}, {kind}. "
        f"ρ(γΠP) = {chain_radius(problem):.6g}{n_step}; {steps}."
    )
    query = escape(to_query(view))
    # Not <h2>, which marimo would list in the page's table of contents. The page's script copies data-view into the
    # address.
    return (
        f'<section aria-live="polite" aria-label="Verdicts" data-view="{query}"><div role="heading" aria-level="2" '
        f'style="margin:.2rem 0;font-size:1.5rem;font-weight:700">TD {escape(td_word)}, chain {escape(chain_word)} '
        f'<span style="font-weight:400;opacity:.8">at {_gamma(problem)}</span></div>'
        f'<p style="margin:.2rem 0;opacity:.85">{escape(about)}</p>'
        f'<div class="verdicts">{rows_html(("question", "answer", "reason"), rows)}</div>'
        f'<p style="margin:.2rem 0"><a style="text-decoration:underline" href="?{query}">'
        "Link to this view</a></p></section>"
    )


def exact_card(view: View) -> str:
    """Values and fixed points as exact as the problem is, and both certificates as JSON."""
    found = inspect_problem(view.problem, view.alpha, view.window)
    columns = {"d_μ": view.problem.given.d_mu, "v_π": found.v_pi, "Φθ_π": found.target.values, "v_μ": found.v_mu}
    columns["Φθ_μ"] = found.behaviour.values
    labels = enumerate(view.problem.state_labels)
    rows = ((label, *(_cell(column, s) for column in columns.values())) for s, label in labels)
    notes = dict.fromkeys(note for note in (found.target.note, found.behaviour.note, *found.notes) if note)
    parts = [table_html(table(("state<", *columns), rows))]
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    for name, verdict in (("TD", found.td), ("chain", found.chain)):
        if verdict.certificate is not None:
            text = escape(json.dumps(verdict.certificate.to_dict(), ensure_ascii=False)[:6000])
            parts.append(
                f"<details><summary>Certificate of the verdict on {name}: {escape(verdict.reason)}</summary>"
                f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{text}</pre></details>'
            )
    return "".join(parts)


def _said(verdict: Verdict, word: str) -> str:
    return answered(f"{verdict.holds.pick('●', '■', '?')} {word}", verdict.holds.json)


def _reason(verdict: Verdict) -> str:
    return f"{verdict.reason} ({f'certified, {verdict.how}' if verdict.decided else verdict.how})"


def _gamma(problem: Problem) -> str:
    """γ as a fraction, and as a decimal for as long as the page says that it is moving."""
    text = str(problem.given.gamma)
    if len(text) > 12:
        return escape(f"γ ≈ {problem.gamma:.6g}" if problem.gamma else short(f"γ = {text}"))  # doubles end at 1e-324
    decimal = f"{problem.gamma:.3f}"
    return f'γ = <span class="at-rest">{text}</span><span class="moving" aria-hidden="true">{decimal}</span>'


def _cell(column: Any, s: int) -> str:
    if column is None:
        return "–"
    return value_text(np.asarray(column, dtype=object)[s], longest=24)
