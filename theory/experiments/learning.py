"""One learner with one setting on one problem: its RMSE over time, with a band over seeds.

The stream of moves is drawn first and only from the seed, so learners that are compared see the same moves and start
from the same parameters; head 0 of a chain starts where a learner with one vector does. Seeds are run in batches, which
bounds the memory and changes no number. Divergence is a result: an RMSE that is not finite is ∞ here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from theory.experiments.bootstrap import BAND, bootstrap_band, root_mean
from theory.learners.bulk import BulkResult, Initials, draw_initials, draw_transitions, run_bulk
from theory.learners.bulk.run import check_settings
from theory.learners.checks import count
from theory.learners.families import find_learner
from theory.learners.protocol import n_parameters
from theory.learners.rule import Rule
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray
from theory.problems.sampling import Transitions

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

    def __post_init__(self) -> None:
        rule = find_learner(self.learner)
        for name, least in (("heads", 0), ("steps", 1), ("seeds", 1), ("seed", 0), ("points", 1)):
            count(getattr(self, name), least, name)
        for name, most in (("steps", MAX_STEPS), ("heads", _MAX_HEADS)):
            if getattr(self, name) > most:
                raise InvalidProblem(f"at most {most:,} fit into memory, got {getattr(self, name):,}", name)
        if not 0 <= self.scale < float("inf"):
            raise InvalidProblem(f"must be 0 or more and finite, got {self.scale}", "scale")
        try:
            check_settings(rule, self.setting, self.heads, options=self.options)
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
        return given | shared | {name: value for name, value in self.options.items() if value != defaults[name].default}

    @property
    def rule(self) -> Rule:
        """The learner with this setting (its γ is the problem's business)."""
        return find_learner(self.learner).of(0, self.setting, self.heads, self.options)


@dataclass(frozen=True, eq=False)
class Learned:
    """Errors against v_π, root mean square over states and seeds."""

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

    @property
    def untrained(self) -> str | None:
        """Why the prediction stays where it began, if it does: nothing that moves it happens so early."""
        return self.run.rule.idle(self.run.steps)

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
        }
        if self.untrained is not None:
            found["note"] = self.untrained
        if not (isfinite(self.last_half) and isfinite(self.final)):
            found["reason"] = f"{self.diverged_seeds} of {self.run.seeds} seeds diverged beyond measure"
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The curve for CSV."""
        columns = zip(self.marks.tolist(), self.rmse.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return [
            {"learner": self.run.learner, "step": t, "rmse": r, "low": low, "high": high} for t, r, low, high in columns
        ]


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
    streams, starts, resampling = (np.random.default_rng(s) for s in np.random.SeedSequence(run.seed).spawn(3))
    steps = run.steps - (1 if run.rule.action_values else 0)
    marks = np.unique(np.linspace(0, max(steps, 0), run.points + 1).astype(np.int64))
    parts: list[BulkResult] = []
    left = run.seeds
    while left:
        size = min(left, max(1, _AT_ONCE // run.steps))
        moves = draw_transitions(streams, problem, run.steps, size)
        parts.append(_batch(problem, run, moves, _starts(starts, problem, run, size), marks))
        left -= size
    squares = np.concatenate([part.mean_square[0] for part in parts])
    final = np.concatenate([part.final[0] for part in parts])
    curve = np.concatenate([part.curve[0] for part in parts if part.curve is not None])
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
    )


def compare(problem: Problem, runs: Sequence[Run]) -> list[Learned]:
    """Several learners on the same moves, in the order given."""
    return [learn(problem, run) for run in runs]


def _starts(rng: np.random.Generator, problem: Problem, run: Run, seeds: int) -> Initials:
    rule = find_learner(run.learner)
    return draw_initials(rng, seeds, rule.n_vectors(run.heads), n_parameters(rule, problem), scale=run.scale)


def _batch(problem: Problem, run: Run, moves: Transitions, starts: Initials, marks: Array) -> BulkResult:
    settings = {name: [value] for name, value in run.setting.items()}
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is a result: it counts as divergence
        return run_bulk(run.learner, problem, settings, moves, starts, options=run.options, marks=marks)
