"""The chain's fixed points and bias: eq-closed-form, eq-geometric, eq-zp, prop-3, claim-exponential, neumann."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from tests.propositions.outcomes import found, moments, stated
from theory.propositions import bias_growth, unbiased
from theory.symbolic.outcomes import Proved

# eq-closed-form, eq-geometric, eq-zp


def test_closed_form_and_first_geometric_identity_do_not_need_A_to_be_invertible() -> None:
    for id, name in (("eq-closed-form", "closed-form"), ("eq-geometric", "geometric")):
        outcome = stated(id, name).decide()
        assert isinstance(outcome, Proved)
        assert not [a for a in outcome.certificate.assumptions if "Ai" in a]
    assert [a for a in stated("eq-geometric", "geometric-inverse").decide().certificate.assumptions if "Ai" in a]


def test_key_matrix_of_twostate_vanishes_at_five_sixths() -> None:
    problem = found("eq-geometric", "A invertible, for the second identity").witness
    phi, d, gamma = (Fraction(1), Fraction(2)), Fraction(1, 2), problem.exact.gamma
    X, Y = d * sum(p * p for p in phi), d * sum(p * phi[1] for p in phi)
    assert X - gamma * Y == 0


def test_value_operator_of_twostate_is_singular() -> None:
    problem = found("eq-zp", "k ≥ 1").witness
    PhiD = problem.Phi.T * problem.d_mu
    Z = problem.Phi @ np.linalg.solve(PhiD @ problem.Phi, PhiD) @ problem.P_pi
    assert np.linalg.matrix_rank(Z) == 1


# prop-3


def test_one_problem_converges_from_one_start_and_diverges_from_another() -> None:
    B = moments(found("prop-3", "ρ(B) < 1").witness).B
    assert np.allclose(B, np.diag([27 / 25, 9 / 10]), rtol=0, atol=1e-15)


def test_bias_alternates_for_ever_at_minus_one() -> None:
    problem = found("prop-3", "ρ(B) < 1, strictly").witness
    d, phi, gamma = problem.exact.d_mu, problem.exact.Phi[:, 0], problem.exact.gamma
    X = d[0] * phi[0] ** 2 + d[1] * phi[1] ** 2
    Y = d[0] * phi[0] * phi[1] + d[1] * phi[1] * phi[0]
    assert gamma * Y / X == -1
    assert X - gamma * Y != 0


def test_defective_case_has_too_few_eigenvectors() -> None:
    B = moments(unbiased.defective()).B / 0.9
    assert np.linalg.matrix_rank(B - np.eye(3) / 2) == 2  # λ = ½ twice, one eigenvector
    assert np.linalg.matrix_rank((B - np.eye(3) / 2) @ (B - np.eye(3) / 2)) == 1


# claim-exponential, neumann


def test_distance_grows_at_first_in_both_norms() -> None:
    problem = found("claim-exponential", "as stated").witness
    P, gamma = problem.exact.P_pi, problem.exact.gamma  # Φ = I, so B = γP
    e = [Fraction(0), Fraction(1)]
    after = [gamma * sum(P[s, j] * e[j] for j in range(2)) for s in range(2)]
    assert sum(x * x for x in after) == Fraction(81, 50)
    assert max(abs(np.linalg.eigvals(moments(problem).B))) == pytest.approx(0.9)


def test_stein_solves_its_equation_and_is_definite_exactly_below_one() -> None:
    shear = fmpq_mat([[fmpq(9, 10), 5], [0, fmpq(1, 2)]])
    Q = bias_growth.stein(shear)
    one = fmpq_mat([[1, 0], [0, 1]])
    assert Q - shear.transpose() * Q * shear == one
    assert bias_growth.is_positive_definite(Q)
    beyond = fmpq_mat([[fmpq(11, 10), 5], [0, fmpq(1, 2)]])
    assert not bias_growth.is_positive_definite(bias_growth.stein(beyond))


@pytest.mark.parametrize(("drops", "beta"), [("ρ(B) < 1", Fraction(-3, 2)), ("ρ(B) < 1, strictly", Fraction(-1))])
def test_partial_sums_do_not_settle(drops: str, beta: Fraction) -> None:
    problem = found("neumann", drops).witness
    d, phi, gamma = problem.exact.d_mu, problem.exact.Phi[:, 0], problem.exact.gamma
    X = sum(w * x * x for w, x in zip(d, phi, strict=True))
    Y = sum(d) * phi[0] * phi[1]  # a swap
    assert gamma * Y / X == beta
    inverse, total, gaps = 1 / (X - gamma * Y), Fraction(0), []
    for k in range(6):
        gaps.append(abs(total - inverse))
        total += beta**k / X
    assert all(later >= earlier > 0 for earlier, later in pairwise(gaps))
