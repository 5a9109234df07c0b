r"""What would flip a problem: the smallest change of γ, of one feature, or of d that crosses a boundary.

The boundaries are TD's, some Re λ(A) = 0, and the chain's, ρ(γΠP) = 1. Three kinds of line are followed from the
problem:

    γ                          both ways, by the exact thresholds
    Φ[s, f] + t                |t| up to four times the largest entry
    d_i − t, d_j + t           mass t moved from state i to state j, until one of them has none

The first change of side on either side of 0 is found exactly, among all real roots of the polynomials along the line
(`theory.thresholds.lines`), so that nothing nearer exists on it. It is proved once more: certified verdicts at two
short rationals, one on each side of the crossing, which differ as they should. Some problems flip at once, with size
0: on a boundary, and where features depend on each other, so that any change of one raises the rank. A boundary that
is touched at a single t is not crossed there.

Where that would take too long both sides are computed in floats on a grid of |t| that is fine near 0, and the first
change is closed in by bisection; two crossings between neighbouring points of the grid are not seen, and the flips
are the nearest *found*. On a boundary every line is then tried both ways by certified verdicts: one that only
touches the boundary flips both ways, and floats do not see so small a change of side.

Sizes are relative: |Δγ|, |t| over the largest |Φ|, and mass. Where there are too many lines, those are followed along
which the deciding eigenvalue moves fastest,

    dλ = yᴴ dA x/(yᴴx)        dβ = yᴴ(γ dY − β dX)x/(yᴴXx)

with left and right eigenvectors y and x of A, and of the pencil γY − βX.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.certified.verdicts import Verdict
from theory.experiments.flip_lines import (
    Crossing,
    Line,
    crossings,
    exact_crossings,
    exact_values,
    feature_lines,
    lines_within_budget,
    lines_work,
    mass_lines,
    simplest,
)
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.problems import InvalidProblem, Problem
from theory.text.words import count, word
from theory.thresholds.results import StableIntervals, Threshold
from theory.views.page import Column, Page, Viewable, data_frame, dim, prose, table

PER_KIND, MOST = 3, 8  # of each kind, and listed in all
MEASURE = (
    "The three nearest of each kind and boundary, and at a tie all that flip at once; γ and mass by the change itself, "
    "an entry of Φ by its change over the largest |Φ|."
)
MOST_FEATURES = 400
SURE = "nothing is nearer on these lines"
SECONDS = 12.0  # for the polynomials of all lines, about
SHARES = (Fraction(1, 1000), Fraction(1, 10**5), Fraction(1, 10), Fraction(1, 10**8))  # of the way to a crossing
TOUCHING = 1e-8  # a crossing so near is where the problem is: floats do not tell them apart
BOUNDARIES: dict[str, Callable[[Problem], Verdict]] = {"td": TD.verdict, "chain": CHAIN.verdict}


@dataclass(frozen=True, eq=False)
class Flip:
    """A change that crosses a boundary."""

    kind: str  # "gamma", "feature", "distribution"
    boundary: str  # "td", "chain"
    place: tuple[int, ...]  # (), (state, feature), (from, to)
    start: Any  # γ, the entry, or the mass 0
    crossing: float  # its value on the boundary
    exact: str | None  # the same exactly, where known
    size: float  # relative
    inside: Any  # a short value before the boundary
    outside: Any  # and one beyond it
    before: Verdict  # at `inside`: as in the problem
    after: Verdict  # at `outside`: flipped
    problem: Problem  # beyond the boundary

    @property
    def becomes(self) -> str:
        """``stable``, ``unstable``, ``unbiased`` or ``biased``."""
        return word(self.boundary, self.after.holds.json)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; certificates prove the verdicts on both sides."""
        parts = {name: getattr(self, name) for name in ("kind", "boundary", "place", "start", "crossing", "exact")}
        proofs = {"before": self.before.certificate, "after": self.after.certificate}
        return {
            **parts,
            "size": self.size,
            "becomes": self.becomes,
            "inside": self.inside,
            "outside": self.outside,
            "certificate": {k: None if c is None else c.to_dict() for k, c in proofs.items()},
        }


