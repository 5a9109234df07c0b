"""How flips are shown: one line each, the nearest first."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theory.experiments.flips import Flip

MOST, PER_KIND = 8, 3
MEASURE = (
    "  (the three nearest of each kind and boundary, and at a tie all that flip at once; "
    "γ and mass by the change itself, an entry of Φ by its change over the largest |Φ|)"
)


def flip_lines(flips: list[Flip], scope: str, states: tuple[str, ...] | None = None) -> list[str]:
    """The nearest flips in words; `scope` says what was looked at, `states` names the states."""
    from theory.experiments.flips import SURE

    lines = [f"Nearest flips, of {scope}:"]
    for flip in _shown(flips):
        what, subject = _change(flip, states), {"td": "TD", "chain": "the chain"}[flip.boundary]
        proof = f"certified at {_value(flip.inside)} and {_value(flip.outside)}"
        lines.append(f"  {flip.size:>8.2%}  {what}: {subject} becomes {flip.becomes}  ({proof})")
    if not flips:
        return [*lines, "  none: no such change crosses a boundary" if SURE in scope else "  none found"]
    if len(flips) > MOST:
        lines.append(f"  … {len(flips) - MOST} more of these; --json prints them")
    return [*lines, MEASURE]


def _shown(flips: list[Flip]) -> list[Flip]:
    """The nearest, with every kind among them: a problem on a boundary has many that flip at once."""
    seen: Counter[tuple[str, str]] = Counter()
    ranks = []
    for i, flip in enumerate(flips):
        seen[flip.kind, flip.boundary] += 1
        ranks.append((seen[flip.kind, flip.boundary] > PER_KIND, i))
    return [flips[i] for i in sorted(i for _, i in sorted(ranks)[:MOST])]


def _change(flip: Flip, states: tuple[str, ...] | None) -> str:
    def name(s: int) -> str:
        return str(s) if states is None else states[s]

    to = flip.exact if flip.exact is not None and len(flip.exact) <= 24 else f"{flip.crossing:.6g}"
    if flip.kind == "gamma":
        return f"γ = {_value(flip.start)} → {to}"
    if flip.kind == "feature":
        s, f = flip.place
        return f"Φ[{name(s)}, {f}] = {_value(flip.start)} → {to}"
    return f"mass {to} of d from state {name(flip.place[0])} to {name(flip.place[1])}"


def _value(value: Any) -> str:
    text = str(value) if isinstance(value, Fraction) else f"{value:.6g}"
    return text if len(text) <= 16 else f"{float(value):.10g}"
