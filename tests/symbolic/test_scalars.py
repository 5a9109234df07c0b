"""A 1×1 matrix is its own transpose: proved where it is one, refuted where the matrices differ, refused elsewhere."""

from dataclasses import replace
from fractions import Fraction

import pytest

from theory.symbolic import Certificate, IllTyped, Proved, Refuted, Rejected, Theory
from theory.symbolic.context import HYPOTHESIS
from theory.symbolic.forms import Form
from theory.symbolic.kernel import SYMMETRISED, Proof
from theory.symbolic.mutants import examine
from theory.symbolic.recheck import recheck_proof
from theory.symbolic.recheck_witness import recheck_witness

ONE = Fraction(1)


@pytest.fixture
def letters():
    T = Theory("gamma")
    vectors = {x: T.op(x, "1 -> S") for x in "uvwx"}
    return T, {**vectors, "B": T.op("B", "S -> S"), "D": T.op("D", "S -> S", symmetric=True), "c": T.op("c", "1 -> 1")}


TRUE = {
    "inner product": lambda n: (n["u"].T * n["v"], n["v"].T * n["u"]),
    "bilinear": lambda n: (n["u"].T * n["B"] * n["v"], n["v"].T * n["B"].T * n["u"]),
    "symmetric": lambda n: (n["u"].T * n["D"] * n["v"], n["v"].T * n["D"] * n["u"]),
    "a letter": lambda n: (n["c"], n["c"].T),
    "two commute": lambda n: (n["u"].T * n["v"] * n["w"].T * n["x"], n["w"].T * n["x"] * n["u"].T * n["v"]),
    "three commute": lambda n: (
        n["u"].T * n["v"] * n["c"] * n["w"].T * n["x"],
        n["c"] * n["x"].T * n["w"] * n["v"].T * n["u"],
    ),
    "inside a vector": lambda n: (n["B"] * n["w"] * n["u"].T * n["v"], n["B"] * n["w"] * n["v"].T * n["u"]),
    "quadratic": lambda n: (n["u"].T * (n["B"] + n["B"].T) * n["u"], 2 * n["u"].T * n["B"] * n["u"]),
}

FALSE = {
    "another matrix": lambda n: (n["u"].T * n["B"] * n["v"], n["u"].T * n["B"].T * n["v"]),
    "outer product": lambda n: (n["u"] * n["v"].T, n["v"] * n["u"].T),
    "another pairing": lambda n: (n["u"].T * n["v"] * n["w"].T * n["x"], n["u"].T * n["x"] * n["w"].T * n["v"]),
    "sign": lambda n: (n["u"].T * n["v"], -n["v"].T * n["u"]),
}


@pytest.mark.parametrize("name", TRUE)
def test_what_follows_from_transposing_scalars_is_proved_and_rechecked(letters, name):
    T, n = letters
    outcome = T.prove(name, *TRUE[name](n))
    assert isinstance(outcome, Proved), str(outcome)
    assert not outcome.certificate.assumptions
    again = Certificate.from_dict(outcome.certificate.to_dict())
    again.check()
    assert again.recheck() is True
    assert T.accepts(again)


@pytest.mark.parametrize("name", FALSE)
def test_what_does_not_is_refuted(letters, name):
    T, n = letters
    outcome = T.prove(name, *FALSE[name](n))
    assert isinstance(outcome, Refuted), str(outcome)
    assert outcome.witness.recheck() is True


def test_an_inner_and_an_outer_product_have_no_difference(letters):
    T, n = letters
    with pytest.raises(IllTyped, match="have no sum"):
        T.prove("inner is outer", n["v"].T * n["u"], n["u"] * n["v"].T)


@pytest.mark.parametrize("name", TRUE)
def test_mutants_are_refuted_or_equivalent(letters, name):
    T, n = letters
    report = examine(T.claim(name, *TRUE[name](n)), at_most=40)
    assert not report.wrongly_proved
    assert not report.undecided
    assert len(report.refuted) >= 4


