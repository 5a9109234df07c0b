"""Forms: typed noncommutative polynomials as plain data, and the few operations the kernel needs.

A form Σ c·m·w : source → target has rational coefficients c, monomials m in central scalars (sorted names, γ² is
``("gamma", "gamma")``) and words w of letters, written like a matrix product: ``("Phi", "theta")`` is Φθ. There is no
division, so γ = 0 is never excluded by accident. Part of the trusted base: forms, context, kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

Mono = tuple[str, ...]
Word = tuple[str, ...]
Key = tuple[Mono, Word]
Terms = Mapping[Key, Fraction]
MAX_TERMS, MAX_LENGTH = 50_000, 2_000  # of a polynomial, and of one word: every check comes to an end
ANYWHERE = "*"  # source and target of a relation among scalars alone
UNIT = "1"  # the space of dimension one: an arrow from it is a vector, one from it to itself a 1×1 matrix


class Rejected(ValueError):
    """The kernel does not accept this; the text says why."""


def require(condition: bool, complaint: str) -> None:
    """Raise `Rejected` unless the condition holds."""
    if not condition:
        raise Rejected(complaint)


@dataclass(frozen=True)
class Form:
    """A polynomial whose words all lead from `source` to `target`."""

    source: str
    target: str
    terms: Terms

    @property
    def symbols(self) -> set[str]:
        """The names of letters and scalars that occur."""
        return {s for mono, word in self.terms for s in mono + word}


def add(a: Terms, b: Terms, sign: int) -> Terms:
    """a + sign·b."""
    out: dict[Key, Fraction] = dict(a)
    for key, x in b.items():
        out[key] = out.get(key, Fraction(0)) + sign * x
    return {key: x for key, x in out.items() if x}


def multiply(a: Terms, b: Terms) -> Terms:
    """The product of two polynomials; scalars commute with everything, letters with nothing."""
    require(len(a) * len(b) <= MAX_TERMS, f"a product of more than {MAX_TERMS} terms")
    longest = sum(max((len(m) + len(w) for m, w in terms), default=0) for terms in (a, b))
    require(longest <= MAX_LENGTH, f"a product of more than {MAX_LENGTH} letters")
    out: dict[Key, Fraction] = {}
    for (m, u), x in a.items():
        for (n, v), y in b.items():
            key = (tuple(sorted(m + n)), u + v)
            out[key] = out.get(key, Fraction(0)) + x * y
    return {key: x for key, x in out.items() if x}


def transpose(form: Form, flips: Mapping[str, str]) -> Form:
    """(AB)ᵀ = BᵀAᵀ, letter by letter."""
    terms = {(m, tuple(flips[x] for x in reversed(w))): c for (m, w), c in form.terms.items()}
    return Form(form.target, form.source, terms)


def substitute(form: Form, images: Mapping[str, Form], scalars: Collection[str]) -> Form:
    """Replace letters and scalars by forms, all at once, and multiply out."""
    total: dict[Key, Fraction] = {}
    for (mono, word), c in form.terms.items():
        product: Terms = {((), ()): c}
        for symbol in mono + word:
            own: Key = ((symbol,), ()) if symbol in scalars else ((), (symbol,))
            product = multiply(product, images[symbol].terms if symbol in images else {own: Fraction(1)})
        for key, x in product.items():
            total[key] = total.get(key, Fraction(0)) + x
        require(len(total) <= MAX_TERMS, f"a sum of more than {MAX_TERMS} terms")
    return Form(form.source, form.target, {key: x for key, x in total.items() if x})


def one_symbol(name: str, scalars: Collection[str], source: str, target: str) -> Form:
    """The form that is a single letter or scalar."""
    key: Key = ((name,), ()) if name in scalars else ((), (name,))
    return Form(source, target, {key: Fraction(1)})
