"""A view as figures: each panel computes what it shows from the view alone and returns HTML.

All panels start learners at θ⁰ = (1, 2, …, F), a start that no symmetry of the catalogue's problems hides from. Bias
keeps head 0 there and measures from Φθ_π; Transients and Trajectories let it learn θ_μ, and measure from each head's
own limit and from v_π. What cannot be shown (no θ_π, no known behaviour, an overflow) is said in words instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from html import escape
from itertools import islice
from typing import Literal

import numpy as np

from theory.explorer import charts as draw
from theory.explorer import field_panels, noise_panel
from theory.explorer.graphs import plot_graph
from theory.explorer.phase import Lines, phase_map, reach
from theory.explorer.premises import growth, head_0_learns
from theory.explorer.texts import short, side_by_side
from theory.explorer.view import View
from theory.linear.spectra import chain_radius, chain_spectrum, smooth_eigenvalue_paths, td_spectrum
from theory.linear.target_networks import stable_windows, window_radii
from theory.linear.transients import transfer_radius, transient
from theory.model.iteration import network_rounds, richardson, td_iterates
from theory.model.linear_model import moments, value_model
from theory.model.points import START, chain_values, counting_start, fixed_point, rmse
from theory.problems import Problem
from theory.problems.graph import communicating_classes, period, transition_graph
from theory.problems.numbers import Array, FloatArray

Curves = dict[str, tuple[Array, FloatArray]]  # by learner: updates and errors

UPDATES = 1000
KINDS: tuple[Literal["td"], Literal["chain"]] = ("td", "chain")
_INDEX, _POWER = re.compile(r"(?<=[vθdG])_(\w+)"), re.compile(r"10\^(−?[\d.]+)")
_MAX_WINDOW = 1000  # up to which every window is tried
_MAX_TRANSIENT = 400  # updates: longer ones take longer than a slider should


def overview(view: View, lines: Lines | None = None) -> str:
    """Both spectra and the phase diagram, side by side."""
    return side_by_side(*_spectra(view), _phase(view, lines)[0], least="18rem")


def spectra(view: View) -> str:
    """Eigenvalues of A and of γΠP with their paths in γ."""
    return side_by_side(*_spectra(view))


def _spectra(view: View) -> list[str]:
    problem = view.problem
    td, chain = td_spectrum(problem), chain_spectrum(problem)
    td_paths, chain_paths = (smooth_eigenvalue_paths(problem, which=kind) for kind in KINDS)
    least = float(td.eigenvalues.real.min(initial=math.inf))
    about_td = (
        f"Eigenvalues of A in the complex plane and their paths as γ goes from 0 to 1; smallest real part {least:.6g}"
    )
    about_chain = f"Eigenvalues of γΠP with the unit circle and their paths in γ; largest modulus {chain.radius:.6g}"
    return [
        draw.plot_spectrum(td.eigenvalues, td_paths, circle=False, alt=about_td),
        draw.plot_spectrum(chain.eigenvalues, chain_paths, circle=True, alt=about_chain),
    ]


def bias(view: View) -> str:
    """Bias of heads 0..k of the n-step chain against the rate ρ(γⁿΠPⁿ)ᵏ."""
    problem, n, K = view.problem, view.steps, max(view.heads, 2)
    ahead = problem.in_steps_of(n)
    limit = fixed_point(value_model(ahead))
    if limit.theta is None:
        return words(f"There is no θ_π to measure a bias from: {limit.note}.")
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(chain_values(ahead, K, start(view)) - limit.values).max(axis=1)
    rho = chain_radius(ahead)
    finite = np.flatnonzero(np.isfinite(error) & (error > 0))
    anchor = int(finite[len(finite) // 2]) if len(finite) else 0
    with np.errstate(over="ignore"):
        predicted = error[anchor] * rho ** (np.arange(K + 1.0) - anchor) if rho > 0 else np.zeros(K + 1)
    name = "ρ(γΠP)ᵏ" if n == 1 else f"ρ(γⁿΠPⁿ)ᵏ, n = {n}"
    direction = "shrinks" if rho < 1 else "grows"
    note = (
        f"The bias {direction} by the factor {rho:.6g} a head in the long run; at k = {K} it is {error[-1]:.4g}. Here "
        f"every head has converged, head 0 stays at {START}, and the bias is the largest distance over states from "
        "Φθ_π, where the chain would end."
    )
    if not np.isfinite(error).all():
        note += f" From head {int(np.argmin(np.isfinite(error)))} on it is beyond double precision."
    alt = f"Bias against the number of heads. {note}"
    return side_by_side(draw.plot_bias(error, predicted, view.heads, f"rate {name}", alt), words(note))


def windows(view: View) -> str:
    """ρ(G_T) against T."""
    problem, alpha = view.problem, float(view.alpha)
    grid = np.unique(np.geomspace(1, 10 * max(1000, view.window), 120).round())
    radii = window_radii(problem, alpha, [*grid, view.window, math.inf])
    curve, here, limit = radii[:-2], float(radii[-2]), float(radii[-1])
    stable = ", ".join(f"{a} to {b}" for a, b in stable_windows(problem, alpha, _MAX_WINDOW))
    span = f"stable for T in {stable}" if stable else "at no T stable"
    note = (
        f"{short(f'At α = {view.alpha}')}: ρ = {curve[0]:.6g} for TD (T = 1), {here:.6g} for T = {view.window} and "
        f"{limit:.6g} for the chain (T = ∞); {span}, of 1 to {_MAX_WINDOW}."
    )
    shown = np.where(curve < 1e6, curve, np.nan)
    alt = f"Spectral radius against updates per target network. {note}"
    figure = draw.plot_windows(grid, shown, min(limit, 1e6), view.window, here, alt)
    return side_by_side(figure, words(note))


def transients(view: View) -> str:
    """Errors of the concurrent chain's heads over time."""
    problem, alpha = view.problem, float(view.alpha)
    found = transient(problem, alpha, min(view.heads, 32), start(view), max_steps=_MAX_TRANSIENT)
    radius, where = transfer_radius(problem, alpha, points=90)
    first_error = found.log10_error[0].max()
    updates = len(found.log10_error) - 1
    if np.isfinite(first_error):
        higher = found.log10_peak.max() - first_error
        times = f"{10**higher:.3g}" if higher < 4 else f"10^{higher:.3g}"
        peak = f"The highest peak of these {updates} updates is {times} times the first error."
    else:
        peak = f"No head has an error in these {updates} updates: each starts at its limit."
    first = f"Every head starts at {START}; head 0 learns θ_μ" if head_0_learns(view) else f"Head 0 stays at {START}"
    note = f"{growth(view, radius, where)} {peak} {first}, and an error is the distance from a head's own limit."
    figure = draw.plot_transient(found.log10_error, f"Errors of all heads over updates. {note}")
    return side_by_side(figure, words(note))


