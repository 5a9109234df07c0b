"""Certificates become Coq theorems: the statement as people write it, the proof by computation."""

import copy
import re
from fractions import Fraction

import pytest

from theory import Theory
from theory.coq.compiler import assumptions, compile_files
from theory.coq.export import certificate_name, coq_file, coq_module
from theory.coq.trees import NotExported
from theory.propositions.registry import statement
from theory.symbolic.kernel import Rejected
from theory.symbolic.outcomes import Certificate

# Between them: induction, transposes and symmetry, lemmas inside lemmas, instances, a claim about a number.
SAMPLE = ["prop-2", "prop-6", "extra-uniform-safety"]


@pytest.fixture(scope="module")
def certificates():
    found = {}
    for id in SAMPLE:
        for outcome in statement(id).prove():
            data = outcome.certificate.to_dict()
            found[f"{id.replace('-', '_')}_{certificate_name(data)}"] = data
    return found


@pytest.mark.slow
def test_coq_accepts_the_certificates_and_needs_no_axioms(compiled, certificates):
    directory, _ = compiled
    result = compile_files({"Sample": coq_file(certificates.items())}, directory)["Sample"]
    assert result.accepted, result.error
    assert assumptions(result.output) == [()] * len(certificates)


@pytest.mark.slow
def test_coq_rejects_a_certificate_with_another_sign(compiled, certificates):
    directory, _ = compiled
    data = copy.deepcopy(certificates["prop_2_bias"])
    data["proof"]["parts"]["step"][0]["coefficient"] = "-1"
    result = compile_files({"Mutant": coq_file([("bias", data)])}, directory)["Mutant"]
    assert not result.accepted


def test_the_theorem_reads_as_it_was_claimed(certificates):
    text = coq_module("bias", certificates["prop_2_bias"])
    assert "Theorem bias (k : nat) : ((theta_k k) + (- theta_pi)) = ((B_k k) *m (theta0 + (- theta_pi)))." in text
    assert "Variable Phi : 'M[R]_(nS, nF)." in text


def test_a_file_is_written_with_what_it_needs(tmp_path):
    outcome = statement("prop-2").prove()[0]
    assert outcome.coq(tmp_path / "bias.v") == (tmp_path / "bias.v").read_text() == outcome.coq()
    assert "Theorem cert" in (tmp_path / "Certify.v").read_text()
    with pytest.raises(ValueError, match="must be a Coq module's name"):
        outcome.coq(tmp_path / "my-bias.v")
    with pytest.raises(ValueError, match="goes beside it"):  # it was written, and then overwritten
        outcome.coq(tmp_path / "Certify.v")


def theory_with_fractions():
    """Half of a sum, a fraction in front of a step, one that only the proof needs, composite denominators."""
    half = Fraction(1, 2)
    T = Theory("g h")
    A, D = T.op("A", "N -> N"), T.op("D", "N -> N", symmetric=True)
    u = T.op("u", "1 -> N")
    T.assume("gh = 1", T.g * T.h, 1)
    B = T.op("B", "N -> N")
    T.assume("2gA = 2B", 2 * T.g * A, 2 * B)
    even = half * (A + A.T)
    start = T.op("start", "1 -> N")
    theta = T.sequence("theta", start=start, step=lambda t: half * (D * t + t))
    powers = T.power(half * (D + T.one("N")))
    return {
        "halves": T.prove("halves", even + half * (A - A.T), A),
        "form": T.prove("form", u.T * A * u, u.T * even * u),
        "divided": T.prove("divided", A, T.h * B),
        "averaged": T.prove("averaged", theta, powers * start),
        "tenths": T.prove("tenths", Fraction(5, 12) * D.T * A + Fraction(7, 30) * D * A, Fraction(13, 20) * D * A),
    }


