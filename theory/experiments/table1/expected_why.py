"""What the expectations say about the paper's numbers and about ours, in words whose numbers are computed."""

from __future__ import annotations

from math import inf
from typing import Any

from theory.experiments.table1.expected import RATIOS
from theory.experiments.table1.expected_text import large, radius, seen, setting_text
from theory.experiments.table1.paper import PUBLISHED, TITLES
from theory.experiments.table1.text import number, printed

Result = dict[str, Any]
_SHORT = {
    "default": "ρ(δ − wᵀφ), the default",
    PUBLISHED[0]: "ρδ − wᵀφ",
    PUBLISHED[1]: "ρδ − wᵀφ and β = α",
    "auxiliary weights as in 2009, no ratio on φ": "no ratio on the first term",
}


def expected_explained(result: Result) -> dict[str, str]:
    """What the expectations say about the table, by topic; every number is computed."""
    parts = {
        "luck": _lucky(result),
        "tdc": _correct(result),
        "etd": _emphatic(result),
        "start": _starts(result),
        "readings": _ratios(result),
        "concurrent": _heads(result),
        "sequential": _sequential(result),
    }
    return {topic: part for topic, part in parts.items() if part}


def expected_explanations(result: Result) -> list[str]:
    """The same without the topics."""
    return list(expected_explained(result).values())


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
            f"{large(there['rmse'])} is expected (ρ₂ = {radius(there['rho2'])}, ρ₄ = {radius(there['rho4'])}, "
            f"{there['tail']}), and {number(seen(c['best']['rmse']))} at the best setting; paper {printed(c)}"
        )
    if not found:
        return ""
    return (
        "**Tuning on few seeds looks for luck.** A mean of squares over few seeds lies far below its expectation where "
        "the tail is heavy, so the least sampled mean is found there. These sampled cells are at settings with heavy "
        f"or infinite tails: {'; '.join(found)}. Where the expectation there is far above the sample, that is luck, "
        "and the least expectation of the grid is what the learner is worth."
    )


def _correct(result: Result) -> str:
    """TDC at γ = .9: whether the paper's number is what the learner is worth, and what sampling made of it."""
    said = []
    for problem in ("baird", "baird-reward"):
        c = _find(result, "tdc", problem, "9/10")
        if c is None:
            continue
        right = "which is the paper's number" if c["mark"] == "agrees" else "which the paper's number is not"
        text = (
            f"on {problem} the least expectation of the grid is {large(c['best']['rmse'])} "
            f"({setting_text(c['best']['setting'])}), {right}, {number(c['paper'])}"
        )
        there = c["at_simulated"]
        if there is not None and there.get("tail") is not None:
            sampled = "div" if c["simulated"]["diverged"] else large(c["simulated"]["rmse"])
            text += f"; our tuning chose {setting_text(there['setting'])} and sampled {sampled}, where {_worth(there)}"
        said.append(text)
    return f"**TDC at γ = .9.** {_sentence('. '.join(map(_sentence, said)))}." if said else ""


def _worth(there: dict[str, Any]) -> str:
    """What a setting is worth, and whether a sample of it can be trusted."""
    ruled = {
        "light": "the tail is light, so that samples lie near it",
        "heavy": "the tail is heavy, so that most samples lie below it",
        "infinite": "the expectation grows without bound: a sample far below it is luck",
    }
    return f"{large(there['rmse'])} is expected and, ρ₂ being {radius(there['rho2'])}, {ruled[there['tail']]}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _emphatic(result: Result) -> str:
    etd = [c for c in result["cells"] if c["trace"] is not None and c["learner"] == "etd"]
    if not etd:
        return ""
    where = {c["problem"]: c["trace"]["gamma_threshold"] for c in etd}
    known = "; ".join(f"{problem}: γ below {bound}" for problem, bound in where.items())
    infinite = sum(not c["trace"]["finite"] for c in etd)
    index = " / ".join("∞" if c["trace"]["tail_index"] is None else f"{c['trace']['tail_index']:.4g}" for c in etd)
    return (
        "**ETD's cells are draws.** Its moments do not close (the trace multiplies what it meets), but those of the "
        f"trace F ← γρF + 1 do: E[F²] is bounded exactly there: {known}. So it is infinite in {infinite} of {len(etd)} "
        f"columns. The trace's tail index, below which moments are bounded, is there {index} (in floats). Where π has "
        "a state that it never leaves and μ does, *every* moment of the error grows without bound, for almost every α "
        "(`extra-etd-moments`), though paths may converge. A mean of squares over 100 seeds has then nothing to "
        "estimate: repeating the protocol gives other numbers."
    )


