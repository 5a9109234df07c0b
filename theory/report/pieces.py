r"""Where a displayed formula may be broken: browsers do not break formulas, so on a phone their ends would be hidden.

A formula is cut, outside of all brackets and environments, after a comma with a wide space, which separates two
formulas, and before a relation, a plus or a minus, where a line may end. Pieces stand side by side where there is
room and below each other where there is none.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\begin\{\w+\}|\\end\{\w+\}|\\[A-Za-z]+|\\.|\s+|.", re.S)
_OPEN, _CLOSE = frozenset(("{", "(", "[", r"\{", r"\lbrace")), frozenset(("}", ")", "]", r"\}", r"\rbrace"))
_SPACES = frozenset((r"\quad", r"\qquad"))
_BREAKS = frozenset(("=", r"\iff", r"\Rightarrow", r"\le", r"\approx", "+", "-"))
_BARS = frozenset((r"\|", "|"))
SHORTEST = 12  # letters; a line is not ended for less


def pieces(latex: str) -> list[list[str]]:
    r"""Formulas, each in pieces.

    >>> pieces(r"X = \Phi^\top D \Phi, \quad f(a + b, \quad c)")
    [['X = \\Phi^\\top D \\Phi,'], ['f(a + b, \\quad c)']]
    >>> pieces(r"\theta^k_* - \theta_\pi = \gamma^k (X^{-1} Y)^k")
    [['\\theta^k_* - \\theta_\\pi', '= \\gamma^k (X^{-1} Y)^k']]
    """
    out: list[list[str]] = [[""]]
    depth, within, last = 0, False, ""  # brackets open, and whether a norm or a modulus is
    for token in _TOKEN.findall(latex.strip()):
        depth += (token in _OPEN or token.startswith(r"\begin{")) - (token in _CLOSE or token.startswith(r"\end{"))
        within ^= depth == 0 and token in _BARS
        if depth or within:
            out[-1][-1] += token
        elif token in _SPACES and last in (",", ":"):
            out.append([""])
        elif token in _BREAKS and len(out[-1][-1].strip()) >= SHORTEST and last not in ("^", "_"):
            out[-1].append(token)
        else:
            out[-1][-1] += token
        last = last if token.isspace() or token == r"\ " else token
    return [[_trimmed(piece) for piece in formula] for formula in out if formula != [""]]


def _trimmed(piece: str) -> str:
    r"""Without blanks at its ends, nor ``\ ``."""
    return re.sub(r"^(?:\s|\\ )+|(?:\\ |\s)+$", "", piece)
