"""The notation: operators and scalars that add, multiply and transpose like the formulas on paper.

An `Operator` is a typed noncommutative polynomial, an arrow ``source -> target`` between named spaces; the product
A·B needs B to end where A starts, a sum needs equal types, and a number or scalar c in a sum means c·1. A `Scalar` is
a commuting polynomial over ℚ. Anything ill-typed raises `IllTyped` at once, with both types in the text. ``A @ B`` is
A·B as well. Each keeps the formula as it was written (`tree`) beside its expansion (`terms`); it prints as written, and
``.expand()`` is the expansion.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn, overload

from theory.symbolic.alphabet import Alphabet, IllTyped
from theory.symbolic.context import Tree
from theory.symbolic.forms import ANYWHERE, Form, Terms, add, multiply, transpose
from theory.symbolic.notation import latex, minus, plus, text, times, transposed, tree_of

Number = int | Fraction


class _Polynomial:
    alphabet: Alphabet
    terms: Terms
    tree: Tree

    def latex(self) -> str:
        """The formula in LaTeX, as it was written."""
        return latex(self.tree, self.alphabet.latex)

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def __str__(self) -> str:
        return text(self.tree)

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError(
            f"== between formulas is not defined: T.prove(name, left, right) asks whether they are equal under the "
            f"assumptions, .is_same_as whether they are the same polynomial; got ({self}) == ({other})"
        )

    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False)
class Scalar(_Polynomial):
    """A polynomial in the commuting scalars; `form` is its plain data."""

    alphabet: Alphabet
    terms: Terms
    tree: Tree

    def __repr__(self) -> str:
        return f"Scalar({self})"

    def expand(self) -> Scalar:
        """The same, written term by term."""
        return Scalar(self.alphabet, self.terms, tree_of(self.form, self.alphabet.scalars))

    def zero(self) -> Scalar:
        """The number 0."""
        return _number(self.alphabet, 0)

    def is_same_as(self, other: Scalar | Number) -> bool:
        """Equal as polynomials, before any assumption."""
        value = as_scalar(self.alphabet, other)
        return value is not None and dict(self.terms) == dict(value.terms)

    @property
    def form(self) -> Form:
        return Form(ANYWHERE, ANYWHERE, self.terms)

    @overload
    def __add__(self, other: Operator) -> Operator: ...
    @overload
    def __add__(self, other: Scalar | Number) -> Scalar: ...
    def __add__(self, other: Any) -> Any:
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        return Scalar(self.alphabet, add(self.terms, value.terms, 1), plus(self.tree, value.tree))

    @overload
    def __mul__(self, other: Operator) -> Operator: ...
    @overload
    def __mul__(self, other: Scalar | Number) -> Scalar: ...
    def __mul__(self, other: Any) -> Any:
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        return Scalar(self.alphabet, multiply(self.terms, value.terms), times(self.tree, value.tree))

    @overload
    def __sub__(self, other: Operator) -> Operator: ...
    @overload
    def __sub__(self, other: Scalar | Number) -> Scalar: ...
    def __sub__(self, other: Any) -> Any:
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        return Scalar(self.alphabet, add(self.terms, value.terms, -1), plus(self.tree, value.tree, -1))

    def __radd__(self, other: Number) -> Scalar:
        value = as_scalar(self.alphabet, other)
        return NotImplemented if value is None else value + self

    def __rmul__(self, other: Number) -> Scalar:
        value = as_scalar(self.alphabet, other)
        return NotImplemented if value is None else value * self

    def __rsub__(self, other: Number) -> Scalar:
        value = as_scalar(self.alphabet, other)
        return NotImplemented if value is None else value - self

    def __truediv__(self, other: Number) -> Scalar:
        return Fraction(1, _divisor(other)) * self

    def __neg__(self) -> Scalar:
        return Scalar(self.alphabet, add({}, self.terms, -1), minus(self.tree))

    def __pow__(self, n: int) -> Scalar:
        terms: Terms = {((), ()): Fraction(1)}
        for _ in range(_exponent(n)):
            terms = multiply(terms, self.terms)
        return Scalar(self.alphabet, terms, ("power", self.tree, n))


@dataclass(frozen=True, eq=False)
class Operator(_Polynomial):
    """An arrow source -> target; `T` is its transpose, `form` its plain data."""

    alphabet: Alphabet
    source: str
    target: str
    terms: Terms
    tree: Tree

    def __repr__(self) -> str:
        return f"Operator({self} : {self.type})"

    def expand(self) -> Operator:
        """The same, written term by term in the letters."""
        return from_form(self.alphabet, self.form)

    @property
    def form(self) -> Form:
        return Form(self.source, self.target, self.terms)

    @property
    def type(self) -> str:
        return f"{self.source} -> {self.target}"

    @property
    def T(self) -> Operator:
        flips = self.alphabet.flips
        terms = transpose(self.form, flips).terms
        return Operator(self.alphabet, self.target, self.source, terms, transposed(self.tree, flips))

    def is_same_as(self, other: Operator) -> bool:
        """Equal as polynomials, before any assumption."""
        return (self.source, self.target, dict(self.terms)) == (other.source, other.target, dict(other.terms))

    def __add__(self, other: Operator | Scalar | Number) -> Operator:
        return self._plus(other, 1)

    def __sub__(self, other: Operator | Scalar | Number) -> Operator:
        return self._plus(other, -1)

    def __radd__(self, other: Scalar | Number) -> Operator:
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        return self._multiple_of_1(value) + self if value.terms else self

    def __rsub__(self, other: Scalar | Number) -> Operator:
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        return self._multiple_of_1(value) - self if value.terms else -self

    def __neg__(self) -> Operator:
        return Operator(self.alphabet, self.source, self.target, add({}, self.terms, -1), minus(self.tree))

    def __mul__(self, other: Operator | Scalar | Number) -> Operator:
        if isinstance(other, Operator):
            _same_theory(self, other)
            if self.source != other.target:
                raise IllTyped(f"({self}) : {self.type} cannot follow ({other}) : {other.type}")
            terms, tree = multiply(self.terms, other.terms), times(self.tree, other.tree)
            return Operator(self.alphabet, other.source, self.target, terms, tree)
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        terms = multiply(value.terms, self.terms)
        return Operator(self.alphabet, self.source, self.target, terms, times(self.tree, value.tree))

    def __rmul__(self, other: Scalar | Number) -> Operator:
        value = as_scalar(self.alphabet, other)
        if value is None:
            return NotImplemented
        terms = multiply(value.terms, self.terms)
        return Operator(self.alphabet, self.source, self.target, terms, times(value.tree, self.tree))

    def __truediv__(self, other: Number) -> Operator:
        return Fraction(1, _divisor(other)) * self

    def __matmul__(self, other: Operator) -> Operator:
        return self * other if isinstance(other, Operator) else NotImplemented

    def __pow__(self, n: int) -> Operator:
        if self.source != self.target:
            raise IllTyped(f"({self}) : {self.type} has no powers: they need source = target")
        terms: Terms = {((), ()): Fraction(1)}
        for _ in range(_exponent(n)):
            terms = multiply(terms, self.terms)
        return Operator(self.alphabet, self.source, self.target, terms, ("power", self.tree, n))

    def zero(self) -> Operator:
        """The zero of the same type."""
        return Operator(self.alphabet, self.source, self.target, {}, ("zero", self.source, self.target))

    def _multiple_of_1(self, value: Scalar) -> Operator:
        if self.source != self.target:
            raise IllTyped(f"({self}) : {self.type} plus ({value})·1, but 1 needs source = target")
        return value * identity(self.alphabet, self.source)

    def _plus(self, other: object, sign: int) -> Operator:
        if not isinstance(other, Operator):
            value = as_scalar(self.alphabet, other)
            if value is None:
                return NotImplemented
            if not value.terms:
                return self
            other = self._multiple_of_1(value)
        _same_theory(self, other)
        if (self.source, self.target) != (other.source, other.target):
            raise IllTyped(f"({self}) : {self.type} and ({other}) : {other.type} have no sum")
        terms, tree = add(self.terms, other.terms, sign), plus(self.tree, other.tree, sign)
        return Operator(self.alphabet, self.source, self.target, terms, tree)


def letter(alphabet: Alphabet, name: str) -> Operator:
    """A declared letter."""
    return Operator(alphabet, *alphabet.letters[name], {((), (name,)): Fraction(1)}, ("letter", name))


def scalar(alphabet: Alphabet, name: str) -> Scalar:
    """A declared scalar."""
    return Scalar(alphabet, {((name,), ()): Fraction(1)}, ("scalar", name))


def identity(alphabet: Alphabet, space: str) -> Operator:
    """The identity of a space."""
    return Operator(alphabet, space, space, {((), ()): Fraction(1)}, ("identity", space))


def from_form(alphabet: Alphabet, form: Form, tree: Tree | None = None) -> Operator:
    """The operator that a form describes, written term by term unless a tree says how."""
    return Operator(alphabet, form.source, form.target, form.terms, tree or tree_of(form, alphabet.scalars))


def polynomial(alphabet: Alphabet, form: Form) -> Operator | Scalar:
    """The operator or scalar that a form describes, written term by term."""
    if form.source != ANYWHERE:
        return from_form(alphabet, form)
    return Scalar(alphabet, form.terms, tree_of(form, alphabet.scalars))


def as_scalar(alphabet: Alphabet, value: object) -> Scalar | None:
    """A number or scalar as a `Scalar`, anything else as None; floats are refused, they are not exact."""
    if isinstance(value, Scalar):
        _same_theory(value, alphabet)
        return value
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float; write Fraction('{value}')")
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return _number(alphabet, value)
    return None


def _number(alphabet: Alphabet, value: Number) -> Scalar:
    scalar = Scalar(alphabet, {((), ()): Fraction(value)} if value else {}, ("number", str(abs(Fraction(value)))))
    return scalar if value >= 0 else Scalar(alphabet, scalar.terms, minus(scalar.tree))


def _same_theory(a: _Polynomial, b: _Polynomial | Alphabet) -> None:
    if a.alphabet is not (b if isinstance(b, Alphabet) else b.alphabet):
        raise IllTyped(f"({a}) and ({b}) belong to different theories")


def _divisor(value: object) -> Number:
    if isinstance(value, int | Fraction) and not isinstance(value, bool) and value != 0:
        return value
    if isinstance(value, Scalar):
        raise TypeError(f"nothing is divided by ({value}), it may be 0: declare its inverse and assume their product 1")
    raise TypeError(f"only a number other than 0 may divide, got {value!r}")


def _exponent(n: int) -> int:
    if not isinstance(n, int) or n < 0:
        hint = "for an inverse use Theory.inverse" if isinstance(n, int) else "for a symbolic one use Theory.power"
        raise ValueError(f"the exponent must be a natural number, got {n!r}; {hint}")
    return n
