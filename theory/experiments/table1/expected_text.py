"""Table 1 by its expectations as text: the grid, every cell, and what follows for the paper's numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from theory.experiments.table1.expected import EXPECTED_SIGNS
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
        best = "–" if c["best"] is None else number(_seen(c["best"]["rmse"]))
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


def expected_summary(result: Result) -> str:
    """How the marks fell."""
    marks = Counter(c["mark"] for c in result["cells"] if c["mark"] != "not in the paper")
    named = {"agrees": "agree with the least expectation", "a draw": "are draws from heavy tails"}
    named |= {"impossible": "are impossible", "worse": "are above the least expectation"}
    said = ", ".join(f"{marks[m]} {named[m]}" for m in named)
    p = result["protocol"]
    return (
        f"Expectations, not samples: {p['steps']:,} moves, {p['step_sizes']} step sizes, in floats (relative error "
        f"about 1e-11); the concurrent chain up to head {p['heads'][-1]}. Of the paper's {marks.total()} cells {said}."
    )


def expected_legend(result: Result) -> str:
    """The marks' rules."""
    used = {c["mark"] for c in result["cells"]}
    rules = "; ".join(f"{EXPECTED_SIGNS[m]} {m}: {rule}" for m, rule in result["marks"].items() if m in used)
    return (
        f"{rules}. Tail: light where ρ₄ < 1, heavy where ρ₂ < 1 ≤ ρ₄, infinite where ρ₂ ≥ 1; radii per move, by "
        "eigenvalues in floats."
    )


def expected_explanations(result: Result) -> list[str]:
    """What the expectations say about the table; every number is computed."""
    parts = [_lucky(result), _emphatic(result), _heads(result), _starts(result), _sequential(result)]
    return [part for part in parts if part]


def _find(result: Result, learner: str, problem: str, gamma: str) -> dict[str, Any] | None:
    return next(
        (c for c in result["cells"] if (c["learner"], c["problem"], c["gamma_exact"]) == (learner, problem, gamma)),
        None,
    )


def _lucky(result: Result) -> str:
    """Sampled cells at settings whose expectation is elsewhere."""
    found = []
    for c in result["cells"]:
        there, sampled = c["at_simulated"], c["simulated"]
        if there is None or there.get("tail") not in ("heavy", "infinite") or sampled["diverged"]:
            continue
        found.append(
            f"{TITLES[c['learner']]} {c['problem']} {c['gamma']:g}: sampled {number(sampled['rmse'])} where "
            f"{_large(there['rmse'])} is expected (ρ₂ = {_radius(there['rho2'])}, ρ₄ = {_radius(there['rho4'])}, "
            f"{there['tail']}), and {number(_seen(c['best']['rmse']))} at the best setting; paper {number(c['paper'])}"
        )
    if not found:
        return ""
    return (
        "**Tuning on ten seeds looks for luck.** A mean of squares over few seeds lies far below its expectation where "
        "the tail is heavy, so the least sampled mean is found there. These sampled cells are at settings with heavy "
        f"or infinite tails: {'; '.join(found)}. Where the expectation there is far above the sample, that is luck, "
        "and the least expectation of the grid is what the learner is worth."
    )


def _emphatic(result: Result) -> str:
    etd = [c for c in result["cells"] if c["trace"] is not None and c["learner"] == "etd"]
    if not etd:
        return ""
    where = {c["problem"]: c["trace"]["gamma_threshold"] for c in etd}
    known = "; ".join(f"{problem}: γ < {bound}" for problem, bound in where.items())
    infinite = sum(not c["trace"]["finite"] for c in etd)
    return (
        "**ETD's cells are draws.** Its moments do not close (the trace multiplies what it meets), but those of the "
        f"trace F ← γρF + 1 do: E[F²] is bounded exactly for ({known}), so it is infinite in {infinite} of {len(etd)} "
        "columns. A mean of squared errors there has no variance to estimate: repeating the protocol gives others."
    )


def _heads(result: Result) -> str:
    shown = []
    for c in result["cells"]:
        if c["learner"] != "chained-concurrent" or c["best"] is None or _seen(c["best"]["rmse"]) == 0:
            continue
        far = ", ".join(f"{k}: {_large(x)}" for k, x in c["best"]["long_run"] if k >= 8)
        shown.append(f"{c['problem']} {c['gamma']:g} (α = {c['best']['setting']['alpha']:.3g}) {far}")
    if not shown:
        return ""
    return (
        "**Why k = 32.** Head k's bias falls like γᵏ, its noise grows from head to head, because each bootstraps on "
        "the noise of the one before. RMSE by head in the long run at the best step size, exactly: "
        f"{'; '.join(shown)}. Before k = 32 the bias rules, after it the noise."
    )


def _starts(result: Result) -> str:
    said, least = [], []
    for learner in ("gtd2", "tdc"):
        for problem in ("baird", "baird-reward"):
            c = _find(result, learner, problem, "99/100")
            if c is None or c["best"] is None:
                continue
            needed = c["best"]["needed_scale"]
            said.append(
                f"{TITLES[learner]} {problem} {number(c['paper'])}: "
                + ("none" if needed is None else f"σ = {needed:.1f}")
            )
            least.append(number(_seen(c["best"]["rmse"])))
    if not said:
        return ""
    return (
        "**No scale of the start explains γ = .99.** Every setting's expected square is σ²a + b in the scale σ of the "
        "start, so the least of the grid grows with σ; the σ at which it is the paper's number: "
        f"{'; '.join(said)} (the paper says σ = 100, where it is {' / '.join(least)}). No one σ gives all of them."
    )


def _sequential(result: Result) -> str:
    c = _find(result, "chained-sequential", "threestate", "99/100")
    if c is None or c["best"] is None:
        return ""
    best = c["best"]
    return (
        f"**Sequential chains.** The least expectation on Threestate at γ = .99 is {best['rmse']:.2g} "
        f"({_setting(best['setting'])}), by starting over from head 1 after the last (wrap); the paper prints "
        f"{number(c['paper'])}. A chain that stops after its last head has {_large(best['stopped'])} at best."
    )


def _described(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["–"] * 5
    if "reason" in found:
        return ["–", _setting(found["setting"]), "–", "–", found["reason"]]
    radii = (_radius(found["rho2"]), _radius(found["rho4"]))
    return [_large(found["rmse"]), _setting(found["setting"]), *radii, found["tail"] or "–"]


def _radius(x: float) -> str:
    """Beside 1 its distance tells."""
    return f"{x:.5f}" if abs(x - 1) >= 1e-4 else f"1 {'−' if x < 1 else '+'} {abs(x - 1):.1e}"


def _setting(setting: dict[str, float]) -> str:
    names = {"alpha": "α", "beta": "β", "window": "T"}
    return ", ".join(f"{names.get(name, name)} = {value:.3g}" for name, value in setting.items())


def _seen(value: float | None) -> float | None:
    """As divergent above 150, as the table has it."""
    from theory.learners.bulk.result import DIVERGENT

    return None if value is None or value > DIVERGENT else value


def _large(value: float | None) -> str:
    if value is None:
        return "∞"
    return (
        "0" if value < 5e-4 else f"{value:.3g}" if value < 1000 else f"{value:.0f}" if value < 1e5 else f"{value:.1e}"
    )
