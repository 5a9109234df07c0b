"""A view as figures: each panel computes what it shows from the view alone and returns HTML.

All panels start learners at θ⁰ = (1, 2, …, F), a start that no symmetry of the catalogue's problems hides from. Bias
keeps head 0 there and measures from Φθ_π; Transients and Trajectories let it learn θ_μ, and measure from each head's
own limit and from v_π. What cannot be shown (no θ_π, no known behaviour, an overflow) is said in words instead.

Two panels about the field: every method on the problem, and why TD or the chain fails, state by state.

What R, the largest ρ(H(λ)) over |λ| = 1, says of a concurrent chain, and where it says nothing.

The statement extra-transient holds for 0 < α < 2/λ_max(X): with the heads before it at rest, a head's error is
multiplied by I − αX. It also takes a head 0 that settles, ρ(I − αA_μ) < 1. Then peaks are bounded in K when R < 1 and
grow like Rᴷ when R > 1; nothing is claimed for R = 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from html import escape
from itertools import islice
from typing import Literal

import numpy as np

from theory.certified.verdicts import uniformly_safe
from theory.experiments.comparison import compare
from theory.experiments.why import Direction, direction, unsafe_feature
from theory.explorer import charts as draw
from theory.explorer import noise_panel
from theory.explorer.graphs import plot_graph, plot_shares
from theory.explorer.phase import Lines, phase_map, reach
from theory.explorer.texts import short, side_by_side
from theory.explorer.view import View
from theory.linear.spectra import chain_radius, chain_spectrum, smooth_eigenvalue_paths, td_spectrum
from theory.linear.target_networks import stable_windows, window_radii
from theory.linear.transients import joint_iteration, transfer_radius, transient
from theory.model.iteration import network_rounds, richardson, td_iterates
from theory.model.linear_model import moments, value_model
from theory.model.points import START, chain_values, counting_start, fixed_point, rmse
from theory.problems import InvalidProblem, Problem
from theory.problems.graph import communicating_classes, period, transition_graph
from theory.problems.numbers import Array, FloatArray
from theory.views.colours import QUADRANT_NAMES
from theory.views.html import table_html
from theory.views.page import Styled
from theory.views.page import table as made

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
    least = float(td.real.min(initial=math.inf))
    about_td = (
        f"Eigenvalues of A in the complex plane and their paths as γ goes from 0 to 1; smallest real part {least:.6g}"
    )
    rho = chain_radius(problem)
    about_chain = f"Eigenvalues of γΠP with the unit circle and their paths in γ; largest modulus {rho:.6g}"
    return [
        draw.plot_spectrum(td, td_paths, circle=False, alt=about_td),
        draw.plot_spectrum(chain, chain_paths, circle=True, alt=about_chain),
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
    try:
        found = phase_map(problem, view.entry, reach(view.base, view.entry_value))
    except InvalidProblem as error:  # some value of the entry makes it none
        return f"<p>No phase diagram of this entry: {escape(str(error))}</p>", ""
    name = f"feature {f} of state {problem.state_labels[s]}"
    here = (problem.gamma, float(view.entry_value))
    shares = ", ".join(f"{text} {100 * np.mean(found.quadrant == q):.0f} %" for q, text in enumerate(QUADRANT_NAMES))
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
SLOW = ("Comparison", "Noise")  # asked of another process for problems of every size


def panel(view: View, name: str, lines: Lines | None = None) -> str:
    """The HTML of a panel, or in words why there is none; `lines` are the phase diagram's, where they are known."""
    try:
        html = PANELS[name](view, lines) if name in WITH_PLANE else PANELS[name](view)
    except (ValueError, ArithmeticError) as error:
        return words(f"{name} cannot be shown: {error}")
    if view.steps != 1 and name not in ("Bias", "Graphs", "Comparison"):
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


MANY = 24  # states listed
FEW = 8  # features up to which all values of a parameter are found within a second or two
_SIDES = ("adds nothing", Styled("■ feeds the growth", "bad"), Styled("● damps the growth", "good"))


