"""Everything about one problem: on which side it falls, how we know, and what would flip it.

Verdicts are certified (`theory.certified.verdicts`), thresholds exact where that is affordable and certified brackets
elsewhere, eigenvalues and the largest step size balls with the right digits (`theory.certified.enclosed_spectra`),
unless there are so many features that only floats are left. Fixed points are exact for an exact problem and floats
for a float one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from theory.certified.answers import NO, Answer
from theory.certified.enclosed_spectra import EnclosedSpectrum, problem_spectra
from theory.certified.verdicts import Verdict, safe_for_every_feature
from theory.exact.matrices import fractions
from theory.experiments.why import Why, direction, unsafe_feature
from theory.linear.spectra import (
    StepSizes,
    chain_spectrum,
    feature_spectrum,
    td_spectrum,
    td_step_sizes,
    worst_direction,
)
from theory.linear.target_networks import window_radii
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.methods.targets import TargetNetwork
from theory.model.balls import BITS, UNRESOLVED, as_bounded, precision
from theory.model.linear_model import LinearModel, exact_model, value_model
from theory.model.points import finite, fixed_point, policy_values
from theory.noise.limits import NONE, StepSizeLimit, quick_limit
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, show_number
from theory.problems.validate import first_uncovered_move
from theory.text.words import quadrant, word
from theory.thresholds.certificates import AlongCertificate, chain_certificate, td_certificate
from theory.thresholds.results import StableIntervals, Threshold
from theory.views.page import Page, Viewable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theory.experiments.remedy import Remedy

DEFAULT_WINDOW = 100
WORTH_SAYING = 3e8  # bytes
RESOLVED = 1e-10  # of the largest eigenvalue: a smaller real part may be rounding
FEW_STATES = 12  # that are named
FEW_MOMENTS = 100  # second moments whose largest step size takes no time


@dataclass(frozen=True, eq=False)
class Point:
    """A fixed point as it is shown: θ and its values, or why there is none."""

    theta: Array | None  # (F,)
    values: Array | None  # (S,)
    note: str | None
    bound: Array | None = None  # (F,), how far each entry of θ may be off; None where it is exact, or only floats


NO_BEHAVIOUR = Point(None, None, "unknown: the behaviour's own transitions or rewards are not given")


class Bounds(NamedTuple):
    """How far what is known of a large problem may be off, proved."""

    moments: float  # each entry of X and Y; nan where they are not known
    v_pi: float | None  # each value; infinite where nothing bounds it
    v_mu: float | None


@dataclass(frozen=True, eq=False)
class Window:
    """TD with a target network that is replaced every `window` updates."""

    window: int
    step_size: Fraction
    rho: float
    verdict: Verdict


class Known(NamedTuple):
    """An answer as shown: a verdict's, or the one that a certified threshold implies where the verdict has none."""

    holds: Answer
    reason: str
    how: str
    method: str
    certified: bool
    rechecked: bool = False
    carried_by: str | None = None  # the part of the JSON that implies it, where no certificate of its own does
    certificate: AlongCertificate | None = None  # and that part's document for the independent checker


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Viewable):
    """What `theory inspect` knows of a problem."""

    problem: Problem
    rank: int | None  # None where independence is not proved
    td: Verdict
    td_spectrum: Array  # (r,), in floats
    td_enclosed: EnclosedSpectrum | None
    td_steps: StepSizes  # in floats
    td_limit: Any  # the largest step size in a ball; None where there is none, or none that is certain
    td_steps_note: str | None  # why there is no number, or none to trust
    td_intervals: StableIntervals
    chain: Verdict
    chain_spectrum: Array  # (r,), in floats
    chain_enclosed: EnclosedSpectrum | None
    chain_threshold: Threshold
    target_network: Window
    safety: float | None  # γλ_max(sym(D^½PD^−½)), in floats
    safe: Verdict
    v_pi: Array  # (S,)
    v_mu: Array | None  # (S,)
    target: Point
    behaviour: Point
    bounds: Bounds | None = None  # of a large problem

    @cached_property
    def td_known(self) -> Known:
        """TD's verdict, or what its intervals imply."""
        implied = self.td_intervals.holds_at(self.problem.given.gamma)
        reason = "carried along γ: TD's side is proved for an interval that holds it"
        return self._known(self.td, implied, reason, "td.stable_intervals", lambda: td_certificate(self.problem))

    @cached_property
    def chain_known(self) -> Known:
        """The chain's verdict, or what its threshold implies, since ρ(γΠP) = γρ(ΠP)."""
        implied = self.chain_threshold.is_above(self.problem.given.gamma)
        how = implied.pick("γ is below 1/ρ(ΠP)", "γ is not below 1/ρ(ΠP)", "")
        reason = f"carried along γ: ρ(γΠP) = γρ(ΠP), and {how}"
        return self._known(
            self.chain, implied, reason, "chain.gamma_threshold", lambda: chain_certificate(self.problem)
        )

    def _known(
        self, verdict: Verdict, implied: Answer, reason: str, carrier: str, proof: Callable[[], AlongCertificate | None]
    ) -> Known:
        if verdict.decided or implied is Answer.UNDECIDED:
            return Known(verdict.holds, verdict.reason, verdict.how, verdict.method, verdict.decided, verdict.rechecked)
        document = proof()
        says = document is not None and document.holds_at(self.problem.given.gamma) is implied and document.recheck()
        how = "by the threshold, re-checked" if says else "by the threshold"
        return Known(implied, reason, how, "by the threshold", True, says, carrier, document if says else None)

    @cached_property
    def thresholds_rechecked(self) -> tuple[bool, bool]:
        """Has the independent checker repeated the proof of TD's intervals, and of the chain's threshold?

        Only where that takes no more than a moment; `theory.gamma_thresholds(…).certificates()` takes longer.
        """
        found = (
            (td_certificate(self.problem, quick=True), [end for pair in self.td_intervals.intervals for end in pair]),
            (chain_certificate(self.problem, quick=True), [self.chain_threshold]),
        )
        td, chain = (x is not None and x.confirms(ends) and x.recheck() for x, ends in found)
        return td, chain

    @cached_property
    def why(self) -> Why:
        """Which directions decide, and which states feed them; of a large problem they are not looked for."""
        if self.problem.is_large:
            return Why(None, None, None)
        return Why(direction(self.problem, "td"), direction(self.problem, "chain"), unsafe_feature(self.safe))

    @cached_property
    def remedy(self) -> Remedy | None:
        """Where TD or the chain fails: the nearest weights with which Kolter's condition makes both safe."""
        from theory.experiments.remedy import nearest_safe_weights, searched

        fails = NO in (self.td_known.holds, self.chain_known.holds)
        return nearest_safe_weights(self.problem) if fails and searched(self.problem) else None

    @cached_property
    def mean_square(self) -> tuple[StepSizeLimit, StepSizeLimit]:
        """The largest step sizes of TD and of the chain's heads in mean square, where they cost a moment.

        What is stable in mean square is stable in the mean (extra-mean-square): where TD is not, no step size is.
        """
        td = NONE if self.td_known.holds == NO else quick_limit("off-policy-td", self.problem, FEW_MOMENTS)
        return td, quick_limit("chain", self.problem, FEW_MOMENTS)

    @property
    def quadrant(self) -> str:
        """``td-stable/chain-biased`` and the like; ``undecided`` where an answer is."""
        return quadrant(self.td_known.holds.json, self.chain_known.holds.json)

    def page(self) -> Page:
        """What ``theory inspect`` prints."""
        from theory.experiments.inspection_page import inspection_page

        return inspection_page(self)

    def __repr__(self) -> str:
        td, chain = word("td", self.td_known.holds.json), word("chain", self.chain_known.holds.json)
        gamma = show_number(self.problem.given.gamma)
        return f"<Inspection of {self.problem.name} at γ = {gamma}: TD {td}, chain {chain}>"

    def document(self) -> dict[str, Any]:
        """What ``theory inspect --json`` prints."""
        from theory.experiments.inspection_document import document

        return document(self)

    def plot(self) -> Figure:
        """A matplotlib figure: spectra, bias against k, windows and transients."""
        from theory.experiments.inspection_plot import plot_data
        from theory.figures.live.inspection import plot_inspection

        return plot_inspection(plot_data(self.problem, self.target_network.step_size))

    @property
    def notes(self) -> list[str]:
        """What a reader of the numbers should know."""
        if self.problem.is_large:
            return []
        said, silent = [], ~np.any(self.problem.Phi, axis=1)
        if self.v_mu is not None and silent.any() and not silent.all():
            said = ["States with zero features are silent ends: Φθ_μ stops there, while v_μ goes on after a restart."]
        return said + unvisited_notes(self.problem)


