r"""Which methods converge, judged from recorded transitions: each with a stated probability of error, or *undecided*.

A method whose matrix is made of X and Y alone is judged as TD and the chain are (`theory.data.confidence`): its number
is computed for the estimates and for every bootstrap sample over trajectories, and a side is claimed when the interval
leaves out the border both as it is and reflected about the estimate. Methods of several steps are judged where rows are
in the order of their trajectories.

    mean        m = min Re λ(matrix) > 0        iteration   ρ(matrix) < 1        direct   det ≠ 0, by its sign

Some need no estimate: a theorem says that they converge on every problem, or the features do (`structure`). What is
made of other arrays over the states, residual gradient and emphatic TD, is judged by theorems alone.

**What methods that look several moves ahead are made of**, from the moves of trajectories in their order.

From the i-th move of a trajectory on, with the products W_j = ρ_i ⋯ ρ_{i+j−1},

    n-step     Y_n = mean of W_n φ_i φ_{i+n}ᵀ        b_n = mean of φ_i Σ_{j<n} γʲ W_{j+1} r_{i+j}
    TD(λ)      A(λ) = mean of φ_i (Σ_j (γλ)ʲ W_j (φ_{i+j} − γρφ'_{i+j}))ᵀ, j as long as the episode lasts

over the moves that n − 1 others follow, or an end before, and X over the same moves; a trace needs to see the end of
its episode, so one trajectory that was cut off leaves TD(λ) undecided: what was cut off is not a fair sample.
Rows must be in the order of their moves; where φ' is not the next row's φ they are not.

Products of ratios are rarely large, and where the rare ones were not seen every sample looks sure of the wrong side. So
the trajectories count by their weights w, as (Σw)²/Σw², and E[W_n] = 1 must be near its mean, or nothing is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from theory.data.confidence import Question, enough, more_needed, one_sided, structure
from theory.data.estimate import Estimate, in_order, summed
from theory.methods.family import find_method, methods
from theory.methods.method import Method
from theory.model.linear_model import FloatModel, NotApplicable
from theory.problems.data import Table
from theory.problems.numbers import Array, FloatArray, InvalidProblem

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


def judge(
    found: Estimate,
    gamma: float,
    names: Sequence[str] | None = None,
    given: Mapping[str, Any] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> list[Judged]:
    """The methods of these names (None is all) on the problem that the transitions come from."""
    values = {"alpha": default_step(found), **(given or {})}
    chosen = [find_method(name, values) for name in (methods() if names is None else names)]
    one_step = _Samples(found, *_models(found, gamma, seed))
    return [_judged(_samples(method, one_step, gamma, seed), method, level) for method in chosen]


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


def _samples(method: Method, one_step: _Samples, gamma: float, seed: int) -> _Samples:
    """What the method's matrix is made of: one step, or several where the rows are in order."""
    try:
        several = moments_of(method, one_step.found, gamma)
    except Unordered as error:
        return one_step._replace(why_not=str(error))
    if several is None:
        return one_step
    found, key, factor = several
    models = _models(found, gamma, seed)
    for model in models:
        ahead, returns = factor * model.Y, model.b
        parts = (ahead, returns) if key[0] == "n-step" else (ahead, np.swapaxes(ahead, -1, -2), returns)
        model.once(key, lambda kept=parts: kept)  # type: ignore[misc]
    moves = int(found.lengths.sum())
    left = "" if moves == len(found.table) else f"; of the {moves:,} moves that enough others follow"
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
        theorem = method.always or method.everywhere("gamma") or (settled and f"{settled} (if no others exist)")
        if theorem and here.gamma == 1 and method.always is None:
            theorem += ", where the target's episodes end"
        return Judged(method, True if theorem else None, theorem or unseen or missing.complaint)
    theta = _theta(found, method, here)
    if method.always is not None:
        return Judged(method, True, method.always, theta)
    value = float(_number(kind, M)[0])
    low, high = (float(x) for x in np.quantile(samples, [(1 - level) / 2, (1 + level) / 2]))
    edge = 1.0 if kind == "iteration" else 0.0
    side = one_sided(value, low, high, edge)
    converges = None if side is None else True if kind == "direct" else side < 0 if kind == "iteration" else side > 0
    ends = (low, high) if found.n > 1 else None
    reason, more = f"bootstrap over trajectories, {100 * level:g}% confidence{among}", None
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


