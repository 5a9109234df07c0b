"""Stretches that matrix inequalities prove: right at every point, and independent code accepts them and no others."""

import copy
import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certified.tamper import edited
from theory.certified.answers import Answer
from theory.certified.recheck import number
from theory.certified.recheck.along import check_inequalities
from theory.exact.algebraic import algebraic_rational
from theory.exact.matrices import identity, matrix, rational
from theory.exact.polynomials import is_anti_hurwitz, is_schur
from theory.methods import covered as covering
from theory.methods.covered import covered, find_cover
from theory.methods.family import find_method
from theory.methods.outcome import outcome
from theory.methods.parameters import GAMMA, stable_parameters
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem
from theory.thresholds.inequalities import Prover, Resolvent
from theory.thresholds.results import CoveredSet, Span, StableSet

CASES = [
    ("td-lambda", "lambda", "baird"),
    ("td-lambda", "gamma", "threestate"),
    ("lstd", "lambda", "twostate"),
    ("lstd", "gamma", "baird"),
    ("ridge-chain", "eta", "quadrant-stable-biased"),
    ("ridge-td", "eta", "baird"),
    ("soft-target", "tau", "finite-window"),
    ("soft-target", "alpha", "finite-window"),
    ("damped-chain", "tau", "quadrant-stable-biased"),
    ("tdc", "ratio", "twostate"),
]


def cover_of(name, parameter, problem):
    method = find_method(name, {"alpha": Fraction(1, 16)})
    limits = GAMMA if parameter == "gamma" else method.parameters()[parameter]
    return find_cover(method, parameter, limits, exact_model(problem))


def right(document):
    """Does every stretch tell the truth, at its ends and at points between them? By exact counts of roots."""
    q = document["question"]
    O, *rest = (matrix([[number(x) for x in row] for row in M]) for M in (q["O"], *q["L"], *q["R"]))  # noqa: E741
    L, R = rest[:2], rest[2:]
    judge = {"half-plane": is_anti_hurwitz, "disc": is_schur}.get(q["claim"])
    for stretch in document["stretches"]:
        low = number(stretch["low"])
        high = low + 1000 if stretch["high"] is None else number(stretch["high"])
        for k in range(6):
            p = rational(low + (high - low) * k / 5)
            try:
                M = O * (L[0] + p * L[1]).solve(R[0] + p * R[1])
            except ZeroDivisionError:  # an eigenvalue at infinity
                if stretch["holds"]:
                    return False
                continue
            holds = M.det() != 0 if judge is None else judge(M.charpoly())
            if holds != stretch["holds"]:
                return False
    return True


@pytest.mark.parametrize(("name", "parameter", "problem_name"), CASES)
def test_the_document_is_accepted_and_right_and_no_other_answer_is(name, parameter, problem_name):
    found = cover_of(name, parameter, catalogue_problem(problem_name))
    document = found.document()
    assert check_inequalities(document)
    assert right(document)
    for i, stretch in enumerate(document["stretches"]):
        for key, value in (("holds", not stretch["holds"]), ("low", str(Fraction(stretch["low"]) - 1))):
            wrong = copy.deepcopy(document)
            wrong["stretches"][i][key] = value
            assert not check_inequalities(wrong)
        if stretch["high"] is not None:
            wrong = copy.deepcopy(document)
            wrong["stretches"][i]["high"] = None
            assert not check_inequalities(wrong)
    for first, second in pairwise(document["stretches"]):
        wrong = copy.deepcopy(document)
        at = document["stretches"].index(first)
        wrong["stretches"][at]["high"] = second["high"]  # as if it went on
        assert not check_inequalities(wrong)


