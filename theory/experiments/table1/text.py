"""Table 1 as text: sampled and expected cells as Markdown and as CSV, and what has to be said beside them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from theory.code_version import provenance
from theory.experiments.table1.cells import SIGNS
from theory.experiments.table1.expected import EXPECTED_SIGNS
from theory.experiments.table1.impossible import impossible_pairs
from theory.experiments.table1.paper import LEARNERS, TITLES
from theory.experiments.table1.units import COLUMNS
from theory.learners.driver import DIVERGENT
from theory.text.tables import csv_text, markdown_table

Result = dict[str, Any]
_PLAIN = (
    "learner", "problem", "gamma", "rmse", "diverged", "paper", "paper_diverged", "mark", "median_over_seeds",
    "trimmed", "seeds", "diverged_seeds", "passed_150_after", "tuning_rmse",
)  # fmt: skip
_CELL_HEADINGS = (
    "learner", "problem", "γ", "ours", "paper", "mark", "95% bootstrap", "median", "trimmed", "div. seeds",
    "repetitions: min, max, share div.", "tuning", "setting",
)  # fmt: skip
DETAIL_HEADINGS = (
    "learner", "problem", "γ", "expected, best", "setting", "ρ₂", "ρ₄", "tail", "sampled", "at setting",
    "expected there", "ρ₂", "ρ₄", "tail", "paper", "mark",
)  # fmt: skip


def table1_markdown(result: Result, expected: Result | None = None) -> str:
    """The page: the table, the rules of its marks, each cell in detail, the expectations, and the notes."""
    parts = [
        "# Table 1",
        f"Written by `{table1_command(result)}`. {summary(result)}",
        markdown_table(grid_headings("RMSE, ours (paper)"), grid_rows(result)),
        legend(result),
        "## Every cell",
        "The number is the median over repetitions; all that concerns seeds is of the repetition that gave it.",
        markdown_table(_CELL_HEADINGS, [_detail(c) for c in result["cells"]]),
        *_tried(result),
    ]
    if expected is not None:
        parts += [
            "## By expectation",
            expected_summary(expected),
            markdown_table(grid_headings("RMSE, least expectation (paper)"), expected_grid(expected)),
            expected_legend(expected),
            markdown_table(DETAIL_HEADINGS, expected_rows(expected)),
        ]
    return "\n\n".join([*parts, "## Why", *explanations(result, expected)]) + "\n"


def table1_csv(result: Result) -> str:
    """One line a cell, with seed, versions and command in the first lines."""
    rows = []
    for c in result["cells"]:
        r = c["repetitions"]
        flat = {name: c[name] for name in _PLAIN}
        flat |= {"ci95_low": c["ci95"][0], "ci95_high": c["ci95"][1]}
        flat |= {f"repetitions_{name}": r[name] for name in ("min", "max", "share_divergent")}
        flat |= {name: c["config"].get(name) for name in ("alpha", "beta", "window", "k")}
        rows.append(flat)
    return csv_text(rows, provenance(result["seed"], table1_command(result)))


def table1_command(result: Result) -> str:
    """The command that gives this result."""
    text = f"theory table1 --profile {result['profile']} --repetitions {result['repetitions']}"
    text += f" --seed {result['seed']}"
    return text + (" --readings" if any(c["readings"] for c in result["cells"]) else "")


def summary(result: Result) -> str:
    """What was run, in a sentence, and how the marks fell."""
    p, n = result["protocol"], result["repetitions"]
    sizes = {"full": "The paper's whole protocol", "quick": "QUICK profile, a coarser grid and fewer seeds"}
    return (
        f"{sizes.get(result['profile'], 'A scale of its own')}: {p['steps']:,} moves, {p['step_sizes']} step sizes, "
        f"{p['tuning_seeds']} tuning and {p['test_seeds']} test seeds; {n} independent "
        f"repetition{'s' if n > 1 else ''}. Of the paper's {mark_counts(result)}."
    )


def mark_counts(result: Result) -> str:
    """``42 cells: 27 reproduced, …``, of those that the paper has."""
    marks = Counter(c["mark"] for c in result["cells"] if c["mark"] != "not in the paper")
    return f"{marks.total()} cells: " + ", ".join(f"{marks[m]} {m}" for m in SIGNS if m != "not in the paper")


def legend(result: Result) -> str:
    """The marks' rules."""
    rules = "; ".join(f"{SIGNS[name]} {name}: {rule}" for name, rule in result["marks"].items())
    few = " With fewer than 8 repetitions the spread is underestimated." if result["repetitions"] < 8 else ""
    return f"div: RMSE above 150. {rules}.{few}"


