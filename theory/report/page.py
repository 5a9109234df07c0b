"""The report's first page: what was verified, what the random problems say, where the rest is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from theory.propositions.statement import Finding
from theory.report.verification import verification_section

HEAD = """\
# Report

Written by `theory report --profile {profile}`, seed {seed}. The paper is *Chaining Value Functions for Off-Policy
Learning* (Schmitt, Shawe-Taylor and van Hasselt, AAAI 2022).

- [What was verified](#what-was-verified), and what has to be amended
- [How often?](#how-often) Random problems: when TD diverges, and when the chain is biased
- [The catalogue](catalogue.md) of counterexamples with certified verdicts and exact thresholds

## What was verified

"""

HOW_OFTEN = """\

## How often?

With as many features as states the projection is the identity, so the chain is unbiased by algebra and the paper's
figure could not have come out otherwise; with one feature fewer it fails nearly as often as TD diverges. Intervals are
95% Wilson intervals. Made by `theory figure success-rate`.

"""

CAPTIONS = {
    "success-rate": "Problems solved against the number of states, F = S as in the paper and F = S − 1.",
    "success-rate-map": "Failure rates and the rescue rate over S and F/S.",
    "success-rate-conjecture": "S ≫ F: the measured rate of bias, its proved bound, and a law for which it stays.",
    "success-rate-windows": "From TD to the chain: stable problems against the updates per target network.",
}


def report_page(findings: Sequence[Finding], figures: Sequence[Path], profile: str, seed: int) -> str:
    """Markdown; `figures` are files beside the page."""
    pictures = [_picture(path) for path in figures if path.suffix == ".svg"]
    head = HEAD.format(profile=profile, seed=seed)
    return head + verification_section(findings) + "\n" + HOW_OFTEN + "\n\n".join(pictures) + "\n"


def _picture(path: Path) -> str:
    caption, data = CAPTIONS.get(path.stem, path.stem), f"{path.stem}.csv"
    return f"![{caption}]({path.name})\n\n{caption} Data: [{data}]({data})."
