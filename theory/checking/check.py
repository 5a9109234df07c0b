r"""Is this update the learner that it is meant to be? Its mean over all moves, enumerated, beside the rule's.

An update that is affine in its parameters z does z ← A_m z + c_m at a move m; the two are found by applying it to zero
and to the unit vectors, and their mean over all moves (s, a, s', a') of a problem is a finite sum, not an estimate. It
is compared with the same mean of the learner's rule, whose expectation is the method's. What differs by a factor in the
rows of one part (θ, w, a head) is a step size; else the mistakes in `known_bugs` are made to the rule, one and then two
at a time, and those whose mean is that of the update are named.

A learner with a memory (traces, windows) is compared along a path of moves instead, prediction by prediction.

All this is in floats, to a relative 1e-9.

The mean of an update over all moves of a problem, and when two of them are the same.

A step is written as a matrix (D, D + 1): A_m − I, with c_m as the last column. Parts of z (θ, w, each head) have
rows of their own; two steps that differ only in the lengths of their parts' steps differ in step sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from theory.checking.known_bugs import Update, variants
from theory.checking.observations import MADE, Observation, Weighted, all_observations, path, telling_problem
from theory.checking.states import Own, filled, flat
from theory.learners.affine import Coordinates
from theory.learners.families import find_learner, learners
from theory.learners.rule import Rule
from theory.learners.transition import View
from theory.methods.family import find_method
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import FloatArray, as_number, show_number

CLOSE = 1e-9  # relative
SINGLE = 1e-5  # the same for updates in single precision
LARGE = 1e4  # parameters at which a clipped step shows
STEPS, SEED = 200, 0  # of a path
STEP_SIZES = {"alpha": 0.1, "beta": 0.05}  # of the rule, where none is given: then only the direction is compared


@dataclass(frozen=True, eq=False)
class UpdateCheck:
    """What was found: is it the learner, and if not, which mistakes explain all of the difference?"""

    learner: str
    problem: str
    agrees: bool
    mistakes: tuple[str, ...]  # each alone explains all of the difference (two joined by "and" together)
    notes: tuple[str, ...]
    matrix: FloatArray | None  # (D, D), mean of A_m, where it is affine without a memory
    expected: FloatArray | None  # (D, D), that of the rule
    step_sizes: Mapping[str, float]  # the factor of each part, beside the rule's own

    def __str__(self) -> str:
        if self.agrees:
            return "\n".join([f"It is {self.learner}: {self.notes[0]}", *self.notes[1:]])
        lines = [f"It is not {self.learner}."]
        if len(self.mistakes) == 1:
            lines.append(f"The difference is this: {self.mistakes[0]}.")
        elif self.mistakes:
            lines.append("Any of these explains the difference (they look alike on this problem):")
            lines += [f"  - {words}" for words in self.mistakes]
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__


def check_update(
    update: Any,
    problem: Problem | None = None,
    method: str = "off-policy-td",
    *,
    start: Any = None,
    read: Callable[[Any], Any] | None = None,
    heads: int = 2,
    **settings: Any,
) -> UpdateCheck:
    """Compare an update with the learner named; `theory.check_update` says it all."""
    problem = telling_problem() if problem is None else problem
    if not isinstance(method, str):
        raise InvalidProblem(f"must be a learner's name, got {method!r}", "method")
    rule = _rule(method, problem, heads, settings)
    function = _function(update)
    if rule.memory or rule.obstacle() is not None:
        _need_step_size(rule, settings, "is compared along a path")
        return _along_a_path(update, function, rule, problem, start, read)
    if "tau" in rule.options():
        _need_step_size(rule, settings, "moves its target by its own step")
    return _on_average(function, rule, problem, _start(update, rule, problem, start), frozenset(settings))


def _called(problem: Problem) -> str:
    return "a problem made for this" if problem.name == MADE else f"the problem {problem.name}"


def _need_step_size(rule: Rule, settings: Mapping[str, Any], why: str) -> None:
    if "alpha" in rule.columns and "alpha" not in settings:
        raise InvalidProblem(f"{rule.name} {why}: give its step size", "alpha")


def _on_average(
    function: Callable[[Any, Any], Any], rule: Rule, problem: Problem, start: Any, given: frozenset[str]
) -> UpdateCheck:
    moves, template = all_observations(problem), Coordinates(rule, View(problem, exact=False))
    shape = " and ".join(f"{name}, {part.stop - part.start} numbers" for name, part in rows_of(rule, template).items())
    own = Own(function, template.empty if start is None else start, f"a state here is {shape}")
    if own.size != template.size:
        wrong = f"{rule.name} has {template.size} parameters on this problem, the state has {own.size} numbers"
        raise InvalidProblem(wrong, "start")
    maps = steps(own, own.size, moves)
    crooked, close = not_affine(own, maps, moves), CLOSE
    if crooked is not None and not_affine(own, maps, moves, SINGLE) is None:
        crooked, close = None, SINGLE
    if crooked is not None:
        return UpdateCheck(rule.name, problem.name, False, (), (crooked,), None, None, {})
    rows = rows_of(rule, template)
    yours, right = mean(maps, moves), mean(steps(on_vectors(rule.update, template), own.size, moves), moves)
    matrix, expected = (np.eye(own.size) + x[:, :-1] for x in (yours, right))

    def result(agrees: bool, mistakes: tuple[str, ...], notes: tuple[str, ...], sizes: Any) -> UpdateCheck:
        notes = (*notes, *_unsaid(rule, given), *([ROUGHLY] if close == SINGLE else []))
        return UpdateCheck(rule.name, problem.name, agrees, mistakes, notes, matrix, expected, sizes)

    factors = step_factors(yours, right, rows, close)
    wrong_sizes = None if factors is None else _size_words(factors, given)
    if factors is not None and not wrong_sizes:
        how = f"the same mean update over all {len(moves)} moves of {_called(problem)}"
        return result(True, (), (how, *_move_by_move(maps, moves, rule, template, factors, close)), factors)
    if factors is not None and wrong_sizes:
        return result(False, (" and ".join(wrong_sizes),), (), factors)
    for together in (1, 2):
        found = []
        for names, variant in variants(rule, together):
            update = on_vectors(variant, template)
            if not may_be(update, yours, moves, rows):
                continue
            theirs = steps(update, own.size, moves)
            factors = step_factors(yours, mean(theirs, moves), rows, close)
            if factors is not None:
                sizes = _size_words(factors, given)
                found.append(
                    Suspect((*names, *sizes), factors, len(sizes), same_moves(maps, theirs, rows, factors, close))
                )
        if found:
            best = _likeliest(found)
            return result(False, tuple(" and ".join(s.words) for s in best), (), best[0].factors)
        if together == 1:
            words = _another(yours, moves, rule, problem, close)
            words = words or _another_discount(yours, moves, rule, template, close)
            words = words or _decaying(yours, right, rows, given, close)
            if words is not None:
                return result(False, (words,), (), {})
    return result(False, (), _unexplained(yours, right, rows), {})


def _along_a_path(
    update: Any,
    function: Callable[[Any, Any], Any],
    rule: Rule,
    problem: Problem,
    start: Any,
    read: Callable[[Any], Any] | None,
) -> UpdateCheck:
    view, moves = View(problem, exact=False), path(problem, STEPS, SEED)
    template = Coordinates(rule, view)
    theta = np.random.default_rng(SEED).standard_normal(template.drawn)
    begin = template.begin(theta)
    if start is None and callable(getattr(update, "init", None)):
        state = update.init(theta.reshape(template.shape))
    else:
        start = tuple(begin) if start is None else start
        state = filled(start, np.concatenate([theta, flat(start)[len(theta) :]]))
    predict = _prediction(update, read, view.Phi)
    own, yours = Own(function, np.zeros(problem.n_states)), []
    for observation in moves:
        state = own.after(state, observation)
        yours.append(own.entries(predict(state), observation))

    def follows(update: Update) -> int | None:
        """The first move after which the predictions differ."""
        state = begin
        for i, (observation, values) in enumerate(zip(moves, yours, strict=True)):
            state = update(state, observation)
            right = rule.value(state, view.Phi)
            if not np.allclose(values, right, rtol=CLOSE, atol=CLOSE * max(1.0, np.abs(right).max())):
                return i + 1
        return None

    differs = follows(rule.update)
    how = f"the same predictions after each of {STEPS} moves of {_called(problem)}"
    if differs is None:
        return UpdateCheck(rule.name, problem.name, True, (), (how,), None, None, {})
    note = f"Its predictions differ from move {differs} on, along a path of {STEPS} moves of {_called(problem)}."
    for together in (1, 2):
        found = [
            " and ".join(words) for words, changed_update in variants(rule, together) if follows(changed_update) is None
        ]
        if found:
            return UpdateCheck(rule.name, problem.name, False, tuple(found), (note,), None, None, {})
    return UpdateCheck(rule.name, problem.name, False, (), (note, NOT_KNOWN), None, None, {})


NOT_KNOWN = "None of the known mistakes explains it, alone or in pairs."
ROUGHLY = f"Compared to a relative {SINGLE:g}: it computes in single precision."


def _unsaid(rule: Rule, given: frozenset[str]) -> list[str]:
    """Settings at which it was compared though nobody gave them."""
    known = {*rule.columns, *(name for name, o in rule.options().items() if not o.words)}
    names = sorted(known - set(rule.arithmetic) - {"alpha", "beta", "k", "normalise"})
    left = [name for name in names if name not in given and name.rstrip("_") not in given]
    return [f"Compared at {name.rstrip('_')} = {show_number(getattr(rule, name))}, its default." for name in left]


# The learner that is meant


def _rule(method: str, problem: Problem, heads: int, settings: Mapping[str, Any]) -> Rule:
    try:
        kind = find_learner(method)
    except InvalidProblem:
        name = find_method(method).name
        kind = find_learner(name)
    if kind.action_values:
        raise InvalidProblem(f"{kind.name} is of action values, which are not compared", "method")
    known = {*kind.columns, *kind.options()} - {"k", *kind.arithmetic}
    values = {}
    for name, value in settings.items():
        field = "lambda_" if name == "lambda" else name
        if field not in known:
            raise InvalidProblem(f"{kind.name} has no {name}; it has {', '.join(sorted(known))}", "settings")
        words = field in kind.options() and kind.options()[field].words
        values[field] = value if words or isinstance(value, bool) else float(Fraction(as_number(value, name)))
    setting = {name: size for name, size in STEP_SIZES.items() if name in kind.columns} | values
    options = {name: setting.pop(name) for name in list(setting) if name not in kind.columns}
    missing = [c for c in kind.columns if c not in setting and c != "k" and kind.default(c) is None]
    if missing:
        raise InvalidProblem(f"{kind.name} needs a value", missing[0].rstrip("_"))
    return kind.of(problem.gamma, setting, heads, options)


def _function(update: Any) -> Callable[[Any, Any], Any]:
    method = getattr(update, "update", None)
    found = method if callable(method) else update
    if not callable(found):
        raise InvalidProblem("give a function (state, transition) → state, or an object with a method update", "update")
    return found


def _prediction(update: Any, read: Callable[[Any], Any] | None, Phi: FloatArray) -> Callable[[Any], Any]:
    """From a state to the values of all states."""
    if read is not None:
        return lambda state: Phi @ np.asarray(read(state), dtype=np.float64)
    if callable(getattr(update, "value", None)):
        return lambda state: update.value(state, Phi)
    return lambda state: Phi @ flat(state)[: Phi.shape[1]]


def _start(update: Any, rule: Rule, problem: Problem, start: Any) -> Any:
    """The state to begin with: as given, as the object makes it, or an array or a tuple of arrays of zeros."""
    if start is not None:
        return start
    zeros = np.zeros((rule.n_vectors(getattr(rule, "K", 0)), problem.n_features))
    theta = zeros if len(zeros) > 1 or hasattr(rule, "K") else zeros[0]
    if callable(getattr(update, "init", None)):
        return update.init(theta)
    state = tuple(rule.init(theta))
    return state[0] if len(state) == 1 else state


def _another(yours: FloatArray, moves: list[Weighted], rule: Rule, problem: Problem, close: float) -> str | None:
    """Another learner, which it is in the mean up to step sizes."""
    view = View(problem, exact=False)
    for name, kind in learners().items():
        if kind.action_values or name == rule.name or (kind.parameters, kind.memory) != (rule.parameters, ()):
            continue
        sizes = {column: STEP_SIZES.get(column) for column in kind.columns if column in STEP_SIZES}
        other = kind.of(problem.gamma, sizes, getattr(rule, "K", 0))
        if other.obstacle() is None and type(other).n_vectors(0) == type(rule).n_vectors(0):
            template = Coordinates(other, view)
            right = mean(steps(on_vectors(other.update, template), template.size, moves), moves)
            factors = step_factors(yours, right, rows_of(other, template), close)
            if factors is not None and min(factors.values()) > 0:
                return f"it is {name}"
    return None


def _another_discount(
    yours: FloatArray, moves: list[Weighted], rule: Rule, template: Coordinates, close: float
) -> str | None:
    """The same learner with another γ."""
    zero, one = (
        mean(steps(on_vectors(replace(rule, gamma=end).update, template), template.size, moves), moves)  # type: ignore[type-var]
        for end in (0.0, 1.0)
    )
    gamma = other_discount(yours, zero, one, rows_of(rule, template), close)
    if gamma is None:
        return None
    shown = show_number(round(gamma, 9 if close == CLOSE else 5))
    return f"its γ is {shown}, that of the problem {show_number(rule.gamma)}"


def _decaying(
    yours: FloatArray, right: FloatArray, rows: Mapping[str, slice], given: frozenset[str], close: float
) -> str | None:
    """The same learner, which loses a share of its parameters at every move besides."""
    found = weight_decay(yours, right, rows, close)
    if found is None:
        return None
    factors, lost = found
    words = []
    for name, share in lost.items():
        how = f"{'shrinks' if share > 0 else 'grows'} by {show_number(round(abs(share), 9))} of itself at every move"
        decay = "" if share < 0 else ": weight decay" + ("" if name == "w" else ", which moves its fixed point")
        words += [f"{name} {how} besides{decay}"] if share else []
    return " and ".join([*words, *_size_words(factors, given)])


def _size_words(factors: Mapping[str, float], given: frozenset[str]) -> list[str]:
    """Complaints about the lengths of steps: their signs always, their sizes where those are given."""
    words = []
    for name, factor in factors.items():
        step, letter = ("beta", "β") if name == "w" else ("alpha", "α")
        if factor == 0:
            words.append(f"{name} does not move")
        elif factor < 0:
            words.append(f"{name} steps the wrong way: the sign of its step")
        elif factor != 1 and step in given:
            words.append(f"the step of {name} is {show_number(factor)} times {letter}")
    return words


class Suspect(NamedTuple):
    """Mistakes that explain a difference."""

    words: tuple[str, ...]
    factors: dict[str, float]
    lengths: int  # how many step sizes are wrong besides
    moves_too: bool  # is every single move the same?


def _likeliest(found: list[Suspect]) -> list[Suspect]:
    """Those with the fewest wrong step sizes; where means look alike, single moves may tell them apart."""
    fewest = min(s.lengths for s in found)
    kept = [s for s in found if s.lengths == fewest]
    return [s for s in kept if s.moves_too] or kept


def _move_by_move(
    maps: list[FloatArray],
    moves: list[Weighted],
    rule: Rule,
    template: Coordinates,
    factors: Mapping[str, float],
    close: float,
) -> tuple[str, ...]:
    """Is it the same at every single move, too?"""
    right = steps(on_vectors(rule.update, template), template.size, moves)
    if same_moves(maps, right, rows_of(rule, template), factors, close):
        return ("Every single move is the same, too.",)
    return ("Single moves differ: it is another reading, with the same mean and other noise.",)


def _unexplained(yours: FloatArray, right: FloatArray, rows: Mapping[str, slice]) -> tuple[str, ...]:
    """The parts that differ most."""
    right = right.copy()
    for part in rows.values():  # as if its step sizes were the learner's own
        best = float(np.sum(yours[part] * right[part]) / (np.sum(right[part] ** 2) or 1.0))
        right[part] *= best if best > 0 else 1.0
    lines = [NOT_KNOWN, "With step sizes that suit it best, the mean steps differ in"]
    columns = {**rows, "the constant": slice(yours.shape[1] - 1, yours.shape[1])}
    for row, i in rows.items():
        for column, j in columns.items():
            gap = np.abs(yours[i, j] - right[i, j]).max()
            if gap > CLOSE * np.abs(right).max():
                lines.append(f"  {row} by {column}: by up to {gap:.3g} of {np.abs(right[i, j]).max():.3g}")
    return tuple(lines)


Flat = Callable[[FloatArray, Observation], FloatArray]  # an update of flat vectors
PARTS = {"theta": "θ", "w": "w"}


def on_vectors(update: Update, template: Coordinates) -> Flat:
    """An update of a rule's states as one of flat vectors."""
    return lambda z, move: template.pack(update(template.state(z, {}), move))


