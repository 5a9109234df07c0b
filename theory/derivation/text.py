"""A derivation as a page of lines: definitions, fixed points, the chain, all heads, thresholds; then the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import sympy

from theory.derivation.derive import MOST_JOINT, Derivation
from theory.derivation.forms import GAMMA, LAMBDA
from theory.derivation.iteration import Row
from theory.derivation.notation import LONGEST, entry_text, matrix_lines, unicode_text, vector_lines
from theory.problems.numbers import show_number
from theory.thresholds.results import stable_text, unbiased_text
from theory.views.page import Column, Page, dim, hanging, prose, table


def derivation_page(found: Derivation) -> Page:
    """The forms, and the table."""
    headings = ("form<", "k", Column("α", drop=3), Column("steps", drop=2))
    numbers = (Column("closed form", below=True), Column("iterate", below=True))
    errors = (Column("predicted ‖error‖", drop=1), "‖error‖", "")
    return Page(
        (
            *hanging("\n".join(lines(found))),
            prose(),
            prose(f"Against Richardson iteration at γ = {show_number(found.problem.given.gamma)}:"),
            table((*headings, *numbers, *errors), (cells(row) for row in found.rows)),
            *(prose(dim(f"{row.form}: {row.note}"), hang=2) for row in found.rows if row.note),
        )
    )


def lines(found: Derivation) -> Iterator[str]:
    """The page, without the table."""
    f, problem = found.forms, found.problem
    yield f"{problem.name}  {problem.summary}"
    yield ""
    inverse = "X⁻¹" if found.independent else "X⁺"
    for name, matrix in (("X", f.X), ("Y", f.Y), ("A(γ)", f.A), (f"B = γ{inverse}Y", GAMMA * f.R)):
        yield from matrix_lines(name, matrix)
    yield from vector_lines("b", f.b)
    yield f"det(λ − A) = {product((s.polynomial, s.multiplicity) for s in f.td_spectrum)}"
    yield f"det(λ − B) = {product((s.polynomial, s.multiplicity) for s in f.chain_spectrum)}{_reduced(found)}"
    yield ""
    yield from vector_lines("θ_π(γ)", f.theta_pi)
    if f.theta_mu is not None:
        same = f.theta_mu == f.theta_pi and any(f.theta_pi)
        yield from ["θ_μ(γ) = θ_π(γ)"] if same else vector_lines("θ_μ(γ)", f.theta_mu)
    yield from _unless_long(vector_lines("v_π(γ)", f.v_pi), None if any(f.value_limit) else "v_π(γ) = Φθ_π(γ)")
    yield ""
    yield from chain(found, inverse)
    yield ""
    yield from heads(found)
    yield ""
    yield from discounts(found)


def chain(found: Derivation, inverse: str) -> Iterator[str]:
    """θᵏ, its bias, its values."""
    if found.powers is not None:
        form, since = found.powers
        where = f" and k ≥ {since}" if since else ""
        if found.problem.n_features == 1:
            yield f"θᵏ − θ_π = {_factor(form[0])}(θ⁰ − θ_π)   for every θ⁰{where}"
        else:
            yield f"θᵏ − θ_π = Bᵏ(θ⁰ − θ_π) for every θ⁰{where}, with"
            yield from matrix_lines("Bᵏ", form)
    else:
        yield f"θᵏ − θ_π = γᵏ({inverse}Y)ᵏ(θ⁰ − θ_π) for every θ⁰"
    yield from _from_start(found)
    exact = found.radius.exact
    if exact is None:
        rate = f"{float(found.radius.high):.6g}·γ (certified, no exact form)"
    else:
        root = exact.sympy()
        closed = not root.has(sympy.CRootOf) and len(str(root)) < 60
        rate = unicode_text(root * GAMMA) if closed else f"{float(exact):.6g}·γ, algebraic of degree {exact.degree}"
    yield f"rate: in the long run every head multiplies the bias by ρ(B) = {rate}"
    if found.at_singular is not None:
        form, since_k = found.at_singular
        where = f"γ = {show_number(found.problem.given.gamma)}"
        yield f"At {where} A is singular and these forms have a pole; there, for k ≥ {since_k}:"
        yield from _indented(vector_lines("θᵏ", form))


def _from_start(found: Derivation) -> Iterator[str]:
    f = found.forms
    start = f.start if isinstance(f.start, str) else "(" + ", ".join(str(x) for x in f.start) + ")"
    start = {"zero": "0", "behaviour": "θ_μ"}.get(start, start)
    if not any(f.bias) and not any(f.theta_pi):
        ones = ",".join("1" * found.problem.n_features)
        yield f"From θ⁰ = {start} every head is 0 = θ_π, as there is no reward; try --start {ones}"
        return
    yield f"From θ⁰ = {start}{f' and for k ≥ {f.valid_from}' if f.valid_from else ''}:"
    shown = {"θᵏ(γ)": f.theta_k, "θᵏ − θ_π": f.bias, "vᵏ = Φθᵏ": f.values, "vᵏ − v_π": f.value_error}
    totals = {t.poly: None for x in shown.values() for t in x.atoms(sympy.RootSum)}
    sums = {poly: "f" if len(totals) == 1 else f"f{_lowered(i)}" for i, poly in enumerate(totals, 1)}
    for poly, name in sums.items():
        text = in_lambda(poly.as_expr())
        yield f"    with {name}(λ) = {text if len(text) <= LONGEST else f'⟨{len(text)} characters⟩'}"
    follows = {"vᵏ − v_π": None if any(f.value_limit) else "vᵏ − v_π = Φ(θᵏ − θ_π)"}
    for name, form in shown.items():
        yield from _indented(_unless_long(vector_lines(name, form, sums), follows.get(name)))
    if not any(f.value_limit):
        yield "    limit of vᵏ − v_π where the chain is unbiased: 0, since Φθ_π = v_π"
    else:
        yield from _indented(vector_lines("limit of vᵏ − v_π where the chain is unbiased", f.value_limit))


def heads(found: Derivation) -> Iterator[str]:
    """M, M⁻¹, det(λ − M), G_T."""
    last = found.last
    if found.M is None or found.joint_polynomial is None:
        yield "M needs the behaviour's own transitions, and only its distribution is known"
    else:
        if found.M.rows <= 6:
            yield from matrix_lines(f"M of the heads 0..{last}", found.M)
        if found.M_inverse is not None and found.M_inverse.rows <= 6:
            yield from matrix_lines("M⁻¹", found.M_inverse)
        elif found.independent:
            note = (
                "--json prints it"
                if found.M_inverse is not None
                else f"--heads {_few(found)} --json prints one of that size"
            )
            yield f"M⁻¹: blocks (M⁻¹)_k0 = BᵏA_μ⁻¹ and (M⁻¹)_kj = Bᵏ⁻ʲX⁻¹ for k ≥ j ≥ 1; {note}"
        else:
            yield "M has no inverse: features depend on each other, and X is singular"
        yield f"det(λ − M) = {product(found.joint_polynomial)}"
    if found.problem.n_features <= 3:
        yield from matrix_lines(f"G_T at T = {found.window}, α = {found.alpha}", found.G_T.applyfunc(_short))


def discounts(found: Derivation) -> Iterator[str]:
    """Where TD is stable and the chain unbiased."""

    def end(threshold: Any) -> str:
        if threshold.exact is None:
            return f"{threshold.text}…"
        return unicode_text(threshold.exact.sympy()) if threshold.exact.degree <= 2 else f"root ≈ {threshold.text}"

    yield f"TD is stable for γ in {stable_text(found.td_intervals, end)}"
    yield f"The chain is unbiased for {unbiased_text(found.chain_threshold, end)}"


def product(factors: Iterable[tuple[sympy.Expr, int]]) -> str:
    """A factored characteristic polynomial; equal factors together, λ before the others.

    >>> product([(LAMBDA - 1, 2), (LAMBDA, 1), (LAMBDA - 1, 1)])
    'λ·(λ − 1)³'
    """
    powers: Counter[sympy.Expr] = Counter()
    for polynomial, multiplicity in factors:
        powers[polynomial] += multiplicity
    parts = []
    for polynomial in sorted(powers, key=lambda p: p != LAMBDA):
        text, power = in_lambda(polynomial), raised(powers[polynomial])
        if len(text) > LONGEST:
            degree = sympy.degree(polynomial, LAMBDA)
            text = f"an irreducible factor of degree {degree}, ⟨{len(text)} characters⟩"
        alone = polynomial == LAMBDA or (len(powers) == 1 and not power)
        parts.append(text + power if alone else f"({text}){power}")
    return "·".join(parts) or "1"


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table as texts: form, k, α, steps, closed form, iterate, predicted and measured error, mark."""
    mark = "✓" if row.ok else "✗"
    return (
        row.form, "" if row.k is None else str(row.k), _alpha(row), f"{row.steps:,}", _numbers(row.closed),
        _numbers(row.iterated), f"{row.predicted_error:.3e}", f"{row.error:.3e}", mark,
    )  # fmt: skip


