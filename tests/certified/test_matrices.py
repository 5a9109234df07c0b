"""Questions about a given matrix: all Re λ > 0, all |λ| < 1, against an exact count of roots."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.certified.answers import Certificate
from theory.certified.recheck import checker as recheck
from theory.certified.verdicts import iteration_converges, mean_stable
from theory.exact.matrices import matrix
from theory.exact.polynomials import characteristic_polynomial, half_planes, unit_circle

entries = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 3))
squares = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(entries, min_size=n, max_size=n), min_size=n, max_size=n)
)


@settings(max_examples=60, deadline=None)
@given(rows=squares)
def test_verdicts_are_those_of_a_root_count_and_their_certificates_hold(rows):
    p = characteristic_polynomial(matrix(rows))
    expected = {
        mean_stable: half_planes(p)[:2] == (0, 0),
        iteration_converges: unit_circle(p)[1:] == (0, 0),
    }
    for ask, holds in expected.items():
        verdict = ask(rows)
        assert verdict.proved is holds
        assert verdict.certificate.recheck()
        document = verdict.certificate.to_dict()
        assert Certificate.from_dict(document) == verdict.certificate
        assert not recheck.check({**document, "holds": not holds})


def test_evidence_of_one_question_is_not_that_of_another():
    """M = 2I is stable and does not contract, M = −I/2 the other way round."""
    for M, ask, other in (([[2]], mean_stable, "iteration"), ([["-1/2"]], iteration_converges, "mean")):
        document = ask(M).certificate.to_dict()
        assert document["holds"]
        assert not recheck.check({**document, "question": {**document["question"], "kind": other}})


def test_ties_are_named():
    assert mean_stable([[0]]).reason == "tie: the smallest Re λ is 0 exactly, at 0 (det N = 0)"
    assert iteration_converges([[-1]]).reason == "tie: ρ = 1 exactly, an eigenvalue at −1"


def test_floats_are_decided_as_the_rationals_they_denote():
    rng = np.random.default_rng(0)
    for _ in range(20):
        M = rng.normal(size=(6, 6))
        assert mean_stable(M).proved == bool(np.linalg.eigvals(M).real.min() > 0)
        G = M / 4
        assert iteration_converges(G).proved == bool(np.abs(np.linalg.eigvals(G)).max() < 1)