def grid_headings(first: str) -> list[str]:
    """The first column's, and one a problem and discount."""
    return [first, *(f"{problem}, γ = {gamma_text(gamma)}" for problem, gamma in COLUMNS)]


def grid_rows(result: Result) -> list[list[str]]:
    """One row a learner, ``ours (paper) mark`` in each column."""
    at = {(c["learner"], c["problem"], c["gamma_exact"]): c for c in result["cells"]}
    cells = {name: [at[name, *column] for column in COLUMNS] for name in LEARNERS}
    return [
        [TITLES[name], *(f"{number(c['rmse'])} ({printed(c)}) {SIGNS[c['mark']]}" for c in row)]
        for name, row in cells.items()
    ]


def printed(c: dict[str, Any]) -> str:
    """The paper's number, or a dash."""
    return "–" if c["mark"] == "not in the paper" else number(c["paper"])


def number(value: float | None) -> str:
    """One decimal as in the paper, two below a tenth; div for None."""
    if value is None:
        return "div"
    return f"{value:.1f}" if value >= 0.095 or value < 0.005 else f"{value:.2f}"


def explanations(result: Result | None, expected: Result | None = None) -> list[str]:
    """What the paper's numbers cannot be, and what ours are: paragraphs whose numbers are computed."""
    pairs = [p for p in impossible_pairs() if not p["possible"]]
    shown = " and ".join(
        f"{TITLES[p['learner']]} {p['paper_baird']:g} / {p['paper_baird_reward']:g}, a ratio of {p['least_ratio']:.1f}"
        for p in pairs
    )
    found = [
        "**GTD2 and TDC on Baird at γ = .99.** On both Baird problems ρ times the Bellman residual of v_π is 0 on "
        "every move, so for independent starts from N(0, 100²) and any setting RMSE(Baird-Reward) ≤ "
        f"√({pairs[0]['bound_squared']})·RMSE(Baird) = {pairs[0]['bound']:.3f}·RMSE(Baird) in expectation. The paper's "
        f"pairs ({shown}) are impossible under its stated protocol."
    ]
    etd = [c for c in (expected or {"cells": []})["cells"] if c["trace"] is not None]
    if etd:
        where = "; ".join({c["problem"]: f"{c['problem']}: γ < {c['trace']['gamma_threshold']}" for c in etd}.values())
        found.append(
            f"**ETD's cells are draws.** The variance of its trace F ← γρF + 1 is finite only for small γ ({where}), "
            "and every moment of its error grows without bound (`extra-etd-moments`), though paths may converge: "
            "repeating the protocol gives other numbers."
        )
    lucky = [_lucky(c) for c in (expected or {"cells": []})["cells"] if _heavy(c["at_simulated"])]
    if lucky:
        found.append(
            "**Tuning on few seeds looks for luck.** Where the tail is heavy the mean of few squares lies far below "
            f"its expectation, and tuning goes there: {'; '.join(lucky)}."
        )
    if result is not None and any(c["learner"] == "tdrc" for c in result["cells"]):
        found.append(
            "**TDRC** (Ghiassian et al., 2020) is not in the paper. Its row has the textbook's auxiliary update and "
            "its own β, as GTD2 and TDC have here; as published it has ρδ − wᵀφ and β = α (`--readings`)."
        )
    return found


def expected_grid(result: Result) -> list[list[str]]:
    """One row a learner: ``expected (paper) mark`` in each column."""
    rows: dict[str, list[str]] = {}
    for c in result["cells"]:
        best = "–" if c["best"] is None else number(_seen(c["best"]["rmse"]))
        rows.setdefault(TITLES[c["learner"]], []).append(f"{best} ({printed(c)}) {EXPECTED_SIGNS[c['mark']]}")
    return [[name, *cells] for name, cells in rows.items()]


