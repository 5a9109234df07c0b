"""What `inspect` says of a large problem, without a matrix of S×S numbers.

Moments are doubles between bounds (`theory.model.enclosed`); the verdicts hold for every matrix within them
and are re-checked by another road. θ_π solves a system of balls, v_π comes with the bound that its residual proves.
Eigenvalues are floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from theory.certified.large import large_safety
from theory.experiments.inspection import (
    NO_BEHAVIOUR,
    Bounds,
    Inspection,
    Known,
    Point,
    Progress,
    Window,
    default_step_size,
    steps_note,
)
from theory.linear.spectra import spectrum, step_sizes
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.methods.targets import TargetNetwork
from theory.model.balls import BITS, as_bounded, precision
from theory.model.bounded import UNRESOLVED
from theory.model.enclosed import EnclosedModel, enclosed, values_within
from theory.model.points import fixed_point
from theory.problems.numbers import FloatArray


def inspect_large(problem: Any, step_size: Fraction | None, window: int, tell: Progress) -> Inspection:
    """Analyse a large problem."""
    tell.say(f"{problem.n_states:,} states, about {problem.memory / 1e9:.1f} GB: moments")
    model = enclosed(problem)
    tell.say("verdicts, re-checked by a second enclosure of the moments")
    stable, unbiased = TD.verdict(problem, confirm=True), CHAIN.verdict(problem, confirm=True)
    alpha = default_step_size(problem) if step_size is None else step_size
    network = TargetNetwork.at(alpha, window).verdict(problem, confirm=True)
    tell.say("safety for every Φ")
    safe = large_safety(problem, tell)
    X, Y = _middles(model)
    eigenvalues = spectrum(X - problem.gamma * Y)
    steps = step_sizes(eigenvalues.eigenvalues)
    tell.say("thresholds in γ")
    intervals, threshold = TD.gammas(problem, progress=tell), CHAIN.gammas(problem)
    tell.say("values of the target")
    v_pi, off = values_within(problem.successors, problem.r_pi, problem.gamma, tell)
    v_mu, off_mu, behaviour = None, None, NO_BEHAVIOUR
    if problem.behaviour_successors is not None and problem.r_mu is not None:
        tell.say("values of the behaviour")
        v_mu, off_mu = values_within(problem.behaviour_successors, problem.r_mu, problem.gamma, tell)
        behaviour = _point(None if model is None else model.behaviour, "A_mu")
    return Inspection(
        problem=problem,
        rank=None if model is None else model.rank,
        td=stable,
        td_spectrum=eigenvalues,
        td_enclosed=None,
        td_steps=steps,
        td_limit=None,
        td_steps_note=steps_note(steps, stable, eigenvalues),
        td_intervals=intervals,
        chain=unbiased,
        chain_spectrum=spectrum(problem.gamma * np.linalg.solve(X, Y)),
        chain_enclosed=None,
        chain_threshold=threshold,
        target_network=Window(window, alpha, _window_radius(X, Y, problem.gamma, float(alpha), window), network),
        safety=None,
        safe=Known(safe.holds, safe.reason, "floats with bounds", "floats with bounds", safe.proof is not None),
        v_pi=v_pi,
        v_mu=v_mu,
        target=_point(model, "A"),
        behaviour=behaviour,
        bounds=Bounds(_width(model), off, off_mu),
    )


def largest_eigenvalue(problem: Any) -> float:
    """λ_max(X) in floats, a little less: a power of two is one, whatever was rounded."""
    X, _ = _middles(enclosed(problem))
    return float(np.abs(np.linalg.eigvals(X)).max(initial=0.0)) * (1 - 1e-9)


def _middles(model: EnclosedModel | None) -> tuple[FloatArray, FloatArray]:
    """X and Y as they move w, in floats."""
    if model is None:
        return np.empty((0, 0)), np.empty((0, 0))
    with precision(BITS):
        return as_bounded(model.X).mid, as_bounded(model.Y).mid


def _window_radius(X: FloatArray, Y: FloatArray, gamma: float, alpha: float, window: int) -> float:
    """ρ(B + (I − αX)ᵀ(I − B)), in floats."""
    B, one = gamma * np.linalg.solve(X, Y), np.eye(len(X))
    with np.errstate(all="ignore"):
        G = B + np.linalg.matrix_power(one - alpha * X, window) @ (one - B)
        return float(np.abs(np.linalg.eigvals(G)).max(initial=0.0)) if np.isfinite(G).all() else np.inf


def _width(model: EnclosedModel | None) -> float:
    """The widest bound on an entry of X or Y."""
    if model is None:
        return float("nan")
    return max(float(as_bounded(M).rad.max(initial=0.0)) for M in (model.X_hat, model.Y_hat))


def _point(model: EnclosedModel | None, key: str) -> Point:
    if model is None:
        return Point(None, None, UNRESOLVED)
    with precision(BITS):
        found = fixed_point(model, key)
        if found.theta is None:
            return Point(None, None, "A is singular, or nearly so: no θ that is certain")
        theta = as_bounded(found.theta)
    return Point(theta.mid[:, 0], found.values, None, theta.rad[:, 0])
