"""Fixed points and spectra as functions of γ: exactly those of the matrices at every γ."""

import subprocess
import sys

import sympy
from flint import fmpq
from hypothesis import given

from tests.cases import each_case
from tests.exact.examples import EXACT, baird, behaved, twostate
from tests.strategies import exact_problems
from theory.derivation.in_gamma import (
    GAMMA,
    LAMBDA,
    chain_spectrum,
    fixed_point_in_gamma,
    key_polynomial,
    td_spectrum,
)
from theory.exact.matrices import fractions
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import behaviour_fixed_point, chain_step, td_fixed_point


@EXACT
@given(exact_problems(max_features=4))
def test_fixed_points_as_rational_functions(problem):
    problem = behaved(problem)
    theta_pi, theta_mu = (fixed_point_in_gamma(m) for m in (exact_model(problem), exact_model(problem).behaviour))
    for variant in map(problem.with_gamma, ("0", "1/3", "3/7", "9/10")):
        gamma = exact_moments(variant).gamma
        for function, found in ((theta_pi, td_fixed_point(variant)), (theta_mu, behaviour_fixed_point(variant))):
            if found.unique_values:
                assert function.at(gamma) == found.theta


def test_poles_are_where_the_key_matrix_is_singular():
    assert fixed_point_in_gamma(exact_model(twostate())).denominator(fmpq(5, 6)) == 0


@each_case()
def test_spectra_are_those_of_the_matrices(case):
    for g in (fmpq(1, 3), fmpq(5, 7)):
        A = exact_moments(case.problem).X - g * exact_moments(case.problem).Y
        assert [p(g) for p in key_polynomial(exact_moments(case.problem))] == A.charpoly().coeffs()
    point = {GAMMA: sympy.Rational(3, 7)}
    moments = exact_moments(case.problem.with_gamma("3/7"))
    B, _ = chain_step(exact_model(case.problem.with_gamma("3/7")))
    F = case.problem.n_features
    structural = F - moments.X.rank()
    for M, factors, extra in (
        (moments.A, td_spectrum(exact_moments(case.problem)), 0),
        (B, chain_spectrum(case.problem), structural),
    ):
        product = LAMBDA**extra * sympy.prod([f.polynomial**f.multiplicity for f in factors]).subs(point)
        wanted = sympy.Matrix(fractions(M).reshape(F, F).tolist()).charpoly(LAMBDA).as_expr()
        assert sympy.Poly(product, LAMBDA).monic() == sympy.Poly(wanted, LAMBDA).monic()
        for factor in factors:
            for value in factor.eigenvalues:
                assert sympy.simplify(factor.polynomial.subs(LAMBDA, value)) == 0


def test_bairds_unstable_pair_as_functions_of_gamma():
    factors = {str(f.polynomial): f for f in td_spectrum(exact_moments(baird()))}
    quadratic = next(f for f in factors.values() if len(f.eigenvalues) == 2)
    assert {f.multiplicity for f in factors.values()} == {1, 5}
    # λ₁ + λ₂ = (105 − 119γ)/49 vanishes at 15/17.
    assert sympy.simplify(sum(quadratic.eigenvalues)).subs(GAMMA, sympy.Rational(15, 17)) == 0


def test_exact_fixed_points_and_thresholds_do_not_load_sympy():
    modules = "theory.model.points, theory.thresholds.discounts"
    code = f"import sys, {modules}; print('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