def steps(update: Flat, size: int, moves: list[Weighted]) -> list[FloatArray]:
    """(D, D + 1) for each move: A_m − I, and c_m last."""
    found = []
    for _, move in moves:
        constant = update(np.zeros(size), move)
        columns = [update(unit, move) - constant - unit for unit in np.eye(size)]
        found.append(np.column_stack([*columns, constant]))
    return found


def mean(maps: list[FloatArray], moves: list[Weighted]) -> FloatArray:
    """Over all moves, (D, D + 1)."""
    return np.tensordot([m.probability for m in moves], maps, axes=1)


def not_affine(own: Own, maps: list[FloatArray], moves: list[Weighted], close: float = CLOSE) -> str | None:
    """A line where the update is not affine in its parameters, ordinary and large ones, or is random."""
    rng = np.random.default_rng(0)
    for map_, (_, move) in zip(maps, moves, strict=True):
        for size in (1.0, LARGE):
            z = size * rng.standard_normal(own.size)
            after, again, predicted = own(z, move), own(z, move), z + map_ @ np.append(z, 1.0)
            if not np.array_equal(after, again):
                return f"It is random: {move}, seen twice, gives two results."
            if not close_to(after, predicted, 1.0 + (1.0 + np.abs(map_).max()) * np.abs(z).max(), close):
                return f"Its step is not linear in the parameters at {move} (is δ clipped, or the step normalised?)."
    return None