def inspect_problem(
    problem: Problem,
    step_size: Fraction | None = None,
    window: int = DEFAULT_WINDOW,
    progress: Progress | None = None,
    insist: bool = False,
) -> Inspection:
    """Analyse one problem; `step_size` defaults to a power of two at which every head of the chain is stable.

    `insist` on exact thresholds, however long they take.
    """
    tell = Quiet() if progress is None else progress
    if step_size is not None and not Fraction(1, 2**1000) <= step_size <= 2**1000:
        raise InvalidProblem("must be positive, and neither beyond nor below double precision", "step-size")
    if problem.memory > WORTH_SAYING:
        tell.say(f"{problem.n_states:,} states, about {problem.memory / 1e9:.1f} GB")
    model = _model(problem, tell)
    tell.say("certified verdicts")
    stable, unbiased = TD.verdict(problem, confirm=True), CHAIN.verdict(problem, confirm=True)
    alpha = default_step_size(problem) if step_size is None else step_size
    network = TargetNetwork.at(alpha, window).verdict(problem, confirm=True)
    tell.say("safety for every Φ")
    safety = None if problem.is_large else _safety(problem)
    safe = safe_for_every_feature(problem, confirm=True, progress=tell)
    tell.say("eigenvalues")
    rho = float(window_radii(problem, float(alpha), [window])[0])
    enclosed, chain_enclosed = problem_spectra(problem)
    limit = enclosed.step_limit if enclosed is not None and stable.proved else None
    steps, spectrum = td_step_sizes(problem), td_spectrum(problem)
    tell.say("thresholds in γ of TD")
    intervals = TD.gammas(problem, insist=insist, progress=tell)
    tell.say("threshold in γ of the chain")
    threshold = CHAIN.gammas(problem, insist=insist)
    tell.say("values and fixed points")
    (v_pi, off), target = _worth(model), _point(model, "A", "b")
    v_mu, off_mu, behaviour = None, None, NO_BEHAVIOUR
    if model.P_mu is not None and model.r_mu is not None:
        (v_mu, off_mu), behaviour = _worth(model.behaviour), _point(model.behaviour, "A_mu", "b_mu")
    return Inspection(
        problem=problem,
        rank=exact_model(problem).rank if model.width is None else model.rank if model.resolved else None,
        td=stable,
        td_spectrum=spectrum,
        td_enclosed=enclosed,
        td_steps=steps,
        td_limit=limit,
        td_steps_note=None if limit is not None else steps_note(steps, stable, spectrum),
        td_intervals=intervals,
        chain=unbiased,
        chain_spectrum=chain_spectrum(problem),
        chain_enclosed=chain_enclosed,
        chain_threshold=threshold,
        target_network=Window(window, alpha, rho, network),
        safety=safety,
        safe=safe,
        v_pi=v_pi,
        v_mu=v_mu,
        target=target,
        behaviour=behaviour,
        bounds=None if model.width is None else Bounds(model.width, off, off_mu),
    )


