"""Every identity of the paper is proved, for all dimensions, and re-checked by SymPy alone."""

import json

import pytest

from theory.symbolic import CHAPTERS, Certificate, Proved, Refuted

PAPER = {name: build() for name, build in CHAPTERS.items()}
IDENTITIES = [(chapter, name) for chapter, n in PAPER.items() for name in n.claims]


@pytest.mark.parametrize(("chapter", "name"), IDENTITIES)
def test_identity_is_proved_and_rechecked_by_sympy(chapter, name):
    outcome = PAPER[chapter].decide(name)
    assert isinstance(outcome, Proved), str(outcome)
    outcome.certificate.check()
    stored = json.loads(json.dumps(outcome.certificate.to_dict()))
    again = Certificate.from_dict(stored)
    assert again == outcome.certificate
    assert again.recheck() is True
    assert PAPER[chapter].T.accepts(again)


@pytest.mark.parametrize(
    ("chapter", "name", "assumptions"),
    [
        ("paper", "closed-form", set()),
        ("paper", "power-scaling", set()),
        ("paper", "zp", set()),
        ("paper", "projection-self-adjoint", set()),
        ("paper", "projection", {"Xi X = 1"}),
        ("paper", "bias", {"Xi X = 1", "A theta_pi = b"}),
        ("paper", "solution", {"A theta_pi = b", "Ai A = 1"}),
        ("paper", "target-sum", set()),
        ("richardson", "residual", {"M x_star = c"}),
        ("singular", "singular-projection", {"Phi Xg X = Phi"}),
        ("n-step", "n-step-value", {"v = r + gamma P v"}),
        ("spectral", "spectrum-forward", {"C Phi v = lam v"}),
        (
            "joint",
            "joint-nilpotent",
            {"Sh X = X Sh", "Sh Y = Y Sh", "Xi X = 1", "X Xi = 1", "definition of G", "Sh^(K+1) = 0"},
        ),
    ],
)
def test_proofs_rest_on_no_more_than_they_need(chapter, name, assumptions):
    """In particular the bias needs a solution of Aθ = b, not an inverse of A; the closed form needs nothing of X⁻¹."""
    outcome = PAPER[chapter].decide(name)
    assert isinstance(outcome, Proved)
    assert set(outcome.certificate.assumptions) == assumptions


def test_every_chapter_has_generic_models_that_satisfy_its_assumptions():
    for chapter, n in PAPER.items():
        assert len(n.T.models) >= 2, chapter
        for model in n.T.models:
            assert all(size >= 2 for space, size in model.dims.items() if space != "1"), chapter
            for h in n.T.context.hypotheses.values():
                assert not any(model.evaluate(h, {}).entries()), chapter


def test_models_of_the_standard_theory_are_problems_and_more_general():
    models = PAPER["paper"].T.models
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
    n = PAPER["paper"]
    outcome = n.T.prove(name, *change(n))
    assert isinstance(outcome, Refuted)
    outcome.witness.recheck()


def test_all_proofs_together_take_little_time():
    """About a second on a quiet machine; the bound leaves room for a noisy one."""
    seconds = sum(outcome.seconds for n in PAPER.values() for outcome in n.decide_all().values())
    assert seconds < 8


def test_certificates_and_claims_print_as_latex():
    n = PAPER["paper"]
    claim = n.claims["bias"]
    assert claim.latex() == r"\theta^k_* - \theta_{\pi} = B^k \left(\theta^0 - \theta_{\pi}\right)"
    outcome = n.decide("bias")
    assert isinstance(outcome, Proved)
    text = outcome.certificate.latex()
    assert r"\text{(assuming 2: A theta\_pi = b)}" in text
    assert r"B^{k+1} &= \gamma X^{-1}" in text
