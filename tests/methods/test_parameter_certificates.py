"""The set of a parameter as a document: independent code accepts it, and it says what the set says."""

import copy
from fractions import Fraction

import pytest

import theory
from theory.certified import recheck
from theory.certified.answers import Answer
from theory.methods.family import find_method
from theory.methods.parameter_certificates import CoverCertificate, parameter_certificate
from theory.methods.parameters import stable_parameters
from theory.model.linear_model import exact_model
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem

CASES = [
    (name, method, parameter)
    for name in ("twostate", "threestate", "complex-cycle")
    for method, parameter in (
        ("off-policy-td", "gamma"), ("td-lambda", "lambda"), ("ridge-td", "eta"), ("ridge-chain", "eta"),
        ("tdc", "ratio"), ("tdrc", "ratio"), ("soft-target", "tau"), ("damped-chain", "tau"), ("chain", "gamma"),
    )
]  # fmt: skip


@pytest.mark.parametrize(("name", "method", "parameter"), CASES)
def test_the_document_is_accepted_and_says_what_the_set_says(name, method, parameter):
    problem, chosen = catalogue_problem(name), find_method(method, {"alpha": Fraction(1, 16)})
    model = exact_model(problem)
    found = parameter_certificate(chosen, parameter, model)
    values, _ = stable_parameters(chosen, parameter, problem, model)
    assert found.recheck()
    for k in range(1, 60):
        value = Fraction(k, 61) if parameter in ("gamma", "lambda", "tau") else Fraction(k, 7)
        assert found.holds_at(value) is values.holds_at(value)


def test_a_wrong_answer_or_another_pencil_is_refused():
    document = parameter_certificate(
        find_method("td-lambda"), "lambda", exact_model(catalogue_problem("baird"))
    ).document
    assert recheck.check(document)
    for i in range(len(document["stretches"])):
        wrong = copy.deepcopy(document)
        wrong["stretches"][i]["holds"] = not wrong["stretches"][i]["holds"]
        assert not recheck.check(wrong)
    other = copy.deepcopy(document)
    other["question"]["N"][0][0][0] = str(Fraction(other["question"]["N"][0][0][0]) + Fraction(1, 10**9))
    assert not recheck.check(other)


@pytest.mark.parametrize(
    ("method", "parameter"),
    [("td-lambda", "lambda"), ("lstd", "lambda"), ("ridge-chain", "eta"), ("soft-target", "tau"), ("tdc", "ratio")],
)
def test_where_polynomials_are_too_long_inequalities_say_the_same(method, parameter):
    problem, chosen = catalogue_problem("random"), find_method(method, {"alpha": Fraction(1, 4)})
    model = exact_model(problem)
    found = parameter_certificate(chosen, parameter, model)
    values, _ = stable_parameters(chosen, parameter, problem, model)
    assert isinstance(found, CoverCertificate)
    assert found.recheck()
    assert found.to_dict() == found.document
    for value in (Fraction(0), Fraction(1, 500), Fraction(1, 3), Fraction(1), Fraction(7)):
        assert values.holds_at(value) in (found.holds_at(value), Answer.NO if value == 7 else None)


def test_a_comparison_gives_the_document_of_a_method():
    found = theory.compare("baird", ["td-lambda", "lstd"])
    assert found.certificate("td-lambda").recheck()
    assert found.certificate("td-lambda", "gamma").recheck()
    assert found.certificate("lstd", "gamma").recheck()
    assert theory.compare("baird", ["n-step-td"]).certificate("n-step-td") is None
    with pytest.raises(InvalidProblem, match="not among the methods compared"):
        found.certificate("tdc")