def _model(problem: Problem, tell: Progress) -> LinearModel:
    """What values and fixed points are computed in."""
    if problem.is_large:
        from theory.model.enclosed import enclosed

        return enclosed(problem, progress=tell)
    return exact_model(problem) if problem.is_exact else value_model(problem)


def unvisited_notes(problem: Problem) -> list[str]:
    """What states that are never visited mean for ρ and for learning."""
    unvisited = np.flatnonzero(problem.given.d_mu == 0)
    if len(unvisited) == 0:
        return []
    labels, move = problem.state_labels, first_uncovered_move(problem.given.P_pi, problem.given.d_mu)
    shown = ", ".join(labels[s] for s in unvisited[:FEW_STATES]) + (", …" if len(unvisited) > FEW_STATES else "")
    who = f"State {shown} is" if len(unvisited) == 1 else f"States {shown} are"
    if move is None:
        return [f"{who} never visited (d_μ = 0): no visited state leads there, so nothing learned depends on it."]
    s, t = (labels[i] for i in move)
    return [
        f"{who} never visited (d_μ = 0): the target moves from {s} to {t}, which the behaviour never does, so ρ is "
        "undefined; expected updates are defined, and there is no sampled learner (learn and noise refuse)."
    ]


def _safety(problem: Problem) -> float | None:
    """γλ_max(sym(D^½PD^−½)) of the states that are visited; None: unbounded, as others are where these lead to."""
    d, P, gamma = problem.d_mu, problem.P_pi, problem.gamma
    if gamma and first_uncovered_move(P, d) is not None:
        return None
    return gamma * worst_direction(d[d > 0], P[np.ix_(d > 0, d > 0)])[0]


