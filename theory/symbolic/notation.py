r"""Formulas as they are written: building trees, and printing them as text and as LaTeX.

`theory.symbolic.context` says what the kinds of trees are and what they mean. Here sums and products are kept flat,
double minuses and double transposes are dropped, and nothing else is simplified: (A + B)² stays as it is. A polynomial
that nobody wrote, such as the residue of a search, is written term by term, shortest words first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import groupby

from theory.symbolic.context import Tree
from theory.symbolic.forms import Form

SUM, PRODUCT, ATOM = range(3)  # how tightly a formula holds together
_GREEK = {
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho"),
    *("sigma", "tau", "phi", "psi", "theta", "omega", "Gamma", "Delta", "Theta", "Lambda", "Pi", "Sigma", "Phi", "Psi"),
}
_GREEK_LETTERS = {"λ": "lambda", "Λ": "Lambda"} | {  # Unicode spells these two without a b
    unicodedata.lookup(f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {name}"): name
    for name in _GREEK - {"lambda", "Lambda"}
}


def plus(a: Tree, b: Tree, sign: int = 1) -> Tree:
    """a + b, or a − b."""
    first = a[1:] if a[0] == "sum" else (a,)
    if sign < 0:
        return ("sum", *first, minus(b))
    return ("sum", *first, *(b[1:] if b[0] == "sum" else (b,)))


def minus(a: Tree) -> Tree:
    """−a."""
    inner: Tree = a[1] if a[0] == "minus" else ("minus", a)
    return inner


def times(a: Tree, b: Tree) -> Tree:
    """a·b; the number 1 in front of something is left out."""
    if a == ("number", "1"):
        return b
    return ("product", *(a[1:] if a[0] == "product" else (a,)), *(b[1:] if b[0] == "product" else (b,)))


def transposed(a: Tree, flips: Mapping[str, str]) -> Tree:
    """aᵀ; a symmetric letter stays as it is."""
    if a[0] == "transpose":
        inner: Tree = a[1]
        return inner
    return a if a[0] in ("letter", "identity") and flips.get(a[1], a[1]) == a[1] else ("transpose", a)


def tree_of(form: Form, scalars: Mapping[str, str] | frozenset[str]) -> Tree:
    """An expanded polynomial as a sum of products."""
    terms: list[Tree] = []
    for (mono, word), c in sorted(form.terms.items(), key=lambda item: (len(item[0][1]), item[0])):
        factors: list[Tree] = [] if abs(c) == 1 and mono + word else [("number", str(abs(c)))]
        for symbol, run in groupby(mono + word):
            n = len(list(run))
            plain: Tree = ("letter", symbol.removesuffix("^T"))
            atom: Tree = ("scalar", symbol) if symbol in scalars else plain
            atom = ("transpose", atom) if symbol.endswith("^T") else atom
            factors.append(atom if n == 1 else ("power", atom, n))
        if not word and form.source != "*":
            factors.append(("identity", form.source))
        term: Tree = factors[0] if len(factors) == 1 else ("product", *factors)
        terms.append(term if c > 0 else ("minus", term))
    if not terms:
        return ("number", "0") if form.source == "*" else ("zero", form.source, form.target)
    return terms[0] if len(terms) == 1 else ("sum", *terms)


def names_in(tree: Tree) -> set[str]:
    """Letters, scalars and abbreviations that a tree speaks of."""
    if tree[0] in ("letter", "scalar", "name"):
        return {tree[1]}
    return set().union(*(names_in(part) for part in tree[1:] if isinstance(part, tuple)))


def text(tree: Tree) -> str:
    """The formula in plain letters: ``Phiᵀ·D·(r + gamma·P)``."""
    return _Text().show(tree)[0]


def latex(tree: Tree, letters: Mapping[str, str]) -> str:
    """The formula in LaTeX, where `letters` says how each name is set."""
    return _Latex(letters).show(tree)[0]


def as_latex(name: str) -> str:
    r"""``theta_k`` and ``θ_k`` become ``\theta_{k}``, ``A_mu_i`` becomes ``A_{\mu,i}``."""
    head, *tail = name.split("_")
    stem = head.rstrip("0123456789")
    below = ",".join(_set(part) for part in (head[len(stem) :], *tail) if part)
    return f"{_set(stem)}_{{{below}}}" if below else _set(stem)


def words_as_latex(words: str) -> str:
    r"""A name such as ``A theta_pi = b`` inside ``\text{…}``."""
    special = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "ᵀ": "'", "·": " ", "−": "-"}
    return "".join(special.get(c, rf"\{c}" if c in "_#$%&{}" else c) for c in words)


def _set(part: str) -> str:
    part = "lambda" if part == "lam" else _GREEK_LETTERS.get(part, part)  # Python has lambda for itself
    if part in _GREEK:
        return "\\" + part
    return part if len(part) < 2 or not part.isalpha() else rf"\mathrm{{{part}}}"


class _Text:
    """What text and LaTeX have in common; each atom is shown with how tightly it holds together."""

    dot, wrap = "·", ("(", ")")

    def show(self, tree: Tree) -> tuple[str, int]:
        kind, *parts = tree
        if kind == "sum":
            return self.sum(tree[1:]), SUM
        if kind == "minus":
            return "-" + self.inside(parts[0], PRODUCT), SUM
        if kind == "product":
            return self.product(tree[1:])
        if kind == "power":
            return self.raised(parts[0], str(parts[1]))
        if kind == "transpose":
            return self.flipped(parts[0])
        if kind == "at":
            return self.place(*parts)
        if kind == "number":
            return self.number(parts[0]), (SUM if parts[0].startswith("-") else ATOM)
        return ("0" if kind == "zero" else "1" if kind == "identity" else self.letter(parts[0])), ATOM

    def sum(self, parts: tuple[Tree, ...]) -> str:
        out = ""
        for part in parts:
            negative = part[0] == "minus"
            shown = self.inside(part[1], PRODUCT) if negative else self.inside(part, SUM)
            out += (" - " if negative else " + ") + shown if out else ("-" if negative else "") + shown
        return out

    def product(self, parts: tuple[Tree, ...]) -> tuple[str, int]:
        factors = [part for part in parts if part[0] != "identity"] or [parts[0]]
        if len(factors) == 1:
            return self.show(factors[0])
        return self.joined([self.inside(part, PRODUCT) for part in factors]), PRODUCT

    def joined(self, factors: list[str]) -> str:
        return self.dot.join(factors)

    def inside(self, tree: Tree, level: int) -> str:
        shown, own = self.show(tree)
        return shown if own >= level and (own > SUM or level == SUM) else f"{self.wrap[0]}{shown}{self.wrap[1]}"

    def raised(self, base: Tree, exponent: str) -> tuple[str, int]:
        plain = base[0] in ("letter", "scalar", "name", "identity")
        return f"{self.show(base)[0] if plain else self.inside(base, ATOM + 1)}^{exponent}", ATOM

    def flipped(self, a: Tree) -> tuple[str, int]:
        plain = a[0] in ("letter", "name")
        return f"{self.show(a)[0] if plain else self.inside(a, ATOM + 1)}ᵀ", ATOM

    def place(self, index: str, where: str | int, a: Tree) -> tuple[str, int]:
        there = f"{index}+1" if where == "+1" else str(where)
        name = a[1] if a[0] in ("letter", "scalar") else ""
        if name.endswith(f"_{index}"):
            return f"{name.removesuffix(index)}({there})", ATOM
        return f"{self.inside(a, ATOM + 1)}[{index} = {there}]", ATOM

    def number(self, digits: str) -> str:
        return digits

    def letter(self, name: str) -> str:
        return name


class _Latex(_Text):
    wrap = (r"\left(", r"\right)")

    def __init__(self, letters: Mapping[str, str]) -> None:
        self.letters = letters

    def joined(self, factors: list[str]) -> str:
        out = factors[0]
        for factor in factors[1:]:
            out += (r" \cdot " if factor[0].isdigit() or factor.startswith(r"\tfrac") else " ") + factor
        return out

    def raised(self, base: Tree, exponent: str) -> tuple[str, int]:
        return self._above(base, exponent), ATOM

    def flipped(self, a: Tree) -> tuple[str, int]:
        return self._above(a, r"\top"), ATOM

    def _above(self, a: Tree, what: str) -> str:
        """A second superscript would be an error, so what has one goes into brackets, or braces for a transpose."""
        shown, own = self.show(a)
        if own == ATOM and "^" not in shown:
            return f"{shown}^{{{what}}}"
        if a[0] in ("letter", "scalar", "name"):
            return f"{{{shown}}}^{{{what}}}" if what == r"\top" else rf"\left({shown}\right)^{{{what}}}"
        return rf"\left({shown}\right)^{{{what}}}"

    def place(self, index: str, where: str | int, a: Tree) -> tuple[str, int]:
        r"""θᵏ at k+1 is θᵏ⁺¹ where the letter shows its index, else a bar."""
        there = f"{index}+1" if where == "+1" else str(where)
        shown = self.show(a)[0]
        moved, count = re.subn(rf"(?<![A-Za-z\\]){index}(?![A-Za-z])", f"{{{there}}}", shown)
        if a[0] in ("letter", "scalar") and count == 1:
            return moved, ATOM
        return rf"\left.{shown}\right|_{{{index} = {there}}}", PRODUCT

    def number(self, digits: str) -> str:
        top, slash, bottom = digits.lstrip("-").partition("/")
        return ("-" if digits.startswith("-") else "") + (rf"\tfrac{{{top}}}{{{bottom}}}" if slash else top)

    def letter(self, name: str) -> str:
        return self.letters.get(name) or as_latex(name)