def rows_of(rule: Rule, template: Coordinates) -> dict[str, slice]:
    """The rows of z that each part has; a soft target, whose parts move each other, is one part."""
    F, at = template.shape[-1], 0
    found: dict[str, slice] = {}
    for name, shape in template.shapes.items():
        n = int(np.prod(shape))
        if name == "heads" and hasattr(rule, "K"):
            found |= {f"head {k}": slice(at + k * F, at + (k + 1) * F) for k in range(shape[0])}
        else:
            found[PARTS.get(name, name)] = slice(at, at + n)
        at += n
    return found


def step_factors(
    yours: FloatArray, other: FloatArray, rows: Mapping[str, slice], close: float = CLOSE
) -> dict[str, float] | None:
    """How many times the other's step each part makes; None where it is another step."""
    found = {}
    for name, part in rows.items():
        a, b = yours[part], other[part]
        size = float(np.sum(b * b))
        factor = float(np.sum(a * b)) / size if size else 1.0
        if not close_to(a, factor * b, max(np.abs(a).max(), np.abs(b).max()), close):
            return None
        found[name] = 1.0 if abs(factor - 1) <= close else factor
    return found


def other_discount(
    yours: FloatArray, at_zero: FloatArray, at_one: FloatArray, rows: Mapping[str, slice], close: float = CLOSE
) -> float | None:
    """The discount at which the steps are the same up to their lengths, from a mean that is affine in γ.

    yours = f((1 − g) at_zero + g at_one) in the rows of each part, with one g for all parts that know of γ.
    """
    found = []
    for part in rows.values():
        a, zero, one = (x[part].ravel() for x in (yours, at_zero, at_one))
        if close_to(zero, one, np.abs(one).max()):
            continue
        (u, v), *_ = np.linalg.lstsq(np.column_stack([zero, one]), a)
        if u + v == 0 or not close_to(a, u * zero + v * one, np.abs(a).max(), close):
            return None
        found.append(float(v / (u + v)))
    return found[0] if found and max(found) - min(found) <= close else None


