"""The closed forms mean the chain: exactly at rational points, and as SymPy expressions to many digits."""

from fractions import Fraction
from random import Random

import mpmath
import numpy as np
import pytest
import sympy
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import EXACT as DRAWN
from tests.exact.examples import behaved, quadrant, random_problem, threestate, twostate
from tests.strategies import exact_problems
from theory.derivation.derive import derive
from theory.derivation.forms import GAMMA, Forms, K
from theory.derivation.in_gamma import td_spectrum
from theory.derivation.notation import plain_text
from theory.exact.matrices import fraction, matrix, rational
from theory.model.heads import chain_head
from theory.model.linear_model import exact_model, exact_moments
from theory.model.points import behaviour_fixed_point, chain_by_closed_form, td_fixed_point, true_values
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import problem_names
from theory.problems.sources import find_problem

DIGITS, GAMMAS = 50, ("1/3", "3/7", "9/10")
EXACT = [n for n in problem_names() if find_problem(n, None).is_exact and find_problem(n, None).n_features <= 12]


def value(expression, k, gamma):
    """The expression's number; sums over roots root by root, since SymPy would look for symmetric functions."""
    point = {K: k, GAMMA: sympy.Rational(str(gamma))}
    with mpmath.workdps(DIGITS):
        for total in expression.atoms(sympy.RootSum):
            body = sympy.lambdify(total.fun.variables[0], total.fun.expr.subs(point), "mpmath")
            roots = total.poly.nroots(n=DIGITS, maxsteps=300)
            expression = expression.xreplace({total: sympy.sympify(sum(body(mpmath.mpmathify(r)) for r in roots))})
    return sympy.N(expression.subs(point), DIGITS)


def close(expressions, exact, k, gamma):
    # Fifty digits of work; cancellation between few roots leaves far more than 25 of them.
    for got, want in zip(expressions, exact.entries(), strict=True):
        want = sympy.Rational(int(want.p), int(want.q))
        assert abs(value(got, k, gamma) - want) <= sympy.Float("1e-25") * (1 + abs(want))


@pytest.mark.parametrize("name", EXACT)
def test_forms_are_the_chain_at_fifty_random_discounts_and_heads(name):
    problem, rng = find_problem(name, None), Random(name)
    start = [Fraction(i + 1, 2) for i in range(problem.n_features)] if problem.n_features <= 4 else "zero"
    forms = Forms(problem, start)
    in_sympy = 2 if forms.theta_k.has(sympy.RootSum) else 8 if problem.n_features > 4 else 50
    for trial in range(50):
        at, k = Fraction(rng.randint(1, 96), 97), rng.randint(0, 12)
        if forms.target.denominator(rational(at)) == 0:
            continue
        exact = matrix(chain_head(problem.with_gamma(at), k, start).theta)  # what `theory chain` prints
        assert forms.theta_at(k, rational(at)) == exact
        if k >= forms.valid_from and trial < in_sympy:
            close(forms.theta_k, exact, k, at)
        if k >= forms.valid_from and trial < 2:
            truth = true_values(exact_model(problem.with_gamma(at)))
            close(forms.v_pi, truth, k, at)
            close(forms.value_error, forms._Phi * exact - truth, k, at)


def test_a_jordan_block_at_zero_delays_the_form_and_says_so():
    found = derive(find_problem("threestate", None))
    form, since = found.powers
    assert since == 2
    R = found.forms.step[0]
    B2 = (GAMMA**2 * sympy.Matrix(3, 3, [sympy.Rational(str(x)) for x in (R * R).entries()])).applyfunc(sympy.expand)
    assert form.subs(K, 2) == B2
    assert form.subs(K, 1) != GAMMA * found.forms.R


def test_a_singular_discount_has_a_form_in_k():
    problem = find_problem("twostate-reward", Fraction(5, 6))
    form, since = Forms(problem).at_gamma()
    for k in range(since, 6):
        assert form[0].subs(K, k) == sympy.Rational(str(chain_by_closed_form(problem, k)[0, 0]))
    found = derive(problem)
    assert found.singular
    assert found.ok


@pytest.mark.parametrize("name", ["twostate-reward", "complex-cycle", "quadrant-unstable-unbiased"])
def test_the_joint_matrix_times_its_inverse_is_one(name):
    forms = Forms(find_problem(name, None))
    if forms.A_mu is None:
        pytest.skip("no behaviour")
    M, inverse = forms.joint(2), forms.joint_inverse(2)
    assert (M * inverse).applyfunc(sympy.cancel) == sympy.eye(M.rows)
    gamma = forms.problem.exact.gamma
    exact = exact_moments(forms.problem).joint(2)[0]
    assert M.subs(GAMMA, sympy.Rational(gamma)) == sympy.Matrix(
        M.rows, M.cols, [sympy.Rational(str(x)) for x in exact.entries()]
    )


def test_texts_are_read_back_by_sympy():
    names = {"gamma": GAMMA, "k": K}
    for problem in ("threestate", "random-walk", "boyan-chain"):
        forms = Forms(find_problem(problem, None))
        for expression in (*forms.theta_k, *forms.v_pi):
            back = sympy.sympify(plain_text(expression), locals=names)
            assert sympy.simplify(value(back, 5, "1/3") - value(expression, 5, "1/3")) < sympy.Float("1e-30")


