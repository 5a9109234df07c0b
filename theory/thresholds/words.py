"""Discounts in words. Brackets do not reach γ = 1, and what they do not reach is not claimed."""

from __future__ import annotations

from collections.abc import Callable

from theory.thresholds.bracketing import WIDTH
from theory.thresholds.results import StableIntervals, Threshold

EndText = Callable[[Threshold], str]  # how a place writes a number


def stable_text(found: StableIntervals, end: EndText) -> str:
    """Where TD is stable: ``[0, 5/6 ≈ 0.833333)``."""

    def close(high: Threshold) -> str:
        if not found.complete and high.exact is not None and high.exact == 1:
            return f"1 − {float(WIDTH):.0g}]"
        return f"{end(high)})"

    return " and ".join(f"[{end(low)}, {close(high)}" for low, high in found.intervals)


def unbiased_text(chain: Threshold, end: EndText) -> str:
    """Where the chain is unbiased: ``γ < 5/6 ≈ 0.833333``."""
    if chain.exact is None and chain.low is not None and chain.high is None:
        return f"every γ up to 1 − {float(1 - chain.low):.0g} at least"
    return "every γ in [0, 1)" if chain.value is None or chain.value >= 1 else f"γ < {end(chain)}"