def weight_decay(
    yours: FloatArray, right: FloatArray, rows: Mapping[str, slice], close: float = CLOSE
) -> tuple[dict[str, float], dict[str, float]] | None:
    """The factor of each part's step, and which share of itself it loses besides: yours = f right − c I in its rows."""
    factors, lost = {}, {}
    own = np.eye(*right.shape)
    for name, part in rows.items():
        a, b, c = (x[part].ravel() for x in (yours, right, own))
        (factor, share), *_ = np.linalg.lstsq(np.column_stack([b, -c]), a)
        if not close_to(a, factor * b - share * c, max(np.abs(a).max(), np.abs(b).max()), close):
            return None
        factors[name] = 1.0 if abs(factor - 1) <= close else float(factor)
        lost[name] = 0.0 if abs(share) <= close else float(share)
    return (factors, lost) if any(lost.values()) else None


def may_be(update: Flat, yours: FloatArray, moves: list[Weighted], rows: Mapping[str, slice]) -> bool:
    """A quick look at one z, which rejects nearly all."""
    z = np.random.default_rng(0).standard_normal(len(yours))
    mean = np.sum([p * (update(z, move) - z) for p, move in moves], axis=0)
    return step_factors((yours @ np.append(z, 1.0))[:, None], mean[:, None], rows, CLOSE**0.5) is not None


def same_moves(
    yours: list[FloatArray],
    theirs: list[FloatArray],
    rows: Mapping[str, slice],
    factors: Mapping[str, float],
    close: float = CLOSE,
) -> bool:
    """Are all single moves the same, up to the factors of the steps?"""
    scale = np.concatenate([np.full(part.stop - part.start, factors[name]) for name, part in rows.items()])[:, None]
    return all(close_to(a, scale * b, max(1.0, np.abs(a).max()), close) for a, b in zip(yours, theirs, strict=True))


def close_to(a: Any, b: Any, scale: float, close: float = CLOSE) -> bool:
    """Within rounding, for numbers of that size."""
    return bool(np.abs(np.asarray(a) - b).max(initial=0.0) <= close * scale)
