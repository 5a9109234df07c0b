r"""What transitions say about X, Y and b, and how sure that is.

    X̂ = mean of φφᵀ        Ŷ = mean of ρφφ'ᵀ        b̂ = mean of ρrφ        over all moves

A trajectory c gives the sums X_c, Y_c, b_c; trajectories are independent, rows within one are not. Two ways to be sure:

*Bootstrap*: draw as many trajectories again, with replacement, and look at the estimates that come out. Good when there
are many trajectories; an approximation.

*Bound*: if no trajectory can have a larger entry in its sum than the largest seen, in absolute value R/2, then with
probability 1 − δ every one of m entries obeys at once (Maurer and Pontil 2009, empirical Bernstein inequality; n
independent trajectories, not necessarily of one distribution, sample variance V̂)

    |mean − truth|  ≤  √(2 V̂ ln(4m/δ)/n) + 7 R ln(4m/δ)/(3(n − 1)) .

No approximation, and much wider. Where there are many trajectories, groups of them are drawn and counted in their place
(`theory.data.moments`). Features that are dependent are seen through their row space: that of X, in features of length
one, whose eigenvalues below 2·10⁻¹⁴ F are 0. Those up to 10⁻¹¹ F are neither 0 nor known well enough, and then nothing
is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from theory.data.moments import GroupedSums, Moments
from theory.data.several_steps import NSteps, Traces
from theory.problems.data import SMALLEST, Recorded
from theory.problems.numbers import FloatArray, InvalidProblem

RESAMPLES = 1000
ZERO, KNOWN = 2e-14, 1e-11  # of eigenvalues of X, features having length one
FEW = 4  # standard errors that the ratios' mean may be from 1


@dataclass(frozen=True)
class Summary:
    """What was read, in numbers."""

    name: str
    rows: int
    features: int
    trajectories: int  # or blocks of rows
    counted: bool  # exactly, and not by a sketch
    grouped: int | None  # so many groups of trajectories, where there are too many
    told_apart: bool
    unended: int  # trajectories without an end
    mean_ratio: float
    on_policy: bool
    ignored: tuple[str, ...]
    complete: bool = True  # or was the reading interrupted?


@dataclass(frozen=True, eq=False)
class Estimate:
    """Sums a trajectory, in r independent features."""

    about: Summary
    V: FloatArray  # (F, r), an orthonormal basis of the features' row space
    X: FloatArray  # (C, r, r), each trajectory's sum over the mean number of moves in one
    Y: FloatArray  # (C, r, r)
    b: FloatArray  # (C, r)
    lengths: FloatArray  # (C,), moves in each trajectory
    seen: FloatArray | None = None  # (≤ F, F), the different features seen; None where there are more
    doubt: str | None = None  # why the features' rank is not known
    weights: FloatArray | None = None  # (C,), sums of products of several ratios, where Y is made of such
    _samples: dict[int, tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Trajectories, or groups of them."""
        return len(self.b)

    @cached_property
    def mean(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """X̂, Ŷ, b̂."""
        return self.X.mean(axis=0), self.Y.mean(axis=0), self.b.mean(axis=0)

    def resampled(self, seed: int) -> tuple[FloatArray, FloatArray]:
        """X and Y of the bootstrap samples, (RESAMPLES, r, r) each; drawn once for all questions."""
        if seed not in self._samples:
            rng = np.random.default_rng(seed)
            weights = rng.multinomial(self.n, np.full(self.n, 1 / self.n), RESAMPLES) / self.n
            lengths = weights @ (self.lengths / self.lengths.mean())
            X, Y = (np.tensordot(weights, sums, axes=1) / lengths[:, None, None] for sums in (self.X, self.Y))
            self._samples[seed] = X, Y
        return self._samples[seed]


def estimate(moments: Moments, recorded: Recorded, complete: bool = True) -> Estimate:
    """What the sums say, or one line about data that cannot be meant."""
    name = recorded.name
    if moments.largest == 0:
        raise InvalidProblem("all features are 0: there is nothing to learn", name)
    if moments.largest < SMALLEST:
        complaint = f"features of at most {moments.largest:.2g} are less than {SMALLEST:g}: multiply them"
        raise InvalidProblem(complaint, name)
    _check_ratios(moments, name)
    trajectories, counted = moments.runs.trajectories
    unended = moments.runs.unended
    sums = moments.base
    if moments.how == "blocks":
        trajectories, counted, unended = sums.n, True, sums.n
    about = Summary(
        name,
        moments.rows,
        moments.n_features,
        trajectories,
        counted,
        int((sums.moves > 0).sum()) if sums.slot_of is None else None,
        moments.how != "blocks",
        unended,
        moments.ratios.total / moments.rows,
        recorded.on_policy,
        recorded.ignored,
        complete,
    )
    V, doubt = _basis(sums)
    return _of(sums, about, V, moments.seen, doubt)


def of_steps(found: Estimate, step: NSteps | Traces, base: GroupedSums) -> Estimate:
    """The sums of a method of several steps; X, where they have none, is that of all moves."""
    if isinstance(step, NSteps):
        return _of(step.sums, found.about, found.V, found.seen, found.doubt, weighted=True)
    F, n = len(found.V), len(base.moves)
    both = GroupedSums(F, 2 * F + 1)
    both.__dict__.update(step.sums.__dict__)
    both.sums = np.concatenate([base.sums[: len(step.sums.sums)], step.sums.sums[:n]], axis=2)
    both.weights = step.sums.weights / (step.sums.weights.sum() / step.sums.moves.sum() or 1.0)
    return _of(both, found.about, found.V, found.seen, found.doubt, weighted=True, skip=F + 1)


def _of(
    sums: GroupedSums,
    about: Summary,
    V: FloatArray,
    seen: FloatArray | None,
    doubt: str | None,
    weighted: bool = False,
    skip: int = 0,
) -> Estimate:
    """Trajectories without a row are left out."""
    F = len(V)
    some = sums.moves > 0
    lengths, kept = sums.moves[some], sums.sums[some]
    kept /= lengths.mean()
    ahead = F + skip
    X, Y, b = kept[:, :, :F], kept[:, :, ahead : ahead + F], kept[:, :, -1]
    if V.shape[0] != V.shape[1]:
        X, Y, b = V.T @ X @ V, V.T @ Y @ V, b @ V
    return Estimate(about, V, X, Y, b, lengths, seen, doubt, sums.weights[some] if weighted else None)


def _check_ratios(moments: Moments, name: str) -> None:
    """Ratios average about 1, since E_μ[ρ] = 1."""
    n, found = moments.rows, moments.ratios
    mean = found.total / n
    variance = max(0.0, found.squares - n * mean**2) / max(1, n - 1)
    error = float(np.sqrt(variance / n))
    if n >= 30 and abs(mean - 1) > FEW * error + 1e-9:
        raise InvalidProblem(
            f"ratios average {mean:.3g} ± {error:.1g}, far from 1 (largest {found.largest:.3g}, "
            f"row {found.row + 1:,}): are these π/μ of the actions taken, with all actions of π seen?",
            name,
            "ratio",
        )


def _basis(sums: GroupedSums) -> tuple[FloatArray, str | None]:
    """An orthonormal basis of the features' row space, and what is doubtful about it."""
    F = sums.sums.shape[1]
    X = sums.sums[:, :, :F].sum(axis=0)
    length = np.sqrt(np.diagonal(X))
    used = length > 0
    scale = np.where(used, length, 1.0)
    values, vectors = np.linalg.eigh(X / scale[:, None] / scale)
    kept = values > ZERO * F
    doubt = None
    if (kept & (values < KNOWN * F)).any():
        doubt = "features are so nearly dependent that sums in double precision do not tell"
    if kept.all():
        return np.eye(F), doubt
    Q, _ = np.linalg.qr(vectors[:, kept] * scale[:, None] * used[:, None])
    return Q, doubt


def bound(sums: FloatArray, delta: float) -> FloatArray:
    """How far each entry's mean may be from the truth, all at once with probability 1 − δ, for independent sums."""
    n = len(sums)
    if n < 2:
        return np.full(sums.shape[1:], np.inf)
    log = np.log(4 * sums[0].size / delta)
    spread = 2 * np.abs(sums).max(axis=0)
    return np.sqrt(2 * sums.var(axis=0, ddof=1) * log / n) + 7 * spread * log / (3 * (n - 1))