def test_it_may_be_used_with_assumptions_and_in_an_induction(letters):
    """z_{k+1} = z_k + uᵀv with z_0 = 0 is k·vᵀu; and where Bv = w, uᵀBv = wᵀu."""
    T, n = letters
    number = T.scalar_sequence("n", 0, lambda k: k + 1)
    total = T.sequence("z", 0 * n["c"], lambda z: z + n["u"].T * n["v"])
    outcome = T.prove("sum", total, number * n["v"].T * n["u"])
    assert isinstance(outcome, Proved)
    assert HYPOTHESIS in outcome.uses
    assert outcome.certificate.recheck() is True
    T.assume("B v = w", n["B"] * n["v"], n["w"])
    outcome = T.prove("through B", n["u"].T * n["B"] * n["v"], n["w"].T * n["u"], using=("B v = w",))
    assert isinstance(outcome, Proved)
    assert outcome.certificate.assumptions == ("B v = w",)


def assert_both_reject(T, proof):
    certificate = Certificate(T.context, proof)
    with pytest.raises(Rejected):
        certificate.check()
    with pytest.raises(Rejected):
        recheck_proof(certificate.to_dict())


def test_only_1_by_1_claims_may_be_symmetrised(letters):
    """B − Bᵀ plus its transpose is zero too, and proves nothing."""
    T, n = letters
    assert_both_reject(T, Proof("B is symmetric", (n["B"] - n["B"].T).form, None, {SYMMETRISED: ()}))
    assert_both_reject(T, Proof("u = 0", n["u"].form, None, {SYMMETRISED: ()}))
    fine = Proof("c is", (n["c"] - n["c"].T).form, None, {SYMMETRISED: ()})
    Certificate(T.context, fine).check()
    assert Certificate(T.context, fine).recheck() is True


def test_the_symmetrised_obligation_is_computed_and_not_taken_on_trust(letters):
    T, n = letters
    wrong = (n["u"].T * n["B"] * n["v"] - n["u"].T * n["B"].T * n["v"]).form
    assert_both_reject(T, Proof("wrong", wrong, None, {SYMMETRISED: ()}))
    assert_both_reject(T, Proof("wrong", wrong, None, {SYMMETRISED: (), "identity": ()}))
    assert_both_reject(T, Proof("wrong", wrong, "k", {SYMMETRISED: ()}))
    itself = ((2 * ONE, (), (), (HYPOTHESIS, False, None), ()),)
    assert_both_reject(T, Proof("wrong", wrong, None, {SYMMETRISED: itself}))
    lemma = Proof("lemma", wrong, None, {SYMMETRISED: ()})
    use = ((ONE, (), (), ("lemma", False, None), ()),)
    assert_both_reject(T, Proof("wrong", wrong, None, {"identity": use}, {"lemma": lemma}))


def test_a_tampered_scalar_lemma_is_rejected(letters):
    T, n = letters
    outcome = T.prove("bilinear", *TRUE["bilinear"](n))
    ((name, lemma),) = outcome.certificate.proof.lemmas.items()
    key = next(iter(lemma.claim.terms))
    claim = replace(lemma.claim, terms={**lemma.claim.terms, key: 2 * lemma.claim.terms[key]})
    assert_both_reject(T, replace(outcome.certificate.proof, lemmas={name: replace(lemma, claim=claim)}))
    wide = Form("S", "S", lemma.claim.terms)
    assert_both_reject(T, replace(outcome.certificate.proof, lemmas={name: replace(lemma, claim=wide)}))


def test_the_space_1_has_dimension_1_in_every_model_and_witness(letters):
    T, n = letters
    stored = T.prove("sign", *FALSE["sign"](n)).witness.to_dict()
    with pytest.raises(Rejected, match="the space '1' has dimension 2"):
        recheck_witness({**stored, "dims": {**stored["dims"], "1": 2}})

    def widen(draw):
        draw.dims["1"] = 2
        return {}

    T.model(widen)
    with pytest.raises(ValueError, match="it has dimension 1"):
        _ = T.models


def test_a_name_that_is_taken_is_left_alone(letters):
    T, n = letters
    T.assume("(uᵀ·v)ᵀ = uᵀ·v", n["w"], n["x"])
    outcome = T.prove("w = x", n["w"] * n["u"].T * n["v"], n["x"] * n["u"].T * n["v"])
    assert isinstance(outcome, Proved)
