"""Formulas as trees of the stored JSON: resolved, typed, expanded, and written in Coq, in two ways.

A tree is written once in MathComp's own notation (`notation`), for people, and once as syntax for the reflection of
``Certify.v`` (`syntax`), for the kernel. Python's expansion is used only to find the places where a symmetric letter
stands transposed; what it overlooks Coq rejects.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Json = dict[str, Any]
Tree = Sequence[Any]
Letter = tuple[str, bool]  # which, and transposed?
Key = tuple[tuple[str, ...], tuple[Letter, ...]]  # scalars in order, and a word
Terms = dict[Key, Fraction]
UNIT, ANYWHERE = "1", "*"


class NotExported(ValueError):
    """This certificate uses something that has no translation; the text says what."""


@dataclass(frozen=True)
class Letters:
    """The letters of a stored context: spaces, transposes, sequences with their recursions, instances."""

    context: Json

    @property
    def scalars(self) -> list[str]:
        return list(self.context["scalars"])

    @property
    def letters(self) -> list[str]:
        """Each letter once, without its transpose."""
        return [x for x in self.context["letters"] if self.base(x)[0] == x]

    def base(self, name: str) -> Letter:
        """The letter of which this is the transpose, or itself."""
        flip = self.context["transposes"][name]
        if flip == name:
            return name, False
        plain = min((name, flip), key=lambda x: (x.endswith("^T"), x))
        return plain, plain != name

    def symmetric(self, name: str) -> bool:
        return bool(self.context["transposes"][name] == name)

    def spaces(self, name: str) -> tuple[str, str]:
        """Target and source: the rows and the columns."""
        source, target = self.context["letters"][name]
        return target, source

    @property
    def sequences(self) -> dict[str, Json]:
        return {s["name"]: s for s in self.context["sequences"]}

    @property
    def constants(self) -> dict[str, tuple[str, str]]:
        """Letters that stand for a sequence at an instance: s_K to (s, K)."""
        instances = self.context["instances"].items()
        return {constant: (s, K) for K, i in instances for s, constant in i["values"].items()}

    def indices(self, name: str) -> list[str]:
        """All indices on which a sequence depends, its own last."""
        s = self.sequences[name]
        found: list[str] = []
        for part in ("start", "step"):
            for symbol in symbols(self.resolve(s[part]["written"])):
                symbol = self.base(symbol)[0] if symbol in self.context["letters"] else symbol
                if symbol in self.sequences and symbol != name:
                    found += [i for i in self.indices(symbol) if i not in found]
        return [i for i in found if i != s["index"]] + [s["index"]]

    def resolve(self, tree: Tree) -> Tree:
        """Without abbreviations and without "at": sequences are put where they belong."""
        match tree:
            case ["name", name]:
                return self.resolve(dict(self.context["definitions"])[name])
            case ["at", index, place, inner]:
                return self.moved(self.resolve(inner), index, place)
            case ["product", *parts]:
                return ["product", *map(self.resolve, without_ones(parts))]
            case [kind, *parts]:
                return [kind, *(self.resolve(p) if isinstance(p, list) else p for p in parts)]
        raise NotExported(f"no formula: {tree}")

    def moved(self, tree: Tree, index: str, place: str) -> Tree:
        """A resolved tree with every sequence of `index` at 0, at k+1, at a number, or at an instance."""
        match tree:
            case ["letter" | "scalar", name]:
                plain, transposed = self.base(name) if tree[0] == "letter" else (name, False)
                s = self.sequences.get(plain)
                if s is None or s["index"] != index:
                    return tree
                image = self._image(s, tree[0], place)
                return ["transpose", image] if transposed else image
            case [kind, *parts]:
                return [kind, *(self.moved(p, index, place) if isinstance(p, list) else p for p in parts)]
        raise NotExported(f"no formula: {tree}")

    def _image(self, s: Json, kind: str, place: str) -> Tree:
        if place == "+1":
            return self.resolve(s["step"]["written"])
        if place == "0":
            return self.resolve(s["start"]["written"])
        if str(place).isdigit():
            return self.moved(self.resolve(s["step"]["written"]), s["index"], str(int(place) - 1))
        return [kind, self.context["instances"][place]["values"][s["name"]]]

    def type_of(self, tree: Tree) -> tuple[str, str] | None:
        """Target and source of a tree; None for a scalar. Trees may hold "at" and names."""
        match tree:
            case ["letter", name]:
                return self.spaces(name)
            case ["scalar" | "number", _]:
                return None
            case ["identity", space]:
                return space, space
            case ["zero", source, target]:
                return (target, source) if source != ANYWHERE else None
            case ["name", name]:
                return self.type_of(dict(self.context["definitions"])[name])
            case ["at", _, _, inner] | ["minus", inner] | ["power", inner, _]:
                return self.type_of(inner)
            case ["transpose", inner]:
                inside = self.type_of(inner)
                return None if inside is None else (inside[1], inside[0])
            case ["sum" | "product", *parts]:
                types = [t for t in map(self.type_of, parts) if t is not None]
                return (types[0][0], types[-1][1]) if types else None
        raise NotExported(f"no formula: {tree}")

    def expand(self, tree: Tree) -> Terms:
        """A resolved tree as a polynomial with integers in front.

        A transposed letter is marked, also where it is symmetric; the number 1/q is a letter.
        """
        match tree:
            case ["letter", name]:
                return {((), (self.base(name),)): Fraction(1)}
            case ["scalar", name]:
                return {((name,), ()): Fraction(1)}
            case ["number", text]:
                a, *q = text.split("/")
                return {(tuple(map(inverse_name, q)), ()): Fraction(a)}
            case ["identity", _]:
                return {((), ()): Fraction(1)}
            case ["zero", _, _]:
                return {}
            case ["minus", inner]:
                return {key: -c for key, c in self.expand(inner).items()}
            case ["sum", *parts]:
                return total(self.expand(p) for p in parts)
            case ["product", *parts]:
                out: Terms = {((), ()): Fraction(1)}
                for part in parts:
                    out = _times(out, self.expand(part))
                return out
            case ["power", inner, n]:
                return self.expand(["product", *[inner] * int(n)])
            case ["transpose", inner]:
                return {(m, _back(w)): c for (m, w), c in self.expand(inner).items()}
        raise NotExported(f"no formula: {tree}")


def symbols(tree: Tree) -> set[str]:
    """The names of letters and scalars in a tree."""
    if tree[0] in ("letter", "scalar"):
        return {str(tree[1])}
    return {s for part in tree[1:] if isinstance(part, list) for s in symbols(part)}


def words(tree: Tree) -> int:
    """How many words Coq compares for a resolved tree: 12·ABC are twelve.

    >>> words(["product", ["number", "-12/5"], ["sum", ["letter", "A"], ["letter", "B"]]])
    24
    """
    match tree:
        case ["number", text]:
            return abs(int(text.partition("/")[0]))
        case ["zero", *_]:
            return 0
        case ["sum", *parts]:
            return sum(map(words, parts))
        case ["product", *parts]:
            return math.prod(map(words, parts))
        case ["power", inner, n]:
            return words(inner) ** int(n)
        case ["minus" | "transpose", inner]:
            return words(inner)
    return 1


def inverse_name(q: str | int) -> str:
    """What 1/q is called among the scalars: no name that a scalar can have.

    >>> inverse_name(2)
    '1/2'
    """
    return f"1/{q}"


def without_ones(parts: Sequence[Tree]) -> list[Tree]:
    """The factors of a product as it was written; a factor 1 is not repeated."""
    return [p for p in parts if list(p) != ["number", "1"]] or [["number", "1"]]


def total(many: Any) -> Terms:
    """The sum of polynomials."""
    out: Terms = {}
    for terms in many:
        for key, c in terms.items():
            out[key] = out.get(key, Fraction(0)) + c
    return {key: c for key, c in out.items() if c}


def difference(equation: Mapping[str, Any]) -> Tree:
    """left − right."""
    return ["sum", equation["left"], ["minus", equation["right"]]]


def _times(a: Terms, b: Terms) -> Terms:
    out: Terms = {}
    for (m, w), x in a.items():
        for (n, v), y in b.items():
            key = (tuple(sorted(m + n)), w + v)
            out[key] = out.get(key, Fraction(0)) + x * y
    return {key: c for key, c in out.items() if c}


def _back(word: tuple[Letter, ...]) -> tuple[Letter, ...]:
    return tuple((x, not flag) for x, flag in reversed(word))
