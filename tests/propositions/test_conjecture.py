"""The conjecture: the bound for normal features, and the laws for which it fails."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from theory.montecarlo.conjecture import bias_bound
from theory.problems.catalogue import catalogue_problem
from theory.problems.ensembles import paper_ensemble
from theory.propositions import conjecture
from theory.propositions.statement import largest


def test_exact_second_moments_agree_with_a_large_sample() -> None:
    rng = np.random.default_rng(0)
    d, P = np.array([0.5, 0.3, 0.2]), np.array([[0.1, 0.9, 0.0], [0.5, 0.5, 0.0], [0.0, 0.3, 0.7]])
    F, draws = 2, 200_000
    Phi = rng.standard_normal((draws, 3, F))
    weighted = (Phi * d[:, None]).transpose(0, 2, 1)
    M = d[:, None] * P
    tau = np.trace(M)
    for sample, expected in (
        (weighted @ Phi - np.eye(F), F * (F + 1) * (d**2).sum()),
        (weighted @ (P @ Phi) - tau * np.eye(F), F**2 * (M**2).sum() + F * np.trace(M @ M)),
    ):
        squares = (sample**2).sum(axis=(1, 2))
        # Six standard errors: a right formula fails with probability 2e−9.
        assert abs(squares.mean() - expected) < 6 * squares.std() / np.sqrt(draws)


def test_three_point_rule_is_exact_and_has_the_moments_of_the_normal_law() -> None:
    assert largest(conjecture.moment_gaps(catalogue_problem("twostate"), 2)) == 0
    weights = {-1: Fraction(1, 6), 0: Fraction(2, 3), 1: Fraction(1, 6)}
    even = {p: 3 ** (p // 2) * sum(w * abs(x) ** p for x, w in weights.items()) for p in (2, 4, 6)}
    assert even[2] == 1
    assert even[4] == 3
    assert even[6] != 15  # so it would not do for cubes of X


def test_bound_is_the_one_drawn_over_the_simulations_and_below_the_simpler_one() -> None:
    batch = paper_ensemble(np.random.default_rng(3), 4, 400, 2)
    drawn = bias_bound(batch, 0.9)
    assert drawn.max() < 1  # so that min(1, ·) does not hide it
    for i in range(4):
        d = batch.d_mu[i]
        simple = 6 * (d**2).sum() * 1.9**2 / (1 - 0.9 * d @ np.diag(batch.P_pi[i])) ** 2
        assert drawn[i] == pytest.approx(conjecture.bound(d, batch.P_pi[i], 2, 0.9))
        assert drawn[i] <= simple


def test_sink_probability_agrees_with_enumeration() -> None:
    gamma = Fraction(99, 100)
    for S in (2, 3, 6):
        biased = sum(gamma * x[0] * sum(x) >= sum(v * v for v in x) for x in product((1, 3), repeat=S))
        assert conjecture.sink_probability(S, gamma) == Fraction(biased, 2**S)


def test_bias_does_not_become_rare_with_more_states_for_positive_features() -> None:
    chances = [float(conjecture.sink_probability(S, Fraction(99, 100))) for S in (10, 100, 1000)]
    assert chances == pytest.approx([0.5] * 3, abs=0.01)


def test_deviation_criterion_is_sound_in_small_problems_where_bias_occurs() -> None:
    rng = np.random.default_rng(5)
    d, P = np.full(4, 1 / 4), np.eye(4)[[0, 0, 0, 0]]
    radii, sure = conjecture.spectral_radii(rng.standard_normal((4000, 4, 1)), d, P)
    assert (radii >= 1).sum() > 100
    assert sure.sum() > 1000
    assert not (sure & (radii >= 1)).any()
