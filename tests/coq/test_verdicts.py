"""Verdicts become theorems about the very problem: Coq computes with the matrices again."""

from fractions import Fraction
from math import prod

import pytest
from flint import fmpq_mat

from tests.command_line import run
from theory.certified.verdicts import chain_unbiased, td_stable, window_stable
from theory.coq.compiler import assumptions, compile_files
from theory.coq.evidence import decrease, form, reduced, tie
from theory.coq.rationals import definite, dominates, echelon, factor, rational, remainder
from theory.coq.trees import NotExported
from theory.coq.verdicts import theorem_names, verdict_file
from theory.problems import Problem
from theory.problems.catalogue import catalogue_problem, problem_names

CYCLE = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
# On the boundary: λ(A) = 0 and γρ(ΠP) = 1; a pair e^{±iφ} of γΠP; a pair ±iω of A, whose features are dependent.
REAL_TIE = Problem.from_matrices("5/6", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], name="tie")
COMPLEX_TIE = Problem.from_matrices(
    "5/7", Phi=[[-1, 2], [3, 4], [0, -2]], P_pi=CYCLE, d_mu=["16/33", "1/33", "16/33"], name="turns"
)
NEAR_TIE = REAL_TIE.with_gamma(Fraction(5, 6) + Fraction(1, 10**40))
TD_TIE = Problem.from_matrices(
    "13/17", Phi=[[3, 1, -1], [2, 0, -1]], P_pi=[[0, 1], [1, 0]], d_mu=["1/17", "16/17"], name="swings"
)


def documents(problem):
    return [question(problem).certificate.to_dict() for question in (td_stable, chain_unbiased)]


def pencil(problem, kind):
    return (problem.td, None) if kind == "td" else (problem.N, problem.X)


def test_states_that_are_never_visited_are_refused():
    with pytest.raises(NotExported, match="never visited"):
        reduced(documents(catalogue_problem("w-to-2w"))[0]["question"])


@pytest.mark.parametrize("name", [name for name in problem_names() if name != "w-to-2w"])
def test_a_verdict_of_the_catalogue_has_a_matrix_that_proves_it(name):
    for document in documents(catalogue_problem(name)):
        problem, kind = reduced(document["question"]), document["question"]["kind"]
        found = form(*pencil(problem, kind), document["holds"])
        assert found.decrease == decrease(found.Q, *pencil(problem, kind))
        for M in [found.decrease, *([found.Q] if document["holds"] else [])]:
            L, p = definite(M)
            assert dominates(remainder(M, L, p))
            assert all(c > 0 for c in [*p, *factor(M)[1]])  # and by exact elimination


@pytest.mark.parametrize("problem", [REAL_TIE, COMPLEX_TIE, TD_TIE], ids=lambda p: p.name)
def test_a_tie_has_an_invariant_subspace_whose_trace_or_determinant_says_so(problem):
    ties = 0
    for document in documents(problem):
        N, E = pencil(reduced(document["question"]), document["question"]["kind"])
        if document["holds"]:
            continue
        found, ties = tie(N, E), ties + 1
        V = found.V if E is None else E * found.V
        assert N * found.V == V * found.C
        assert found.lower * found.upper == found.C
        diagonal = [(found.C if E is None else found.upper)[i, i] for i in range(found.C.nrows())]
        assert sum(diagonal) == 0 if E is None else abs(prod(diagonal)) == 1
    assert ties


def test_eigenvalues_that_mirror_each_other_have_a_matrix_too():
    found = form(fmpq_mat([[1, 1], [0, -1]]), None, holds=False)
    assert factor(found.decrease)
    inside = form(fmpq_mat([[4, 2], [0, 1]]) / 2, fmpq_mat([[1, 0], [0, 1]]), holds=False)
    assert factor(inside.decrease)


@pytest.mark.slow
def test_coq_proves_the_verdicts_on_baird_and_its_target_network(compiled):
    directory, _ = compiled
    problem = catalogue_problem("baird")
    network = window_stable(problem, 8, Fraction(1, 16)).certificate.to_dict()
    cold = window_stable(problem, 8, Fraction(1, 16), "cold").certificate.to_dict()
    text = verdict_file([*documents(problem), network, cold])
    assert theorem_names(text)[:3] == ["problem_td_unstable", "problem_unbiased", "problem_network_stable"]
    assert theorem_names(text)[3] == f"problem_cold_{'stable' if cold['holds'] else 'unstable'}"
    result = compile_files({"Baird": text}, directory)["Baird"]
    assert result.accepted, result.error
    assert assumptions(result.output) == [()] * 4


