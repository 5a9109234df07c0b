"""Theorems about noise: mutants are refuted, and the numbers come out of plain fractions and floats, too."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from tests.propositions.outcomes import found, moments, stated
from theory.linear.transients import noise_gain, transfer_radius
from theory.problems.catalogue import catalogue_problem
from theory.propositions import extra_etd_moments, extra_mean_square, extra_noise_gain
from theory.propositions.registry import statement
from theory.symbolic.outcomes import Proved

# extra-mean-square


def test_recursion_needs_independence_alone():
    """Not that probabilities sum to one: so nodes of a Markov chain may be coordinates."""
    outcome = stated("extra-mean-square", "recursion").decide()
    assert isinstance(outcome, Proved)
    assert set(outcome.certificate.assumptions) == {"mixed product"}


def test_multipliers_of_twostate_by_hand():
    """Y_1 ← (Y_1 + Y_2)/2, Y_2 ← (a_1² Y_1 + a_2² Y_2)/2: the larger eigenvalue passes 1 where a_1² + a_2² = 2."""
    for gamma in (Fraction(1, 3), Fraction(7, 10)):
        alpha = (5 - 6 * gamma) / (17 - 36 * gamma + 20 * gamma**2)
        a = (1 + 2 * alpha * (2 * gamma - 1), 1 + 4 * alpha * (2 * gamma - 2))
        assert a[0] ** 2 + a[1] ** 2 == 2
        problem = catalogue_problem(f"twostate:gamma={gamma}")
        sides = [extra_mean_square.stable(problem, "off-policy-td", alpha * x) for x in (Fraction(99, 100), 1)]
        assert sides == [True, False]


def test_paths_converge_where_the_mean_square_grows():
    """The counterexample at α = 3/10, sampled: all of 200 paths of 2,000 moves end far below their start."""
    rng = np.random.default_rng(0)
    steps = rng.choice([1 - 0.6, 1 - 2.4, 1.0, 1.0], size=(200, 2000))
    assert np.log(np.abs(steps)).sum(axis=1).max() < -100
    found("extra-mean-square", "not almost surely")


def test_products_decide_where_moves_alternate():
    """From the first state ρ = 10 to the second, back ρ = 10/9, no other move does anything: 25/8 · 1/8 < 1."""
    problem = found("extra-mean-square", "independent moves").witness
    alpha, gamma, phi = Fraction(1, 8), Fraction(9, 10), (1, 3)
    there = 1 + alpha * 10 * phi[0] * (gamma * phi[1] - phi[0])
    back = 1 + alpha * Fraction(10, 9) * phi[1] * (gamma * phi[0] - phi[1])
    assert (there, back) == (Fraction(25, 8), Fraction(1, 8))
    assert problem.n_features == 1
    d = Fraction(9, 10), Fraction(1, 10)
    A = sum(d[s] * phi[s] * (phi[s] - gamma * phi[1 - s]) for s in (0, 1))
    assert A < 0


# extra-noise-gain


@pytest.mark.parametrize("name", ["threestate", "baird", "quadrant-unstable-unbiased"])
def test_gain_is_the_highest_radius_over_frequencies(name):
    problem = catalogue_problem(name)
    plain = moments(problem)
    kept = plain.X + 1e-13 * np.eye(len(plain.X))  # Baird's X is singular
    omegas = np.linspace(0, 2, 4001)[1:]
    radii = [
        np.abs(np.linalg.eigvals(np.linalg.solve(1j * w * np.eye(len(kept)) + kept, plain.gY))).max() for w in omegas
    ]
    assert noise_gain(problem)[0] == pytest.approx(max(radii), rel=1e-5)


def test_gain_is_proportional_to_the_discount_and_the_limit_of_the_transient():
    low, high = (noise_gain(catalogue_problem(f"threestate:gamma={g}"))[0] for g in ("1/2", "99/100"))
    assert low / 0.5 == pytest.approx(high / 0.99, rel=1e-9)
    assert transfer_radius(catalogue_problem("threestate"), 1e-4)[0] == pytest.approx(
        noise_gain(catalogue_problem("threestate"))[0], rel=1e-3
    )


def test_no_turn_of_the_discount_destabilises_below_gain_one():
    """κ < 1 ⇔ X − zγY has its eigenvalues on the right for all |z| ≤ 1: Threestate passes near γ = .876."""
    for gamma, safe in (("87/100", True), ("88/100", False)):
        problem = catalogue_problem(f"threestate:gamma={gamma}")
        plain = moments(problem)
        turns = np.exp(1j * np.linspace(0, np.pi, 2000))
        least = min(np.linalg.eigvals(plain.X - z * plain.gY).real.min() for z in turns)
        assert (least > 0) == safe == (noise_gain(problem)[0] < 1)


def test_noise_of_head_zero_in_later_heads_is_an_integral_over_frequencies():
    problem = catalogue_problem("threestate")
    sizes = extra_noise_gain.responses(problem, 6)
    from theory.linear.transients import joint_iteration

    it = joint_iteration(problem, 1.0)
    omega = np.tan(np.linspace(-np.pi / 2, np.pi / 2, 20001)[1:-1])
    J = 1 / (1j * omega[:, None] + it.step)
    H = (it.step * J)[..., None] * it.B
    there = J[..., None] * np.eye(len(it.step))
    for k in range(7):
        density = (np.abs(there) ** 2).sum(axis=(1, 2)) * (1 + omega**2) / (2 * np.pi)
        assert np.sqrt(density.sum() * np.pi / 20000) == pytest.approx(sizes[k], rel=1e-4)
        there = H @ there


# extra-etd-moments


def test_the_runs_part_is_what_the_longest_run_gives():
    """Twostate: from an error of 1 in the second state the run multiplies by 1 − 2α(1 − γ)·4·F, F = 1, 2γ + 1, …"""
    problem = catalogue_problem("twostate")
    gamma, alpha = Fraction(99, 100), Fraction(1, 100)
    F, error = Fraction(1), Fraction(1)
    run = extra_etd_moments.Run(problem, 1)
    for t in range(1, 6):
        error, F = error * (1 - 2 * alpha * (1 - gamma) * 4 * F), 2 * gamma * F + 1
        assert run.part(t, 2) == Fraction(1, 2) * Fraction(1, 2) ** t * error**2


def test_moments_of_a_short_emphatic_run_grow_without_bound_while_E_F2_is_bounded():
    """Twostate at γ = 3/5, E[e_t²] by enumeration with code of its own; E[F²] ≤ 1/(1 − 18/25)·…, bounded."""
    gamma, alpha = Fraction(3, 5), Fraction(1)
    phi = (Fraction(1), Fraction(2))

    def square(moves: int) -> Fraction:
        total = Fraction(0)
        for path in product((0, 1), repeat=moves + 1):
            theta, F, before = Fraction(1), Fraction(1), Fraction(0)
            for s, t in pairwise(path):
                F = gamma * before * F + 1
                rho = Fraction(2 * t)
                theta += alpha * rho * F * (gamma * phi[t] * theta - phi[s] * theta) * phi[s]
                before = rho
            total += theta**2 / 2 ** (moves + 1)
        return total

    sizes = [square(n) for n in (2, 4, 6, 8)]
    ratios = [b / a for a, b in pairwise(sizes)]
    assert ratios == sorted(ratios)  # faster than an exponential
    assert ratios[0] > 1
    assert not [m for m in statement("extra-etd-moments").counterexamples() if not m.confirmed]
