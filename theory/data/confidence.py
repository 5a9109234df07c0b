r"""Which side TD and the chain are on, with a stated probability of error, or *undecided*.

TD is stable ⇔ m = min Re λ(A) > 0, the chain is unbiased ⇔ ρ(γX⁻¹Y) < 1. A side is claimed when the bootstrap's
interval for m (or 1 − ρ) leaves out 0 both as it is and reflected about the estimate, which guards against a bias of
either sign; there must be at least 30 trajectories.

Two answers need no estimate. If the features of all states seen are independent of each other then ΠP = P, and the
chain is unbiased; if moreover each state is its own feature, A = D(I − γP) is an M-matrix and TD is stable.

γ = 1 is as good a question where every trajectory ends: moments, bootstrap and bound do not know γ. Only the answers by
structure need γ < 1, and are not given there.

The bound without asymptotics uses margins instead of eigenvalues. If |ΔA| ≤ E entrywise, then ‖ΔA‖ ≤ ‖E‖, and while
‖E‖ < min_ω σ_min(Â − iωI) no eigenvalue can have crossed the imaginary axis: A has as many on each side as Â. For the
chain let W = X̂^(−1/2). No eigenvalue of the pencil zX − γY can have crossed the unit circle while

    ‖|W|E_X|W|‖ + γ‖|W|E_Y|W|‖  <  min_{|z|=1} σ_min(zI − γWŶW),

and the first term below 1 keeps X definite. Minima are over grids, less what σ_min can change between two points: it is
1-Lipschitz in ω and in the angle of z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from theory.data.estimate import Estimate, bound
from theory.problems.numbers import FloatArray
from theory.text.words import UNDECIDED, count, word

FEWEST = 30  # trajectories
OFF = 1.5  # factor that the mean product of ratios, which estimates 1, may be off
GRID = 2000

Question = Literal["td", "chain"]


@dataclass(frozen=True)
class Confidence:
    """An answer and how sure it is: `answer` is None where it is undecided."""

    question: Question
    answer: str | None
    level: float
    value: float  # min Re λ(Â), or ρ(γX̂⁻¹Ŷ)
    interval: tuple[float, float] | None  # bootstrap, at the level; one trajectory gives none
    more: int | None  # about so many more transitions would settle it, where it is undecided
    bounded: str | None  # the answer of the bound without asymptotics
    margin: float
    radius: float
    bounded_more: int | None
    why_not: str | None  # why nothing was decided, where that is not noise
    structure: str | None = None  # why it is so whatever the numbers are
    over: str = "trajectories"  # what the bootstrap draws

    def to_dict(self) -> dict[str, Any]:
        """As it is printed by ``--json``."""
        return {
            "answer": self.answer or UNDECIDED,
            "confidence": self.level,
            "how": self.structure or f"bootstrap over {self.over}",
            "estimate": self.value,
            "interval": None if self.interval is None else list(self.interval),
            "more_transitions": self.more,
            "reason": self.why_not,
            "bound": {
                "answer": self.bounded or UNDECIDED,
                "confidence": self.level,
                "margin": self.margin,
                "radius": None if np.isinf(self.radius) else self.radius,
                "more_transitions": self.bounded_more,
            },
        }


def confidence(found: Estimate, gamma: float, question: Question, level: float = 0.95, seed: int = 0) -> Confidence:
    """The side that TD or the chain is on."""
    X, Y, _ = found.mean
    settled = structure(found, question, gamma)
    value = _td if question == "td" else _chain
    here = float(value(X, Y, gamma))
    samples = value(*found.resampled(seed), gamma)
    low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2])
    edge = 0.0 if question == "td" else 1.0

    def good(x: float) -> bool:
        return bool(x > edge if question == "td" else x < edge)

    why_not = enough(found) if settled is None else None
    answer = word(question, good(here)) if one_sided(here, low, high, edge) is not None and why_not is None else None
    if settled is not None:
        answer = word(question, True)
    more = None if answer is not None or why_not else more_needed(found, here, low, high, edge)
    margin, radius = (_td_margin if question == "td" else _chain_margin)(found, gamma, 1 - level)
    bounded = answer if settled is not None else word(question, good(here)) if radius < margin else None
    return Confidence(
        question,
        answer,
        level,
        here,
        (float(low), float(high)) if found.n > 1 else None,
        more,
        bounded,
        margin,
        radius,
        None if bounded else _more(found, radius, margin),
        why_not,
        settled,
        drawn(found),
    )


def one_sided(here: float, low: float, high: float, edge: float) -> int | None:
    """On which side of the edge the interval is, as it is and reflected about the estimate; None where on both."""
    sides = {int(np.sign(x - edge)) for x in (low, high, 2 * here - low, 2 * here - high)}
    return sides.pop() if len(sides) == 1 and 0 not in sides else None


def drawn(found: Estimate) -> str:
    """What the bootstrap draws."""
    grouped = found.about.grouped
    return "trajectories" if grouped is None else f"{grouped:,} groups of trajectories"


def enough(found: Estimate) -> str | None:
    """Why there is too little to say how sure anything is."""
    if found.doubt is not None:
        return found.doubt
    if found.n >= FEWEST:
        return _too_uneven(found)
    parts = groups(found.n, found.about.told_apart)
    if found.n == 1:
        return f"{parts} gives no interval; {FEWEST} are the least"
    return f"{parts} are too few to say how sure it is; {FEWEST} are the least"


def _too_uneven(found: Estimate) -> str | None:
    """Why products of ratios leave too little to go by."""
    if found.weights is None:
        return None
    total, squares = float(found.weights.sum()), float((found.weights**2).sum())
    effective = int(total**2 / squares) if squares else 0
    mean = total / float(found.lengths.sum())
    if effective >= FEWEST and 1 / OFF <= mean <= OFF:
        return None
    return (
        f"products of ratios leave {effective:,} of {found.n:,} trajectories in effect and average {mean:.2g}: "
        f"at least {FEWEST} and about 1 are needed"
    )


def groups(n: int, told_apart: bool) -> str:
    """``200 trajectories``, or ``1 block of consecutive rows``.

    >>> groups(1, True), groups(2000, False)
    ('1 trajectory', '2,000 blocks of consecutive rows')
    """
    if told_apart:
        return f"{n:,} {'trajectory' if n == 1 else 'trajectories'}"
    return f"{n:,} block{'s' * (n != 1)} of consecutive rows"


def more_needed(found: Estimate, here: float, low: float, high: float, edge: float) -> int | None:
    """About how many more transitions would bring the interval to one side."""
    reach = max(abs(x - here) for x in (low, high, 2 * here - low, 2 * here - high))
    return _more(found, reach, abs(here - edge))


def structure(found: Estimate, question: Question, gamma: float) -> str | None:
    """Why the answer is yes whatever the probabilities are, if no state exists that was not seen.

    At γ = 1 it is so only where the target's episodes end, which its behaviour's do not show.
    """
    seen = found.seen
    if gamma == 1 or seen is None or len(seen) != found.V.shape[1]:
        return None
    if question == "chain":
        return f"the features of the {count(len(seen), 'state')} seen are independent of each other, so ΠP = P"
    own = (np.count_nonzero(seen, axis=1) == 1).all() and (np.count_nonzero(seen, axis=0) <= 1).all()
    every = f"each of the {len(seen)} states" if len(seen) > 1 else "the one state"
    return f"{every} seen is its own feature, so A is an M-matrix" if own else None


def _more(found: Estimate, reach: float, gap: float) -> int | None:
    """How many more transitions would bring the reach, which shrinks as 1/√n, down to the gap."""
    if not gap > 0 or not np.isfinite(reach):
        return None
    needed = found.about.rows * ((reach / gap) ** 2 - 1)
    return int(float(f"{max(needed, 1):.1g}")) if needed < 1e15 else None


def _td(X: FloatArray, Y: FloatArray, gamma: float) -> Any:
    return np.linalg.eigvals(X - gamma * Y).real.min(axis=-1)


def _chain(X: FloatArray, Y: FloatArray, gamma: float) -> Any:
    """ρ(γX⁺Y): a resample may have missed a feature altogether."""
    return np.abs(np.linalg.eigvals(gamma * np.linalg.pinv(X, hermitian=True) @ Y)).max(axis=-1)


def _td_margin(found: Estimate, gamma: float, delta: float) -> tuple[float, float]:
    X, Y, _ = found.mean
    A = X - gamma * Y
    scale = float(np.linalg.norm(A, 2)) or 1.0
    step = 2 * scale / GRID  # beyond 2‖A‖, σ_min(A − iωI) ≥ ‖A‖ ≥ σ_min(A)
    smallest = _least(A, -1j * np.arange(GRID + 1) * step)
    margin = max(0.0, smallest - step / 2)
    return margin, _norm(bound(found.X - gamma * found.Y, delta)) if _independent(found) else np.inf


def _chain_margin(found: Estimate, gamma: float, delta: float) -> tuple[float, float]:
    X, Y, _ = found.mean
    root = _inverse_root(X)
    if root is None:
        return 0.0, np.inf
    Yw = root @ Y @ root
    step = np.pi / GRID
    smallest = _least(-gamma * Yw, np.exp(1j * np.arange(GRID + 1) * step))
    margin = max(0.0, smallest - step / 2)
    if not _independent(found):
        return margin, np.inf
    W = np.abs(root)
    of_X, of_Y = (_norm(W @ bound(sums, delta / 2) @ W) for sums in (found.X, found.Y))
    return margin, max(of_X + gamma * of_Y, of_X * margin)  # below the margin only where of_X < 1, too


def _norm(E: FloatArray) -> float:
    return float(np.linalg.norm(E, 2))


def _independent(found: Estimate) -> bool:
    """Blocks of consecutive rows are not; trajectories that are told apart are, and it takes two."""
    return found.about.told_apart and found.n > 1 and found.doubt is None


def _least(M: FloatArray, points: Any) -> float:
    """min σ_min(M + zI) over the points z, a hundred at a time."""
    found = []
    for some in np.array_split(points, max(1, len(points) // 100)):
        found.append(np.linalg.svd(M + some[:, None, None] * np.eye(len(M)), compute_uv=False)[:, -1].min())
    return float(min(found))


def _inverse_root(X: FloatArray) -> FloatArray | None:
    values, vectors = np.linalg.eigh(X)
    return None if values.min() <= 0 else (vectors / np.sqrt(values)) @ vectors.T
