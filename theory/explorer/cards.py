"""A view as words: the verdicts with their reasons, the ruler of γ, and the exact numbers.

Names and reasons may contain what a file's author wrote, so every text is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np

from theory.exact.thresholds import StableIntervals, Threshold, chain_threshold, td_stable_intervals
from theory.exact.verdicts import Verdict, chain_unbiased, td_stable, uniformly_safe, window_stable
from theory.experiments.inspection import inspect_problem
from theory.explorer.links import to_query
from theory.explorer.view import View
from theory.figures.explorer import plot_ruler
from theory.linear.n_step import n_step_radius
from theory.linear.spectra import chain_radius
from theory.linear.step_sizes import td_step_sizes
from theory.problems import Problem

# The exact crossings are sought only where that is a matter of milliseconds; else they are bracketed.
_WORK = 1_000_000
QUICK_STATES = 12


def verdicts(view: View) -> dict[str, tuple[Verdict, str]]:
    """Each question with its verdict and the word for it."""
    problem, g = view.problem, view.problem.given
    asked = {
        "Off-policy TD": (td_stable(problem), "stable", "unstable"),
        "Chained TD, k → ∞": (chain_unbiased(problem), "unbiased", "biased"),
        f"Target network, T = {view.window}": (window_stable(problem, view.window, view.alpha), "stable", "unstable"),
        "Every choice of features": (uniformly_safe(g.d_mu, g.P_pi, g.gamma), "safe", "not safe"),
    }
    return {name: (v, {True: yes, False: no, None: "undecided"}[v.holds]) for name, (v, yes, no) in asked.items()}


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
    rows = "".join(_row(name, verdict, word) for name, (verdict, word) in found.items())
    limit = td_step_sizes(problem).limit if td.holds else 0.0
    steps = f"TD converges for 0 < α < {limit:.6g}" if limit else "no step size makes TD converge"
    n_step = "" if view.steps == 1 else f"; ρ(γⁿΠPⁿ) = {n_step_radius(problem, view.steps):.6g} at n = {view.steps}"
    kind = "exact" if problem.is_exact else "floats as given"
    about = (
        f"{problem.name}: {_count(problem.n_states, 'state')}, {_count(problem.n_features, 'feature')}, {kind}. "
        f"ρ(γΠP) = {chain_radius(problem):.6g}{n_step}; {steps}."
    )
    # Not <h2>, which marimo would list in the page's table of contents.
    return (
        '<section aria-live="polite" aria-label="Verdicts"><div role="heading" aria-level="2" '
        f'style="margin:.2rem 0;font-size:1.5rem;font-weight:700">TD {escape(td_word)}, chain {escape(chain_word)} '
        f'<span style="font-weight:400;opacity:.8">at γ = {escape(_gamma(problem))}</span></div>'
        f'<p style="margin:.2rem 0;opacity:.85">{escape(about)}</p><div style="overflow-x:auto">'
        f'<table style="border-collapse:collapse;font-size:.92em">{rows}</table></div>'
        f'<p style="margin:.2rem 0"><a style="text-decoration:underline" href="?{escape(to_query(view))}">'
        "Link to this view</a></p></section>"
    )


def thresholds(view: View) -> tuple[StableIntervals, Threshold]:
    """Where TD is stable and up to where the chain is unbiased; neither depends on γ."""
    g = view.problem.given
    return _thresholds(Problem.from_matrices(0, Phi=g.Phi, P_pi=g.P_pi, d_mu=g.d_mu))


def ruler(view: View) -> str:
    """γ from 0 to 1 with the exact ends, drawn and in words."""
    intervals, chain = thresholds(view)
    stable = [(low.value or 0.0, high.value if high.value is not None else 1.0) for low, high in intervals.intervals]
    unbiased = 1.0 if chain.value is None else min(1.0, chain.value)
    ends = {_short(end): end.value for pair in intervals.intervals for end in pair if end.value and 0 < end.value < 1}
    if unbiased < 1:
        ends[_short(chain)] = unbiased
    said = " and ".join(f"[{_end(a)}, {_end(b)})" for a, b in intervals.intervals)
    how = "" if intervals.complete else ", found by bracketing"
    always = chain.value is None or chain.value >= 1
    text = (
        f"TD is stable for γ in {said}{how}. "
        f"The chain is unbiased for {'every γ in [0, 1)' if always else f'γ < {_end(chain)}'}."
    )
    marks = {name: value for name, value in ends.items() if value is not None}
    return f"{plot_ruler(stable, unbiased, view.problem.gamma, marks, text)}<p>{escape(text)}</p>"


def quick_ruler(view: View) -> str:
    """The ruler where it takes milliseconds; a larger problem's is in the panel of exact numbers."""
    return ruler(view) if view.problem.n_states <= QUICK_STATES else ""


