"""Every formula of the report becomes MathML that a browser can set: nothing left in LaTeX, brackets drawn."""

from xml.etree import ElementTree

from theory.propositions.formulas import formulas
from theory.propositions.registry import IDS, statement
from theory.report.mathml import NAMESPACE, mathml

TEX = {i: statement(i).latex for i in IDS if statement(i).latex} | {f.name: f.latex for f in formulas()}


def tree(latex):
    return ElementTree.fromstring(mathml(latex, display=True))


def words(element):
    return [node.text for node in element.iter() if node.text]


def test_no_command_is_left_as_text():
    for name, latex in TEX.items():
        assert not [text for text in words(tree(latex)) if "\\" in text or "operatorname" in text], name


def test_brackets_of_a_matrix_are_drawn_by_the_style_sheet_and_stay_in_the_text():
    for environment, kind, ends in (("pmatrix", "round", "()"), ("bmatrix", "square", "[]")):
        math = tree(rf"\begin{{{environment}}} 1 & 0 \\ 0 & 1 \end{{{environment}}}")
        (table,) = math.iter(f"{{{NAMESPACE}}}mtable")
        assert table.get("class") == f"matrix {kind}"
        drawn = [node.text for node in math.iter() if node.get("class") == "drawn"]
        assert "".join(drawn) == ends


def test_relations_have_space_and_bars_none():
    math = tree(r"|B| < 1 \iff 5/6")
    spaces = {node.text: node.get("lspace") for node in math.iter() if node.text}
    assert spaces["⟺"] not in (None, "0")
    assert spaces["|"] == spaces["/"] == "0"


def test_greek_capitals_are_upright_and_vectors_of_ones_bold():
    math = tree(r"\Pi \mathbf{1}")
    by_text = {node.text: node for node in math.iter() if node.text}
    assert by_text["Π"].get("mathvariant") == "normal"
    assert "bold" in by_text["1"].get("style")


def test_the_latex_is_the_alternative_text():
    assert tree(r"\gamma <  1").get("alttext") == r"\gamma < 1"
