r"""Beyond the paper: emphatic TD's exact error where its trace may grow no longer than `cap` moves, on Threestate.

F ← γρF + 1 remembers a run of π's actions for as long as it lasts. Capped, F stays where `cap` moves have brought it,
takes finitely many values, and the second moments close: the root of the mean square error over the last half is exact,
in floats. It should tend to emphatic TD's own as the cap grows. Instead it grows without bound (extra-etd-moments): a
longer cap lets in ever rarer runs that multiply the error by ever larger numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from matplotlib.figure import Figure

from theory.figures._figure import BEYOND, EVERY, Caption, Data, FigureSpec, Row, Work
from theory.figures._style import SERIES, SMALL, V_PI, grid, look, new_figure, nulls, numbers
from theory.learners.driver import run_bulk
from theory.learners.streams import draw_initials, draw_transitions
from theory.learners.traces import ETD, Traced
from theory.learners.transition import Transition
from theory.noise.moments import setting_moments
from theory.noise.runs import last_half
from theory.problems.catalogue import catalogue_problem

TOP = 1e10  # of the axis: what is beyond it is drawn at its edge


@dataclass(frozen=True)
class CappedETD(ETD):
    """Emphatic TD(0) whose γρF is the one after `cap` moves of a run at most; F is then a finite memory."""

    cap: Any = 0  # the largest γρF
    name: ClassVar[str] = "capped etd"
    memory: ClassVar[tuple[str, ...]] = ("follow",)

    def update(self, state: Traced, transition: Transition) -> Traced:
        after = super().update(state, transition)
        return after._replace(follow=min(after.follow, self.cap))

    def obstacle(self) -> None:  # type: ignore[override]
        return None


@dataclass(frozen=True)
class Settings:
    """Step sizes, caps, moves of a run, and seeds of emphatic TD itself."""

    problem: str = "threestate:gamma=9/10"
    step_sizes: tuple[float, ...] = (2.0**-10, 2.0**-8, 2.0**-6)
    caps: tuple[int, ...] = tuple(range(17))
    steps: int = 10_000
    seeds: int = 400


def compute(c: Settings, seed: int = 0, work: Work | None = None) -> Data:
    """RMSE for each step size and cap, ρ₂, and the median RMSE that seeds of emphatic TD itself have."""
    problem = catalogue_problem(c.problem)
    assert problem.pi is not None
    assert problem.mu is not None
    g = problem.exact.gamma * max((problem.pi / problem.mu).ravel().tolist())
    streams, starts = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    moves = draw_transitions(streams, problem, c.steps, c.seeds)
    begin = draw_initials(starts, c.seeds, 1, problem.n_features)
    alpha = np.array(c.step_sizes)
    sampled = run_bulk("etd", problem, {"alpha": alpha}, moves, begin).mean_square
    follow, square, radii = Fraction(0), [], []
    for _ in c.caps:
        capped = setting_moments(CappedETD(problem.exact.gamma, Fraction(1), cap=follow), problem)
        square.append(last_half(capped, alpha, steps=c.steps))
        radii.append(capped.radius(alpha))
        follow = g * (follow + 1)
    curves = [
        {
            "alpha": float(a),
            "rmse": nulls(np.sqrt(q[i]) for q in square),
            "rho2": [float(rho[i]) for rho in radii],
            "median": float(np.sqrt(np.median(sampled[i]))),
        }
        for i, a in enumerate(alpha)
    ]
    about = {"problem": problem.name, "gamma": problem.gamma, "steps": c.steps, "seeds": c.seeds}
    return {**about, "caps": list(c.caps), "curves": curves}


def rows(result: Data) -> list[Row]:
    """For CSV; empty beyond the range of doubles."""
    return [
        {"alpha": c["alpha"], "cap": cap, "rmse": rmse, "rho2": rho, "median_of_seeds": c["median"]}
        for c in result["curves"]
        for cap, rmse, rho in zip(result["caps"], c["rmse"], c["rho2"], strict=True)
    ]


def plot(result: Data) -> Figure:
    """RMSE against the cap; filled where the capped learner is stable in mean square; seeds' medians at the right."""
    with look():
        figure, (axes,) = new_figure(height=3.6)
        caps = np.array(result["caps"])
        end = caps[-1] + 1.6
        for i, c in enumerate(result["curves"]):
            style = SERIES[i]
            rmse = numbers(c["rmse"])
            stable, inside = np.array(c["rho2"]) < 1, rmse < TOP
            axes.plot(caps, np.where(inside, rmse, np.nan), color=style["color"], linestyle=style["linestyle"])
            dots = {"linestyle": "none", "marker": style["marker"], "color": style["color"]}
            axes.plot(caps[stable & inside], rmse[stable & inside], **dots)
            axes.plot(caps[~stable & inside], rmse[~stable & inside], markerfacecolor="white", **dots)
            beyond = caps[~inside]
            axes.plot(beyond, np.full(len(beyond), TOP / 4.0 ** (i + 1)), markerfacecolor="white", **dots)
            axes.plot([], [], label=f"$\\alpha = 2^{{{np.log2(c['alpha']):.0f}}}$", **style)
            axes.plot([end + 0.6 * (i - 1)], [c["median"]], **dots)
        axes.axvline(end - 1.1, color="#999999", linewidth=0.8)
        axes.annotate("off the scale: the mean square grows", (caps[-1] - 0.2, TOP / 300), ha="right", va="top",
                      fontsize=SMALL)  # fmt: skip
        axes.set_yscale("log")
        axes.set_ylim(top=TOP)
        axes.set_xlim(-0.7, end + 1.1)
        ticks = list(range(0, int(caps[-1]) + 1, 4))
        axes.set_xticks([*ticks, end], labels=[*map(str, ticks), "seeds"])
        axes.set(
            title=f"{result['problem']}, γ = {result['gamma']:g}: emphatic TD with a capped trace, exactly",
            xlabel="cap on the run that the trace remembers, in moves",
            ylabel=f"RMSE against {V_PI}",
        )
        axes.plot([], [], "o", color="#555555", markerfacecolor="#555555", label=r"$\rho_2 < 1$")
        axes.plot([], [], "o", color="#555555", markerfacecolor="white", label=r"$\rho_2 \geq 1$")
        axes.legend(loc="center", bbox_to_anchor=(0.42, 0.62), ncols=2)
        grid(axes)
        return figure


def caption(result: Data) -> Caption:
    """Where the exact error leaves what seeds show."""
    parts = "; ".join(
        f"α = {c['alpha']:.4g}: {min(x for x in c['rmse'] if x is not None):.3g} at best, not stable in mean square"
        f" beyond cap {_last_stable(result['caps'], c['rho2'])}, seeds' median {c['median']:.3g}"
        for c in result["curves"]
    )
    return Caption(
        f"Beyond the paper: the exact root mean square error of emphatic TD on {result['problem']} over the last half"
        f" of {result['steps']:,} moves, its trace capped after so many moves of a run; at the right the median over"
        " seeds of emphatic TD itself. With the cap expectations pass every bound (`extra-etd-moments`): what seeds"
        " show does not estimate them.",
        f"RMSE against the cap on a logarithmic axis. {parts}.",
        f"exact in floats; {result['seeds']} seeds for the medians",
    )


def _last_stable(caps: list[int], rho2: list[float]) -> int:
    return max((cap for cap, rho in zip(caps, rho2, strict=True) if rho < 1), default=-1)


FIGURE = FigureSpec(
    title="Emphatic TD and the length of runs",
    section=BEYOND,
    sizes={EVERY: Settings()},
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(3, 3),
)
