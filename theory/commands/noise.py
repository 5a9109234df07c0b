"""``theory noise``: the largest stable step sizes of learners, and their error in the long run, without sampling."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theory.commands.common import ExactNumber, check_picture, json_option, print_json, problem_argument
from theory.commands.learner_words import label, own_settings
from theory.text.progress import Waiting, waiting

if TYPE_CHECKING:
    from theory.learners.rule import Rule
    from theory.noise.summary import LearnerNoise
    from theory.problems import Problem
    from theory.views.page import Page


@click.command("noise")
@problem_argument
@click.option("--learner", metavar="A,B,…", help="Only these: td, target-network:window=5, soft-target:tau=1/4 …")
@click.option("--step-size", "alpha", type=ExactNumber(), help="α; by default a power of two that is stable.")
@click.option("--ratio", type=ExactNumber(), default=1, show_default=True, help="β/α of gtd2, tdc, tdrc.")
@click.option("--heads", type=click.IntRange(1, 256), default=1, show_default=True, help="Of chains: K.")
@click.option("--gamma", type=ExactNumber(), help="Another discount, e.g. 0.99 or 99/100.")
@click.option("--paths", type=click.IntRange(min=2), help="Also almost surely: simulate so many paths.")
@click.option("--moves", type=click.IntRange(64, 20_000_000), default=100_000, show_default=True, help="Of a path.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw RMSE over α, β: .png or .svg.")
@json_option
def command(
    problem: str,
    learner: str | None,
    alpha: Any,
    ratio: Any,
    heads: int,
    gamma: Any,
    paths: int | None,
    moves: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Largest step sizes in the mean and in mean square, exactly; error and tail at one step size.

    Of a problem in floats, which are taken as the rationals that they denote, a step size is a bracket between two with
    opposite proofs. Chains have the heads 0 to K: however many, the step sizes are the same; the error is head K's.
    """
    from theory.commands.noise_plot import draw_noise
    from theory.noise.summary import learner_noise, with_paths
    from theory.problems.sources import find_problem

    for word, value in (("--step-size", alpha), ("--ratio", ratio)):
        if value is not None and value <= 0:
            raise click.UsageError(f"{word}: must be positive, got {value}")
    found = find_problem(problem, gamma)
    built = found.mdp is None
    if built:
        found = found.realised()
    if plot is not None:
        check_picture(plot)
    lines, documents, unseen = [], [], []
    size = None if alpha is None else Fraction(alpha)
    with waiting("second moments", piped=True) as progress:
        rules = _rules(found, learner, heads)
        if plot is not None:
            unseen = draw_noise(found, rules, Fraction(ratio), plot, progress)
        tell = _Told(progress, found, rules)
        for rule in rules:
            line = learner_noise(rule, found, size, Fraction(ratio), tell)
            if paths is not None:
                tell(f"{paths} paths")
                line = with_paths(line, rule, found, size, Fraction(ratio), paths, moves)
            lines.append(line)
            if as_json:
                tell("certificates checked again")
                documents.append({**line.document(), "settings": own_settings(rule)})
            tell.next()
    if as_json:
        shown = {"problem": found.name, "gamma": str(found.exact.gamma), "ratio": str(Fraction(ratio)), "heads": heads}
        drawn = {} if plot is None else {"plot": str(plot), "not_drawn": unseen}
        print_json({**shown, "learners": documents, **drawn})
    else:
        shown_lines = [_labelled(rule, line) for rule, line in zip(rules, lines, strict=True)]
        _page(found, shown_lines, built, _left_unsaid(rules, learner, heads)).print()
    if plot is not None and not as_json:
        click.echo("\n" + "\n".join([*unseen, f"wrote {plot}"]))


class _Told:
    """Progress over learners, by an effort that grows with their moves and parameters."""

    def __init__(self, progress: Waiting, problem: Problem, rules: list[Rule]) -> None:
        self.progress, self.rules, self.at, self.begun = progress, rules, 0, time.monotonic()
        self.efforts = [_effort(rule, problem) for rule in rules]

    def __call__(self, stage: str) -> None:
        """What the learner at hand is asked; half of its effort counts as done."""
        passed, rule = time.monotonic() - self.begun, self.rules[self.at]
        done = sum(self.efforts[: self.at]) + self.efforts[self.at] / 2
        left = passed * (sum(self.efforts) - done) / done
        where = f"{self.at + 1} of {len(self.rules)} learners" if len(self.rules) > 1 else "1 learner"
        self.progress.show(f"{rule.name}: {stage} · {where}", left)

    def next(self) -> None:
        self.at += 1


def _effort(rule: Rule, problem: Problem) -> float:
    assert problem.mdp is not None  # it was built where there was none
    moves, actions = int((problem.mdp.P != 0).sum()), problem.mdp.n_actions if rule.action_values else 1
    vectors = type(rule).n_vectors(int(getattr(rule, "K", 0))) + rule.auxiliary
    return 1.0 if rule.obstacle() is not None else float(moves * vectors * problem.n_features * actions)


