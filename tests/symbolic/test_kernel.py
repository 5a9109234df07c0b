"""The kernel and the SymPy recheck must both reject whatever is not a proof."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.propositions.outcomes import stated
from theory.propositions.theories.paper import paper_theory
from theory.symbolic import Certificate, Proved, Rejected, Theory
from theory.symbolic.context import HYPOTHESIS, Context, Recursion
from theory.symbolic.forms import Form
from theory.symbolic.kernel import Proof, check
from theory.symbolic.recheck import recheck_proof

ONE = Fraction(1)


@pytest.fixture(scope="module")
def bias():
    outcome = stated("prop-2", "bias").decide()
    assert isinstance(outcome, Proved)
    return outcome.certificate


def assert_both_reject(certificate: Certificate, match: str | None = None) -> None:
    with pytest.raises(Rejected, match=match):
        certificate.check()
    with pytest.raises(Rejected):
        certificate.recheck()


def change_entry(certificate, part, number, **new):
    fields = ("c", "mono", "left", "reference", "right")
    entries = list(certificate.proof.parts[part])
    values = dict(zip(fields, entries[number], strict=True)) | new
    entries[number] = tuple(values[f] for f in fields)
    return with_part(certificate, part, entries)


def with_part(certificate, part, entries):
    parts = {**certificate.proof.parts, part: tuple(entries)}
    return replace(certificate, proof=replace(certificate.proof, parts=parts))


def test_the_untampered_certificate_is_accepted_by_both(bias):
    bias.check()
    assert bias.recheck() is True


def test_a_changed_coefficient_is_rejected(bias):
    for part, entries in bias.proof.parts.items():
        for number, entry in enumerate(entries):
            assert_both_reject(change_entry(bias, part, number, c=entry[0] + 1), "does not expand")


def test_a_dropped_or_doubled_term_is_rejected(bias):
    for part, entries in bias.proof.parts.items():
        for number in range(len(entries)):
            assert_both_reject(with_part(bias, part, entries[:number] + entries[number + 1 :]), "does not expand")
            assert_both_reject(with_part(bias, part, (*entries, entries[number])), "does not expand")


def test_a_changed_word_or_scalar_is_rejected(bias):
    for number, entry in enumerate(bias.proof.parts["step"]):
        assert_both_reject(change_entry(bias, "step", number, mono=(*entry[1], "gamma")), "does not expand")
        assert_both_reject(change_entry(bias, "step", number, left=("Phi", *entry[2])))
        assert_both_reject(change_entry(bias, "step", number, right=(*entry[4], "Xi")))
        assert_both_reject(change_entry(bias, "step", number, mono=("beta",)))


def test_a_swapped_or_invented_hypothesis_is_rejected(bias):
    names = list(bias.context.hypotheses)
    for number, entry in enumerate(bias.proof.parts["step"]):
        other = next(name for name in names if name != entry[3][0])
        assert_both_reject(change_entry(bias, "step", number, reference=(other, False, None)))
        assert_both_reject(change_entry(bias, "step", number, reference=("wishful thinking", False, None)), "not known")
        assert_both_reject(change_entry(bias, "step", number, reference=(entry[3][0], True, None)))


def test_a_changed_claim_is_rejected(bias):
    claim = bias.proof.claim
    for key in claim.terms:
        terms = {**claim.terms, key: 2 * claim.terms[key]}
        assert_both_reject(replace(bias, proof=replace(bias.proof, claim=replace(claim, terms=terms))))


def test_changed_assumptions_are_noticed_by_the_theory(bias):
    T = paper_theory().T
    assert T.accepts(bias)
    weaker = {name: replace(h, terms={}) for name, h in bias.context.hypotheses.items()}
    assert_both_reject(replace(bias, context=replace(bias.context, hypotheses=weaker)))
    zero = bias.proof.claim
    cheat = replace(
        bias.context, hypotheses={"convenient": Form("1", "F", {((), ("theta0",)): ONE})}, sequences={}, written={}
    )
    proof = Proof(
        "theta0 = 0",
        cheat.hypotheses["convenient"],
        None,
        {"identity": ((ONE, (), (), ("convenient", False, None), ()),)},
    )
    forged = Certificate(cheat, proof)
    forged.check()  # a proof, but of another theory
    assert not T.accepts(forged)
    assert T.accepts(replace(bias, proof=replace(bias.proof, claim=replace(zero, terms={})))) is False


def false_theory():
    """G_k with the false claim G_k = 1, whose step would follow from itself at k+1."""
    T = Theory()
    G = T.op("G", "N -> N")
    G_k = T.power(G)
    return T, (G_k - 1).form


def test_the_induction_hypothesis_holds_at_k_only_and_not_in_the_base():
    T, claim = false_theory()
    at_next = ((ONE, (), (), (HYPOTHESIS, False, ("k", "+1")), ()),)
    assert_both_reject(Certificate(T.context, Proof("false", claim, "k", {"base": (), "step": at_next})), "at k only")
    itself = ((ONE, (), (), (HYPOTHESIS, False, None), ()),)
    assert_both_reject(Certificate(T.context, Proof("false", claim, None, {"identity": itself})), "not known")
    T2 = Theory()
    s = T2.sequence("s", T2.op("a", "1 -> N"), lambda x: x)
    assert_both_reject(
        Certificate(T2.context, Proof("false", s.form, "k", {"base": itself, "step": itself})), "not known"
    )


def test_obligations_cannot_be_left_out():
    T, claim = false_theory()
    for parts in ({}, {"base": ()}, {"step": ()}, {"identity": ()}):
        assert_both_reject(Certificate(T.context, Proof("false", claim, "k", parts)))


def test_a_lemma_needs_a_proof_of_its_own():
    T, claim = false_theory()
    use = ((ONE, (), (), ("lemma", False, None), ()),)
    unproved = Proof("lemma", claim, "k", {"base": (), "step": ()})
    assert_both_reject(Certificate(T.context, Proof("false", claim, None, {"identity": use}, {"lemma": unproved})))
    circular = Proof("lemma", claim, None, {"identity": use})
    assert_both_reject(Certificate(T.context, Proof("false", claim, None, {"identity": use}, {"lemma": circular})))


def test_a_relation_of_one_space_cannot_be_used_in_another():
    T = Theory("gamma")
    a, b = T.op("a", "1 -> S"), T.op("b", "1 -> F")
    T.assume("gamma = 2 on S", T.gamma * T.one("S"), 2)
    entry = (ONE, (), (), ("gamma = 2 on S", False, None))
    fine = Proof("on S", (T.gamma * a - 2 * a).form, None, {"identity": ((*entry, ("a",)),)})
    Certificate(T.context, fine).check()
    Certificate(T.context, fine).recheck()
    wrong = Proof("on F", (T.gamma * b - 2 * b).form, None, {"identity": ((*entry, ("b",)),)})
    assert_both_reject(Certificate(T.context, wrong))


def context(**changes) -> Context:
    letters = {"A": ("N", "N"), "A^T": ("N", "N"), "s": ("N", "N"), "s^T": ("N", "N")}
    flips = {"A": "A^T", "A^T": "A", "s": "s^T", "s^T": "s"}
    letter = Form("N", "N", {((), ("A",)): ONE})
    base = Context(frozenset({"g"}), letters, flips, {}, {"s": Recursion("k", letter, letter)})
    return replace(base, **changes)


def some(*word: str) -> Form:
    return Form("N", "N", {((), word): ONE})


@pytest.mark.parametrize(
    ("malformed", "complaint"),
    [
        (context(hypotheses={"h": some("s")}), "speaks of a sequence"),
        (context(hypotheses={"h": some("s^T", "A")}), "speaks of a sequence"),
        (context(hypotheses={"h": some("B")}), "does not end in"),
        (context(hypotheses={HYPOTHESIS: some("A")}), "speaks of a sequence"),
        (context(sequences={"s": Recursion("k", some("s"), some("A"))}), "later sequence"),
        (context(sequences={"A": Recursion("k", some(), some("s")), "s": Recursion("k", some(), some("A"))}), "later"),
        (
            context(sequences={"A": Recursion("k", some(), some("A")), "s": Recursion("k", some("A"), some())}),
            "start of",
        ),
        (context(sequences={"s": Recursion("k", Form("1", "N", {}), some("A"))}), "another type"),
        (context(flips={"A": "A", "A^T": "A^T", "s": "s", "s^T": "s^T"}), "cannot be declared symmetric"),
        (context(flips={"A": "A^T", "A^T": "s", "s": "s^T", "s^T": "A"}), "twice does not give it back"),
        (context(scalars=frozenset({"A"})), "share a name"),
        (context(instances={"K": ("k", {"s": "s"})}), "cannot stand for"),
        (context(instances={"K": ("k", {"s": "A"}), "L": ("k", {"s": "A"})}), "share a constant"),
    ],
)
def test_a_malformed_context_proves_nothing(malformed, complaint):
    trivial = Proof("0 = 0", Form("N", "N", {}), None, {"identity": ()})
    check(context(), trivial)
    with pytest.raises(Rejected, match=complaint):
        check(malformed, trivial)


def test_induction_over_an_index_on_which_a_foreign_sequence_depends_is_rejected():
    """y_t starts at x_k, so y moves with k although it recurs over t; nothing is known of y at k+1."""
    T = Theory()
    x = T.sequence("x", T.op("x0", "1 -> N"), lambda x: 2 * x)
    y = T.sequence("y", x, lambda y: 3 * y, index="t")
    with pytest.raises(Rejected, match="depends on 'k' but recurs over 't'"):
        check(T.context, Proof("claim", (y - x).form, "k", {"base": (), "step": ()}))


def test_what_depends_on_two_indices_has_no_instance_at_one_of_them():
    """s_k built from t-letters has a value at k = K for each t: a constant letter for it would hide the t."""
    T = Theory()
    A_t = T.power(T.op("A", "N -> N"), "A", index="t")
    s = T.sequence("s", T.op("x", "1 -> N"), lambda x: A_t * x)
    with pytest.raises(Rejected, match="does not depend on 'k' alone"):
        T.instance("K", "k", s)


def test_floats_are_not_coefficients(bias):
    entry = bias.proof.parts["step"][0]
    with pytest.raises(Rejected, match="bad coefficient"):
        change_entry(bias, "step", 0, c=float(entry[0])).check()


def test_sympy_substitutes_in_powers_too():
    """G_k·G_k prints as a power in SymPy; its image at k+1 must still be multiplied out."""
    T = Theory()
    G = T.op("G", "N -> N")
    G_k, S_k = T.power(G), T.power(G * G, "S")
    outcome = T.prove("G^k G^k = (GG)^k", G_k * G_k, S_k)
    assert isinstance(outcome, Proved)
    outcome.certificate.recheck()


def test_malformed_stored_certificates_are_rejected(bias):
    good = bias.to_dict()
    for key in good["proof"]:
        with pytest.raises(Rejected, match="malformed"):
            Certificate.from_dict({**good, "proof": {k: v for k, v in good["proof"].items() if k != key}})
    claim = good["proof"]["claim"]
    for terms in (
        [*claim["terms"], claim["terms"][0]],
        [["0x1", [], ["theta0"]]],
        [[1.0, [], ["theta0"]]],
        [["1/0", [], []]],
    ):
        bad = {**good, "proof": {**good["proof"], "claim": {**claim, "terms": terms}}}
        with pytest.raises(Rejected):
            Certificate.from_dict(bad)
        with pytest.raises(Rejected):
            recheck_proof(bad)
