r"""Global optimisation of the margin, in floats, by differential evolution.

A point of the unit cube is a problem: γ if it is free, d by weights e^x, rows of P by weights x⁴ (so that moves of
small probability are easily dropped), and Φ = D^−½Ψ. Taking Ψ instead of Φ lets rare states have large features,
which is what makes problems unstable. The smaller γ is, the rarer states may be: a bias needs about d < γ²/4. For the
largest ρ they are as rare as the wanted denominator allows.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np

from theory.experiments.search.margins import ENOUGH, Batch, margins
from theory.experiments.search.wanted import Wanted
from theory.problems.numbers import FloatArray

GENERATIONS = 150
POPULATION = 300


def decode(points: FloatArray, states: int, features: int, wanted: Wanted) -> Batch:
    """The problems at points (N, dimension) of the unit cube."""
    N, S, F = len(points), states, features
    gamma = 0.5 + 0.49 * points[:, 0] if wanted.gamma is None else np.full(N, float(wanted.gamma))
    rarest = 4.0 - 2 * log(max(float(wanted.gamma), 1e-6)) if wanted.gamma else 4.0
    if wanted.largest_rho:
        rarest = log(max(1.0, wanted.max_denominator - S + 1.0))
    d = np.exp(-rarest * points[:, 1 : 1 + S])
    d /= d.sum(axis=1, keepdims=True)
    P = points[:, 1 + S : 1 + S + S * S].reshape(N, S, S) ** 4 + 1e-12
    P /= P.sum(axis=2, keepdims=True)
    Psi = 2 * points[:, 1 + S + S * S :].reshape(N, S, F) - 1
    return Batch(Psi / np.sqrt(d)[:, :, None], P, d, gamma)


def best_in_floats(
    rng: np.random.Generator,
    wanted: Wanted,
    states: int,
    features: int,
    stop: Callable[[], bool] = lambda: False,
    generations: int = GENERATIONS,
) -> tuple[Batch, float]:
    """One run: a batch of one problem and its margin; ends early at a margin that is `ENOUGH`, or on `stop`."""
    from scipy.optimize import differential_evolution

    dimension = 1 + states + states**2 + states * features
    best: list[tuple[float, FloatArray]] = [(-np.inf, np.zeros(dimension))]

    def cost(points: FloatArray) -> FloatArray:
        batch = decode(np.atleast_2d(points.T), states, features, wanted)
        value, found = margins(batch, wanted)
        if wanted.largest_rho:  # once on the wanted side, as far out as it goes
            value = np.where(value >= ENOUGH / 4, ENOUGH + np.minimum(found.rho, 1e6), value)
        i = int(value.argmax())
        if value[i] > best[0][0]:
            best[0] = (float(value[i]), np.atleast_2d(points.T)[i].copy())
        return -value

    def enough(x: FloatArray, convergence: float) -> bool:
        return stop() or (not wanted.largest_rho and best[0][0] >= ENOUGH)

    differential_evolution(
        cost,
        [(0.0, 1.0)] * dimension,
        maxiter=generations,
        popsize=max(1, min(15, POPULATION // dimension)),
        tol=0,
        polish=False,
        updating="deferred",
        vectorized=True,
        callback=enough,
        seed=rng,
    )
    return decode(best[0][1][None], states, features, wanted), min(best[0][0], ENOUGH)
