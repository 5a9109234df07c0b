"""Certificates become Coq theorems: the statement as people write it, the proof by computation."""

import copy

import pytest

from theory.coq.compiler import assumptions, compile_files
from theory.coq.export import certificate_name, coq_file, coq_module
from theory.coq.trees import NotExported
from theory.propositions.registry import statement

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


def test_fractions_are_not_exported(certificates):
    data = copy.deepcopy(certificates["prop_2_bias"])
    data["proof"]["claim"]["left"] = ["product", ["number", "1/2"], ["letter", "theta_pi"]]
    with pytest.raises(NotExported, match="the fraction 1/2"):
        coq_module("bias", data)
