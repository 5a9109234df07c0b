"""Eigenvalues in balls: against algebra, against the two routes' other, and next to a boundary."""

from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb, fmpq, fmpq_mat
from hypothesis import given, settings

from tests.cases import each_case
from tests.exact.examples import twostate
from tests.strategies import exact_problems
from theory.certified.answers import Answer
from theory.certified.enclosed_spectra import (
    Eigenvalue,
    EnclosedSpectrum,
    enclosed_spectrum,
    problem_spectra,
)
from theory.certified.enclosed_spectra import _in_balls as in_balls
from theory.certified.verdicts import chain_unbiased, step_size_admissible, td_stable
from theory.model.balls import precision
from theory.model.linear_model import exact_model
from theory.problems import Problem


def count_in(ball, spectrum):
    return sum(v.multiplicity for v in spectrum.values if ball.overlaps(v.ball))


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("exponent", [10, 40, 300])
def test_eigenvalues_next_to_a_boundary_have_right_digits(side, exponent):
    """At γ = 5/6 ± ε: A = ∓3ε, ρ = 1 ± 6ε/5, and the largest step size is 2/A = 2/(3ε)."""
    eps = Fraction(1, 10**exponent)
    td, chain = problem_spectra(twostate(Fraction(5, 6) + side * eps))
    with precision(4096):
        key = arb(fmpq(-3 * side, 10**exponent))
        assert abs(td.values[0].ball - key) <= abs(key) * arb(10) ** -12
        gap = chain.radius - 1
        expected = arb(fmpq(6 * side, 5 * 10**exponent))
        assert abs(gap - expected) <= abs(expected) * arb(10) ** -12
    if side > 0:
        assert td.step_limit is None
    else:
        assert td.step_limit.rel_accuracy_bits() > 40
        assert abs(td.step_limit * arb(fmpq(1, 10**exponent)) * 3 / 2 - 1) < 1e-12


def test_multiplicities_and_real_parts_are_exact():
    rotation = fmpq_mat(4, 4, [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 2])
    values = {(str(v.ball.real.mid()), v.multiplicity) for v in enclosed_spectrum(rotation).values}
    assert values == {("2.00000000000000", 2), ("0", 1)}
    imaginary = [v.ball for v in enclosed_spectrum(rotation).values if v.multiplicity == 1]
    assert all(z.real.is_zero() and abs(z.imag).contains(1) for z in imaginary)


@settings(max_examples=60, deadline=None)
@given(problem=exact_problems())
def test_spectra_agree_with_the_verdicts(problem):
    td, chain = problem_spectra(problem)
    stable, unbiased = td_stable(problem), chain_unbiased(problem)
    assert Answer.of(all(v.ball.real > 0 for v in td.values)) == stable.holds
    assert Answer.of(bool(chain.radius < 1)) == unbiased.holds
    limit = td.step_limit
    if limit is not None:  # just below the limit converges, just above does not
        below = Fraction(float(limit)) * Fraction(999, 1000)
        assert step_size_admissible(problem, below).proved
        assert step_size_admissible(problem, below * Fraction(1002, 999) + Fraction(1, 10**300)).refuted


@each_case()
def test_balls_hold_the_eigenvalues_of_the_polynomial(case):
    m = exact_model(case.problem)
    for M in (m.A, m.X.solve(m.gamma * m.Y)) if m.rank else ():
        exact, rough = enclosed_spectrum(M), in_balls(M, False)
        if rough is None:  # defective
            continue
        assert len(rough.values) == m.rank
        assert all(count_in(v.ball, exact) for v in rough.values)
        assert all(count_in(v.ball, rough) >= v.multiplicity for v in exact.values)


def test_no_eigenvalues_have_radius_zero_and_no_limit():
    empty = EnclosedSpectrum((), "exact polynomial")
    assert empty.radius == 0
    assert empty.step_limit is None
    zero = Problem.from_matrices("1/2", Phi=[[0], [0]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"])
    assert [s.values for s in problem_spectra(zero)] == [(), ()]


def test_doubles_are_the_nearest_ones():
    """1/3 as a ball of many bits is the double 1/3, and so is what is beyond doubles infinite or zero."""
    third = enclosed_spectrum(fmpq_mat([[fmpq(2, 3)]])).floats()
    assert third == [2 / 3]
    assert enclosed_spectrum(fmpq_mat([[fmpq(10) ** 400]])).floats() == [np.inf]
    assert enclosed_spectrum(fmpq_mat([[-1 / fmpq(10) ** 400]])).floats() == [0]


def test_a_corridor_shows_its_own_eigenvalues():
    """γP is triangular: 0.9 once and 0 elsewhere, where doubles had an error bound of 2.2 and showed zeros."""
    n = 86
    weights = [1.9**-i for i in range(n)]
    problem = Problem.from_matrices(
        "9/10",
        Phi=np.eye(n, dtype=int),
        P_pi=np.eye(n, dtype=int)[[min(i + 1, n - 1) for i in range(n)]],
        d_mu=[Fraction(w) / sum(map(Fraction, weights)) for w in weights],
    )
    _, chain = problem_spectra(problem)
    assert [(v.ball.real.str(3, radius=False), v.multiplicity) for v in chain.values] == [("0.900", 1), ("0", n - 1)]


def test_a_ball_nearly_as_wide_as_it_is_far_from_zero_has_a_step_limit_or_none():
    """Its square holds 0, and 2 Re λ/|λ|² was not a number."""
    real, disc = (EnclosedSpectrum((Eigenvalue(acb(arb(1, 0.75), im), 2),), "balls") for im in (0, arb(0, 0.75)))
    assert real.step_limit.contains(arb(2) / arb(0.25))
    assert disc.step_limit is None


def test_simple_eigenvalues_of_very_different_size_are_isolated():
    """Triangular in a hidden basis: 1, 2, 10⁻²⁹⁰ ± i10⁻²⁹⁰ are known; the polynomial's roots would take minutes."""
    e = fmpq(1, 10**290)
    J = fmpq_mat([[1, 5, 0, 0], [0, 2, 0, 7], [0, 0, e, e], [0, 0, -e, e]])
    V = fmpq_mat([[1, 2, 0, 1], [1, 1, 3, 0], [0, 1, 1, 2], [1, 0, 1, 1]])
    found = enclosed_spectrum(V * J * V.inv())
    assert found.method == "balls"
    sizes = [(1, 0), (2, 0), (e, e), (e, -e)]
    with precision(4096):
        assert all(any((v.ball - acb(a, b)).contains(0) for v in found.values) for a, b in sizes)
    assert sum(v.ball.imag.is_zero() for v in found.values) == 2
