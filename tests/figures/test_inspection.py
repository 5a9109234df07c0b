"""The picture of one problem: its curves by a second route, and what a reader finds in it."""

import io
from fractions import Fraction

import numpy as np
import pytest

from theory.experiments.inspection_plot import HEADS, LAST, plot_data
from theory.figures.live.inspection import plot_inspection
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem

THREE = catalogue_problem("finite-window")


def matrices(problem):
    D = np.diag(problem.d_mu)
    X, Y = problem.Phi.T @ D @ problem.Phi, problem.Phi.T @ D @ problem.P_pi @ problem.Phi
    return X, Y, np.linalg.solve(X, problem.gamma * Y)


def test_windows_begin_with_td_and_end_with_the_chain():
    data = plot_data(THREE, Fraction(1, 16))
    X, Y, B = matrices(THREE)
    td = np.abs(np.linalg.eigvals(np.eye(2) - (X - THREE.gamma * Y) / 16)).max()
    assert data.windows[0] == 1
    assert data.window_radii[0] == pytest.approx(td, rel=1e-12)
    assert data.rho == pytest.approx(np.abs(np.linalg.eigvals(B)).max(), rel=1e-12)
    # (1 − ασ²)ᵀ has fallen to a thousandth
    assert data.window_radii[-1] == pytest.approx(data.rho, rel=0.02)


def test_bias_is_that_of_the_powers_of_b():
    """In the D-norm ‖BᵏΦe‖ by plain powers; the largest over e by the norm of D^½ΦBᵏ(D^½Φ)⁺."""
    data = plot_data(THREE)
    B, start = matrices(THREE)[2], np.array([1.0, 2.0])
    root = np.sqrt(THREE.d_mu)[:, None] * THREE.Phi
    for k in (0, 1, 5, LAST):
        power = np.linalg.matrix_power(B, k)
        assert 10 ** data.worst_bias[k] == pytest.approx(np.linalg.norm(root @ power @ np.linalg.pinv(root), 2))
        assert 10 ** data.bias[k] == pytest.approx(np.linalg.norm(root @ power @ start) / np.linalg.norm(root @ start))


def test_transients_are_those_of_the_plain_iteration():
    """Head k ≥ 1 follows θ_k ← θ_k + α(γYθ_{k−1} − Xθ_k); without P_μ head 0 stays where it starts."""
    problem = Problem.from_matrices(
        THREE.given.gamma, Phi=THREE.given.Phi, P_pi=THREE.given.P_pi, d_mu=THREE.given.d_mu
    )
    data = plot_data(problem, Fraction(1, 16))
    X, Y, B = matrices(problem)
    start = np.array([1.0, 2.0])
    limits = [start]
    for _ in range(max(HEADS)):
        limits.append(B @ limits[-1])
    theta = np.tile(start, (max(HEADS) + 1, 1))
    for t in range(60):
        errors = [np.abs(problem.Phi @ (theta[k] - limits[k])).max() for k in HEADS]
        # rounding is relative to each head's largest error so far, here at most about 1e7
        assert 10 ** data.transients[t] == pytest.approx(errors, rel=1e-6)
        new = theta.copy()
        new[1:] += (problem.gamma * theta[:-1] @ Y.T - theta[1:] @ X.T) / 16
        theta = new


def test_four_labelled_panels_with_the_circle_and_the_axis():
    figure = plot_inspection(plot_data(catalogue_problem("baird")))
    panels = figure.axes
    assert len(panels) == 4
    assert all(p.get_xlabel() and p.get_ylabel() and p.get_title() and p.get_legend() for p in panels)
    assert [p.radius for p in panels[0].patches] == [1]
    points = panels[0].get_lines()[2]
    assert points.get_xdata() == pytest.approx(plot_data(catalogue_problem("baird")).chain_eigenvalues.real)
    assert panels[2].get_xscale() == "log"


def test_every_kind_of_file_can_be_written():
    figure = plot_inspection(plot_data(catalogue_problem("quadrant-stable-biased")))
    for kind, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        file = io.BytesIO()
        figure.savefig(file, format=kind)
        assert file.getvalue().startswith(magic)


SWAP = {"P_pi": [[0, 1], [1, 0]], "d_mu": ["9/10", "1/10"]}
EXTREME = {
    "one state": Problem.from_matrices("9/10", Phi=[[1]], P_pi=[[1]], d_mu=[1], r_pi=[1]),
    "no features": Problem.from_matrices("9/10", Phi=[[0], [0]], r_pi=[1, 0], **SWAP),
    "no discount": catalogue_problem("baird:gamma=0"),
    "singular A": catalogue_problem("twostate-reward:gamma=5/6"),
    "huge": Problem.from_matrices("9/10", Phi=[["1e140"], ["-3e140"]], **SWAP),
    "tiny": Problem.from_matrices("9/10", Phi=[["1e-140"], ["-3e-140"]], **SWAP),
    "a name with dollars": Problem.from_matrices("9/10", Phi=[[1], [2]], name="a$b$c$", **SWAP),
}


@pytest.mark.parametrize("name", EXTREME)
def test_extreme_problems_can_be_drawn(name):
    figure = plot_inspection(plot_data(EXTREME[name]))
    figure.canvas.draw()
    # The layout leaves each of two by two panels most of its place; an artist without extent once took it all.
    assert [p.get_position().height > 0.25 for p in figure.axes] == [True] * 4


def test_a_step_size_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="step_size"):
        plot_data(THREE, float("nan"))
