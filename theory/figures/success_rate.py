"""The success-rate figures, from the result of `theory.experiments.success_rate`.

`plot_rates`, `plot_map`, `plot_conjecture` and `plot_windows` each make one `Figure`; `write` saves all of them as
PNG and SVG with the CSV behind each; `draw` runs the experiment first.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from theory.experiments.success_rate import run
from theory.figures.style import BAND, SERIES, grid, look, new_figure, save
from theory.montecarlo.store import Store, default_store
from theory.montecarlo.study import Progress

Row = dict[str, Any]
BOUND: dict[str, Any] = {"linewidth": 1.1, "linestyle": (0, (1, 1.5))}


def plot_rates(result: dict[str, Any]) -> Figure:
    """How often each method solves the problem, against S: the paper's F = S, and F = S − 1."""
    with look():
        figure, (left, right) = new_figure(1, 2)
        for axes, missing, title in ((left, 0, "F = S (the paper's figure 1)"), (right, 1, "F = S − 1")):
            rows = [r for r in result["rates"] if r["features"] == r["states"] - missing]
            x = [r["states"] for r in rows]
            _series(axes, x, *_complement(rows, "chain_biased"), "chained TD unbiased", 1)
            _series(axes, x, *_complement(rows, "td_unstable"), "off-policy TD stable", 0)
            axes.set_xscale("log")
            axes.set_xticks([2, 5, 10, 20, 50, 100], labels=["2", "5", "10", "20", "50", "100"])
            axes.minorticks_off()
            axes.set(title=title, xlabel="number of states S", ylim=(60, 102))
            grid(axes)
        left.set_ylabel(f"problems solved, in % (γ = {result['gamma']:g})")
        left.legend(loc="lower left")
        return figure


