r"""Counterexamples with all their numbers: exact matrices, thresholds, verdicts and what certifies them.

`example` makes plain data of one problem of the catalogue, `example_section` a section: Φ, P_π and d_μ, then

    A = ΦᵀD(I − γP)Φ    and    X⁻¹Y,    or ΠP, with the same nonzero spectrum, where X is singular.

The catalogue is a table and a page of all of them: on which side each falls, and at which discounts it flips.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from theory.certified.verdicts import Verdict
from theory.exact.matrices import matrix as exact_matrix
from theory.experiments.inspection import inspect_problem
from theory.linear.spectra import chain_radius
from theory.model.linear_model import exact_moments
from theory.model.points import projection
from theory.problems import Problem
from theory.problems.catalogue import Entry, catalogue, catalogue_problem
from theory.report.markdown import display, inline, link, plain, slug
from theory.text.tables import markdown_table
from theory.text.words import word
from theory.thresholds.results import Threshold

KOLTER = "kolter:p=7147/10000"  # at its default p nothing fails
# The paper's three, the classics, one of each quadrant, and the three that mark a boundary.
SHOWN = (
    "twostate", "threestate", "baird", "tsitsiklis-van-roy", KOLTER, "quadrant-stable-unbiased",
    "quadrant-unstable-biased", "quadrant-stable-biased", "quadrant-unstable-unbiased", "finite-window",
    "complex-cycle", "transient-bias",
)  # fmt: skip
LONGEST, SHORT = 90, 20  # characters of an exact number in a line, and in a cell
DIGITS = 10  # of a threshold
EVERY = inline(r"\gamma \in [0, 1)")
Example = dict[str, Any]


def examples() -> list[Example]:
    """Every entry of the catalogue, and those in `SHOWN` at other parameters; what is shown has its matrices."""
    entries = catalogue()
    others = [name for name in SHOWN if name not in entries]
    return [example(entry, entry.name) for entry in entries.values()] + [
        example(entries[name.partition(":")[0]], name) for name in others
    ]


def example(entry: Entry, name: str) -> Example:
    """Verdicts, thresholds and certificates of the problem called `name`, an entry with or without parameters."""
    problem = catalogue_problem(name)
    found = inspect_problem(problem)
    ends = [[_threshold(end) for end in pair] for pair in found.td_intervals.intervals]
    return {
        "name": name,
        "entry": entry.name,
        "title": entry.title,
        "source": entry.source,
        "famous_for": entry.famous_for,
        "parameters": {k: [str(p.default), p.meaning] for k, p in entry.parameters.items()},
        "states": problem.n_states,
        "features": problem.n_features,
        "rank": found.rank,
        "gamma": str(problem.given.gamma),
        "quadrant": found.quadrant,
        "td": _verdict(found.td),
        "td_intervals": ends,
        "chain": _verdict(found.chain),
        "chain_threshold": _threshold(found.chain_threshold),
        "rho": chain_radius(problem),
        "matrices": _matrices(problem) if name in SHOWN else None,
    }


def example_section(e: Example) -> str:
    """A section of the report."""
    m = e["matrices"]
    given = [rf"\Phi = {matrix(m['Phi'])}", rf"P_\pi = {matrix(m['P_pi'])}"]
    if any(x != "0" for x in m["r_pi"]):
        given.append(rf"r_\pi = {matrix([[x] for x in m['r_pi']])}")
    same = len(set(m["d_mu"])) == 1
    column = rf"{number(m['d_mu'][0])}\,\mathbf{{1}}" if same else matrix([[x] for x in m["d_mu"]])
    given.append(rf"d_\mu = {column}")
    derived = [rf"A = {matrix(m['A'])}"]
    derived.append(rf"X^{{-1}}Y = {matrix(m['B'])}" if m["B"] else rf"\Pi P_\pi = {matrix(m['PiP'])}")
    size = f"{e['states']} states, {e['features']} feature{'s' if e['features'] > 1 else ''}"
    if e["rank"] < e["features"]:
        size += f" of rank {e['rank']} (X is singular, so ΠP stands for X⁻¹Y)"
    lines = [
        f"- **Quadrant:** {quadrant(e)}",
        f"- **Off-policy TD** is stable for {td_range(e)}. {_how(e['td'])}",
        f"- **Chained TD** is unbiased for {chain_range(e)}. {_how(e['chain'])}",
        f"- **Source:** {plain(e['source'])}. Again: `theory inspect {e['name']}`",
    ]
    gamma = inline(rf"\gamma = {number(e['gamma'], flat=True)}")
    head = f"{plain(e['title'])}; {size}, {gamma}. {plain(e['famous_for'])}"
    formulas = (display(r", \quad ".join(letters)) for letters in (given, derived))
    return "\n\n".join([f"### {example_heading(e['name'])}", head, *formulas, "\n".join(lines)])


def example_heading(name: str) -> str:
    """The heading of its section."""
    return f"Example {name}"


def quadrant(e: Example) -> str:
    """TD unstable, chain unbiased."""
    td, chain = (part.split("-", 1)[1] for part in e["quadrant"].split("/"))
    return f"TD {td}, chain {chain}"


def td_range(e: Example, *, short: bool = False) -> str:
    """The discounts for which TD is stable, as formulas with decimals."""
    if not e["td_intervals"]:
        return "discounts that were not computed"
    parts = [_interval(low, high, first=i == 0, short=short) for i, (low, high) in enumerate(e["td_intervals"])]
    return " and ".join(parts)


def thresholds(e: Example) -> str:
    """How the discounts are known at which it flips: as algebraic numbers, or between certified verdicts."""
    ends = [end for pair in e["td_intervals"] for end in pair] + [e["chain_threshold"]]
    if not e["td_intervals"]:
        return "not computed"
    return "bracketed" if any(end["bracketed"] for end in ends) else "exact"


def chain_range(e: Example, *, short: bool = False) -> str:
    """The discounts for which the chain is unbiased."""
    end = e["chain_threshold"]
    if end["low"] is None or end["low"] >= 1:
        return "every γ" if short else f"every {EVERY}"
    return _below(end, short)


def _interval(low: dict[str, Any], high: dict[str, Any], *, first: bool, short: bool) -> str:
    if first and high["value"] == 1:
        return "every γ" if short else f"every {EVERY}"
    if first:
        return _below(high, short)
    left = inline(rf"\gamma > {low['value'] if low['value'] is not None else low['high']:.6f}")
    return f"{left} with {_below(high, short)}"


def _below(end: dict[str, Any], short: bool) -> str:
    """γ < 5/6 ≈ 0.8333333333, a root of degree three or more in words; `short`, one of the two."""
    exact = end["exact"] or ""
    if end["value"] is None:
        return inline(rf"\gamma \le {end['low']:.6f}") + " at least"
    if short:
        brief = algebraic(exact) if exact and len(exact) <= SHORT else rf"{end['value']:.6f}\ldots"
        return inline(rf"\gamma < {brief}")
    if exact.startswith("root of "):
        polynomial, _, interval = exact.removeprefix("root of ").partition(" in ")
        about = inline(rf"\gamma < {end['decimal']}\ldots")
        return f"{about}, the root of {inline(algebraic(polynomial))} in {plain(interval)}"
    if not exact:
        return inline(rf"\gamma < {end['decimal'] or format(end['value'], '.6f')}\ldots")
    sign = "=" if end["finite"] else "≈"
    below = inline(rf"\gamma < {algebraic(exact)}")
    return f"{below} {sign} {end['decimal']}"


def _how(verdict: dict[str, Any]) -> str:
    evidence = f"certificate of kind *{verdict['kind']}*, re-checked" if verdict["kind"] else "no certificate"
    return f"Here: {plain(verdict['reason'])} ({verdict['method']}; {evidence})."


def _verdict(verdict: Verdict) -> dict[str, Any]:
    certificate = verdict.certificate
    good = certificate is not None and certificate.recheck()
    return {
        "holds": verdict.holds.json,
        "reason": verdict.reason,
        "method": verdict.method,
        "kind": verdict.evidence.kind if verdict.evidence is not None and good else None,
    }


def _threshold(end: Threshold) -> dict[str, Any]:
    """Exact text where it is short, and decimals of which every digit is certain."""
    low, high = (None if x is None else float(Fraction(int(x.p), int(x.q))) for x in (end.low, end.high))
    if end.exact is None:
        bracketed = end.low is not None and end.low < 1
        known = {"low": low, "high": high, "value": end.value, "bracketed": bracketed}
        return {"exact": None, "decimal": None, "finite": False, **known}
    exact, decimal = str(end.exact), end.exact.decimal(DIGITS)
    finite = end.exact == Fraction(decimal)
    return {
        "exact": exact if len(exact) <= LONGEST else None,
        "decimal": decimal.rstrip("0").rstrip(".") if finite else decimal,
        "finite": finite,
        "low": low,
        "high": high,
        "value": end.value,
        "bracketed": False,
    }


def _matrices(problem: Problem) -> dict[str, Any]:
    given, m = problem.exact, exact_moments(problem)
    singular = m.X.rank() < m.X.nrows()
    PiP = projection(problem) * exact_matrix(given.P_pi)
    return {
        "Phi": _text(given.Phi.tolist()),
        "P_pi": _text(given.P_pi.tolist()),
        "d_mu": [str(x) for x in given.d_mu],
        "r_pi": [str(x) for x in given.r_pi],
        "A": _text(m.A.tolist()),
        "B": None if singular else _text(m.X.solve(m.Y).tolist()),
        "PiP": _text(PiP.tolist()),
    }


def _text(rows: list[list[Any]]) -> list[list[str]]:
    return [[str(x) for x in row] for row in rows]


HEAD = """\
# The catalogue

