"""One colour and one mark for a meaning, in every figure, page and table, on white paper and on dark pages."""

from __future__ import annotations

GOOD, BAD, UNSURE = "#2f8fd0", "#D55E00", "#777777"  # stable and unbiased; unstable and biased; undecided
# Nothing fails, only TD, only the chain, both; lines and areas of TD are vermilion, those of the chain blue.
QUADRANTS = ("#ffffff", "#f3c9ae", "#c6dcf0", "#b9a7bd")
QUADRANT_NAMES = ("TD stable, chain unbiased", "TD unstable, chain unbiased", "TD stable, chain biased", "both fail")
TD_LINE, CHAIN_LINE = "#8a2d00", "#003f6b"  # where TD's verdict changes, and the chain's
