"""Theorems beyond the paper about the conditions: quadrants, basis, determinant, uniform safety, on-policy."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat

from tests.propositions.outcomes import found, moments, refuted, stated
from theory.certified.verdicts import uniformly_safe
from theory.linear.spectra import worst_direction
from theory.problems import Problem
from theory.propositions import extra_basis, quadrants, safe_features
from theory.propositions.cases import cases
from theory.propositions.theories.paper import paper_theory
from theory.symbolic.outcomes import Proved


def chain_radius(problem: Problem) -> float:
    PhiD = problem.Phi.T * problem.d_mu
    B = problem.gamma * np.linalg.solve(PhiD @ problem.Phi, PhiD @ problem.P_pi @ problem.Phi)
    return float(abs(np.linalg.eigvals(B)).max())


# extra-quadrants


def test_all_four_quadrants_occur_in_one_mdp() -> None:
    seen = set()
    for expected, Phi in quadrants.QUADRANTS.items():
        problem = quadrants.swap(Phi)
        got = (bool(np.linalg.eigvals(moments(problem).A).real.min() > 0), chain_radius(problem) < 1)
        assert got == expected
        seen.add(got)
    assert len(seen) == 4


# extra-basis


def test_one_span_has_a_stable_and_an_unstable_basis() -> None:
    bad = found("extra-basis", "the chain, not TD").witness
    tabular = bad.with_features([[1, 0], [0, 1]])
    assert np.linalg.eigvals(moments(bad).A).real.min() < 0 < np.linalg.eigvals(moments(tabular).A).real.min()
    assert chain_radius(bad) == pytest.approx(chain_radius(tabular))


def test_whitened_cases_are_white_and_see_every_side_of_the_condition() -> None:
    seen = set()
    for problem in extra_basis.whitened():
        d, Phi = problem.exact.d_mu, problem.exact.Phi
        F = problem.n_features
        assert ((Phi.T * d) @ Phi).tolist() == [[int(i == j) for j in range(F)] for i in range(F)]
        seen.add((bool(np.linalg.eigvals(moments(problem).A).real.min() > 0), chain_radius(problem) < 1, F > 1))
    # (stable, unbiased) with one feature and with more; unstable and unbiased cannot occur
    assert seen == {(s, u, more) for s, u in ((True, True), (True, False), (False, False)) for more in (True, False)}


# extra-determinant


def test_two_updates_with_a_large_step_converge_although_the_determinant_is_negative() -> None:
    problem = found("extra-determinant", "α < 2/λ_max(X), for even T").witness
    X, Y, gamma = Fraction(5, 2), Fraction(3), problem.exact.gamma
    theta, target = Fraction(1), Fraction(0)  # zero rewards: θ_π = 0
    assert X - gamma * Y < 0
    for _ in range(60):
        frozen = theta
        for _ in range(2):
            theta += gamma * Y * frozen - X * theta  # α = 1
    assert abs(theta - target) == Fraction(153, 200) ** 60
    odd = 1 - X + gamma * Y  # T = 1
    assert abs(odd) > 1


def test_odd_windows_fail_at_every_step_size_where_the_determinant_is_negative() -> None:
    for problem in quadrants.two_features():
        X, A = (problem.Phi.T * problem.d_mu) @ problem.Phi, moments(problem).A
        assert np.linalg.det(A) < 0
        for alpha in np.geomspace(1e-3, 30, 25):
            Q = np.linalg.matrix_power(np.eye(2) - alpha * X, 3)
            G = np.eye(2) - (np.eye(2) - Q) @ np.linalg.solve(X, A)
            assert abs(np.linalg.eigvals(G)).max() > 1


# extra-uniform-safety


def test_exact_verdict_agrees_with_the_eigenvalue_in_floats() -> None:
    safe = []
    for problem in cases():
        e = problem.exact
        exact = uniformly_safe(e.d_mu, e.P_pi, e.gamma).proved
        bound = problem.gamma * worst_direction(problem.d_mu, problem.P_pi)[0]
        assert abs(bound - 1) > 1e-6  # no case is near the boundary, so floats decide
        assert exact is (bound < 1)
        safe.append(exact)
    assert True in safe
    assert False in safe


def test_worst_feature_breaks_both_in_plain_fractions() -> None:
    d, P, gamma = [Fraction(9, 10), Fraction(1, 10)], [[0, 1], [1, 0]], Fraction(9, 10)
    x = safe_features.worst_feature(uniformly_safe(d, P, gamma))
    assert x is not None
    X = sum(w * v * v for w, v in zip(d, x, strict=True))
    Y = sum(w * v * y for w, v, y in zip(d, x, x[::-1], strict=True))
    assert X - gamma * Y < 0
    assert gamma * Y / X > 1


def test_signs_in_P_break_the_chain_but_not_TD() -> None:
    P = np.array(found("extra-uniform-safety", "P ≥ 0, for the chain").witness["P"])
    assert P.sum(axis=1).tolist() == [1, 1]
    assert np.linalg.eigvalsh(np.eye(2) - 0.9 * P).min() > 0
    assert max(abs(np.linalg.eigvals(0.9 * P))) == pytest.approx(2.7)


# extra-on-policy


def test_stationarity_is_what_the_proof_uses() -> None:
    outcome = stated("extra-on-policy", "projected non-expansion").decide()
    assert isinstance(outcome, Proved)
    assert "edges arrive with D" in outcome.certificate.assumptions
    n = paper_theory()
    miss = (1 - n.Pi) * n.P
    step = n.Pi * n.P
    wrong = n.T.prove("without it", n.D - step.T * n.D * step, miss.T * n.D * miss)
    assert refuted(wrong)


def test_on_policy_operator_does_not_expand_any_vector() -> None:
    rng = np.random.default_rng(0)
    for problem in cases("behaviour", "full-rank"):
        own = safe_features.on_policy(problem)
        PhiD = own.Phi.T * own.d_mu
        step = own.Phi @ np.linalg.solve(PhiD @ own.Phi, PhiD) @ own.P_pi
        v = rng.standard_normal((own.n_states, 20))
        before, after = (own.d_mu @ w**2 for w in (v, step @ v))
        assert np.all(after <= before * (1 + 1e-10))  # rounding of a solve with at most 8 features


def test_loss_of_a_stochastic_matrix_off_policy_is_indefinite() -> None:
    problem = found("extra-on-policy", "D stationary for P").witness
    gap = safe_features.loss(problem, fmpq_mat([[0, 1], [0, 1]]))
    assert gap[1, 1] < 0
