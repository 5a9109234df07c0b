r"""Identities that a reader types, read by a small grammar into the letters of the paper and decided.

    identity  =  sum "=" sum
    sum       =  product { ("+" | "-") product }
    product   =  signed { ["*" | "·"] factor }
    factor    =  atom { "^T" | ".T" | "ᵀ" | "'" | "^-1" | "⁻¹" | "^k" | "ᵏ" | "^" digit | "**" digit }
    atom      =  number | letter | "(" sum ")"

The letters are those of `LETTERS`, in ASCII or Greek, and those that proofs print: Xi, Ai, B_k, W_k, gamma_k. Nothing
is evaluated: a text outside of this grammar is an error that points at the place. The k-th power of a square product
is a sequence, its inverse an assumption, which the answer names; numbers as powers go up to 6. Texts and intermediate
results are bounded, so that no input takes long.

An identity is decided in a theory of its own, the paper's with what is assumed besides (``P Phi = Pi P Phi``: the
features are closed). Where no matrices are found that satisfy all assumptions nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from theory.problems import InvalidProblem
from theory.propositions.theories.namespace import Namespace
from theory.propositions.theories.paper import new_paper_theory
from theory.symbolic import Claim, IllTyped, Operator, Outcome, Scalar

MAX_TEXT, MAX_TERMS, MAX_POWER, MAX_DEPTH, MAX_NEW = 300, 4000, 6, 30, 4
MAX_DEGREE, MAX_BITS = 300, 4000  # letters in one term, bits of one number

# What may be typed, and the attribute of the paper's theory where it has another name; `theory.text.words` explains.
_TYPED = ("Phi", "D", "P", "r", "X", "Y", "A", "b", "B", "Pi", "W_k", "theta0", "theta_k", "theta_pi", "gamma", "alpha")
LETTERS = {name: {"B": "G", "theta_k": "theta"}.get(name, name) for name in _TYPED}
_PRINTED = {"Xi": "Xi", "Ai": "Ai", "B_k": "G_k", "gamma_k": "gamma_k", "theta⁰": "theta0"}
_GREEK = {
    "Φ": "Phi",
    "Π": "Pi",
    "γ": "gamma",
    "α": "alpha",
    "θ⁰": "theta0",
    "θᵏ": "theta_k",
    "θ_π": "theta_pi",
    "I": "1",
}
_TRANSPOSED, _INVERSE, _POWER = ("^T", ".T", "ᵀ", "'"), ("^-1", "⁻¹", "**-1"), ("^k", "ᵏ", "**k")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,6}(?:/[0-9]{1,6})?)"
    r"|(?P<post>\^T|\.T|ᵀ|'|(?:\^|\*\*)(?:-1|k(?![A-Za-z])|[0-9])|⁻¹|ᵏ|[²³])"
    r"|(?P<name>θ⁰|θᵏ|θ_π|[A-Za-z]+[0-9]?(?:_[a-z]+)?|[ΦΠγα])|(?P<sign>[-−+*·()=]))"
)


def decide_identity(text: str, assume: Iterable[str] = ()) -> tuple[Claim, Outcome]:
    """An identity as it was understood, and what came of it, given others.

    >>> print(decide_identity("Pi Phi = Phi")[1])
    Proved 'Pi Phi = Phi': for all dimensions
      uses 'Xi X = 1'
    >>> decide_identity("Pi P Pi = P Pi", ["P Phi = Pi P Phi"])[1].verdict
    'proved'
    """
    letters = _Letters(new_paper_theory())
    try:
        for given in assume:
            letters.n.T.assume(_plain(given), *read_identity(given, letters))
        left, right = read_identity(text, letters)
        claim = letters.n.T.claim(_plain(text), left, right)
        return claim, claim.decide()
    except IllTyped as error:
        raise InvalidProblem(f"the sides do not fit together: {error}") from None
    except ValueError as error:
        if isinstance(error, InvalidProblem):
            raise
        raise InvalidProblem(str(error)) from None


def _plain(text: str) -> str:
    return " ".join(text.split())


class _Letters:
    """The letters of one theory, with the powers and inverses that a text asks for."""

    def __init__(self, n: Namespace) -> None:
        self.n = n
        self.made: dict[tuple[str, str], Any] = {}

    def find(self, name: str) -> Any:
        """The letter of a name that is typed or printed."""
        letter = (LETTERS | _PRINTED)[name]
        return getattr(self.n.T, letter) if letter in ("gamma", "alpha") else getattr(self.n, letter)

    def power(self, value: Any) -> Any:
        """valueᵏ; of B and γ the paper's own."""
        n = self.n
        if isinstance(value, Scalar):
            if not value.is_same_as(n.T.gamma):
                raise InvalidProblem("of the scalars only gamma has a k-th power here")
            return n.gamma_k
        if not isinstance(value, Operator):
            return value if value in (0, 1) else self._refuse(f"{value}^k is not read: write it out")
        return n.G_k if value.is_same_as(n.G) else self._once("power", value, self._new_power)

    def inverse(self, value: Any) -> Any:
        """value⁻¹, by assumption; of X and A the paper's own."""
        if isinstance(value, Scalar):
            self._refuse("a scalar has no inverse here: multiply the other side")
        if not isinstance(value, Operator):
            return 1 / Fraction(value) if value else self._refuse("0 has no inverse")
        for letter, inverse in ((self.n.X, self.n.Xi), (self.n.A, self.n.Ai)):
            if value.is_same_as(letter):
                return inverse
        return self._once("inverse", value, lambda x, name: self.n.T.inverse(x, f"inv{name}"))

    def _new_power(self, value: Operator, name: str) -> Operator:
        return self.n.T.power(value, f"pow{name}")

    def _once(self, kind: str, value: Operator, make: Any) -> Any:
        key = kind, str(value)
        if key not in self.made:
            if len(self.made) == MAX_NEW:
                self._refuse(f"at most {MAX_NEW} powers and inverses of products")
            if value.source != value.target:
                self._refuse(f"({value}) is not square and has no {kind}")
            self.made[key] = make(value, "abcd"[len(self.made)])
        return self.made[key]

    def _refuse(self, complaint: str) -> Any:
        raise InvalidProblem(complaint)


