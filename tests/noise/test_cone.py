"""Certificates of mean-square stability: accepted by independent code, refused once tampered with."""

from copy import deepcopy
from fractions import Fraction

import pytest

from tests.learners.cases import noisy
from theory.certified.recheck import checker as recheck
from theory.learners.concurrent import ConcurrentChain
from theory.learners.gradient import TDC
from theory.learners.n_step import NStep
from theory.learners.td import TD, OffPolicyTD
from theory.noise.cone import StepBracket, certify, step_bracket
from theory.noise.mean_square import exact_chain, largest_step_size, square_maps
from theory.noise.moments import Moments
from theory.problems.catalogue import catalogue_problem

ONE = Fraction(1)


def blocks(rule, problem):
    return [Moments(one) for one in exact_chain(rule, problem).blocks]


def rules(gamma):
    return [TD(gamma, ONE), TDC(gamma, ONE, ONE), ConcurrentChain(gamma, ONE, K=1), NStep(gamma, ONE, 2)]


@pytest.mark.parametrize("which", range(4))
def test_certificates_agree_with_the_exact_step_size(which):
    problem = noisy()
    rule = rules(problem.exact.gamma)[which]
    families = blocks(rule, problem)
    limit = largest_step_size(square_maps(rule, problem)).value
    for factor, side in ((Fraction(99, 100), True), (Fraction(101, 100), False)):
        alpha = Fraction(float(limit)).limit_denominator(10**6) * factor
        found = [certify(one, alpha) for one in families]
        assert all(c is not None and c.recheck() for c in found if side or c is not None)
        assert all(c.stable for c in found if c is not None) == side


def test_a_bracket_encloses_the_algebraic_step_size():
    problem = catalogue_problem("twostate:gamma=1/2")
    found = step_bracket(blocks(ConcurrentChain(problem.exact.gamma, ONE, K=1), problem))
    assert isinstance(found, StepBracket)
    assert found.low < Fraction(5, 17) < found.high
    assert found.high - found.low < Fraction(1, 10**6)
    assert found.above.recheck()
    assert all(c.recheck() for c in found.below)


def test_a_learner_that_no_small_step_size_saves_has_a_reason():
    problem = catalogue_problem("threestate:gamma=9/10")
    found = step_bracket(blocks(OffPolicyTD(problem.exact.gamma, ONE), problem))
    assert isinstance(found, str)
    assert "unstable in mean square" in found


def tampered(document):
    """One change each, by what it changes."""
    for name, change in {
        "the answer": lambda d: d.update(holds=not d["holds"]),
        "a tuple's sign": lambda d: d["cone"][0][0].__setitem__(0, "-1"),
        "a tuple's symmetry": lambda d: d["cone"][0][0].__setitem__(1, "12345/7"),
        "a missing matrix": lambda d: d["cone"].__setitem__(0, None),
        "a missing node": lambda d: d["cone"].pop(),
        "a probability": lambda d: d["question"]["moves"][0].update(probability="3/4"),
        "a move left out": lambda d: d["question"]["moves"].pop(),
        "a larger map": lambda d: d["question"]["moves"][0]["map"].append([0, 0, "30"]),
        "an entry given twice": lambda d: d["question"]["moves"][0]["map"].append(d["question"]["moves"][0]["map"][0]),
        "an entry before the first row": lambda d: d["question"]["moves"][0]["map"].append([-1, 0, "0"]),
        "an entry before the first column": lambda d: d["question"]["moves"][0]["map"].append([0, -1, "0"]),
        "an entry beyond the last row": lambda d: d["question"]["moves"][0]["map"].append([99, 0, "0"]),
        "a node before the first": lambda d: d["question"]["moves"][0].update(node=-1),
        "a next node before the first": lambda d: d["question"]["moves"][0].update(next=-1),
        "a node that is a truth value": lambda d: d["question"]["moves"][0].update(node=False),
        "a node out of range": lambda d: d["question"]["moves"][0].update(next=99),
        "a number that is none": lambda d: d["question"]["moves"][0].update(probability="x"),
        "another field": lambda d: d.update(note="trust me"),
    }.items():
        changed = deepcopy(document)
        change(changed)
        yield name, changed


def test_tampered_certificates_are_refused():
    problem = noisy()
    (family,) = blocks(TD(problem.exact.gamma, ONE), problem)
    found = certify(family, Fraction(1, 20))
    assert found is not None
    assert found.stable
    assert recheck.check(found.document)
    for name, document in tampered(found.document):
        assert not recheck.check(document), name
    grown = certify(family, Fraction(3))
    assert grown is not None
    assert not grown.stable
    assert grown.recheck()
    assert not recheck.check(grown.document | {"holds": True})


def test_zeros_prove_no_growth():
    """A tuple of nothing is no evidence, and nothing is certified where ρ₂ is 1 exactly."""
    question = {"kind": "mean-square", "nodes": 1, "size": 1}
    moves = [{"node": 0, "next": 0, "probability": "1", "map": [[0, 0, "1"]]}]
    document = {"question": question | {"moves": moves}, "holds": False, "cone": [None]}
    assert not recheck.check(document)
    assert not recheck.check(document | {"cone": [[["1"]]]})
    assert not recheck.check(document | {"cone": [[["1"]]], "holds": True})


def stretching(move):
    """One number that every move multiplies by 100, said to be stable; `move` hides it."""
    moves = [{"node": 0, "next": 0, "probability": "1", "map": [[0, 0, "100"]]} | move]
    question = {"kind": "mean-square", "nodes": 1, "size": 1, "moves": moves}
    return {"question": question, "holds": True, "cone": [[["1"]]]}


@pytest.mark.parametrize(
    "forged",
    [
        {"next": -1},
        {"node": -1},
        {"map": [[0, 0, "100"], [0, 0, "0"]]},
        {"map": [[0, 0, "100"], [-1, 0, "0"]]},
        {"map": [[0, 0, "100"], [0, -1, "0"]]},
        {"map": [[0, 0, "100"], [True, 0, "0"]]},
    ],
)
def test_indices_that_hide_growth_are_refused(forged):
    assert not recheck.check(stretching(forged))
    assert recheck.check(stretching({"map": [[0, 0, "1/2"]]}))


def test_a_move_cannot_leave_the_sums_by_its_index():
    """Node 1 grows by a move that arrives at node −1: the sums into 0 and 1 never see it."""
    still = {"node": 0, "next": 0, "probability": "1", "map": [[0, 0, "1/2"]]}
    grows = {"node": 1, "next": -1, "probability": "1", "map": [[0, 0, "100"]]}
    question = {"kind": "mean-square", "nodes": 2, "size": 1, "moves": [still, grows]}
    document = {"question": question, "holds": True, "cone": [[["1"]], [["1"]]]}
    assert not recheck.check(document)
