"""Proofs in doubles claim nothing that exact arithmetic denies, even within rounding of the boundary."""

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat

from tests.models import model_of
from theory.certified.bounded import float_matrix, float_pencil, is_contraction, is_symmetric_definite, proved_signature
from theory.exact.matrices import identity, rational
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle
from theory.model.linear_model import exact_model
from theory.problems import Problem


def drawn(rng, S, F, gamma):
    P, d = rng.uniform(size=(S, S)), rng.uniform(size=S)
    return rng.normal(size=(S, F)), P / P.sum(axis=1, keepdims=True), d / d.sum(), gamma


def leading_minors_positive(H):
    return all(fmpq_mat([row[:k] for row in H.tolist()[:k]]).det() > 0 for k in range(1, H.nrows() + 1))


def threshold(test):
    """The double γ at which a monotone float test stops holding, by bisection to the last bit."""
    low, high = 0.0, 1.0
    while np.nextafter(low, 1) < high:
        middle = (low + high) / 2
        low, high = (middle, high) if test(middle) else (low, middle)
    return low


@pytest.mark.parametrize("seed", range(15))
def test_moments_are_within_the_stated_error(seed):
    Phi, P, d, gamma = drawn(np.random.default_rng(seed), 9, 4, 0.97)
    exact = model_of(gamma, Phi, P, d)
    A, chain = float_pencil("td", gamma, Phi, P, d), float_pencil("chain", gamma, Phi, P, d)
    for pencil, floats, moment in (
        (A, A.N, exact.A),
        (chain, chain.N, exact.gamma * exact.Y),
        (chain, chain.E, exact.X),
    ):
        for i, row in enumerate(moment.tolist()):
            for j, x in enumerate(row):
                value = Fraction(int(x.p), int(x.q))
                assert abs(Fraction(floats[i, j]) - value) <= Fraction(pencil.error)
                assert abs(value) <= Fraction(pencil.size)


@pytest.mark.parametrize("seed", range(10))
def test_definiteness_is_never_claimed_beyond_the_exact_threshold(seed):
    """γ is walked, bit by bit, to where A + Aᵀ stops being definite; the proof must have stopped before."""
    Phi, P, d, _ = drawn(np.random.default_rng(seed), 5, 5, None)

    def exact(gamma):
        A = model_of(gamma, Phi, P, d).A
        return leading_minors_positive(A + A.transpose())

    if exact(1 - 1e-9):
        return  # definite for every discount: nothing to walk to
    edge = threshold(exact)
    proved = threshold(lambda gamma: is_symmetric_definite(float_pencil("td", gamma, Phi, P, d)))
    assert proved <= edge
    # And the proof does not stop much before: the shift is about F²·S·u·m² ~ 1e−12, A's smallest slope in γ ~ 1e−3.
    assert edge - proved < 1e-6


@pytest.mark.parametrize("seed", range(10))
def test_contraction_is_never_claimed_beyond_the_exact_threshold(seed):
    Phi, P, d, _ = drawn(np.random.default_rng(seed), 5, 4, None)

    def exact(gamma):
        r = model_of(gamma, Phi, P, d)
        Y = r.gamma * r.Y
        return leading_minors_positive(r.X - Y.transpose() * r.X.solve(Y))

    if exact(1 - 1e-9):
        return
    edge = threshold(exact)
    proved = threshold(lambda gamma: is_contraction(float_pencil("chain", gamma, Phi, P, d)))
    assert proved <= edge
    assert edge - proved < 1e-6


def test_signatures_close_to_the_boundary_are_right_or_absent():
    """TD with features scaled so that A is nearly on the boundary: within 1e−16 … 1e−9 of it, on both sides."""
    Phi, P, d = np.array([[1.0, 0], [2, 0], [0, 1]]), np.array([[0.0, 1, 0], [0, 1, 0], [0, 0, 1]]), np.full(3, 1 / 3)
    wrong_sides = {"td": set(), "chain": set()}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        gamma = float(Fraction(5, 6)) + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-16, -9)
        mixed = Phi @ rng.normal(size=(2, 2))
        r = model_of(gamma, mixed, P, d)
        left = half_planes(characteristic_polynomial(r.A)).left
        outside = unit_circle(characteristic_polynomial(r.X.solve(r.gamma * r.Y))).outside
        for question, truth in (("td", left), ("chain", outside)):
            found = proved_signature(float_pencil(question, gamma, mixed, P, d), question == "chain")
            if found is not None:
                assert np.sum(found.signs < 0) == truth
                wrong_sides[question].add(truth)
    assert wrong_sides == {"td": {0, 1}, "chain": {0, 1}}  # not always absent, on either side


@pytest.mark.parametrize("seed", range(20))
def test_matrices_in_floats_enclose_and_prove(seed):
    Phi, P, d, gamma = drawn(np.random.default_rng(seed), 6, 3, 0.9)
    exact = identity(3) - rational(Fraction(0.3)) * model_of(gamma, Phi, P, d).A
    pencil = float_matrix(exact)
    for i, row in enumerate(exact.tolist()):
        for j, x in enumerate(row):
            assert abs(Fraction(pencil.N[i, j]) - Fraction(int(x.p), int(x.q))) <= Fraction(pencil.error)
    found = proved_signature(pencil, True)
    assert found is not None
    assert np.sum(found.signs < 0) == unit_circle(characteristic_polynomial(exact)).outside


def test_dependent_features_are_never_proved():
    problem = Problem.from_matrices(
        0.9,
        Phi=[[1.0, 1, 2], [0.5, 0.5, 1], [3, 3, 6]],
        P_pi=[[0.0, 1, 0], [0, 0, 1], [1, 0, 0]],
        d_mu=[0.25, 0.25, 0.5],
    )
    assert exact_model(problem).rank == 1
    td = float_pencil("td", problem.gamma, problem.Phi, problem.P_pi, problem.d_mu)
    chain = float_pencil("chain", problem.gamma, problem.Phi, problem.P_pi, problem.d_mu)
    assert not is_symmetric_definite(td)
    assert not is_contraction(chain)
    assert proved_signature(td, False) is None
    assert proved_signature(chain, True) is None


@pytest.mark.parametrize("scale", [1e-61, 1e61, 0.0])
def test_out_of_the_safe_range_nothing_is_attempted(scale):
    assert float_pencil("td", 0.5, np.array([[scale]]), np.array([[1.0]]), np.array([1.0])) is None
