"""An answer is yes, no or undecided, and nothing can take one for the other."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from theory.certified.answers import NO, UNDECIDED, YES, Answer, Verdict
from theory.certified.verdicts import td_stable
from theory.problems import Problem

ROOT = Path(__file__).parents[2]


def twostate(gamma):
    return Problem.from_matrices(gamma, Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])


@pytest.mark.parametrize("answer", Answer)
@pytest.mark.parametrize("truth", [True, False, None])
def test_an_answer_is_no_truth_value(answer, truth):
    for compare in (lambda: bool(answer), lambda: answer == truth, lambda: answer != truth, lambda: truth == answer):
        with pytest.raises(TypeError, match="undecided"):
            compare()
    with pytest.raises(TypeError, match="undecided"):
        assert [answer] == [truth]
    with pytest.raises((TypeError, KeyError)):
        {True: 1, False: 0, None: 2}[answer]


def test_answers_compare_with_answers_and_keep_their_json():
    assert [Answer.of(a.json) for a in Answer] == [YES, NO, UNDECIDED]
    assert all(a != b for a, b in combinations(Answer, 2))
    assert [~a for a in Answer] == [NO, YES, UNDECIDED]
    assert [str(a) for a in Answer] == ["yes", "no", "undecided"]


def test_exactly_one_of_three_is_true_of_a_verdict():
    unknown = Verdict(td_stable(twostate("1/2")).question, UNDECIDED, "too long", "undecided")
    for verdict, which in ((td_stable(twostate("1/2")), 0), (td_stable(twostate("9/10")), 1), (unknown, 2)):
        assert [verdict.proved, verdict.refuted, verdict.undecided] == [i == which for i in range(3)]
        assert verdict.decided is not verdict.undecided
        with pytest.raises(TypeError, match="undecided"):
            bool(verdict)


def test_a_verdict_without_evidence_is_undecided_and_only_then():
    good = td_stable(twostate("1/2"))
    for holds, evidence in ((YES, None), (NO, None), (UNDECIDED, good.evidence), (True, good.evidence)):
        with pytest.raises(TypeError):
            Verdict(good.question, holds, "", "", evidence)


def test_no_source_compares_an_answer_by_identity_with_a_truth_value():
    """`is` cannot raise, so nobody may write it: neither of `.holds` nor of a name that was taken from it."""
    places = ("theory", "tests", "benchmarks", "analysis_notebooks", "docs", "README.md")
    files = [f for p in places for f in ([ROOT / p] if (ROOT / p).is_file() else (ROOT / p).rglob("*"))]
    found = []
    for file in files:
        if file.suffix not in (".py", ".md") or file == Path(__file__):
            continue
        for n, line in enumerate(file.read_text().splitlines(), 1):
            if re.search(r"\.holds(\)|\b)\s+is\b|\bis(\s+not)?\s+[\w.()]*\.holds\b|\bnot\s+[\w.()]*\.holds\b", line):
                found.append(f"{file.relative_to(ROOT)}:{n}: {line.strip()}")
    allowed = {"theory/certified/answers.py"}
    assert [f for f in found if f.split(":")[0] not in allowed] == []
