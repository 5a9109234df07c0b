"""Everything about one large problem that needs no S×S matrix: verdicts, thresholds, fixed points, values.

Moments are doubles between bounds (`theory.certified.enclosed_moments`); the verdicts hold for every matrix within them
and are re-checked by another road. θ_π is the solution of a system of balls, v_π comes with the bound that its residual
proves. Eigenvalues are floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.certified.bounded import Bounded
from theory.certified.enclosed_moments import Enclosed, enclosed
from theory.certified.enclosed_points import fixed_point
from theory.certified.enclosed_values import resolvent
from theory.certified.large import UNRESOLVED, LargeSafety, large_safety, preconditioner
from theory.certified.over_states import Transitions, given, summed
from theory.certified.verdicts import Verdict
from theory.experiments.inspection import Progress, Quiet
from theory.linear.spectra import largest_step_size
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.methods.targets import TargetNetwork
from theory.problems import InvalidProblem
from theory.problems.large import LargeProblem
from theory.problems.numbers import Array, FloatArray
from theory.text.words import quadrant
from theory.thresholds.discounts import chain_threshold_within, td_intervals_within
from theory.thresholds.results import StableIntervals, Threshold

LISTED = 10_000  # states whose values are written out in JSON


@dataclass(frozen=True, eq=False)
class LargePoint:
    """A fixed point and its distance to the true values; `theta` is within `bound` of the truth, entry by entry."""

    theta: FloatArray | None  # (F,)
    bound: FloatArray | None  # (F,)
    values: FloatArray | None  # (S,)
    true_values: FloatArray  # (S,)
    true_bound: float  # each true value is within this
    note: str | None

    @property
    def errors(self) -> tuple[float, float] | None:
        """√(Σd(Φθ − v)²) is asked of whoever knows d: here the gap's uniform root mean square, and its largest."""
        if self.values is None:
            return None
        gap = self.values - self.true_values
        return float(np.sqrt(np.mean(gap * gap))), float(np.abs(gap).max())


@dataclass(frozen=True, eq=False)
class LargeInspection:
    """What `theory inspect` knows of a large problem."""

    problem: LargeProblem
    rank: int | None  # None where independence is not proved
    width: float  # the widest bound on an entry of X or Y
    td: Verdict
    chain: Verdict
    window: int
    step_size: Fraction
    target_network: Verdict
    safe: LargeSafety  # for every Φ
    td_intervals: StableIntervals | None
    chain_threshold: Threshold | None
    td_eigenvalues: Array  # (r,) in floats
    rho: float | None  # of γΠP, in floats
    target: LargePoint
    behaviour: LargePoint | None

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """By the kind of question."""
        return {"td": self.td, "chain": self.chain, "window": self.target_network}

    @property
    def quadrant(self) -> str:
        """``td-stable/chain-biased`` and its kin."""
        return quadrant(self.td.holds.json, self.chain.holds.json)

    @property
    def step_limit(self) -> float:
        """The largest step size of TD, in floats."""
        return largest_step_size(self.td_eigenvalues) if len(self.td_eigenvalues) else 0.0

    def __str__(self) -> str:
        network = f"a target network of T = {self.window}, α = {self.step_size}: {self.target_network}"
        return f"{self.problem.name}: {self.problem.summary}\n{self.td}\n{self.chain}\n{network}"

    def document(self) -> dict[str, Any]:
        """What ``theory inspect --json`` prints."""
        problem, few = self.problem, self.problem.n_states <= LISTED
        points = {"theta_pi": self.target, "theta_mu": self.behaviour}
        values = {"v_pi": self.target, "v_mu": self.behaviour}
        return {
            "problem": problem.name,
            "states": problem.n_states,
            "features": problem.n_features,
            "entries": problem.successors.nnz,
            "rank": self.rank,
            "gamma": problem.given.gamma,
            "exact": False,
            "moment_bound": self.width,
            "quadrant": self.quadrant,
            "td": {
                "stable": self.td.holds.json,
                **_how(self.td),
                "eigenvalues": [[z.real, z.imag] for z in self.td_eigenvalues.tolist()],
                "gamma_threshold": None if self.td_intervals is None else self.td_intervals.threshold.to_dict(),
                "stable_intervals": None if self.td_intervals is None else self.td_intervals.to_dict(),
                "max_step_size": self.step_limit or None,
            },
            "chain": {
                "unbiased": self.chain.holds.json,
                **_how(self.chain),
                "rho": self.rho,
                "gamma_threshold": None if self.chain_threshold is None else self.chain_threshold.to_dict(),
            },
            "target_network": {
                "window": self.window,
                "step_size": str(self.step_size),
                "stable": self.target_network.holds.json,
                **_how(self.target_network),
            },
            "uniform_safety": {
                "safe": self.safe.holds.json,
                "certified": self.safe.proof is not None,
                "reason": self.safe.reason,
                "method": "floats with bounds",
            },
            "fixed_points": {
                **{key: None if point is None else point.theta for key, point in points.items()},
                **{f"{key}_bound": None if point is None else point.bound for key, point in points.items()},
                **{key: point.true_values if few and point is not None else None for key, point in values.items()},
                **{f"{key}_bound": None if point is None else point.true_bound for key, point in values.items()},
                "v_td": self.target.values if few else None,
                "error": None if self.target.errors is None else self.target.errors[0],
                "notes": [p.note for p in (self.target, self.behaviour) if p is not None and p.note]
                + ([] if few else [f"values of more than {LISTED:,} states are not listed: theory.inspect has them"]),
            },
        }


