r"""Does a method solve a problem, where does it rest, and how fast does it get there?

The answer is certified (`theory.certified`): of a mean or an iteration by the eigenvalues of its exact matrix, of a
direct method by det ≠ 0. TD, the chain and the hard target network ask the ladder their own question about the
problem, which it answers from floats with bounds; that it is the same answer is a test.

The error of a rest point is measured to v_π over the states, each counted once (uniform) or weighted by d_μ, beside the
least that any θ has in that measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.certified.answers import Answer, Verdict
from theory.certified.verdicts import iteration_converges, mean_stable
from theory.exact.matrices import matrix, rational, square_root
from theory.linear.step_sizes import step_sizes
from theory.methods.ground import Ground, exact_ground
from theory.methods.method import Method
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array

BEYOND = "beyond double precision"
LARGEST = 128  # states, beyond which exact matrices of all methods take minutes


@dataclass(frozen=True, eq=False)
class Outcome:
    """Does the method converge, and how we know; `verdict` is what carries the certificate, where there is one."""

    holds: Answer
    reason: str
    how: str
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Error:
    """Root mean squared value errors, as floats."""

    uniform: float
    d_mu: float


@dataclass(frozen=True, eq=False)
class Rest:
    """Where a method rests: the shortest θ, its values and their error; none of them where the system is singular."""

    theta: Array | None  # (F,)
    values: Array | None  # (S,)
    error: Error | None
    note: str | None = None


def outcome(method: Method, problem: Problem, ground: Ground | None = None) -> Outcome:
    """Does the method converge on the problem? `ground` is the problem's exact one, where it is at hand.

    >>> from theory.methods.family import find_method
    >>> from theory.problems.catalogue import catalogue_problem
    >>> outcome(find_method("td-lambda:0.9"), catalogue_problem("baird")).holds
    yes
    """
    own = method.verdict(problem)
    if own is not None:
        return Outcome(own.holds, own.reason, own.method, own)
    if method.always is not None:
        return Outcome(Answer.YES, method.always, "exact")
    if problem.n_states > LARGEST:
        reason = f"undecided: exact matrices of {problem.n_states} states (more than {LARGEST}) would take minutes"
        return Outcome(Answer.UNDECIDED, reason, "undecided")
    kind, M, _ = method.expected(exact_ground(problem) if ground is None else ground)
    if M.size == 0:
        return Outcome(Answer.YES, "every feature is zero: no eigenvalues, nothing to learn", "exact")
    exact = matrix(M.tolist())
    if kind == "direct":
        regular = exact.det() != 0
        return Outcome(Answer.of(regular), f"det {'≠' if regular else '='} 0, exactly", "exact")
    ask = mean_stable if kind == "mean" else iteration_converges
    verdict = ask(exact)
    return Outcome(verdict.holds, verdict.reason, verdict.method, verdict)


def rest(method: Method, ground: Ground, v_pi: Array) -> Rest:
    """Where the method comes to rest if it does, in the numbers of the ground."""
    try:
        M, v = method.system(ground)
        w = ground.solve(M, v)
    except (ZeroDivisionError, np.linalg.LinAlgError):
        return Rest(None, None, None, "its system is singular: no fixed point, or many")
    values = ground.times(ground.Phi, w) if ground.rank else 0 * v_pi
    theta = ground.parameters(w) if ground.rank else 0 * ground.R.sum(axis=0)
    return Rest(theta, values, error(ground, values - v_pi))


def true_values(ground: Ground) -> Array:
    """v_π = (I − γP)⁻¹r."""
    return ground.resolvent(ground.gamma, ground.r)


def best_error(ground: Ground, v_pi: Array) -> Error:
    """The least error that any θ has, in each of the two measures."""
    found = []
    for weights in (0 * ground.d + 1, ground.d):
        gap = -v_pi
        if ground.rank:
            gram = ground.times(ground.Phi.T, ground.weighted(ground.Phi, weights))
            w = ground.solve(gram, ground.times(ground.Phi.T, ground.weighted(v_pi, weights)))
            gap = ground.times(ground.Phi, w) - v_pi
        found.append(error(ground, gap))
    return Error(found[0].uniform, found[1].d_mu)


def error(ground: Ground, gap: Array) -> Error:
    """√(Σ gap²/S) and √(Σ d gap²)."""
    uniform, weighted = (gap * gap).sum(), (ground.d * gap * gap).sum()
    if ground.exact:
        return Error(square_root(rational(uniform) / len(gap)), square_root(rational(weighted)))
    return Error(float(np.sqrt(uniform / len(gap))), float(np.sqrt(weighted)))


def rate(method: Method, ground: Ground | None) -> tuple[float | None, str | None]:
    """By which factor the error shrinks per iteration, in floats; or None, and why. No `ground`: beyond doubles.

    Of a mean it is that of the best step size, of a target network that of a window.
    """
    if ground is None:
        return None, BEYOND
    try:
        with np.errstate(all="ignore"):
            kind, M, _ = method.expected(ground)
            if kind == "direct":
                return None, "solved at once"
            eigenvalues: Any = np.linalg.eigvals(M)
            if kind == "iteration":
                found = float(np.abs(eigenvalues).max(initial=0.0))
                return (found, None) if np.isfinite(found) else (None, BEYOND)
            sizes = step_sizes(eigenvalues)
    except (InvalidProblem, OverflowError, np.linalg.LinAlgError):
        return None, BEYOND
    return (sizes.rate, None) if sizes.limit > 0 else (None, "no step size converges, in floats")
