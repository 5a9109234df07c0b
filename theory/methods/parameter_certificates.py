r"""The set of a method's parameter as a document that the independent checker reads.

M(p), the method's mean or iteration matrix, is rational in its parameter: s(p)M(p) is a polynomial in p with a scalar s
that is nowhere zero. So the question is one about the pencil N = sM, E = sI, polynomial in p, and

    det(zE − N) = s(p)ⁿ⁻¹ · s(p) det(zI − M(p)).

The document (`theory.thresholds.certificates`) is about this very pencil. That it is the method's is what the formulas
of `theory.methods` say, and not for the checker to know.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.exact.matrices import identity, matrix, rational
from theory.exact.rational_functions import interpolate
from theory.exact.two_variables import irreducible_factors
from theory.methods.ground import Ground
from theory.methods.method import Method, with_value
from theory.methods.parameters import GAMMA, sample_points
from theory.thresholds.certificates import LONGEST, PATIENCE, AlongCertificate, multiplied_seconds, pencil_certificate
from theory.thresholds.curves import curve_work

LARGEST = 400  # eigenvalues times powers of the parameter


def parameter_certificate(method: Method, name: str, ground: Ground) -> AlongCertificate | None:
    """For which values of a real parameter the method converges; None where there is no document, or too long a one.

    >>> from theory.methods.family import find_method
    >>> from theory.methods.ground import exact_ground
    >>> from theory.problems.catalogue import catalogue_problem
    >>> ground = exact_ground(catalogue_problem("baird"))
    >>> found = parameter_certificate(find_method("td-lambda"), "lambda", ground)
    >>> found.recheck(), found.holds_at("1/6"), found.holds_at("1/5")
    (True, no, yes)
    """
    limits = GAMMA if name == "gamma" else method.parameters()[name]
    kind, M, _ = method.question(ground)
    degree, n = method.degree(name, ground), len(M)
    if limits.whole or method.power(name) != 1 or kind == "direct" or ground.rank == 0:
        return None
    if n * degree > LARGEST:  # before it is interpolated
        return None
    samples = []
    for value in sample_points(limits, degree + 2):  # one more than needed: it must fit
        chosen, here = with_value(method, ground, name, value)
        s = rational(chosen.scale(here))
        samples.append((rational(value), s, s * matrix(chosen.question(here)[1].tolist())))
    E = interpolate([(p, s) for p, s, _ in samples])
    entries = [interpolate([(p, N[i, j]) for p, _, N in samples]) for i in range(n) for j in range(n)]
    if max(q.degree() for q in (E, *entries)) > degree:
        return None
    N = [fmpq_mat(n, n, [q[k] for q in entries]) for k in range(degree + 1)]
    if multiplied_seconds(n, degree, *N) > PATIENCE:
        return None
    curve = _characteristic(samples, n)
    factors = irreducible_factors(curve) + ([([E], n - 1)] if n > 1 else [])
    if sum(curve_work(f) for f, _ in factors if len(f) > 1) > LONGEST:
        return None
    high = None if limits.high is None else fmpq(limits.high)
    below = [E[k] * identity(n) for k in range(E.degree() + 1)]
    return pencil_certificate(N, below, factors, kind == "iteration", fmpq(limits.low), high)


def _characteristic(samples: list[tuple[fmpq, fmpq, fmpq_mat]], n: int) -> list[fmpq_poly]:
    """s(p) det(zI − M(p)), by coefficients of z."""
    found = [(p, s * (N / s).charpoly()) for p, s, N in samples]
    return [interpolate([(p, c[j]) for p, c in found]) for j in range(n + 1)]
