r"""One driver for all learners: every setting on every seed, over shared moves.

Settings are columns of equal length, one row per setting, named as the rule's fields (`Rule.columns`); what is left out
has the rule's own default, `k` the last head. What is not swept is an option (`Rule.options`). A chain is run once for
all k.

A rule with a compiled `step` is run in value space (`theory.learners.rule.Lanes`), settings or heads side by side. The
loop around the step is the same for all: it measures the squared error of what predicts whenever that has changed,
adds it up over the last half, flushes what is nearly 0, and gives up what is lost. Arithmetic is strict IEEE, no
fast-math: what a lane computes does not depend on its neighbours. A rule without a step, or with the option
``space=parameters``, is run by its `update`, one setting and one move at a time.

Memory is bounded by one block of settings and one seed; only the results grow, (settings, seeds) each and, where
asked for, (settings, seeds, checkpoints).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from theory.learners.families import find_learner
from theory.learners.rule import Lanes, Rule, Step, count
from theory.learners.streams import Initials
from theory.learners.transition import View
from theory.learners.value_space import ValueSpace, value_space
from theory.machine_code import njit
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import Array, FloatArray, counted
from theory.problems.sampling import Transitions

DIVERGENT = 150.0  # the paper counts an RMSE above this as divergent
BLOCK = 256  # settings side by side: with a few rows each they stay in a first-level cache
SETTLE = 256  # every so many moves errors below TINY become 0, and lanes with a squared error above LOST are given up
# Denormals cost a hundred times a normal number. Runs that end well peak far below LOST: at 5e8, squared 3e17.
TINY, LOST = 1e-100, 1e200
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class BulkResult:
    """Errors of every setting and seed; the error is (prediction − v_π)² averaged over states, uniformly.

    "After t moves" means after the update of move number t; the scored half is t > steps // 2, counting from 1.
    Divergence is a number here: infinity, and the move after which the run left.
    """

    learner: str
    settings: dict[str, Array]  # columns (n,): one row per setting
    steps: int
    mean_square: FloatArray  # (n, seeds), averaged over the last half; ∞ for a run that was lost
    final: FloatArray  # (n, seeds), after the last move; ∞ for a run that was lost
    passed: Array  # (n, seeds), moves after which the RMSE stays above 150 for good; −1 where it ended below
    marks: Array  # (m,), the checkpoints, in moves
    curve: FloatArray  # (n, seeds, m), squared error at the checkpoints
    mean_error: FloatArray  # (n, m, S), prediction − v_π averaged over seeds; ∞ where one was lost

    @property
    def rmse(self) -> FloatArray:
        """(n,): √ of the mean over seeds and over the last half."""
        return np.sqrt(self.mean_square.mean(axis=1))

    @property
    def diverged(self) -> Array:
        """(n, seeds): lost, or RMSE over the last half above 150."""
        return ~(self.mean_square <= DIVERGENT**2)

    def best(self) -> int:
        """The setting with the least mean squared error over seeds; the first of them on a tie."""
        return int(np.argmin(self.mean_square.mean(axis=1)))

    def setting(self, i: int) -> dict[str, Array]:
        """Setting i as columns of length one, ready for another run."""
        return {name: column[i : i + 1] for name, column in self.settings.items()}


def run_bulk(
    learner: str,
    problem: Problem,
    settings: Mapping[str, Any],
    transitions: Transitions,
    initials: Initials,
    *,
    options: Mapping[str, Any] | None = None,
    error: str = "uniform",
    marks: Any = (),
    progress: Progress | None = None,
) -> BulkResult:
    """Run every setting on every seed; `marks` are checkpoints in moves, 0 being the start.

    `error` is what is measured (`theory.learners.value_space`); `progress` is told the share that is done.
    """
    rule, options = find_learner(learner), dict(options or {})
    columns = check_settings(rule, settings, initials.theta.shape[1] - 1, options)
    space = value_space(problem, action_values=rule.action_values, error=error)
    _check_starts(rule, initials, transitions, space.features.shape[1])
    # A pair is complete with the action after it, so action values learn from one move less.
    steps = transitions.steps - (1 if space.action_values else 0)
    if steps < 1:
        raise InvalidProblem("action values need at least two moves", "steps")
    checkpoints = np.asarray(marks, dtype=np.int64).reshape(-1)
    if np.any(np.diff(checkpoints) < 0) or np.any((checkpoints < 0) | (checkpoints > steps)):
        raise InvalidProblem(f"checkpoints must rise from 0 to at most {steps}", "marks")
    run = _Run(rule, options, problem, columns, space, transitions, initials, steps, checkpoints, progress)
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is a result
        if rule.step is None or options.get("space") == "parameters":
            run.by_rule()
        else:
            run.by_step(_loop(rule.step_with(options), rule.across == "heads"))
        return run.result()


@dataclass(eq=False)
class _Run:
    """Arrays that fill up while a run goes on; errors come in as sums over states."""

    rule: type[Rule]
    options: dict[str, Any]
    problem: Problem
    settings: dict[str, Array]
    space: ValueSpace
    transitions: Transitions
    initials: Initials
    steps: int
    marks: Array
    progress: Progress | None

    def __post_init__(self) -> None:
        n, m, self.seeds = len(next(iter(self.settings.values()))), len(self.marks), self.transitions.seeds
        self.half = self.steps // 2  # the first scored move, counting from 0
        self.limit = DIVERGENT**2 * self.space.states
        self.sums, self.final = np.zeros((n, self.seeds)), np.zeros((n, self.seeds))
        self.below = np.full((n, self.seeds), -1.0)  # the last move after which the RMSE was 150 or less
        self.curve, self.total = np.full((n, self.seeds, m), np.inf), np.zeros((n, m, self.space.states))

    def rule_of(self, i: int) -> Rule:
        """The rule with setting number i."""
        setting = {name: column[i].item() for name, column in self.settings.items()}
        return self.rule.of(self.problem.gamma, setting, self.initials.theta.shape[1] - 1, self.options)

    def tell(self, share: float) -> None:
        if self.progress is not None:
            self.progress(share)

    def note(self, mark: int, seed: int, rows: Array, errors: FloatArray, alive: Array) -> None:
        """Errors (len(rows), S) of the settings `rows` at checkpoint number `mark`; of lost ones nothing."""
        self.curve[rows, seed, mark] = np.where(alive, np.square(errors).sum(axis=1), np.inf)
        self.total[rows, mark] += np.where(alive[:, None], errors, np.inf)

    def result(self) -> BulkResult:
        """Sums become means; what is not finite, or beyond what a run recovers from, becomes infinite."""

        def tame(squares: FloatArray) -> FloatArray:
            return np.where(squares <= LOST * self.steps, squares, np.inf) / self.space.states

        passed = self.below.astype(np.int64) + 2  # step t is move t + 1, and the one after it is the first above
        mean_square = tame(self.sums) / (self.steps - self.half)
        return BulkResult(
            self.rule.name,
            self.settings,
            self.steps,
            mean_square,
            tame(np.where(np.isfinite(mean_square), self.final, np.inf)),
            np.where(passed > self.steps, -1, passed),
            self.marks,
            tame(self.curve),
            np.where(np.isfinite(self.total), self.total, np.inf) / self.seeds,
        )

    def by_step(self, loop: Any) -> None:
        """Compiled, block after block, seed after seed."""
        space, parts = self.space, list(self._blocks())
        gram, N = space.features @ space.features.T, len(space.truth)
        theta = self.initials.theta[:, : self.rule.n_vectors(self.initials.theta.shape[1] - 1)]
        for seed in range(self.seeds):
            moves = space.moves(self.transitions, seed)
            start = space.errors(theta[seed])  # (heads, N)
            for done, (rows, rule, lane, columns) in enumerate(parts):
                heads = self.settings["k"][rows].astype(np.int64) if "k" in rule.columns else None
                if rule.across == "heads":
                    assert heads is not None
                    scored, which = np.unique(heads, return_inverse=True)
                    state = start[None, : heads.max() + 1].transpose(0, 2, 1).copy()
                    place = (which, np.zeros(len(rows), dtype=np.int64))
                else:
                    predicting = np.full(len(rows), rule.predicting) if heads is None else heads
                    if getattr(rule, "after", None) == "ring":
                        predicting = np.zeros_like(predicting)  # moved along by the step
                    scored, which = np.unique(predicting, return_inverse=True)
                    state = np.zeros((len(start) + rule.auxiliary, N, columns.shape[1]))
                    state[: len(start)] = start[:, :, None]
                    if self.initials.w is not None:
                        state[len(start)] = (space.features @ self.initials.w[seed])[:, None]
                    place = (which, lane)
                work, memory = np.zeros((4, state.shape[2])), np.zeros(N + 2)
                lanes = Lanes(state, columns, np.array([*rule.fixed(), 0.0]), memory, gram, work, scored)
                self._play(loop, moves, lanes, seed, rows, place)
                self.tell((seed + (done + 1) / len(parts)) / self.seeds)

    def _blocks(self) -> Iterator[tuple[Array, Rule, Array, FloatArray]]:
        """Rows of the settings that are run together, their rule, each row's lane, and the lanes' columns."""
        names = [name for name in self.rule.columns if name != "k"]
        table = np.stack([self.settings[name].astype(np.float64) for name in names], axis=1)
        shared = [names.index(name) for name in self.rule.grouped]
        for key in np.unique(table[:, shared], axis=0):
            rows = np.flatnonzero((table[:, shared] == key).all(axis=1))
            distinct, which = np.unique(table[rows], axis=0, return_inverse=True)
            which = which.ravel()  # NumPy 2.0 gives it a second axis
            size = 1 if self.rule.across == "heads" else BLOCK
            for lanes in np.array_split(np.arange(len(distinct)), -(-len(distinct) // size)):
                here = np.isin(which, lanes)
                chosen = rows[here]
                yield chosen, self.rule_of(chosen[0]), which[here] - lanes[0], distinct[lanes].T.copy()

    def _play(self, loop: Any, moves: Any, lanes: Lanes, seed: int, rows: Array, place: tuple[Array, Array]) -> None:
        """A block to the end, stopping at the checkpoints to look."""
        S, heads = self.space.states, self.rule.across == "heads"
        shape = (len(lanes.scored), 1 if heads else lanes.state.shape[2])
        sums, below, held, begin = np.zeros(shape), np.full(shape, -1.0), np.zeros(1), 0
        start = lanes.state[:1, :S, lanes.scored].T if heads else lanes.state[lanes.scored, :S]  # (Q, S, lanes)
        errors = np.square(start).sum(axis=1)
        numbers = (S, self.half, self.steps, self.limit, TINY, LOST)
        for mark, end in [*enumerate(self.marks.tolist()), (-1, self.steps)]:
            loop(begin, end, moves, lanes, errors, sums, below, held, *numbers)
            begin = end
            if mark >= 0:
                seen = lanes.state[:1, :S, lanes.scored].T if heads else lanes.state[lanes.scored, :S]
                self.note(mark, seed, rows, seen[place[0], :, place[1]], np.isfinite(sums[place]))
        self.sums[rows, seed], self.below[rows, seed], self.final[rows, seed] = (
            x[place] for x in (sums, below, errors)
        )

    def by_rule(self) -> None:
        """Move by move, setting by setting."""
        space, steps, n = self.space, self.steps, len(self.sums)
        view = View(self.problem, action_values=space.action_values, exact=False)
        Phi, truth, reads = space.features[: space.states], space.truth[: space.states], self.rule.reads
        read = np.arange(steps) if reads is None else np.unique(np.linspace(self.half, steps - 1, reads).astype(int))
        weight = np.zeros(steps)
        weight[read[read >= self.half]] = (steps - self.half) / (read >= self.half).sum()
        looked = np.isin(np.arange(steps), read) | np.isin(np.arange(steps), self.marks - 1)
        at = {int(mark): i for i, mark in enumerate(self.marks)}
        for seed, i in np.ndindex(self.seeds, n):
            rule, theta = self.rule_of(i), self.initials.theta[seed]
            given = (theta if hasattr(rule, "K") or rule.vectors > 1 else theta[0],)
            state = rule.init(*given, *(() if self.initials.w is None else (self.initials.w[seed],)))
            rows, squares, alive = np.array([i]), 0.0, np.array([True])
            if 0 in at:
                self.note(at[0], seed, rows, (rule.value(state, Phi) - truth)[None], alive)
            for t, transition in enumerate(view.stream(self.transitions, seed)):
                state = rule.update(state, transition)
                if looked[t]:
                    errors = rule.value(state, Phi) - truth
                    squares = float(errors @ errors)
                    alive &= squares <= LOST
                    self.sums[i, seed] += weight[t] * squares if alive[0] else np.inf
                    if squares <= self.limit:
                        self.below[i, seed] = t
                    if t + 1 in at:
                        self.note(at[t + 1], seed, rows, errors[None], alive)
                    if not alive[0]:
                        break
                if t % 2048 == 0:
                    self.tell((seed + (i + t / steps) / n) / self.seeds)
            self.final[i, seed] = squares


@cache
def _loop(step: Step, heads: bool) -> Any:
    """The compiled loop around a step; `heads` are the lanes of a chain, of which only the scored ones are measured."""
    step = njit(step, inline="always")

    def loop(  # type: ignore[no-untyped-def]
        begin, end, moves, lanes, error, sums, below, held, states, half, steps, limit, tiny, lost
    ):
        state, scored = lanes.state, lanes.scored
        Q, W = error.shape
        for t in range(begin, end):
            if step(t, moves, lanes):
                hold, held[0] = held[0], 0.0  # the scored moves for which the error until now has stood
                for q in range(Q):
                    if hold > 0:
                        for j in range(W):
                            sums[q, j] += hold * error[q, j]
                    for j in range(W):
                        below[q, j] = t - 1 if error[q, j] <= limit else below[q, j]
                        error[q, j] = 0.0
                    v = scored[q]
                    for i in range(states):
                        if heads:
                            error[q, 0] += state[0, i, v] * state[0, i, v]
                        else:
                            for j in range(W):
                                error[q, j] += state[v, i, j] * state[v, i, j]
            if t >= half:
                held[0] += 1.0
            if t % SETTLE == SETTLE - 1 or t == steps - 1:
                flat = state.reshape(state.size)
                for i in range(flat.size):
                    flat[i] = 0.0 if abs(flat[i]) < tiny else flat[i]
                alive = False
                for q in range(Q):
                    for j in range(W):
                        if error[q, j] <= lost:  # which NaN is not
                            alive = True
                        else:
                            sums[q, j] = np.inf
                if not alive:
                    return
        if end == steps:
            hold, held[0] = held[0], 0.0
            for q in range(Q):
                for j in range(W):
                    sums[q, j] += hold * error[q, j]
                    below[q, j] = steps - 1 if error[q, j] <= limit else below[q, j]

    return njit(loop, nogil=True, cache=True)


def check_settings(
    rule: type[Rule], settings: Mapping[str, Any], K: int, options: Mapping[str, Any] | None = None
) -> dict[str, Array]:
    """Columns of equal length with values that can be meant."""
    rule.check_options(options or {})
    for name in settings:
        if name not in rule.columns:
            raise InvalidProblem(f"{rule.name} has no setting {name!r}; it has {', '.join(rule.columns)}", "settings")
    defaults = {name: K if name == "k" else rule.default(name) for name in rule.columns}
    given = {name: settings.get(name, defaults[name]) for name in rule.columns}
    missing = [name for name, column in given.items() if column is None]
    if missing:
        raise InvalidProblem(f"{rule.name} needs {', '.join(missing)}", "settings")
    columns: dict[str, Array] = {name: np.atleast_1d(np.asarray(column)) for name, column in given.items()}
    size = max(len(column) for column in columns.values())
    for name, column in columns.items():
        if column.ndim != 1 or len(column) not in (1, size) or size == 0:
            raise InvalidProblem(f"has shape {column.shape}, other columns have {size} rows", "settings", name)
        columns[name] = np.broadcast_to(column, size).copy()
    # What a value may be does not depend on the other columns, so rows that show every value once are enough.
    shown = np.unique(np.concatenate([np.unique(column, return_index=True)[1] for column in columns.values()]))
    for i in shown.tolist():
        setting = {name: column[i].item() for name, column in columns.items()}
        try:
            rule.of(0, setting, K, options)
        except InvalidProblem as complaint:
            for name in setting:
                if complaint.place and complaint.place[0] == name.rstrip("_"):
                    raise InvalidProblem(complaint.complaint, "settings", name, i) from None
            raise
    return columns


def _check_starts(rule: type[Rule], initials: Initials, transitions: Transitions, features: int) -> None:
    seeds, heads, F = initials.theta.shape
    count(transitions.seeds, 1, "seeds")
    if seeds != transitions.seeds:
        raise InvalidProblem(f"has starts for {counted(seeds, 'seed')}, not for {transitions.seeds}", "initials")
    if features != F:
        raise InvalidProblem(f"has {F} parameters a head, {rule.name} has {features}", "initials")
    if heads < rule.n_vectors(heads - 1) or (rule.vectors > 1 and heads != rule.vectors):
        raise InvalidProblem(f"has {counted(heads, 'head')}, {rule.name} has {rule.vectors}", "initials")
    if initials.w is not None and initials.w.shape != (seeds, F):
        raise InvalidProblem(f"auxiliary weights have shape {initials.w.shape}, not {(seeds, F)}", "initials")
