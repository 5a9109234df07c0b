r"""The paper's figure 4: the first eight heads of a concurrent chain of 1-step and of 8-step estimators.

On Threestate, γ = .99; the step size is the one whose head 8 does best on tuning seeds. Head k of an n-step chain
settles at distance γⁿᵏ/(1 − γ) from v_π.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from theory.experiments.bootstrap import bootstrap_band, root_mean
from theory.experiments.table1 import PROFILES
from theory.experiments.table1.units import Scale
from theory.figures._figure import CURVES, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import BAND, V_PI, grid, look, new_figure
from theory.learners.driver import run_bulk
from theory.learners.protocol import grid as settings_grid
from theory.learners.streams import draw_transitions
from theory.model.points import behaviour_values, chain_values, rmse
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import FloatArray

PROBLEM, STEPS, HEADS = "threestate:gamma=99/100", (1, 8), 8
GOAL = "#D55E00"


def compute(scale: Scale, seed: int = 0, work: Work | None = None) -> Data:
    """RMSE of the heads 0..8 over time with bands, tuned and tested as table 1 is."""
    problem = catalogue_problem(PROBLEM)
    streams, starts, resampling = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    tuning = draw_transitions(streams, problem, scale.steps, scale.tuning_seeds)
    testing = draw_transitions(streams, problem, scale.steps, scale.test_seeds)
    protocol = replace(scale.protocol, last_head=HEADS)
    first, second = (protocol.starts(starts, "chained-n-step", problem, m.seeds) for m in (tuning, testing))
    marks = np.unique(np.linspace(0, scale.steps, 101).astype(np.int64))
    chains = []
    for steps in STEPS:
        settings = settings_grid(alpha=protocol.step_sizes, n=[steps], k=[HEADS])
        tuned = run_bulk("chained-n-step", problem, settings, tuning, first)
        alpha = float(tuned.settings["alpha"][tuned.best()])
        every = settings_grid(alpha=[alpha], n=[steps], k=range(HEADS + 1))
        tested = run_bulk("chained-n-step", problem, every, testing, second, marks=marks)
        goals = _n_step_errors(problem, steps, HEADS)
        found = []
        for k in range(HEADS + 1):
            low, high = bootstrap_band(resampling, tested.curve[k])
            columns = (marks.tolist(), root_mean(tested.curve[k]).tolist(), low.tolist(), high.tolist())
            found.append(
                {
                    "k": k,
                    "rmse": float(tested.rmse[k]),
                    "fixed_point": float(goals[k]),
                    "curve": [list(row) for row in zip(*columns, strict=True)],
                }
            )
        chains.append({"n": steps, "alpha": alpha, "heads": found})
    return {
        "problem": problem.name,
        "gamma": problem.gamma,
        "steps": scale.steps,
        "seeds": scale.test_seeds,
        "chains": chains,
    }


def rows(result: Data) -> list[Row]:
    """For CSV."""
    return [
        {"n": c["n"], "alpha": c["alpha"], "k": h["k"], "step": t, "rmse": r, "low": low, "high": high}
        for c in result["chains"]
        for h in c["heads"]
        for t, r, low, high in h["curve"]
    ]


def plot(result: Data) -> Figure:
    """Figure 4: the first eight heads of a chain of 1-step and of 8-step estimators, and where they should settle."""
    with look():
        figure, panels = new_figure(1, 2, height=3.4)
        for axes, chain in zip(panels, result["chains"], strict=True):
            heads = [h for h in chain["heads"] if h["k"] >= 1]
            for i, head in enumerate(heads):
                shade = str(0.75 * (1 - i / (len(heads) - 1)))
                t, rmse, low, high = (np.array(x, dtype=np.float64) for x in zip(*head["curve"], strict=True))
                if head in (heads[0], heads[-1]):  # the others' would only hide each other
                    axes.fill_between(t, low, high, color=shade, **BAND)
                axes.plot(t, rmse, color=shade, linewidth=1.2)
                # From where a head is to where it must settle; its number stands there.
                goal = (t[-1] * 1.12, head["fixed_point"])
                axes.plot([t[-1], goal[0]], [rmse[-1], goal[1]], color=GOAL, linewidth=0.9)
                if chain["n"] > 1 or head in (heads[0], heads[-1]):
                    place: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "va": "center"}
                    axes.annotate(f"$k$ = {head['k']}", goal, (4, 0), **place)
            step = "steps" if chain["n"] > 1 else "step"
            axes.set(title=f"$n$ = {chain['n']} {step}, α = {chain['alpha']:.2g}", xlabel="moves $t$", ylim=(40, 140))
            axes.set_xlim(0, t[-1] * 1.3)
            axes.set_xticks(np.linspace(0, t[-1], 3))
            grid(axes)
        panels[0].set_ylabel(f"RMSE against {V_PI}")
        figure.suptitle(f"{result['problem'].partition(':')[0]}, γ = {result['gamma']:g}", fontsize=10)
        panels[0].plot([], [], color=GOAL, linewidth=0.9, label="to the head's fixed point")
        panels[0].legend(loc="lower left")
        return figure


def caption(result: Data) -> Caption:
    """Where the last heads end, and where they should."""
    parts = []
    for chain in result["chains"]:
        last = chain["heads"][-1]
        parts.append(
            f"with n = {chain['n']} head {last['k']} ends at {last['curve'][-1][1]:.1f}, its fixed point is "
            f"{last['fixed_point']:.1f} away"
        )
    return Caption(
        f"The paper’s figure 4: the first heads of concurrent chains of 1-step and of 8-step estimators on Threestate, "
        f"γ = .99; {result['seeds']} seeds, tuned as table 1 is. Orange: where each head must settle, γⁿᵏ/(1 − γ).",
        f"Two panels of error curves, one a head: {'; '.join(parts)}.",
        f"{result['seeds']} seeds, {result['steps']:,} moves",
    )


def _n_step_errors(problem: Problem, n: int, heads: int) -> FloatArray:
    """RMSE of the fixed points of heads 0..K; Π = I here, so head 0's is v_μ."""
    start = np.linalg.solve(problem.Phi, behaviour_values(problem)).tolist()
    return rmse(problem, chain_values(problem.in_steps_of(n), heads, start))


FIGURE = FigureSpec(
    title="Chains of 1-step and of 8-step estimators",
    section=CURVES,
    sizes=PROFILES,
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(7, 10),
)
