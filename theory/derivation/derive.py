"""All closed forms of a problem together, with the check by iteration: `derive(problem)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import sympy
from flint import fmpq, fmpq_mat

from theory.derivation.forms import GAMMA, Forms, power_entry
from theory.derivation.in_gamma import Spectrum, chain_spectrum, head_spectrum, successor_polynomial, td_spectrum
from theory.derivation.iteration import Row, compare
from theory.derivation.notation import (
    ClosedForms,
    entry_text,
    matrix_lines,
    named_sums,
    plain_matrix,
    plain_text,
    product,
    unicode_text,
    vector_lines,
)
from theory.derivation.powers import powers
from theory.exact.algebraic import Radius, largest_modulus
from theory.exact.matrices import rational
from theory.linear.spectra import head_step_sizes
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import as_number, show_number
from theory.thresholds.results import StableIntervals, Threshold, stable_text, unbiased_text
from theory.views.page import Column, Page, dim, hanging, prose, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_FEATURES = 12
MOST_JOINT = 12  # rows of M that are written out with M⁻¹


@dataclass(frozen=True, eq=False, repr=False)
class Derivation(ClosedForms):
    """Closed forms in γ and k, M for the heads 0..`last`, G_T at a step size, and the Richardson table.

    Expressions are SymPy's, in the symbols `theory.derivation.forms.GAMMA`, `K` and `LAMBDA`.
    """

    forms: Forms
    last: int
    window: int
    alpha: Fraction
    rows: tuple[Row, ...]

    @property
    def problem(self) -> Problem:
        """The problem."""
        return self.forms.problem

    @property
    def ok(self) -> bool:
        """Is every row of the table right?"""
        return all(row.ok for row in self.rows)

    @cached_property
    def independent(self) -> bool:
        """Are the features independent, so that X has an inverse?"""
        return bool(self.forms.moments.X.det() != 0)

    @cached_property
    def singular(self) -> bool:
        """Is A(γ) singular at the problem's own γ?"""
        return self.forms.is_singular(rational(self.problem.exact.gamma))

    @cached_property
    def at_singular(self) -> tuple[sympy.Matrix, int] | None:
        """θᵏ in k at the problem's γ, and from which k on, where the form in γ has a pole there."""
        return self.forms.at_gamma() if self.singular else None

    @cached_property
    def powers(self) -> tuple[sympy.Matrix, int] | None:
        """γᵏRᵏ, (F, F), and from which k on: θᵏ − θ_π = γᵏRᵏ(θ⁰ − θ_π) for every start; None beyond three features."""
        R = self.forms.step[0]
        F = R.nrows()
        if F > 3:
            return None
        columns = [powers(R, fmpq_mat(F, 1, [fmpq(int(i == j)) for i in range(F)])) for j in range(F)]
        form = sympy.Matrix(F, F, lambda i, j: sympy.Add(*(power_entry(p, int(i), GAMMA) for p in columns[j].parts)))
        return form, max(column.valid_from for column in columns)

    @cached_property
    def radius(self) -> Radius:
        """ρ(R): the bias shrinks like (γρ(R))ᵏ."""
        return largest_modulus(successor_polynomial(self.problem))

    @cached_property
    def chain_threshold(self) -> Threshold:
        """1/ρ(R)."""
        return CHAIN.gammas(self.problem)

    @cached_property
    def td_intervals(self) -> StableIntervals:
        """The discounts for which TD is stable."""
        return TD.gammas(self.problem)

    @cached_property
    def M(self) -> sympy.Matrix | None:
        """The joint matrix of the heads 0..last; None where the behaviour is unknown."""
        return None if self.forms.A_mu is None else self.forms.joint(self.last)

    @cached_property
    def M_inverse(self) -> sympy.Matrix | None:
        """M⁻¹; None where it is too large to read, or features depend on each other."""
        F = self.problem.n_features
        if self.forms.A_mu is None or (self.last + 1) * F > MOST_JOINT or not self.independent:
            return None
        return self.forms.joint_inverse(self.last)

    @cached_property
    def joint_polynomial(self) -> tuple[tuple[sympy.Expr, int], ...] | None:
        """det(λ − M) as factors with multiplicities."""
        if self.forms.A_mu is None:
            return None
        first = [(s.polynomial, s.multiplicity) for s in td_spectrum(self.forms.moments.behaviour)]
        others = [(s.polynomial, s.multiplicity * self.last) for s in head_spectrum(self.problem) if self.last]
        return tuple(first + others)

    @cached_property
    def G_T(self) -> sympy.Matrix:
        """How one target network of `window` updates maps the error."""
        return self.forms.window(self.alpha, self.window)

    def sympy(self) -> dict[str, Any]:
        """Every expression by name; None where there is none."""
        f = self.forms
        names = ("X", "Y", "A", "b", "R", "A_mu", "theta_0", "theta_pi", "theta_mu", "theta_k", "bias")
        found = {name: getattr(f, name) for name in (*names, "values", "v_pi", "value_error")}
        return found | {"M": self.M, "M_inverse": self.M_inverse, "G_T": self.G_T}

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        f = self.forms
        singular = None
        if self.at_singular is not None:
            singular = {"theta_k": plain_matrix("theta_k", self.at_singular[0]), "valid_from": self.at_singular[1]}
        return {
            "problem": self.problem.name,
            "gamma": str(self.problem.exact.gamma),
            "start": f.start if isinstance(f.start, str) else [str(x) for x in f.start],
            "valid_from": f.valid_from,
            **self.texts(),
            "singular_at_gamma": singular,
            "spectrum": {"A": _spectrum(td_spectrum(f.moments)), "B": _spectrum(chain_spectrum(self.problem))},
            "joint_polynomial": None
            if self.joint_polynomial is None
            else [[plain_text(p), m] for p, m in self.joint_polynomial],
            "heads": self.last,
            "window": {"T": self.window, "step_size": str(self.alpha)},
            "rate": {
                "exact": None if self.radius.exact is None else str(self.radius.exact),
                "interval": [str(self.radius.low), str(self.radius.high)],
            },
            "thresholds": {"td": self.td_intervals.to_dict(), "chain": self.chain_threshold.to_dict()},
            "richardson": [row.to_dict() for row in self.rows],
            "ok": self.ok,
        }

    def plot(self) -> Figure:
        """A matplotlib figure: each iteration against its closed form, with the predicted error."""
        from theory.figures.live.derivation import plot_derivation

        return plot_derivation(self)

    def _aligned(self) -> Iterator[str]:
        latex = self.latex()
        for name, key in {
            r"\theta_\pi": "theta_pi",
            r"\theta^k_* - \theta_\pi": "bias",
            r"\theta^k_*": "theta_k",
        }.items():
            yield rf"{name} &= {latex[key]}"

    def page(self) -> Page:
        """The closed forms, and the table that compares them with iterations."""
        headings = ("form<", "k", Column("α", drop=3), Column("steps", drop=2))
        numbers = (Column("closed form", below=True), Column("iterate", below=True))
        errors = (Column("predicted ‖error‖", drop=1), "‖error‖", "")
        return Page(
            (
                *hanging("\n".join(lines(self))),
                prose(),
                prose(f"Against Richardson iteration at γ = {show_number(self.problem.given.gamma)}:"),
                table((*headings, *numbers, *errors), (_cells(row) for row in self.rows)),
                *(prose(dim(f"{row.form}: {row.note}"), hang=2) for row in self.rows if row.note),
            )
        )

    def __repr__(self) -> str:
        right = sum(row.ok for row in self.rows)
        return f"Derivation({self.problem.name!r}: closed forms in γ and k, {right} of {len(self.rows)} rows confirmed)"


