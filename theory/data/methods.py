r"""Which methods converge, judged from recorded transitions: each with a stated probability of error, or *undecided*.

A method whose matrix is made of X and Y alone is judged as TD and the chain are (`theory.data.confidence`): its number
is computed for the estimates and for every bootstrap sample over trajectories, and a side is claimed when the interval
leaves out the border both as it is and reflected about the estimate. Methods of several steps are judged where rows are
in the order of their trajectories (`theory.data.several_steps`).

    mean        m = min Re λ(matrix) > 0        iteration   ρ(matrix) < 1        direct   det ≠ 0, by its sign

Some need no estimate: a theorem says that they converge on every problem, or the features do (`structure`). What is
made of other arrays over the states, residual gradient and emphatic TD, is judged by theorems alone.

Products of ratios are rarely large, and where the rare ones were not seen every sample looks sure of the wrong side. So
the trajectories count by their weights w, as (Σw)²/Σw², and E[W_n] = 1 must be near its mean, or nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from theory.data.confidence import Question, drawn, enough, more_needed, one_sided, structure
from theory.data.estimate import Estimate, of_steps
from theory.data.moments import Moments
from theory.data.reading import Step
from theory.data.several_steps import Traces
from theory.methods.family import find_method, methods
from theory.methods.method import Method
from theory.model.linear_model import FloatModel, NotApplicable
from theory.problems.numbers import Array, FloatArray

# What the chain's, or TD's, structure implies of others: B = γX⁻¹Y has ρ < 1, or A is an M-matrix.
IMPLIED: dict[str, Question] = {
    **dict.fromkeys(("chain", "n-step-chain", "whitened-td", "damped-chain", "lstd", "gtd2"), "chain"),
    **dict.fromkeys(("off-policy-td", "n-step-td", "ridge-td"), "td"),
}
TRACED = ("td-lambda", "gtd2-lambda", "tdc-lambda", "tdrc-lambda")
MEASURES = {"mean": "min Re λ", "iteration": "ρ", "direct": "det^(1/F)"}
BEYOND = "its matrix is made of more than X and Y: not judged from single moves"


class BeyondMoments(NotApplicable):
    """A formula asks for arrays over the states, of which there are none."""


@dataclass(frozen=True, eq=False)
class SampledModel(FloatModel):
    """X, Y and b of many samples at once, (K, r, r) and (K, r, 1); nothing over the states."""

    @property
    def rank(self) -> int:
        return int(self.X.shape[-1])

    def weighted(self, V: Array, weights: Array | None = None) -> Array:
        raise BeyondMoments(BEYOND)

    def follow_on(self, discount: Any) -> Array:
        raise BeyondMoments(BEYOND)

    @property
    def behaviour(self) -> SampledModel:
        raise BeyondMoments(BEYOND)

    def resolvent(self, discount: Any, *parts: Array) -> tuple[Array, ...]:
        raise BeyondMoments(BEYOND)

    def blocks(self, a: Array, b: Array, c: Array, d: Array) -> Array:
        return np.block([[a, b], [c, d]])

    def stack(self, *parts: Array) -> Array:
        return np.concatenate(parts, axis=-2)

    def solve(self, M: Array, B: Array) -> Array:
        """M⁺B: a sample may have missed a feature altogether."""
        return np.linalg.pinv(M) @ B


def sampled_model(X: FloatArray, Y: FloatArray, b: FloatArray, gamma: float) -> SampledModel:
    """The letters of K samples."""
    nothing = np.empty((0, 0))
    model = SampledModel(gamma, nothing, nothing, nothing, nothing)
    known = {"X": X, "Y": Y, "b": b[..., None], "Y_transposed": np.swapaxes(Y, -1, -2)}
    model.__dict__.update(known)
    return model


@dataclass(frozen=True, eq=False)
class Judged:
    """One method's answer; `converges` is None where it is undecided."""

    method: Method
    converges: bool | None
    reason: str
    theta: FloatArray | None = None  # (F,), its fixed point, estimated
    measure: str | None = None  # what was estimated
    value: float | None = None
    interval: tuple[float, float] | None = None
    more: int | None = None  # about so many more transitions would settle it

    def to_dict(self, level: float) -> dict[str, Any]:
        """As ``theory compare DATA --json`` prints it."""
        settings = {name: x if isinstance(x, int) else str(x) for name, x in self.method.settings.items()}
        return {
            "name": self.method.name,
            "parameters": settings,
            "converges": self.converges,
            "confidence": level,
            "reason": self.reason,
            "measure": self.measure,
            "estimate": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "more_transitions": self.more,
            "theta": None if self.theta is None else self.theta.tolist(),
        }


