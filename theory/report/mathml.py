r"""LaTeX as MathML that browsers set well, with or without a font made for mathematics.

latex2mathml does the translation. Before it, a few commands are put in words that it knows (``\Bigl\{``,
``\xrightarrow[T]{}``, ``\operatorname``); after it, the tree is mended where MathML Core, which is what browsers
implement, differs from what it writes:

- brackets around a matrix stretch only with a mathematical font, so the table gets a class for the style sheet, which
  draws them; the operators stay for readers without it;
- a lone ``|`` or ``‖`` and a slash have no space around them, ``⟺`` is a relation and has, ``det`` is a factor;
- Greek capitals are upright, bold is a style.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from latex2mathml.converter import convert

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_BRACKETS = {"()": "round", "[]": "square"}
_RELATIONS = frozenset("⟺⟹⇒⇔⟶")
_BARS = frozenset("|‖∥/")
_CAPITALS = frozenset("ΓΔΘΛΞΠΣΥΦΨΩ")


def mathml(latex: str, *, display: bool = False, goes_on: bool = False) -> str:
    r"""One ``<math>`` element; the LaTeX is its alternative text. If it `goes_on`, its first sign joins what is before.

    >>> "matrix round" in mathml(r"\begin{pmatrix} 1 & 0 \end{pmatrix}")
    True
    """
    text = convert(_prepared(latex), display="block" if display else "inline")
    root = ElementTree.fromstring(text)
    _mend(root)
    if goes_on:
        first = next((e for e in root.iter() if e.text), root)
        if _name(first) == "mo":
            first.set("form", "infix")
    root.set("alttext", " ".join(latex.split()))
    ElementTree.register_namespace("", NAMESPACE)
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def plain_operators(latex: str) -> str:
    r"""``\operatorname{tr}`` in other words: code hosts forbid it.

    >>> plain_operators(r"\operatorname{tr}\Pi + \operatorname{diag}(A)")
    '\\mathrm{tr}\\,\\Pi + \\mathrm{diag}(A)'
    """
    return re.sub(r"\\operatorname\{(\w+)\}(?!\()", r"\\mathrm{\1}\\,", latex).replace(r"\operatorname", r"\mathrm")


def _prepared(latex: str) -> str:
    text = re.sub(r"\\xrightarrow\[([^]]*)\]\{\}", r"\\underset{\1}{\\longrightarrow}", plain_operators(latex))
    text = re.sub(r"\\(?:big|Big|bigg|Bigg)[lr]?\\\{", r"\\lbrace ", text)
    return re.sub(r"\\(?:big|Big|bigg|Bigg)[lr]?\\\}", r"\\rbrace ", text)


def _mend(element: ElementTree.Element) -> None:
    children = list(element)
    for before, here in zip([None, *children], children, strict=False):
        _space_word(before, here)
    for before, here, after in zip(children, children[1:], children[2:], strict=False):
        if _name(here) == "mtable" and (before.text or "") + (after.text or "") in _BRACKETS:
            here.set("class", f"matrix {_BRACKETS[(before.text or '') + (after.text or '')]}")
            before.set("class", "drawn")
            after.set("class", "drawn")
    text = (element.text or "").strip()
    if _name(element) == "mo" and text in _BARS:
        element.attrib.update({"stretchy": "false", "lspace": "0", "rspace": "0"})
    if text in _RELATIONS:  # which latex2mathml may take for an identifier
        element.tag = f"{{{NAMESPACE}}}mo"
        element.attrib.update({"stretchy": "false", "lspace": "0.28em", "rspace": "0.28em"})
    if _name(element) == "mi" and text in _CAPITALS:
        element.set("mathvariant", "normal")
    if element.get("mathvariant") == "bold":
        del element.attrib["mathvariant"]
        element.set("style", "font-weight: bold")
    for child in children:
        _mend(child)


def _space_word(before: ElementTree.Element | None, here: ElementTree.Element) -> None:
    """det, min and the like: a thin space after a factor and before one, none beside operators."""
    core = here if _name(here) == "mo" else next(iter(here), here)
    if _name(core) == "mo" and (core.text or "").isalpha():
        close = before is None or (_name(before) in ("mo", "mspace") and before.text not in (")", "]"))
        core.attrib.update({"lspace": "0" if close else "0.17em", "rspace": "0.17em"})


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
