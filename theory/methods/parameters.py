r"""For which values of a parameter does a method converge? All of them, exactly.

The matrix of a method is rational in γ, λ, η, τ and the ratio β/α; det(zI − matrix), times `Method.scale`, is a
polynomial in the parameter of at most the degree that `Method.degree` says, so its values at that many points and one
more determine it, and `theory.thresholds.curves` does the rest. n and T are whole numbers: `whole_numbers`.

What would take too long is covered by proofs, stretch by stretch. The matrix of a method is O L(p)⁻¹R(p) with L and R
affine in most of its parameters p: affine itself (`Method.affine`), or with an inverse (`Method.resolvent`). Then one
matrix inequality proves a whole interval of p (`theory.thresholds.inequalities`), and such pieces are laid side by
side. A parameter without an upper end is p = q/(1 − q), 0 ≤ q ≤ 1. The independent checker repeats every proof before
it counts. What no proof reaches is unknown.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.budgets import COVER, CROSSED, INEQUALITY_ROWS, PARAMETER_POLYNOMIAL, POWERS
from theory.certified.answers import Answer
from theory.exact.algebraic import root_bounds
from theory.exact.matrices import entry_length, fraction, identity, rational
from theory.exact.polynomials import interpolate
from theory.methods.method import Method, Parameter, with_value
from theory.methods.outcome import outcome
from theory.methods.targets import TargetNetwork
from theory.methods.whole_numbers import stable_steps, stable_windows
from theory.model.linear_model import LinearModel
from theory.problems import Problem
from theory.thresholds.certificates import WIDTH, AlongCertificate, range_certificate, resolvent_question
from theory.thresholds.curves import nonsingular_values, stable_values
from theory.thresholds.inequalities import Prover, Resolvent, cover
from theory.thresholds.results import CoveredSet, StableSet, WholeSet

GAMMA = Parameter(None, "the discount γ, or the common factor of all of them", high=1, high_open=True)
TOO_LONG = "too many features or too long fractions for the exact crossings, and no proof was found for a stretch"
MARGIN = Fraction(1, 1024)  # what is left out at 0 where that does not belong to the range, and of q where 1 is no use


Values = StableSet | WholeSet | CoveredSet


def stable_parameters(
    method: Method, name: str, problem: Problem, model: LinearModel
) -> tuple[Values | None, str | None]:
    """The values of the parameter `name` (``gamma``, or one of the method's) at which it converges, or why not known.

    >>> from theory.methods.family import find_method
    >>> from theory.model.linear_model import exact_model
    >>> from theory.problems.catalogue import catalogue_problem
    >>> baird = catalogue_problem("baird")
    >>> print(stable_parameters(find_method("td-lambda"), "lambda", baird, exact_model(baird))[0])
    (1/6, 1]
    """
    limits = GAMMA._replace(high_open=not problem.terminates) if name == "gamma" else method.parameters()[name]
    everywhere = method.reason_for_all_values(name)
    if everywhere is not None:
        return _all(limits), everywhere
    if model.rank == 0:
        return _all(limits), "every feature is zero: nothing to learn"
    if name == "window":
        if type(method) is not TargetNetwork:
            return None, TOO_LONG
        return stable_windows(problem, model, Fraction(method.settings["alpha"])), None
    if name == "n":
        return _steps(method, problem, model), None
    exact = (method.discounts(problem) if name == "gamma" else None) or _exactly(method, name, limits, model)
    if exact is not None:
        return exact, None
    found = covered(method, name, limits, model)
    return found, None if found is not None else TOO_LONG


def _exactly(method: Method, name: str, limits: Parameter, model: LinearModel) -> StableSet | None:
    if method.length > POWERS:
        return None
    kind, M, _ = method.question(model)
    degree, power = method.degree(name, model), method.power(name)
    n = M.nrows()
    size = max(n, degree)
    if size > CROSSED or degree * size**4 * entry_length(M) > PARAMETER_POLYNOMIAL:
        return None
    samples = []
    for value in sample_points(limits, degree + 1):
        chosen, here = with_value(method, model, name, value)
        at = chosen.question(here).matrix
        polynomial = fmpq_poly([at.det()]) if kind == "direct" else at.charpoly()
        samples.append((rational(value**power), rational(chosen.scale(here)) * polynomial))
    count = 1 if kind == "direct" else n + 1
    curve = [interpolate([(x, p[j]) for x, p in samples]) for j in range(count)]
    low, high = fmpq(limits.low), None if limits.high is None else fmpq(limits.high)
    if kind == "direct":
        found: StableSet | None = nonsingular_values(curve[0], low, high, limits.low_open, limits.high_open)
    else:
        found = stable_values([curve], kind == "iteration", low, high, limits.low_open, limits.high_open)
    return found if found is None or power == 1 else found.root(power)


def covered(method: Method, name: str, limits: Parameter, model: LinearModel) -> CoveredSet | StableSet | None:
    """Stretches of the parameter with a proof each, re-checked; None where its matrix is not of this kind, or large."""
    found = _certificate(method, name, limits, model)
    if found is None or not found.recheck():
        return None
    power, stretches = method.power(name), found.stretches
    if power > 1:
        rooted = ((_root(a, power, up=True), _root(b or Fraction(1), power, up=False), yes) for a, b, yes in stretches)
        stretches = tuple((a, b, yes) for a, b, yes in rooted if a <= b)
    if not stretches:
        return None
    low, high, stable = stretches[0]
    if len(stretches) == 1 and stable and low == limits.low and high == limits.high:
        return StableSet((limits.span,), limits.span)
    return CoveredSet(stretches, limits.span)


def parameter_certificate(method: Method, name: str, model: LinearModel) -> AlongCertificate | None:
    """For which values of a real parameter the method converges; None where there is no document, or too long a one.

    That the document's matrix is the method's is what the formulas of `theory.methods` say, and not for the checker to
    know.

    >>> from theory.methods.family import find_method
    >>> from theory.model.linear_model import exact_model
    >>> from theory.problems.catalogue import catalogue_problem
    >>> model = exact_model(catalogue_problem("baird"))
    >>> found = parameter_certificate(find_method("td-lambda"), "lambda", model)
    >>> found.recheck(), found.holds_at("1/7"), found.holds_at("1/5")
    (True, no, yes)
    """
    limits = GAMMA if name == "gamma" else method.parameters()[name]
    if limits.whole or method.power(name) != 1 or model.rank == 0:
        return None
    return _certificate(method, name, limits, model)


def _certificate(method: Method, name: str, limits: Parameter, model: LinearModel) -> AlongCertificate | None:
    """Of the parameter, or of the power of it that occurs."""
    kind, power, endless = method.question(model).kind, method.power(name), limits.high is None
    given = None
    if name in method.affine:
        M0, M1 = affine_parts(method, name, model)
        given = Resolvent.straight(M0, M1, identity(M0.nrows()))
    given = method.resolvent(name, model) if given is None else given
    if given is None or given.size > INEQUALITY_ROWS:
        return None
    low = MARGIN if limits.low_open else Fraction(limits.low)
    high = Fraction(1 if limits.high is None else limits.high)  # γ = 1 is looked at, too, where it is not in the range
    if endless:
        low = low / (1 + low)
        high = high if given.has_limit(kind) else high - MARGIN
    start = rational(low**power)
    prover = Prover(given.moved(start, kind if endless else None), kind, rational(high**power) - start)

    def ends(a: fmpq, b: fmpq) -> tuple[Fraction, Fraction | None]:
        first, last = fraction(start + a), fraction(start + b)
        if not endless:
            return first, last
        return first / (1 - first), None if last == 1 else last / (1 - last)

    question = resolvent_question(given, kind, endless)
    return range_certificate(question, prover, cover(prover, WIDTH, COVER), ends)


def affine_parts(method: Method, name: str, model: LinearModel) -> tuple[fmpq_mat, fmpq_mat]:
    """M₀ and M₁ of M₀ + xM₁, x the parameter or the power of it that occurs; a third value must fit."""
    xs, found = [], []
    for value in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        chosen, here = with_value(method, model, name, value)
        xs.append(rational(value ** method.power(name)))
        found.append(chosen.question(here).matrix)
    slope = (found[1] - found[0]) / (xs[1] - xs[0])
    start = found[0] - xs[0] * slope
    if start + xs[2] * slope != found[2]:
        raise ArithmeticError(f"{method.name} is not affine in {name}")
    return start, slope


def _root(x: Fraction, n: int, *, up: bool) -> Fraction:
    """A number with its n-th power not below x, or not above."""
    low, high = map(fraction, root_bounds(rational(x), rational(x), n, bits=64))
    return high if up and low**n < x else low


def sample_points(limits: Parameter, count: int) -> list[Fraction]:
    """Different values within the range, short ones."""
    if limits.high is None:
        return [Fraction(limits.low + 1 + j) for j in range(count)]
    return [limits.low + Fraction((limits.high - limits.low) * (j + 1), count + 1) for j in range(count)]


def _all(limits: Parameter) -> Values:
    if limits.whole:
        return WholeSet(((limits.low, None),))
    return StableSet((limits.span,), limits.span)


def _steps(method: Method, problem: Problem, model: LinearModel) -> WholeSet:
    def decide(n: int) -> Answer:
        return outcome(replace(method, **{"n": n}), problem, model).holds

    return stable_steps(model, method.question(model).kind == "iteration", decide)