def _alpha(row: Row) -> str:
    text = str(row.alpha)
    return text if len(text) <= 8 else f"{float(row.alpha):.6g}"


def _numbers(vector: Any) -> str:
    shown = [f"{x:.8g}" for x in vector[:3]]
    return ", ".join(shown) + (", …" if len(vector) > 3 else "")


def _factor(x: sympy.Expr) -> str:
    text = entry_text(x)
    return text if x.is_Pow or x.is_Symbol else f"({text})"


def in_lambda(polynomial: sympy.Expr) -> str:
    """A polynomial by falling powers of λ, divided by its leading coefficient where that is a number.

    >>> in_lambda(2 * LAMBDA**2 + 4 * GAMMA * LAMBDA - 6 * LAMBDA + 2), in_lambda(3 * LAMBDA**2 - GAMMA * LAMBDA)
    ('λ² + (2γ − 3)λ + 1', 'λ² − (γ/3)λ')
    """
    poly = sympy.Poly(polynomial, LAMBDA)
    if poly.LC().is_number:
        poly = sympy.Poly(polynomial / poly.LC(), LAMBDA)
    out = ""
    for (power,), c in poly.terms():
        letter = {0: "", 1: "λ"}.get(power, f"λ{raised(power)}")
        negative = not c.is_Add and c.as_coeff_Mul()[0] < 0
        text = unicode_text(sympy.expand(-c if negative else c))
        if letter:
            text = "" if text == "1" else text if text.isdigit() else f"({text})"
        out += (("−" if negative else "") if not out else " − " if negative else " + ") + text + letter
    return out


def raised(n: int) -> str:
    """An exponent; nothing for 1."""
    return "" if n == 1 else str(n).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _lowered(n: int) -> str:
    return str(n).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _indented(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"    {text}" for text in texts)


def _unless_long(texts: list[str], instead: str | None) -> list[str]:
    """One line is shown as it is; more only where they do not follow from others."""
    return texts if len(texts) == 1 or instead is None else [instead]


def _reduced(found: Derivation) -> str:
    return "" if found.independent else "   on independent features"


def _few(found: Derivation) -> int:
    """The last head up to which M⁻¹ is written."""
    return max(0, MOST_JOINT // found.problem.n_features - 1)


def _short(x: sympy.Expr) -> sympy.Expr:
    """Long fractions as decimals: G_T's numerators have T times the digits of α."""
    return x if sympy.count_ops(x) < 6 and len(str(x)) <= 24 else sympy.N(x, 5)
