import numpy as np
import pytest
from hypothesis import given, settings

from tests.cases import each_case
from tests.linear.examples import QUADRANTS, baird, projection, random_problem, swap, twostate, within_unit_circle
from tests.strategies import float_problems
from theory.linear.spectra import (
    behaviour_spectrum,
    chain_radius,
    chain_spectrum,
    eigenvalue_paths,
    feature_spectrum,
    smooth_eigenvalue_paths,
    spectrum,
    td_spectrum,
)
from theory.model.linear_model import moments
from theory.problems import InvalidProblem, Problem


def same_multiset(a, b, tolerance):
    """Two spectra agree as multisets: greedy matching of the nearest."""
    b = list(b)
    for x in a:
        nearest = min(range(len(b)), key=lambda i: abs(b[i] - x))
        assert abs(b.pop(nearest) - x) < tolerance
    assert not b


@pytest.mark.parametrize("verdicts", QUADRANTS)
def test_four_quadrants_in_one_mdp(verdicts):
    p = swap(QUADRANTS[verdicts])
    assert (td_spectrum(p).positive_real(), within_unit_circle(chain_spectrum(p))) == verdicts


@each_case()
def test_nonzero_chain_spectrum_is_that_of_gamma_projection_transitions(case):
    p = case.problem
    full = np.linalg.eigvals(p.gamma * projection(p) @ p.P_pi)
    mine = chain_spectrum(p).eigenvalues
    padded = np.concatenate([mine, np.zeros(p.n_states - len(mine))])
    # A Jordan block of size 3 (case "jordan") turns rounding 1e−16 into 1e−5.
    same_multiset(padded, full, 1e-4 if "defective" in case.tags else 1e-7)
    assert chain_radius(p) == pytest.approx(np.abs(full).max(), abs=1e-4)


def test_structural_zeros_of_baird_are_left_out():
    p = baird("99/100")
    mine = td_spectrum(p).eigenvalues
    assert len(mine) == 7
    full = np.linalg.eigvals(moments(p).A)
    same_multiset([*mine, 0], full, 1e-9)


@pytest.mark.parametrize(("gamma", "verdict"), [("15/17", "undecided"), ("881/1000", "yes"), ("883/1000", "no")])
def test_baird_td_is_unstable_exactly_from_fifteen_seventeenths(gamma, verdict):
    assert td_spectrum(baird(gamma)).positive_real() == verdict


def test_ties_are_undecided_in_floats():
    assert td_spectrum(twostate("5/6")).positive_real() == "undecided"
    assert within_unit_circle(chain_spectrum(twostate("5/6"))) == "undecided"
    boundary = swap([[1], [-3]]).with_gamma("3/5")  # B = −1 exactly
    assert within_unit_circle(chain_spectrum(boundary)) == "undecided"


def test_defective_matrix_is_not_trusted_beyond_the_root_of_rounding():
    s = spectrum(np.eye(3, k=1) + np.diag([0.0, 0.0, 1e-40]))  # a Jordan block at 0
    assert s.positive_real() == "undecided"
    assert s.error.max() > 1e-7


def test_condition_number_is_one_for_symmetric_and_known_for_two_by_two():
    assert np.allclose(feature_spectrum(random_problem(1, 5, 3)).condition, 1)
    # [[a, c], [0, b]]: κ = √(1 + (c/(a−b))²)
    s = spectrum(np.array([[2.0, 30.0], [0.0, 1.0]]))
    assert np.allclose(s.condition, np.sqrt(1 + 30.0**2))


@settings(max_examples=60, deadline=None)
@given(float_problems())
def test_behaviour_spectrum_is_never_called_unstable_when_stationary(problem):
    if problem.P_mu is not None and problem.is_stationary:
        assert behaviour_spectrum(problem).positive_real() != "no"


def test_behaviour_spectrum_can_be_complex():
    """prop-5 made precise: D = I/3, 3-cycle, γ = 9/10 gives 11/30 ± i√2/15... with the real part positive."""
    cycle = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    p = Problem.from_matrices("9/10", Phi=[[1, 1], [1, 0], [0, 1]], P_pi=cycle, P_mu=cycle)
    s = behaviour_spectrum(p)
    A = p.Phi.T @ (p.Phi - 0.9 * np.array(cycle) @ p.Phi) / 3
    trace, det = np.trace(A), np.linalg.det(A)
    assert np.allclose(s.eigenvalues.real, trace / 2)
    assert np.allclose(np.abs(s.eigenvalues.imag), np.sqrt(det - trace**2 / 4))
    assert np.allclose(s.eigenvalues.real, 11 / 30)
    assert s.positive_real() == "yes"


def test_behaviour_spectrum_needs_the_behaviour():
    with pytest.raises(InvalidProblem, match="A_μ"):
        behaviour_spectrum(swap([[1], [3]]))


@pytest.mark.parametrize("scale", [1e-140, 1e140])
@pytest.mark.parametrize("verdicts", QUADRANTS)
def test_verdicts_survive_large_and_small_features(verdicts, scale):
    p = swap(np.array(QUADRANTS[verdicts]) * scale)
    assert (td_spectrum(p).positive_real(), within_unit_circle(chain_spectrum(p))) == verdicts