def expected_rows(result: Result) -> list[list[str]]:
    """One row a cell under `DETAIL_HEADINGS`."""
    rows = []
    for c in result["cells"]:
        sampled = "–" if c["simulated"] is None else number(c["simulated"]["rmse"])
        best, there = _described(c["best"]), _described(c["at_simulated"])
        name = [TITLES[c["learner"]], c["problem"], f"{c['gamma']:g}"]
        mark = f"{EXPECTED_SIGNS[c['mark']]} {c['mark']}"
        rows.append([*name, *best, sampled, there[1], there[0], *there[2:], printed(c), mark])
    return rows


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
        f"about 1e-11); {chain}. Of the paper's cells {expected_headline(result)}."
    )


def expected_legend(result: Result) -> str:
    """The marks' rules."""
    used = {c["mark"] for c in result["cells"]}
    rules = "; ".join(f"{EXPECTED_SIGNS[m]} {m}: {rule}" for m, rule in result["marks"].items() if m in used)
    return f"{rules}. Tail: light where ρ₄ < 1, heavy where ρ₂ < 1 ≤ ρ₄, infinite where ρ₂ ≥ 1; radii per move."


def _heavy(there: dict[str, Any] | None) -> bool:
    return there is not None and there.get("tail") in ("heavy", "infinite")


def _lucky(c: dict[str, Any]) -> str:
    name = f"{TITLES[c['learner']]} {c['problem']} {c['gamma']:g}"
    expected = _large(c["at_simulated"]["rmse"])
    return f"{name} sampled {number(c['simulated']['rmse'])}, expected {expected} ({c['at_simulated']['tail']} tail)"


def _described(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return ["–"] * 5
    if "reason" in found:
        return ["–", _setting(found["setting"]), "–", "–", found["reason"]]
    radii = (_radius(found["rho2"]), _radius(found["rho4"]))
    return [_large(found["rmse"]), _setting(found["setting"]), *radii, found["tail"] or "–"]


def _radius(x: float) -> str:
    """Beside 1 its distance tells."""
    if abs(x - 1) >= 1e-4:
        return f"{x:.5f}"
    # A minus, not a hyphen, at which pages break lines.
    return f"1 {'−' if x < 1 else '+'} {abs(x - 1):.1e}".replace("e-0", "e−").replace("e-", "e−")


def _setting(setting: dict[str, float]) -> str:
    """``α = 0.0248, β = 0.0031``."""
    names = {"alpha": "α", "beta": "β", "window": "T"}
    return ", ".join(f"{names.get(name, name)} = {value:.3g}" for name, value in setting.items() if name != "lambda_")


def _seen(value: float | None) -> float | None:
    """As divergent above 150, as the table has it."""
    return None if value is None or value > DIVERGENT else value


def _large(value: float | None) -> str:
    """Three digits, or a power of ten."""
    if value is None:
        return "∞"
    return (
        "0" if value < 5e-4 else f"{value:.3g}" if value < 1000 else f"{value:.0f}" if value < 1e5 else f"{value:.1e}"
    )


def _detail(c: dict[str, Any]) -> list[str]:
    r = c["repetitions"]
    return [
        TITLES[c["learner"]], c["problem"], f"{c['gamma']:g}", number(c["rmse"]), printed(c),
        f"{SIGNS[c['mark']]} {c['mark']}", " – ".join(map(_large, c["ci95"])), _large(c["median_over_seeds"]),
        _large(c["trimmed"]), f"{c['diverged_seeds']} of {c['seeds']}",
        f"{_large(r['min'])}, {_large(r['max'])}, {r['share_divergent']:.0%}", _large(c["tuning_rmse"]),
        _setting(c["config"]),
    ]  # fmt: skip


def _tried(result: Result) -> list[str]:
    rows = [
        [TITLES[c["learner"]], c["problem"], f"{c['gamma']:g}", printed(c), r["reading"], number(r["rmse"])]
        for c in result["cells"]
        for r in [{"reading": "default", "rmse": c["rmse"]}, *c["readings"]]
        if c["readings"]
    ]
    if not rows:
        return []
    return ["## Other readings", markdown_table(["learner", "problem", "γ", "paper", "reading", "ours"], rows)]


def gamma_text(text: str) -> str:
    """``99/100`` as ``0.99``."""
    return f"{float(Fraction(text)):g}"
