import numpy as np
import pytest

from tests.cases import each_case
from tests.linear.examples import baird, projection, swap, twostate
from theory.linear.spectra import (
    behaviour_spectrum,
    chain_radius,
    chain_spectrum,
    eigenvalue_paths,
    smooth_eigenvalue_paths,
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


@each_case()
def test_nonzero_chain_spectrum_is_that_of_gamma_projection_transitions(case):
    p = case.problem
    full = np.linalg.eigvals(p.gamma * projection(p) @ p.P_pi)
    mine = chain_spectrum(p)
    padded = np.concatenate([mine, np.zeros(p.n_states - len(mine))])
    # A Jordan block of size 3 (case "jordan") turns rounding 1e−16 into 1e−5.
    same_multiset(padded, full, 1e-4 if "defective" in case.tags else 1e-7)
    assert chain_radius(p) == pytest.approx(np.abs(full).max(), abs=1e-4)


def test_structural_zeros_of_baird_are_left_out():
    p = baird("99/100")
    mine = td_spectrum(p)
    assert len(mine) == 7
    full = np.linalg.eigvals(moments(p).A)
    same_multiset([*mine, 0], full, 1e-9)


def test_behaviour_spectrum_can_be_complex():
    """prop-5 made precise: D = I/3, 3-cycle, γ = 9/10 gives 11/30 ± i√2/15... with the real part positive."""
    cycle = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    p = Problem.from_matrices("9/10", Phi=[[1, 1], [1, 0], [0, 1]], P_pi=cycle, P_mu=cycle)
    s = behaviour_spectrum(p)
    A = p.Phi.T @ (p.Phi - 0.9 * np.array(cycle) @ p.Phi) / 3
    trace, det = np.trace(A), np.linalg.det(A)
    assert np.allclose(s.real, trace / 2)
    assert np.allclose(np.abs(s.imag), np.sqrt(det - trace**2 / 4))
    assert np.allclose(s.real, 11 / 30)


def test_behaviour_spectrum_needs_the_behaviour():
    with pytest.raises(InvalidProblem, match="A_μ"):
        behaviour_spectrum(swap([[1], [3]]))


@pytest.mark.parametrize(("scale", "said"), [(1e-200, "so small that"), (1e200, "overflow double precision")])
def test_features_whose_moments_are_no_doubles_are_refused(scale, said):
    with pytest.raises(InvalidProblem, match=said):
        td_spectrum(swap(np.array([[1.0], [3.0]]) * scale))


def test_chain_paths_are_rays_and_td_paths_are_continuous():
    p, grid = baird(), np.linspace(0, 0.999, 400)
    rays = eigenvalue_paths(p, grid, "chain")
    assert np.allclose(rays[200] / grid[200], rays[300] / grid[300])
    paths = eigenvalue_paths(p, grid)
    for i in (0, 100, 399):
        q = p.with_gamma(float(grid[i]))
        same_multiset(paths[i], td_spectrum(q), 1e-6)  # double eigenvalues split by √eps
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
    assert eigenvalue_paths(twostate("1/2"), np.zeros(0), which).shape == (0, 1)


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
    assert chain_spectrum(problem).tolist() == [0]
