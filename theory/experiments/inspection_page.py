"""An inspection as a page: the verdicts, why something fails, a ruler of γ, the spectra, the fixed points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.certified.answers import NO
from theory.problems.numbers import show_number
from theory.text.numbers import complex_text, short_text, significant, value_text
from theory.text.words import count, subject, word
from theory.thresholds.results import (
    certified_part,
    end_text,
    is_wide,
    stable_text,
    unbiased_text,
    unknown_text,
    unstable_text,
)
from theory.views.page import Block, Column, Lines, Page, answered, dim, prose, strong, table

if TYPE_CHECKING:
    from theory.certified.enclosed_spectra import EnclosedSpectrum
    from theory.certified.verdicts import Verdict
    from theory.experiments.inspection import Bounds, Inspection, Known
    from theory.noise.limits import StepSizeLimit
    from theory.problems.numbers import Array

RULER, SHORTEST = 60, 10  # columns of the γ ruler
STATES = 12  # that are listed


def inspection_page(found: Inspection) -> Page:
    """The page of ``theory inspect``."""
    problem = found.problem
    kind = "exact" if problem.is_exact else "floats as given"
    rank = f" of rank {found.rank}" if found.rank is not None and found.rank < problem.n_features else ""
    large = f", sparse P with {problem.successors.nnz:,} entries" if problem.is_large else ""
    about = (
        f"  {count(problem.n_states, 'state')}, {count(problem.n_features, 'feature')}{rank}, "
        f"γ = {show_number(problem.given.gamma)} ({kind}{large})"
    )
    values = _values(found) if found.bounds is None else _ranges(found, found.bounds)
    parts = (_verdicts(found), _why(found), [*_discounts(found)], [*_spectra(found)], [*values])
    return Page((prose(strong(problem.name), about), *(block for part in parts if part for block in (prose(), *part))))


def _verdicts(found: Inspection) -> list[Block]:
    network = found.target_network
    asked: dict[str, Verdict | Known] = {
        "td": found.td_known,
        "chain": found.chain_known,
        "window": network.verdict,
        "uniform": found.safe,
    }
    rows = [
        (subject(kind, network.window), answered(word(kind, v.holds.json), v.holds.json), f"{v.reason} ({v.how})")
        for kind, v in asked.items()
    ]
    steps = found.td_steps_note
    if found.td_limit is not None:
        steps = f"TD converges for 0 < α < {significant(found.td_limit, 6)}"
    elif steps is None:
        steps = f"TD converges for 0 < α < {found.td_steps.limit:.6g} (floats, not certified)"
    alpha = short_text(Fraction(network.step_size), longest=24)
    return [
        table(("<", "<", Column("", left=True, below=True)), rows),
        prose(),
        *_moments(found),
        prose(dim(f"{steps[:1].upper()}{steps[1:]}; target network at α = {alpha}.")),
        prose(dim(_in_mean_square(found))),
    ]


def _moments(found: Inspection) -> list[Block]:
    if found.bounds is None:
        return []
    off = found.bounds.moments
    known = f"are doubles within {off:.1g} of the true ones, proved" if isfinite(off) else "are not known"
    return [prose(dim(f"Moments X and Y {known}."))]


def _in_mean_square(found: Inspection) -> str:
    """Sampled learners need smaller steps than expected updates."""
    said = [f"{who} {_limit(limit)}" for who, limit in zip(("TD", "chain"), found.mean_square, strict=True)]
    text = f"Mean-square stable step sizes: {'; '.join(said)}"
    reasons = sorted({limit.reason for limit in found.mean_square if limit.reason is not None})
    return f"{text} ({'; '.join(reasons)})." if reasons else f"{text}."


def _limit(limit: StepSizeLimit) -> str:
    if limit.reason is not None:
        return "not computed here"
    if not limit.value:
        return "all" if limit.value is None else "none"
    exact = str(limit.exact)
    return f"α < {exact} ≈ {limit.short}" if "root of" not in exact and len(exact) <= 24 else f"α < {limit.short}"


def _why(found: Inspection) -> list[Block]:
    """What fails, why, in a sentence each."""
    asked = (("TD", found.td_known, found.why.td), ("the chain", found.chain_known, found.why.chain))
    said: list[Block] = [
        prose(strong(f"Why {who} fails: "), d.sentence) for who, known, d in asked if d and known.holds == NO
    ]
    unsafe = found.why.unsafe
    if unsafe is not None and len(unsafe) <= STATES:
        x = ", ".join(value_text(v) for v in unsafe)
        text = f"the one feature ({x}) makes TD unstable and the chain biased."
        said.append(prose(strong("Why not every Φ is safe: "), text))
    remedy = found.remedy
    if remedy is not None and len(remedy.d) <= STATES:
        weights = ", ".join(value_text(x) for x in remedy.d)
        said.append(prose(strong("Kolter's remedy: "), f"d = ({weights}): {remedy.sentence}.", hang=2))
    elif remedy is not None:
        said.append(prose(strong("Kolter's remedy: "), f"{remedy.sentence}; --json has d.", hang=2))
    return [*said, prose(dim("Directions and shares are in floats; the verdicts are certified."))] if said else []


def _discounts(found: Inspection) -> Iterator[Block]:
    """γ from 0 to 1: where TD is stable and where the chain is unbiased, with the exact ends below."""
    chain, td = found.chain_threshold, found.td_intervals
    yield Lines(lambda width: _ruler(found, max(SHORTEST, min(RULER, width - 12))))
    unstable = None if td.complete else unstable_text(td)
    beyond = "" if unstable is None else f"; unstable for γ in {unstable}"
    yield prose(f"TD is stable for γ in {stable_text(td, end_text)}{beyond}", hang=2)
    notes = [note for note in (td.reason, unknown_text(td)) if note is not None]
    if notes:
        yield prose(dim(f"  {'; '.join(notes)}{_go_on(is_wide(td))}"), hang=2)
    yield prose(f"The chain is unbiased for {unbiased_text(chain, end_text)}", hang=2)
    if chain.exact is None and chain.reason is not None:
        stopped = chain.high is None and chain.low is not None and chain.low < 1
        yield prose(dim(f"  {chain.reason}{_go_on(stopped)}"), hang=2)
    if found.problem.gamma == 1:
        yield prose(dim("  the intervals are of γ < 1; the verdicts above are at γ = 1"), hang=2)


def _ruler(found: Inspection, columns: int) -> tuple[str, ...]:
    td = found.td_intervals
    scale = ["0", *" " * (columns - 2), "1"]
    scale[min(columns - 1, int(found.problem.gamma * columns))] = "▼"
    rows = {
        "TD stable": ([interval.certified for interval in td.intervals], td.unknown),
        "unbiased": certified_part(found.chain_threshold),
    }
    lines = [f"{'γ':>10}  " + "".join(scale)]
    for name, (yes, unknown) in rows.items():
        cells = (Fraction(2 * i + 1, 2 * columns) for i in range(columns))
        marks = ("█" if _within(x, yes) else "?" if _within(x, unknown) else "·" for x in cells)
        lines.append(f"{name:>10}  " + "".join(marks))
    return tuple(lines)


def _within(x: Fraction, stretches: Any) -> bool:
    return any(int(low.p) <= x * int(low.q) and x * int(high.q) < int(high.p) for low, high in stretches)


def _go_on(unknown: bool) -> str:
    return "; to go on: --exact" if unknown else ""


def _spectra(found: Inspection) -> Iterator[Block]:
    spectra = (("λ(A)", found.td_enclosed, found.td_spectrum), ("λ(γΠP)", found.chain_enclosed, found.chain_spectrum))
    for name, enclosed, spectrum in spectra:
        counts = _floats(spectrum) if enclosed is None else _balls(enclosed, name != "λ(A)")
        shown = [text + (f" (×{n})" if n > 1 else "") for text, n in counts.items()]
        rest = f"  … {len(shown)} different" if len(shown) > 6 else ""
        how = "" if enclosed is not None else "  (floats, not certified)"
        yield prose(f"{name:>10}  {'  '.join(shown[:6]) or 'none'}{rest}", dim(how), hang=12)


def _balls(enclosed: EnclosedSpectrum, around_one: bool) -> Counter[str]:
    """Certified digits; what agrees in those shown is shown once."""
    counts: Counter[str] = Counter()
    for value in enclosed.values:
        counts[complex_text(value.ball, around_one=around_one)] += value.multiplicity
    return counts


def _floats(eigenvalues: Array) -> Counter[str]:
    """Repeated eigenvalues come out of floats a little apart: what agrees to six digits is shown once."""
    smallest = 1e-12 * float(np.abs(eigenvalues).max(initial=0.0))
    return Counter(_complex(z, smallest) for z in eigenvalues.tolist())


def _values(found: Inspection) -> Iterator[Block]:
    problem = found.problem
    columns = (problem.given.d_mu, found.v_pi, found.target.values, found.v_mu, found.behaviour.values)
    rows = [
        (label, *("–" if column is None else value_text(column[s]) for column in columns))
        for s, label in enumerate(problem.state_labels[:STATES])
    ]
    yield table(("state", "d_μ", "v_π", "Φθ_π", "v_μ", "Φθ_μ"), rows)
    if problem.n_states > len(rows):
        yield prose(f"… {problem.n_states} states in all; --json prints every one")
    for name, point in (("θ_π", found.target), ("θ_μ", found.behaviour)):
        if point.theta is not None:
            more = ", …" if len(point.theta) > STATES else ""
            shown = ", ".join(value_text(x) for x in point.theta[:STATES]) + more
            yield prose(f"{name} = ({shown})", dim(f"  {point.note}" if point.note else ""), hang=2)
        else:
            yield prose(f"{name}: {point.note}", hang=2)
    yield from (prose(dim(note)) for note in found.notes)


def _ranges(found: Inspection, bounds: Bounds) -> Iterator[Block]:
    """The values of a large problem from the least to the largest, θ, and how far the two are apart."""
    policies = (("π", found.v_pi, bounds.v_pi, found.target), ("μ", found.v_mu, bounds.v_mu, found.behaviour))
    for letter, v, off, point in policies:
        if v is None or off is None:
            continue
        known = f"lies in [{v.min():.6g}, {v.max():.6g}], each value to {off:.1g} (proved)"
        unknown = "is not known: nothing bounds it in doubles, because of very long episodes or of very large numbers"
        yield prose(f"v_{letter} {known if isfinite(off) else unknown}", hang=2)
        if point.theta is None or point.bound is None:
            yield prose(f"θ_{letter}: {point.note}", hang=2)
            continue
        shown = ", ".join(f"{x:.6g}" for x in point.theta[:6]) + (", …" if len(point.theta) > 6 else "")
        off_theta = point.bound.max(initial=0.0)
        yield prose(f"θ_{letter} = ({shown}), each entry to {off_theta:.1g} (proved)", hang=2)
        if isfinite(off):
            gap = np.abs(point.values - v)
            mean = float(np.sqrt(np.mean(gap * gap)))
            yield prose(f"Φθ_{letter} − v_{letter}: root mean square {mean:.6g}, largest {gap.max():.6g} (floats)")


def _complex(z: complex, smallest: float) -> str:
    """Six digits; what is not above `smallest` is taken for a rounded zero."""
    if abs(z) <= smallest:
        return "0"
    if abs(z.imag) <= smallest:
        return f"{z.real:.6g}"
    return f"{z.real:.6g}±{abs(z.imag):.6g}i"
