r"""The set of a method's parameter as a document that the independent checker reads.

M(p), the method's mean or iteration matrix, is rational in its parameter: s(p)M(p) is a polynomial in p with a scalar s
that is nowhere zero. So the question is one about the pencil N = sM, E = sI, polynomial in p, and

    det(zE − N) = s(p)ⁿ⁻¹ · s(p) det(zI − M(p)).

The document (`theory.thresholds.certificates`) is about this very pencil. That it is the method's is what the formulas
of `theory.methods` say, and not for the checker to know.

Where its polynomials are too long, and of det M ≠ 0, the document has the matrix inequalities of
`theory.methods.covered` instead, and is about O L(p)⁻¹R(p).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.budgets import CERTIFICATE, CERTIFIED_CROSSINGS, CERTIFIED_POWERS
from theory.certified.answers import Answer
from theory.certified.recheck.along import check_inequalities
from theory.exact.matrices import identity, rational
from theory.exact.polynomials import interpolate, irreducible_factors
from theory.methods.covered import Cover, find_cover
from theory.methods.method import Method, Parameter, with_value
from theory.methods.parameters import GAMMA, sample_points
from theory.model.linear_model import LinearModel
from theory.thresholds.certificates import AlongCertificate, multiplied_seconds, pencil_certificate
from theory.thresholds.curves import curve_work


def parameter_certificate(method: Method, name: str, model: LinearModel) -> AlongCertificate | None:
    """For which values of a real parameter the method converges; None where there is no document, or too long a one.

    >>> from theory.methods.family import find_method
    >>> from theory.model.linear_model import exact_model
    >>> from theory.problems.catalogue import catalogue_problem
    >>> model = exact_model(catalogue_problem("baird"))
    >>> found = parameter_certificate(find_method("td-lambda"), "lambda", model)
    >>> found.recheck(), found.holds_at("1/6"), found.holds_at("1/5")
    (True, no, yes)
    """
    limits = GAMMA if name == "gamma" else method.parameters()[name]
    if limits.whole or method.power(name) != 1 or model.rank == 0:
        return None
    return _by_crossings(method, name, limits, model) or _by_inequalities(find_cover(method, name, limits, model))


@dataclass(frozen=True, eq=False)
class CoverCertificate(AlongCertificate):
    """The same of stretches, ends included, that matrix inequalities prove."""

    def recheck(self) -> bool:
        """Does independent code find every stretch proved?"""
        return check_inequalities(self.document)

    def holds_at(self, value: Any) -> Answer:
        """What the document says of one value."""
        at = Fraction(value)
        for stretch in self.document["stretches"]:
            if Fraction(stretch["low"]) <= at and (stretch["high"] is None or at <= Fraction(stretch["high"])):
                return Answer.of(stretch["holds"])
        return Answer.UNDECIDED


def _by_inequalities(found: Cover | None) -> CoverCertificate | None:
    return None if found is None else CoverCertificate(found.document())


def _by_crossings(method: Method, name: str, limits: Parameter, model: LinearModel) -> AlongCertificate | None:
    kind, M, _ = method.question(model)
    degree, n = method.degree(name, model), M.nrows()
    if kind == "direct" or n * degree > CERTIFIED_POWERS:  # before it is interpolated
        return None
    samples = []
    for value in sample_points(limits, degree + 2):  # one more than needed: it must fit
        chosen, here = with_value(method, model, name, value)
        s = rational(chosen.scale(here))
        samples.append((rational(value), s, s * chosen.question(here).matrix))
    E = interpolate([(p, s) for p, s, _ in samples])
    entries = [interpolate([(p, N[i, j]) for p, _, N in samples]) for i in range(n) for j in range(n)]
    if max(q.degree() for q in (E, *entries)) > degree:
        return None
    N = [fmpq_mat(n, n, [q[k] for q in entries]) for k in range(degree + 1)]
    if multiplied_seconds(n, degree, *N) > CERTIFICATE:
        return None
    curve = _characteristic(samples, n)
    factors = irreducible_factors(curve) + ([([E], n - 1)] if n > 1 else [])
    if sum(curve_work(f, kind == "iteration") for f, _ in factors if len(f) > 1) > CERTIFIED_CROSSINGS:
        return None
    high = None if limits.high is None else fmpq(limits.high)
    below = [E[k] * identity(n) for k in range(E.degree() + 1)]
    return pencil_certificate(N, below, factors, kind == "iteration", fmpq(limits.low), high)


def _characteristic(samples: list[tuple[fmpq, fmpq, fmpq_mat]], n: int) -> list[fmpq_poly]:
    """s(p) det(zI − M(p)), by coefficients of z."""
    found = [(p, s * (N / s).charpoly()) for p, s, N in samples]
    return [interpolate([(p, c[j]) for p, c in found]) for j in range(n + 1)]
