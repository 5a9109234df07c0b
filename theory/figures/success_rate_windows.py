"""From TD to the chain: how often T updates per target network are stable on random problems, T = 1 to ∞."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from matplotlib.figure import Figure

from theory.figures._figure import OFTEN, Caption, Data, FigureSpec, Row, Work
from theory.figures._random_problems import GAMMA, KEPT, amount, counted, flat, series
from theory.figures._style import grid, look, new_figure
from theory.montecarlo import Cell

_POWERS = tuple(float(2**k) for k in range(17))


@dataclass(frozen=True)
class Size:
    """Windows, pairs of states and features, and problems each."""

    windows: tuple[float, ...]
    pairs: tuple[tuple[int, int], ...]
    samples: int


SIZES = {
    "quick": Size((*_POWERS[::2], inf), ((10, 9), (10, 10)), 1000),
    "full": Size((*_POWERS, inf), ((10, 9), (10, 10), (30, 29), (30, 30)), 5_000),
}


def compute(size: Size, seed: int, work: Work) -> Data:
    """A row for each pair with all its windows."""
    return counted((Cell(S, F, GAMMA, windows=size.windows) for S, F in size.pairs), size.samples, seed, work)


def rows(result: Data) -> list[Row]:
    """For CSV: one line a window."""
    kept = ("states", "features", "gamma", "ensemble", "law", "samples", "step_size")
    return [
        {k: v for k, v in flat(row).items() if k in kept}
        | {k: w[k] for k in ("window", "stable", "undecided", "rate")}
        | {"rate_low": w["ci95"][0], "rate_high": w["ci95"][1]}
        for row in result["rows"]
        for w in row["windows"]
    ]


def plot(result: Data) -> Figure:
    """How often G_T is stable, against T."""
    with look():
        figure, (axes,) = new_figure(1, 1, width=5.2, height=3.2)
        finite = [w["window"] for w in result["rows"][0]["windows"] if w["window"] != "inf"]
        end = 4.0 * finite[-1]
        for i, r in enumerate(result["rows"]):
            shown = r["windows"]
            x = [end if w["window"] == "inf" else w["window"] for w in shown]
            y = [100 * w["rate"] for w in shown]
            low, high = ([100 * w["ci95"][side] for w in shown] for side in (0, 1))
            series(axes, x, y, low, high, f"S = {r['states']}, F = {r['features']}", i)
        ticks = [T for T in (1, 16, 256, 4096, 65536) if finite[-1] >= T]
        axes.set_xscale("log", base=2)
        axes.set_xticks([*ticks, end], labels=[f"{T:,}" for T in ticks] + ["∞"])
        axes.minorticks_off()
        step = result["rows"][0]["step_size"]
        axes.set(
            title=r"$T = 1$ is off-policy TD, $T = \infty$ is chained TD",
            xlabel=rf"updates per target network $T$ ($\alpha$ = {step:g}/$\lambda_{{\max}}(X)$)",
            ylabel=f"stable, in % (γ = {result['gamma']:g})",
        )
        grid(axes)
        axes.legend(loc="best")
        return figure


def caption(result: Data) -> Caption:
    """The first pair at both ends and at its best."""
    row = result["rows"][0]
    first, last = row["windows"][0], row["windows"][-1]
    best = max(row["windows"], key=lambda w: w["rate"])
    return Caption(
        "Between TD and the chain: stable problems against the updates T per target network, hot start. T = 1 is "
        f"off-policy TD, T = ∞ the chain; {row['samples']:,} problems each.",
        f"Curves over T. At S = {row['states']}, F = {row['features']} the stable share is {100 * first['rate']:.1f}% "
        f"for T = 1, {100 * last['rate']:.1f}% for T = ∞, and at best {100 * best['rate']:.1f}%, for T = "
        f"{best['window']}.",
        amount(result),
    )


FIGURE = FigureSpec(
    title="Stability from off-policy TD to chained TD",
    section=OFTEN,
    sizes=SIZES,
    compute=compute,
    rows=rows,
    plot=plot,
    caption=caption,
    seconds=(5, 300),
    kept=KEPT,
)
