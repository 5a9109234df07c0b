r"""The panel "Noise": exact expectations of sampled learners under the sliders, without sampling.

Left the RMSE over the last half of a run against α, for learners of the problem and for head k of the concurrent
chain; right that of the heads 0..k at the α of the slider, beside the bias of their limits. All from the second moments
of the learners' own updates (`theory.noise`), in floats; a problem without an MDP is seen through one that is built for
it, as sampled runs are. What is too large, or leaves the range of doubles, is said in words.
"""

from __future__ import annotations

import numpy as np

from theory.explorer import charts as draw
from theory.explorer.texts import short
from theory.explorer.view import View
from theory.model.points import chain_values, rmse
from theory.noise.heads import HeadMoments
from theory.noise.moments import setting_moments
from theory.noise.runs import last_half
from theory.noise.stable_step_size import second_radii, stable_step_size
from theory.noise.sweep import closing_rule
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray

LEARNERS = {"TD": "td", "off-policy TD": "off-policy-td", "TDC, β = α": "tdc"}
MOVES, MAX_HEADS = 2000, 32
MOST, PAIRS = 900, 500  # second moments of a learner, and of a pair of heads
FEW = 150  # of these, up to exchange of states, up to which the chain is swept over α
Curve = tuple[FloatArray, FloatArray]
GRID = 2.0 ** np.arange(-12, 1.1, 0.5)


def noise(view: View) -> tuple[list[str], str]:
    """The chart over α, the chart over heads where pairs of heads are few enough, and the words beside them."""
    problem, here = view.problem.realised(), float(view.alpha)
    where = short(f"At α = {view.alpha}")
    curves, radii = _learners(problem, here)
    K, now = min(view.heads, MAX_HEADS), None
    if _few_pairs(problem):
        heads = HeadMoments(problem)
        alpha = np.unique(np.append(GRID[::4] if len(heads.first) <= FEW else GRID[:0], here))
        late = np.sqrt(np.array([heads.last_half(a, range(K + 1), MOVES) for a in alpha.tolist()]))
        curves[f"chain, head {K}"], radii[f"chain, head {K}"] = (alpha, late[:, K]), heads.radius(here)
        now = late[int(np.searchsorted(alpha, here))]
    said = "; ".join(
        f"{name} {_shown(error[int(np.searchsorted(sizes, here))])}"
        f" ({'stable' if radii[name] < 1 else 'NOT stable'} in mean square, ρ₂ = {radii[name]:.6g})"
        for name, (sizes, error) in curves.items()
    )
    title = f"Over the last half of {MOVES:,} moves"
    figures = [draw.plot_noise(curves, here, title, f"Exact RMSE over α. {where}: {said}")]
    note = f"{where}, over the last half of {MOVES:,} moves from N(0, 100²): {said}."
    if now is not None:
        least = int(np.argmin(now))
        along = f"{where} the exact RMSE of heads 0 to {K}; head {least} has the least, {_shown(now[least])}"
        figures.append(draw.plot_heads(now, _bias(problem, K), along))
        note += f" Of the heads, {least} has the least error here."
        if view.heads > K:
            note += f" Heads beyond {MAX_HEADS} take longer than a slider should: k = {MAX_HEADS} is shown."
    else:
        note += " The chain is not drawn: its heads have too many moments here."
    if view.problem.mdp is None:
        note += " The problem has no MDP behind it; one was built for it, as for sampled runs."
    return figures, f"{note} These are expectations over all runs, without sampling, in floats."


def _learners(problem: Problem, here: float) -> tuple[dict[str, Curve], dict[str, float]]:
    """RMSE over α of each learner that has not too many moments, and ρ₂ at the slider's α."""
    alpha, curves, radii = np.unique(np.append(GRID, here)), {}, {}
    for name, learner in LEARNERS.items():
        vectors = 2 if learner == "tdc" else 1
        if not _affordable(problem, vectors):
            continue
        moments = setting_moments(closing_rule(learner, problem), problem)
        both = [(x, x if vectors == 2 else None) for x in (alpha, np.array([here]))]
        curves[name] = (alpha, np.sqrt(last_half(moments, *both[0], MOVES)))
        radii[name] = float(moments.radius(*both[1])[0])
    if not curves:
        raise InvalidProblem(f"{problem.n_states} states and {problem.n_features} features have too many moments")
    return curves, radii


def stability(view: View) -> str:
    """In words: which of the sampled learners are stable in mean square at the view's α, and of which it is not known.

    >>> from fractions import Fraction
    >>> from theory.explorer.view import open_view
    >>> from theory.problems.catalogue import catalogue_problem
    >>> stability(open_view(catalogue_problem("quadrant-stable-unbiased")).change(alpha=Fraction(1, 8)))
    'All three are stable in mean square at this step size.'
    """
    problem = view.problem.realised()
    radii = second_radii(problem, float(view.alpha), view.window)
    unknown = {name: why for name, why in radii.items() if isinstance(why, str)}
    grows = [f"{name} (ρ₂ = {rho:.6g})" for name, rho in radii.items() if not isinstance(rho, str) and rho > 1]
    shrinks = [name for name, rho in radii.items() if not isinstance(rho, str) and rho < 1]
    said = []
    if grows:
        said.append(
            f"NOT stable in mean square at this step size: {' and '.join(grows)}. There the mean square error grows "
            "without bound, whatever the median of a few runs shows."
        )
        smaller = stable_step_size(problem, view.alpha)
        if smaller is not None and smaller < view.alpha:
            said.append(f"The chain's heads are stable at α = {smaller}.")
    elif not unknown:
        return "All three are stable in mean square at this step size."
    if shrinks:
        said.append(f"Stable in mean square: {' and '.join(shrinks)}.")
    if unknown:
        reasons = "; ".join(f"{name} ({why})" for name, why in unknown.items())
        said.append(
            f"NOT KNOWN whether this step size is stable in mean square: {reasons}. The median of a few runs does not "
            "tell."
        )
    return " ".join(said)


def _affordable(problem: Problem, vectors: int) -> bool:
    """Are the second moments of so many parameter vectors few enough?"""
    S, D = problem.n_states, min(problem.n_features, problem.n_states)
    return S * (vectors * D + 1) * (vectors * D + 2) // 2 <= MOST


def _few_pairs(problem: Problem) -> bool:
    """And those of a pair of heads?"""
    S, D = problem.n_states, min(problem.n_features, problem.n_states)
    return S * (D + 1) ** 2 <= PAIRS


def _bias(problem: Problem, K: int) -> FloatArray:
    """RMSE of the heads' limits; an MDP behind a problem tells head 0's."""
    return rmse(problem, chain_values(problem, K))


def _shown(error: float) -> str:
    return f"{error:.4g}" if np.isfinite(error) else "beyond doubles"
