"""Every identity that a statement claims is proved, for all dimensions, and re-checked by SymPy alone."""

import json
import re

import pytest
from matplotlib.mathtext import MathTextParser

from tests.propositions.outcomes import stated
from theory.propositions.registry import distinct_claims
from theory.propositions.theories.paper import paper_theory
from theory.symbolic import Certificate, Proved, Refuted

CLAIMS = distinct_claims()


def test_identities_are_proved_stored_and_rechecked_by_sympy():
    for claim in CLAIMS:
        outcome = claim.decide()
        assert isinstance(outcome, Proved), str(outcome)
        stored = json.loads(json.dumps(outcome.certificate.to_dict()))
        again = Certificate.from_dict(stored)
        assert again == outcome.certificate
        again.check()
        assert again.recheck() is True
        assert claim.theory.accepts(again)
        assert outcome.certificate.equation == str(claim)


def test_certificates_say_what_was_claimed():
    """Expanded, left minus right of some identities is 0; the certificates keep both sides all the same."""
    trivial = [claim for claim in CLAIMS if not claim.zero.terms]
    assert len(trivial) >= 10
    for claim in trivial:
        stored = claim.decide().certificate.to_dict()["proof"]["claim"]
        assert stored["terms"] == []
        assert stored["left"] != stored["right"]


@pytest.mark.parametrize(
    ("id", "name", "assumptions"),
    [
        ("eq-closed-form", "closed-form", set()),
        ("prop-2", "power-scaling", set()),
        ("eq-zp", "zp", set()),
        ("extra-n-step", "projection-self-adjoint", set()),
        ("prop-8", "projection", {"Xi X = 1"}),
        ("prop-2", "bias", {"Xi X = 1", "A theta_pi = b"}),
        ("prop-2", "solution", {"A theta_pi = b", "Ai A = 1"}),
        ("prop-4", "target-sum", set()),
        ("prop-1", "residual", {"M x_star = c"}),
        ("claim-baird", "singular-projection", {"Phi Xg X = Phi"}),
        ("n-step", "n-step-value", {"v = r + gamma P v"}),
        ("prop-3", "spectrum-forward", {"C Phi v = lam v"}),
        (
            "prop-6",
            "joint-nilpotent",
            {"Sh X = X Sh", "Sh Y = Y Sh", "Xi X = 1", "X Xi = 1", "definition of B", "Sh^(K+1) = 0"},
        ),
    ],
)
def test_proofs_rest_on_no_more_than_they_need(id, name, assumptions):
    """In particular the bias needs a solution of Aθ = b, not an inverse of A; the closed form needs nothing of X⁻¹."""
    outcome = stated(id, name).decide()
    assert isinstance(outcome, Proved)
    assert set(outcome.certificate.assumptions) == assumptions


def test_every_theory_has_generic_models_that_satisfy_its_assumptions():
    for theory in {id(claim.theory): claim.theory for claim in CLAIMS}.values():
        assert len(theory.models) >= 2, theory.models
        for model in theory.models:
            assert all(size >= 2 for space, size in model.dims.items() if space != "1"), model.dims
            for h in theory.context.hypotheses.values():
                assert not any(model.evaluate(h, {}).entries())


def test_models_of_the_standard_theory_are_problems_and_more_general():
    models = paper_theory().T.models
    for model in models:
        P, D = model.values["P"], model.values["D"]
        assert model.dims["F"] <= model.dims["S"]
        assert P * D != D * P
        assert P.transpose() != P
        assert model.values["gamma"] not in (0, 1, -1)
    stochastic = [all(sum(row) == 1 for row in model.values["P"].tolist()) for model in models]
    assert True in stochastic
    assert False in stochastic
    assert {model.dims["S"] - model.dims["F"] for model in models} >= {0, 1}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("the bias has no factor", lambda n: (n.theta - n.theta_pi, n.theta0 - n.theta_pi)),
        ("B^k = C Z^k Phi (off by one)", lambda n: (n.G_k, n.C * n.Z_k * n.Phi)),
        ("Pi is symmetric", lambda n: (n.Pi, n.Pi.T)),
        ("cold and hot start agree", lambda n: (n.hot, n.cold)),
        ("G_T is the chain's operator", lambda n: (n.G_t, n.G)),
        ("Pi P has the powers of P", lambda n: (n.Z_k * n.Phi, n.gamma_k * n.P * n.Phi)),
    ],
)
def test_plausible_but_false_statements_are_refuted(name, change):
    n = paper_theory()
    outcome = n.T.prove(name, *change(n))
    assert isinstance(outcome, Refuted)
    outcome.witness.recheck()


def test_certificates_and_claims_print_as_latex():
    claim = stated("prop-2", "bias")
    assert claim.latex() == r"\theta^k_* - \theta_{\pi} = B^k \left(\theta^0 - \theta_{\pi}\right)"
    outcome = claim.decide()
    assert isinstance(outcome, Proved)
    text = outcome.certificate.latex()
    assert r"\text{(assuming 2: A theta\_pi = b)}" in text
    assert r"B^{k+1} &= B B^k" in text
    assert r"B &= \gamma X^{-1} Y" in text


def test_every_certificate_prints_as_valid_latex_also_after_storing():
    """Braces balance and no atom has two superscripts; a sample is also parsed by matplotlib."""
    cells = set()
    for claim in CLAIMS:
        certificate = claim.decide().certificate
        for version in (certificate, Certificate.from_dict(certificate.to_dict())):
            tex = version.latex().removeprefix("\\begin{align*}\n").removesuffix("\n\\end{align*}")
            cells |= set(re.split(r" && | &= | \\\\\n", tex))
    assert not [cell for cell in cells if not is_set(cell)]
    assert not is_set(r"\theta^0^{\top}")
    assert not is_set(r"\frac{1}{2")
    parser = MathTextParser("path")
    for cell in sorted(cells)[::40]:
        parser.parse(f"${cell}$")


def is_set(tex):
    """Would TeX set it? One superscript and one subscript an atom, balanced braces and brackets."""
    scripts, argument = [set()], False
    for token in re.findall(r"\\[A-Za-z]+|\\.|\S", tex):
        if token in "^_":
            if token in scripts[-1]:
                return False
            scripts[-1].add(token)
            argument = True
            continue
        if token == "}":
            if len(scripts) == 1:
                return False
            scripts.pop()
            continue
        if not argument:
            scripts[-1].clear()
        argument = False
        if token == "{":
            scripts.append(set())
    return len(scripts) == 1 and tex.count(r"\left") == tex.count(r"\right")
