"""Closed forms in γ and k: exactly the chain's fixed points, and the SymPy expressions mean the same."""

import json
import subprocess
import sys
import time

import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.exact.examples import EXACT, baird, behaved, quadrant, random_problem, threestate, twostate
from tests.strategies import exact_problems
from theory.exact.chain import chain_by_closed_form, chain_step
from theory.exact.closed_forms import K, closed_forms
from theory.exact.fixed_points import behaviour_fixed_point, td_fixed_point
from theory.exact.matrices import fraction, fractions
from theory.exact.moments import exact_moments
from theory.exact.rational_functions import (
    behaviour_fixed_point_in_gamma,
    key_polynomial,
    td_fixed_point_in_gamma,
)
from theory.exact.spectra import GAMMA, LAMBDA, chain_spectrum, td_spectrum
from theory.problems import InvalidProblem, Problem

GAMMAS = ("1/3", "3/7", "9/10")
DIGITS = 60


def regular(problem, gammas=GAMMAS):
    """The problem at those discounts where A is regular on the features' span; the forms have poles elsewhere."""
    variants = [problem.with_gamma(g) for g in gammas]
    return [p for p in variants if td_fixed_point(p).unique_values]


def numeric(expression, k, gamma):
    """The expression's value to 60 digits; a RootSum by summing over its roots, not by SymPy's own way."""
    point = {K: k, GAMMA: sympy.Rational(str(gamma))}
    with mpmath.workdps(DIGITS):
        for total in expression.atoms(sympy.RootSum):
            roots = total.poly.nroots(n=DIGITS, maxsteps=200)
            body = sympy.lambdify(total.fun.variables[0], total.fun.expr.subs(point), "mpmath")
            value = sum(body(mpmath.mpmathify(r)) for r in roots)
            expression = expression.xreplace({total: sympy.sympify(value)})
    return sympy.N(expression.subs(point), DIGITS)


def assert_means(expressions, exact, k, gamma):
    # 60 digits of work; cancellation between at most F roots of moderate condition leaves far more than 30 of them.
    for got, want in zip(expressions, exact.entries(), strict=True):
        want = sympy.Rational(int(want.p), int(want.q))
        assert abs(numeric(got, k, gamma) - want) <= sympy.Float("1e-30") * (1 + abs(want))


@EXACT
@given(exact_problems(max_features=4), st.sampled_from(["zero", "behaviour", "given"]))
def test_the_form_is_the_chain_identically(problem, start):
    problem = behaved(problem)
    if start == "behaviour" and not all(behaviour_fixed_point(problem.with_gamma(g)).unique_values for g in GAMMAS):
        start = "zero"
    if start == "given":
        start = [fraction(fmpq(i + 1, 3)) for i in range(problem.n_features)]
    forms = closed_forms(problem, start)
    for variant in regular(problem):
        for k in range(7):
            assert forms.at(k, variant.exact.gamma) == chain_by_closed_form(variant, k, start)


@each_case("defective")
def test_defective_chains_have_polynomial_terms_in_k(case):
    # A Jordan block at 1/2: some entry of θᵏ has a term k (γ/2)ᵏ.
    forms = closed_forms(case.problem, [1, 0, -1])
    assert any(len(part.u) > 1 for part in forms.decomposition.parts)
    for variant in regular(case.problem):
        for k in range(7):
            exact = chain_by_closed_form(variant, k, [1, 0, -1])
            assert forms.at(k, variant.exact.gamma) == exact
            assert_means(forms.theta_k, exact, k, variant.exact.gamma)


def test_a_nilpotent_chain_is_a_polynomial_from_its_depth_on():
    # 0 → 1 → 2 ↺ without features of the last state: R is a shift with R² = 0.
    problem = Problem.from_matrices(
        "9/10",
        Phi=[[1, 0], [0, 1], [0, 0]],
        P_pi=[[0, 1, 0], [0, 0, 1], [0, 0, 1]],
        r_pi=[1, 2, 0],
        d_mu=["1/3", "1/3", "1/3"],
    )
    forms = closed_forms(problem)
    assert forms.valid_from == 2
    assert list(forms.theta_k) == [1 + 2 * GAMMA, 2]
    for k in range(5):
        assert forms.at(k, "1/2") == chain_by_closed_form(problem.with_gamma("1/2"), k)
    assert forms.at(1, "1/2") != forms.at(2, "1/2")


@pytest.mark.parametrize("problem", [twostate(), threestate(), baird()], ids=["twostate", "threestate", "baird-reward"])
@pytest.mark.parametrize("start", ["zero", "behaviour"])
def test_the_papers_problems_in_sympy(problem, start):
    forms = closed_forms(problem, start)
    for variant in regular(problem, GAMMAS[:2]):
        for k in range(forms.valid_from, 5):
            assert_means(forms.theta_k, chain_by_closed_form(variant, k, start), k, variant.exact.gamma)
        assert_means(forms.theta_pi, td_fixed_point(variant).theta, 0, variant.exact.gamma)


def test_twostate_and_threestate_in_full():
    two, three = closed_forms(twostate()), closed_forms(threestate())
    x = 6 * GAMMA / 5
    assert sympy.simplify(two.theta_k[0] - sympy.Rational(3, 5) * (1 - x**K) / (1 - x)) == 0
    assert two.theta_pi[0] == 3 / (5 - 6 * GAMMA)
    # Full features, r_π = 1: all of the value in the constant feature.
    assert list(three.theta_k) == [0, 0, (1 - GAMMA**K) / (1 - GAMMA)]