def trajectories(view: View) -> str:
    """Expected error of TD, a target network and the chain over updates."""
    curves = expected_curves(view)
    note = _ends("Expected", curves)
    more = f"All start at {START}; the error is the root mean square over states of the distance from v_π. "
    if head_0_learns(view):
        more += "Head 0 of the chain learns θ_μ meanwhile."
    else:
        more += "The chain is not drawn: its head 0 learns θ_μ, and the behaviour's own moves or rewards are not given."
    figure = draw.plot_trajectories(curves, short(f"Expected updates, α = {view.alpha}"), note)
    return side_by_side(figure, words(f"{note}. {more}"))


def sampled(curves: Curves, title: str, note: str = "") -> str:
    """Sampled error of the same learners: the median over the seeds, and in words what their mean square does."""
    said = _ends("Median sampled", curves)
    return side_by_side(
        draw.plot_trajectories(curves, "Sampled updates, median of the runs", said),
        words(f"{title[:1].upper()}{title[1:]}. {said}. {note}"),
    )


def expected_curves(view: View) -> Curves:
    """RMSE of the expected iterates, by learner."""
    problem, alpha, steps = view.problem, float(view.alpha), np.arange(UPDATES + 1)
    m, theta = moments(problem), start(view)
    curves: Curves = {"off-policy TD": (steps, _error(problem, islice(td_iterates(m, alpha, theta), UPDATES + 1)))}
    rounds = islice(network_rounds(m, alpha, min(view.window, UPDATES), theta), max(1, UPDATES // view.window))
    ends = _error(problem, (x for iterates in rounds for x in iterates[1:]))
    curves[f"target network, T = {view.window}"] = (np.arange(1, len(ends) + 1), ends)
    if head_0_learns(view):
        K, F = view.heads, problem.n_features
        heads = islice(richardson(*m.joint(K), alpha, np.tile(theta, K + 1)), 0, UPDATES + 1, 5)
        last = _error(problem, (x[K * F :] for x in heads))
        curves[f"chain, head {K}"] = (5 * np.arange(len(last)), last)
    return curves


def _error(problem: Problem, thetas: Iterable[FloatArray]) -> FloatArray:
    """RMSE of every θ; one that left the range of doubles has an infinite one, without a warning on the server."""
    with np.errstate(over="ignore", invalid="ignore"):
        error = rmse(problem, np.array(list(thetas)) @ problem.Phi.T)
    return np.where(np.isnan(error), np.inf, error)


def phase(view: View, lines: Lines | None = None) -> str:
    """The (γ, feature entry) plane with the current point."""
    figure, shares = _phase(view, lines)
    s, f = view.entry
    note = (
        "Click or drag in the plane to move the problem there; the sliders of γ and of feature "
        f"{f} of state {view.problem.state_labels[s]} do the same. Of the plane shown: {shares}. "
        "The shading is in floats, for orientation; the verdict above is certified"
        + ("." if lines is None else ", and so is either side of the lines, which are the exact boundaries.")
    )
    return side_by_side(figure, words(note))


def _phase(view: View, lines: Lines | None) -> tuple[str, str]:
    problem, (s, f) = view.problem, view.entry
    found = phase_map(problem, view.entry, reach(view.base, view.entry_value))
    name = f"feature {f} of state {problem.state_labels[s]}"
    here = (problem.gamma, float(view.entry_value))
    shares = ", ".join(
        f"{text} {100 * np.mean(found.quadrant == q):.0f} %" for q, text in enumerate(draw.QUADRANT_NAMES)
    )
    alt = f"Phase diagram over γ and {name}: {shares}. This problem is at γ = {here[0]:.6g}, {name} = {here[1]:.6g}."
    figure = draw.plot_phase(
        found.gammas, found.values, found.quadrant, here, name, alt, entry=view.entry, lines=lines or []
    )
    return figure, shares


def noise(view: View) -> str:
    """Exact errors over step sizes and heads."""
    with np.errstate(all="ignore"):  # what leaves the range of doubles is said in words
        figures, note = noise_panel.noise(view)
    return side_by_side(*figures, words(note))


def graphs(view: View) -> str:
    """The moves of π and of μ."""
    problem = view.problem
    graph = transition_graph(problem)
    html = []
    for policy, P in (("pi", problem.given.P_pi), ("mu", problem.given.P_mu)):
        if P is None:
            html.append(words("The behaviour's own moves are not given, only how often it visits each state."))
            continue
        classes = len(communicating_classes(P))
        text = f"{classes} communicating class{'es' if classes > 1 else ''}, period {period(P)}"
        title = "target π" if policy == "pi" else "behaviour μ"
        svg = plot_graph(graph, policy, f"Transition graph of the {title}: {text}")
        html.append(f"<div>{svg}{words(f'{title}: {text}')}</div>")
    return side_by_side(*html)


WITH_PLANE = ("Overview", "Phase")
SLOW = ("Methods", "Noise")  # asked of another process for problems of every size
PANELS: dict[str, Callable[..., str]] = {
    "Overview": overview,
    "Spectra": spectra,
    "Phase": phase,
    "Bias": bias,
    "Methods": field_panels.methods,
    "Why": field_panels.why,
    "Target network": windows,
    "Transients": transients,
    "Trajectories": trajectories,
    "Noise": noise,
    "Graphs": graphs,
}


def panel(view: View, name: str, lines: Lines | None = None) -> str:
    """The HTML of a panel, or in words why there is none; `lines` are the phase diagram's, where they are known."""
    try:
        html = PANELS[name](view, lines) if name in WITH_PLANE else PANELS[name](view)
    except (ValueError, ArithmeticError) as error:
        return words(f"{name} cannot be shown: {error}")
    if view.steps != 1 and name not in ("Bias", "Graphs", "Methods"):
        html += words(
            f"Steps n = {view.steps} changes Bias and ρ(γⁿΠPⁿ) in the line above; what is shown here has n = 1."
        )
    return html


def start(view: View) -> FloatArray:
    """Where every panel starts."""
    return counting_start(view.base)


def words(text: str) -> str:
    """A paragraph beside a figure."""
    html = _POWER.sub(r"10<sup>\1</sup>", _INDEX.sub(r"<sub>\1</sub>", escape(text)))
    return f'<p style="max-width:34rem">{html}</p>'


def _ends(kind: str, curves: Curves) -> str:
    ends = "; ".join(
        f"{name} " + (f"ends at {error[-1]:.4g}" if np.isfinite(error[-1]) else "has overflowed double precision")
        for name, (_, error) in curves.items()
    )
    return f"{kind} error over updates: {ends}"