def test_defective_chains_have_binomials_in_k():
    problem = Problem.from_matrices(
        "9/10",
        Phi=[[1, 0], [0, 1], [0, 0]],
        P_pi=[["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]],
        d_mu=["1/3", "1/3", "1/3"],
        r_pi=[1, 2, 0],
    )
    forms = Forms(problem)
    assert any(len(part.u) > 1 for part in forms.decay.parts)
    assert forms.theta_k[0].has(K * (GAMMA / 2) ** (K - 1))
    for k in (1, 2, 5):
        close(forms.theta_k, chain_by_closed_form(problem.with_gamma("1/3"), k), k, "1/3")


def regular(problem, gammas=GAMMAS):
    """The problem at those discounts where A is regular on the features' span; the forms have poles elsewhere."""
    variants = [problem.with_gamma(g) for g in gammas]
    return [p for p in variants if td_fixed_point(p).unique_values]


@DRAWN
@given(exact_problems(max_features=4), st.sampled_from(["zero", "behaviour", "given"]))
def test_the_form_is_the_chain_identically(problem, start):
    problem = behaved(problem)
    if start == "behaviour" and not all(behaviour_fixed_point(problem.with_gamma(g)).unique_values for g in GAMMAS):
        start = "zero"
    if start == "given":
        start = [fraction(fmpq(i + 1, 3)) for i in range(problem.n_features)]
    forms = Forms(problem, start)
    for variant in regular(problem):
        for k in range(7):
            assert forms.theta_at(k, rational(variant.exact.gamma)) == chain_by_closed_form(variant, k, start)


def test_a_nilpotent_chain_is_a_polynomial_from_its_depth_on():
    # 0 → 1 → 2 ↺ without features of the last state: R is a shift with R² = 0.
    problem = Problem.from_matrices(
        "9/10",
        Phi=[[1, 0], [0, 1], [0, 0]],
        P_pi=[[0, 1, 0], [0, 0, 1], [0, 0, 1]],
        r_pi=[1, 2, 0],
        d_mu=["1/3", "1/3", "1/3"],
    )
    forms = Forms(problem)
    assert forms.valid_from == 2
    assert list(forms.theta_k) == [1 + 2 * GAMMA, 2]
    for k in range(5):
        assert forms.theta_at(k, fmpq(1, 2)) == chain_by_closed_form(problem.with_gamma("1/2"), k)
    assert forms.theta_at(1, fmpq(1, 2)) != forms.theta_at(2, fmpq(1, 2))


def test_twostate_and_threestate_in_full():
    two, three = Forms(twostate()), Forms(threestate())
    x = 6 * GAMMA / 5
    assert sympy.simplify(two.theta_k[0] - sympy.Rational(3, 5) * (1 - x**K) / (1 - x)) == 0
    assert two.theta_pi[0] == 3 / (5 - 6 * GAMMA)
    # Full features, r_π = 1: all of the value in the constant feature.
    assert list(three.theta_k) == [0, 0, (1 - GAMMA**K) / (1 - GAMMA)]


def test_ten_features_stay_in_one_sum_over_roots():
    problem = random_problem(np.random.default_rng(0), 20, 10)
    forms = Forms(problem)
    pieces = (forms.theta_pi, forms.theta_k, td_spectrum(forms.moments))
    assert [len(piece) for piece in pieces] == [10, 10, 1]
    variant = problem.with_gamma("2/3")
    for k in range(7):
        assert forms.theta_at(k, fmpq(2, 3)) == chain_by_closed_form(variant, k)
    close(forms.theta_k, chain_by_closed_form(variant, 5), 5, variant.exact.gamma)


@pytest.mark.parametrize(
    "problem",
    [quadrant([[0], [0]]), quadrant([[1, 1], [2, 2]]), quadrant([[1, 2, 3], [4, 5, 6]]), twostate(r_pi=(0, 0))],
    ids=["no features", "twins", "F>S", "no rewards"],
)
def test_degenerate_problems_have_closed_forms_too(problem):
    forms = Forms(problem, [1] * problem.n_features)
    for variant in regular(problem):
        for k in range(4):
            assert forms.theta_at(k, rational(variant.exact.gamma)) == chain_by_closed_form(
                variant, k, [1] * problem.n_features
            )
            if k >= forms.valid_from:
                close(forms.theta_k, forms.theta_at(k, rational(variant.exact.gamma)), k, variant.exact.gamma)


def test_behaviour_start_needs_the_behaviour():
    with pytest.raises(InvalidProblem, match="P_mu"):
        Forms(quadrant([[1], [3]]), "behaviour").origin.at(fmpq(0))


def test_long_numbers_under_a_root_stay_numbers():
    """SymPy finds nan where it simplifies such a weight."""
    rows = [[0, 0.7339285714285714, 0], [0.2423728813559322, 0, 0.7576271186440678], [0, 0.245, 0]]
    visits, rewards = [0.25, 0.5, 0.25], [0, 0, 0.755]
    problem = Problem.from_matrices(0.9, Phi=np.eye(3), P_pi=rows, d_mu=visits, r_pi=rewards, episodic=True)
    assert not any(entry.has(sympy.nan) for entry in derive(problem).forms.bias)
