from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from tests.cases import each_case
from tests.linear.examples import baird, projection, random_problem, twostate
from tests.strategies import exact_problems
from theory.exact.chain import chain_step
from theory.linear.basis import checked_moments, feature_basis, principal, row_space, unit_moments
from theory.linear.moments import feature_moment, moments, successor_moment
from theory.linear.spectra import chain_radius
from theory.problems import InvalidProblem, Problem

# r·S products of numbers of size ≤ 100: rounding stays below this by orders of magnitude.
TIGHT = 1e-11


@each_case()
def test_basis_is_orthonormal_in_D_and_reproduces_the_features(case):
    p, basis = case.problem, feature_basis(case.problem)
    assert np.allclose(basis.dual @ basis.W, np.eye(basis.rank), atol=TIGHT)
    assert np.allclose(basis.W @ basis.R, p.Phi, atol=TIGHT)
    assert np.allclose(basis.R.T @ basis.R, feature_moment(p), atol=TIGHT)
    assert np.allclose(basis.W @ basis.dual, projection(p), atol=TIGHT)
    assert basis.full_rank == ("rank-deficient" not in case.tags)


@each_case(without=("rank-deficient",))
def test_compressed_operator_is_similar_to_X_inverse_Y(case):
    p, basis = case.problem, feature_basis(case.problem)
    B = np.linalg.solve(feature_moment(p), successor_moment(p))
    assert np.allclose(np.linalg.solve(basis.R, basis.compress(p.P_pi) @ basis.R), B, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(exact_problems())
def test_parameters_of_coordinates_give_the_values_and_are_shortest(problem):
    basis = feature_basis(problem)
    c = np.cos(np.arange(basis.rank))
    theta = basis.theta(c)
    assert np.allclose(problem.Phi @ theta, basis.values(c), atol=1e-8)
    pseudo = np.linalg.pinv(problem.Phi, rcond=1e-12) @ basis.values(c)
    assert np.allclose(theta, pseudo, atol=1e-7 * max(1, np.abs(pseudo).max(initial=0)))


def test_stacks_of_coordinates_map_row_by_row():
    basis = feature_basis(baird())
    c = np.arange(14.0).reshape(2, 7)
    assert np.allclose(basis.theta(c), [basis.theta(c[0]), basis.theta(c[1])])
    assert basis.values(c).shape == (2, 7)


@each_case()
def test_principal_basis_diagonalises_X(case):
    basis, sigma = principal(feature_basis(case.problem))
    assert np.allclose(basis.R @ basis.R.T, np.diag(sigma**2), atol=TIGHT)
    assert np.allclose(basis.W @ basis.R, case.problem.Phi, atol=TIGHT)
    assert np.allclose(basis.dual @ basis.W, np.eye(basis.rank), atol=TIGHT)


def test_row_space_holds_all_that_moments_see():
    p = baird()
    V = row_space(p)
    m = moments(p)
    assert V.shape == (8, 7)
    for matrix in (m.X, m.Y, m.A):
        assert np.allclose(V @ V.T @ matrix @ V @ V.T, matrix, atol=TIGHT)


def test_rank_does_not_depend_on_the_units_of_a_feature():
    p = random_problem(3, 5, 3)
    scaled = p.with_features(p.Phi * np.array([1e300, 1.0, 1e-300]))
    a, b = feature_basis(p), feature_basis(scaled)
    assert a.rank == b.rank == 3
    assert np.allclose(a.W @ a.dual, b.W @ b.dual, atol=TIGHT)


def test_a_state_however_rare_is_told_apart():
    p = Problem.from_matrices(0.9, Phi=np.eye(2), P_pi=[[0, 1], [1, 0]], d_mu=np.array([1.0, 1e-300]))
    basis = feature_basis(p)
    assert np.allclose(basis.W @ basis.dual, np.eye(2), atol=TIGHT)  # Π = I
    assert chain_radius(p) == pytest.approx(0.9, abs=TIGHT)
    assert feature_basis(p.with_features([[1], [1]])).rank == 1


@pytest.mark.parametrize("seed", range(8))
def test_states_of_very_different_rarity_are_each_right_in_their_own_units(seed):
    """WᵀDW = I, WR = Φ, and ρ(γΠP) as in exact numbers, with weights from 1 to 10⁻¹²⁰."""
    rng = np.random.default_rng(seed)
    d = [Fraction(1, 10 ** int(e)) for e in rng.integers(0, 120, size=5)]
    P = rng.integers(0, 4, size=(5, 5)) + np.eye(5, dtype=int)
    p = Problem.from_matrices(
        "9/10",
        Phi=rng.integers(-5, 6, size=(5, 1 + seed % 5)),
        P_pi=[[Fraction(int(x), int(row.sum())) for x in row] for row in P],
        d_mu=[x / sum(d) for x in d],
    )
    basis = feature_basis(p)
    assert np.allclose(basis.dual @ basis.W, np.eye(basis.rank), atol=TIGHT)
    assert np.allclose(basis.W @ basis.R, p.Phi, atol=1e-10)
    step = chain_step(p)[0] if basis.full_rank else None
    if step is not None:
        radius = max(abs(complex(root)) for root, _ in step.charpoly().complex_roots())
        assert chain_radius(p) == pytest.approx(radius, rel=1e-9)


def test_zero_features_have_rank_zero():
    p = twostate("1/2").with_features([[0, 0], [0, 0]])
    basis = feature_basis(p)
    assert basis.rank == 0
    assert basis.theta(np.zeros(0)).tolist() == [0, 0]
    assert row_space(p).shape == (2, 0)


def test_unit_moments_are_the_moments_up_to_a_power_of_two():
    p = random_problem(4, 4, 2)
    large = p.with_features(np.ldexp(p.Phi, 900))
    m, exponent = unit_moments(large)
    assert np.array_equal(m.A * 4.0 ** (exponent - 900), moments(p).A)


def test_too_large_and_too_small_features_are_refused_where_moments_must_be_written_down():
    p = twostate("1/2")
    with pytest.raises(InvalidProblem, match="overflow"):
        checked_moments(p.with_features([[1e300], [1.0]]))
    with pytest.raises(InvalidProblem, match="feature 1 is so small"):
        checked_moments(p.with_features([[1.0, 1e-300], [1.0, 0.0]]))
