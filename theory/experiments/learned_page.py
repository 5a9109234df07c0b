"""Runs of learners as a page."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.experiments.bootstrap import BAND
from theory.experiments.over_seeds import SHARE
from theory.text.words import count
from theory.views.page import Block, Column, Page, Styled, dim, prose, strong, table

if TYPE_CHECKING:
    from theory.experiments.learning import Learned
    from theory.experiments.tuning import Tuning

_BARS = "▁▂▃▄▅▆▇█"
MEASURES = {
    "uniform": ("RMSE", "RMSE against v_π: the root of the mean square, uniform over states and seeds"),
    "d_mu": ("√VE", "√VE: the root of the mean square error against v_π, states weighted by d_μ, uniform over seeds"),
    "pbe": (
        "√PBE",
        "√PBE: the root of the mean squared projected Bellman error ‖Π(r_π + γP_πv − v)‖² in the norm of d_μ",
    ),
}


def learned_page(results: Sequence[Learned]) -> Page:
    """A row a learner, what the seeds say, the settings."""
    first = results[0]
    run = first.run
    rows = []
    for r in results:
        band = f"{_number(r.low[-1], short=True)}–{_number(r.high[-1], short=True)}" if r.run.seeds > 1 else "–"
        numbers = (_number(r.last_half), _number(r.final), band, f"{r.diverged_seeds}/{r.run.seeds}")
        rows.append((r.run.learner, *numbers, _spark(r)))
    headings = ("learner<", "last half", "at end", Column("band there", drop=1), "> 150", Column("curve", True, drop=2))
    title = f", γ = {first.gamma:g}, {run.steps:,} moves, seeds: {run.seeds}"
    blocks: list[Block] = [prose(strong(first.problem), title), prose(), table(headings, rows), prose()]
    if run.seeds > 1:
        blocks += _seeds(results)
    hidden = ("steps", "seeds", "seed", "scale")
    for r in results:
        setting = ", ".join(f"{k} = {_short(v)}" for k, v in r.run.config.items() if k not in hidden)
        blocks.append(prose(dim(f"{r.run.learner}: {setting}"), hang=2))
        if r.run.tuning is not None:
            blocks.append(prose(dim(f"  {_tuned(r, r.run.tuning)}"), hang=4))
            if r.run.tuning.at_edge:
                blocks.append(prose(Styled(f"  {_beyond(r.run.tuning)}", "unsure"), hang=4))
        if r.exact is not None:
            blocks.append(prose(f"{r.run.learner}: {_expected(r)}", hang=2))
        elif r.inexact is not None:
            blocks.append(prose(dim(f"{r.run.learner}: no exact error: {r.inexact}"), hang=2))
        if r.untrained is not None:
            blocks.append(prose(Styled(f"{r.run.learner}: {r.untrained}", "unsure"), hang=2))
    mark = "the paper's mark of divergence" + ("" if run.error == "uniform" else " of the RMSE")
    blocks += [
        prose(),
        prose(f"{MEASURES[run.error][1]}; the curve is logarithmic."),
        prose(f"> 150: seeds above 150 over the last half, {mark}; starts may lie there, too."),
    ]
    if run.seeds > 1:
        blocks.append(prose(f"Band: {BAND}."))
    return Page(tuple(blocks))


def _seeds(results: Sequence[Learned]) -> list[Block]:
    """A seed's error over the last half: the middle, the range of nearly all, each learner against the first."""
    rows, first = [], results[0]
    for r in results:
        tolerance, pair = r.tolerance, r.paired
        assert tolerance is not None  # there are two seeds at least
        range_ = f"{_number(tolerance.low, short=True)}–{_number(tolerance.high, short=True)}"
        apart = ("", "", "")
        if pair is not None:
            interval = f"{_number(pair.low, short=True)} … {_number(pair.high, short=True)}"
            lost = not isfinite(pair.mean)
            apart = ("–" if lost else f"{pair.mean:+.3g}", "–" if lost else interval, f"{pair.lower}/{pair.seeds}")
        rows.append((r.run.learner, _number(r.middle), range_, *apart)[: 6 if len(results) > 1 else 3])
    share = first.tolerance.share if first.tolerance is not None else SHARE
    others = (Column("minus the first"), Column("95%", drop=2), Column("lower on", drop=1))
    against = others if len(results) > 1 else ()
    measure = MEASURES[first.run.error][0]
    text = f"A seed's {measure} over the last half. At least {share:.0%} of all seeds lie within, with 95% confidence."
    if against:
        text += f" The difference to {first.run.learner} is on the same moves, its interval a bootstrap over seeds."
    return [table(("a seed's<", "IQM", f"{share:.0%} within", *against), rows), prose(dim(text)), prose()]


def _tuned(result: Learned, tuning: Tuning) -> str:
    """How the setting looked where it was chosen, and how it did on new seeds."""
    how = f"the best of {tuning.settings:,} settings on {tuning.seeds} tuning seeds"
    return f"{how}: {_number(tuning.rmse)} there, {_number(result.last_half)} on {result.run.seeds} new ones"


def _beyond(tuning: Tuning) -> str:
    from theory.experiments.learning import WORDS

    names = " and ".join(WORDS.get(name, name) for name in tuning.at_edge)
    return f"{names} at the edge of the grid: better ones may lie beyond"


def _expected(result: Learned) -> str:
    """The exact errors beside what was measured, in a sentence."""
    exact = result.exact
    assert exact is not None
    last, final = _number(exact.last_half**0.5), _number(float(exact.rmse[-1]))
    text = f"exact expectation {last} over the last half, {final} at the end"
    band = exact.band(result.run.seeds)
    if band is None:
        return f"{text} (no band: {exact.reason})"
    low, high = (float(x[-1]) for x in band)
    seeds = count(result.run.seeds, "seed")
    if not low > 0:
        return f"{text}; {seeds} say little of it: its spread over them is larger than itself"
    return f"{text}; about 95% of all samples of {seeds} end in {_number(low)}–{_number(high)}"


def _spark(result: Learned) -> str:
    """The curve in 12 characters, on a logarithmic scale of four powers of ten below its top."""
    at = np.linspace(0, len(result.rmse) - 1, 12).round().astype(int)
    values = result.rmse[at]
    top = np.log10(max(values[np.isfinite(values)].max(initial=1e-12), 1e-12))
    with np.errstate(divide="ignore"):
        level = np.clip((np.log10(values) - top + 4) / 4 * 7, 0, 7)
    return "".join("∞" if not isfinite(v) else _BARS[round(x)] for v, x in zip(values, level, strict=True))


def _number(value: float, short: bool = False) -> str:
    """Three digits; `short` has two where there is an exponent as well, so that a table fits into 80 columns."""
    text = f"{value:.3g}" if isfinite(value) else "div"
    return f"{value:.2g}" if short and "e" in text else text


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
