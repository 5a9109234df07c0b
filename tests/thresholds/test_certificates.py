"""Documents about every value of a parameter: right at every point, and accepted as they are and in no other way."""

import copy
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certified.tamper import range_originals, truth_along
from theory.certified.answers import Answer
from theory.certified.recheck import checker as recheck
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.exact.algebraic import algebraic_rational
from theory.exact.matrices import identity, matrix, rational
from theory.methods.family import find_method
from theory.methods.outcome import outcome
from theory.methods.parameters import GAMMA, covered, parameter_certificate, stable_parameters
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem, problem_names
from theory.problems.sources import find_problem
from theory.thresholds.certificates import chain_certificate, td_certificate
from theory.thresholds.discounts import chain_threshold, td_stable_intervals
from theory.thresholds.inequalities import Prover, Resolvent
from theory.thresholds.results import CoveredSet, Span, StableSet

GAMMAS = [Fraction(k, 97) for k in range(0, 97, 8)]
SLOW = {"garnet", "random"}  # seconds each
CASES = [
    ("td-lambda", "lambda", "baird"),
    ("lstd", "gamma", "baird"),
    ("ridge-chain", "eta", "quadrant-stable-biased"),
    ("ridge-td", "eta", "baird"),
    ("soft-target", "tau", "finite-window"),
    ("soft-target", "alpha", "finite-window"),
    ("damped-chain", "tau", "quadrant-stable-biased"),
    ("tdc", "ratio", "threestate"),
    ("off-policy-td", "gamma", "threestate"),
    ("chain", "gamma", "complex-cycle"),
]


@pytest.mark.parametrize("name", sorted(set(problem_names()) - SLOW))
def test_a_catalogue_problems_documents_are_accepted_and_say_the_same(name):
    problem = find_problem(name)
    intervals, threshold = td_stable_intervals(problem), chain_threshold(problem)
    td, chain = td_certificate(problem), chain_certificate(problem)
    assert td.recheck()
    assert chain.recheck()
    assert td.confirms([end for pair in intervals.intervals for end in pair])
    assert chain.confirms([threshold])
    for gamma in GAMMAS:
        assert td.holds_at(gamma) is intervals.holds_at(gamma)
        assert chain.holds_at(gamma) is threshold.is_above(gamma)


def test_an_end_that_is_elsewhere_is_not_confirmed():
    found = td_certificate(catalogue_problem("baird"))
    assert not found.confirms([])
    assert not found.confirms([chain_threshold(catalogue_problem("twostate"))])


@settings(max_examples=40)
@given(st.data())
def test_documents_agree_with_verdicts_at_single_discounts(data):
    problem = drawn(data, "1/2")
    td, chain = td_certificate(problem), chain_certificate(problem)
    assert td.recheck()
    assert chain.recheck()
    for gamma in data.draw(st.lists(st.fractions(0, 1, max_denominator=30).filter(lambda x: x < 1), max_size=3)):
        at = problem.with_gamma(gamma)
        assert td.holds_at(gamma) in (td_stable(at).holds, Answer.UNDECIDED)
        assert chain.holds_at(gamma) in (chain_unbiased(at).holds, Answer.UNDECIDED)


def drawn(data, gamma):
    n = data.draw(st.integers(2, 4))
    F = data.draw(st.integers(1, n))
    rows = st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any)
    P = [[Fraction(x, sum(row)) for x in row] for row in data.draw(st.lists(rows, min_size=n, max_size=n))]
    weights = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    Phi = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=F, max_size=F), min_size=n, max_size=n))
    return Problem.from_matrices(gamma, Phi=Phi, P_pi=P, d_mu=[Fraction(w, sum(weights)) for w in weights])


@pytest.mark.parametrize("index", range(len(range_originals())))
def test_a_document_is_right_and_the_other_answer_or_a_longer_stretch_is_refused(index):
    document = range_originals()[index]
    assert recheck.check(document)
    assert truth_along(document)
    for i, stretch in enumerate(document["stretches"]):
        changes = [("holds", not stretch["holds"]), ("low", str(Fraction(stretch["low"]) - 1))]
        if stretch["pieces"] and stretch["high"] is not None:
            changes += [("high", None), ("high", str(Fraction(stretch["high"]) + Fraction(1, 50))), ("pieces", [])]
        for key, value in changes:
            wrong = copy.deepcopy(document)
            wrong["stretches"][i][key] = value
            assert not recheck.check(wrong)


def test_a_stretch_without_proofs_is_refused_however_short_it_is():
    document = td_certificate(catalogue_problem("baird")).to_dict()
    point = {"low": "1/2", "high": "1/2", "holds": False, "pieces": []}
    assert not recheck.check({**document, "stretches": [point]})


def test_a_question_that_is_none_proves_nothing():
    method, model = find_method("soft-target:alpha=1/16"), exact_model(catalogue_problem("finite-window"))
    document = parameter_certificate(method, "tau", model).document
    for key, value in (("claim", "regular"), ("kind", "pencil"), ("endless", None), ("O", [["2"]]), ("L", [])):
        assert not recheck.check({**document, "question": document["question"] | {key: value}})
    assert not recheck.check({**document, "stretches": []})
    assert not recheck.check({"question": document["question"]})
    for key, value in (("V", [["1"]]), ("Z", None), ("Z", [["1"]]), ("negative", ["1"]), ("more", 1)):
        wrong = copy.deepcopy(document)
        wrong["stretches"][0]["pieces"][0][key] = value
        assert not recheck.check(wrong)


