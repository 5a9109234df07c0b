r"""The search itself: optimise in floats, round, shrink, certify.

Large problems are a small core, found as follows, and states that stay where they are (`core_size`, `pad`).
A round is one run of differential evolution with its own child of the seed, then rounding, shrinking and certifying;
the best of all rounds is the answer. Rounds are the budget. Time is only a safety stop: it ends the search early, with
what was found until then, and the result says so; what a finished round finds does not depend on time.

What is found is proved: the verdicts are those of `theory.certified.verdicts` on the exact problem, and each
certificate has been re-checked. That nothing was found proves nothing, except where `impossible` says why.

Global optimisation of the margin, in floats, by differential evolution.

A point of the unit cube is a problem: γ if it is free, d by weights e^x, rows of P by weights x⁴ (so that moves of
small probability are easily dropped), and Φ = D^−½Ψ. Taking Ψ instead of Φ lets rare states have large features,
which is what makes problems unstable. The smaller γ is, the rarer states may be: a bias needs about d < γ²/4. For the
largest ρ they are as rare as the wanted denominator allows.

From a problem in floats to the shortest one in whole numbers that keeps the property.

`rationalise` rounds from coarse to fine until the margin survives; `shrink` then goes to the best neighbour for as
long as there is a better one. Better is shorter, or with `largest_rho` larger ρ first and shorter second. Floats
choose with a margin of at least `LEAST`, so that nothing ends on a boundary; the proof comes after.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import log

import numpy as np

from theory.certified.answers import NO, YES
from theory.certified.verdicts import Verdict
from theory.experiments.inspection import default_step_size
from theory.experiments.search.lattice import Draft, batch_of, coarse_to_fine, neighbours, pad, rounded
from theory.experiments.search.margins import ENOUGH, Batch, margins
from theory.experiments.search.wanted import Wanted, check_sizes, core_size, impossible
from theory.linear.spectra import chain_radius
from theory.linear.target_networks import stable_windows
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.methods.family import find_method
from theory.methods.outcome import Outcome, outcome
from theory.methods.targets import TargetNetwork
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray
from theory.views.page import Page, Viewable

ROUNDS = 6
LONGEST_WINDOW = 20_000

Progress = Callable[[int, int, int, int, float], None]  # states, features, rounds done, of, best margin
Range = tuple[int, int]


@dataclass(frozen=True, eq=False)
class MiddleWindow:
    """A finite T that is stable where TD (T = 1) and the chain (T = ∞) are not."""

    window: int
    step_size: Fraction
    stable: tuple[int, int]  # the range of stable T around it: its ends certified, between them by floats
    verdict: Verdict


@dataclass(frozen=True, eq=False)
class Proof:
    """The verdicts on a found problem, every certificate re-checked."""

    td: Verdict
    chain: Verdict
    middle: MiddleWindow | None
    methods: dict[str, Outcome] = field(default_factory=dict)  # of the others that were asked about


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult(Viewable):
    """A problem with its proof, or why there is none, and what was tried."""

    wanted: Wanted
    states: int
    features: int
    problem: Problem | None
    proof: Proof | None
    impossible: str | None  # a proof that there is no such problem
    rounds: int  # that were finished
    stopped: bool  # by the time limit
    best_margin: float | None  # in floats, of all rounds; see `margins`
    rho: float | None  # ρ(γΠP) of the problem
    drawn: int | None = None  # members of a family, where it was searched

    def page(self) -> Page:
        """The problem with its matrices and verdicts."""
        from theory.experiments.search.page import search_page

        return search_page(self)

    def __repr__(self) -> str:
        if self.problem is None:
            return f"<SearchResult: none, {self.impossible or f'not found in {self.tried}'}>"
        return f"<SearchResult: {self.problem!r}, certified>"

    @property
    def tried(self) -> str:
        """One line on the effort."""
        if self.drawn is not None:
            return f"{self.drawn} members drawn" + (", stopped by the time limit" if self.stopped else "")
        counts = ((self.rounds, "round"), (self.states, "state"), (self.features, "feature"))
        many, S, F = (f"{n} {noun}" + ("" if n == 1 else "s") for n, noun in counts)
        text = f"{many} of differential evolution with {S} and {F}"
        if self.best_margin is not None:
            text += f", best margin {self.best_margin:.3g}"
        return text + (", stopped by the time limit" if self.stopped else "")


def search_problem(
    wanted: Wanted,
    states: int,
    features: int,
    seed: int = 0,
    *,
    rounds: int = ROUNDS,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """A short exact problem with exactly so many states and features, features of full rank.

    >>> result = search_problem(Wanted("unstable", "unbiased"), 2, 1)
    >>> result.problem is None, result.impossible is not None, result.rounds
    (True, True, 0)
    """
    check_sizes(states, features)
    if rounds < 1:
        raise InvalidProblem(f"must be 1 or more, got {rounds}", "rounds")
    nothing = SearchResult(wanted, states, features, None, None, None, 0, False, None, None)
    if (why := impossible(wanted, states, features)) is not None:
        return replace(nothing, impossible=why)
    end = time.monotonic() + (np.inf if time_limit is None else time_limit)
    found: list[tuple[tuple[float, int, int], Problem, Proof]] = []
    best, done, core = -1.0, 0, core_size(wanted, states, features)

    def late() -> bool:
        return time.monotonic() >= end

    for i, child in enumerate(np.random.SeedSequence(seed).spawn(rounds)):
        if late():
            break
        batch, margin = best_in_floats(np.random.default_rng(child), wanted, *core, late)
        best = max(best, margin)
        for draft in _drafts(batch, wanted, late):
            problem = pad(draft, states, features).problem(wanted.name)
            proof = prove(problem, wanted)
            if proof is not None:
                rho = round(chain_radius(problem), 9) if wanted.largest_rho else 0.0
                found.append(((-rho, draft.length, i), problem, proof))
                break
        if late():
            break
        done = i + 1
        if progress is not None:
            progress(states, features, done, rounds, best)
    stopped = done < rounds
    if not found:
        return replace(nothing, rounds=done, stopped=stopped, best_margin=best)
    _, problem, proof = min(found, key=lambda x: x[0])
    result = replace(nothing, problem=problem, proof=proof, rounds=done, stopped=stopped, best_margin=best)
    return replace(result, rho=chain_radius(problem))


def smallest_problem(
    wanted: Wanted,
    states: Range,
    features: Range,
    seed: int = 0,
    *,
    rounds: int = ROUNDS,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> tuple[SearchResult, list[SearchResult]]:
    """The same with as few states plus features as possible, from (least, most) of each.

    Also the results of the smaller sizes, which gave nothing: where all of them are impossible, the size found is
    proved to be the smallest.
    """
    for least_and_most in zip(states, features, strict=True):
        check_sizes(*least_and_most)
    start, before = time.monotonic(), list[SearchResult]()
    ranges = [range(low, high + 1) for low, high in (states, features)]
    for S, F in sorted(product(*ranges), key=lambda size: (sum(size), size)):
        left = None if time_limit is None else max(0.0, time_limit - (time.monotonic() - start))
        result = search_problem(wanted, S, F, seed, rounds=rounds, time_limit=left, progress=progress)
        if result.problem is not None or result.stopped:
            return result, before
        before.append(result)
    if not before:
        raise InvalidProblem("the least is more than the most", "states" if not ranges[0] else "features")
    return before.pop(), before


def prove(problem: Problem, wanted: Wanted) -> Proof | None:
    """Certified verdicts if they are the wanted ones and each certificate passes its re-check."""
    td, chain = TD.verdict(problem), CHAIN.verdict(problem)
    if td.holds != {"stable": YES, "unstable": NO, None: td.holds}[wanted.td]:
        return None
    if chain.holds != {"unbiased": YES, "biased": NO, None: chain.holds}[wanted.chain]:
        return None
    middle = _middle(problem) if wanted.windows else None
    verdicts = [td, chain, *([] if middle is None else [middle.verdict])]
    if (wanted.windows and middle is None) or any(not _proved(v) for v in verdicts):
        return None
    alpha = default_step_size(problem)
    asked = {text: outcome(find_method(text, {"alpha": alpha}), problem) for text, _ in wanted.methods}
    if any(asked[text].holds != (YES if holds else NO) for text, holds in wanted.methods):
        return None
    if any(found.verdict is not None and not _proved(found.verdict) for found in asked.values()):
        return None
    return Proof(td, chain, middle, asked)


def _drafts(batch: Batch, wanted: Wanted, late: Callable[[], bool]) -> Iterator[Draft]:
    """Shrunk first; should its certificate fail, as rounded."""
    draft = rationalise(batch, wanted)
    if draft is not None:
        yield shrink(draft, wanted, late)[0]
        yield draft


def _middle(problem: Problem) -> MiddleWindow | None:
    alpha = default_step_size(problem)
    ranges = [r for r in stable_windows(problem, float(alpha), LONGEST_WINDOW) if r[0] > 1 and r[1] < LONGEST_WINDOW]
    if not ranges:
        return None
    low, high = max(ranges, key=lambda r: r[1] / r[0])
    window = min(high, max(low, round((low * high) ** 0.5)))
    for T, holds in ((low - 1, NO), (low, YES), (high, YES), (high + 1, NO)):
        if TargetNetwork.at(alpha, T).verdict(problem).holds != holds:
            return None
    verdict = TargetNetwork.at(alpha, window).verdict(problem)
    return MiddleWindow(window, alpha, (low, high), verdict) if verdict.proved else None


def _proved(verdict: Verdict) -> bool:
    return verdict.certificate is not None and verdict.certificate.recheck()


GENERATIONS = 150
POPULATION = 300


def decode(points: FloatArray, states: int, features: int, wanted: Wanted) -> Batch:
    """The problems at points (N, dimension) of the unit cube."""
    N, S, F = len(points), states, features
    gamma = 0.5 + 0.49 * points[:, 0] if wanted.gamma is None else np.full(N, float(wanted.gamma))
    rarest = 4.0 - 2 * log(max(float(wanted.gamma), 1e-6)) if wanted.gamma else 4.0
    if wanted.largest_rho:
        rarest = log(max(1.0, wanted.max_denominator - S + 1.0))
    d = np.exp(-rarest * points[:, 1 : 1 + S])
    d /= d.sum(axis=1, keepdims=True)
    P = points[:, 1 + S : 1 + S + S * S].reshape(N, S, S) ** 4 + 1e-12
    P /= P.sum(axis=2, keepdims=True)
    Psi = 2 * points[:, 1 + S + S * S :].reshape(N, S, F) - 1
    return Batch(Psi / np.sqrt(d)[:, :, None], P, d, gamma)


def best_in_floats(
    rng: np.random.Generator,
    wanted: Wanted,
    states: int,
    features: int,
    stop: Callable[[], bool] = lambda: False,
    generations: int = GENERATIONS,
) -> tuple[Batch, float]:
    """One run: a batch of one problem and its margin; ends early at a margin that is `ENOUGH`, or on `stop`."""
    from scipy.optimize import differential_evolution

    dimension = 1 + states + states**2 + states * features
    best: list[tuple[float, FloatArray]] = [(-np.inf, np.zeros(dimension))]

    def cost(points: FloatArray) -> FloatArray:
        batch = decode(np.atleast_2d(points.T), states, features, wanted)
        value, found = margins(batch, wanted)
        if wanted.largest_rho:  # once on the wanted side, as far out as it goes
            value = np.where(value >= ENOUGH / 4, ENOUGH + np.minimum(found.rho, 1e6), value)
        i = int(value.argmax())
        if value[i] > best[0][0]:
            best[0] = (float(value[i]), np.atleast_2d(points.T)[i].copy())
        return -value

    def enough(x: FloatArray, convergence: float) -> bool:
        return stop() or (not wanted.largest_rho and best[0][0] >= ENOUGH)

    differential_evolution(
        cost,
        [(0.0, 1.0)] * dimension,
        maxiter=generations,
        popsize=max(1, min(15, POPULATION // dimension)),
        tol=0,
        polish=False,
        updating="deferred",
        vectorized=True,
        callback=enough,
        seed=rng,
    )
    return decode(best[0][1][None], states, features, wanted), min(best[0][0], ENOUGH)


LEAST = 0.02
MAX_STEPS = 400


def rationalise(batch: Batch, wanted: Wanted, least: float = LEAST) -> Draft | None:
    """The coarsest rounding of a batch of one that keeps the margin; None where none does."""
    margin = float(margins(batch, wanted)[0][0])
    if margin <= 0:
        return None
    q, size = wanted.max_denominator, wanted.max_entry
    pairs = [(q, size)] if wanted.largest_rho else coarse_to_fine(batch.d.shape[1])
    for draft in rounded(batch, wanted.gamma, pairs):
        if _within(draft, wanted) and float(margins(batch_of([draft]), wanted)[0][0]) >= min(least, margin / 2):
            return draft
    return None


def shrink(draft: Draft, wanted: Wanted, stop: Callable[[], bool] = lambda: False) -> tuple[Draft, float]:
    """The last of a row of ever better drafts, and its margin."""
    margin, found = margins(batch_of([draft]), wanted)
    least = min(LEAST, float(margin[0]))
    best = (_merit(draft, float(found.rho[0]), wanted), float(margin[0]), draft)
    for _ in range(MAX_STEPS):
        near = [x for x in neighbours(best[2], wanted.gamma is None, wanted.largest_rho) if _within(x, wanted)]
        if stop() or not near:
            break
        value, found = margins(batch_of(near), wanted)
        good = np.flatnonzero(value >= least).tolist()
        merits = [(_merit(near[i], float(found.rho[i]), wanted), -float(value[i]), i) for i in good]
        if not merits or min(merits)[0] >= best[0]:
            break
        merit, minus, i = min(merits)
        best = (merit, -minus, near[i])
    return best[2], best[1]


def _merit(draft: Draft, rho: float, wanted: Wanted) -> tuple[float, int]:
    """Smaller is better; ρ is rounded so that equal ones are equal."""
    return (-round(rho, 9) if wanted.largest_rho else 0.0, draft.length)


def _within(draft: Draft, wanted: Wanted) -> bool:
    if any(not any(column) for column in zip(*draft.Phi, strict=True)):
        return False
    if not wanted.largest_rho:
        return True
    sums = [sum(draft.weights), *map(sum, draft.rows)]
    return max(sums) <= wanted.max_denominator and max(abs(x) for row in draft.Phi for x in row) <= wanted.max_entry
