"""Lines through a problem along which one number changes, and where they cross a boundary, exactly or in floats.

See `theory.experiments.flips`, which proves what is found here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from theory.experiments.search.margins import Batch, sides
from theory.model.linear_model import float_model
from theory.problems import Problem
from theory.problems.numbers import FloatArray, is_exact
from theory.thresholds.lines import Change, FeatureLine, MassLine, beside, first_changes, line_work

FARTHEST = 4.0  # times the largest feature
BUDGET = 1e8  # lines · points · S·F², some seconds
POINTS = np.concatenate([[0.0], np.geomspace(1e-5, 1, 60)])  # of one side, in units of its length
BISECTIONS = 40


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
    t: float
    size: float
    change: Change | None = None  # the same exactly; None where it was found in floats
    way: int = 0  # of t, where it changes at once


def exact_crossings(
    problem: Problem, lines: list[Line], holds: dict[str, bool], progress: Callable[[float], None] | None = None
) -> list[Crossing]:
    """The same as `crossings`, by all real roots of the polynomials along each line: nothing is nearer."""
    found = []
    for i, line in enumerate(lines):
        family = FeatureLine if line.kind == "feature" else MassLine
        ends = Fraction(line.low), Fraction(line.high)
        if line.kind == "distribution":  # the ends themselves, where a state is no longer visited
            d = problem.given.d_mu
            ends = -Fraction(d[line.place[1]]), Fraction(d[line.place[0]])
        for boundary, changes in first_changes(problem, family(problem, *line.place), *ends, holds).items():
            for change in changes:
                t = float(change.at)
                way = 1 if change.after > change.at else -1
                found.append(Crossing(line, boundary, t, abs(t) / line.unit, change, way))
        if progress is not None:
            progress((i + 1) / len(lines))
    return found


def lines_work(problem: Problem, lines: list[Line]) -> float:
    """About how many seconds `exact_crossings` takes."""
    return len(lines) * line_work(problem) if lines else 0.0


def exact_values(crossing: Crossing, share: Fraction) -> tuple[Any, Any] | None:
    """Short values just before and just beyond an exact crossing, None the first where it changes at once.

    As floats where the problem is in floats; None where these have no room there.
    """
    change, line = crossing.change, crossing.line
    assert change is not None  # the caller's
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
    """All lines, or of each group those along which the deciding eigenvalues move fastest."""
    S, F = problem.Phi.shape
    allowed = max(4, int(BUDGET / (2 * len(POINTS) * len(groups) * (S * F * min(S, F) + S * S * min(S, F)))))
    if all(len(group) <= allowed for group in groups):
        return [line for group in groups for line in group]
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


def crossings(problem: Problem, lines: list[Line], holds: dict[str, bool | None]) -> list[Crossing]:
    """The first change of side of TD and of the chain along each line, in both directions.

    `holds` are the problem's own verdicts: on a boundary floats do not know the side.
    """
    rays = [(line, end) for line in lines for end in (line.low, line.high)]
    if not rays:
        return []
    # The ends of d's lines are open: there a state would not be visited.
    reach = np.array([end * (1 - 1e-9) for _, end in rays])
    inside = np.array([_side(problem, [ray[0] for ray in rays], reach * p) for p in POINTS])  # (points, rays, 2)
    found = []
    for b, (boundary, start) in enumerate(holds.items()):
        changed = inside[:, :, b] != start
        changed[0] = False
        hit = np.flatnonzero(changed.any(axis=0))
        if start is None or not len(hit):
            continue
        chosen, first = [rays[i][0] for i in hit], changed.argmax(axis=0)[hit]
        low, high = POINTS[first - 1] * reach[hit], POINTS[first] * reach[hit]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            same = _side(problem, chosen, middle)[:, b] == start
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        found += [
            Crossing(line, boundary, float(t), abs(float(t)) / line.unit)
            for line, t in zip(chosen, (low + high) / 2, strict=True)
        ]
    return found


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


def _side(problem: Problem, lines: list[Line], t: FloatArray) -> Any:
    """Is TD stable, is the chain unbiased, at t[i] on line i? (n, 2) booleans."""
    n = len(lines)
    unit = float(np.abs(problem.Phi).max()) or 1.0  # in units of the largest feature nothing overflows
    Phi, d = np.tile(problem.Phi / unit, (n, 1, 1)), np.tile(problem.d_mu, (n, 1))
    for i, line in enumerate(lines):
        a, b = line.place
        if line.kind == "feature":
            Phi[i, a, b] += t[i] / unit
        else:
            d[i, a] -= t[i]
            d[i, b] += t[i]
    found = sides(Batch(Phi, problem.P_pi, d, np.full(n, problem.gamma)))
    return np.stack([found.td > 0, found.rho < 1], axis=1)
