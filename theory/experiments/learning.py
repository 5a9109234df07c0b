"""One learner with one setting on one problem: its error over time, with a band over seeds; or the best of a grid.

The stream of moves is drawn first and only from the seed, so learners that are compared see the same moves and start
from the same parameters; head 0 of a chain starts where a learner with one vector does. Seeds are run in batches, which
bounds the memory and changes no number. Divergence is a result: an RMSE that is not finite is ∞ here.

`tune` is the paper's protocol on any problem: all step sizes (windows, heads) that are not given are tried on tuning
seeds of their own, and the setting with the least mean squared error over the last half is the one to run. A setting at
the grid's edge is said to be there, since a better one may lie beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from theory.experiments.bootstrap import BAND, bootstrap_band, root_mean
from theory.experiments.over_seeds import Paired, Tolerance, interquartile_mean, paired_difference, tolerance_interval
from theory.experiments.tuning import Tuning, at_edge, sensitivity
from theory.learners.driver import BulkResult, check_settings, run_bulk
from theory.learners.families import find_learner
from theory.learners.protocol import Protocol, grid
from theory.learners.rule import Rule, count, one_of
from theory.learners.streams import Initials, draw_initials, draw_transitions, n_parameters
from theory.learners.value_space import ERRORS
from theory.noise.curves import ExactCurve, exact_curve
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray, as_number, counted
from theory.views.page import Page, Viewable, data_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_STEPS = 20_000_000
_AT_ONCE = 10_000_000  # moves of all seeds of a batch: some 20 bytes each while they are drawn
_MAX_HEADS = 100_000
# The words on the command line for the columns of the learners.
WORDS = {"alpha": "step-size", "lambda_": "lambda"}


@dataclass(frozen=True)
class Run:
    """What is asked. `setting` holds what the learner has of alpha, beta, lambda_, n, window, k, epsilon."""

    learner: str
    setting: dict[str, float]
    heads: int = 256  # K: a chain has the heads 0..K
    steps: int = 100_000
    seeds: int = 10
    seed: int = 0
    scale: float = 100.0  # θ of every head from N(0, scale²)
    points: int = 100  # of the curve, beside the start
    options: dict[str, Any] = field(default_factory=dict)  # variants of the learner
    error: str = "uniform"  # what is measured: over states alike, by d_mu (√VE), or √PBE
    tuning: Tuning | None = None
    start: tuple[Any, ...] | None = None  # θ of every head, instead of N(0, scale²)
    progress: Callable[[float], None] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        rule = find_learner(self.learner)
        object.__setattr__(self, "learner", rule.name)
        one_of(self.error, ERRORS, "error")
        for name, least in (("heads", 0), ("steps", 1), ("seeds", 1), ("seed", 0), ("points", 1)):
            count(getattr(self, name), least, name)
        for name, most in (("steps", MAX_STEPS), ("heads", _MAX_HEADS)):
            if getattr(self, name) > most:
                raise InvalidProblem(f"at most {most:,} fit into memory, got {getattr(self, name):,}", name)
        if not 0 <= self.scale < float("inf"):
            raise InvalidProblem(f"must be 0 or more and finite, got {self.scale}", "scale")
        try:
            check_settings(rule, self.setting, self.heads, self.options)
        except InvalidProblem as error:
            # settings.alpha[0] is an implementation's word; the user's is step-size.
            words = [WORDS.get(str(p), str(p)) for p in error.place if p not in ("settings", 0)]
            raise InvalidProblem(error.complaint, *words) from None

    @property
    def config(self) -> dict[str, Any]:
        """Everything that determines the result, beside the problem."""
        given = {WORDS.get(name, name).replace("-", "_"): value for name, value in self.setting.items()}
        shared = {name: getattr(self, name) for name in ("steps", "seeds", "seed", "scale")}
        if "k" in self.rule.columns:
            shared["heads"] = self.heads
        defaults = type(self.rule).options()
        chosen = {name: value for name, value in self.options.items() if value != defaults[name].default}
        if self.start is not None:
            del shared["scale"]
            shared["start"] = [str(x) for x in self.start]
        return given | shared | chosen | ({"error": self.error} if self.error != "uniform" else {})

    @property
    def rule(self) -> Rule:
        """The learner with this setting (its γ is the problem's business)."""
        return find_learner(self.learner).of(0, self.setting, self.heads, self.options)


@dataclass(frozen=True, eq=False, repr=False)
class Learned(Viewable):
    """Errors of the kind that the run measures, root mean square over states and seeds."""

    run: Run
    problem: str
    gamma: float
    marks: Array  # (m,), moves
    rmse: FloatArray  # (m,)
    low: FloatArray  # (m,), nan with one seed
    high: FloatArray
    last_half: float
    final: float
    diverged_seeds: int
    passed: int | None  # the first move after which some seed's RMSE stays above 150
    squares: FloatArray  # (seeds,), each seed's mean square over the last half
    ends: FloatArray  # (seeds,), its squared error after the last move
    paired: Paired | None = None  # against another learner on the same moves
    exact: ExactCurve | None = None  # what the seeds are drawn from, where it was asked for and can be had
    inexact: str | None = None  # why it cannot

    @property
    def untrained(self) -> str | None:
        """Why the prediction stays where it began, if it does: nothing that moves it happens so early."""
        return self.run.rule.idle(self.run.steps)

    @property
    def each(self) -> FloatArray:
        """Each seed's RMSE over the last half."""
        return np.sqrt(self.squares)

    @property
    def middle(self) -> float:
        """The interquartile mean of `each`."""
        return interquartile_mean(self.each)

    @property
    def tolerance(self) -> Tolerance | None:
        """The range of nearly all seeds' RMSE over the last half."""
        return tolerance_interval(self.each)

    def document(self) -> dict[str, Any]:
        """For JSON; what is not finite becomes null there, and `reason` says why."""
        columns = (self.marks.tolist(), self.rmse.tolist(), self.low.tolist(), self.high.tolist())
        found: dict[str, Any] = {
            "learner": self.run.learner,
            "problem": self.problem,
            "gamma": self.gamma,
            "config": self.run.config,
            "rmse": {
                "last_half": self.last_half,
                "final": self.final,
                "curve": [list(row) for row in zip(*columns, strict=True)],
                "band": BAND if self.run.seeds > 1 else "none: one seed",
            },
            "diverged_seeds": self.diverged_seeds,
            "passed_150_after": self.passed,
            "over_seeds": {
                "interquartile_mean": self.middle,
                "tolerance": None if self.tolerance is None else self.tolerance.document(),
            },
        }
        if self.paired is not None:
            found["paired"] = self.paired._asdict()
        if self.exact is not None:
            found["exact"] = self.exact.document(self.run.seeds)
        elif self.inexact is not None:
            found |= {"exact": None, "reason": self.inexact}
        if self.run.tuning is not None:
            found["tuning"] = self.run.tuning.document()
        if self.untrained is not None:
            found["note"] = self.untrained
        if not (isfinite(self.last_half) and isfinite(self.final)):
            found["reason"] = f"{self.diverged_seeds} of {counted(self.run.seeds, 'seed')} diverged beyond measure"
        return found

    def plot(self, *others: Learned) -> Figure:
        """A matplotlib figure: the error over time with its band, beside that of other runs."""
        from theory.figures.live.learned import plot_learned

        return plot_learned([self, *others])

    def __repr__(self) -> str:
        seeds = f"{self.diverged_seeds} of {counted(self.run.seeds, 'seed')} diverged"
        return f"<Learned: {self.run.learner} on {self.problem}, RMSE {self.final:.3g} at the end, {seeds}>"

    def page(self) -> Page:
        """Its errors, and what the seeds say."""
        from theory.experiments.learned_page import learned_page

        return learned_page([self])

    def to_pandas(self) -> Any:
        """The curve, a row a mark."""
        return data_frame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The curve for CSV."""
        columns = zip(self.marks.tolist(), self.rmse.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return [
            {"learner": self.run.learner, "step": t, "rmse": r, "low": low, "high": high} for t, r, low, high in columns
        ]

    def seed_rows(self) -> list[dict[str, Any]]:
        """The raw results, a row a seed."""
        setting = {
            name: self.run.setting.get(name) for name in ("alpha", "beta", "lambda_", "n", "window", "k", "epsilon")
        }
        shared = {"learner": self.run.learner, "problem": self.problem, "gamma": self.gamma} | setting
        pairs = zip(self.each.tolist(), np.sqrt(self.ends).tolist(), strict=True)
        return [shared | {"seed": i, "last_half": half, "final": end} for i, (half, end) in enumerate(pairs)]


def default_setting(learner: str, given: Mapping[str, float | None], heads: int) -> dict[str, float]:
    """The learner's columns: as given where they are, else β = α, T = 100, k = K and what else the rule says."""
    rule = find_learner(learner)
    present = {name: value for name, value in given.items() if value is not None}
    defaults = {"beta": present.get("alpha"), "window": 100, "k": heads}
    chosen = {name: present.get(name, defaults.get(name, rule.default(name))) for name in rule.columns}
    missing = [WORDS.get(name, name) for name, value in chosen.items() if value is None]
    if missing:
        raise InvalidProblem(f"{learner} needs one", missing[0])
    return {name: value for name, value in chosen.items() if value is not None}


def learn(problem: Problem, run: Run) -> Learned:
    """Run it. Streams, starts and the bootstrap have generators of their own, spawned from the seed."""
    streams, starts, resampling, *_ = _generators(run.seed)
    steps = run.steps - (1 if run.rule.action_values else 0)
    marks = np.unique(np.linspace(0, max(steps, 0), run.points + 1).astype(np.int64))
    settings = {name: [value] for name, value in run.setting.items()}
    parts = list(_batches(problem, run, settings, streams, starts, run.seeds, marks))
    squares = np.concatenate([part.mean_square[0] for part in parts])
    final = np.concatenate([part.final[0] for part in parts])
    curve = np.concatenate([part.curve[0] for part in parts])
    passed = np.concatenate([part.passed[0] for part in parts])
    low, high = bootstrap_band(resampling, curve)
    return Learned(
        run,
        problem.name,
        problem.gamma,
        marks,
        root_mean(curve),
        low,
        high,
        float(root_mean(squares)),
        float(root_mean(final)),
        int(sum(part.diverged[0].sum() for part in parts)),
        int(passed[passed >= 0].min()) if (passed >= 0).any() else None,
        squares,
        final,
    )


def with_exact(problem: Problem, result: Learned) -> Learned:
    """The same result beside the exact expectation of what it sampled, without sampling."""
    run = result.run
    try:
        start = None if run.start is None else _parameters(problem, run)
        rule = find_learner(run.learner).of(problem.gamma, run.setting, run.heads, run.options)
        return replace(result, exact=exact_curve(rule, problem, result.marks, run.scale, run.error, start))
    except InvalidProblem as error:
        return replace(result, inexact=error.complaint)


def compare(problem: Problem, runs: Sequence[Run]) -> list[Learned]:
    """Several learners on the same moves, in the order given; each but the first is paired with it."""
    first, *others = (learn(problem, run) for run in runs)
    return [first, *(replace(other, paired=_against(first, other)) for other in others)]


def _against(first: Learned, other: Learned) -> Paired | None:
    """None where the two did not see the same moves."""
    shared = ("seed", "seeds", "steps", "scale", "error", "start")
    if any(getattr(first.run, name) != getattr(other.run, name) for name in shared):
        return None
    *_, resampling = _generators(first.run.seed)
    return paired_difference(resampling, other.each, first.each, first.run.learner)


def tune(
    problem: Problem,
    learner: str,
    given: Mapping[str, float | None],
    *,
    protocol: Protocol | None = None,
    tuning_seeds: int = 10,
    **asked: Any,
) -> Run:
    """The best run of a learner by the paper's grid; what is `given` stays as it is, `asked` are fields of `Run`."""
    protocol, K = protocol or Protocol(), asked.get("heads", Run.heads)
    ranges = replace(protocol, heads=tuple(k for k in protocol.heads if k <= K) or (K,)).ranges(learner, given)
    settings = grid(**ranges)
    first = Run(learner, {name: column[0].item() for name, column in settings.items()}, **asked)
    count(tuning_seeds, 1, "tuning seeds")
    *_, streams, starts, resampling = _generators(first.seed)
    parts = list(_batches(problem, first, settings, streams, starts, tuning_seeds))
    squares = np.concatenate([part.mean_square for part in parts], axis=1)
    mean = squares.mean(axis=1)
    best = int(np.argmin(mean))
    setting = {name: column[best].item() for name, column in settings.items()}
    tuning = Tuning(
        len(mean),
        tuning_seeds,
        float(np.sqrt(mean[best])),
        at_edge(setting, ranges),
        sensitivity(settings["alpha"], squares, resampling) if len(ranges.get("alpha", ())) > 1 else (),
    )
    return replace(first, setting=setting, tuning=tuning)


def _generators(seed: int) -> list[np.random.Generator]:
    """For moves, starts and resampling, for the moves and starts of tuning, and for resampling pairs and grids."""
    return [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(6)]


def _batches(
    problem: Problem,
    run: Run,
    settings: Mapping[str, Any],
    streams: np.random.Generator,
    starts: np.random.Generator,
    seeds: int,
    marks: Array | tuple[()] = (),
) -> Iterator[BulkResult]:
    """All settings on all seeds, as many seeds at once as fit."""
    rule, left = find_learner(run.learner), seeds
    while left:
        size = min(left, max(1, _AT_ONCE // run.steps))
        moves = draw_transitions(streams, problem, run.steps, size)
        initials = draw_initials(starts, size, rule.n_vectors(run.heads), n_parameters(rule, problem), scale=run.scale)
        if run.start is not None:
            initials = Initials(np.broadcast_to(_parameters(problem, run), initials.theta.shape))
        yield run_bulk(
            run.learner,
            problem,
            settings,
            moves,
            initials,
            options=run.options,
            error=run.error,
            marks=marks,
            progress=None if run.progress is None else _share(run.progress, seeds - left, size, seeds),
        )
        left -= size


def _share(progress: Callable[[float], None], done: int, size: int, seeds: int) -> Callable[[float], None]:
    return lambda share: progress((done + size * share) / seeds)


def _parameters(problem: Problem, run: Run) -> FloatArray:
    """The start that was given, which has as many numbers as the learner has parameters."""
    assert run.start is not None
    features = n_parameters(find_learner(run.learner), problem)
    if len(run.start) != features:
        raise InvalidProblem(f"{run.learner} has {features} parameters here, got {len(run.start)} numbers", "start")
    return np.array([float(as_number(x, "start", i)) for i, x in enumerate(run.start)])
