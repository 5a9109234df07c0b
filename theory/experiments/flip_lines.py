"""Lines through a problem along which one number changes, and where they cross a boundary, exactly.

See `theory.experiments.flips`, which proves what is found here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from theory.model.linear_model import float_model
from theory.problems import Problem
from theory.problems.numbers import FloatArray, is_exact
from theory.thresholds.lines import Change, FeatureLine, MassLine, beside, first_changes, line_work

FARTHEST = 4.0  # times the largest feature
SECONDS = 12.0  # for the polynomials of all lines, about


@dataclass(frozen=True, eq=False)
class Line:
    """Problems at(value) with one number moved from `start` by t in (low, high)."""

    kind: str  # "gamma", "feature", "distribution"
    place: tuple[int, ...]
    at: Callable[[Any], Problem]
    start: Any
    low: float
    high: float
    unit: float  # what t is measured in


@dataclass(frozen=True, eq=False)
class Crossing:
    """The first change of side in one direction."""

    line: Line
    boundary: str  # "td", "chain"
    change: Change  # of t
    size: float  # relative

    @property
    def t(self) -> float:
        """The nearest double."""
        return float(self.change.at)

    @property
    def way(self) -> int:
        """Of t, also where the side changes at once."""
        return 1 if self.change.after > self.change.at else -1


def crossings(
    problem: Problem, lines: list[Line], holds: dict[str, bool], progress: Callable[[float], None] | None = None
) -> list[Crossing]:
    """The first change of side of TD and of the chain along each line, in both directions.

    By all real roots of the polynomials along it: nothing is nearer. `holds` are the problem's own verdicts.
    """
    found = []
    for i, line in enumerate(lines):
        family = FeatureLine if line.kind == "feature" else MassLine
        ends = Fraction(line.low), Fraction(line.high)
        if line.kind == "distribution":  # the ends themselves, where a state is no longer visited
            d = problem.given.d_mu
            ends = -Fraction(d[line.place[1]]), Fraction(d[line.place[0]])
        for boundary, changes in first_changes(problem, family(problem, *line.place), *ends, holds).items():
            found += [Crossing(line, boundary, change, abs(float(change.at)) / line.unit) for change in changes]
        if progress is not None:
            progress((i + 1) / len(lines))
    return found


def exact_values(crossing: Crossing, share: Fraction) -> tuple[Any, Any] | None:
    """Short values just before and just beyond an exact crossing, None the first where it changes at once.

    As floats where the problem is in floats; None where these have no room there.
    """
    change, line = crossing.change, crossing.line
    scale = abs(Fraction(crossing.t)) or Fraction(line.unit)
    outer = _short(line, *beside(change.at, change.after, scale, share), change.at, change.after)
    if outer is None:
        return None
    if change.before == change.at:
        return None, outer
    inner = _short(line, *beside(change.at, change.before, scale, share), change.at, change.before)
    return None if inner is None else (inner, outer)


def _short(line: Line, low: Fraction, high: Fraction, a: Any, b: Any) -> Any:
    """The shortest value with t in [low, high]; a float must stay strictly between a and b."""
    from theory.exact.algebraic import simplest_between
    from theory.exact.matrices import fraction, rational

    start = Fraction(line.start)
    value = fraction(simplest_between(rational(start + low), rational(start + high)))
    if isinstance(line.start, Fraction):
        return value
    for guess in (float(value), float(start + (low + high) / 2)):
        t = Fraction(guess) - start
        if min(a, b) < t < max(a, b):
            return guess
    return None


def feature_lines(problem: Problem) -> list[Line]:
    """One line for each entry of Φ."""
    Phi = problem.given.Phi
    unit = float(np.abs(problem.Phi).max()) or 1.0
    reach = FARTHEST * unit

    def at(s: int, f: int) -> Callable[[Any], Problem]:
        def moved(value: Any) -> Problem:
            new = Phi.copy()
            new[s, f] = value
            return problem.with_features(new)

        return moved

    return [Line("feature", (s, f), at(s, f), Phi[s, f], -reach, reach, unit) for s, f in np.ndindex(*Phi.shape)]


def mass_lines(problem: Problem) -> list[Line]:
    """One line for each pair of states: mass from the first to the second, negative the other way."""
    g, d = problem.given, problem.d_mu

    def at(i: int, j: int) -> Callable[[Any], Problem]:
        def moved(mass: Any) -> Problem:
            new = g.d_mu.copy()
            new[i], new[j] = new[i] - mass, new[j] + mass
            # Another distribution is no longer that of the behaviour's chain: only the matrices remain.
            edited = Problem.from_matrices(g.gamma, Phi=g.Phi, P_pi=g.P_pi, d_mu=new, r_pi=g.r_pi, episodic=True)
            return edited.relabelled(name=problem.name, states=problem.states)

        return moved

    zero = Fraction(0) if is_exact(g.d_mu) else 0.0
    pairs = combinations(range(problem.n_states), 2)
    return [Line("distribution", (i, j), at(i, j), zero, -float(d[j]), float(d[i]), 1.0) for i, j in pairs]


def lines_within_budget(problem: Problem, *groups: list[Line]) -> list[Line]:
    """All lines, or as many as take `SECONDS`: of each group those that move the deciding eigenvalues fastest."""
    allowed = int(SECONDS / line_work(problem))
    if sum(map(len, groups)) <= allowed:
        return [line for group in groups for line in group]
    allowed //= len(groups)
    by_feature, by_mass = sensitivities(problem)
    taken: list[Line] = []
    for group in groups:
        speeds = [
            by_feature[line.place] if line.kind == "feature" else abs(by_mass[line.place[0]] - by_mass[line.place[1]])
            for line in group
        ]
        best = np.argsort(-np.nan_to_num(np.array(speeds)), kind="stable")[:allowed]
        taken += [group[i] for i in sorted(best.tolist())]
    return taken


def sensitivities(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """How fast the deciding eigenvalues of A and of B, added, move with the entries of Φ (S, F), and with d (S,)."""
    from scipy.linalg import eig

    m, Phi = float_model(problem), problem.Phi
    if m.rank == 0:
        return np.zeros(Phi.shape), np.zeros(len(Phi))
    I, D = np.eye(len(Phi)), problem.d_mu[:, None]  # noqa: E741
    by_feature, by_mass = np.zeros(Phi.shape), np.zeros(len(Phi))
    for boundary in ("td", "chain"):
        values, left, right = eig(m.A, None if boundary == "td" else m.X, left=True, right=True)
        # The chain's pencil A − νX has ν = 1 − β.
        i = int(values.real.argmin() if boundary == "td" else np.abs(1 - values).argmax())
        y, x = m.parameters(left[:, i].conj()), m.parameters(right[:, i])
        inner = I - problem.gamma * problem.P_pi - (0 if boundary == "td" else values[i]) * I
        scale = np.abs(y @ x if boundary == "td" else left[:, i].conj() @ m.X @ right[:, i])
        with np.errstate(divide="ignore", invalid="ignore"):
            by_feature += np.abs(np.outer(D * inner @ Phi @ x, y) + np.outer((Phi @ y) @ (D * inner), x)) / scale
            by_mass += np.real((Phi @ y) * (inner @ Phi @ x)) / scale
    return by_feature, by_mass


def simplest(line: Line, a: float, b: float) -> Any:
    """The shortest value start + t with t between a and b, as a float where the problem is in floats; None outside."""
    from theory.exact.algebraic import simplest_between
    from theory.exact.matrices import fraction, rational

    low, high = sorted((a, b))
    low, high = max(low, line.low), min(high, line.high)
    if not low < high:
        return None
    start = Fraction(line.start)
    value = fraction(simplest_between(rational(start + Fraction(low)), rational(start + Fraction(high))))
    return value if isinstance(line.start, Fraction) else float(value)
