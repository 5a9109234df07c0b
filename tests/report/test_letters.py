"""Letters: every one of a formula is defined, and the transpose is not the T-th power."""

import re

from theory.propositions.formulas import formulas
from theory.propositions.registry import IDS, statement
from theory.text.words import LETTERS

STATEMENTS = [statement(i) for i in IDS]
# Signs, functions and layout, which need no definition.
COMMANDS = set(
    re.findall(
        r"\w+",
        "top quad qquad sum le ge frac tfrac bigl bigr Bigl Bigr to infty iff Rightarrow succ begin end det min max "
        "mathrm mathbf mathbb mathcal operatorname dots ddots text times approx forall sqrt Pr xrightarrow otimes bar",
    )
)
FREE = set("ijts")  # indices of sums, of time and of states


def letters(latex):
    """Letters and Greek ones, without indices in words: A, b, Phi, Src."""
    text = re.sub(r"\\(?:text|begin|end|operatorname)\{[^}]*\}", " ", latex)
    words = re.findall(r"\\mathrm\{(\w+)\}", text)
    text = re.sub(r"\\mathrm\{\w+\}", " ", text)
    commands = set(re.findall(r"\\([A-Za-z]+)", text)) - COMMANDS
    return set(re.findall(r"[A-Za-z]", re.sub(r"\\[A-Za-z]+", " ", text))) | commands | set(words)


COMMON = set().union(*(letters(latex) for latex, *_ in LETTERS))
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "tau": "τ", "lambda": "λ", "eta": "η", "kappa": "κ",
    "omega": "ω", "varphi": "φ",
}  # fmt: skip
WORDS = {"Re", "sym", "hot", "cold", "init", "TD", "diag"}  # in words, or functions


def test_every_letter_of_a_statement_is_in_the_table_or_defined_with_it():
    for s in STATEMENTS:
        own = " ".join((s.where, s.paper, s.precise, *s.assumptions))
        defined_here = set(re.findall(r"(?<![\w^_{\\])([A-Za-z])'?(?:\([^)]*\))? =", s.latex))
        defined_here |= {"tau"} if r"\tau =" in s.latex else set()
        missing = letters(s.latex) - COMMON - FREE - WORDS - defined_here
        assert not {x for x in missing if not re.search(rf"(?<![A-Za-z]){GREEK.get(x, x)}(?![A-Za-z])", own)}, s.id


def test_every_letter_of_a_closed_form_is_in_the_table_or_its_note():
    for form in formulas():
        missing = letters(form.latex) - COMMON - FREE - WORDS
        assert not {x for x in missing if x not in form.note}


def test_a_raised_t_is_a_transpose_and_never_a_power():
    for s in STATEMENTS:
        said = " ".join((s.paper, s.precise, s.where, *s.assumptions, *s.cites))
        assert not re.search(r"\((?:I|1) [−-] αX\)ᵀ|αx\)ᵀ", said), s.id
        assert not re.search(r"\^T(?!\w)", s.latex), s.id


def test_the_table_tells_transpose_and_power_apart():
    (letter,) = (letter for letter in LETTERS if "transpose" in letter.meaning)
    assert r"M^{\top}" in letter.latex
    assert r"M^{T}" in letter.latex