Written by `theory report`. Verdicts are certified. “Exact” thresholds are algebraic numbers, given by a short
form or by decimals of which every digit is certain; “bracketed” ones lie between two certified verdicts. `theory
inspect NAME` shows one problem with its spectra and fixed points.
"""


def catalogue_page(examples: list[Example]) -> str:
    """Markdown of its own."""
    return "\n".join([HEAD, catalogue_table(examples), "", *(_story(e) for e in _named(examples))])


def catalogue_table(examples: list[Example], page: str = "") -> str:
    """One line a problem; its name links to its section: in the report where it is shown there, or on `page`."""
    rows = [
        [
            link(example_heading(e["name"]), f"`{e['name']}`")
            if page and e["name"] in SHOWN
            else f"[`{e['name']}`]({page}#{slug(e['name'])})",
            f"{e['states']}\u00a0×\u00a0{e['features']}" + (f", rank {e['rank']}" if e["rank"] < e["features"] else ""),
            e["gamma"],
            word("td", e["td"]["holds"]),
            td_range(e, short=True),
            word("chain", e["chain"]["holds"]),
            chain_range(e, short=True),
            thresholds(e),
        ]
        for e in _named(examples)
    ]
    return markdown_table(
        ["problem", "S × F", "γ", "TD", "TD stable for", "chain", "chain unbiased for", "thresholds"], rows
    )


def _named(examples: list[Example]) -> list[Example]:
    """Those of the catalogue at their defaults."""
    return [e for e in examples if e["name"] == e["entry"]]


def _story(e: Example) -> str:
    parameters = ", ".join(f"`{k}` = {default} ({plain(meaning)})" for k, (default, meaning) in e["parameters"].items())
    return (
        f"## {e['name']}\n\n{plain(e['title'])}. {plain(e['famous_for'])}\n\n"
        f"- Source: {plain(e['source'])}\n"
        f"- Off-policy TD: {plain(e['td']['reason'])} ({e['td']['method']})\n"
        f"- Chained TD: {plain(e['chain']['reason'])} ({e['chain']['method']})\n"
        f"- Parameters: {parameters}\n"
    )


def number(value: Any, *, flat: bool = False) -> str:
    r"""``\tfrac{9}{10}``, the sign in front; `flat`, for lines of text, 9/10.

    >>> print(number(Fraction(-9, 10)), number("3"), number("9/10", flat=True))
    -\tfrac{9}{10} 3 9/10
    """
    x = Fraction(value)
    if flat or x.denominator == 1:
        return str(x)
    return rf"{'-' if x < 0 else ''}\tfrac{{{abs(x.numerator)}}}{{{x.denominator}}}"


def matrix(rows: Sequence[Sequence[Any]]) -> str:
    r"""A matrix in round brackets; one entry stands for itself.

    >>> print(matrix([["1", "-1/2"]]))
    \begin{pmatrix} 1 & -\tfrac{1}{2} \end{pmatrix}
    """
    if len(rows) == len(rows[0]) == 1:
        return number(rows[0][0])
    body = r" \\ ".join(" & ".join(number(x) for x in row) for row in rows)
    return rf"\begin{{pmatrix}} {body} \end{{pmatrix}}"


def algebraic(exact: str) -> str:
    r"""A fraction, a surd or a polynomial for a line of text, from the text of `theory.exact.algebraic`.

    >>> print(algebraic("15/17"), algebraic("(-25+5*sqrt(1001))/2"))
    15/17 (-25+5\sqrt{1001})/2
    >>> print(algebraic("x^3 - 2*x"))
    x^{3} - 2x
    """
    text = re.sub(r"sqrt\((\d+)\)", r"\\sqrt{\1}", exact)
    return re.sub(r"\^(\d+)", r"^{\1}", text).replace("*", "")
