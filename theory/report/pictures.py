"""The report's figures as files: those of `theory figure`, byte for byte, with the same titles and commands.

Drawing takes longer than everything else that a second run does, so a figure is left alone if its files are those
that were drawn last from the same data by the same code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from theory.experiments.family_figures import best_window_rows, bias_variance_rows, transient_rows
from theory.experiments.paper_figures import expected_update_rows, n_step_rows
from theory.experiments.tables import provenance
from theory.figures.expected_updates import plot_expected_updates
from theory.figures.families import plot_best_window, plot_bias_variance, plot_transients
from theory.figures.files import write_figure
from theory.figures.learning import curve_rows, plot_chains, plot_curves
from theory.figures.success_rate import write as write_success_rate
from theory.report.results import PACKAGES, Results, sources, versions

ONE = ("baird-reward", 0.99)  # the column of the paper's figure 3
_SOURCES = ("figures", "experiments", "report/pictures.py")
Value = dict[str, Any]


@dataclass(frozen=True)
class Drawn:
    """A figure: the stem of its files, its title, the part whose result it shows, the plot, and the rows of its CSV."""

    name: str
    title: str
    part: str
    plot: Callable[[Value], Any]
    rows: Callable[[Value], list[dict[str, Any]]]


def _one(result: Value) -> Any:
    return plot_curves(result, [ONE])


def _one_rows(result: Value) -> list[dict[str, Any]]:
    return [row for row in curve_rows(result) if (row["problem"], row["gamma"]) == ONE]


FIGURES = (
    Drawn("expected-updates", "Expected updates on Baird-Reward", "expected-updates", plot_expected_updates,
          expected_update_rows),
    Drawn("learning-curves", "Learning curves", "table-1", _one, _one_rows),
    Drawn("learning-curves-all", "Learning curves", "table-1", plot_curves, curve_rows),
    Drawn("n-step-chains", "Chains of 1-step and of 8-step estimators", "n-step-chains", plot_chains, n_step_rows),
    Drawn("transient", "Transients", "transient", plot_transients, transient_rows),
    Drawn("bias-variance", "Bias and variance", "bias-variance", plot_bias_variance, bias_variance_rows),
    Drawn("best-window", "Best window", "best-window", plot_best_window, best_window_rows),
)  # fmt: skip


def write_pictures(
    values: Mapping[str, Any], profile: str, seed: int, into: Path, watch: Callable[[float], None] | None = None
) -> list[Path]:
    """All figures of the report, PNG, SVG and CSV; `values` are the parts' results by name."""
    watch = watch or (lambda _: None)
    rates = values["success-rate"]
    files = _unless_drawn("success-rate", rates, into, partial(write_success_rate, rates, into))
    curves = provenance(seed, f"theory figure learning-curves --profile {profile} --seed {seed}")
    for i, f in enumerate(FIGURES, start=1):
        watch(i / (len(FIGURES) + 1))
        result = values[f.part]
        about = curves if f.part == "table-1" else result["about"]
        files += _unless_drawn(f.name, [result, about], into, partial(_write, f, result, about, into))
    return files


def _write(figure: Drawn, result: Value, about: Mapping[str, str], into: Path) -> list[Path]:
    return write_figure(figure.plot(result), into / figure.name, figure.title, about, figure.rows(result))


def _unless_drawn(name: str, data: Any, into: Path, write: Callable[[], list[Path]]) -> list[Path]:
    kept, digest = Results(into / "data" / "report"), hashlib.sha256(json.dumps(data).encode()).hexdigest()
    key = {"data": digest, "sources": sources(*_SOURCES), "versions": versions((*PACKAGES, "matplotlib"))}
    found = kept.get(f"drawn-{name}", key)
    if found is not None and all(_digest(into / file) == was for file, was in found.value.items()):
        return [into / file for file in found.value]
    files = write()
    kept.put(f"drawn-{name}", key, {path.name: _digest(path) for path in files}, 0.0)
    return files


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
