"""Fourth moments and the emphatic trace: against scalars by hand, and against the classes' definitions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.learners.cases import noisy
from theory.learners.gradient import TDC
from theory.learners.td import OffPolicyTD
from theory.noise import moments as moments_module
from theory.noise.moments import Moments, monomials, setting_moments, symmetric_power
from theory.noise.tails import tail
from theory.noise.traces import ratio_power_matrix, trace_variance
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem


def test_with_one_feature_fourth_moments_are_fourth_powers():
    """Twostate: the moves multiply θ by 1 + αρφ(γφ' − φ), φ = 1 and 2; π goes to the second state, ρ is 0 or 2."""
    problem = catalogue_problem("twostate:gamma=1/2")
    alpha = 0.2
    L = np.zeros((2, 2))
    for s, phi in enumerate((1.0, 2.0)):
        L[1, s] += 0.5 * (1 + alpha * 2 * phi * (0.5 * 2 - phi)) ** 4
        L[0, s] += 0.5
    found = setting_moments(OffPolicyTD(problem.exact.gamma, 1), problem).radius(np.array([alpha]), None, 4)[0]
    assert found == pytest.approx(np.abs(np.linalg.eigvals(L)).max(), rel=1e-12)


@pytest.mark.parametrize("alpha", [Fraction(1, 50), Fraction(1, 5), Fraction(1)])
def test_fourth_moments_grow_at_least_like_squares_of_second_ones(alpha):
    """Jensen's inequality."""
    problem = noisy()
    moments = setting_moments(OffPolicyTD(problem.exact.gamma, 1), problem)
    second, fourth = (moments.radius(float(alpha), None, order)[0] for order in (2, 4))
    assert fourth >= second**2 * (1 - 1e-10)


@pytest.mark.parametrize("order", [2, 4])
@pytest.mark.parametrize("name", ["threestate", "twostate-reward:gamma=1/2"])
def test_inverse_iteration_finds_the_largest_eigenvalue(name, order, monkeypatch):
    problem = catalogue_problem(name)
    moments, a, b = setting_moments(TDC(problem.exact.gamma, 1, 1), problem), np.array([0.1]), np.array([0.05])
    expected = moments.radius(a, b, order)[0]
    monkeypatch.setattr(moments_module, "SMALL", 1)
    assert moments.radius(a, b, order)[0] == pytest.approx(expected, rel=1e-8)


def test_fourth_moments_beyond_reach_have_a_reason(monkeypatch):
    problem = catalogue_problem("threestate")
    moments = setting_moments(TDC(problem.exact.gamma, 1, 1), problem)
    monkeypatch.setattr(moments_module, "MOST_WORK", 1)
    monkeypatch.setattr(moments_module, "MAX_MATRIX", 1)
    with pytest.raises(InvalidProblem, match="3,888 fourth moments are too many"):
        moments.radius(0.1, None, 4)


def test_tails_have_three_classes_and_an_honest_gap():
    assert [tail(True, 0.9), tail(True, 1.1), tail(False, 1.1)] == ["light", "heavy", "infinite"]
    assert tail(True, None) is None
    assert tail(True, 1 + 1e-9) is None


def test_baird_has_few_different_fourth_moments():
    """16,660 of TDC's errors; up to exchange of six states as many as there are ways to say where each state occurs."""
    problem = catalogue_problem("baird:gamma=9/10")
    moments = setting_moments(TDC(problem.exact.gamma, 1, 1), problem)
    found, ways = moments.numbered(4, constant=False), set()
    for node, monomial in product(range(7), monomials(14, 4)):
        occurs = [(node == s, monomial.count(s), monomial.count(7 + s)) for s in range(7)]
        ways.add((occurs[6], *sorted(occurs[:6])))
    assert (found.columns.size, len(found)) == (16_660, len(ways))
    rho2, rho4 = (moments.radius(np.array([1 / 32]), np.array([1 / 256]), p)[0] for p in (2, 4))
    assert rho2 < 1 < rho4


def test_symmetric_powers_are_those_of_full_tensors():
    rng = np.random.default_rng(0)
    M, y = rng.standard_normal((3, 3)), rng.standard_normal(3)
    before, after = (np.array([np.prod(v[list(m)]) for m in monomials(3, 4)]) for v in (y, M @ y))
    assert symmetric_power(M, 4) @ before == pytest.approx(after)
    radius = np.abs(np.linalg.eigvals(M)).max()
    assert np.abs(np.linalg.eigvals(symmetric_power(M, 4))).max() == pytest.approx(radius**4)


@pytest.mark.parametrize(("name", "square"), [("baird", 7), ("threestate", 2), ("twostate", 2)])
def test_emphatic_traces_have_a_threshold_in_gamma(name, square):
    """A target that always takes one action, of behaviour probability 1/7 or 1/2: Q has row sums 7 or 2."""
    found = trace_variance(catalogue_problem(name))
    assert not found.finite
    assert [int(c) for c in found.threshold.polynomial.coeffs()] == [-1, 0, square]
    below = trace_variance(catalogue_problem(f"{name}:gamma=1/3"))
    assert below.finite


def test_the_second_moment_of_the_trace_settles_below_the_threshold_and_grows_above():
    """F₀ = 1, F ← γρF + 1 along the moves: E[F²; s], E[F; s] and masses stepped, without Q."""
    for gamma, finite in ((Fraction(13, 20), True), (Fraction(3, 4), False)):
        problem = catalogue_problem(f"threestate:gamma={gamma}")
        assert trace_variance(problem).finite == finite
        mdp, pi, mu = problem.mdp, problem.pi.astype(float), problem.mu.astype(float)
        P, d = mdp.P.astype(float), problem.d_mu
        rho = np.divide(pi, mu, out=np.zeros_like(pi), where=mu > 0)
        moments = np.array([d, d, d])  # masses, E[F], E[F²]
        sizes = []
        for _ in range(400):
            g = problem.gamma * rho
            flow = mu[:, :, None] * P
            mass, first, second = moments
            moments = np.array([
                mass @ flow.sum(axis=1),
                np.einsum("s,sa,sat->t", first, g, flow) + mass @ flow.sum(axis=1),
                np.einsum("s,sa,sat->t", second, g**2, flow) + 2 * np.einsum("s,sa,sat->t", first, g, flow)
                + mass @ flow.sum(axis=1),
            ])  # fmt: skip
            sizes.append(moments[2].sum())
        assert (sizes[-1] < 1.001 * sizes[199]) == finite


@pytest.mark.parametrize(("name", "q"), [("baird", 1 / 7), ("threestate", 1 / 2), ("twostate", 1 / 2)])
def test_tail_index_where_one_action_is_always_taken(name, q):
    """Q_p has row sums q^(1 − p), so (γ/q)^κ q = 1; a bounded whole order is one below κ, decided exactly."""
    for gamma in ("9/10", "99/100", "3/5"):
        problem = catalogue_problem(f"{name}:gamma={gamma}")
        found = trace_variance(problem)
        kappa = np.log(1 / q) / np.log(problem.gamma / q)
        assert found.index == pytest.approx(kappa, rel=1e-10)
        assert found.orders == int(kappa)
        assert f"tail index {kappa:.4g} (in floats)" in found.tail


def test_bounded_ratios_have_no_tail():
    """γρ ≤ 1 in every move, so F is bounded, or grows by one a move along runs that halve in probability."""
    for gamma in ("1/3", "1/2"):
        found = trace_variance(catalogue_problem(f"twostate:gamma={gamma}"))
        assert (found.orders, found.index) == (None, np.inf)
        assert "p = 1, …, 16, and more" in found.tail


def test_discounts_of_states_enter_the_trace_at_every_order():
    """π always goes to the second state, μ half the time, γ(s) = 1 and 9/10 there: (9/10)^p 2^(p - 1) < 1."""
    problem = catalogue_problem("twostate-discounts")
    for p in (1, 2, 3):
        Q = ratio_power_matrix(problem, p)
        assert Q.tolist() == [[0, Fraction(9, 10) ** p * 2 ** (p - 1)]] * 2
        assert ratio_power_matrix(problem, float(p)) == pytest.approx(Q.astype(float))
    found = trace_variance(problem)
    kappa = np.log(2) / np.log(1.8)
    assert found.index == pytest.approx(kappa, rel=1e-9)
    assert (found.orders, found.finite) == (1, False)


@pytest.mark.parametrize("alpha", [1 / 64, 1 / 4, 2.0])
@pytest.mark.parametrize("order", [2, 4])
def test_the_radius_is_that_of_all_eigenvalues_however_it_is_found(monkeypatch, alpha, order):
    """By all eigenvalues, by inverse iteration, and by Arnoldi's iteration on tensors; below and above 1."""
    problem = catalogue_problem("threestate")
    moments = Moments(setting_moments(TDC(problem.exact.gamma, 1, 1), problem).chain.in_floats)
    (L,) = moments.matrices(alpha, None, order, constant=False)
    expected = np.abs(np.linalg.eigvals(L)).max()
    monkeypatch.setattr(moments_module, "SMALL", 1)
    assert moments.radius(alpha, None, order)[0] == pytest.approx(expected, rel=1e-8)
    monkeypatch.setattr(moments_module, "MAX_MATRIX", 1)
    monkeypatch.setattr(moments_module, "ITERATED", 1)
    assert moments.radius(alpha, None, order)[0] == pytest.approx(expected, rel=1e-7)


def test_symmetric_powers_move_products_of_coordinates():
    rng = np.random.default_rng(0)
    M, y = rng.normal(size=(3, 3)), rng.normal(size=3)
    for order in (1, 2, 4):
        products = [np.array([np.prod(x[list(m)]) for m in monomials(3, order)]) for x in (y, M @ y)]
        np.testing.assert_allclose(symmetric_power(M, order) @ products[0], products[1], rtol=1e-10)