def theory_with_names_of_coq():
    """Names that Coq keeps for itself, that the generated text uses, that collide, or that it cannot read."""
    T = Theory("nat GRing R k same_zero γ")
    names = ["Theorem", "Variable", "forall", "Certify", "trmx", "Γ", "IH", "N", "nN", "same"]
    A, B, *more = (T.op(name, "N -> N", symmetric=name == "Γ") for name in names)
    power = T.power(A, "k")
    factor = T.nat * T.GRing * T.R * T.k * T.same_zero * T.γ
    left = factor * sum(more, A * B) * power + power
    right = factor * (sum((M.T for M in more), B.T * A.T)).T * power + power
    return {name: T.prove(name, left, right) for name in ("same", "Theorem", "Certify", "nat", "*) Qed. (*")}


@pytest.mark.slow
def test_coq_accepts_any_names(compiled):
    directory, _ = compiled
    documents = [outcome.certificate.to_dict() for outcome in theory_with_names_of_coq().values()]
    result = compile_files({"Names": coq_file([(certificate_name(d), d) for d in documents])}, directory)["Names"]
    assert result.accepted, result.error
    assert assumptions(result.output) == [()] * len(documents)


def test_greek_letters_keep_their_names_in_coq():
    text = theory_with_names_of_coq()["same"].coq()
    assert "Variable gamma : R." in text
    assert "Variable Gamma : 'M[R]_(nN, nN)." in text


@pytest.mark.slow
def test_coq_accepts_fractions_where_their_primes_are_units_and_relations_among_scalars(compiled):
    directory, _ = compiled
    found = {name: outcome.certificate.to_dict() for name, outcome in theory_with_fractions().items()}
    for outcome in statement("extra-etd-moments").prove():  # an induction among scalars
        data = outcome.certificate.to_dict()
        found[f"etd_{certificate_name(data)}"] = data
    wrong = copy.deepcopy(found["tenths"])
    wrong["proof"]["claim"]["right"][1] = ["number", "7/20"]
    texts = {"Fractions": coq_file(found.items()), "Twentieths": coq_file([("tenths", wrong)])}
    results = compile_files(texts, directory)
    assert results["Fractions"].accepted, results["Fractions"].error
    assert assumptions(results["Fractions"].output) == [()] * len(found)
    assert not results["Twentieths"].accepted


def test_a_theorem_with_fractions_says_which_numbers_are_units():
    text = coq_module("tenths", theory_with_fractions()["tenths"].certificate.to_dict())
    assert "Variable R : comUnitRingType." in text
    assert re.findall(r"\((\d+)%:R : R\) \\is a GRing.unit", text) == ["5", "3", "2"]
    assert "(5%:R / 12%:R)" in text


def test_numbers_that_coq_would_count_for_hours_are_refused():
    T = Theory()
    A = T.op("A", "N -> N")
    proved = T.prove("sum", 10**4 * A - 3 * A, (10**4 - 3) * A)
    with pytest.raises(NotExported, match=r"name the long numbers with T\.scalar"):
        proved.coq()


@pytest.mark.parametrize("text", ["1%:R). Axiom bad : False. (*", "1/2/3", "٣", 1])
def test_numbers_of_a_document_are_numbers(certificates, text):
    """They are written as they are spelt: one of an unused definition once brought an axiom with it."""
    data = copy.deepcopy(certificates["prop_2_bias"])
    data["context"]["definitions"].append(["unused", ["number", text]])
    with pytest.raises(NotExported, match="is not a number"):
        coq_module("bias", data)


def test_a_place_of_a_document_is_a_number(certificates):
    data = copy.deepcopy(certificates["prop_2_bias"])
    data["context"]["definitions"].append(["unused", ["at", "k", "0%N). Axiom bad : False. (*", ["number", "1"]]])
    with pytest.raises(NotExported, match="is not a place"):
        coq_module("bias", data)


def test_what_the_kernel_rejects_is_not_written(certificates, tmp_path):
    data = copy.deepcopy(certificates["prop_2_bias"])
    data["proof"]["parts"]["step"][0]["coefficient"] = "-1"
    with pytest.raises(Rejected):
        Certificate.from_dict(data).coq(tmp_path / "bias.v")
    assert not (tmp_path / "bias.v").exists()