@pytest.mark.parametrize(("scale", "said"), [(1e-200, "so small that"), (1e200, "overflow double precision")])
def test_features_whose_moments_are_no_doubles_are_refused(scale, said):
    with pytest.raises(InvalidProblem, match=said):
        td_spectrum(swap(np.array([[1.0], [3.0]]) * scale))


def test_chain_spectrum_ignores_the_units_of_each_feature_and_td_does_not():
    """extra-basis: ρ(γΠP) depends on span Φ alone."""
    p = random_problem(2, 6, 3)
    q = p.with_features(p.Phi @ np.array([[1e140, 0, 0], [1, 1, 0], [0, 0, 1e-140]]))
    assert chain_radius(q) == pytest.approx(chain_radius(p), rel=1e-9)
    unstable = swap([[1, 0], [3, 1]])  # the chain is unbiased, so TD is stable in the whitened basis
    assert td_spectrum(unstable).positive_real() == "no"
    assert td_spectrum(unstable.with_features(np.diag([1 / 0.9, 1 / 0.1]) ** 0.5)).positive_real() == "yes"


def test_chain_paths_are_rays_and_td_paths_are_continuous():
    p, grid = baird(), np.linspace(0, 0.999, 400)
    rays = eigenvalue_paths(p, grid, "chain")
    assert np.allclose(rays[200] / grid[200], rays[300] / grid[300])
    paths = eigenvalue_paths(p, grid)
    for i in (0, 100, 399):
        q = p.with_gamma(float(grid[i]))
        same_multiset(paths[i], td_spectrum(q).eigenvalues, 1e-6)  # double eigenvalues split by √eps
    # Near a collision λ moves like √Δγ = .05 times the size of A, and nowhere by more.
    assert np.abs(np.diff(paths, axis=0)).max() < 0.15


def test_paths_through_a_crossing_keep_their_names():
    # Two separate one-state problems side by side cross without meeting: λ = d₁(1−γ)φ₁² and d₂φ₂².
    p = Problem.from_matrices(
        0, Phi=[[1, 0], [0, 0.8], [0, 0]], P_pi=[[1, 0, 0], [0, 0, 1], [0, 0, 1]], d_mu=[0.45, 0.45, 0.1]
    )
    grid = np.linspace(0, 0.99, 23)
    paths = eigenvalue_paths(p, grid)
    falling = paths[:, np.argmax(paths[0].real)]
    assert np.allclose(falling, 0.45 * (1 - grid))


@pytest.mark.parametrize("which", ["td", "chain"])
def test_no_gammas_and_no_features_give_empty_paths(which):
    p = twostate("1/2").with_features([[0], [0]])
    assert eigenvalue_paths(p, np.linspace(0, 0.9, 4), which).shape == (4, 0)
    assert chain_radius(p) == 0
    assert td_spectrum(p).positive_real() == "yes"  # nothing to be unstable
    assert eigenvalue_paths(twostate("1/2"), np.zeros(0), which).shape == (0, 1)


def test_rare_states_make_a_verdict_undecided_rather_than_wrong():
    """Tabular, so ρ = γ; with d = 1e−28 rounding is multiplied by 1e14 and 1 − γ = 1e−3 drowns in it."""
    p = Problem.from_matrices(0.999, Phi=[[1, 2], [3, 5]], P_pi=[[0, 1], [1, 0]], d_mu=np.array([1 - 1e-28, 1e-28]))
    assert within_unit_circle(chain_spectrum(p)) != "no"
    sane = Problem.from_matrices(0.999, Phi=[[1, 2], [3, 5]], P_pi=[[0, 1], [1, 0]], d_mu=[0.9, 0.1])
    assert within_unit_circle(chain_spectrum(sane)) == "yes"


def test_smooth_paths_turn_where_a_pair_is_born():
    """Of Baird's A a pair leaves the real axis at the lower root of 289γ² − 406γ + 121 and returns at the upper.

    Its polynomial is λ² − (15 − 17γ)/7·λ + 26(1 − γ)/49 (claim-baird), so it meets at λ = (15 − 17γ)/14. An even grid
    of 201 passes by at a distance of about √(1/200).
    """
    paths = smooth_eigenvalue_paths(baird())
    even = eigenvalue_paths(baird(), np.linspace(0, 1, 201))
    for gamma in (203 + np.array([-4, 4]) * np.sqrt(390)) / 289:
        meeting = (15 - 17 * gamma) / 14
        assert np.abs(paths - meeting).min() < 0.005 < np.abs(even - meeting).min()
    steps = np.abs(np.diff(paths, axis=0)).max(axis=1)
    assert steps.max() < 0.02 * np.ptp(paths.real)


def test_episodes_that_end_at_once_have_the_spectrum_zero():
    problem = Problem.from_matrices(1, Phi=[[1], [2]], P_pi=[[0, 0], [0, 0]], d_mu=["1/2", "1/2"], episodic=True)
    assert chain_spectrum(problem).eigenvalues.tolist() == [0]
