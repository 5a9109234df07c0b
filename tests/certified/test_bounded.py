"""Doubles with bounds: every claim is true of the exact matrices, and most true claims are made."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import exact_problems, float_problems
from theory.certified.answers import Answer, certificate
from theory.certified.proofs import Signature, proofs
from theory.certified.questions import Enclosed, IterationConverges
from theory.certified.verdicts import chain_unbiased, step_size_admissible, td_stable, window_stable
from theory.exact.matrices import fraction, is_positive_definite, matrix
from theory.model.balls import UNIT, Bounded
from theory.model.balls import given as as_given
from theory.problems import Problem
from theory.problems.numbers import as_exact


def exact(array):
    return matrix(as_exact(np.asarray(array, dtype=float)))


def doubles(M):
    return np.array([[float(fraction(x)) for x in row] for row in M.tolist()])


def encloses(bounded, truth):
    for i, row in enumerate(truth.tolist()):
        for j, x in enumerate(row):
            if abs(fraction(x) - Fraction(float(bounded.mid[i, j]))) > Fraction(float(bounded.rad[i, j])):
                return False
    return True


def draw(rng, n, spread):
    """Entries over many orders of magnitude."""
    return rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-spread, spread, size=(n, n))


@pytest.mark.parametrize("spread", [0, 4, 60])
@pytest.mark.parametrize("n", [1, 3, 12])
def test_products_and_sums_enclose_the_exact_ones(n, spread):
    rng = np.random.default_rng(n)
    a, b, c = (draw(rng, n, spread) for _ in range(3))
    A, B, C = (as_given(x, exact=False) for x in (a, b, c))
    truth = exact(a) * exact(b) * exact(c) - exact(b)
    assert encloses(A * B * C - B, truth)
    assert encloses(A.transpose() + 0.3 * B, exact(a).transpose() + exact([[0.3]])[0, 0] * exact(b))


def test_bounds_are_a_few_roundings_wide():
    rng = np.random.default_rng(0)
    A, B = (as_given(rng.uniform(size=(20, 20)), exact=False) for _ in range(2))
    product = A * B
    assert (product.rad <= 40 * UNIT * product.mid).all()  # n u, n = 20, and as much again at most


@settings(max_examples=80, deadline=None)
@given(entries=st.lists(st.integers(-6, 6), min_size=9, max_size=9), shift=st.integers(-3, 12))
def test_definiteness_is_only_claimed_where_it_is_exact(entries, shift):
    M = np.array(entries, dtype=float).reshape(3, 3)
    H = M + M.T + shift * np.eye(3)
    claimed = Bounded(H, np.zeros((3, 3))).is_positive_definite()
    truth = is_positive_definite(exact(H))
    assert not claimed or truth
    if np.linalg.eigvalsh(H)[0] > 1e-6:
        assert claimed


ASKED = {
    "td": lambda p: td_stable(p),
    "chain": lambda p: chain_unbiased(p),
    "step": lambda p: step_size_admissible(p, Fraction(1, 3)),
    "hot": lambda p: window_stable(p, 7, Fraction(1, 3)),
    "long": lambda p: window_stable(p, 30, Fraction(1, 5)),
    "cold": lambda p: window_stable(p, 7, Fraction(1, 3), "cold"),
}


@pytest.mark.parametrize("kind", ASKED)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_what_bounds_prove_the_other_routes_confirm(kind, data):
    problem = data.draw(st.one_of(exact_problems(), float_problems()))
    verdict = ASKED[kind](problem)
    pencil = verdict.question.pencil().exact()
    topic = IterationConverges if kind in ("hot", "long", "cold") else type(verdict.question)
    question = Enclosed(topic, *(None if M is None else as_given(doubles(M), exact=True) for M in (pencil.N, pencil.E)))
    for evidence in proofs(question.pencil()) if pencil.size else ():
        holds = min(evidence.signs) > 0
        assert Answer.of(holds) == verdict.holds
        size = max(np.abs(M.mid).max() for M in (question.N, question.E) if M is not None)
        if size < 100:  # the checker's bounds are coarser than the prover's
            assert certificate(question.kind, question.given(), holds, evidence).recheck()
        assert not certificate(question.kind, question.given(), not holds, evidence).recheck()
        if evidence.signs[0] == 1:
            flipped = Signature(evidence.K, (-1, *evidence.signs[1:]))
            assert not certificate(question.kind, question.given(), holds, flipped).recheck()


@pytest.mark.parametrize("alpha", ["1e-300", "1e-200", "1e-30"])
def test_tiny_step_sizes_are_decided_right(alpha):
    """For α → 0 a window of T updates is TD itself: stable exactly where all Re λ(A) > 0."""
    for gamma, stable in (("0.8", True), ("0.99", False)):
        problem = Problem.from_matrices(gamma, Phi=[[1], [2]], P_pi=[[0, 1]] * 2, d_mu=["1/2", "1/2"])
        for verdict in (window_stable(problem, 100, alpha), step_size_admissible(problem, alpha)):
            assert verdict.holds == Answer.of(stable)
            assert verdict.certificate.recheck()


U = Fraction(1, 2**1074)  # the smallest double


def rare(gamma, first, second, size=10**59):
    """Two states with weights below the normal range of doubles, and one without features that has the rest."""
    return Problem.from_matrices(
        gamma,
        Phi=[[size], [2 * size], [0]],
        P_pi=[[0, 1, 0], [0, 1, 0], [0, 0, 1]],
        d_mu=[first, second, 1 - first - second],
    )


@pytest.mark.parametrize(
    ("first", "second", "gamma"),
    [(7 * Fraction(1, 10**324), 3 * Fraction(1, 10**324), "4/5"), (U * 3 / 5, U * 7 / 5, "21/25")],
)
def test_weights_below_the_normal_range_of_doubles(first, second, gamma):
    """One feature: X = φ²·d, A = X − γY, ρ = γ|Y|/X, in fractions."""
    problem = rare(gamma, first, second)
    X, Y = first + 4 * second, 2 * first + 4 * second
    for verdict, truth in (
        (td_stable(problem), Fraction(gamma) * Y < X),
        (chain_unbiased(problem), Fraction(gamma) * Y < X),
    ):
        assert verdict.holds == Answer.of(truth)
        assert verdict.certificate.recheck()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_tiny_weights_and_large_features_never_give_a_false_verdict(data):
    few = st.integers(1, 40)
    first, second = ((data.draw(few) + Fraction(1, data.draw(st.integers(1, 30)))) * U for _ in range(2))
    gamma = Fraction(data.draw(st.integers(0, 99)), 100)
    problem = rare(gamma, first, second, 10 ** data.draw(st.integers(0, 59)))
    X, Y = first + 4 * second, 2 * first + 4 * second
    assert td_stable(problem).holds == chain_unbiased(problem).holds == Answer.of(gamma * Y < X)


@pytest.mark.parametrize("low", [-330, -290, -250])
def test_enclosures_hold_below_the_normal_range(low):
    rng = np.random.default_rng(-low)
    for _ in range(40):
        a, b, c = (
            rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(low, low + 40 + 200 * k, size=(3, 3)) for k in range(3)
        )
        A, B, C = (as_given(x, exact=False) for x in (a, b, c))
        assert encloses(A * B * C - B, exact(a) * exact(b) * exact(c) - exact(b))
        assert encloses(C * (A * C), exact(c) * (exact(a) * exact(c)))
        thin = np.array([[Fraction(float(x)) * Fraction(2, 3) for x in row] for row in a], dtype=object)
        assert encloses(as_given(thin.astype(float), exact=True), matrix(thin))
