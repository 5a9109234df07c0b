"""A second opinion on a witness: a stored counterexample, multiplied out in lists of `fractions.Fraction`.

It shares no code with the models, reads only the stored document, and raises `Rejected` with the reason. It checks:
every value has the shape of its letter's type, transposes are transposes, all dimensions are at least one, every
assumption holds, constants of an instance are the values there, and the claim has the stated residue, which is not
zero; assumptions, claim and the recursions it needs as they are written and as they are expanded.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from theory.symbolic.forms import Rejected

Json = dict[str, Any]
Matrix = list[list[Fraction]]


def recheck_witness(data: Json) -> bool:
    """The stored values satisfy every assumption, and the claim's residue is as stated and not zero.

    True, or `Rejected`.
    """
    try:
        values = _Fractions(data)
        for name, h in data["context"]["assumptions"].items():
            residues = values.equation(h, {}, f"the assumption {name!r}")
            _demand(not any(x for row in residues for x in row), f"the values violate {name!r}")
        matrix = values.equation(data["claim"], data["indices"], "the claim")
        i, j = data["entry"]
        _demand(type(i) is int and type(j) is int and min(i, j) >= 0, f"there is no entry [{i}, {j}]")
        residue = matrix[i][j]
        _demand(residue == _number(data["residue"]) and residue != 0, f"the residue is {residue}")
        return True
    except Rejected:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, ArithmeticError) as error:
        raise Rejected(f"the stored witness is malformed: {error!r}") from error


class _Fractions:
    def __init__(self, data: Json) -> None:
        context = data["context"]
        self.dims = {"1": 1, **data["dims"], "*": 1}
        _demand(self.dims["1"] == 1, f"the space '1' has dimension {self.dims['1']}")
        _demand(all(type(n) is int and n >= 1 for n in self.dims.values()), "every dimension is at least one")
        for place in (data["indices"], data["instances"]):
            _demand(all(type(n) is int and 0 <= n <= 1000 for n in place.values()), "an index is a natural number")
        self.definitions = dict(context["definitions"])
        _demand(not set(self.definitions) & {*context["letters"], *context["scalars"]}, "a name means two things")
        _demand(not set(context["letters"]) & set(context["scalars"]), "a scalar and a letter share a name")
        self.flips, self.scalars = context["transposes"], set(context["scalars"])
        self.known: dict[Any, Matrix] = {}  # values of sequences
        _demand(set(self.flips) == set(context["letters"]), "every letter has a transpose, and nothing else")
        for x, flip in self.flips.items():
            source, target = context["letters"][x]
            fits = self.flips[flip] == x and context["letters"][flip] == [target, source]
            _demand(fits, f"{flip!r} is no transpose of {x!r}")
        self.sequences = {s["name"]: s for s in context["sequences"]}
        self.matrices = {x: [[_number(a) for a in row] for row in rows] for x, rows in data["letters"].items()}
        self.numbers = {s: _number(x) for s, x in data["scalars"].items()}
        for x, rows in self.matrices.items():
            source, target = context["letters"][x]
            _demand(len(rows) == self.dims[target], f"{x!r} has {len(rows)} rows")
            _demand(all(len(row) == self.dims[source] for row in rows), f"{x!r} has rows of another length")
            flip = self.flips[x]
            _demand(flip != x or rows == _flip(rows), f"{x!r} is not symmetric")
            _demand(flip == x or flip not in self.matrices, f"{x!r} has two values")
            _demand(x not in self.sequences and flip not in self.sequences, f"{x!r} is a sequence")
        for name, instance in context["instances"].items():
            for s, constant in instance["values"].items():
                here = {instance["index"]: data["instances"][name]}
                if s in self.scalars:
                    _demand(self.numbers[constant] == self.number(s, here), f"{constant!r} is not {s!r} there")
                else:
                    _demand(self.matrices[constant] == self.letter(s, here), f"{constant!r} is not {s!r} there")

    def equation(self, data: Json, indices: dict[str, int], what: str) -> Matrix:
        """left − right, as written and as expanded."""
        out = self.form(data, indices)
        left, right = (self.tree(data[side], indices) for side in ("left", "right"))
        _demand(_minus(left, right) == out, f"{what} is not what is written")
        return out

    def form(self, form: Json, indices: dict[str, int]) -> Matrix:
        n, m = self.dims[form["target"]], self.dims[form["source"]]
        total = [[Fraction(0)] * m for _ in range(n)]
        for c, mono, word in form["terms"]:
            factor = _number(c)
            for s in mono:
                factor *= self.number(s, indices)
            part = [[Fraction(i == j) for j in range(m)] for i in range(m)]
            for x in reversed(word):
                part = _times(self.letter(x, indices), part)
            total = [[t + factor * p for t, p in zip(*rows, strict=True)] for rows in zip(total, part, strict=True)]
        return total

    def tree(self, tree: list[Any], indices: dict[str, int]) -> Matrix:
        """A formula as it was written; a scalar is a 1×1 matrix that multiplies anything."""
        kind, *parts = tree
        if kind == "letter":
            return self.letter(parts[0], indices)
        if kind in ("scalar", "number"):
            return [[self.number(parts[0], indices) if kind == "scalar" else _number(parts[0])]]
        if kind == "identity":
            n = self.dims[parts[0]]
            return [[Fraction(i == j) for j in range(n)] for i in range(n)]
        if kind == "zero":
            return [[Fraction(0)] * self.dims[parts[0]] for _ in range(self.dims[parts[1]])]
        if kind == "name":
            return self.tree(self.definitions[parts[0]], indices)
        if kind == "transpose":
            return _flip(self.tree(parts[0], indices))
        if kind == "minus":
            return _scaled(Fraction(-1), self.tree(parts[0], indices))
        if kind == "at":
            index, place, inner = parts
            there = indices[index] + 1 if place == "+1" else place
            _demand(type(there) is int and 0 <= there <= 1000, f"{place!r} is no index")
            return self.tree(inner, {**indices, index: there})
        if kind == "power":
            base, n = parts
            _demand(type(n) is int and 0 <= n <= 60, f"{n!r} is no exponent")
            value = self.tree(base, indices)
            out = [[Fraction(i == j) for j in range(len(value))] for i in range(len(value))]
            for _ in range(n):
                out = _times(out, value)
            return out
        values = [self.tree(part, indices) for part in parts]
        _demand(kind in ("sum", "product") and bool(values), f"{kind!r} is no kind of formula")
        if kind == "sum":
            out = values[0]
            for value in values[1:]:
                out = _minus(out, _scaled(Fraction(-1), value))
            return out
        factor = Fraction(1)
        for part, value in zip(parts, values, strict=True):
            factor *= value[0][0] if self.is_scalar(part) else 1
        factors = [value for part, value in zip(parts, values, strict=True) if not self.is_scalar(part)]
        out = factors[0] if factors else [[Fraction(1)]]
        for value in factors[1:]:
            out = _times(out, value)
        return _scaled(factor, out)

    def is_scalar(self, tree: list[Any]) -> bool:
        kind, *parts = tree
        if kind in ("scalar", "number"):
            return True
        inner = [part for part in parts if isinstance(part, list)]
        return kind in ("sum", "product", "minus", "power", "at") and all(map(self.is_scalar, inner))

    def letter(self, x: str, indices: dict[str, int]) -> Matrix:
        if x in self.matrices:
            return self.matrices[x]
        if x in self.sequences:
            return self.recursion(x, indices)
        return _flip(self.letter(self.flips[x], indices))

    def number(self, s: str, indices: dict[str, int]) -> Fraction:
        return self.recursion(s, indices)[0][0] if s in self.sequences else self.numbers[s]

    def recursion(self, name: str, indices: dict[str, int]) -> Matrix:
        """The value of a sequence, as written and as expanded."""
        place = (name, *sorted(indices.items()))
        if place not in self.known:
            s = self.sequences[name]
            n = indices[s["index"]]
            part, before = (s["start"], indices) if n == 0 else (s["step"], {**indices, s["index"]: n - 1})
            value = self.form(part, before)
            _demand(self.tree(part["written"], before) == value, f"the recursion of {name!r} is not what is written")
            self.known[place] = value
        return self.known[place]


def _number(text: Any) -> Fraction:
    shaped = isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?", text)
    _demand(bool(shaped), f"{text!r} is no number")
    return Fraction(text)


def _minus(a: Matrix, b: Matrix) -> Matrix:
    return [[x - y for x, y in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)]


def _scaled(c: Fraction, a: Matrix) -> Matrix:
    return [[c * x for x in row] for row in a]


def _times(a: Matrix, b: Matrix) -> Matrix:
    columns = _flip(b)
    return [[sum((x * y for x, y in zip(r, c, strict=True)), Fraction(0)) for c in columns] for r in a]


def _flip(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def _demand(condition: bool, complaint: str) -> None:
    if not condition:
        raise Rejected(complaint)