@pytest.mark.parametrize(("name", "parameter", "problem_name"), CASES)
def test_the_document_of_a_parameter_says_what_the_set_says(name, parameter, problem_name):
    problem, method = catalogue_problem(problem_name), find_method(name, {"alpha": Fraction(1, 16)})
    model = exact_model(problem)
    found = parameter_certificate(method, parameter, model)
    values, _ = stable_parameters(method, parameter, problem, model)
    assert found.recheck()
    decided = 0
    for k in range(1, 60):
        value = Fraction(k, 61) if parameter in ("gamma", "lambda", "tau") else Fraction(k, 7)
        assert found.holds_at(value) in (values.holds_at(value), Answer.UNDECIDED)
        decided += found.holds_at(value) is not Answer.UNDECIDED
    assert decided > 20


def test_what_the_checker_refuses_is_not_shown(monkeypatch):
    monkeypatch.setattr(recheck, "check", lambda document: False)
    method = find_method("td-lambda")
    assert covered(method, "lambda", method.parameters()["lambda"], exact_model(catalogue_problem("baird"))) is None


def test_least_squares_leave_out_the_point_where_they_fail():
    """Twostate, λ such that X(1 − γλ) = γ(1 − λ)Y: A(λ) = 0 there, and a stretch on each side of it."""
    problem, g, X, Y = catalogue_problem("twostate"), Fraction(99, 100), Fraction(5, 2), Fraction(3)
    star = (g * Y - X) / (g * Y - g * X)
    found = covered(find_method("lstd"), "lambda", find_method("lstd").parameters()["lambda"], exact_model(problem))
    assert isinstance(found, CoveredSet)
    assert [yes for _, _, yes in found.stretches] == [True, True]
    assert found.holds_at(star) is Answer.UNDECIDED
    assert found.holds_at(star + Fraction(1, 10**5)) is found.holds_at(star - Fraction(1, 10**5)) is Answer.YES


def test_a_ridge_is_proved_up_to_infinity():
    """quadrant-stable-biased: ρ(B) = 3/2 with one feature, so |γY| < X + η from η = |γY| − X on, without end."""
    problem = catalogue_problem("quadrant-stable-biased")
    model = exact_model(problem)
    method = find_method("ridge-chain")
    found = covered(method, "eta", method.parameters()["eta"], model)
    star = Fraction(str(abs(model.gamma * model.Y[0, 0]) - model.X[0, 0]))
    (_, below, no), (above, end, yes) = found.stretches
    assert (no, yes, end) == (False, True, None)
    assert below < star < above
    assert above - below < Fraction(1, 10**4)
    shown = Fraction(str(found).partition(", ∞), proved")[0].removeprefix("["))
    assert above <= shown < above + Fraction(1, 10**5)
    shown = found.to_dict()
    assert (shown["stable"], shown["intervals"][0]["high"], len(shown["unknown"])) == ("above", None, 1)
    assert found.holds_at(10**9) is Answer.YES


@settings(max_examples=25)
@given(st.data())
def test_stretches_agree_with_verdicts_at_single_values(data):
    problem = drawn(data, "9/10")
    model = exact_model(problem)
    if model.rank == 0:
        return
    name, parameter = data.draw(st.sampled_from([case[:2] for case in CASES]))
    method = find_method(name, {"alpha": Fraction(1, 16)})
    limits = GAMMA if parameter == "gamma" else method.parameters()[parameter]
    found = covered(method, parameter, limits, model)
    if found is None:
        return
    assert isinstance(found, CoveredSet | StableSet)
    values = st.fractions(Fraction(1, 60), Fraction(59, 60) if limits.high else 20, max_denominator=60)
    for value in data.draw(st.lists(values, max_size=4)):
        if parameter == "gamma":
            known = outcome(method, problem.with_gamma(value)).holds
        else:
            known = outcome(method.with_setting(parameter, value), problem).holds
        assert found.holds_at(value) in (known, Answer.UNDECIDED)


def test_a_defective_matrix_is_covered_without_a_forecast():
    """[[1, 1], [0, 1]] + p·[[0, 0], [0, 0]] has one eigenvector; CliffWalking's matrices are such."""
    block = matrix([[1, 1], [0, 1]])
    for kind, M in (("mean", block), ("iteration", block / 2), ("direct", block)):
        prover = Prover(Resolvent.straight(M, 0 * M, identity(2)), kind, fmpq(1))
        piece = prover.around(fmpq(1, 2))
        assert (piece.low, piece.high, piece.stable) == (0, 1, True)


def test_infinite_and_singular_matrices_are_no_proof():
    one = identity(1)
    for kind in ("mean", "iteration", "direct"):
        singular = Prover(Resolvent(one, 0 * one, 0 * one, one, one), kind, fmpq(1))
        assert singular.around(fmpq(1, 2)) is None
    huge = Prover(Resolvent(one, one, 0 * one, rational(Fraction(10) ** 400) * one, 0 * one), "mean", fmpq(1))
    assert huge.around(fmpq(1, 2)) is None or np.isfinite(huge.found[0].V).all()


def test_ends_of_stretches_are_rounded_into_what_is_proved():
    """0.000976562 is below 1/1024."""
    span = Span(algebraic_rational(0), algebraic_rational(1), False, True)
    low, high = Fraction(1234567891, 10**11), Fraction(8234567899, 10**10)
    covered = CoveredSet(((low, high, True),), span)
    assert str(covered) == "[0.0123457, 0.823456], proved; unknown (0, 0.0123457), (0.823456, 1)"
    assert Fraction("0.0123457") >= low
    assert Fraction("0.823456") <= high
    short = CoveredSet(((Fraction(1, 1024), Fraction(1), True),), span)
    assert str(short) == "[1/1024, 1], proved; unknown (0, 1/1024)"
