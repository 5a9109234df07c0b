"""Target networks of T updates: certified for every T from TD (1) to the chain (∞)."""

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.exact.examples import certified, middle_window, quadrant, twostate
from tests.strategies import exact_problems
from theory.certified.answers import Answer
from theory.certified.verdicts import chain_unbiased, td_stable, window_stable
from theory.exact.polynomials import characteristic_polynomial, spectral_radius_side
from theory.model.linear_model import exact_model
from theory.problems import Problem


def test_the_middle_window_is_stable_exactly_for_8_to_127():
    problem = middle_window()
    assert td_stable(problem).refuted
    assert chain_unbiased(problem).refuted
    verdicts = {T: window_stable(problem, T, "1/16") for T in range(1, 161)}
    assert [T for T, v in verdicts.items() if v.proved] == list(range(8, 128))
    for T in (1, 7, 8, 48, 49, 127, 128, 160):
        assert certified(verdicts[T], problem) is (8 <= T < 128)


@pytest.mark.parametrize("T", [3, 1001])
def test_windows_that_explode_are_refuted(T):
    problem = middle_window()
    for start in ("hot", "cold"):
        assert certified(window_stable(problem, T, 1, start), problem) is False


@settings(max_examples=25)
@given(exact_problems(max_states=3, max_features=2), st.integers(1, 60), st.sampled_from(["hot", "cold"]))
def test_windows_agree_with_exact_powers(problem, T, start):
    r, alpha = exact_model(problem), fmpq(1, 5)
    verdict = window_stable(problem, T, "1/5", start)
    if r.rank:
        n = r.rank
        one = r.X.solve(r.X)
        step = one - alpha * r.X
        total, power = 0 * one, one
        for _ in range(T):
            total, power = total + alpha * power, power * step
        G = one - total * r.A if start == "hot" else total * r.gamma * r.Y
        assert verdict.holds == Answer.of(spectral_radius_side(characteristic_polynomial(G)) < 0), n
    assert verdict.certificate.recheck()


def test_a_singular_key_matrix_ties_every_window():
    problem = twostate("5/6")
    for T in (1, 5, 1000):
        verdict = window_stable(problem, T, "1/16")
        assert certified(verdict, problem) is False
        assert "tie" in verdict.reason


def test_what_would_take_too_long_is_undecided_and_says_so():
    # α = 1/X makes I − αX = 0 and G_T = B = −1 for every T; but digits are budgeted as T of them.
    verdict = window_stable(quadrant([[1], [-3]], "3/5"), 10**11, "5/9")
    assert verdict.undecided
    assert verdict.certificate is None
    assert "undecided" in verdict.reason


@pytest.mark.parametrize("window", [10, 100, 10**6, 10**12])
@pytest.mark.parametrize(("step_size", "converges"), [("3", False), ("1", True)])
def test_a_direction_that_explodes_and_that_nothing_feeds_gives_no_wrong_answer(window, step_size, converges):
    """X = diag(3, 4/3), Y = diag(0, 4/3): (1 − 3α)ᵀ is beyond all, times 0; the other feature is γ(1 − (1 − 4α/3)ᵀ)."""
    problem = Problem.from_matrices(
        "9/10", Phi=[[3, 0], [0, 2], [0, 0]], P_pi=[[0, 0, 1], [0, 1, 0], [0, 0, 1]], d_mu=["1/3"] * 3
    )
    verdict = window_stable(problem, window, step_size, "cold", confirm=True)
    assert verdict.undecided or (verdict.rechecked and verdict.proved == converges)