def chosen_methods(names: Sequence[str] | None) -> tuple[str, ...]:
    """These, or all."""
    return tuple(methods()) if names is None else tuple(names)


def steps_of(names: Sequence[str], given: Mapping[str, Any], gamma: float) -> tuple[Step, ...]:
    """What has to be added up, besides the moments of single moves, for the methods of these names."""
    values = {"alpha": 1, **given}
    asked = (_step(find_method(name, values), gamma) for name in names)
    return tuple(dict.fromkeys(step for step in asked if step is not None))


def _step(method: Any, gamma: float) -> Step | None:
    if "n" in method.settings:
        return "n", int(method.settings["n"]), gamma
    if method.name in TRACED and method.lambda_ != 0:
        return "lambda", method.lambda_, gamma
    return None


def judge(
    found: Estimate,
    moments: Moments,
    steps: Sequence[Step],
    gamma: float,
    names: Sequence[str],
    given: Mapping[str, Any],
    level: float = 0.95,
    seed: int = 0,
) -> list[Judged]:
    """The methods of these names on the problem that the transitions come from."""
    values = {"alpha": default_step(found), **given}
    one_step = _Samples(found, *_models(found, gamma, seed))
    several = {step: _several(one_step, moments, step, i, seed) for i, step in enumerate(steps)}
    judged = []
    for name in names:
        method = find_method(name, values)
        step = _step(method, gamma)
        judged.append(_judged(one_step if step is None else several[step], method, level))
    return judged


class _Samples(NamedTuple):
    """The letters as estimated, and of every bootstrap sample."""

    found: Estimate
    here: SampledModel
    many: SampledModel
    among: str = ""  # which moves they are of, where not of all
    why_not: str | None = None  # why a method of several steps cannot be judged


def _models(found: Estimate, gamma: float, seed: int) -> tuple[SampledModel, SampledModel]:
    X, Y, b = found.mean
    many_X, many_Y = found.resampled(seed)
    many = sampled_model(many_X, many_Y, np.zeros(many_X.shape[:2]), gamma)
    return sampled_model(X[None], Y[None], b[None], gamma), many


def _several(one_step: _Samples, moments: Moments, step: Step, i: int, seed: int) -> _Samples:
    """What matrices of several steps are made of, or why they cannot be judged."""
    sums, (what, value, gamma) = moments.steps[i], step
    about = one_step.found.about
    why_not = sums.why_not
    if isinstance(sums, Traces) and about.unended:
        which = f"{about.unended:,} of {about.trajectories:,} trajectories are"
        which = which if about.trajectories > 1 else "the trajectory is"
        why_not = f"a trace lasts until the end of an episode, and {which} cut off before"
    if why_not is None and not about.counted:
        why_not = "the rows of very many trajectories are mixed: several steps are seen if they stand together"
    if why_not is None and not sums.sums.moves.any():
        why_not = f"no move is followed by {int(value) - 1} others in its trajectory"
    if why_not is not None:
        return one_step._replace(why_not=why_not)
    found = of_steps(one_step.found, sums, moments.base)
    models = _models(found, gamma, seed)
    factor = gamma ** int(value) if what == "n" else 1.0
    key = ("n-step", int(value)) if what == "n" else ("traced", value)
    for model in models:
        ahead, returns = factor * model.Y, model.b
        parts = (ahead, returns) if what == "n" else (ahead, np.swapaxes(ahead, -1, -2), returns)
        model.cached(key, lambda kept=parts: kept)  # type: ignore[misc]
    moves = int(found.lengths.sum())
    left = "" if moves == about.rows else f"; of the {moves:,} moves that enough others follow"
    return _Samples(found, *models, left)


