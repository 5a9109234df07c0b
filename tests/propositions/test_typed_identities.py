"""Identities that a reader types: understood, decided, and never evaluated."""

import contextlib
import html
import time

import marimo as mo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.problems import InvalidProblem
from theory.propositions.document import statement_card
from theory.propositions.identities import LETTERS, decide_identity, read_identity
from theory.propositions.registry import statement
from theory.propositions.statement import verify
from theory.propositions.theories.paper import paper_theory
from theory.symbolic import Proved, Refuted


@pytest.mark.parametrize(
    "text",
    [
        "Pi Pi = Pi",
        "Π Φ = Φ",
        "X (1 - B) = A",
        "A A^-1 = I",
        "θᵏ = W_k X⁻¹ b + Bᵏ θ⁰",
        "theta_k - theta_pi = B^k (theta0 - theta_pi)",
        "(Phi^T D Phi)' = X",
        "gamma^k gamma = gamma gamma^k",
        "-(X - A) = -gamma Y",
        "X^2 - X X = 0",
        "X.T = Xᵀ",
        "P^k P = P P**k",
        "(1 - gamma P)^-1 (1 - gamma P) = 1",
        "Xi X = 1",
        "B_k B = B B_k",
    ],
)
def test_true_identities_are_proved_and_the_proof_stands(text):
    outcome = decide_identity(text)[1]
    assert isinstance(outcome, Proved)
    outcome.certificate.recheck()


@pytest.mark.parametrize("text", ["Pi P = P Pi", "B^k = B B^k", "gamma = 1/2", "X = Y", "A^T = A"])
def test_false_identities_are_refuted_by_matrices(text):
    outcome = decide_identity(text)[1]
    assert isinstance(outcome, Refuted)
    outcome.witness.recheck()


def test_letters_mean_what_the_table_says():
    n = paper_theory()
    (left, right) = read_identity("X - gamma Y = gamma^2 B^T")
    assert left.is_same_as(n.A)
    assert right.is_same_as(n.T.gamma * n.T.gamma * n.G.T)
    assert all(hasattr(n, name) or name in ("gamma", "alpha") for name in LETTERS.values())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected a letter"),
        ("Pi", "expected '='"),
        ("Pi = ", "found the end"),
        ("Pi = Pi = Pi", "expected the end"),
        ("Phi P = 1", "does not fit together"),
        ("Phi = X", "do not fit together"),
        ("Phi^2 = Phi", "is not square"),
        ("Phi^-1 = Phi", "is not square and has no inverse"),
        ("Phi^k = Phi", "is not square and has no power"),
        ("alpha^k = 1", "only gamma has a k-th power"),
        ("alpha^-1 = 1", "a scalar has no inverse here"),
        ("X.x = X", "not in the grammar"),
        ("Q = 1", "no letter 'Q'"),
        ("1/0 X = X", "divides by zero"),
        ("X^9 = X", "powers go up to 6"),
        ("1 = 1", "says nothing"),
        ("__import__('os').system('true') = 1", "not in the grammar"),
        ("X" * 400, "at most 300"),
        ("(" * 60 + "X", "brackets"),
        ("(1+B)^6^6^6 = 1", "more than"),
        ("B" + "^6" * 90 + " = 1", "letters"),
        ("9" + "^6" * 90 + " X = 1", "too long"),
        ("(Phi^T D + Phi^T)^T = " + "(P + D)" * 14, "terms"),
    ],
)
def test_rejects_what_is_not_an_identity(text, complaint):
    with pytest.raises(InvalidProblem, match=complaint):
        decide_identity(text)


@settings(deadline=None, max_examples=150)
@given(st.text(alphabet="XYAPDBbr()+-*^Tk=123/ ΦΠγθ⁰ᵏ_", max_size=40))
def test_any_text_is_read_or_refused_at_once(text):
    begun = time.perf_counter()
    with contextlib.suppress(InvalidProblem):
        read_identity(text)
    assert time.perf_counter() - begun < 2


def test_cards_say_what_was_shown():
    assert "**Proved**" in decide_identity("Pi Pi = Pi")[1]._repr_markdown_()
    assert "dim S" in decide_identity("Pi P = P Pi")[1]._repr_markdown_()
    finding = verify(statement("prop-2"))
    card = statement_card(finding)
    assert finding.statement.latex in card
    assert "Without “Aθ_π = b is solvable”" in html.unescape(card)


@pytest.mark.parametrize("name", ["fig-1", "conjecture", "eq-td", "prop-1"])
def test_brackets_in_a_statements_text_are_no_formulas(name):
    """marimo sets what stands between a backslash and a bracket: only the statement's own formula may be set."""
    finding = verify(statement(name))
    assert "[" in finding.statement.precise + "".join(example.text for example in finding.counterexamples)
    shown = mo.md(statement_card(finding)).text
    assert shown.count("<marimo-tex") == (1 if finding.statement.latex else 0)
