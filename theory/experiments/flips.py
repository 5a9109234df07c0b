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

Sizes are relative: |Δγ|, |t| over the largest |Φ|, and mass. Where all lines would take too long, those are followed
along which the deciding eigenvalue moves fastest,

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
    exact_values,
    feature_lines,
    lines_within_budget,
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
    decided = {name: verdict.proved for name, verdict in verdicts.items() if verdict.decided}
    crossed = crossings(problem, lines, decided, progress)
    for kind in ("feature", "distribution"):
        for boundary, original in verdicts.items():
            near = sorted((c for c in crossed if (c.line.kind, c.boundary) == (kind, boundary)), key=lambda c: c.size)
            certified = 0
            for crossing in near:
                if certified >= per_kind and not (crossing.size == 0 and original.is_tie):
                    break
                flip = _exactly(original, crossing)
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
    return f"γ, {entries}, and mass between {pairs} ({sure})"


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
                flip = _beside(original, line, boundary, t or way * TOUCHING, size, text)
                if flip is not None:  # not at a γ where the boundary is only touched
                    found.append(flip)
                    break
    return found


def _beside(original: Verdict, line: Line, boundary: str, t: float, size: float, exact: str | None) -> Flip | None:
    """Verdicts at short γ on both sides of a threshold; None where they are not what it promised."""
    if size <= TOUCHING:
        return _from_the_boundary(original, line, boundary, 1 if t > 0 else -1, exact)
    for width in (1e-3, 1e-2, 1e-1):
        # From the crossing a thousandth of the way back and ahead; the gap leaves room for rounding.
        inner = simplest(line, t * (1 - width), t * (1 - width / 100))
        outer = simplest(line, t * (1 + width / 100), t * (1 + width))
        if inner is None or outer is None:
            continue
        inside, outside = line.at(inner), line.at(outer)
        before, after = BOUNDARIES[boundary](inside), BOUNDARIES[boundary](outside)
        if original.decided and before.holds == original.holds and after.holds == ~original.holds:
            value = float(line.start) + t
            return Flip(line.kind, boundary, (), line.start, value, exact, size, inner, outer, before, after, outside)
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
    at = crossing.change.at
    if not at.is_rational or not isinstance(line.start, Fraction):
        return None
    t = Fraction(int(at.low.p), int(at.low.q))
    text = str(abs(t) if line.kind == "distribution" else line.start + t)
    return text if len(text) <= 40 else None


def _from_the_boundary(original: Verdict, line: Line, boundary: str, way: int, exact: str | None) -> Flip | None:
    """A problem whose γ is the threshold flips at once, if it does in this direction."""
    reach = way * min(line.unit, abs(line.high if way > 0 else line.low))
    value = simplest(line, 1e-6 * reach, 1e-3 * reach)
    if value is None:
        return None
    beyond = line.at(value)
    after = BOUNDARIES[boundary](beyond)
    if original.undecided or after.holds != ~original.holds:
        return None
    start = line.start
    return Flip(line.kind, boundary, (), start, float(start), exact, 0.0, start, value, original, after, beyond)


class Flips(list[Flip], Viewable):
    """The nearest flips, the smallest first; `problem` is what they change."""

    def __init__(self, problem: Problem, flips: Iterable[Flip]) -> None:
        super().__init__(flips)
        self.problem = problem

    def page(self) -> Page:
        """The nearest of each kind, a row each."""
        head = prose(f"Nearest flips, of {scope(self.problem)}:")
        if not self:
            return Page((head, prose("  none: no such change crosses a boundary")))
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
