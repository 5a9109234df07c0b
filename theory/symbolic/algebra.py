"""The notation: operators and scalars that add, multiply and transpose like the formulas on paper.

An `Operator` is a typed noncommutative polynomial, an arrow ``source -> target`` between named spaces; the product
A·B needs B to end where A starts, a sum needs equal types, and a number or scalar c in a sum means c·1. A `Scalar` is
a commuting polynomial over ℚ. Anything ill-typed raises `IllTyped` at once, with both types in the text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import Any, overload

from theory.symbolic.forms import ANYWHERE, Form, Key, Mono, Terms, multiply, transpose

Number = int | Fraction


class IllTyped(TypeError):
    """A sum or product of arrows that do not fit together."""


@dataclass
class Alphabet:
    """The declared names of one theory: types of letters, their transposes, how they print."""

    scalars: dict[str, str] = field(default_factory=dict)  # name -> LaTeX
    letters: dict[str, tuple[str, str]] = field(default_factory=dict)
    flips: dict[str, str] = field(default_factory=dict)
    latex: dict[str, str] = field(default_factory=dict)

    def add_letter(self, name: str, source: str, target: str, symmetric: bool, latex: str | None) -> Operator:
        """Declare a letter and its transpose."""
        self._check_new(name)
        if symmetric and source != target:
            raise IllTyped(f"{name!r} cannot be symmetric: it maps {source} to {target}")
        if ANYWHERE in (source, target):
            raise IllTyped(f"{ANYWHERE!r} is not a space")
        latex = latex or _as_latex(name)
        flip = name if symmetric else f"{name}^T"
        self.letters |= {flip: (target, source), name: (source, target)}
        self.flips |= {flip: name, name: flip}
        self.latex |= {flip: latex + r"^{\top}", name: latex}
        return Operator(self, source, target, {((), (name,)): Fraction(1)})

    def add_scalar(self, name: str, latex: str | None = None) -> Scalar:
        """Declare a commuting scalar."""
        self._check_new(name)
        self.scalars[name] = latex or _as_latex(name)
        return Scalar(self, {((name,), ()): Fraction(1)})

    def _check_new(self, name: str) -> None:
        if name in self.letters or name in self.scalars:
            raise ValueError(f"{name!r} is declared twice")
        if not name or not name.replace("_", "").replace("+", "").isalnum() or name[0].isdigit():
            raise ValueError(f"{name!r} is not a name: begin with a letter; then letters, digits, '_' and '+'")


class _Polynomial:
    alphabet: Alphabet
    terms: Terms

    def latex(self) -> str:
        """The formula in LaTeX."""
        return _show(self.terms, self.alphabet, tex=True)

    def __str__(self) -> str:
        return _show(self.terms, self.alphabet, tex=False)


@dataclass(frozen=True, eq=False)
class Scalar(_Polynomial):
    """A polynomial in the commuting scalars; `form` is its plain data."""

    alphabet: Alphabet
    terms: Terms

    @property
    def form(self) -> Form:
        return Form(ANYWHERE, ANYWHERE, self.terms)

    @overload
    def __add__(self, other: Operator) -> Operator: ...
    @overload
    def __add__(self, other: Scalar | Number) -> Scalar: ...
    def __add__(self, other: Any) -> Any:
        value = as_scalar(self.alphabet, other)
        return NotImplemented if value is None else Scalar(self.alphabet, _add(self.terms, value.terms, 1))

    @overload
    def __mul__(self, other: Operator) -> Operator: ...
    @overload
    def __mul__(self, other: Scalar | Number) -> Scalar: ...
    def __mul__(self, other: Any) -> Any:
        value = as_scalar(self.alphabet, other)
        return NotImplemented if value is None else Scalar(self.alphabet, multiply(self.terms, value.terms))

    @overload
    def __sub__(self, other: Operator) -> Operator: ...
    @overload
    def __sub__(self, other: Scalar | Number) -> Scalar: ...
    def __sub__(self, other: Any) -> Any:
        value = as_scalar(self.alphabet, other)
        return NotImplemented if value is None else Scalar(self.alphabet, _add(self.terms, value.terms, -1))

    def __radd__(self, other: Number) -> Scalar:
        return self + other

    def __rmul__(self, other: Number) -> Scalar:
        return self * other

    def __rsub__(self, other: Number) -> Scalar:
        return -self + other

    def __neg__(self) -> Scalar:
        return self * -1

    def __pow__(self, n: int) -> Scalar:
        out = Scalar(self.alphabet, {((), ()): Fraction(1)})
        for _ in range(_exponent(n)):
            out = out * self
        return out


@dataclass(frozen=True, eq=False)
class Operator(_Polynomial):
    """An arrow source -> target; `T` is its transpose, `form` its plain data."""

    alphabet: Alphabet
    source: str
    target: str
    terms: Terms

    @property
    def form(self) -> Form:
        return Form(self.source, self.target, self.terms)

    @property
    def type(self) -> str:
        return f"{self.source} -> {self.target}"

    @property
    def T(self) -> Operator:
        return from_form(self.alphabet, transpose(self.form, self.alphabet.flips))

    def is_same_as(self, other: Operator) -> bool:
        """Equal as polynomials, before any assumption."""
        return (self.source, self.target, dict(self.terms)) == (other.source, other.target, dict(other.terms))

    def __add__(self, other: Operator | Scalar | Number) -> Operator:
        return self._plus(other, 1)

    def __sub__(self, other: Operator | Scalar | Number) -> Operator:
        return self._plus(other, -1)

    def __rsub__(self, other: Scalar | Number) -> Operator:
        return -self + other

    def __neg__(self) -> Operator:
        return self * -1

    def __mul__(self, other: Operator | Scalar | Number) -> Operator:
        if isinstance(other, Operator):
            _same_theory(self, other)
            if self.source != other.target:
                raise IllTyped(f"({self}) : {self.type} cannot follow ({other}) : {other.type}")
            return Operator(self.alphabet, other.source, self.target, multiply(self.terms, other.terms))
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        return Operator(self.alphabet, self.source, self.target, multiply(value.terms, self.terms))

    def __pow__(self, n: int) -> Operator:
        out = identity(self.alphabet, self.source)
        for _ in range(_exponent(n)):
            out = out * self
        return out

    def _plus(self, other: object, sign: int) -> Operator:
        if not isinstance(other, Operator):
            value = as_scalar(self.alphabet, other)
            if value is None:
                return NotImplemented
            if not value.terms:
                return self
            if self.source != self.target:
                raise IllTyped(f"({self}) : {self.type} plus ({value})·1, but 1 needs source = target")
            other = identity(self.alphabet, self.source) * value
        _same_theory(self, other)
        if (self.source, self.target) != (other.source, other.target):
            raise IllTyped(f"({self}) : {self.type} and ({other}) : {other.type} have no sum")
        return Operator(self.alphabet, self.source, self.target, _add(self.terms, other.terms, sign))

    __radd__ = __add__
    __rmul__ = __mul__


def identity(alphabet: Alphabet, space: str) -> Operator:
    """The identity of a space."""
    return Operator(alphabet, space, space, {((), ()): Fraction(1)})


def from_form(alphabet: Alphabet, form: Form) -> Operator:
    """The operator that a form describes."""
    return Operator(alphabet, form.source, form.target, form.terms)


def as_scalar(alphabet: Alphabet, value: object) -> Scalar | None:
    """A number or scalar as a `Scalar`, anything else as None; floats are refused, they are not exact."""
    if isinstance(value, Scalar):
        _same_theory(value, alphabet)
        return value
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float; write Fraction('{value}')")
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Scalar(alphabet, {((), ()): Fraction(value)} if value else {})
    return None


def _same_theory(a: _Polynomial, b: _Polynomial | Alphabet) -> None:
    if a.alphabet is not (b if isinstance(b, Alphabet) else b.alphabet):
        raise IllTyped(f"({a}) and ({b}) belong to different theories")


def _exponent(n: int) -> int:
    if not isinstance(n, int) or n < 0:
        raise ValueError(f"the exponent must be a natural number, got {n!r}; for a symbolic one use Theory.power")
    return n


def _add(a: Terms, b: Terms, sign: int) -> Terms:
    out: dict[Key, Fraction] = dict(a)
    for key, x in b.items():
        out[key] = out.get(key, Fraction(0)) + sign * x
    return {key: x for key, x in out.items() if x}


def _as_latex(name: str) -> str:
    """theta_k becomes \\theta_{k}."""
    greek = {
        "alpha",
        "beta",
        "gamma",
        "delta",
        "lambda",
        "mu",
        "rho",
        "theta",
        "pi",
        "Phi",
        "Pi",
        "Theta",
        "Psi",
        "phi",
    }
    head, _, tail = name.partition("_")
    stem = head.rstrip("0123456789")
    digits = head[len(stem) :]
    shown = "\\" + stem if stem in greek else stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
    lower = "\\" + tail if tail in greek else tail
    below = ",".join(part for part in (digits, lower) if part)
    return f"{shown}_{{{below}}}" if below else shown


def _show(terms: Terms, alphabet: Alphabet, tex: bool) -> str:
    """Like terms in the scalars are kept apart; shortest words first."""
    out = ""
    for (mono, word), c in sorted(terms.items(), key=lambda item: (len(item[0][1]), item[0])):
        body = _factors(mono, word, alphabet, tex)
        size = abs(c)
        if size == 1 and body:
            number = ""
        elif tex and size.denominator != 1:
            number = rf"\tfrac{{{size.numerator}}}{{{size.denominator}}}"
        else:
            number = str(size)
        joined = (number + (" " if tex else "·") + body) if number and body else number + body
        out += (" - " if c < 0 else " + ") + joined if out else ("-" if c < 0 else "") + joined
    return out or "0"


def _factors(mono: Mono, word: tuple[str, ...], alphabet: Alphabet, tex: bool) -> str:
    parts = []
    for symbol, run in groupby(mono + word):
        n = len(list(run))
        if tex:
            name = alphabet.scalars.get(symbol) or alphabet.latex[symbol]
            parts.append(name if n == 1 else rf"\left({name}\right)^{{{n}}}")
        else:
            name = symbol.replace("^T", "ᵀ")
            parts.append(name if n == 1 else f"{name}^{n}")
    return " ".join(parts) if tex else "·".join(parts)