def _rules(problem: Problem, named: str | None, heads: int) -> list[Rule]:
    """At α = 1, from which all other step sizes follow; those that need a window only where one is given."""
    from theory.commands.learner_words import asked_learners
    from theory.learners.families import learners

    names = named or ",".join(name for name, rule in learners().items() if "window" not in rule.columns)
    found = []
    for one in asked_learners(names, None, {}, ()):
        for column in ("alpha", "beta"):
            if column in one.setting:
                raise click.UsageError(f"{one.rule.name}: step sizes are given by --step-size and --ratio")
        if "window" in one.rule.columns and "window" not in one.setting:
            raise click.UsageError(f"{one.rule.name}: needs a window, as in {one.rule.name}:window=5")
        sizes: dict[str, Any] = {column: Fraction(1) for column in ("alpha", "beta") if column in one.rule.columns}
        own = {name: o.default for name, o in one.rule.options().items() if name not in one.rule.arithmetic}
        options = {name: _exact(value) for name, value in (own | one.options).items()}
        found.append(one.rule.of(problem.exact.gamma, {**one.setting, **sizes}, heads, options))
    return found


def _labelled(rule: Rule, line: LearnerNoise) -> LearnerNoise:
    return replace(line, learner=label(rule))


def _left_unsaid(rules: list[Rule], named: str | None, heads: int) -> list[str]:
    """Whose error a chain's is, and who is not in the table of all."""
    from theory.learners.families import learners
    from theory.noise.limits import reading_note

    found = []
    if any("k" in rule.columns and rule.obstacle() is None for rule in rules):
        found.append(f"The RMSE of a chain is that of head {heads}: --heads takes another.")
    by_reading: dict[str, list[str]] = {}
    for rule in rules:
        if hasattr(rule, "reading"):
            by_reading.setdefault(rule.reading, []).append(rule.name)
    found += [reading_note(list(dict.fromkeys(names)), reading) for reading, names in by_reading.items()]
    if not named:
        windows = [name for name, rule in learners().items() if "window" in rule.columns]
        found.append(f"Not here without a window: {', '.join(windows)} (--learner {windows[0]}:window=5).")
    return found


def _exact(value: Any) -> Any:
    return Fraction(value) if isinstance(value, float) else value


def _page(problem: Problem, lines: list[LearnerNoise], built: bool, unsaid: list[str]) -> Page:
    from theory.problems.numbers import show_number
    from theory.views.page import Block, Column, Page, dim, prose, strong, table

    rows = []
    for line in lines:
        limits, at, there = ("–" if x is None else x.short for x in (line.mean, line.mean_square)), line.at, ("–",) * 4
        if at is not None:
            error = "–" if at.stationary_rmse is None else f"{at.stationary_rmse:.4g}"
            there = (str(at.step_size), f"{at.rho2:.6f}", error, at.tail or "–")
        rows.append((line.learner, *limits, *there))
    headings = ("learner<", "mean", "mean square", "at α", Column("ρ₂", drop=1), "RMSE", "tail<")
    title = prose(strong(problem.name), f", γ = {show_number(problem.given.gamma)}")
    blocks: list[Block] = [title, prose(), table(headings, rows), prose()]
    if built:
        blocks[2:2] = [prose("No MDP was given: the moves are of one built from its matrices."), prose()]
    for line in lines:
        blocks += [prose(f"{line.learner}: {text}", hang=2) for text in _remarks(line)]
        for i, reason in enumerate(line.reasons):
            open_ended = "" if line.closes or i else ": its moments do not close"  # the first reason says why
            blocks.append(prose(dim(f"{line.learner}: {reason}{open_ended}"), hang=2))
    blocks += [
        prose(),
        prose("mean, mean square: the largest step sizes, proved; none where no small one is stable."),
        prose("≈: between two step sizes with opposite proofs; that no smaller one fails is not proved."),
        prose(
            "ρ₂, RMSE (against v_π, uniform over states): in floats, in the long run; the tail is light where ρ₄ < 1, "
            "heavy where ρ₂ < 1 ≤ ρ₄ (in floats)."
        ),
    ]
    return Page((*blocks, *map(prose, unsaid)))


def _remarks(line: LearnerNoise) -> Iterator[str]:
    if line.mean_square is not None and line.mean_square.bracket is not None:
        low, high = line.mean_square.bracket
        yield f"ρ₂ < 1 is proved at α = {float(low):.10g}, ρ₂ > 1 at {float(high):.10g}"
    if line.mean_square is not None and line.mean_square.exact is not None:
        yield f"stable in mean square for α < {line.mean_square.exact}"
    if line.trace is not None:
        below = line.trace.threshold
        everywhere = below is None or below > 1
        where = ", and at every γ below 1" if everywhere else f"; it is bounded for γ < {below}"
        yield f"E[F²] of the trace is {'bounded' if line.trace.finite else 'unbounded'} here{where}"
        yield str(line.trace.tail)
    if line.paths is not None:
        yield _almost_surely(line)


def _almost_surely(line: LearnerNoise) -> str:
    """λ beside ½ log ρ₂: the growth of almost every path, and of the root of the mean square."""
    from math import log

    found = line.paths
    assert found is not None
    words = {"converge": "paths converge", "diverge": "paths diverge", "undecided": "the paths' side is undecided"}
    text = f"{words[found.side]} almost surely, λ = {found.exponent:.2e} ± {found.margin:.0e} a move"
    text += f" (estimate, {found.paths} paths of {found.moves:,} moves)"
    if line.at is None:
        return text
    return f"{text}; in mean square ½ log ρ₂ = {log(line.at.rho2) / 2:.2e}"