def methods(view: View) -> str:
    """What ``theory compare`` prints, at the sliders' settings."""
    problem = view.problem
    given = {"alpha": view.alpha, "window": view.window, "tau": view.tau}
    found = compare(problem, None, given, sets=problem.n_features <= FEW)
    note = (
        f"α = {view.alpha}, T = {view.window} and τ = {view.tau} are those of the sliders. The cost is in "
        "multiply-adds per transition."
    )
    return f'{found.page().html()}<p style="max-width:60rem">{escape(note)}</p>'


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
    rows = [
        (str(label), values[s], f"{shares[s]:+.3g}" if shares[s] else "0", _SIDES[(feeds[s] > 0) - (feeds[s] < 0)])
        for s, label in enumerate(labels[:MANY])
    ]
    table = table_html(made(("state<", "value", what, "<"), rows))
    if len(labels) > MANY:
        return table + f"<p><small>The first {MANY} of {len(labels)} states.</small></p>"
    most = sorted(range(len(labels)), key=lambda s: -feeds[s])[:3]
    named = ", ".join(str(labels[s]) for s in most if feeds[s] > 0) or "none"
    alt = f"States on the target's moves; what feeds the growth most: {named}."
    svg = plot_shares(transition_graph(problem), feeds, values, f"What each state {what}", alt)
    return side_by_side(svg, table)


_NEAR_ONE = 1e-9  # R is found by a search on a grid, in floats


def growth(view: View, radius: float, where: complex) -> str:
    """What follows from R = `radius`, attained at λ = `where`."""
    alone = _diverges_alone(view)
    if alone:
        return alone
    said = "R is 1 within rounding, which decides nothing"
    if abs(radius - 1) > _NEAR_ONE:
        said = "peaks grow like Rᴷ with the number of heads" if radius > 1 else "peaks stay bounded however many heads"
    return f"R = {radius:.6g}, at λ = {where.real:.3g}{where.imag:+.3g}i: {said}."


def head_0_learns(view: View) -> bool:
    """Are the behaviour's own moves and rewards known? Otherwise head 0 stays where it starts."""
    return view.problem.P_mu is not None and view.problem.r_mu is not None


def _diverges_alone(view: View) -> str:
    """Which heads diverge whatever the others do; nothing where the premises hold."""
    it = joint_iteration(view.problem, float(view.alpha))
    largest = float(it.step.max(initial=0.0))  # of the eigenvalues of αX
    first = 0.0
    if head_0_learns(view):
        first = float(np.abs(np.linalg.eigvals(it.first)).max(initial=0.0))
    said = []
    if first >= 1:
        said.append(f"already head 0 diverges: its update has spectral radius {first:.6g}, not below 1")
    if largest >= 2:
        alpha, limit = short(f"α = {view.alpha}"), 2 * float(view.alpha) / largest
        said.append(f"{alpha} is not below 2/λ_max(X) = {limit:.6g}, so no later head converges by itself")
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}. R says nothing here." if text else ""


PANELS: dict[str, Callable[..., str]] = {
    "Overview": overview,
    "Spectra": spectra,
    "Phase": phase,
    "Bias": bias,
    "Comparison": methods,
    "Why": why,
    "Target network": windows,
    "Transients": transients,
    "Trajectories": trajectories,
    "Noise": noise,
    "Graphs": graphs,
}

# What a page shows below the verdicts, in groups; the first view of a group opens with it.
GROUPS: dict[str, tuple[str, ...]] = {
    "Overview": ("Overview",),
    "Theory": ("Spectra", "Phase", "Bias", "Why", "Graphs", "Exact", "Flip", "Proofs"),
    "Methods": ("Comparison", "Target network", "Transients"),
    "Sampling": ("Trajectories", "Noise"),
    "Export": ("Export",),
}


def group_of(tab: str) -> str:
    """The group in which a view stands; Overview for what is none."""
    return next((group for group, tabs in GROUPS.items() if tab in tabs), "Overview")
