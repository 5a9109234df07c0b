r"""Numbers with letters in them, ``2*x - 1``, ``(1 - p)/2``, ``x^2``, and the intervals that the letters come from.

A formula is written as in Python, with ``^`` for powers as well. Python's parser makes a syntax tree of it, of which
only numbers, names, ``+ - * /`` and powers with a whole number are taken; nothing is ever evaluated as Python.

Whether a polynomial has a zero in a box of intervals. *One letter*: Sturm's theorem counts the roots (SymPy).
*Several*: each interval is mapped to (0, ∞), by x = (a + bt)/(1 + t) from (a, b), by x = a ± t from a half-line. If all
coefficients of the numerator in the new letters have one sign, the polynomial has no zero inside (they are Bernstein's
coefficients, up to positive factors); the ends that belong to an interval are the same question with a letter less.
Where coefficients of both signs remain, an interval is halved; values of opposite signs at two points prove a zero
between them. What remains after `HALVINGS` is undecided.

Families: problem files in which some numbers are formulas in declared letters.

``"parameters": {"x": "real", "p": "(0, 1)"}`` declares them, each with the open or closed interval it may come from
(``real``, ``positive``, ``(a, b)``, ``[a, b)``, …); every number of the file may then be a formula in them, and in
``gamma`` (`theory.problems.formulas`). No denominator may be zero anywhere in the ranges. Letters are set by
``family.at(x=3, p="9/10")``, which gives an ordinary `Problem`, checked as any other. What holds for all of them at
once, `theory.derivation` finds.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from theory.budgets import HALVINGS, SIGNS
from theory.problems.files import AXES, PLACES, check_form, needs_numbers, numbers_in, problem_from_tree
from theory.problems.jsontext import Literal, each_leaf
from theory.problems.numbers import InvalidProblem, as_array, as_number, parse_number, shortened, type_word
from theory.problems.problem import Problem
from theory.problems.validate import check_gamma, check_shape

LONGEST = 2000  # characters of a formula
DEEPEST = 200  # operations inside each other: a formula is walked by recursion
LARGEST_EXPONENT = 24  # powers are multiplied out

_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_CHARACTERS = re.compile(r"[A-Za-z_0-9.+\-*/^()\s]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_INTERVAL = re.compile(r"\s*([\[(])\s*([^,]+?)\s*,\s*([^,]+?)\s*([\])])\s*")


@dataclass(frozen=True)
class Formula:
    """A syntax tree of fractions, names and operations."""

    tree: Any

    @property
    def names(self) -> frozenset[str]:
        """The letters in it."""
        return frozenset(node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name))

    def value(self, letters: Mapping[str, Any], number: Callable[[Fraction], Any] = lambda x: x) -> Any:
        """With these values for the letters; ZeroDivisionError where something is divided by zero."""

        def at(node: Any) -> Any:
            if isinstance(node, ast.Constant):
                return number(node.value)  # type: ignore[arg-type]
            if isinstance(node, ast.Name):
                return letters[node.id]
            if isinstance(node, ast.UnaryOp):
                return -at(node.operand)
            right = node.right.value if isinstance(node.op, ast.Pow) else at(node.right)
            if isinstance(node.op, ast.Div) and right == 0:
                raise ZeroDivisionError("a denominator is zero")
            return _OPERATIONS[type(node.op)](at(node.left), right)

        return at(self.tree)

    def denominators(self) -> Iterator[Formula]:
        """Whatever is divided by."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                yield Formula(node.right)

    def __str__(self) -> str:
        return re.sub(r"Fraction\((-?\d+), (\d+)\)", _fraction, ast.unparse(self.tree)).replace("**", "^")


def _fraction(found: re.Match[str]) -> str:
    return str(Fraction(int(found[1]), int(found[2])))


def constant(value: Fraction) -> Formula:
    """A number."""
    return Formula(ast.Constant(value))  # type: ignore[arg-type]


