r"""Beyond the paper: the exact RMSE of learners against α on Threestate, and seeds on top of it.

Lines are expectations over the last half of a run (`theory.noise`), bands where an RMSE over so many seeds lies but for
one time in twenty if its square is nearly normal (the standard error is exact, from fourth moments), dots what the
seeds gave. Where ρ₄ > 1 > ρ₂ there is no band: no number of seeds estimates the expectation well in the long run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from theory.figures._curves import MORE
from theory.figures._figure import BEYOND, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import BAND, look, new_figure, nulls, numbers
from theory.figures.live.noise import FLOOR, TOP, draw_sweeps
from theory.learners.driver import run_bulk
from theory.learners.streams import draw_initials, draw_transitions
from theory.noise.moments import Moments, setting_moments
from theory.noise.runs import spread
from theory.noise.sweep import Sweep, closing_rule, sweep
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import FloatArray

LEARNERS = ("td", "off-policy-td", "gtd2", "tdc", "tdrc", "chained-concurrent")  # the chain with heads 0 and 1, β = α
GRID = 2.0 ** np.arange(-14, 0.1, 0.25)


@dataclass(frozen=True)
class Size:
    """Moves, seeds, and how many step sizes are sampled for each learner."""

    steps: int
    seeds: int
    dots: int
    problem: str = "threestate:gamma=9/10"


SIZES = {"quick": Size(10_000, 50, 2), "full": Size(100_000, 400, 5)}


def compute(size: Size, seed: int = 0, work: Work | None = None) -> Data:
    """A curve for each learner, its ends, and dots with bands at some stable step sizes."""
    problem = catalogue_problem(size.problem)
    streams, *starts = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(1 + len(LEARNERS)))
    moves = draw_transitions(streams, problem, size.steps, size.seeds)
    learners = []
    for name, rng in zip(LEARNERS, starts, strict=True):
        rule = closing_rule(name, problem)
        one = sweep(rule, problem, GRID, steps=size.steps)
        alpha = _sampled_at(one, size.dots)
        begin = draw_initials(rng, size.seeds, type(rule).n_vectors(1), problem.n_features)
        settings = {"alpha": alpha} | ({"beta": alpha} if "beta" in rule.columns else {})
        found = run_bulk(name, problem, settings, moves, begin).rmse
        moments = setting_moments(rule, problem)
        dots = [_dot(moments, rule.columns, a, float(x), one, size) for a, x in zip(alpha.tolist(), found, strict=True)]
        learners.append(
            {
                "learner": name,
                "alpha": one.alpha.tolist(),
                "rmse": nulls(one.rmse),
                "second": one.second,
                "fourth": one.fourth,
                "dots": dots,
            }
        )
    about = {"problem": problem.name, "gamma": problem.gamma, "steps": size.steps, "seeds": size.seeds}
    return {**about, "learners": learners}


def _sampled_at(one: Sweep, dots: int) -> FloatArray:
    """Step sizes of the grid up to where ρ₄ = 1, the last a fifth below it."""
    top = one.fourth or one.second or 2.0**-11
    return np.geomspace(top / 64 if one.second else top / 8, top / 1.25, dots)


def _dot(moments: Moments, columns: tuple[str, ...], alpha: float, rmse: float, one: Sweep, size: Size) -> Row:
    """What the seeds gave, the expectation there, and where an RMSE of so many seeds lies."""
    found = spread(moments, alpha, alpha if "beta" in columns else None, size.steps)
    exact = float(np.sqrt(found.square))
    light = one.fourth is not None and alpha < one.fourth and np.isfinite(found.deviation)
    reach = 1.96 * found.deviation / np.sqrt(size.seeds) if light else np.nan
    band = [float(np.sqrt(max(found.square + s * reach, 0.0))) for s in (-1, 1)] if light else [None, None]
    return {
        "alpha": alpha,
        "sampled": rmse if np.isfinite(rmse) else None,
        "exact": exact,
        "low": band[0],
        "high": band[1],
    }


def rows(result: Data) -> list[Row]:
    """For CSV: the curves, then the dots; empty beyond the range of doubles."""
    found = []
    for c in result["learners"]:
        blank = {"sampled": None, "low": None, "high": None}
        found += [
            {"learner": c["learner"], "alpha": a, "exact": x, **blank}
            for a, x in zip(c["alpha"], c["rmse"], strict=True)
        ]
        found += [{"learner": c["learner"], **dot} for dot in c["dots"]]
    return [{name: row[name] for name in ("learner", "alpha", "exact", "sampled", "low", "high")} for row in found]


def plot(result: Data) -> Figure:
    """Lines, bars of the bands, and dots."""
    with look():
        figure, (axes,) = new_figure(height=4.4)
        sweeps = [_sweep(c) for c in result["learners"]]
        for i, c in enumerate(result["learners"]):
            color = MORE[i % len(MORE)]["color"]
            for dot in c["dots"]:
                if dot["low"] is not None:
                    low, high = (min(max(x, FLOOR), TOP) for x in (dot["low"], dot["high"]))
                    wide = [dot["alpha"] / 1.09, dot["alpha"] * 1.09]
                    axes.fill_between(wide, low, high, color=color, **{**BAND, "alpha": 0.4})
                if dot["sampled"] is not None and dot["sampled"] < TOP:
                    height = max(dot["sampled"], FLOOR)
                    axes.plot([dot["alpha"]], [height], "o", color=color, markersize=4.5, markeredgecolor="white")
        axes.plot(
            [],
            [],
            "o",
            color="#555555",
            markeredgecolor="white",
            label=f"{result['seeds']} seeds, and where they should lie",
        )
        draw_sweeps(axes, sweeps)
        title = f"{result['problem']}, γ = {result['gamma']:g}: RMSE over the last half of {result['steps']:,} moves"
        axes.set(title=f"{title}, β = α")
        return figure


def _sweep(c: dict[str, Any]) -> Sweep:
    return Sweep(c["learner"], np.array(c["alpha"]), numbers(c["rmse"]), c["second"], c["fourth"], None)


def caption(result: Data) -> Caption:
    """How many dots are in their bands."""
    dots = [d for c in result["learners"] for d in c["dots"] if d["low"] is not None and d["sampled"] is not None]
    inside = sum(d["low"] <= d["sampled"] <= d["high"] for d in dots)
    ends = "; ".join(
        f"{c['learner']}: ρ₂ = 1 at {c['second']:.4g}, ρ₄ = 1 at {c['fourth']:.4g}"
        for c in result["learners"]
        if c["second"] is not None and c["fourth"] is not None
    )
    return Caption(
        f"Beyond the paper: the exact RMSE of learners against the step size on {result['problem']} (lines), where an"
        f" RMSE over {result['seeds']} seeds should lie 19 times of 20 (boxes), and where it does: {inside} of"
        f" {len(dots)} dots are in their box. Off-policy TD is stable at no step size.",
        f"RMSE against the step size on logarithmic axes. {ends}.",
        f"{result['seeds']} seeds of {result['steps']:,} moves; lines and boxes without sampling",
    )


FIGURE = FigureSpec(
    title="Exact errors over step sizes",
    section=BEYOND,
    sizes=SIZES,
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(14, 60),
)
