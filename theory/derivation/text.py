"""A derivation as a page of lines: definitions, fixed points, the chain, all heads, thresholds; then the table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from theory.derivation.derive import Derivation
from theory.derivation.forms import GAMMA, LAMBDA
from theory.derivation.iteration import Row
from theory.derivation.notation import entry_text, matrix_lines, unicode_text, vector_text
from theory.problems.numbers import show_number
from theory.thresholds.words import stable_text, unbiased_text


def lines(found: Derivation) -> Iterator[str]:
    """The page, without the table."""
    f, problem = found.forms, found.problem
    yield f"{problem.name}  {problem.summary}"
    yield ""
    small = problem.n_features <= 4
    for name, matrix in (("X", f.X), ("Y", f.Y), ("A(γ)", f.A), ("B = γX⁻¹Y", GAMMA * f.R)):
        if small:
            yield from named(name, matrix)
    if not small:
        yield f"X, Y, A(γ) and B are {problem.n_features}×{problem.n_features}: --json and --latex print them"
    yield f"b = {vector_text(f.b)}"
    yield f"det(λ − A) = {product(f.td_spectrum)}"
    yield f"det(λ − B) = {product(f.chain_spectrum)}"
    yield ""
    yield f"θ_π(γ) = {vector_text(f.theta_pi)}"
    if f.theta_mu is not None:
        yield f"θ_μ(γ) = {vector_text(f.theta_mu)}"
    yield f"v_π(γ) = {vector_text(f.v_pi)}"
    yield ""
    yield from chain(found)
    yield ""
    yield from heads(found)
    yield ""
    yield from discounts(found)


def chain(found: Derivation) -> Iterator[str]:
    """θᵏ, its bias, its values."""
    f = found.forms
    if found.powers is not None:
        form, since = found.powers
        where = f" and k ≥ {since}" if since else ""
        if found.problem.n_features == 1:
            yield f"θᵏ − θ_π = {_factor(form[0])}(θ⁰ − θ_π)   for every θ⁰{where}"
        else:
            yield f"θᵏ − θ_π = Bᵏ(θ⁰ − θ_π) for every θ⁰{where}, with"
            yield from named("Bᵏ", form)
    else:
        yield "θᵏ − θ_π = γᵏ(X⁻¹Y)ᵏ(θ⁰ − θ_π) for every θ⁰"
    start = f.start if isinstance(f.start, str) else "(" + ", ".join(str(x) for x in f.start) + ")"
    start = {"zero": "0", "behaviour": "θ_μ"}.get(start, start)
    yield f"From θ⁰ = {start}{f' and for k ≥ {f.valid_from}' if f.valid_from else ''}:"
    yield f"    θᵏ(γ) = {vector_text(f.theta_k)}"
    yield f"    θᵏ − θ_π = {vector_text(f.bias)}"
    yield f"    vᵏ = Φθᵏ = {vector_text(f.values)}"
    yield f"    vᵏ − v_π = {vector_text(f.value_error)}"
    left = "0: Φθ_π = v_π" if not any(f.value_limit) else vector_text(f.value_limit)
    yield f"    limit of vᵏ − v_π where the chain is unbiased: {left}"
    exact = found.radius.exact
    rate = f"{exact!s}·γ" if exact is not None else f"{float(found.radius.high):.6g}·γ (certified, no exact form)"
    yield f"    rate: the bias shrinks by ρ(B) = {'γ' if exact is not None and exact == 1 else rate} a head"
    if found.at_singular is not None:
        form, since_k = found.at_singular
        where = f"γ = {show_number(found.problem.given.gamma)}"
        yield f"At {where} A is singular and these forms have a pole; there, for k ≥ {since_k}:"
        yield f"    θᵏ = {vector_text(form)}"


def heads(found: Derivation) -> Iterator[str]:
    """M, M⁻¹, det(λ − M), G_T."""
    last = found.last
    if found.M is None or found.joint_polynomial is None:
        yield "M needs the behaviour's own transitions, and only its distribution is known"
    else:
        if found.M.rows <= 6:
            yield from named(f"M of the heads 0..{last}", found.M)
        if found.M_inverse is not None and found.M_inverse.rows <= 6:
            yield from named("M⁻¹", found.M_inverse)
        else:
            note = "--json prints it" if found.M_inverse is not None else "X is singular, or it is too large to write"
            yield f"M⁻¹: blocks (M⁻¹)_k0 = BᵏA_μ⁻¹ and (M⁻¹)_kj = Bᵏ⁻ʲX⁻¹ for k ≥ j ≥ 1; {note}"
        factors = "·".join(f"({in_lambda(p)}){_raised(m)}" for p, m in found.joint_polynomial)
        yield f"det(λ − M) = {factors}"
    if found.problem.n_features <= 3:
        yield from named(f"G_T at T = {found.window}, α = {found.alpha}", found.G_T.applyfunc(_short))


def discounts(found: Derivation) -> Iterator[str]:
    """Where TD is stable and the chain unbiased."""

    def end(threshold: Any) -> str:
        if threshold.exact is None:
            return f"{threshold.text}…"
        exact = str(threshold.exact)
        return exact if len(exact) < 40 else f"root ≈ {threshold.text}"

    yield f"TD is stable for γ in {stable_text(found.td_intervals, end)}"
    yield f"The chain is unbiased for {unbiased_text(found.chain_threshold, end)}"


def named(name: str, matrix: sympy.Matrix) -> Iterator[str]:
    """``name = [..]`` over as many lines as there are rows."""
    rows = matrix_lines(matrix)
    for i, row in enumerate(rows):
        yield (f"{name} = " if i == 0 else " " * (len(name) + 3)) + row


def product(factors: Any) -> str:
    """A factored characteristic polynomial."""
    return "·".join(f"({in_lambda(s.polynomial)}){_raised(s.multiplicity)}" for s in factors) or "1"


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table as texts: form, k, α, steps, closed form, iterate, predicted and measured error, mark."""
    if row.iterated is None:
        return (row.form, "", "", "", _numbers(row.closed), "–", "–", "–", "–")
    mark = "✓" if row.ok else "✗"
    return (
        row.form, "" if row.k is None else str(row.k), _alpha(row), f"{row.steps:,}", _numbers(row.closed),
        _numbers(row.iterated), f"{row.predicted_error:.3e}", f"{row.error:.3e}", mark,
    )  # fmt: skip


