"""Where runs begin: θ of every head from N(0, 100²), auxiliary weights from 0 (readings 5).

Every seed has a generator of its own, spawned from the caller's, so seed i starts the same whether 10 or 100 seeds
are drawn, and head 0 of a chain starts where a learner with one vector does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.learners.checks import count
from theory.problems.numbers import FloatArray


@dataclass(frozen=True, eq=False)
class Initials:
    """Parameters (seeds, heads, F), and auxiliary weights (seeds, F) where they do not start from 0."""

    theta: FloatArray
    w: FloatArray | None = None


def draw_initials(
    rng: np.random.Generator,
    seeds: int,
    heads: int,
    features: int,
    *,
    scale: float = 100.0,
    shared: bool = False,
    auxiliary: bool = False,
) -> Initials:
    """Normal starts; `shared` uses one draw for all seeds, `auxiliary` draws w as well instead of taking 0."""
    for name, value in {"seeds": seeds, "heads": heads, "features": features}.items():
        count(value, 1, name)
    children = rng.spawn(1 if shared else seeds)
    # w before θ's further heads would shift them: draw it from a child of its own.
    theta = np.stack([child.standard_normal((heads, features)) for child in children]) * scale
    w = np.stack([child.spawn(1)[0].standard_normal(features) for child in children]) * scale
    if shared:
        theta, w = np.repeat(theta, seeds, axis=0), np.repeat(w, seeds, axis=0)
    return Initials(theta, w if auxiliary else None)
