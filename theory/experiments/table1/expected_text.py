"""Table 1 by its expectations as text: the grid, and every cell."""

from __future__ import annotations

from collections import Counter
from typing import Any

from theory.experiments.table1.expected_marks import EXPECTED_SIGNS
from theory.experiments.table1.paper import TITLES
from theory.experiments.table1.text import number

Result = dict[str, Any]
DETAIL_HEADINGS = (
    "learner", "problem", "γ", "expected, best", "setting", "ρ₂", "ρ₄", "tail", "sampled", "at setting",
    "expected there", "ρ₂", "ρ₄", "tail", "paper", "mark",
)  # fmt: skip


def expected_grid(result: Result) -> list[list[str]]:
    """One row a learner: ``expected (paper) mark`` in each column."""
    rows: dict[str, list[str]] = {}
    for c in result["cells"]:
        best = "–" if c["best"] is None else number(seen(c["best"]["rmse"]))
        paper = "–" if c["mark"] == "not in the paper" else number(c["paper"])
        rows.setdefault(TITLES[c["learner"]], []).append(f"{best} ({paper}) {EXPECTED_SIGNS[c['mark']]}")
    return [[name, *cells] for name, cells in rows.items()]


def expected_rows(result: Result) -> list[list[str]]:
    """One row a cell under `DETAIL_HEADINGS`."""
    rows = []
    for c in result["cells"]:
        sampled = "–" if c["simulated"] is None else number(c["simulated"]["rmse"])
        best, there = _described(c["best"]), _described(c["at_simulated"])
        paper = "–" if c["mark"] == "not in the paper" else number(c["paper"])
        mark = f"{EXPECTED_SIGNS[c['mark']]} {c['mark']}"
        name = [TITLES[c["learner"]], c["problem"], f"{c['gamma']:g}"]
        rows.append([*name, *best, sampled, there[1], there[0], *there[2:], paper, mark])
    return rows


def expected_counts(result: Result) -> str:
    """How the marks fell: ``of its 42 cells 27 agree with …``."""
    marks = Counter(c["mark"] for c in result["cells"] if c["mark"] != "not in the paper")
    named = {
        "agrees": ("agrees", "agree", "with the least expectation"),
        "a draw": ("is a draw", "are draws", "from heavy tails"),
        "impossible": ("is", "are", "impossible"),
        "worse": ("is", "are", "above the least expectation"),
        "unexplained": ("is", "are", "below it and not explained"),
    }
    said = [f"{marks[m]} {one if marks[m] == 1 else more} {what}" for m, (one, more, what) in named.items()]
    return f"of its {marks.total()} cells " + ", ".join(said)


def expected_headline(result: Result) -> str:
    """The marks in a few words: ``19 of 36 agree, 9 are draws from heavy tails, 4 impossible``."""
    marks = Counter(c["mark"] for c in result["cells"] if c["mark"] != "not in the paper")
    rest = marks.total() - sum(marks[m] for m in ("agrees", "a draw", "impossible"))
    others = f", {rest} neither" if rest else ""
    return (
        f"{marks['agrees']} of {marks.total()} agree, {marks['a draw']} are draws from heavy tails, "
        f"{marks['impossible']} impossible{others}"
    )


def expected_summary(result: Result) -> str:
    """What was computed, and how the marks fell."""
    p, rows = result["protocol"], {c["learner"] for c in result["cells"]}
    chain = f"the concurrent chain up to head {p['heads'][-1]}"
    if "chained-concurrent" not in rows:
        chain = "without the concurrent chain, which takes minutes (theory table1 --exact)"
    return (
        f"Expectations, not samples: {p['steps']:,} moves, {p['step_sizes']} step sizes, in floats (relative error "
        f"about 1e-11); {chain}. Beside the paper: {expected_counts(result)}."
    )


def expected_legend(result: Result) -> str:
    """The marks' rules."""
    used = {c["mark"] for c in result["cells"]}
    rules = "; ".join(f"{EXPECTED_SIGNS[m]} {m}: {rule}" for m, rule in result["marks"].items() if m in used)
    return (
        f"{rules}. Tail: light where ρ₄ < 1, heavy where ρ₂ < 1 ≤ ρ₄, infinite where ρ₂ ≥ 1; radii per move, by "
        "eigenvalues in floats."
    )


def _described(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["–"] * 5
    if "reason" in found:
        return ["–", setting_text(found["setting"]), "–", "–", found["reason"]]
    radii = (radius(found["rho2"]), radius(found["rho4"]))
    return [large(found["rmse"]), setting_text(found["setting"]), *radii, found["tail"] or "–"]


def radius(x: float) -> str:
    """Beside 1 its distance tells."""
    if abs(x - 1) >= 1e-4:
        return f"{x:.5f}"
    # A minus, not a hyphen, at which pages break lines.
    return f"1 {'−' if x < 1 else '+'} {abs(x - 1):.1e}".replace("e-0", "e−").replace("e-", "e−")


def setting_text(setting: dict[str, float]) -> str:
    """``α = 0.0248, β = 0.0031``."""
    names = {"alpha": "α", "beta": "β", "window": "T"}
    return ", ".join(f"{names.get(name, name)} = {value:.3g}" for name, value in setting.items())


def seen(value: float | None) -> float | None:
    """As divergent above 150, as the table has it."""
    from theory.learners.driver import DIVERGENT

    return None if value is None or value > DIVERGENT else value


def large(value: float | None) -> str:
    """Three digits, or a power of ten."""
    if value is None:
        return "∞"
    return (
        "0" if value < 5e-4 else f"{value:.3g}" if value < 1000 else f"{value:.0f}" if value < 1e5 else f"{value:.1e}"
    )