def _alpha(row: Row) -> str:
    assert row.alpha is not None
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

    >>> in_lambda(2 * LAMBDA**2 + 4 * GAMMA * LAMBDA - 6 * LAMBDA + 2)
    'λ² + (2γ − 3)λ + 1'
    """
    poly = sympy.Poly(polynomial, LAMBDA)
    if poly.LC().is_number:
        poly = sympy.Poly(polynomial / poly.LC(), LAMBDA)
    out = ""
    for (power,), c in poly.terms():
        letter = {0: "", 1: "λ"}.get(power, f"λ{_raised(power)}")
        text = unicode_text(sympy.expand(c))
        sign, text = (" − ", text[1:]) if text.startswith("−") and not c.is_Add else (" + ", text)
        if letter and c.is_Add:
            text = f"({text})"
        text = (
            letter
            if letter and text == "1"
            else text + ("" if text.isdigit() or not letter or c.is_Add else "·") + letter
        )
        out += (("−" if sign == " − " else "") if not out else sign) + text
    return out


def _raised(multiplicity: int) -> str:
    return "" if multiplicity == 1 else str(multiplicity).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _short(x: sympy.Expr) -> sympy.Expr:
    """Long fractions as decimals: G_T's numerators have T times the digits of α."""
    return x if sympy.count_ops(x) < 6 and len(str(x)) <= 24 else sympy.N(x, 5)
