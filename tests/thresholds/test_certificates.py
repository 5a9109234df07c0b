"""Documents about every γ: they say what the thresholds say, and the independent checker accepts them."""

import copy
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certified.tamper import along_originals, truth_along
from theory.certified import recheck
from theory.certified.answers import Answer
from theory.certified.recheck.along import borders, is_isolated, may_vanish
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.problems import Problem
from theory.problems.catalogue import problem_names
from theory.problems.sources import find_problem
from theory.thresholds.certificates import chain_certificate, td_certificate
from theory.thresholds.discounts import chain_threshold, td_stable_intervals

GAMMAS = [Fraction(k, 97) for k in range(0, 97, 8)]
SLOW = {"garnet", "random"}  # seconds each


@pytest.mark.parametrize("name", sorted(set(problem_names()) - SLOW))
def test_a_catalogue_problems_documents_are_accepted_and_say_the_same(name):
    problem = find_problem(name)
    intervals, threshold = td_stable_intervals(problem), chain_threshold(problem)
    td, chain = td_certificate(problem), chain_certificate(problem, threshold)
    assert td.recheck()
    assert chain.recheck()
    for gamma in GAMMAS:
        assert td.holds_at(gamma) is intervals.holds_at(gamma)
        assert chain.holds_at(gamma) is threshold.is_above(gamma)


@settings(max_examples=40)
@given(st.data())
def test_documents_agree_with_verdicts_at_single_discounts(data):
    n = data.draw(st.integers(2, 4))
    F = data.draw(st.integers(1, n))
    rows = st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any)
    P = [[Fraction(x, sum(row)) for x in row] for row in data.draw(st.lists(rows, min_size=n, max_size=n))]
    weights = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    Phi = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=F, max_size=F), min_size=n, max_size=n))
    problem = Problem.from_matrices("1/2", Phi=Phi, P_pi=P, d_mu=[Fraction(w, sum(weights)) for w in weights])
    td, chain = td_certificate(problem), chain_certificate(problem, chain_threshold(problem))
    assert td.recheck()
    assert chain.recheck()
    for gamma in data.draw(st.lists(st.fractions(0, 1, max_denominator=30).filter(lambda x: x < 1), max_size=3)):
        at = problem.with_gamma(gamma)
        assert td.holds_at(gamma) == td_stable(at).holds
        assert chain.holds_at(gamma) == chain_unbiased(at).holds


@pytest.mark.parametrize("name", ["random:states=20,features=16,seed=3", "random:states=12,features=11,seed=4"])
def test_larger_problems_in_doubles_have_documents_of_proofs(name):
    problem = find_problem(name)
    threshold = chain_threshold(problem)
    td, chain = td_certificate(problem), chain_certificate(problem, threshold)
    assert {s["evidence"]["kind"] for s in td.document["stretches"]} == {"pieces"}
    assert {s["evidence"]["kind"] for s in chain.document["stretches"]} <= {"monotone"}
    assert td.recheck()
    assert chain.recheck()
    for gamma in (Fraction(1, 4), Fraction(9, 10)):
        for found, known in ((td, td_stable_intervals(problem).holds_at(gamma)), (chain, threshold.is_above(gamma))):
            assert found.holds_at(gamma) is known


def test_an_exact_end_is_a_tie_and_both_sides_are_told_apart_beside_it():
    """Threestate's end is a root of a quadratic: 2⁻⁹⁰ below it TD is stable, 2⁻⁹⁰ above it is not."""
    problem = find_problem("threestate")
    found, end = td_certificate(problem), td_stable_intervals(problem).intervals[0].high.exact
    low, high = (Fraction(int(x.p), int(x.q)) for x in end.interval(Fraction(1, 2**90)))
    assert (found.holds_at(low), found.holds_at(high)) == (Answer.YES, Answer.NO)
    assert td_certificate(find_problem("baird")).holds_at("15/17") is Answer.NO


@pytest.mark.parametrize("index", range(len(along_originals())))
def test_a_stretch_with_the_other_answer_or_a_longer_one_is_refused(index):
    document = along_originals()[index]
    assert recheck.check(document)
    assert truth_along(document)
    for i, stretch in enumerate(document["stretches"]):
        wrong = copy.deepcopy(document)
        wrong["stretches"][i]["holds"] = not stretch["holds"]
        assert not recheck.check(wrong)
    if len(document["stretches"]) > 1:
        longer = copy.deepcopy(document)
        first, second = longer["stretches"][:2]
        first["high"] = str(Fraction(second["low"]) + Fraction(1, 50))
        second["low"] = first["high"]
        longer["ends"] = [e for e in longer.get("ends", ()) if Fraction(e["low"]) > Fraction(second["low"])]
        if first["holds"] != second["holds"]:
            assert not recheck.check(longer)


@given(st.lists(st.fractions(-3, 3, max_denominator=6), min_size=1, max_size=5), st.fractions(-2, 2, max_denominator=5))
def test_roots_are_seen_exactly_where_they_are(roots, low):
    p = [Fraction(1)]
    for r in roots:
        p = [a - r * b for a, b in zip([Fraction(0), *p], [*p, Fraction(0)], strict=True)]
    high = low + 1
    assert may_vanish(p, low, high) == any(low < r < high for r in roots)
    assert may_vanish(p, low, None) == any(r > low for r in roots)
    within = [r for r in roots if low < r < high]
    assert is_isolated(p, low, high) == (len(within) == 1 and low not in roots and high not in roots)


def test_border_polynomials_vanish_exactly_where_an_eigenvalue_is_on_the_border():
    """z² − 2pz + 1: the roots multiply to 1, so that of the disc is 0 for every p; sum 2p of the half plane at 0."""
    curve = [[Fraction(1)], [Fraction(0), Fraction(-2)], [Fraction(1)]]
    assert [] in borders(curve, disc=True)
    half = borders(curve, disc=False)
    assert len(half) == 1
    assert not may_vanish(half[0], Fraction(0), Fraction(5))
    assert may_vanish(half[0], Fraction(-1), Fraction(1))


def test_what_takes_long_to_check_is_not_done_unasked():
    """Twelve features side by side with fractions of fifty digits: minutes of determinants, and no quick document."""
    n = 12
    eye = [[int(i == j) * (10**50 + i) for j in range(n)] for i in range(n)]
    Phi = [row for r in eye for row in (r, [2 * x for x in r])]
    P = [[int(t == 2 * (s // 2) + 1) for t in range(2 * n)] for s in range(2 * n)]
    weights = [Fraction(1, 10**50 + 7 * s) for s in range(2 * n)]
    problem = Problem.from_matrices("1/2", Phi=Phi, P_pi=P, d_mu=[w / sum(weights) for w in weights])
    assert td_certificate(problem, quick=True) is None
    assert chain_certificate(problem, chain_threshold(problem), quick=True) is None