def read_identity(text: str, letters: _Letters | None = None) -> tuple[Any, Any]:
    """Both sides in the engine's letters."""
    if len(text) > MAX_TEXT:
        raise InvalidProblem(f"an identity has at most {MAX_TEXT} characters")
    reader = _Reader(text, letters or _Letters(new_paper_theory()))
    left = reader.sum()
    reader.expect("=")
    right = reader.sum()
    if reader.kind != "end":
        raise reader.error("the end")
    return left, right


class _Reader:
    """One token ahead."""

    def __init__(self, text: str, letters: _Letters) -> None:
        self.text, self.letters, self.at, self.depth = text, letters, 0, 0
        self.kind, self.token = "", ""
        self.advance()

    def advance(self) -> None:
        rest = self.text[self.at :]
        if not rest.strip():
            self.kind, self.token = "end", ""
            return
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            raise InvalidProblem(f"{rest.strip()[:12]!r} at character {self.at + 1} is not in the grammar")
        assert match.lastgroup is not None
        self.kind, self.token, self.at = match.lastgroup, match[match.lastgroup], match.end()

    def error(self, wanted: str) -> InvalidProblem:
        found = f"{self.token!r}" if self.kind != "end" else "the end"
        return InvalidProblem(f"expected {wanted} and found {found} at character {self.at}")

    def expect(self, sign: str) -> None:
        if self.token != sign:
            raise self.error(repr(sign))
        self.advance()

    def sum(self) -> Any:
        value = self.product()
        while self.token in ("+", "-", "−"):
            sign = self.token
            self.advance()
            value = _checked(lambda a, b: a + b if sign == "+" else a - b, value, self.product())  # noqa: B023
        return value

    def product(self) -> Any:
        negative = self.token in ("-", "−")
        if negative:
            self.advance()
        value = self.factor()
        while self.kind in ("number", "name") or self.token in ("*", "·", "("):
            if self.token in ("*", "·"):
                self.advance()
            value = _product(value, self.factor())
        return -value if negative else value

    def factor(self) -> Any:
        value = self.atom()
        while self.kind == "post":
            value = self.postfix(value)
        return value

    def postfix(self, value: Any) -> Any:
        mark = self.token
        self.advance()
        if mark in _TRANSPOSED:
            return value.T if isinstance(value, Operator) else value
        if mark in _INVERSE:
            return self.letters.inverse(value)
        if mark in _POWER:
            return self.letters.power(value)
        power = {"²": 2, "³": 3}.get(mark) or int(mark.lstrip("^*"))
        if power > MAX_POWER:
            raise InvalidProblem(f"powers go up to {MAX_POWER}, got {power}")
        if isinstance(value, Operator) and value.source != value.target:
            raise InvalidProblem(f"({value}) is not square and has no power")
        out: Any = 1
        for _ in range(power):
            out = _product(out, value)
        return out

    def atom(self) -> Any:
        if self.token == "(":
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise InvalidProblem(f"more than {MAX_DEPTH} brackets inside each other")
            self.advance()
            value = self.sum()
            self.expect(")")
            self.depth -= 1
            return value
        kind, token = self.kind, self.token
        if kind == "number":
            self.advance()
            if re.search(r"/0+$", token):
                raise InvalidProblem(f"{token} divides by zero")
            return Fraction(token)
        if kind != "name":
            raise self.error("a letter, a number or a bracket")
        name = _GREEK.get(token, token)
        if name == "1":
            self.advance()
            return Fraction(1)
        if name not in LETTERS and name not in _PRINTED:
            raise InvalidProblem(f"there is no letter {token!r}; there are {', '.join(LETTERS)}")
        self.advance()
        return self.letters.find(name)


def _product(a: Any, b: Any) -> Any:
    if _size(a) * _size(b) > MAX_TERMS:
        raise InvalidProblem(f"expands to more than {MAX_TERMS} terms")
    if _degree(a) + _degree(b) > MAX_DEGREE:
        raise InvalidProblem(f"expands to terms of more than {MAX_DEGREE} letters")
    if not isinstance(a, Operator | Scalar) and not isinstance(b, Operator | Scalar) and _bits(a) + _bits(b) > MAX_BITS:
        raise InvalidProblem("has a number that is too long")
    return _checked(lambda x, y: x * y, a, b)


def _checked(operation: Any, a: Any, b: Any) -> Any:
    try:
        return operation(a, b)
    except IllTyped as error:
        raise InvalidProblem(f"does not fit together: {error}") from None


def _size(value: Any) -> int:
    return len(value.terms) if isinstance(value, Operator | Scalar) else 1


def _degree(value: Any) -> int:
    if not isinstance(value, Operator | Scalar):
        return 0
    return max((len(mono) + len(word) for mono, word in value.terms), default=0)


def _bits(number: Fraction | int) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())
