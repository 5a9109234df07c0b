"""How flips are shown: one line each, the nearest first."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theory.experiments.flips import Flip

MOST = 8


def flip_lines(flips: list[Flip], scope: str, states: tuple[str, ...] | None = None) -> list[str]:
    """The nearest flips in words; `scope` says what was looked at, `states` names the states."""
    lines = [f"Nearest flips, of {scope}:"]
    for flip in flips[:MOST]:
        what, subject = _change(flip, states), {"td": "TD", "chain": "the chain"}[flip.boundary]
        proof = f"certified at {_value(flip.inside)} and {_value(flip.outside)}"
        lines.append(f"  {flip.size:>8.2%}  {what}: {subject} becomes {flip.becomes}  ({proof})")
    if not flips:
        lines.append("  none: no such change crosses a boundary")
    elif len(flips) > MOST:
        lines.append(f"  … {len(flips) - MOST} more; --json prints all of them")
    return lines


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
