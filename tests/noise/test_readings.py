"""Numbers about noise name the reading they belong to; both readings' bounds, by a second computation."""

from __future__ import annotations

import numpy as np
import pytest

import theory
from tests.command_line import run
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import enumerate_transitions


def growth(problem, alpha, textbook):
    """ρ₂ of TDRC (β = α, κ = 1) on transitions drawn independently, by E[M ⊗ M] of its moves written out here."""
    F, total = problem.n_features, 0.0
    for move in enumerate_transitions(problem):
        phi, ahead = problem.Phi[move.state][:, None], problem.Phi[move.next_state][:, None]
        rho = float(move.ratio)
        error = problem.gamma * float(move.discount) * ahead - phi
        w = (rho if textbook else 1) * phi @ phi.T
        M = np.eye(2 * F) + alpha * np.block(
            [
                [rho * phi @ error.T, -problem.gamma * float(move.discount) * rho * ahead @ phi.T],
                [rho * phi @ error.T, -w - np.eye(F)],
            ]
        )
        total = total + float(move.probability) * np.kron(M, M)
    return np.abs(np.linalg.eigvals(total)).max()


@pytest.mark.parametrize(("reading", "textbook"), [("textbook", True), ("2009", False)])
def test_both_bounds_of_tdrc_are_those_of_its_moves(reading, textbook):
    """On one state with two actions moves are independent, as here."""
    problem = one_state()
    found = bound(problem, reading)
    assert growth(problem, 0.999 * found, textbook) < 1 < growth(problem, 1.001 * found, textbook)


def one_state():
    mdp = theory.MDP([[[1], [1]]], [[1, 0]], "1/2")
    return theory.Problem.from_mdp(mdp, pi=[["1/10", "9/10"]], mu=[["1/2", "1/2"]], Phi=[[1]])


def bound(problem, reading):
    from theory.learners.families import find_learner
    from theory.noise.summary import learner_noise

    rule = find_learner("tdrc").of(problem.exact.gamma, {"alpha": 1, "beta": 1}, 1, {"reading": reading})
    return learner_noise(rule, problem, None, 1).mean_square.value


def test_the_readings_differ_as_published():
    """Baird at γ = .99: .0411 and .0368."""
    problem = catalogue_problem("baird:gamma=99/100")
    assert round(bound(problem, "textbook"), 4) == 0.0411
    assert round(bound(problem, "2009"), 4) == 0.0368


def test_noise_and_compare_name_the_reading(capsys):
    text = " ".join(run(capsys, "noise", "twostate", "--gamma", "1/2", "--learner", "tdc,tdc:reading=2009")[1].split())
    assert "tdc: w moves by βρ(δ − wᵀφ)φ, the textbook's" in text
    assert "tdc: w moves by β(ρδ − wᵀφ)φ, as published" in text
    text = " ".join(run(capsys, "compare", "twostate", "--methods", "td,tdc")[1].split())
    assert "α < (noise) of tdc: w moves by βρ(δ − wᵀφ)φ, the textbook's" in text
    assert "reading" not in run(capsys, "compare", "twostate", "--methods", "td")[1]