@pytest.mark.parametrize(("name", "parameter", "problem_name"), CASES)
def test_no_edited_document_is_accepted_unless_it_is_right(name, parameter, problem_name):
    document = cover_of(name, parameter, catalogue_problem(problem_name)).document()
    for stretch in document["stretches"]:  # numbers that matter, not many pieces
        del stretch["pieces"][1:]
        stretch["high"] = stretch["pieces"][0]["high"]
    assert check_inequalities(document)
    rng, refused = random.Random(f"{name} {parameter}"), 0
    for _ in range(150):
        other = edited(document, rng)
        if check_inequalities(other):
            assert right(other), other
        else:
            refused += 1
    assert refused > 60


def test_a_question_that_is_none_proves_nothing():
    document = cover_of("soft-target", "tau", catalogue_problem("finite-window")).document()
    for key, value in (("claim", "regular"), ("kind", "pencil"), ("endless", None), ("O", [["2"]]), ("L", [])):
        assert not check_inequalities({**document, "question": document["question"] | {key: value}})
    assert not check_inequalities({**document, "stretches": []})
    assert not check_inequalities({"question": document["question"]})
    for key, value in (("V", [["1"]]), ("Z", None), ("Z", [["1"]]), ("negative", ["1"]), ("more", 1)):
        wrong = copy.deepcopy(document)
        wrong["stretches"][0]["pieces"][0][key] = value
        assert not check_inequalities(wrong)


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


def test_a_step_size_without_end_is_no_factor_of_an_iteration():
    """Of G(α) a positive factor moves eigenvalues over the circle: soft targets over α agree with single verdicts."""
    problem = catalogue_problem("finite-window")
    method = find_method("soft-target:tau=1/10", {"alpha": Fraction(1, 16)})
    found = covered(method, "alpha", method.parameters()["alpha"], exact_model(problem))
    known = 0
    for k in range(1, 60):
        alpha = Fraction(k, 40)
        said = found.holds_at(alpha)
        if said is not Answer.UNDECIDED:
            known += 1
            assert said is outcome(replace(method, alpha=alpha), problem).holds
    assert known > 50


@settings(max_examples=25)
@given(st.data())
def test_stretches_agree_with_verdicts_at_single_values(data):
    n = data.draw(st.integers(2, 4))
    F = data.draw(st.integers(1, n))
    rows = st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any)
    P = [[Fraction(x, sum(row)) for x in row] for row in data.draw(st.lists(rows, min_size=n, max_size=n))]
    weights = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    Phi = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=F, max_size=F), min_size=n, max_size=n))
    problem = Problem.from_matrices("9/10", Phi=Phi, P_pi=P, d_mu=[Fraction(w, sum(weights)) for w in weights])
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
            known = outcome(method.holding(parameter, value), problem).holds
        assert found.holds_at(value) in (known, Answer.UNDECIDED)


@pytest.mark.parametrize("problem_name", ["random", "garnet"])
@pytest.mark.parametrize(
    ("name", "parameter"),
    [("td-lambda", "lambda"), ("td-lambda", "gamma"), ("lstd", "lambda"), ("lstd", "gamma"), ("ridge-chain", "eta")],
)
def test_the_larger_problems_of_the_catalogue_are_covered(problem_name, name, parameter):
    problem = catalogue_problem(problem_name)
    found, reason = stable_parameters(find_method(name), parameter, problem, exact_model(problem))
    assert reason is None
    assert found.to_dict()["stable"] == "everywhere"


def test_what_is_too_large_is_asked_at_both_ends_alone(monkeypatch):
    monkeypatch.setattr(covering, "INEQUALITY_ROWS", 4)
    problem = catalogue_problem("random")
    found, reason = stable_parameters(find_method("td-lambda"), "lambda", problem, exact_model(problem))
    assert found is None
    assert "converges at 1/1024, converges at 1023/1024, certified, and nothing is known between" in reason


def test_what_the_checker_refuses_is_not_shown(monkeypatch):
    monkeypatch.setattr(covering, "check_inequalities", lambda document: False)
    method = find_method("td-lambda")
    assert covered(method, "lambda", method.parameters()["lambda"], exact_model(catalogue_problem("baird"))) is None


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
