"""The closed forms mean the chain: exactly at rational points, and as SymPy expressions to many digits."""

from fractions import Fraction
from random import Random

import mpmath
import pytest
import sympy
from flint import fmpq

from theory.derivation.derive import derive
from theory.derivation.drift import singular_form
from theory.derivation.forms import GAMMA, Forms, K
from theory.derivation.notation import plain_text
from theory.exact.chain import chain_by_closed_form
from theory.exact.matrices import rational
from theory.exact.moments import exact_joint, true_values
from theory.problems import Problem
from theory.problems.catalogue import problem_names
from theory.problems.sources import find_problem

DIGITS = 50
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
def test_forms_are_the_chain_at_random_discounts_and_heads(name):
    problem, rng = find_problem(name, None), Random(name)
    start = [Fraction(i + 1, 2) for i in range(problem.n_features)] if problem.n_features <= 4 else "zero"
    forms = Forms(problem, start)
    for trial in range(6):
        at, k = Fraction(rng.randint(1, 96), 97), rng.randint(0, 12)
        if forms.target.denominator(rational(at)) == 0:
            continue
        exact = chain_by_closed_form(problem.with_gamma(at), k, start)
        # θ⁰ outside the row space of Φ leaves it after one step; the form of the bias needs both in it.
        assert forms.theta_at(k, rational(at)) == exact or (k == 0 and problem.n_states < problem.n_features)
        if k >= forms.valid_from and trial < 2:
            close(forms.theta_k, exact, k, at)
            truth = true_values(problem.with_gamma(at))[0]
            close(forms.v_pi, truth, k, at)
            close(forms.value_error, forms._Phi * exact - truth, k, at)


def test_twostate_reads_as_in_the_papers_appendix():
    found = derive(find_problem("twostate-reward", None))
    form, since = found.powers
    assert (form[0], since) == ((6 * GAMMA / 5) ** K, 0)
    assert found.forms.theta_pi[0] == 3 / (5 - 6 * GAMMA)


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
    form, since = singular_form(Forms(problem))
    for k in range(since, 6):
        assert form[0].subs(K, k) == sympy.Rational(str(chain_by_closed_form(problem, k)[0, 0]))
    found = derive(problem)
    assert found.singular
    assert found.ok
    assert not found.rows


@pytest.mark.parametrize("name", ["twostate-reward", "complex-cycle", "quadrant-unstable-unbiased"])
def test_the_joint_matrix_times_its_inverse_is_one(name):
    forms = Forms(find_problem(name, None))
    if forms.A_mu is None:
        pytest.skip("no behaviour")
    M, inverse = forms.joint(2), forms.joint_inverse(2)
    assert (M * inverse).applyfunc(sympy.cancel) == sympy.eye(M.rows)
    gamma = forms.problem.exact.gamma
    exact = exact_joint(forms.problem, 2)[0]
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


def test_bias_at_any_k_needs_no_root():
    problem = find_problem("boyan-chain", None)
    forms = Forms(problem)
    for k in (0, 1, 7):
        gamma = fmpq(1, 3)
        assert forms.bias_at(k, gamma) == chain_by_closed_form(problem.with_gamma("1/3"), k) - forms.target.at(gamma)


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