def derive(
    problem: Problem,
    *,
    k: int = 4,
    start: Any = "zero",
    heads: int = 2,
    window: int = 100,
    step_size: Any = None,
    steps: int | None = None,
) -> Derivation:
    """The closed forms of a problem, checked at its own γ and this k against Richardson iteration.

    >>> from theory.problems.sources import find_problem
    >>> found = derive(find_problem("twostate-reward", None))
    >>> found.forms.bias[0], found.ok
    (-3*(6*gamma/5)**k/(5 - 6*gamma), True)
    """
    for name, value, least in (("k", k, 0), ("heads", heads, 0), ("window", window, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InvalidProblem(f"must be an integer of {least} or more, got {value!r}", name)
    if problem.n_features > MOST_FEATURES:
        raise InvalidProblem(
            f"closed forms of {problem.n_features} features would fill pages: {MOST_FEATURES} are the most", "Phi"
        )
    forms = Forms(problem, start)
    alpha = _short(head_step_sizes(problem).best) if step_size is None else as_number(step_size, "step_size")
    if alpha <= 0:
        raise InvalidProblem(f"a step size must be positive, got {alpha}", "step_size")
    rows = compare(forms, k, steps, None if step_size is None else alpha)
    return Derivation(forms, heads, window, Fraction(alpha), tuple(rows))


def _short(x: float) -> Fraction:
    """A short fraction near a step size."""
    near = Fraction(x).limit_denominator(64) if 0 < x < 1e6 else Fraction(0)
    return near or (Fraction(x) if 0 < x < inf else Fraction(1))


def lines(found: Derivation) -> Iterator[str]:
    """The page, without the table."""
    f, problem = found.forms, found.problem
    yield f"{problem.name}  {problem.summary}"
    yield ""
    inverse = "X⁻¹" if found.independent else "X⁺"
    for name, matrix in (("X", f.X), ("Y", f.Y), ("A(γ)", f.A), (f"B = γ{inverse}Y", GAMMA * f.R)):
        yield from matrix_lines(name, matrix)
    yield from vector_lines("b", f.b)
    reduced = "" if found.independent else "   on independent features"
    yield f"det(λ − A) = {product((s.polynomial, s.multiplicity) for s in td_spectrum(f.moments))}"
    yield f"det(λ − B) = {product((s.polynomial, s.multiplicity) for s in chain_spectrum(problem))}{reduced}"
    yield ""
    yield from vector_lines("θ_π(γ)", f.theta_pi)
    if f.theta_mu is not None:
        same = f.theta_mu == f.theta_pi and any(f.theta_pi)
        yield from ["θ_μ(γ) = θ_π(γ)"] if same else vector_lines("θ_μ(γ)", f.theta_mu)
    yield from _unless_long(vector_lines("v_π(γ)", f.v_pi), None if any(f.value_limit) else "v_π(γ) = Φθ_π(γ)")
    yield ""
    yield from _chain(found, inverse)
    yield ""
    yield from _heads(found)
    yield ""
    yield from _discounts(found)


def _chain(found: Derivation, inverse: str) -> Iterator[str]:
    """θᵏ, its bias, its values."""
    if found.powers is not None:
        form, since = found.powers
        where = f" and k ≥ {since}" if since else ""
        if found.problem.n_features == 1:
            text = entry_text(form[0])
            text = text if form[0].is_Pow or form[0].is_Symbol else f"({text})"
            yield f"θᵏ − θ_π = {text}(θ⁰ − θ_π)   for every θ⁰{where}"
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
    sums, defined = named_sums(*shown.values())
    yield from _indented(defined)
    follows = {"vᵏ − v_π": None if any(f.value_limit) else "vᵏ − v_π = Φ(θᵏ − θ_π)"}
    for name, form in shown.items():
        yield from _indented(_unless_long(vector_lines(name, form, sums), follows.get(name)))
    if not any(f.value_limit):
        yield "    limit of vᵏ − v_π where the chain is unbiased: 0, since Φθ_π = v_π"
    else:
        yield from _indented(vector_lines("limit of vᵏ − v_π where the chain is unbiased", f.value_limit))


def _heads(found: Derivation) -> Iterator[str]:
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
                else f"--heads {max(0, MOST_JOINT // found.problem.n_features - 1)} --json prints one of that size"
            )
            yield f"M⁻¹: blocks (M⁻¹)_k0 = BᵏA_μ⁻¹ and (M⁻¹)_kj = Bᵏ⁻ʲX⁻¹ for k ≥ j ≥ 1; {note}"
        else:
            yield "M has no inverse: features depend on each other, and X is singular"
        yield f"det(λ − M) = {product(found.joint_polynomial)}"
    if found.problem.n_features <= 3:
        yield from matrix_lines(f"G_T at T = {found.window}, α = {found.alpha}", found.G_T.applyfunc(_decimals))


def _discounts(found: Derivation) -> Iterator[str]:
    """Where TD is stable and the chain unbiased."""

    def end(threshold: Any) -> str:
        if threshold.exact is None:
            return f"{threshold.text}…"
        return unicode_text(threshold.exact.sympy()) if threshold.exact.degree <= 2 else f"root ≈ {threshold.text}"

    yield f"TD is stable for γ in {stable_text(found.td_intervals, end)}"
    yield f"The chain is unbiased for {unbiased_text(found.chain_threshold, end)}"


def _cells(row: Row) -> tuple[str, ...]:
    """A row of the table as texts: form, k, α, steps, closed form, iterate, predicted and measured error, mark."""
    alpha = str(row.alpha) if len(str(row.alpha)) <= 8 else f"{float(row.alpha):.6g}"
    return (
        row.form, "" if row.k is None else str(row.k), alpha, f"{row.steps:,}", _numbers(row.closed),
        _numbers(row.iterated), f"{row.predicted_error:.3e}", f"{row.error:.3e}", "✓" if row.ok else "✗",
    )  # fmt: skip


def _numbers(vector: Any) -> str:
    shown = [f"{x:.8g}" for x in vector[:3]]
    return ", ".join(shown) + (", …" if len(vector) > 3 else "")


def _indented(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"    {text}" for text in texts)


def _unless_long(texts: list[str], instead: str | None) -> list[str]:
    """One line is shown as it is; more only where they do not follow from others."""
    return texts if len(texts) == 1 or instead is None else [instead]


def _spectrum(factors: tuple[Spectrum, ...]) -> list[dict[str, Any]]:
    return [
        {
            "polynomial": plain_text(s.polynomial),
            "multiplicity": s.multiplicity,
            "eigenvalues": [plain_text(x) for x in s.eigenvalues] or None,
        }
        for s in factors
    ]


def _decimals(x: sympy.Expr) -> sympy.Expr:
    """Long fractions as decimals: G_T's numerators have T times the digits of α."""
    return x if sympy.count_ops(x) < 6 and len(str(x)) <= 24 else sympy.N(x, 5)
