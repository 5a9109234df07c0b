"""One certificate's formulas in Coq: every name once, trees in MathComp's notation and as syntax for ``Certify.v``.

A fraction a/q is a times the letter q⁻¹, in a ring in which the primes that divide q are units.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from theory.coq.trees import ANYWHERE, UNIT, Json, Letters, NotExported, Tree, inverse_name, without_ones

_TAKEN = re.compile(  # Coq's words, and those of the generated text
    r"as|at|cofix|else|end|exists2?|fix|for|forall|fun|if|in|is|let|match|mod|of|return|then|using|where|with|by|Prop|Set"
    r"|Type|SProp|Axiom|CoFixpoint|Definition|Fixpoint|Hypothesis|Parameter|Theorem|Variable"
    r"|R|tgt|src|dim|env|sc|L|I|O|S|conj|IH|claim_holds|cert_zero|two|number|nat|Certify|GRing"
)


_NUMBER = re.compile(r"-?[0-9]+(?:/[0-9]+)?")


class Formulas:
    """The names that one certificate uses, and what is written with them."""

    def __init__(self, data: Json) -> None:
        _check_texts(data)
        self.data = data
        self.known = Letters(data["context"])
        self.taken = set[str]()
        context = data["context"]
        targets = [s for pair in context["letters"].values() for s in pair]
        written = [*_spaces_in(data["proof"]), *(s for e in context["assumptions"].values() for s in _ends(e))]
        self.space_ids = {s: i for i, s in enumerate(dict.fromkeys([UNIT, *targets, *written])) if s != ANYWHERE}
        self.spaces = {s: "1" if s == UNIT else self.fresh(f"n{s}") for s in self.space_ids}
        self.letter_ids = {x: i for i, x in enumerate(self.known.letters)}
        parts = _divided(_denominators(data))
        self.inverses = {inverse_name(q): q for q in parts}  # 1/q, a letter, to q
        self.composite = {inverse_name(q): split for q, split in parts.items() if split is not None}
        self.scalar_ids = {x: i for i, x in enumerate([*self.known.scalars, *self.inverses])}
        self.names = {x: self.fresh(x) for x in [*self.known.scalars, *self.known.letters]}
        self.indices = {s["index"]: "" for s in context["sequences"]} | {
            i["index"]: "" for i in context["instances"].values()
        }
        self.indices = {i: self.fresh(i) for i in self.indices}
        self.instances = {K: self.fresh(K) for K in context["instances"]}
        self.assumptions = {h: self.fresh(f"H_{h}") for h in context["assumptions"]}
        self.symmetries = {x: self.fresh(f"symmetric_{x}") for x in self.known.letters if self.known.symmetric(x)}
        self.units = {q: self.fresh(f"unit_{q}") for q, split in parts.items() if split is None}  # primes

    def fresh(self, wish: str) -> str:
        name = plain = plain_name(wish)
        number = 2
        while name in self.taken:
            name, number = f"{plain}_{number}", number + 1
        self.taken.add(name)
        return name

    def unit(self, q: int) -> str:
        """The Coq term that shows q to be a unit: its primes are."""
        if q in self.units:
            return self.units[q]
        p, r = self.composite[inverse_name(q)]
        return f"(Certify.unit_product {self.unit(p)} {self.unit(r)})"

    def here(self) -> dict[str, str]:
        return dict(self.indices)

    def matrix(self, target: str, source: str) -> str:
        return f"'M[R]_({self.spaces[target]}, {self.spaces[source]})"

    def equation(self, equation: Json, here: dict[str, str]) -> str:
        return f"{self.notation(equation['left'], here)} = {self.notation(equation['right'], here)}"

    def symbol(self, name: str, here: dict[str, str]) -> str:
        """A letter or scalar; a sequence with its indices."""
        if name in self.inverses:
            return f"{self.inverses[name]}%:R^-1"
        if name in self.known.constants:
            name, K = self.known.constants[name]
            here = {**here, self.data["context"]["instances"][K]["index"]: self.instances[K]}
        if name in self.known.sequences:
            return f"({self.names[name]} {' '.join(here[i] for i in self.known.indices(name))})"
        return self.names[name]

    def notation(self, tree: Tree, here: dict[str, str]) -> str:
        """A tree as people write it in MathComp."""
        match tree:
            case ["letter", name]:
                plain, flipped = self.known.base(name)
                return self.symbol(plain, here) + ("^T" if flipped else "")
            case ["scalar", name]:
                return self.symbol(name, here)
            case ["number", text]:
                shown = " / ".join(f"{n}%:R" for n in text.removeprefix("-").split("/"))
                shown = f"({shown})" if "/" in text else shown
                return f"(- {shown})" if text.startswith("-") else shown
            case ["identity", space]:
                return f"(1%:M : {self.matrix(space, space)})"
            case ["zero", source, target]:
                return "0" if source == ANYWHERE else f"(0 : {self.matrix(target, source)})"
            case ["name", name]:
                return self.notation(dict(self.data["context"]["definitions"])[name], here)
            case ["at", index, place, inner]:
                there = f"{here[index]}.+1" if place == "+1" else f"{place}%N"
                return self.notation(inner, {**here, index: there})
            case ["minus", inner]:
                return f"(- {self.notation(inner, here)})"
            case ["transpose", inner]:
                inside = self.notation(inner, here)
                return inside if self.known.type_of(inner) is None else f"({inside})^T"
            case ["power", inner, n]:
                return self.notation(["product", *[inner] * int(n)], here)
            case ["sum", *parts]:
                return "(" + " + ".join(self.notation(p, here) for p in parts) + ")"
            case ["product", *parts]:
                scalars, matrices = self.factors(without_ones(parts))
                scale = " * ".join(self.notation(p, here) for p in scalars)
                product = " *m ".join(self.notation(p, here) for p in matrices)
                if not matrices:
                    return f"({scale or '1'})"
                return f"(({scale}) *: ({product}))" if scale else f"({product})"
        raise NotExported(f"no formula: {tree}")

    def factors(self, parts: Sequence[Tree]) -> tuple[list[Tree], list[Tree]]:
        """Scalars and matrices of a product."""
        scalars = [p for p in parts if self.known.type_of(p) is None]
        return scalars, [p for p in parts if self.known.type_of(p) is not None]

    def syntax(self, tree: Tree) -> str:
        """A resolved tree as a term of `Certify.expr`."""
        match tree:
            case ["letter", name]:
                plain, flipped = self.known.base(name)
                letter = f"(L {self.letter_ids[plain]})"
                return f"(Certify.ET {letter})" if flipped else letter
            case ["identity", space]:
                return f"(@Certify.E1 tgt src {self.space_ids[space]})"
            case ["zero", source, target]:
                return f"(@Certify.E0 tgt src {self.space_ids[target]} {self.space_ids[source]})"
            case ["minus", inner]:
                return f"(Certify.EN {self.syntax(inner)})"
            case ["transpose", inner]:
                return f"(Certify.ET {self.syntax(inner)})"
            case ["power", inner, n]:
                return self.syntax(["product", *[inner] * int(n)])
            case ["sum", *parts]:
                return _left("Certify.EA", [self.syntax(p) for p in parts])
            case ["product", *parts]:
                scalars, matrices = self.factors(parts)
                product = _left("Certify.EM", [self.syntax(p) for p in matrices])
                return f"(Certify.EZ {self.scalar_syntax(['product', *scalars])} {product})" if scalars else product
        raise NotExported(f"no matrix: {tree}")

    def scalar_syntax(self, tree: Tree) -> str:
        """A resolved scalar tree as a term of `Certify.sexpr`."""
        match tree:
            case ["scalar", name]:
                return f"(Certify.SL {self.scalar_ids[name]})"
            case ["number", text]:
                a, *q = text.removeprefix("-").split("/")
                inverse = [self.scalar_syntax(["scalar", inverse_name(n)]) for n in q]
                fraction = _left("Certify.SM", [f"(Certify.SN {a})", *inverse])
                return f"(Certify.SO {fraction})" if text.startswith("-") else fraction
            case ["zero", _, _]:
                return "(Certify.SN 0)"
            case ["minus", inner]:
                return f"(Certify.SO {self.scalar_syntax(inner)})"
            case ["transpose", inner]:
                return self.scalar_syntax(inner)
            case ["power", inner, n]:
                return self.scalar_syntax(["product", *[inner] * int(n)])
            case ["sum", *parts]:
                return _left("Certify.SA", [self.scalar_syntax(p) for p in parts])
            case ["product", *parts]:
                return _left("Certify.SM", [self.scalar_syntax(p) for p in parts])
        raise NotExported(f"no scalar: {tree}")


def _check_texts(part: Any) -> None:
    """Numbers and places are written as they are spelt: nothing else may stand there."""
    match part:
        case ["number", text] if not isinstance(text, str) or not _NUMBER.fullmatch(text):
            raise NotExported(f"{text!r:.40} is not a number")
        case ["at", _, place, _] if place != "+1" and not _NUMBER.fullmatch(str(place)):
            raise NotExported(f"{place!r:.40} is not a place")
        case dict():
            if "coefficient" in part:
                _check_texts(["number", part["coefficient"]])
            for value in part.values():
                _check_texts(value)
        case list() | tuple():
            for value in part:
                _check_texts(value)


def _left(operation: str, parts: list[str]) -> str:
    """a ∘ b ∘ c as (a ∘ b) ∘ c."""
    out, *rest = parts
    for part in rest:
        out = f"({operation} {out} {part})"
    return out


def plain_name(name: str) -> str:
    """A name that Coq reads.

    >>> plain_name("eigenvector, head k+1"), plain_name("2"), plain_name("λ"), plain_name("Theorem")
    ('eigenvector_head_k_1', 'x_2', 'lambda', 'Theorem_1')
    """
    spelt = "".join(map(_spelt, unicodedata.normalize("NFKD", name)))
    words = re.sub(r"[^A-Za-z0-9]+", "_", spelt).strip("_") or "claim"
    words = words if words[0].isalpha() else f"x_{words}"
    return f"{words}_1" if _TAKEN.fullmatch(words) else words


def _spelt(character: str) -> str:
    """A Greek letter by its name, capital or small."""
    greek = re.fullmatch("GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)", unicodedata.name(character, ""))
    if greek is None:
        return character
    name = greek[2].replace("LAMDA", "LAMBDA")  # Unicode's spelling
    return name.lower() if greek[1] == "SMALL" else name.capitalize()


def _divided(denominators: Iterable[int]) -> dict[int, tuple[int, int] | None]:
    """Each number, largest first, with its smallest prime and the rest; None for a prime. The parts are there too.

    >>> _divided([12])
    {12: (2, 6), 6: (2, 3), 3: None, 2: None}
    """
    found: dict[int, tuple[int, int] | None] = {}
    pending = list(denominators)
    while pending:
        q = pending.pop()
        if q not in found:
            p = next((p for p in range(2, math.isqrt(q) + 1) if q % p == 0), None)
            found[q] = None if p is None else (p, q // p)
            pending += found[q] or ()
    return dict(sorted(found.items(), reverse=True))


def _denominators(part: Any) -> set[int]:
    """Of all the fractions in formulas, and of those in front of the entries; not of those that were expanded."""
    match part:
        case ["number", str(text)] if "/" in text:
            return {int(text.partition("/")[2])}
        case dict():
            own = _denominators(["number", part["coefficient"]]) if "coefficient" in part else set()
            return own.union(*(_denominators(value) for key, value in part.items() if key != "terms"))
        case list():
            return set().union(*map(_denominators, part))
    return set()


def _ends(equation: Json) -> list[str]:
    return [equation["source"], equation["target"]]


def _spaces_in(proof: Json) -> Iterator[str]:
    yield from _ends(proof["claim"])
    for lemma in proof["lemmas"].values():
        yield from _spaces_in(lemma)
