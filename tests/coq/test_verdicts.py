"""Verdicts become theorems about the very problem: Coq computes with the matrices again."""

from fractions import Fraction

import pytest

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.coq.compiler import assumptions, compile_files
from theory.coq.trees import NotExported
from theory.coq.verdicts import certificate_matrix, decrease, echelon, factor, product, reduced, transpose, verdict_file
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem, problem_names


def documents(problem):
    return [question(problem).certificate.to_dict() for question in (td_stable, chain_unbiased)]


@pytest.mark.parametrize("name", [n for n in problem_names() if n not in ("garnet", "random")])
def test_a_verdict_of_the_catalogue_has_a_matrix_that_proves_it(name):
    for document in documents(catalogue_problem(name)):
        problem, kind = reduced(document["question"]), document["question"]["kind"]
        Q, M = certificate_matrix(problem, kind, document["holds"])
        L, p = factor(M)
        assert all(c > 0 for c in p)
        scaled = [[c * x for x in row] for c, row in zip(p, L, strict=True)]
        assert (
            product(transpose(L), scaled)
            == M
            == decrease(Q, *((problem.td, None) if kind == "td" else _pencil(problem)))
        )


def _pencil(problem):
    return problem.N, problem.X


@pytest.mark.slow
def test_coq_proves_that_td_is_unstable_and_the_chain_unbiased_on_baird(compiled):
    directory, _ = compiled
    result = compile_files({"Baird": verdict_file(documents(catalogue_problem("baird")))}, directory)["Baird"]
    assert result.accepted, result.error
    assert assumptions(result.output) == [(), ()]


@pytest.mark.slow
def test_coq_rejects_the_opposite_verdict(compiled):
    directory, _ = compiled
    text = verdict_file(documents(catalogue_problem("quadrant-stable-biased")))
    wrong = text.replace("Definition gamma : Q := (Qmake (9) 10).", "Definition gamma : Q := (Qmake (1) 10).")
    assert text != wrong
    results = compile_files({"Quadrant": text, "Opposite": wrong}, directory)
    assert results["Quadrant"].accepted, results["Quadrant"].error
    assert not results["Opposite"].accepted


def test_a_form_that_is_not_positive_definite_has_no_factors():
    with pytest.raises(NotExported, match="not positive definite"):
        factor([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]])


def test_features_are_their_basis_times_the_echelon_form():
    Phi = [[Fraction(x) for x in row] for row in ([1, 2, 3, 1], [2, 4, 1, 0], [3, 6, 4, 1])]
    W, pivots = echelon(Phi)
    assert product([[row[j] for j in pivots] for row in Phi], W) == Phi


def test_a_tie_is_not_exported():
    tie = Problem.from_matrices("5/6", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], name="tie")
    with pytest.raises(NotExported, match="tie"):
        verdict_file(documents(tie))