def test_irreducible_cubics_stay_in_root_sums_and_mean_the_same():
    problem = random_problem(np.random.default_rng(2), 5, 3)
    for start in ("zero", "behaviour", [1, 2, 3]):
        forms = closed_forms(problem, start)
        assert all(entry.has(sympy.RootSum) for entry in forms.theta_k)
        for k in (0, 1, 4):
            exact = chain_by_closed_form(problem.with_gamma("3/7"), k, start)
            assert_means(forms.theta_k, exact, k, fraction(fmpq(3, 7)))


def test_twenty_states_and_ten_features_in_five_seconds():
    problem = random_problem(np.random.default_rng(0), 20, 10)
    begin = time.perf_counter()
    forms = closed_forms(problem)
    pieces = (forms.theta_pi, forms.theta_k, forms.spectrum)
    assert time.perf_counter() - begin < 5
    assert [len(piece) for piece in pieces] == [10, 10, 1]
    variant = problem.with_gamma("2/3")
    for k in range(7):
        assert forms.at(k, "2/3") == chain_by_closed_form(variant, k)
    assert_means(forms.theta_k, chain_by_closed_form(variant, 5), 5, variant.exact.gamma)


@EXACT
@given(exact_problems(max_features=4))
def test_fixed_points_as_rational_functions(problem):
    problem = behaved(problem)
    theta_pi, theta_mu = td_fixed_point_in_gamma(problem), behaviour_fixed_point_in_gamma(problem)
    for variant in map(problem.with_gamma, ("0", *GAMMAS)):
        gamma = exact_moments(variant).gamma
        for function, found in ((theta_pi, td_fixed_point(variant)), (theta_mu, behaviour_fixed_point(variant))):
            if found.unique_values:
                assert function.at(gamma) == found.theta


def test_poles_are_where_the_key_matrix_is_singular():
    assert td_fixed_point_in_gamma(twostate()).denominator(fmpq(5, 6)) == 0
    with pytest.raises(ZeroDivisionError):
        closed_forms(twostate()).at(3, "5/6")


@each_case()
def test_spectra_are_those_of_the_matrices(case):
    for g in (fmpq(1, 3), fmpq(5, 7)):
        A = exact_moments(case.problem).X - g * exact_moments(case.problem).Y
        assert [p(g) for p in key_polynomial(case.problem)] == A.charpoly().coeffs()
    point = {GAMMA: sympy.Rational(3, 7)}
    moments = exact_moments(case.problem.with_gamma("3/7"))
    B, _ = chain_step(case.problem.with_gamma("3/7"))
    F = case.problem.n_features
    structural = F - moments.X.rank()
    for M, factors, extra in (
        (moments.A, td_spectrum(case.problem), 0),
        (B, chain_spectrum(case.problem), structural),
    ):
        product = LAMBDA**extra * sympy.prod([f.polynomial**f.multiplicity for f in factors]).subs(point)
        wanted = sympy.Matrix(fractions(M).reshape(F, F).tolist()).charpoly(LAMBDA).as_expr()
        assert sympy.Poly(product, LAMBDA).monic() == sympy.Poly(wanted, LAMBDA).monic()
        for factor in factors:
            for value in factor.eigenvalues:
                assert sympy.simplify(factor.polynomial.subs(LAMBDA, value)) == 0


def test_bairds_unstable_pair_as_functions_of_gamma():
    factors = {str(f.polynomial): f for f in td_spectrum(baird())}
    quadratic = next(f for f in factors.values() if len(f.eigenvalues) == 2)
    assert {f.multiplicity for f in factors.values()} == {1, 5}
    # λ₁ + λ₂ = (105 − 119γ)/49 vanishes at 15/17.
    assert sympy.simplify(sum(quadratic.eigenvalues)).subs(GAMMA, sympy.Rational(15, 17)) == 0


def test_latex_of_all_pieces():
    found = closed_forms(twostate()).latex()
    assert set(found) == {"theta_pi", "theta_k", "characteristic_polynomial"}
    assert r"\gamma" in found["theta_k"]
    assert "^{k}" in found["theta_k"]
    json.dumps(found)


@pytest.mark.parametrize(
    "problem",
    [quadrant([[0], [0]]), quadrant([[1, 1], [2, 2]]), quadrant([[1, 2, 3], [4, 5, 6]]), twostate(r_pi=(0, 0))],
    ids=["no features", "twins", "F>S", "no rewards"],
)
def test_degenerate_problems_have_closed_forms_too(problem):
    forms = closed_forms(problem, [1] * problem.n_features)
    for variant in regular(problem):
        for k in range(4):
            assert forms.at(k, variant.exact.gamma) == chain_by_closed_form(variant, k, [1] * problem.n_features)
            if k >= forms.valid_from:
                assert_means(forms.theta_k, forms.at(k, variant.exact.gamma), k, variant.exact.gamma)


def test_behaviour_start_needs_the_behaviour():
    with pytest.raises(InvalidProblem, match="P_mu"):
        closed_forms(quadrant([[1], [3]]), "behaviour")


def test_exact_fixed_points_and_thresholds_do_not_load_sympy():
    modules = "theory.exact.chain, theory.exact.n_step, theory.thresholds.discounts"
    code = f"import sys, {modules}; print('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