def parse_formula(text: str, *where: str | int) -> Formula:
    """The formula that a text spells.

    >>> parse_formula("(1 - p)/2 + x^2").value({"p": Fraction(1, 3), "x": Fraction(2)})
    Fraction(13, 3)
    >>> sorted(parse_formula("2*x*y").names)
    ['x', 'y']
    """
    if len(text) > LONGEST:
        raise InvalidProblem(f"a formula has at most {LONGEST} characters, this one {len(text)}", *where)

    def refused(complaint: str) -> InvalidProblem:
        return InvalidProblem(f"{shortened(text)!r}: {complaint}", *where)

    if not _CHARACTERS.fullmatch(text):
        raise refused("has a character of no number, name or operation")
    # Every name gets an underscore in front, so that none is a word of Python's.
    python = _NAME.sub(r"_\g<0>", " ".join(text.split())).replace("^", "**")

    def read(node: Any, depth: int = 0) -> Any:
        """The same tree with exact numbers, and names as they were written."""
        if depth > DEEPEST:
            raise refused(f"is nested more than {DEEPEST} deep")
        if isinstance(node, ast.Constant):
            return constant(parse_number(python[node.col_offset : node.end_col_offset], *where)).tree
        if isinstance(node, ast.Name):
            return ast.Name(node.id[1:])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
            operand = read(node.operand, depth + 1)
            return operand if isinstance(node.op, ast.UAdd) else ast.UnaryOp(node.op, operand)
        if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATIONS:
            raise refused("only numbers, names, + - * / and powers make a formula")
        right: Any = node.right
        if not isinstance(node.op, ast.Pow):
            right = read(right, depth + 1)
        elif not isinstance(getattr(right, "value", None), int) or right.value > LARGEST_EXPONENT:
            raise refused(f"an exponent is a whole number up to {LARGEST_EXPONENT}")
        return ast.BinOp(read(node.left, depth + 1), node.op, right)

    try:
        return Formula(read(ast.parse(python, mode="eval").body))
    except SyntaxError as error:
        raise refused(f"{error.msg.partition('.')[0]}; a product is written 2*x") from None
    except (MemoryError, RecursionError):
        raise refused("is nested too deep") from None


@dataclass(frozen=True)
class Range:
    """The interval that a letter comes from; an end that is None is infinite."""

    low: Fraction | None = None
    high: Fraction | None = None
    closed_low: bool = False
    closed_high: bool = False

    def __contains__(self, x: Fraction) -> bool:
        above = self.low is None or x > self.low or (self.closed_low and x == self.low)
        return above and (self.high is None or x < self.high or (self.closed_high and x == self.high))

    def cut(self, most: Fraction) -> tuple[Fraction, Fraction]:
        """Its ends, infinite ones at a distance of `most` from the other, or from zero."""
        low = -most if self.low is None and self.high is None else self.low
        low = low if low is not None else self.high - most  # type: ignore[operator]
        return low, self.high if self.high is not None else (most if self.low is None else low + most)

    @property
    def inside(self) -> Fraction:
        """A number in it."""
        if self.low is None or self.high is None:
            return (self.low or Fraction(0)) + 1 if self.high is None else self.high - 1
        return (self.low + self.high) / 2

    @property
    def closed_ends(self) -> list[Fraction]:
        """The ends that belong to it."""
        ends = ((self.low, self.closed_low), (self.high, self.closed_high))
        return [end for end, closed in ends if end is not None and closed]

    def halves(self, middle: Fraction) -> tuple[Range, Range]:
        """Below and above a number in it, which belongs to the first."""
        return (
            Range(self.low, middle, self.closed_low, closed_high=True),
            Range(middle, self.high, closed_high=self.closed_high),
        )

    def __str__(self) -> str:
        low, high = ("−∞" if self.low is None else self.low), ("∞" if self.high is None else self.high)
        return f"{'[' if self.closed_low else '('}{low}, {high}{']' if self.closed_high else ')'}"


DISCOUNTS = Range(Fraction(0), Fraction(1), closed_low=True)


