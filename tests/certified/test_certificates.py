"""Certificates are plain data, prove their answer to other code, and do not survive tampering."""

import copy
import json
from fractions import Fraction

import numpy as np
import pytest

from tests.exact.examples import concerns, middle_window, quadrant
from theory.certified.answers import Certificate, certificate
from theory.certified.proofs import Roots, Signature
from theory.certified.recheck.checker import check
from theory.certified.verdicts import (
    chain_unbiased,
    td_stable,
    uniformly_safe,
    window_stable,
)
from theory.problems import InvalidProblem, Problem

SAFE, BAD, BIASED, UNSTABLE = map(quadrant, ([[1], [0]], [[1], [3]], [[1], [-3]], [[1, 0], [3, 1]]))
FLOATS = Problem.from_matrices(0.9, Phi=[[1.0, 0.0], [3.0, 1.0]], P_pi=[[0.0, 1], [1, 0]], d_mu=[0.9, 0.1])
CENTRE = Problem.from_matrices("3/4", Phi=[[1, 0], [3, 1]], P_pi=[[0, 1], [0, 1]], d_mu=["2/3", "1/3"])
MIDDLE = middle_window()

# One of every question with every kind of evidence that it gets, and both answers.
VERDICTS = {
    "td symmetric": (SAFE, td_stable(SAFE), "signature"),
    "td signature": (UNSTABLE, td_stable(UNSTABLE), "signature"),
    "td floats": (FLOATS, td_stable(FLOATS), "signature"),
    "td tie": (CENTRE, td_stable(CENTRE), "roots"),
    "chain contraction": (SAFE, chain_unbiased(SAFE), "signature"),
    "chain signature": (UNSTABLE, chain_unbiased(UNSTABLE), "signature"),
    "chain biased": (BIASED, chain_unbiased(BIASED), "signature"),
    "chain tie": (BIASED.with_gamma("3/5"), chain_unbiased(BIASED.with_gamma("3/5")), "roots"),
    "window short": (MIDDLE, window_stable(MIDDLE, 8, "1/16"), "roots"),
    "window long": (MIDDLE, window_stable(MIDDLE, 127, "1/16"), "roots"),
    "window beyond": (MIDDLE, window_stable(MIDDLE, 128, "1/16"), "roots"),
    "window cold": (MIDDLE, window_stable(MIDDLE, 100, "1/16", "cold"), "roots"),
    "vacuous": (quadrant([[0], [0]]), td_stable(quadrant([[0], [0]])), "vacuous"),
    "uniform": (SAFE.with_gamma("1/2"), uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "1/2"), "signature"),
    "uniform unsafe": (SAFE, uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "9/10"), "witness"),
}
each = pytest.mark.parametrize(("problem", "verdict", "kind"), VERDICTS.values(), ids=VERDICTS.keys())


def numbers_in(value, path=()):
    """The paths to all leaves that are numbers, as text or integers."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from numbers_in(v, (*path, k))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from numbers_in(v, (*path, i))
    elif not isinstance(value, bool):
        try:
            Fraction(value)
        except ValueError:
            return
        yield path


def changed(document, path, value):
    out = copy.deepcopy(document)
    place = out
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value(place[path[-1]])
    return out


def proves(document, problem):
    """Would a reader who has the problem accept this?"""
    return check(document) and concerns(Certificate.from_dict(document), problem)


@each
def test_every_certificate_proves_its_answer_and_is_plain_data(problem, verdict, kind):
    certificate = verdict.certificate
    assert verdict.evidence.kind == kind
    assert certificate.recheck()
    assert concerns(certificate, problem)
    document = json.loads(json.dumps(certificate.to_dict()))
    again = Certificate.from_dict(document)
    assert again == certificate
    assert again.recheck()
    assert concerns(again, problem)
    assert check(document)


def test_a_problem_in_floats_and_its_exact_twin_are_the_same_numbers():
    exact = Problem.from_matrices(
        Fraction(0.9), Phi=FLOATS.exact.Phi, P_pi=FLOATS.exact.P_pi, d_mu=[Fraction(1) - Fraction(0.1), Fraction(0.1)]
    )
    certificate = td_stable(FLOATS).certificate
    assert not concerns(certificate, exact)  # 0.9 and 1 − 0.1 are different doubles
    assert concerns(certificate, FLOATS.relabelled(name="other"))
    assert not concerns(certificate, UNSTABLE)  # the double 0.9 is not 9/10


@pytest.mark.parametrize(
    "document",
    [{}, {"question": {}, "holds": True, "evidence": {}}, {"question": None, "holds": True, "evidence": None}, []],
)
def test_nonsense_proves_nothing(document):
    assert not check(document)


def test_rejects_documents_that_are_no_certificates():
    document = td_stable(SAFE).certificate.to_dict()
    for bad in ([], {}, {"question": 1}):
        with pytest.raises(InvalidProblem, match="is not a certificate"):
            Certificate.from_dict(bad)
    for forged in (
        {**document, "extra": 1},
        {**document, "evidence": {"kind": "oracle"}},
        {**document, "holds": "yes"},
        changed(document, ("question", "gamma"), lambda _: "__import__('os')"),
    ):
        assert not Certificate.from_dict(forged).recheck()


def test_claims_that_are_false_cannot_be_certified_by_hand():
    """The most plausible forgeries: true evidence of the wrong question."""
    given = td_stable(UNSTABLE).question.given()
    for evidence in (Signature(None, (1, 1)), Signature(np.eye(2), (1, 1))):
        assert not certificate("td", given, True, evidence).recheck()
    true = td_stable(CENTRE).evidence  # the polynomial λ² + 1/18 of another problem
    assert isinstance(true, Roots)
    assert not certificate("td", given, False, true).recheck()