class Progress(Protocol):
    """Where it is shown what is being done, and how much of it is done."""

    def say(self, title: str) -> None: ...

    def __call__(self, share: float) -> None: ...


class Quiet:
    """Progress that is not shown."""

    def say(self, title: str) -> None:
        """Nothing."""

    def __call__(self, share: float) -> None:
        """Nothing."""


def default_step_size(problem: Problem) -> Fraction:
    """The largest power of two not above 1/λ_max(X): half of the largest of the chain's heads (prop-4)."""
    largest = float(np.abs(feature_spectrum(problem)).max(initial=0.0)) * (1 - 1e-9)  # whatever was rounded
    return Fraction(1) if largest == 0 else Fraction(2) ** -math.ceil(math.log2(largest))


def steps_note(steps: StepSizes, stable: Verdict, spectrum: Array) -> str | None:
    """Why there is no largest step size, or none to trust."""
    if stable.refuted:
        return "no step size converges"
    if len(spectrum) == 0:
        return "nothing to learn: every feature is zero"
    if stable.undecided or spectrum.real.min() <= RESOLVED * np.abs(spectrum).max() or not 0 < steps.limit < math.inf:
        return "the largest step size of TD is not resolved in double precision"
    return None


def _point(model: LinearModel, key: str, vector: str) -> Point:
    if not model.resolved:
        return Point(None, None, UNRESOLVED)
    with precision(BITS):
        found = fixed_point(model, key, vector)
        if model.width is not None and found.theta is not None:
            theta = as_bounded(found.theta)
            return Point(theta.mid[:, 0], found.values, found.note, theta.rad[:, 0])
    shown, values = (None if x is None else _shown(x) for x in (found.theta, found.values))
    return Point(shown, values, found.note)


def _worth(model: LinearModel) -> tuple[Array, float | None]:
    """What a policy is worth, and how far each value may be off where that is proved."""
    values, off = policy_values(model)
    return (_shown(values) if off is None else values), off


def _shown(vector: Any) -> Array:
    """`Fraction`s, or doubles; what overflows is refused in one line."""
    return finite(vector) if isinstance(vector, np.ndarray) else np.atleast_1d(fractions(vector))