def exact_card(view: View) -> str:
    """Values and fixed points as exact as the problem is, and both certificates as JSON."""
    found = inspect_problem(view.problem, view.alpha, view.window)
    columns = {"d_μ": view.problem.given.d_mu, "v_π": found.v_pi, "Φθ_π": found.target.values, "v_μ": found.v_mu}
    columns["Φθ_μ"] = found.behaviour.values
    head = "".join(f'<th scope="col" style="padding:0 .8rem;text-align:right">{escape(name)}</th>' for name in columns)
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(label)}</th>'
        + "".join(f'<td style="padding:0 .8rem;text-align:right">{_cell(c, s)}</td>' for c in columns.values())
        + "</tr>"
        for s, label in enumerate(view.problem.state_labels)
    )
    notes = dict.fromkeys(note for note in (found.target.note, found.behaviour.note, *found.notes) if note)
    parts = [] if view.problem.n_states <= QUICK_STATES else [ruler(view)]
    parts += [f'<div style="overflow-x:auto"><table><tr><th scope="col">state</th>{head}</tr>{rows}</table></div>']
    parts += [f"<p>{escape(note)}</p>" for note in notes]
    for name, verdict in (("TD", found.td), ("chain", found.chain)):
        if verdict.certificate is not None:
            text = escape(json.dumps(verdict.certificate.to_dict(), ensure_ascii=False)[:6000])
            parts.append(
                f"<details><summary>Certificate of the verdict on {name}: {escape(verdict.reason)}</summary>"
                f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{text}</pre></details>'
            )
    return "".join(parts)


def _row(name: str, verdict: Verdict, word: str) -> str:
    mark, colour = {True: ("●", "#2f8fd0"), False: ("■", "#D55E00"), None: ("?", "#777777")}[verdict.holds]
    proof = "certified" if verdict.certificate is not None else "in floats"
    return (
        f'<tr><th scope="row" style="text-align:left;padding:.15rem .8rem .15rem 0;font-weight:500">{escape(name)}'
        '</th><td style="white-space:nowrap;padding-right:.8rem">'
        f'<span aria-hidden="true" style="color:{colour}">{mark}</span> <strong>{escape(word)}</strong></td>'
        f'<td style="opacity:.85">{escape(verdict.reason)} '
        f'<span style="opacity:.8">({proof}, {escape(verdict.method)})</span></td></tr>'
    )


@lru_cache(maxsize=64)
def _thresholds(problem: Problem) -> tuple[StableIntervals, Threshold]:
    return td_stable_intervals(problem, max_work=_WORK), chain_threshold(problem)


def _gamma(problem: Problem) -> str:
    text = str(problem.given.gamma)
    return text if len(text) <= 12 else f"{problem.gamma:.6g}"


def _short(end: Threshold) -> str:
    text = "" if end.exact is None or end.exact.degree > 1 else str(end.exact)
    return text if 0 < len(text) <= 12 else f"{end.value:.5g}"


def _end(end: Threshold) -> str:
    if end.exact is None:
        return f"{end.value:.12g}"
    text = str(end.exact)
    if end.exact.degree == 1 and end.exact in (0, 1):
        return text
    return f"{text} ≈ {end.value:.6g}" if len(text) <= 40 else f"{end.value:.12g}"


def _cell(column: Any, s: int) -> str:
    if column is None:
        return "–"
    value = np.asarray(column, dtype=object)[s]
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return escape(text if len(text) <= 24 else f"{float(value):.8g}")


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")