def parse_range(text: Any, *where: str | int) -> Range:
    """``real``, ``positive``, ``(0, 1)``, ``[-1, 2)``.

    >>> str(parse_range("(0, 1]")), Fraction(1) in parse_range("(0, 1]")
    ('(0, 1]', True)
    """
    if text == "real":
        return Range()
    if text == "positive":
        return Range(low=Fraction(0))
    match = _INTERVAL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidProblem(f"expected 'real', 'positive' or an interval such as '(0, 1)', got {text!r}", *where)
    low, high = parse_number(match[2], *where), parse_number(match[3], *where)
    if low >= high:
        raise InvalidProblem(f"{text!r} is empty", *where)
    return Range(low, high, match[1] == "[", match[4] == "]")


def vanishes(formula: Formula, spans: Mapping[str, Range]) -> bool | None:
    """Is a formula zero for some values of its letters? True, False, or None where that is not decided.

    >>> unit = Range(Fraction(0), Fraction(1))
    >>> [vanishes(parse_formula(text), {"p": unit, "x": Range()})
    ...  for text in ("1 - p", "x", "x^2 + 1", "p + (1 - p)*x^2", "x - p", "x*x - 2*x*p + p*p")]
    [False, True, False, False, True, True]
    """
    node = formula.tree
    operation = type(getattr(node, "op", None))
    if operation in (ast.Mult, ast.Div, ast.Pow, ast.USub):  # zero exactly where a part of it is
        parts = {ast.Mult: ("left", "right"), ast.USub: ("operand",)}.get(operation, ("left",))
        return _any(vanishes(Formula(getattr(node, part)), spans) for part in parts)
    import sympy

    letters = {name: sympy.Symbol(name) for name in formula.names}
    value = formula.value(letters, lambda x: sympy.Rational(x.numerator, x.denominator))
    return polynomial_vanishes(sympy.expand(sympy.fraction(sympy.together(value))[0]), spans)


def polynomial_vanishes(p: Any, spans: Mapping[str, Range]) -> bool | None:
    """The same of a SymPy polynomial in symbols of these names."""
    return _vanishes(p, {letter: spans[letter.name] for letter in p.free_symbols}, HALVINGS)


def _vanishes(p: Any, spans: dict[Any, Range], halvings: int) -> bool | None:
    import sympy

    used = sorted(p.free_symbols, key=str)
    if not used:
        return bool(p == 0)
    if len(used) == 1:
        return _has_root(sympy.Poly(p, *used), spans[used[0]])
    if _both_signs(sympy.Poly(p, *used), [spans[x] for x in used]):
        return True
    if _one_sign_inside(p, spans):
        return _any(_vanishes(p.subs(x, _rational(end)), spans, halvings) for x in used for end in spans[x].closed_ends)
    whole = next((x for x in used if spans[x] == Range()), None)
    if whole is None and halvings == 0:
        return None
    x = whole or used[halvings % len(used)]
    parts = spans[x].halves(Fraction(0) if whole else spans[x].inside)
    return _any(_vanishes(p, spans | {x: part}, halvings - (whole is None)) for part in parts)


def _any(found: Any) -> bool | None:
    """Is one of these answers yes? Undecided where it hangs on one that is."""
    answers = list(found)
    return True if True in answers else None if None in answers else False


def _has_root(poly: Any, span: Range) -> bool:
    """Has a polynomial in one letter a root in the interval?"""
    ends = [None if end is None else _rational(end) for end in (span.low, span.high)]
    open_ends = [end for end, closed in zip(ends, (span.closed_low, span.closed_high), strict=True) if not closed]
    outside = sum(poly.eval(end) == 0 for end in open_ends if end is not None)
    return bool(poly.count_roots(*ends) > outside)


