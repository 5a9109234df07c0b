"""The picture of ``theory noise --plot``: exact errors over α, and over (α, β) for learners with two step sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theory.learners.rule import Rule
    from theory.noise.sweep import SettingMap, Sweep
    from theory.problems import Problem

STEPS = 100_000
MOST_MAPS = 3  # of two step sizes, a panel each
OCTAVES = 1.25  # between points of their lines


def draw_noise(problem: Problem, rules: Sequence[Rule], ratio: Fraction, path: Path, progress: Any) -> list[str]:
    """Write the picture; reasons why some learners are not in it, or not with all their marks."""
    import numpy as np

    from theory.commands.learner_words import label
    from theory.figures._style import look
    from theory.figures.live.noise import plot_noise
    from theory.noise.curves import without_trace
    from theory.noise.sweep import setting_map, sweep
    from theory.problems import InvalidProblem

    curves: list[Sweep] = []
    maps: list[SettingMap] = []
    reasons = []
    for asked in rules:
        rule = without_trace(asked)
        obstacle = rule.obstacle()
        if obstacle is not None:
            reasons.append(f"{asked.name}: not drawn, {obstacle}")
            continue
        progress.say(f"{asked.name} over all step sizes")
        try:
            curves.append(replace(sweep(rule, problem, ratio=float(ratio), steps=STEPS), learner=label(asked)))
            if "beta" in rule.columns and len(maps) < MOST_MAPS:
                maps.append(setting_map(rule, problem, 2.0 ** np.arange(-13, 0.1, 0.375), OCTAVES, steps=STEPS))
        except InvalidProblem as error:
            reasons.append(f"{asked.name}: not drawn, {error.complaint}")
    reasons += [f"{one.learner}: without ρ₄, {one.reason}" for one in curves if one.reason is not None]
    if not curves:
        raise InvalidProblem("no learner is left to draw: " + "; ".join(reasons), "plot")
    with look():
        plot_noise(problem, curves, maps, STEPS).savefig(path, dpi=160)
    return reasons