def inspect_large(
    problem: Any, step_size: Fraction | None = None, window: int = 100, progress: Progress | None = None
) -> LargeInspection:
    """Analyse a large problem; `step_size` defaults to a power of two that every head of the chain bears."""
    tell: Any = Quiet() if progress is None else progress
    if step_size is not None and not Fraction(1, 2**900) <= step_size <= 2**900:
        raise InvalidProblem("must be positive, and neither beyond nor below double precision", "step-size")
    tell.say(f"{problem.n_states:,} states, about {problem.memory / 1e9:.1f} GB: moments")
    found = enclosed(problem)
    tell.say("verdicts, re-checked by a second enclosure of the moments")
    stable, unbiased = TD.verdict(problem, confirm=True), CHAIN.verdict(problem, confirm=True)
    alpha = step_size if step_size is not None else default_step(problem)
    network = TargetNetwork.at(alpha, window).verdict(problem, confirm=True)
    tell.say("safety for every Φ")
    safe = large_safety(problem, tell)
    eigenvalues, rho, intervals, threshold = np.empty(0), None, None, None
    if found is not None and found.rank:
        X, Y = moved_moments(found)
        eigenvalues = np.linalg.eigvals(X.mid - problem.gamma * Y.mid)
        ahead = np.linalg.solve(found.X.mid, found.Y.mid)
        rho = problem.gamma * float(np.abs(np.linalg.eigvals(ahead)).max())
        tell.say("thresholds in γ")
        intervals, threshold = thresholds_within(found, tell)
    tell.say("values of the target")
    target = _point(problem, found, problem.successors, problem.r_pi, tell)
    behaviour = None
    if problem.behaviour_successors is not None and problem.r_mu is not None:
        tell.say("values of the behaviour")
        behaviour = _point(problem, found, problem.behaviour_successors, problem.r_mu, tell)
    width = float("nan") if found is None else float(max(M.rad.max(initial=0.0) for M in (found.X, found.Y)))
    return LargeInspection(
        problem,
        None if found is None else found.rank,
        width,
        stable,
        unbiased,
        window,
        alpha,
        network,
        safe,
        intervals,
        threshold,
        eigenvalues,
        rho,
        target,
        behaviour,
    )


def large_thresholds(problem: Any, progress: Progress | None = None) -> tuple[StableIntervals, Threshold]:
    """For which γ TD is stable and the chain unbiased; an error where features depend on each other in floats."""
    found = enclosed(problem)
    if found is None or not found.rank:
        raise InvalidProblem("features seem to depend on each other: leave columns out", problem.name)
    return thresholds_within(found, Quiet() if progress is None else progress)


def thresholds_within(found: Enclosed, tell: Any) -> tuple[StableIntervals, Threshold]:
    """The same for moments that are known within bounds."""
    intervals = td_intervals_within(*moved_moments(found), tell)
    return intervals, chain_threshold_within(found.X, found.Y)


def moved_moments(found: Enclosed) -> tuple[Bounded, Bounded]:
    """X and Y as they move w."""
    if found.R is None:
        return found.X, found.Y
    return preconditioned(found, found.X), preconditioned(found, found.Y)


def preconditioned(found: Enclosed, M: Bounded) -> Bounded:
    """GM."""
    G = preconditioner(found)
    return M if G is None else G * M


def default_step(problem: Any) -> Fraction:
    """The largest power of two not above 1/λ_max(GX), in floats."""
    found = enclosed(problem)
    if found is None or not found.rank:
        return Fraction(1)
    largest = float(np.abs(np.linalg.eigvals(preconditioned(found, found.X).mid)).max())
    return Fraction(2) ** -int(np.ceil(np.log2(largest) - 1e-9))  # a power of two is one, whatever was rounded


def _point(problem: LargeProblem, found: Enclosed | None, P: Any, r: FloatArray, progress: Any) -> LargePoint:
    moves = Transitions(P) if found is None or problem.successors is not P else found.P
    solved = resolvent(moves, problem.gamma, given(r), progress)
    true, bound = (np.full(len(r), np.nan), np.inf) if solved is None else (solved.values[:, 0], float(solved.error[0]))
    if found is None:
        return LargePoint(None, None, None, true, bound, UNRESOLVED)
    own = problem.successors is P
    Y = found.Y if own else summed(found.Phi, found.d, moves.times(found.Phi))
    b = found.b if own else summed(found.Phi, found.d, given(r))
    if Y is None or b is None:
        return LargePoint(None, None, None, true, bound, UNRESOLVED)
    point = fixed_point(found, Y, b, problem.discount)
    if point is None:
        return LargePoint(None, None, None, true, bound, "A is singular, or nearly so: no θ that is certain")
    theta, radii = point
    return LargePoint(theta, radii, problem.Phi @ theta, true, bound, None)


def _how(verdict: Verdict) -> dict[str, Any]:
    return {name: getattr(verdict, name) for name in ("certified", "rechecked", "reason", "method")}
