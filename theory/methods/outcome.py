r"""Does a method converge on a problem, to which fixed point, and how fast?

The answer is certified (`theory.certified`): of a mean or an iteration by the eigenvalues of its matrix, of a direct
method by det ≠ 0; exactly, or for every matrix within the bounds of a large problem's. TD, the chain and the target
network ask their own question about the problem, which is answered from floats with bounds; that it is the same answer
is a test.

The error of a fixed point is measured to v_π over the states, each counted once (uniform) or weighted by d_μ, beside
the least that any θ has in that measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.budgets import EXACT_STATES
from theory.certified.answers import UNDECIDED, Answer, Verdict
from theory.certified.decide import decide
from theory.certified.questions import Enclosed, IterationConverges, MeanStable
from theory.exact.matrices import array, matrix, rational, square_root
from theory.linear.spectra import step_sizes
from theory.methods.method import Method
from theory.model.balls import BITS, as_bounded, precision
from theory.model.linear_model import LinearModel, NotApplicable, TooLong, exact_model
from theory.model.points import policy_values
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray

BEYOND = "beyond double precision"
NOT_APPLICABLE = "not applicable"


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
class MethodFixedPoint:
    """The fixed point of a method: the shortest θ, its values, their error; None where the system is singular."""

    theta: Array | None  # (F,)
    values: Array | None  # (S,)
    error: Error | None
    note: str | None = None


def outcome(method: Method, problem: Problem, model: LinearModel | None = None) -> Outcome:
    """Does the method converge on the problem? `model` is the problem's exact or enclosed one, where it is at hand.

    >>> from theory.methods.family import find_method
    >>> from theory.problems.catalogue import catalogue_problem
    >>> outcome(find_method("td-lambda:0.9"), catalogue_problem("baird")).holds
    yes
    """
    own = method.verdict(problem)
    if own is not None:
        return Outcome(own.holds, own.reason, own.method, own)
    if method.unconditional_reason is not None:
        return Outcome(Answer.YES, method.unconditional_reason, "exact")
    if model is None and problem.n_states > EXACT_STATES:
        reason = f"undecided: exact matrices of {problem.n_states} states (more than {EXACT_STATES}) would take minutes"
        return Outcome(UNDECIDED, reason, "undecided")
    model = exact_model(problem) if model is None else model
    if model.rank == 0:
        return Outcome(Answer.YES, "every feature is zero: no eigenvalues, nothing to learn", "exact")
    try:
        return _exactly(method, model) if model.exact else _within(method, model)
    except NotApplicable as missing:
        return Outcome(UNDECIDED, f"not applicable here: {missing.complaint}", NOT_APPLICABLE)


def _exactly(method: Method, model: LinearModel) -> Outcome:
    kind, M, _ = method.expected(model)
    if kind == "direct":
        regular = M.det() != 0
        return Outcome(Answer.of(regular), f"det {'≠' if regular else '='} 0, exactly", "exact")
    verdict = decide(MeanStable(M) if kind == "mean" else IterationConverges(M))
    return Outcome(verdict.holds, verdict.reason, verdict.method, verdict)


def _within(method: Method, model: LinearModel) -> Outcome:
    """For every matrix within the bounds."""
    try:
        with precision(BITS):
            kind, M, _ = method.question(model)
            if kind == "direct" and M.det().contains(0):
                return Outcome(UNDECIDED, "undecided: det may be 0 within the bounds of the moments", "undecided")
            if kind == "direct":
                return Outcome(Answer.YES, "det ≠ 0 within the bounds of the moments", "balls")
            bounded = as_bounded(M)
    except TooLong as error:
        return Outcome(UNDECIDED, f"not asked: {error}", "undecided")
    except ZeroDivisionError:
        return Outcome(UNDECIDED, "undecided: a matrix that may be singular is inverted", "undecided")
    verdict = decide(Enclosed(MeanStable if kind == "mean" else IterationConverges, bounded))
    theorem = method.reason_for_all_values("gamma")
    if verdict.undecided and theorem is not None:
        return Outcome(Answer.YES, theorem, "a theorem, for independent features")
    return Outcome(verdict.holds, verdict.reason, verdict.method, verdict)


def fixed_point_of(method: Method, model: LinearModel, v_pi: Array) -> MethodFixedPoint:
    """The fixed point of the expected updates, in the numbers of the model."""
    try:
        with precision(BITS):
            w = model.solve(*method.system(model))
            theta, values, note = model.point(w)
    except TooLong as long:
        return MethodFixedPoint(None, None, None, f"not asked: {long}")
    except NotApplicable as missing:
        return MethodFixedPoint(None, None, None, f"not applicable here: {missing.complaint}")
    except (ZeroDivisionError, np.linalg.LinAlgError):
        return MethodFixedPoint(None, None, None, "its system is singular, or may be: no fixed point that is certain")
    known = error(model, values - v_pi)
    if model.width is not None:
        return MethodFixedPoint(theta, None, known, f"{note}; values of a large problem are Φθ and not listed")
    return MethodFixedPoint(theta, values, known, note)


def true_values(model: LinearModel) -> Array:
    """v_π = (I − γP)⁻¹r, as an array."""
    found, _ = policy_values(model)
    return array(found) if model.exact else found


def best_error(model: LinearModel, v_pi: Array) -> Error:
    """The least error that any θ has, in each of the two measures."""
    if not model.exact:
        return best_float_error(getattr(model.Phi, "values", model.Phi), getattr(model.d, "values", model.d), v_pi)
    back, v, found = model.transposed(model.Phi), matrix(v_pi), []
    for weights in (0 * model.d + matrix([1] * model.n_states), model.d):
        gap = -v
        if model.rank:
            gram, right = (model.times(back, model.weighted(V, weights)) for V in (model.Phi, v))
            gap = model.Phi * model.solve(gram, right) - v
        found.append(error(model, array(gap)))
    return Error(found[0].uniform, found[1].d_mu)


def best_float_error(C: FloatArray, d: FloatArray, v: FloatArray) -> Error:
    """The same in floats, some states at a time."""
    found = []
    for weights in (np.full(len(d), 1 / len(d)), d):
        gram, right = np.zeros((C.shape[1], C.shape[1])), np.zeros(C.shape[1])
        for start in range(0, len(d), 2**14):
            here = slice(start, start + 2**14)
            left = C[here].T * weights[here]
            gram += left @ C[here]
            right += left @ v[here]
        gap = C @ np.linalg.lstsq(gram, right)[0] - v
        found.append(Error(float(np.sqrt(np.mean(gap * gap))), float(np.sqrt(d @ (gap * gap)))))
    return Error(found[0].uniform, found[1].d_mu)


def error(model: LinearModel, gap: Array) -> Error:
    """√(Σ gap²/S) and √(Σ d gap²)."""
    d = array(model.d) if model.exact else getattr(model.d, "values", model.d)
    uniform, weighted = (gap * gap).sum(), (d * gap * gap).sum()
    if model.exact:
        return Error(square_root(rational(uniform) / len(gap)), square_root(rational(weighted)))
    return Error(float(np.sqrt(uniform / len(gap))), float(np.sqrt(weighted)))


def margin(method: Method, model: LinearModel) -> float:
    """How far a method is on the side on which it converges, in floats: positive there, NaN where floats cannot tell.

    Of a mean the smallest Re λ over the largest |λ|, of an iteration 1 − ρ, of a direct method the smallest singular
    value over the largest.
    """
    try:
        with np.errstate(all="ignore"):
            kind, M, _ = method.expected(model)
            values: Any = np.linalg.svd(M, compute_uv=False) if kind == "direct" else np.linalg.eigvals(M)
    except (np.linalg.LinAlgError, OverflowError):
        return float("nan")
    size = float(np.abs(values).max(initial=0.0))
    if kind == "iteration":
        return 1 - size
    if not len(values):
        return float(kind == "direct")
    return float(values.real.min()) / size if size > 0 else 0.0


def rate(method: Method, model: LinearModel | None) -> tuple[float | None, str | None]:
    """By which factor the error shrinks per iteration, in floats; or None, and why. No `model`: beyond doubles.

    Of a mean it is that of the best step size, of a target network that of a window.
    """
    if model is None:
        return None, BEYOND
    try:
        with precision(BITS), np.errstate(all="ignore"):
            kind, M, _ = method.expected(model)
            if kind == "direct":
                return None, "solved at once"
            eigenvalues: Any = np.linalg.eigvals(M if isinstance(M, np.ndarray) else as_bounded(M).mid)
            if kind == "iteration":
                found = float(np.abs(eigenvalues).max(initial=0.0))
                return (found, None) if np.isfinite(found) else (None, BEYOND)
            sizes = step_sizes(eigenvalues)
    except TooLong as error:
        return None, f"not asked: {error}"
    except (InvalidProblem, OverflowError, ZeroDivisionError, np.linalg.LinAlgError):
        return None, BEYOND
    return (sizes.rate, None) if sizes.limit > 0 else (None, "no step size converges, in floats")
