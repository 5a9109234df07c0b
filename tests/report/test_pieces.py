"""Where formulas may be broken: between formulas and before relations, never within brackets, norms or matrices."""

import re

from theory.propositions.formulas import formulas
from theory.propositions.registry import IDS, statement
from theory.report.html import pieces
from theory.report.mathml import mathml

TEX = {i: statement(i).latex for i in IDS if statement(i).latex} | {f.name: f.latex for f in formulas()}


def bare(latex):
    return re.sub(r"\\q?quad(?![A-Za-z])|\\ |\s", "", latex)


def test_pieces_are_the_whole_formula():
    for name, latex in TEX.items():
        assert bare("".join(p for formula in pieces(latex) for p in formula)) == bare(latex), name


def test_brackets_and_bars_of_a_piece_are_closed_in_it():
    for piece in (p for latex in TEX.values() for formula in pieces(latex) for p in formula):
        for left, right in ("{}", "()", "[]"):
            assert piece.count(left) == piece.count(right)
        assert piece.count(r"\|") % 2 == 0
        assert piece.count(r"\begin") == piece.count(r"\end")
        assert not piece.endswith("\\")


def test_a_sign_at_the_start_of_a_piece_that_goes_on_keeps_its_spaces():
    assert '<mo form="infix">+</mo>' in mathml("+ x", display=True, goes_on=True)
    assert "form" not in mathml("- x", display=True)
