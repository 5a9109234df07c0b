"""Verdicts against algebra, against numpy away from the boundary, and against each other."""

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from hypothesis import given

from tests.cases import each_case
from tests.exact.examples import baird, certified, quadrant, twostate
from tests.strategies import float_problems
from theory.certified.decide import strategies
from theory.certified.proofs import side_of
from theory.certified.verdicts import (
    chain_unbiased,
    richardson_converges,
    step_size_admissible,
    td_stable,
    window_stable,
)
from theory.exact.polynomials import characteristic_polynomial, half_planes, spectral_radius_side
from theory.model.linear_model import exact_model
from theory.problems import InvalidProblem, Problem

TINY = Fraction(1, 10**40)


def by_polynomials(problem):
    """The second route: root counts of the exact characteristic polynomials, no shortcuts."""
    r = exact_model(problem)
    if r.rank == 0:
        return True, True
    td = half_planes(characteristic_polynomial(r.A)).right == r.rank
    return td, spectral_radius_side(characteristic_polynomial(r.X.solve(r.gamma * r.Y))) < 0


@each_case()
def test_every_case_is_decided_as_the_polynomials_say(case):
    td, chain = by_polynomials(case.problem)
    assert certified(td_stable(case.problem), case.problem) is td
    assert certified(chain_unbiased(case.problem), case.problem) is chain


def test_twostate_ties_at_five_sixths_and_nowhere_else():
    below, at, above = twostate(Fraction(5, 6) - TINY), twostate("5/6"), twostate(Fraction(5, 6) + TINY)
    for verdict in (td_stable, chain_unbiased):
        assert [certified(verdict(p), p) for p in (below, at, above)] == [True, False, False]
        assert "tie" in verdict(at).reason
        assert "tie" not in verdict(above).reason
    assert "det A = 0" in td_stable(at).reason
    assert "at +1" in chain_unbiased(at).reason


def test_baird_is_stable_exactly_below_15_17():
    threshold = Fraction(15, 17)
    problems = [baird(threshold - TINY), baird(threshold), baird(threshold + TINY)]
    assert [certified(td_stable(p), p) for p in problems] == [True, False, False]
    assert "tie" in td_stable(problems[1]).reason
    assert all(certified(chain_unbiased(p), p) for p in problems)


def test_a_tie_at_a_complex_pair():
    # det B = 1 and tr B = 13/138: e^{±iφ}.
    P = [[int(j == i) for j in range(4)] for i in (1, 0, 3, 0)]
    Phi = [[3, -4], [0, 0], [-2, 3], [4, 0]]
    d = ["1/18", "6/18", "8/18", "3/18"]
    answers = []
    for gamma in (Fraction(23, 24) - TINY, Fraction(23, 24), Fraction(23, 24) + TINY):
        problem = Problem.from_matrices(gamma, Phi=Phi, P_pi=P, d_mu=d)
        answers.append(certified(chain_unbiased(problem), problem))
        if gamma == Fraction(23, 24):
            assert "tie: ρ = 1 exactly, an eigenvalue pair" in chain_unbiased(problem).reason
    assert answers == [True, False, False]


@pytest.mark.parametrize("gamma", [np.nextafter(5 / 6, 0), 5 / 6, np.nextafter(5 / 6, 1)])
def test_floats_are_judged_as_the_rationals_they_denote(gamma):
    problem = Problem.from_matrices(gamma, Phi=[[1.0], [2.0]], P_pi=[[0, 1], [0, 1]], d_mu=[0.5, 0.5])
    stable = Fraction(5, 2) - 3 * Fraction(gamma) > 0
    assert certified(td_stable(problem), problem) is stable
    assert certified(chain_unbiased(problem), problem) is stable


def test_step_sizes_are_admissible_below_the_bound_of_richardson():
    # A = 1 at γ = 1/2, X = 5/2: 0 < α < 2/λ.
    problem = twostate("1/2")
    for which, bound in (("td", Fraction(2)), ("sequential", Fraction(4, 5))):
        for alpha, expected in ((bound - TINY, True), (bound, False), (bound + TINY, False), (0, False)):
            verdict = step_size_admissible(problem, alpha, which)
            assert certified(verdict) is expected
            assert ("tie" in verdict.reason) == (alpha in (0, bound))


def test_structural_zeros_do_not_count_but_the_basis_does():
    # Scaling a column of an unstable Φ moves TD to the stable side; dependent columns move it too, by G = RRᵀ.
    plain, scaled = quadrant([[1, 0], [3, 1]]), quadrant([[1, 0], [3, 100]])
    assert td_stable(plain).refuted
    assert td_stable(scaled).proved
    copies = quadrant([[1, 0, *[0] * 8], [3, *[12] * 9]])
    for problem in (plain, scaled, copies):
        r = exact_model(problem)
        A = np.array(problem.Phi.T @ np.diag(problem.d_mu) @ (problem.Phi - 0.9 * problem.P_pi @ problem.Phi))
        large = np.sort_complex(np.linalg.eigvals(A))
        large = large[np.abs(large) > 1e-9 * np.abs(large).max()]  # structural zeros are of size eps
        assert len(large) == r.rank
        assert certified(td_stable(problem), problem) is bool((large.real > 0).all())
        assert certified(chain_unbiased(problem), problem) is True
    assert td_stable(copies).proved


def test_zero_features_leave_nothing_to_learn():
    problem = quadrant([[0, 0], [0, 0]])
    for verdict in (
        td_stable(problem),
        chain_unbiased(problem),
        window_stable(problem, 5, 1),
        step_size_admissible(problem, 3),
    ):
        assert certified(verdict) is True
        assert "nothing to learn" in verdict.reason


@pytest.mark.parametrize("scale", ["1e300", "1e-300", 1e150, 1e-150])
def test_extreme_features_keep_the_chain_and_the_sign_of_td(scale):
    factor = Fraction(scale)
    for Phi in ([[1], [0]], [[1], [3]], [[1], [-3]], [[1, 0], [3, 1]]):
        rows = [[x * factor for x in row] for row in Phi]
        problem = quadrant([[float(x) for x in row] for row in rows] if isinstance(scale, float) else rows)
        assert certified(td_stable(problem), problem) is td_stable(quadrant(Phi)).proved
        assert certified(chain_unbiased(problem), problem) is chain_unbiased(quadrant(Phi)).proved


@given(float_problems())
def test_float_ball_and_exact_answers_agree(problem):
    td, chain = by_polynomials(problem)
    for ask, expected in ((td_stable, td), (chain_unbiased, chain)):
        fast = ask(problem)
        assert certified(fast, problem) is expected
        for evidence, method in islice(strategies(fast.question), 5):
            assert (side_of(evidence) < 0) is expected, method


def test_rejects_bad_questions():
    problem = twostate("1/2")
    with pytest.raises(InvalidProblem, match="window"):
        window_stable(problem, 0, "1/2")
    with pytest.raises(InvalidProblem, match="start"):
        window_stable(problem, 1, "1/2", "warm")
    with pytest.raises(InvalidProblem, match="step_size"):
        window_stable(problem, 1, float("nan"))
    with pytest.raises(InvalidProblem, match="P_mu"):
        step_size_admissible(quadrant([[1], [0]]), 1, "joint")
    with pytest.raises(InvalidProblem, match="which"):
        step_size_admissible(problem, 1, "all")
    with pytest.raises(InvalidProblem, match="2×1"):
        richardson_converges([[1], [2]], 1)
