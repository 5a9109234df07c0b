"""Captions, and texts for those who do not see the figures; every number in them is taken from the result shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from theory.experiments.family_figures import WINDOW_PROBLEMS
from theory.experiments.table1_text import TITLES, number
from theory.problems.catalogue import catalogue_problem

Data = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True)
class Caption:
    """What stands below a figure, and what is to be seen in it."""

    text: str
    alt: str


def rate(row: Row, name: str) -> str:
    """``12.3% [11.0%, 13.8%]``: a rate with its 95% interval."""
    low, high = row["ci95"][name]
    value = row["rates"][name]
    return "none" if value is None else f"{100 * value:.1f}% [{100 * low:.1f}%, {100 * high:.1f}%]"


def largest(rows: list[Row], missing: int) -> Row:
    """The row with the most states, and `missing` features fewer than states."""
    return max((r for r in rows if r["states"] - r["features"] == missing), key=lambda r: r["states"])


def _rates(result: Data) -> Caption:
    square, short = (largest(result["rates"], missing) for missing in (0, 1))
    S = square["states"]
    return Caption(
        f"Random problems solved against the number of states S, with as many features as states (left, the paper’s "
        f"figure 1) and with one fewer (right); γ = {result['gamma']:g}, {square['samples']:,} problems a point, bands "
        "are 95% Wilson intervals. Left the chain’s success is algebra (Π = I), right it is a measurement.",
        f"Two panels of curves over the number of states. Left, F = S: chained TD solves every problem, off-policy TD "
        f"fails on {rate(square, 'td_unstable')} at S = {S}. Right, F = S − 1: chained TD is biased on "
        f"{rate(short, 'chain_biased')} and off-policy TD unstable on {rate(short, 'td_unstable')} at S = {S}.",
    )


def _rate_map(result: Data) -> Caption:
    rows = result["map"]
    worst = max(rows, key=lambda r: r["rates"]["chain_biased"])
    where = f"S = {worst['states']}, F = {worst['features']}"
    return Caption(
        "Failure rates and the rescue rate (how often the chain is unbiased where TD is unstable) over S and F/S, "
        f"{worst['samples']:,} problems a cell. Intervals are in the CSV.",
        "Three tables of percentages over the number of states and the features per state, darker where larger. The "
        f"chain’s bias is most frequent at {where}: {rate(worst, 'chain_biased')}. Along F = S it is never biased.",
    )


def _conjecture(result: Data) -> Caption:
    rows = [r for r in result["conjecture"] if r["features"] == max(x["features"] for x in result["conjecture"])]
    ends = {law: max((r for r in rows if r["law"] == law), key=lambda r: r["states"]) for law in
            ("normal", "absolute-normal")}  # fmt: skip
    F, S = ends["normal"]["features"], ends["normal"]["states"]
    return Caption(
        "The conjecture that bias is unlikely when S ≫ F. Left: normal features, for which the rate is provably small "
        "(dotted: the bound). Right: absolute normal features with a sink, for which it is not.",
        f"Two panels of curves on logarithmic axes. At S = {S}, F = {F} the chain is biased on "
        f"{rate(ends['normal'], 'chain_biased')} with normal features and on "
        f"{rate(ends['absolute-normal'], 'chain_biased')} with absolute normal ones.",
    )


def _windows(result: Data) -> Caption:
    row = result["windows"][0]
    first, last = row["windows"][0], row["windows"][-1]
    best = max(row["windows"], key=lambda w: w["rate"])
    return Caption(
        "Between TD and the chain: stable problems against the updates T per target network, hot start. T = 1 is "
        f"off-policy TD, T = ∞ the chain; {row['samples']:,} problems each.",
        f"Curves over T. At S = {row['states']}, F = {row['features']} the stable share is {100 * first['rate']:.1f}% "
        f"for T = 1, {100 * last['rate']:.1f}% for T = ∞, and at best {100 * best['rate']:.1f}%, for T = "
        f"{best['window']}.",
    )


def _expected_updates(result: Data) -> Caption:
    heads = result["heads"]
    peaks = [max(row[-1] for row in result[name]) for name in ("concurrent", "normalised")]
    return Caption(
        f"The paper’s figure 2: expected updates on Baird-Reward, γ = {result['gamma']:g}, α = {result['alpha']:g}, "
        f"seen at state {result['state']}; one head after the other, all heads at once, and all at once with steps of "
        f"length α. The orange line is v_π = {result['target']:g}.",
        f"Three panels. One head at a time, the value climbs in steps to {result['sequential'][-1]:.2f}. All at once, "
        f"head {heads} swings up to {peaks[0]:.0f} before it settles; with steps of length α up to {peaks[1]:.0f}.",
    )


def _learning_curves(result: Data) -> Caption:
    cells = [c for c in result["cells"] if (c["problem"], c["gamma"]) == ("baird-reward", 0.99)]
    ends = ", ".join(f"{TITLES[c['learner']]} {number(c['rmse'])}" for c in cells)
    return Caption(
        "The paper’s figure 3: RMSE of the tuned learners on Baird-Reward, γ = .99, over moves, with 95% bootstrap "
        f"bands over {cells[0]['seeds']} test seeds (first repetition).",
        f"One curve a learner on a logarithmic axis. RMSE over the last half as in table 1: {ends}.",
    )


def _all_learning_curves(result: Data) -> Caption:
    return Caption(
        "The same on all six columns of table 1 (the paper’s appendix).",
        "Six panels of learning curves: Baird, Baird-Reward and Threestate at γ = .9 and at .99, seven learners each. "
        "The numbers they end in are those of table 1.",
    )


def _n_step_chains(result: Data) -> Caption:
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
    )


def _transient(result: Data) -> Caption:
    parts = "; ".join(
        f"γ = {c['gamma']:g}, α = {c['alpha']:g}: R = {c['R']:.3f}, peak 10^{c['log10_peak'][-1]:.1f}"
        for c in result["curves"]
    )
    last = len(result["curves"][0]["log10_peak"]) - 1
    return Caption(
        "Beyond the paper: how high head k of a concurrent chain climbs before it settles, under expected updates on "
        "Baird-Reward; the slope is R of `extra-transient`.",
        f"Peak error against the head on a logarithmic axis; at head {last}: {parts}.",
    )


def _bias_variance(result: Data) -> Caption:
    best = min((p | {"n": s["n"]} for s in result["series"] if s["family"] == "chain" for p in s["points"]),
               key=lambda p: p["rmse"])  # fmt: skip
    network = min((p for s in result["series"] if s["family"] != "chain" for p in s["points"]), key=lambda p: p["rmse"])
    return Caption(
        f"Beyond the paper: bias and standard deviation over {result['seeds']} seeds after {result['steps']:,} moves "
        "on Threestate, γ = .9, for n-step chains over the head k and for target networks over T; the best α for each "
        "point. A bias of 0 cannot be told from noise and is not drawn.",
        f"Two panels. The best chain is n = {best['n']}, k = {best['value']} with RMSE {best['rmse']:.2g}; the best "
        f"target network T = {network['value']} with RMSE {network['rmse']:.2g}.",
    )


def _best_window(result: Data) -> Caption:
    discounts = [catalogue_problem(name).gamma for name, _ in WINDOW_PROBLEMS]
    parts = "; ".join(
        f"{p['problem'].partition(':')[0]}, γ = {gamma:g}, with α = {p['alpha']:g}: best measured "
        f"T = {p['best_measured']}, by theory {p['best_rate']}"
        for p, gamma in zip(result["panels"], discounts, strict=True)
    )
    gammas = " and ".join(f"{gamma:g}" for gamma in sorted(set(discounts)))
    return Caption(
        f"Beyond the paper: error at γ = {gammas} after {result['steps']:,} moves against the window T of a "
        f"target network, measured ({result['seeds']} seeds) and under expected updates from the same starts; "
        "dotted: the T of least ρ(G_T)^(1/T).",
        f"Three panels of error against T, each with a valley. {parts}.",
    )


# Stem of the files -> the part whose result is shown, and its caption.
CAPTIONS: dict[str, tuple[str, Callable[[Data], Caption]]] = {
    "success-rate": ("success-rate", _rates),
    "success-rate-map": ("success-rate", _rate_map),
    "success-rate-conjecture": ("success-rate", _conjecture),
    "success-rate-windows": ("success-rate", _windows),
    "expected-updates": ("expected-updates", _expected_updates),
    "learning-curves": ("table-1", _learning_curves),
    "learning-curves-all": ("table-1", _all_learning_curves),
    "n-step-chains": ("n-step-chains", _n_step_chains),
    "transient": ("transient", _transient),
    "bias-variance": ("bias-variance", _bias_variance),
    "best-window": ("best-window", _best_window),
}