def _both_signs(poly: Any, spans: list[Range]) -> bool:
    """Is it zero, or of opposite signs, at points of a fixed sample?"""
    import numpy as np

    shares = np.random.default_rng(0).integers(1, 64, (SIGNS, len(spans))).tolist()
    points = []
    for i, row in enumerate(shares):  # near the finite end of a half-line, and far from it
        ends = [span.cut(Fraction(8 ** (i % 4))) for span in spans]
        points.append([low + (high - low) * Fraction(share, 64) for share, (low, high) in zip(row, ends, strict=True)])
    values = [poly.eval(tuple(map(_rational, point))) for point in points]
    return bool(min(values) <= 0 <= max(values))


def _one_sign_inside(p: Any, spans: dict[Any, Range]) -> bool:
    """Have the coefficients over (0, ∞)ⁿ one sign? (Never over a whole line.)"""
    import sympy

    mapped = {}
    for x in p.free_symbols:
        span = spans[x]
        if span.low is not None and span.high is not None:
            mapped[x] = (_rational(span.low) + _rational(span.high) * x) / (1 + x)
        elif span.low is not None:
            mapped[x] = _rational(span.low) + x
        elif span.high is not None:
            mapped[x] = _rational(span.high) - x
        else:
            return False
    numerator = sympy.fraction(sympy.together(p.subs(mapped, simultaneous=True)))[0]
    coefficients = sympy.Poly(numerator, *mapped).coeffs()
    return all(c > 0 for c in coefficients) or all(c < 0 for c in coefficients)


def _rational(x: Fraction) -> Any:
    import sympy

    return sympy.Rational(x.numerator, x.denominator)


MOST_PARAMETERS = 6
RESERVED = frozenset({"gamma", "k", "lambda", "z", "alpha", "T", "theta"})


@dataclass(frozen=True, eq=False)
class Family:
    """A problem file with letters in it: `tree` has a `Formula` wherever a number stands."""

    name: str
    parameters: dict[str, Range]
    tree: dict[str, Any]

    def at(self, values: Mapping[str, Any] | None = None, /, *, gamma: Any = None, **letters: Any) -> Problem:
        """The problem at these values, and at another discount where one is given; every letter must have a value."""
        given = {**(values or {}), **letters}
        gamma = given.pop("gamma", gamma)
        for name in given:
            if name not in self.parameters:
                raise InvalidProblem(f"there is no letter {name!r}; there are {', '.join(self.parameters)}", "set")
        missing = [name for name in self.parameters if name not in given]
        if missing:
            raise InvalidProblem(needs_numbers(missing), self.name)
        numbers: dict[str, Fraction] = {}
        for name, span in self.parameters.items():
            numbers[name] = Fraction(as_number(given[name], name))
            if numbers[name] not in span:
                raise InvalidProblem(f"{numbers[name]} is not in {span}", name)
        label = ",".join(f"{n}={x}" for n, x in numbers.items())
        usual = self.tree["gamma"].value(numbers)
        discount = usual if gamma is None else Fraction(check_gamma(gamma, ends=self.tree.get("episodic") is True))
        label += "" if discount == usual else f",gamma={discount}"
        tree = self.tree | {"gamma": constant(discount)}
        known = numbers | {"gamma": discount}
        plain = each_leaf(tree, lambda leaf, _: str(leaf.value(known)) if isinstance(leaf, Formula) else leaf)
        return problem_from_tree(plain | {"name": f"{self.name}:{label}"})

    def draw(self, rng: np.random.Generator, denominator: int = 100) -> dict[str, Fraction]:
        """Random values of all letters with about this denominator; from ±10 where a range has no end."""
        found: dict[str, Fraction] = {}
        for name, span in self.parameters.items():
            low, high = span.cut(Fraction(10))
            q = denominator * max(1, ceil(2 / ((high - low) * denominator)))  # at least one number inside
            while name not in found or found[name] not in span:
                found[name] = Fraction(int(rng.integers(ceil(low * q), floor(high * q), endpoint=True)), q)
        return found

    def formulas(self) -> Iterator[tuple[Formula, tuple[str | int, ...]]]:
        """Every formula with its place."""
        found: list[tuple[Any, tuple[str | int, ...]]] = []
        each_leaf(self.tree, lambda leaf, where: found.append((leaf, where)))
        yield from (pair for pair in found if isinstance(pair[0], Formula))

    def __repr__(self) -> str:
        return f"Family({self.name!r}: {', '.join(f'{n} in {span}' for n, span in self.parameters.items())})"

    @property
    def gamma(self) -> Fraction | None:
        """The discount that the file gives; None where that is a formula in the letters."""
        written: Formula = self.tree["gamma"]
        return None if written.names else written.value({})