NEAR = 1e-9  # of the largest feature: φ' as recorded is the next row's φ


class Unordered(InvalidProblem):
    """Why several steps cannot be seen in these rows."""


def n_steps(found: Estimate, n: int, gamma: float) -> Estimate:
    """X, Y_n and b_n of each trajectory; `Unordered` where rows do not follow each other."""
    table, order, links, phi, phi_next, ratio, reward, done = _moves(found)
    place, weight, returns = np.arange(len(table)), np.ones(len(table)), np.zeros(len(table))
    goes_on, seen = np.ones(len(table), dtype=bool), np.ones(len(table), dtype=bool)
    product = np.ones(len(table))  # as weight, but an end keeps it: its mean is 1
    for j in range(n):
        product = np.where(goes_on, product * ratio[place], product)
        weight = np.where(goes_on, product, 0.0)
        returns += gamma**j * weight * reward[place]
        if j + 1 == n:
            break
        ended = goes_on & done[place]
        seen &= ~goes_on | ended | links[place]
        goes_on &= links[place]
        place = np.where(goes_on, place + 1, place)
    if not seen.any():
        raise Unordered(f"no move is followed by {n - 1} others in its trajectory")
    ahead = weight[:, None] * phi_next[place]
    return summed(table, found.V, order[seen], phi[seen], ahead[seen], returns[seen], product[seen])


def traces(found: Estimate, lambda_: float, gamma: float) -> Estimate:
    """X, A(λ) in place of Y, and b(λ) of each trajectory."""
    table, order, links, phi, phi_next, ratio, reward, done = _moves(found)
    cut = int((~links & ~done).sum())
    if cut:
        which = f"{cut:,} of {table.n_episodes:,} trajectories are" if table.n_episodes > 1 else "the trajectory is"
        raise Unordered(f"a trace lasts until the end of an episode, and {which} cut off before")
    z, returns, weight = phi - gamma * ratio[:, None] * phi_next, ratio * reward, ratio.copy()
    for i in range(len(table) - 2, -1, -1):
        if links[i]:
            z[i] += gamma * lambda_ * ratio[i] * z[i + 1]
            returns[i] += gamma * lambda_ * ratio[i] * returns[i + 1]
            weight[i] += gamma * lambda_ * ratio[i] * weight[i + 1]
    weight /= weight.mean() or 1.0  # of the whole trace, whose mean is not known
    return summed(table, found.V, order, phi, z, returns, weight)


def _moves(found: Estimate) -> tuple[Any, ...]:
    """The rows in order: which, whether the next continues them, and their columns in independent features."""
    table, order = found.table, in_order(found.table)
    features = (x[order] @ found.V for x in (table.phi, table.phi_next))
    columns = (x[order] for x in (table.ratio, table.reward, table.done))
    return table, order, follows(table, order), *features, *columns


def follows(table: Table, order: Array) -> Array:
    """(n,), does the next row continue this row's trajectory?"""
    episode, done = table.episode[order], table.done[order]
    links = np.zeros(len(table), dtype=bool)
    links[:-1] = (episode[1:] == episode[:-1]) & ~done[:-1]
    apart = np.zeros(len(table), dtype=bool)
    gap: FloatArray = np.abs(table.phi_next[order][:-1] - table.phi[order][1:]).max(axis=1)
    apart[:-1] = links[:-1] & (gap > NEAR * np.abs(table.phi).max())
    if apart.any():
        i = int(np.argmax(apart))
        raise Unordered(
            f"rows {order[i] + 1} and {order[i + 1] + 1} do not follow each other (next_phi is not phi): "
            "several steps are not seen in single moves"
        )
    return links


def moments_of(method: Any, found: Estimate, gamma: float) -> tuple[Estimate, tuple[Any, ...], float] | None:
    """For a method of several steps: its sums, the key of what they stand for, and their factor; None for others."""
    if "n" in method.settings:
        n = int(method.settings["n"])
        return n_steps(found, n, gamma), ("n-step", method.n), gamma**n
    if method.name in TRACED and method.lambda_ != 0:
        return traces(found, float(method.lambda_), gamma), ("traced", method.lambda_), 1.0
    return None
