r"""Almost surely: how fast the error of a path grows or falls, estimated by simulation.

Without rewards the error of a learner is a product of random matrices (of its trace's, too, where it has one) applied
to the start, and along almost every path

    (1/t) log ‖v_t − v_π‖ → λ,        the Lyapunov exponent, the same for all but special starts.

λ ≤ ½ log ρ₂ by Jensen's inequality: where λ < 0 < log ρ₂ every path converges while the mean square grows without
bound, held up by paths that are ever rarer. No finite computation gives λ exactly; here it is the mean over paths of
the slope of log ‖v_t‖ between a quarter of the moves and the last, with a 95% interval by Student's t. The paths are
the learners' own runs (`theory.learners.driver`), shortened where an error would leave what doubles hold of it: their
range, and where features do not distinguish all states 10⁻¹² of the start, since steps run on errors of values, whose
rounding has parts that no update ever moves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from theory.learners.driver import LOST, TINY, run_bulk
from theory.learners.rule import Rule, count
from theory.learners.streams import draw_initials, draw_transitions, n_parameters
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray
from theory.problems.sampling import sampled

MOVES = 100_000
SHORTEST = 64  # moves below which a path says nothing
PILOT, REACH = 256, 150.0  # moves that show how long paths may be for |log ‖v‖| to stay below so much
ROUNDED = 1e-12  # of the start, above which rounding that stays is not seen


@dataclass(frozen=True)
class PathGrowth:
    """An estimate of λ: the mean over paths, and how far it may be off but for one time in twenty."""

    exponent: float
    margin: float  # half a 95% interval
    paths: int
    moves: int

    @property
    def side(self) -> str:
        """In words; no more than the interval allows."""
        if abs(self.exponent) <= self.margin:
            return "undecided"
        return "converge" if self.exponent < 0 else "diverge"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        interval = [self.exponent - self.margin, self.exponent + self.margin]
        return {"exponent": self.exponent, "interval": interval, "paths": self.paths, "moves": self.moves} | {
            "almost_surely": self.side,
            "how": "estimate by simulation, 95% interval over paths",
        }


def path_growth(rule: Rule, problem: Problem, *, paths: int = 64, moves: int = MOVES, seed: int = 0) -> PathGrowth:
    """λ of a rule with its step sizes, on the moves of a problem; its rewards do not matter."""
    from scipy.stats import t as student

    count(paths, 2, "paths")
    count(moves, SHORTEST, "moves")
    still, left = without_rewards(problem), moves
    reach = REACH if _distinguished(problem) else -np.log(ROUNDED)
    pilot = _slopes(rule, still, paths, min(moves, PILOT), seed)
    if pilot is not None and moves > PILOT:
        left = min(moves, max(PILOT, int(reach / max(abs(float(pilot.mean())), 1e-300))))
    while left >= SHORTEST:
        slopes = _slopes(rule, still, paths, left, seed)
        if slopes is not None:
            margin = float(student.ppf(0.975, paths - 1) * slopes.std(ddof=1) / np.sqrt(paths))
            return PathGrowth(float(slopes.mean()), margin, paths, left)
        left //= 2
    raise InvalidProblem(f"errors leave the range of doubles within {2 * left} moves", "paths")


def without_rewards(problem: Problem) -> Problem:
    """The same moves with nothing to learn: v_π = 0."""
    mdp, pi, mu = sampled(problem)
    quiet = replace(mdp, R=0 * mdp.R)
    return Problem.from_mdp(quiet, pi=pi, mu=mu, Phi=problem.given.Phi, name=problem.name)


def _slopes(rule: Rule, problem: Problem, paths: int, moves: int, seed: int) -> FloatArray | None:
    """(paths,), or None where some path leaves the range in which doubles hold its error."""
    streams, starts = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2))
    K = int(getattr(rule, "K", 0))
    drawn = draw_transitions(streams, problem, moves, paths)
    initials = draw_initials(starts, paths, type(rule).n_vectors(K), n_parameters(type(rule), problem), scale=1.0)
    setting = {c: [_plain(getattr(rule, c))] for c in rule.columns if getattr(rule, c) is not None}
    own = {name: _plain(getattr(rule, name)) for name in rule.options() if name not in rule.arithmetic}
    end = moves - (1 if rule.action_values else 0)  # a pair is complete with the action after it
    marks = (0, end // 4, end)
    square = run_bulk(rule.name, problem, setting, drawn, initials, options=own, marks=marks).curve[0]
    low = np.full(paths, (TINY * 1e10) ** 2)
    if not _distinguished(problem):
        low = np.maximum(low, ROUNDED**2 * square[:, 0])
    if not np.all((square > low[:, None]) & (square < LOST)):
        return None
    return np.diff(np.log(square) / 2, axis=1)[:, 1] / (marks[2] - marks[1])


def _distinguished(problem: Problem) -> bool:
    """Do the features distinguish all states, so that every error of values can move?"""
    return int(np.linalg.matrix_rank(problem.Phi)) == problem.n_states


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction) else value
