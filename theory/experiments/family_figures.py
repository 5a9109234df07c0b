r"""The data of three figures beyond the paper: transients, bias against variance, the best window.

Transient: how high the error of head k of a concurrent chain climbs under expected updates, with R of extra-transient.

Bias against variance at a fixed number of moves, on Threestate: for every (n, k) of an n-step chain and every T of
target-network TD, the step size with the least error, and that error split over seeds,

    MSE = bias² + variance,    bias² = ‖mean prediction − v_π‖² − variance/seeds   (freed of its own noise).

Best window: target networks with T moves each, measured, and under expected updates from the same starts: after m
windows the error is G_Tᵐ e_0 (extra-target-network). What the first has above the second is variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from theory.experiments.bootstrap import bootstrap_band
from theory.experiments.tables import provenance
from theory.learners.bulk import Initials, draw_initials, draw_transitions, run_bulk
from theory.learners.protocol import grid
from theory.linear.fixed_points import td_fixed_point
from theory.linear.target_networks import window_matrix, window_radii
from theory.linear.transients import transfer_radius, transient
from theory.linear.values import target_values
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions


@dataclass(frozen=True)
class Size:
    """Moves, seeds and step sizes of a profile."""

    steps: int
    seeds: int
    step_sizes: tuple[float, ...]


SIZES = {
    "quick": Size(20_000, 20, tuple(2.0 ** (-i / 3) for i in range(1, 41, 3))),
    "full": Size(100_000, 100, tuple(2.0 ** (-i / 3) for i in range(1, 41))),
}
TRANSIENTS = (("9/10", 0.1), ("9/10", 0.02), ("17/20", 0.1), ("1/2", 0.1))
WINDOWS = tuple(2**i for i in range(13))
WINDOW_PROBLEMS = (
    ("threestate:gamma=9/10", 0.05),
    ("threestate:gamma=9/10", 0.0125),
    ("baird-reward:gamma=9/10", 0.02),
)


def transients(heads: int = 128) -> dict[str, Any]:
    """Peak errors of heads 0..K on Baird-Reward from zero, as powers of ten, and R."""
    curves = []
    for gamma, alpha in TRANSIENTS:
        problem = catalogue_problem(f"baird-reward:gamma={gamma}")
        found = transient(problem, alpha, heads)
        R, _ = transfer_radius(problem, alpha)
        curves.append(
            {
                "gamma": problem.gamma,
                "alpha": alpha,
                "R": R,
                "settled": found.settled,
                "log10_peak": found.log10_peak.tolist(),
                "peak_step": found.peak_step.tolist(),
            }
        )
    return {"problem": "baird-reward", "curves": curves, "about": provenance(0, "theory figure transient")}


def transient_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """For CSV."""
    return [
        {"gamma": c["gamma"], "alpha": c["alpha"], "R": c["R"], "k": k, "log10_peak": p, "peak_step": t}
        for c in result["curves"]
        for k, (p, t) in enumerate(zip(c["log10_peak"], c["peak_step"], strict=True))
    ]


def bias_variance(profile: str = "quick", seed: int = 0, problem: str = "threestate:gamma=9/10") -> dict[str, Any]:
    """One point for each (n, k) and each T: bias, standard deviation and RMSE over the last half."""
    size = _size(profile)
    given = catalogue_problem(problem)
    streams, starts = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    moves = draw_transitions(streams, given, size.steps, size.seeds)
    heads = [2**i for i in range(7)]
    theta = draw_initials(starts, size.seeds, heads[-1] + 1, given.n_features).theta
    marks = np.linspace(size.steps // 2 + 1, size.steps, 50).astype(np.int64)
    series = []
    for n in (1, 2, 4, 8):
        settings = grid(alpha=size.step_sizes, n=[n], k=heads)
        points = _split("chained-n-step", given, settings, moves, Initials(theta), marks, "k")
        series.append({"family": "chain", "n": n, "points": points})
    settings = grid(alpha=size.step_sizes, window=WINDOWS)
    # Both heads from one start: a target network is its own network's copy.
    points = _split("target-network", given, settings, moves, Initials(theta[:, [0, 0]]), marks, "window")
    series.append({"family": "target network", "n": 1, "points": points})
    command = f"theory figure bias-variance --profile {profile} --seed {seed}"
    about = provenance(seed, command)
    return {"problem": given.name, "steps": size.steps, "seeds": size.seeds, "series": series, "about": about}


def bias_variance_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """For CSV."""
    return [{"family": s["family"], "n": s["n"], **p} for s in result["series"] for p in s["points"]]


def best_window(profile: str = "quick", seed: int = 0) -> dict[str, Any]:
    """RMSE over T at the end of the run: measured with band, under expected updates, and ρ(G_T)^(1/T) per move."""
    size = _size(profile)
    panels = []
    for i, (name, alpha) in enumerate(WINDOW_PROBLEMS):
        problem = catalogue_problem(name)
        problem = problem if problem.mdp is not None else problem.realised()
        source = np.random.SeedSequence(seed, spawn_key=(i,)).spawn(3)
        streams, starts, resampling = (np.random.default_rng(s) for s in source)
        moves = draw_transitions(streams, problem, size.steps, size.seeds)
        theta = draw_initials(starts, size.seeds, 1, problem.n_features).theta
        settings = grid(alpha=[alpha], window=WINDOWS)
        run = run_bulk("target-network", problem, settings, moves, Initials(theta[:, [0, 0]]))
        rates = window_radii(problem, alpha, WINDOWS)
        points = []
        for j, T in enumerate(WINDOWS):
            low, high = bootstrap_band(resampling, run.final[j])
            mean = np.sqrt(run.final[j].mean())
            points.append(
                {
                    "window": T,
                    "measured": float(mean),
                    "low": float(low),
                    "high": float(high),
                    "expected": _expected(problem, alpha, T, size.steps // T, theta[:, 0]),
                    "rate": float(rates[j] ** (1 / T)),
                }
            )
        best = min(points, key=lambda p: p["measured"])["window"]
        theory = min(points, key=lambda p: p["rate"])["window"]
        panels.append(
            {"problem": problem.name, "alpha": alpha, "points": points, "best_measured": best, "best_rate": theory}
        )
    about = provenance(seed, f"theory figure best-window --profile {profile} --seed {seed}")
    return {"steps": size.steps, "seeds": size.seeds, "panels": panels, "about": about}


def best_window_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """For CSV."""
    return [{"problem": p["problem"], "alpha": p["alpha"], **row} for p in result["panels"] for row in p["points"]]


def _size(profile: str) -> Size:
    if profile not in SIZES:
        raise InvalidProblem(f"no profile named {profile!r}; there are {', '.join(SIZES)}", "profile")
    return SIZES[profile]


def _split(
    learner: str,
    problem: Problem,
    settings: dict[str, Array],
    moves: Transitions,
    starts: Initials,
    marks: Array,
    column: str,
) -> list[dict[str, Any]]:
    """The best step size for each value of the column, run once more for its predictions, and its error split."""
    tried = run_bulk(learner, problem, settings, moves, starts)
    mean = tried.mean_square.mean(axis=1)
    N, points = moves.seeds, []
    for value in np.unique(settings[column]).tolist():
        rows = np.flatnonzero(settings[column] == value)
        best = int(rows[np.argmin(mean[rows])])
        if not isfinite(mean[best]):
            continue
        run = run_bulk(learner, problem, tried.setting(best), moves, starts, marks=marks, predictions=True)
        assert run.curve is not None  # there are marks
        assert run.mean_error is not None
        mse, seen = float(run.curve.mean()), float(np.square(run.mean_error).mean())
        variance = max(mse - seen, 0.0) * N / (N - 1)
        points.append(
            {
                "parameter": column,
                "value": value,
                "alpha": float(settings["alpha"][best]),
                "bias": max(seen - variance / N, 0.0) ** 0.5,
                "deviation": variance**0.5,
                "rmse": mse**0.5,
            }
        )
    return points


def _expected(problem: Problem, alpha: float, T: int, m: int, theta: FloatArray) -> float:
    """RMSE over states and starts (seeds, F) after m windows of expected updates."""
    basis, G = window_matrix(problem, alpha, T)
    fixed = td_fixed_point(problem)
    bias = fixed.values - target_values(problem)
    # Where the fixed point is v_π itself, what is left is rounding and would hide errors below it.
    bias[np.abs(bias) <= 1e-10 * np.abs(fixed.values)] = 0.0
    c = (theta @ problem.Phi.T - fixed.values) @ basis.dual.T
    with np.errstate(over="ignore", invalid="ignore"):
        errors = c @ np.linalg.matrix_power(G, m).T @ basis.W.T + bias
        mean = float(np.square(errors).mean())
    return mean**0.5 if isfinite(mean) else float("inf")
