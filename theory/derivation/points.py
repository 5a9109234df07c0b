"""A family's conditions against certified verdicts, at random rational points of its letters' ranges."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from theory.derivation.conditions import Condition, Conditions
from theory.derivation.letters import FamilyForms
from theory.methods.basic import TD
from theory.methods.chains import CHAIN


@dataclass(frozen=True, eq=False)
class PointCheck:
    """How many points of each pair of verdicts there were, and where the conditions say otherwise."""

    seed: int
    agree: Counter[tuple[bool, bool]]  # TD stable, chain unbiased
    differ: tuple[dict[str, Fraction], ...]

    @property
    def ok(self) -> bool:
        """Do they agree everywhere?"""
        return not self.differ

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "seed": self.seed,
            "points": sum(self.agree.values()) + len(self.differ),
            "differences": [{name: str(x) for name, x in point.items()} for point in self.differ],
            "verdicts": [
                {"td_stable": td, "chain_unbiased": chain, "points": n} for (td, chain), n in sorted(self.agree.items())
            ],
        }


def check_points(forms: FamilyForms, found: Conditions, points: int, seed: int = 0) -> PointCheck:
    """Draw that many members, γ among what is drawn; where the chosen features are dependent another is drawn."""
    rng = np.random.default_rng(seed)
    agree: Counter[tuple[bool, bool]] = Counter()
    differ: list[dict[str, Fraction]] = []
    while sum(agree.values()) + len(differ) < points:
        values = forms.family.draw(rng) | {"gamma": Fraction(int(rng.integers(0, 100)), 100)}
        at = {forms.symbols[name]: sympy.Rational(x.numerator, x.denominator) for name, x in values.items()}
        if forms.X.subs(at).det() == 0:
            continue
        problem = forms.family.at(values)
        verdicts = TD.verdict(problem).proved, CHAIN.verdict(problem).proved
        if all(_holds(side, at) in (None, one) for side, one in zip((found.td, found.chain), verdicts, strict=True)):
            agree[verdicts] += 1
        else:
            differ.append(values)
    return PointCheck(seed, agree, tuple(differ))


def _holds(side: tuple[Condition, ...] | None, at: dict[sympy.Symbol, sympy.Rational]) -> bool | None:
    return None if side is None else all(c.holds(at) for c in side)