def _heads(result: Result) -> str:
    shown = []
    for c in result["cells"]:
        if c["learner"] != "chained-concurrent" or c["best"] is None or seen(c["best"]["rmse"]) == 0:
            continue
        far = ", ".join(f"{k}: {large(x)}" for k, x in c["best"]["long_run"] if k >= 8)
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
            least.append(number(seen(c["best"]["rmse"])))
    if not said:
        return ""
    return (
        "**No scale of the start explains γ = .99.** Every setting's expected square is σ²a + b in the scale σ of the "
        "start, so the least of the grid grows with σ; the σ at which it is the paper's number: "
        f"{'; '.join(said)} (the paper says σ = 100, where it is {' / '.join(least)}). No one σ gives all of them."
    )


def _ratios(result: Result) -> str:
    """The readings of where the ratio stands, which is the default, and what each is worth."""
    rows: dict[tuple[str, str], list[str]] = {}
    for c in result["cells"]:
        if c["learner"] in RATIOS:
            rows.setdefault((c["learner"], "default"), []).append(large(c["best"]["rmse"]))
    for r in result["readings"]:
        rows.setdefault((r["learner"], r["reading"]), []).append(large(r["rmse"]))
    if not rows:
        return ""
    shown = "; ".join(
        f"{TITLES[learner]}, {_SHORT.get(name, name)}: {' / '.join(values)}" for (learner, name), values in rows.items()
    )
    tdrc = [c for c in result["cells"] if c["learner"] == "tdrc"]
    rivals = [c for c in result["cells"] if c["learner"] in ("gtd2", "tdc") and c["best"] is not None]
    beaten = sum(all(_below(c, other) for other in rivals if _column(other) == _column(c)) for c in tdrc)
    row = f" TDRC is not in the paper; its row is at most GTD2's and TDC's in {beaten} of {len(tdrc)} columns."
    return (
        "**Where the ratio stands.** Three public conventions of GTD2 differ in it: auxiliary weights by ρ(δ − wᵀφ) "
        "(the textbook's), by ρδ − wᵀφ (2009), and by that with no ratio on the first term of the main update (the "
        "λ-forms at λ = 0); TDRC was published with ρδ − wᵀφ and β = α. All have the same mean update, because "
        "E_μ[ρ | s] = 1, hence the same fixed points; their noise differs. The default is the textbook's, for GTD2, "
        "TDC and TDRC alike, because the paper names no convention, the textbook is the common reference, and so the "
        "three rows differ in one thing only. Least expectations in the six columns: "
        f"{shown}." + (row if tdrc and rivals else "")
    )


def _below(c: dict[str, Any], other: dict[str, Any]) -> bool:
    return bool(_number(c) <= _number(other) + 5e-4)


def _number(c: dict[str, Any]) -> float:
    return inf if c["best"]["rmse"] is None else float(c["best"]["rmse"])


def _column(c: dict[str, Any]) -> tuple[str, str]:
    return c["problem"], c["gamma_exact"]


def _sequential(result: Result) -> str:
    c = _find(result, "chained-sequential", "threestate", "99/100")
    if c is None or c["best"] is None:
        return ""
    best = c["best"]
    return (
        f"**Sequential chains.** The least expectation on Threestate at γ = .99 is {best['rmse']:.2g} "
        f"({setting_text(best['setting'])}), by starting over from head 1 after the last (wrap); the paper prints "
        f"{number(c['paper'])}. A chain that stops after its last head has {large(best['stopped'])} at best."
    )
