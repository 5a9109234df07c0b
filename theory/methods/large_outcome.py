r"""Does a method solve a large problem, where does it rest, how fast: `theory.methods.outcome` with bounds for digits.

The matrix of a method's question is an array of balls that holds the true one (`theory.methods.large_ground`); the
ladder decides every matrix within them. A direct method is solvable where det ≠ 0 for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb_mat

from theory.certified.answers import Answer
from theory.certified.balls import as_bounded, precision
from theory.certified.decide import decide
from theory.certified.questions import Enclosed, IterationConverges, MeanStable
from theory.linear.step_sizes import step_sizes
from theory.methods.large_ground import LargeGround, TooLong
from theory.methods.method import Method
from theory.methods.outcome import BEYOND, Outcome
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray

BITS = 128


def large_outcome(method: Method, problem: Problem, ground: LargeGround) -> Outcome:
    """Does the method converge on the problem?"""
    own = method.verdict(problem)
    if own is not None:
        return Outcome(own.holds, own.reason, own.method, own)
    if method.always is not None:
        return Outcome(Answer.YES, method.always, "exact")
    if ground.rank == 0:
        return Outcome(Answer.YES, "every feature is zero: no eigenvalues, nothing to learn", "exact")
    try:
        with precision(BITS):
            kind, M, _ = method.question(ground)
            if kind == "direct":
                return _regular(M)
            bounded = as_bounded(M)
    except TooLong as error:
        return Outcome(Answer.UNDECIDED, f"not asked: {error}", "undecided")
    except ZeroDivisionError:
        return Outcome(Answer.UNDECIDED, "undecided: a matrix that may be singular is inverted", "undecided")
    verdict = decide(Enclosed(MeanStable if kind == "mean" else IterationConverges, bounded))
    theorem = method.everywhere("gamma", ground)
    if verdict.undecided and theorem is not None:
        return Outcome(Answer.YES, theorem, "a theorem, for independent features")
    return Outcome(verdict.holds, verdict.reason, verdict.method, verdict)


def large_rest(method: Method, ground: LargeGround) -> tuple[FloatArray, FloatArray] | str:
    """θ and how far the true one may be, entry by entry, where the method rests if it does; or why there is none."""
    try:
        with precision(BITS):
            M, v = method.system(ground)
            w = ground.solve(M, v)
            theta = as_bounded(ground.parameters(w)[:, None]) if ground.rank else None
    except TooLong as error:
        return f"not asked: {error}"
    except ZeroDivisionError:
        return "its system is singular, or nearly so: no fixed point that is certain"
    if theta is None:
        return np.zeros(ground.R.shape[1]), np.zeros(ground.R.shape[1])
    return theta.mid[:, 0], theta.rad[:, 0]


def large_rate(method: Method, ground: LargeGround) -> tuple[float | None, str | None]:
    """By which factor the error shrinks per iteration, in floats; or None, and why."""
    try:
        with precision(BITS), np.errstate(all="ignore"):
            kind, M, _ = method.expected(ground)
            if kind == "direct":
                return None, "solved at once"
            eigenvalues: Any = np.linalg.eigvals(as_bounded(M).mid)
        if kind == "iteration":
            found = float(np.abs(eigenvalues).max(initial=0.0))
            return (found, None) if np.isfinite(found) else (None, BEYOND)
        sizes = step_sizes(eigenvalues)
    except TooLong as error:
        return None, f"not asked: {error}"
    except (InvalidProblem, ZeroDivisionError, np.linalg.LinAlgError):
        return None, BEYOND
    return (sizes.rate, None) if sizes.limit > 0 else (None, "no step size converges, in floats")


def _regular(M: Any) -> Outcome:
    if arb_mat(M.tolist()).det().contains(0):
        return Outcome(Answer.UNDECIDED, "undecided: det may be 0 within the bounds of the moments", "undecided")
    return Outcome(Answer.YES, "det ≠ 0 within the bounds of the moments", "balls")