def family_from(tree: Any, name: str = "family") -> Family:
    """The family of a parsed file.

    >>> two = family_from({"parameters": {"x": "real"}, "gamma": "9/10", "features": [[1], ["x"]],
    ...                    "target": {"transitions": [[0, 1], [0, 1]]}, "behaviour": {"distribution": ["1/2", "1/2"]}})
    >>> two.at(x=2).exact.Phi[1, 0]
    Fraction(2, 1)
    """
    declared = tree["parameters"]
    if not isinstance(declared, dict) or not declared:
        raise InvalidProblem('declares letters as {"x": "real", "p": "(0, 1)"}', "parameters")
    if len(declared) > MOST_PARAMETERS:
        raise InvalidProblem(f"at most {MOST_PARAMETERS} letters, got {len(declared)}", "parameters")
    parameters = {}
    for letter, text in declared.items():
        if not re.fullmatch(r"[A-Za-z][A-Za-z_0-9]*", letter) or letter in RESERVED:
            raise InvalidProblem(f"{letter!r} cannot be a letter's name", "parameters")
        parameters[letter] = parse_range(text, "parameters", letter)

    spans = parameters | {"gamma": DISCOUNTS}

    def read(value: Any, where: tuple[str | int, ...]) -> Formula:
        if isinstance(value, Literal | int | float):
            formula = constant(parse_number(str(value), *where))
        elif isinstance(value, str):
            formula = parse_formula(value, *where)
        else:
            raise InvalidProblem(f"expected a number or a formula, got {type_word(value)}", *where)
        for letter in sorted(formula.names - set(parameters) - ({"gamma"} if where != ("gamma",) else set())):
            raise InvalidProblem(f"the letter {letter!r} is not declared among the parameters", *where)
        for below in formula.denominators():
            _check_below(below, spans, where)
        return formula

    rest = {key: value for key, value in tree.items() if key not in ("parameters", "name")}
    check_form(rest)
    for key in ("discount", "start", "matrices"):
        if key in rest:
            raise InvalidProblem('a family has none: multiply it into the transitions, and say "episodic": true', key)
    sizes: dict[str, int] = {}
    for letter, (*parts, key), value in numbers_in(rest):
        formulas = each_leaf(value, read, *parts, key)
        _check_sizes(formulas, PLACES[letter][1], sizes, *parts, key)
        for part in parts:
            rest[part] = rest[part] | {key: formulas}
        if not parts:
            rest[key] = formulas
    title = tree.get("name", name)
    return Family(title if isinstance(title, str) else name, parameters, rest)


def _check_sizes(formulas: Any, axes: str, sizes: dict[str, int], *where: str | int) -> None:
    """Have all arrays of the file as many states, features and actions as those before?"""
    array = as_array(each_leaf(formulas, lambda leaf, _: 0), len(axes), *where)
    shape = tuple(sizes.setdefault(*pair) for pair in zip(axes, array.shape, strict=True))
    check_shape(array, shape, " × ".join(AXES[axis] for axis in axes), *where)


def _check_below(below: Formula, spans: Mapping[str, Range], where: tuple[str | int, ...]) -> None:
    found = vanishes(below, spans)
    if found is False:
        return
    ranges = ", ".join(f"{name} in {spans[name]}" for name in sorted(below.names))
    verb = "can be zero" if found else "could not be shown to differ from zero"
    told = f" for {ranges}; declare ranges without its zeros" if ranges else ""
    raise InvalidProblem(f"the denominator {below} {verb}{told}", *where)