@pytest.mark.slow
def test_coq_proves_ties(compiled):
    directory, _ = compiled
    texts = {"Real": verdict_file(documents(REAL_TIE)), "Complex": verdict_file(documents(COMPLEX_TIE)[1:])}
    texts["Swings"] = verdict_file(documents(TD_TIE)[:1])
    names = [name for text in texts.values() for name in theorem_names(text)]
    assert names == ["problem_td_tie", "problem_chain_tie", "problem_chain_tie", "problem_td_tie"]
    results = compile_files(texts, directory)
    assert {name: r.error for name, r in results.items() if not r.accepted} == {}


@pytest.mark.slow
def test_coq_decides_next_to_a_tie_and_on_the_tie_of_a_window(compiled):
    directory, _ = compiled
    texts = {"Near": verdict_file(documents(NEAR_TIE))}
    windows = [window_stable(REAL_TIE, 3, Fraction(1, 5), start) for start in ("hot", "cold")]
    texts["Window"] = verdict_file([w.certificate.to_dict() for w in windows])
    names = [theorem_names(text) for text in texts.values()]
    assert names == [["problem_td_unstable", "problem_biased"], ["problem_network_tie", "problem_cold_stable"]]
    results = compile_files(texts, directory)
    assert {name: r.error for name, r in results.items() if not r.accepted} == {}


@pytest.mark.slow
def test_coq_rejects_the_opposite_verdict(compiled):
    directory, _ = compiled
    text = verdict_file(documents(catalogue_problem("quadrant-stable-biased")))
    wrong = text.replace("Definition gamma : Q := (Qmake (9) 10).", "Definition gamma : Q := (Qmake (1) 10).")
    assert text != wrong
    results = compile_files({"Quadrant": text, "Opposite": wrong}, directory)
    assert results["Quadrant"].accepted, results["Quadrant"].error
    assert not results["Opposite"].accepted


def test_a_false_verdict_finds_no_evidence():
    for document in documents(catalogue_problem("quadrant-stable-biased")):
        with pytest.raises(NotExported):
            verdict_file([{**document, "holds": not document["holds"]}])


def test_a_form_that_is_not_positive_definite_has_no_factors():
    with pytest.raises(NotExported, match="not positive definite"):
        definite(fmpq_mat([[1, 2], [2, 1]]))


def test_features_are_their_basis_times_the_echelon_form():
    Phi = fmpq_mat([[1, 2, 3, 1], [2, 4, 1, 0], [3, 6, 4, 1]])
    W, pivots = echelon(Phi)
    assert fmpq_mat([[row[j] for j in pivots] for row in Phi.tolist()]) * W == Phi


def test_the_matrix_of_a_target_network_is_that_of_its_updates():
    problem = reduced(documents(catalogue_problem("threestate"))[0]["question"])
    alpha, T, target = rational("1/16"), 5, fmpq_mat(3, 1, [1, -2, 3])
    theta, cold = target, 0 * target
    for _ in range(T):
        theta, cold = (x - alpha * (problem.X * x - problem.N * target) for x in (theta, cold))
    assert problem.network(alpha, T, hot=False) * target == cold
    assert problem.gram == problem.gram.transpose()
    assert problem.network(alpha, T) * target == theta


def test_a_window_too_long_for_coq_is_refused_in_one_line(tmp_path, capsys):
    file = str(tmp_path / "w.v")
    code, out, err = run(capsys, "inspect", "garnet", "--window", "1000", "--step-size", "1/10", "--coq", file)
    assert (code, out) == (2, "")
    assert "for Coq there is no proof of a window of 1000 updates on this problem: its numbers are too long" in err


def test_cold_needs_a_window_and_a_file(capsys, tmp_path):
    for given in (["--cold"], ["--cold", "--window", "3"], ["--cold", "--coq", str(tmp_path / "w.v")]):
        code, out, err = run(capsys, "inspect", "twostate", *given)
        assert (code, out) == (2, "")
        assert "--cold needs --coq and --window" in err
