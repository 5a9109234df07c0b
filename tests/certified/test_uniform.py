"""Uniform safety: the witness is the feature that breaks everything, and ties are ties."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.exact.examples import concerns
from tests.strategies import discounts, distributions, stochastic_matrices
from theory.certified.answers import Answer
from theory.certified.verdicts import _in_fractions, chain_unbiased, td_stable, uniformly_safe
from theory.problems import InvalidProblem, Problem

D, SWAP = ["9/10", "1/10"], [[0, 1], [1, 0]]
TINY = Fraction(1, 10**40)


def largest(d, P):
    root = np.sqrt(np.array(d, dtype=float))
    Z = root[:, None] * np.array(P, dtype=float) / root
    return np.linalg.eigvalsh((Z + Z.T) / 2)[-1]


def test_the_swap_is_safe_exactly_below_three_fifths():
    # sym(D^½PD^−½) has (3 + 1/3)/2 = 5/3 off the diagonal.
    for gamma, expected in ((Fraction(3, 5) - TINY, True), (Fraction(3, 5), False), (Fraction(3, 5) + TINY, False)):
        verdict = uniformly_safe(D, SWAP, gamma)
        assert verdict.holds == Answer.of(expected)
        assert verdict.certificate.recheck()
        assert ("tie" in verdict.reason) == (gamma == Fraction(3, 5))


@st.composite
def chains(draw):
    S = draw(st.integers(1, 4))
    return draw(distributions(S, positive=True)), draw(stochastic_matrices(S)), draw(discounts())


@given(chains(), st.data())
def test_safe_means_safe_for_every_feature_and_unsafe_has_one_that_fails(chain, data):
    d, P, gamma = chain
    verdict = uniformly_safe(d, P, gamma)
    assert verdict.certificate.recheck()
    product = float(gamma) * largest(d, P)
    if abs(product - 1) > 1e-9:  # eigvalsh of a 4×4 is good to about 1e−15
        assert verdict.holds == Answer.of(bool(product < 1))
    if verdict.proved:
        S = len(d)
        F = data.draw(st.integers(1, 3))
        Phi = [[data.draw(st.integers(-3, 3)) for _ in range(F)] for _ in range(S)]
    else:
        Phi = [[Fraction(x)] for x in verdict.evidence.x.tolist()]
    problem = Problem.from_matrices(gamma, Phi=Phi, P_pi=P, d_mu=d)
    assert td_stable(problem).holds == verdict.holds
    assert chain_unbiased(problem).holds == verdict.holds
    assert concerns(verdict.certificate, problem)


def test_on_policy_is_safe_for_every_discount():
    P = [["1/2", "1/2", 0], [0, "1/2", "1/2"], ["1/2", 0, "1/2"]]  # doubly stochastic: d is uniform
    assert uniformly_safe(["1/3"] * 3, P, 1 - TINY).proved


@pytest.mark.parametrize("small", ["1e-30", "1e-250"])
def test_rarely_visited_states_are_decided(small):
    d = [1 - Fraction(small), Fraction(small)]
    verdict = uniformly_safe(d, SWAP, "1/2")
    # λ_max = (√(d₁/d₂) + √(d₂/d₁))/2 is huge.
    assert verdict.refuted
    assert verdict.certificate.recheck()
    assert uniformly_safe(d, [[1, 0], [0, 1]], "1/2").proved


def test_rejects_what_is_no_chain():
    with pytest.raises(InvalidProblem, match=r"P\[0\]"):
        uniformly_safe(D, [[1, 1], [0, 1]], "1/2")
    with pytest.raises(InvalidProblem, match="P: has shape"):
        uniformly_safe(D, [[1]], "1/2")
    with pytest.raises(InvalidProblem, match="gamma"):
        uniformly_safe(D, SWAP, 1)
    with pytest.raises(InvalidProblem, match=r"d: probabilities sum to 1/2"):
        uniformly_safe(["1/2", 0], SWAP, "1/2")


@pytest.mark.parametrize(("gamma", "safe"), [(0.5, Answer.YES), (0.999, Answer.NO)])
def test_doubles_with_bounds_decide_what_is_far_from_the_boundary(gamma, safe):
    rng = np.random.default_rng(5)
    P, d = rng.exponential(size=(40, 40)), rng.exponential(size=40)
    P, d = P / P.sum(axis=1, keepdims=True), d / d.sum()
    verdict = uniformly_safe(d, P, gamma)
    assert (verdict.holds, verdict.method) == (safe, "floats")
    assert verdict.certificate.recheck()
    assert _in_fractions(verdict.question).holds == safe


def test_too_many_states_next_to_the_boundary_are_undecided(monkeypatch):
    monkeypatch.setattr("theory.certified.verdicts.UNIFORM_STATES", 1)
    verdict = uniformly_safe(D, SWAP, Fraction(3, 5))
    assert verdict.undecided
    assert "too near to the boundary for doubles" in verdict.reason