def nearest_flips(
    problem: Problem,
    per_kind: int = PER_KIND,
    known: tuple[Threshold, StableIntervals] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Flips:
    """For every kind of change and both boundaries the `per_kind` nearest crossings, by relative size.

    On a boundary all that flip at once are among them, however many.

    `known` are the problem's thresholds in γ, the chain's and TD's, where they have been computed before.

    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> [(f.boundary, f.exact, f.becomes) for f in nearest_flips(swap) if f.kind == "gamma"]
    [('chain', '3/5', 'unbiased')]
    """
    if problem.n_features > MOST_FEATURES:
        raise InvalidProblem(
            f"changes are looked for feature by feature: {problem.n_features:,} are more than {MOST_FEATURES}", "flips"
        )
    verdicts = {name: judge(problem) for name, judge in BOUNDARIES.items()}
    chain, td = (CHAIN.gammas(problem), TD.gammas(problem)) if known is None else known
    found = _gamma_flips(problem, verdicts, chain, td)
    lines = lines_within_budget(problem, feature_lines(problem), mass_lines(problem))
    exhaustive = is_exhaustive(problem, lines)
    if exhaustive:
        decided = {name: verdict.proved for name, verdict in verdicts.items() if verdict.decided}
        crossed = exact_crossings(problem, lines, decided, progress)
    else:
        crossed = crossings(problem, lines, {name: verdict.holds.json for name, verdict in verdicts.items()})
    for kind in ("feature", "distribution"):
        for boundary, original in verdicts.items():
            near = sorted((c for c in crossed if (c.line.kind, c.boundary) == (kind, boundary)), key=lambda c: c.size)
            at_once = {} if exhaustive else _at_once(original, [x for x in lines if x.kind == kind], boundary)
            found += at_once.values()
            certified = len(at_once)
            for crossing in near:
                if certified >= per_kind and not (exhaustive and crossing.size == 0 and original.is_tie):
                    break
                if (crossing.line.place, crossing.t > 0) in at_once:
                    continue
                if exhaustive:
                    flip = _exactly(original, crossing)
                else:
                    flip = _certified(original, crossing.line, boundary, crossing.t, crossing.size)
                if flip is not None:
                    found.append(flip)
                    certified += 1
    return Flips(problem, sorted(found, key=lambda f: (f.size, f.kind, f.boundary, f.place)))


def scope(problem: Problem) -> str:
    """Which lines are followed, in words."""
    S, F = problem.n_states, problem.n_features
    mass = mass_lines(problem)
    lines = lines_within_budget(problem, feature_lines(problem), mass)
    taken = sum(line.kind == "feature" for line in lines)
    left = len(lines) - taken
    entries = f"{taken} of {S * F} feature entries" if taken < S * F else "every feature entry"
    pairs = f"{left} of {len(mass)} pairs of states" if left < len(mass) else "every pair of states"
    sure = SURE if problem.is_exact else f"{SURE}, of what a change of doubles crosses"
    sure = sure if is_exhaustive(problem, lines) else "the nearest found by a grid"
    return f"γ, {entries}, and mass between {pairs} ({sure})"


def is_exhaustive(problem: Problem, lines: list[Line]) -> bool:
    """Are all crossings of these lines found, by their polynomials? They are where that takes seconds."""
    return lines_work(problem, lines) <= SECONDS


def _gamma_flips(problem: Problem, verdicts: dict[str, Verdict], chain: Threshold, td: StableIntervals) -> list[Flip]:
    ends = {"chain": [chain], "td": [end for interval in td.intervals for end in interval]}
    here, found = float(problem.given.gamma), []
    line = Line("gamma", (), problem.with_gamma, problem.given.gamma, -here, 1 - here, 1.0)
    for boundary, original in verdicts.items():
        inner = [(end.value - here, end) for end in ends[boundary] if end.value is not None and 0 < end.value < 1]
        for way in (-1, 1):
            side = [(abs(t), t, end) for t, end in inner if t * way > 0 or abs(t) <= TOUCHING]
            for size, t, end in sorted(side, key=lambda x: x[0]):
                text = None if end.exact is None or len(str(end.exact)) > 40 else str(end.exact)
                flip = _certified(original, line, boundary, t or way * TOUCHING, size, text)
                if flip is not None:  # not at a γ where the boundary is only touched
                    found.append(flip)
                    break
    return found


def _certified(
    original: Verdict, line: Line, boundary: str, t: float, size: float, exact: str | None = None
) -> Flip | None:
    """Verdicts at short values on both sides of the crossing; None where they are not what floats promised."""
    if size <= TOUCHING:
        return _from_the_boundary(original, line, boundary, 1 if t > 0 else -1, exact)
    for width in (1e-3, 1e-2, 1e-1):
        # From the crossing a thousandth of the way back and ahead; the gap leaves room for rounding.
        inner = simplest(line, t * (1 - width), t * (1 - width / 100))
        outer = simplest(line, t * (1 + width / 100), t * (1 + width))
        if inner is None or outer is None:
            continue
        try:
            inside, outside = line.at(inner), line.at(outer)
        except InvalidProblem:  # a state would lose all its visits
            continue
        before, after = BOUNDARIES[boundary](inside), BOUNDARIES[boundary](outside)
        if original.decided and before.holds == original.holds and after.holds == ~original.holds:
            place, start, value = line.place, line.start, float(line.start) + t
            if abs(value) < TOUCHING * line.unit:
                value = 0.0
            if line.kind == "distribution" and t < 0:  # mass goes the other way
                place, value, inner, outer = place[::-1], -value, -inner, -outer
            return Flip(line.kind, boundary, place, start, value, exact, size, inner, outer, before, after, outside)
    return None


def _exactly(original: Verdict, crossing: Crossing) -> Flip | None:
    """Verdicts at short values on both sides of an exact crossing; None where floats have no room for them."""
    line, boundary = crossing.line, crossing.boundary
    for share in SHARES:
        values = exact_values(crossing, share)
        if values is None:
            continue
        inner, outer = values
        try:
            outside, inside = line.at(outer), None if inner is None else line.at(inner)
        except InvalidProblem:  # in floats a state would lose all its visits
            continue
        after = BOUNDARIES[boundary](outside)
        before = original if inside is None else BOUNDARIES[boundary](inside)
        if before.holds != original.holds or after.holds != ~original.holds:
            continue
        place, start, inner = line.place, line.start, line.start if inner is None else inner
        value, text = float(start) + crossing.t, _text(line, crossing)
        if line.kind == "distribution" and crossing.way < 0:  # mass goes the other way
            place, value, inner, outer = place[::-1], -value, -inner, -outer
        value = value + 0.0  # no −0
        return Flip(line.kind, boundary, place, start, value, text, crossing.size, inner, outer, before, after, outside)
    return None


def _text(line: Line, crossing: Crossing) -> str | None:
    """The value on the boundary, where it is rational and the problem exact."""
    at = None if crossing.change is None else crossing.change.at
    if at is None or not at.is_rational or not isinstance(line.start, Fraction):
        return None
    t = Fraction(int(at.low.p), int(at.low.q))
    text = str(abs(t) if line.kind == "distribution" else line.start + t)
    return text if len(text) <= 40 else None


def _at_once(original: Verdict, lines: list[Line], boundary: str) -> dict[tuple[tuple[int, ...], bool], Flip]:
    """Of a problem on the boundary, the flips of size 0: by place, and whether the number grows."""
    if not original.is_tie:
        return {}
    tried = {
        (line.place, way > 0): _from_the_boundary(original, line, boundary, way, None)
        for line in lines
        for way in (-1, 1)
    }
    return {key: flip for key, flip in tried.items() if flip is not None}


def _from_the_boundary(original: Verdict, line: Line, boundary: str, way: int, exact: str | None) -> Flip | None:
    """A problem on the boundary itself flips at once, if it does in this direction."""
    reach = way * min(line.unit, abs(line.high if way > 0 else line.low))
    value = simplest(line, 1e-6 * reach, 1e-3 * reach)
    if value is None:
        return None
    try:
        beyond = line.at(value)
    except InvalidProblem:
        return None
    after = BOUNDARIES[boundary](beyond)
    if original.undecided or after.holds != ~original.holds:
        return None
    place, start = line.place, line.start
    if line.kind == "distribution" and way < 0:
        place, value = place[::-1], -value
    return Flip(line.kind, boundary, place, start, float(start), exact, 0.0, start, value, original, after, beyond)


class Flips(list[Flip], Viewable):
    """The nearest flips, the smallest first; `problem` is what they change."""

    def __init__(self, problem: Problem, flips: Iterable[Flip]) -> None:
        super().__init__(flips)
        self.problem = problem

    def page(self) -> Page:
        """The nearest of each kind, a row each."""
        within = scope(self.problem)
        head = prose(f"Nearest flips, of {within}:")
        if not self:
            return Page(
                (head, prose("  none: no such change crosses a boundary" if SURE in within else "  none found"))
            )
        states = self.problem.state_labels
        rows = [
            (
                f"{flip.size:.2%}",
                change_text(flip, states),
                then_text(flip),
                f"{_value(flip.inside)}, {_value(flip.outside)}",
            )
            for flip in _shown(self)
        ]
        columns = ("size", "change<", "then<", Column("certified at", left=True, below=True))
        more = [prose(f"… {len(self) - MOST} more of these; --json prints them")] if len(self) > MOST else []
        return Page((head, table(columns, rows), *more, prose(dim(MEASURE))))

    def __repr__(self) -> str:
        nearest = (
            f", the nearest {change_text(self[0], self.problem.state_labels)}: {then_text(self[0])}" if self else ""
        )
        return f"<{count(len(self), 'flip')} of {self.problem.name}{nearest}>"

    def to_pandas(self) -> Any:
        """A frame with a row a flip."""
        names = ("kind", "boundary", "place", "start", "crossing", "exact", "size", "becomes", "inside", "outside")
        return data_frame([{name: getattr(flip, name) for name in names} for flip in self])


def then_text(flip: Flip) -> str:
    """What becomes of TD or the chain."""
    who = "TD" if flip.boundary == "td" else "the chain"
    return f"{who} becomes {flip.becomes}"


def _shown(flips: list[Flip]) -> list[Flip]:
    """The nearest, with every kind among them: a problem on a boundary has many that flip at once."""
    seen: Counter[tuple[str, str]] = Counter()
    ranks = []
    for i, flip in enumerate(flips):
        seen[flip.kind, flip.boundary] += 1
        ranks.append((seen[flip.kind, flip.boundary] > PER_KIND, i))
    return [flips[i] for i in sorted(i for _, i in sorted(ranks)[:MOST])]


def change_text(flip: Flip, states: Sequence[str]) -> str:
    """What changes, from where to where."""

    to = flip.exact if flip.exact is not None and len(flip.exact) <= 24 else f"{flip.crossing:.6g}"
    if flip.kind == "gamma":
        return f"γ = {_value(flip.start)} → {to}"
    if flip.kind == "feature":
        s, f = flip.place
        return f"Φ[{states[s]}, {f}] = {_value(flip.start)} → {to}"
    return f"mass {to} of d from state {states[flip.place[0]]} to {states[flip.place[1]]}"


def _value(value: Any) -> str:
    text = str(value) if isinstance(value, Fraction) else f"{value:.6g}"
    return text if len(text) <= 16 else f"{float(value):.10g}"