def plot_map(result: dict[str, Any]) -> Figure:
    """Both failure rates and the rescue rate over S and F/S."""
    rows: list[Row] = result["map"]
    states = sorted({r["states"] for r in rows})
    eighths = range(1, 9)
    place = {(r["states"], k): r for r in rows for k in eighths if r["states"] * k // 8 == r["features"]}
    panels = (
        ("td_unstable", "off-policy TD unstable"),
        ("chain_biased", "chained TD biased"),
        ("unbiased_given_td_unstable", "rescued (unbiased if unstable)"),
    )
    with look():
        figure, axes_ = new_figure(1, 3, height=3.1, width=8.4)
        for axes, (name, title) in zip(axes_, panels, strict=True):
            rate = np.array([[_percent(place[S, k]["rates"][name]) for S in states] for k in eighths])
            top = 100.0 if name.startswith("unbiased") else 30.0
            axes.imshow(rate, origin="lower", aspect="auto", cmap="Greys", vmin=0, vmax=top * 1.15)
            for i, j in np.ndindex(rate.shape):
                value = rate[i, j]
                text = "–" if np.isnan(value) else f"{value:.0f}" if value >= 9.95 or value == 0 else f"{value:.1f}"
                dark = not np.isnan(value) and value > 0.55 * top
                axes.text(j, i, text, ha="center", va="center", fontsize=7.5, color="white" if dark else "black")
            axes.set_xticks(range(len(states)), labels=[str(S) for S in states])
            axes.set_yticks(range(8), labels=["1/8", "1/4", "3/8", "1/2", "5/8", "3/4", "7/8", "1"])
            axes.set(title=f"{title}, in %", xlabel="number of states S")
            axes.title.set_fontsize(9)
        axes_[0].set_ylabel("features per state F/S")
        arms = (abs(end - r["rates"][name]) for r in rows for name, _ in panels[:2] for end in r["ci95"][name])
        widest = ceil(1000 * max(arms)) / 10  # "at most" must not be rounded down
        figure.supxlabel(
            f"{rows[0]['samples']:,} problems each, γ = {result['gamma']:g}. 95% intervals of the first two: "
            f"at most ±{widest:.1f}; all are in the CSV. –: TD was never unstable.",
            fontsize=8,
        )
        return figure


def plot_conjecture(result: dict[str, Any]) -> Figure:
    """The bias rate for S ≫ F with the proved bound, and a law for which the conjecture fails."""
    with look():
        figure, (left, right) = new_figure(1, 2, height=3.2)
        features = sorted({r["features"] for r in result["conjecture"]})
        for axes, law, title in (
            (left, "normal", "normal features: provably rare"),
            (right, "absolute-normal", "absolute normal features, sink: not rare"),
        ):
            for i, F in enumerate(features):
                rows = [r for r in result["conjecture"] if r["law"] == law and r["features"] == F]
                x = [r["states"] for r in rows]
                rate, low, high = _rates(rows, "chain_biased")
                # None seen has no place on a logarithmic axis: an open arrow at the interval's upper end instead.
                seen = np.array(rate) > 0
                y, bottom, top = (np.where(seen, values, np.nan).tolist() for values in (rate, low, high))
                _series(axes, x, y, bottom, top, f"F = {F}, measured", i)
                # A band needs two points; a single one shows its interval so.
                axes.vlines(x, bottom, top, colors=SERIES[i]["color"], linewidth=0.9)
                none = [(S, end) for S, end, hit in zip(x, high, seen, strict=True) if not hit]
                # Shifted a little for each F, as they would lie upon each other.
                axes.plot(
                    [S * 1.12 ** (i - 1) for S, _ in none],
                    [end for _, end in none],
                    linestyle="none",
                    marker=r"$\downarrow$",
                    markersize=8,
                    color=SERIES[i]["color"],
                )
                if law == "normal":
                    axes.plot(x, [100 * r["bias_bound"] for r in rows], color=SERIES[i]["color"], **BOUND)
            axes.set(xscale="log", yscale="log", title=title, xlabel="number of states S", ylim=(0.02, 160))
            axes.set_xticks([4, 16, 64, 256], labels=["4", "16", "64", "256"])
            axes.set_yticks([0.1, 1, 10, 100], labels=["0.1", "1", "10", "100"])
            axes.minorticks_off()
            grid(axes)
        right.plot([], [], color="#666666", label="proved bound, left", **BOUND)
        right.plot(
            [],
            [],
            linestyle="none",
            marker=r"$\downarrow$",
            markersize=8,
            color="#666666",
            label="none seen: 95% limit",
        )
        left.set_ylabel(f"chain biased, in % (γ = {result['gamma']:g})")
        right.legend(loc="lower left")
        return figure


def plot_windows(result: dict[str, Any]) -> Figure:
    """From TD to the chain: how often G_T is stable, against T."""
    with look():
        figure, (axes,) = new_figure(1, 1, width=5.2, height=3.2)
        finite = [w["window"] for w in result["windows"][0]["windows"] if w["window"] != "inf"]
        end = 4.0 * finite[-1]
        for i, r in enumerate(result["windows"]):
            shown = r["windows"]
            x = [end if w["window"] == "inf" else w["window"] for w in shown]
            y = [100 * w["rate"] for w in shown]
            low, high = ([100 * w["ci95"][side] for w in shown] for side in (0, 1))
            _series(axes, x, y, low, high, f"S = {r['states']}, F = {r['features']}", i)
        ticks = [T for T in (1, 16, 256, 4096, 65536) if finite[-1] >= T]
        axes.set_xscale("log", base=2)
        axes.set_xticks([*ticks, end], labels=[f"{T:,}" for T in ticks] + ["∞"])
        axes.minorticks_off()
        step = result["windows"][0]["step_size"]
        axes.set(
            title="T = 1 is off-policy TD, T = ∞ is chained TD",
            xlabel=f"updates per target network T (α = {step:g}/λ_max(X))",
            ylabel=f"stable, in % (γ = {result['gamma']:g})",
        )
        grid(axes)
        axes.legend(loc="best")
        return figure


PLOTS: dict[str, tuple[str, Callable[[dict[str, Any]], Figure], str]] = {
    "success-rate": ("rates", plot_rates, "How often off-policy TD and chained TD solve random problems"),
    "success-rate-map": ("map", plot_map, "Failure and rescue rates over states and features"),
    "success-rate-conjecture": ("conjecture", plot_conjecture, "The bias rate when S is much larger than F"),
    "success-rate-windows": ("windows", plot_windows, "Stability from off-policy TD to chained TD"),
}


def write(result: dict[str, Any], out_dir: Path | str) -> list[Path]:
    """The result as JSON, and each figure as PNG, SVG and the CSV behind it."""
    out = Path(out_dir)
    out.mkdir(parents=True, exist_ok=True)
    files = [out / "success-rate.json"]
    files[0].write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    about = {key: str(result[key]) for key in ("command", "profile", "seed")}
    about["versions"] = ", ".join(f"{name} {value}" for name, value in result["versions"].items())
    for name, (part, plot, title) in PLOTS.items():
        table = out / f"{name}.csv"
        _write_csv(table, result[part], about)
        files += [*save(plot(result), out / name, {"Title": title, **about}), table]
    return files


def draw(
    out_dir: Path | str = "reports",
    *,
    profile: str = "quick",
    seed: int = 0,
    store: Store | Path | str | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    command: str = "theory figure success-rate",
) -> list[Path]:
    """Compute what the store lacks, then write everything; the files written."""
    if isinstance(store, Store):
        return write(run(store, profile, seed, executor, progress, command), out_dir)
    with Store(store or default_store(Path(out_dir) / "data")) as opened:
        return write(run(opened, profile, seed, executor, progress, command), out_dir)


def _series(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    label: str,
    style: int,
) -> None:
    axes.fill_between(x, low, high, color=SERIES[style]["color"], **BAND)
    axes.plot(x, y, label=label, **SERIES[style])


def _rates(rows: Iterable[Row], name: str) -> tuple[list[float], list[float], list[float]]:
    rows = list(rows)
    ends = ([100 * r["ci95"][name][side] for r in rows] for side in (0, 1))
    return [100 * r["rates"][name] for r in rows], *ends  # type: ignore[return-value]


def _complement(rows: Iterable[Row], name: str) -> tuple[list[float], list[float], list[float]]:
    rate, low, high = _rates(rows, name)
    return [100 - x for x in rate], [100 - x for x in high], [100 - x for x in low]


def _percent(rate: float | None) -> float:
    return float("nan") if rate is None else 100 * rate


def _write_csv(path: Path, rows: list[Row], about: dict[str, str]) -> None:
    """One line a row, nested values in columns of their own; the first lines, with #, say where it comes from."""
    flat = [line for row in rows for line in _lines(row)]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in about.items())
        writer = csv.DictWriter(file, list(flat[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)


def _lines(row: Row) -> list[Row]:
    base: Row = {}
    for key, value in row.items():
        if key == "rates":
            base |= {f"{name}_rate": rate for name, rate in value.items()}
        elif key == "ci95":
            base |= {
                f"{name}_{side}": x for name, ci in value.items() for side, x in zip(("low", "high"), ci, strict=True)
            }
        elif key not in ("windows", "decided_by"):
            base[key] = value
    if "windows" not in row:
        return [base]
    kept = ("states", "features", "gamma", "ensemble", "law", "samples", "step_size")
    return [
        {k: base[k] for k in kept}
        | {k: w[k] for k in ("window", "stable", "undecided", "rate")}
        | {"rate_low": w["ci95"][0], "rate_high": w["ci95"][1]}
        for w in row["windows"]
    ]