def default_step(found: Estimate) -> Fraction:
    """The largest power of two not above 1/λ_max(X̂)."""
    largest = float(np.linalg.eigvalsh(found.mean[0])[-1]) if found.V.shape[1] else 1.0
    return Fraction(2) ** -int(np.ceil(np.log2(largest))) if largest > 0 else Fraction(1)


def _judged(samples_of: _Samples, method: Method, level: float) -> Judged:
    found, here, many, among, unseen = samples_of
    settled = _structure(found, method, here.gamma)
    try:
        kind, M, _ = method.question(here)
        samples = _number(kind, method.question(many).matrix)
    except NotApplicable as missing:
        theorem = (
            method.unconditional_reason
            or method.reason_for_all_values("gamma")
            or (settled and f"{settled} (if no others exist)")
        )
        if theorem and here.gamma == 1 and method.unconditional_reason is None:
            theorem += ", where the target's episodes end"
        return Judged(method, True if theorem else None, theorem or unseen or missing.complaint)
    theta = _theta(found, method, here)
    if method.unconditional_reason is not None:
        return Judged(method, True, method.unconditional_reason, theta)
    value = float(_number(kind, M)[0])
    low, high = (float(x) for x in np.quantile(samples, [(1 - level) / 2, (1 + level) / 2]))
    edge = 1.0 if kind == "iteration" else 0.0
    side = one_sided(value, low, high, edge)
    converges = None if side is None else True if kind == "direct" else side < 0 if kind == "iteration" else side > 0
    ends = (low, high) if found.n > 1 else None
    reason, more = f"bootstrap over {drawn(found)}, {100 * level:g}% confidence{among}", None
    why_not = enough(found)
    if settled is not None:
        converges, reason = True, f"{settled} (if no others exist)"
    elif why_not is not None:
        converges, reason = None, why_not
    elif converges is None:
        more = more_needed(found, value, low, high, edge)
        reason = "too close to tell" if more is None else f"about {more:,} more transitions would settle it"
    return Judged(method, converges, reason, theta, MEASURES[kind], value, ends, more)


def _structure(found: Estimate, method: Method, gamma: float) -> str | None:
    """Why it converges whatever the probabilities are, if no state exists that was not seen."""
    question = IMPLIED.get(method.name)
    return None if question is None else structure(found, question, gamma)


def _number(kind: str, M: Array) -> FloatArray:
    """min Re λ, ρ, or the root of det with its sign, of each matrix."""
    if kind == "direct":
        sign, log = np.linalg.slogdet(M)
        return sign * np.exp(log / M.shape[-1])
    finite: Any = np.isfinite(M).all(axis=(-1, -2))
    eigenvalues = np.linalg.eigvals(np.where(finite[:, None, None], M, 0.0))
    number = np.abs(eigenvalues).max(axis=-1) if kind == "iteration" else eigenvalues.real.min(axis=-1)
    return np.where(finite, number, np.inf if kind == "iteration" else -np.inf)


def _theta(found: Estimate, method: Method, here: SampledModel) -> FloatArray | None:
    """The method's fixed point, estimated; None where its system is singular."""
    M, v = method.system(here)
    try:
        w: FloatArray = np.linalg.solve(M[0] if M.ndim == 3 else M, v[0, :, 0])
    except np.linalg.LinAlgError:
        return None
    theta: FloatArray = found.V @ w
    return theta if np.isfinite(theta).all() else None
