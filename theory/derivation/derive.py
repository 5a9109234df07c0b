"""All closed forms of a problem together, with the check by iteration: `derive(problem)`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import sympy
from flint import fmpq, fmpq_mat

from theory.derivation.drift import is_singular, singular_form
from theory.derivation.forms import GAMMA, Forms, power_entry
from theory.derivation.in_gamma import Spectrum, successor_polynomial
from theory.derivation.iteration import Row, compare
from theory.derivation.notation import plain_matrix, plain_text
from theory.derivation.powers import powers
from theory.exact.algebraic import Radius, largest_modulus
from theory.exact.matrices import rational
from theory.linear.spectra import head_step_sizes
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import as_number
from theory.thresholds.results import StableIntervals, Threshold
from theory.views.page import Page, Viewable

MOST_FEATURES = 12
MOST_JOINT = 12  # rows of M that are written out with M⁻¹


@dataclass(frozen=True, eq=False, repr=False)
class Derivation(Viewable):
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
        return is_singular(self.forms, rational(self.problem.exact.gamma))

    @cached_property
    def at_singular(self) -> tuple[sympy.Matrix, int] | None:
        """θᵏ in k at the problem's γ, and from which k on, where the form in γ has a pole there."""
        return singular_form(self.forms) if self.singular else None

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
        first = [(s.polynomial, s.multiplicity) for s in self.forms.behaviour_spectrum]
        others = [(s.polynomial, s.multiplicity * self.last) for s in self.forms.head_spectrum if self.last]
        return tuple(first + others)

    @cached_property
    def G_T(self) -> sympy.Matrix:
        """How one target network of `window` updates maps the error."""
        return self.forms.window(self.alpha, self.window)

    def sympy(self) -> dict[str, Any]:
        """Every expression by name."""
        f = self.forms
        names = ("X", "Y", "A", "b", "R", "A_mu", "theta_0", "theta_pi", "theta_mu", "theta_k", "bias")
        found = {name: getattr(f, name) for name in (*names, "values", "v_pi", "value_error")}
        return found | {"M": self.M, "M_inverse": self.M_inverse, "G_T": self.G_T}

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: expressions as text that SymPy reads back, in gamma, k and z for λ."""
        f = self.forms
        texts = {name: None if x is None else plain_matrix(name, x) for name, x in self.sympy().items()}
        singular = None
        if self.at_singular is not None:
            singular = {"theta_k": plain_matrix("theta_k", self.at_singular[0]), "valid_from": self.at_singular[1]}
        return {
            "problem": self.problem.name,
            "gamma": str(self.problem.exact.gamma),
            "start": f.start if isinstance(f.start, str) else [str(x) for x in f.start],
            "valid_from": f.valid_from,
            **texts,
            "singular_at_gamma": singular,
            "spectrum": {"A": _spectrum(f.td_spectrum), "B": _spectrum(f.chain_spectrum)},
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

    def latex(self) -> dict[str, str]:
        """LaTeX of every expression by name; each stands alone."""
        return {name: sympy.latex(x) for name, x in self.sympy().items() if x is not None}

    def plot(self) -> Any:
        """A matplotlib figure: each iteration against its closed form, with the predicted error."""
        from theory.exhibits.live.derivation import plot_derivation

        return plot_derivation(self)

    def _repr_latex_(self) -> str:
        f = self.forms
        shown = {
            r"\theta_\pi": f.theta_pi,
            r"\theta^k_* - \theta_\pi": f.bias,
            r"\theta^k_*": f.theta_k,
        }
        lines = [rf"{name} &= {sympy.latex(x)}" for name, x in shown.items()]
        return r"$\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}$"

    def page(self) -> Page:
        """The closed forms, and the table that compares them with iterations."""
        from theory.derivation.text import derivation_page

        return derivation_page(self)

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


def _spectrum(factors: tuple[Spectrum, ...]) -> list[dict[str, Any]]:
    return [
        {
            "polynomial": plain_text(s.polynomial),
            "multiplicity": s.multiplicity,
            "eigenvalues": [plain_text(x) for x in s.eigenvalues] or None,
        }
        for s in factors
    ]
