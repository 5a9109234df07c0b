"""A second opinion on a witness: a stored counterexample, multiplied out in lists of `fractions.Fraction`.

It shares no code with the models, reads only the stored document, and raises `Rejected` with the reason. It checks:
every value has the shape of its letter's type, symmetric letters are symmetric, all dimensions are at least one, every
assumption holds, constants of an instance are the values there, and the claim, as written and as expanded, has the
stated residue, which is not zero.
"""

from __future__ import annotations

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
            _demand(not any(x for row in values.form(h, {}) for x in row), f"the values violate {name!r}")
        i, j = data["entry"]
        residue = values.form(data["claim"], data["indices"])[i][j]
        _demand(residue == Fraction(data["residue"]) and residue != 0, f"the residue is {residue}")
        return True
    except (KeyError, TypeError, IndexError) as error:
        raise Rejected(f"the stored witness is malformed: {error!r}") from error


class _Fractions:
    def __init__(self, data: Json) -> None:
        context = data["context"]
        self.dims = {"1": 1, **data["dims"], "*": 1}
        _demand(self.dims["1"] == 1, f"the space '1' has dimension {self.dims['1']}")
        self.flips, self.scalars = context["transposes"], set(context["scalars"])
        self.sequences = {s["name"]: s for s in context["sequences"]}
        self.matrices = {x: [[Fraction(a) for a in row] for row in rows] for x, rows in data["letters"].items()}
        self.numbers = {s: Fraction(x) for s, x in data["scalars"].items()}
        for x, rows in self.matrices.items():
            source, target = context["letters"][x]
            _demand(len(rows) == self.dims[target], f"{x!r} has {len(rows)} rows")
            _demand(all(len(row) == self.dims[source] for row in rows), f"{x!r} has rows of another length")
            _demand(self.flips[x] != x or rows == _flip(rows), f"{x!r} is not symmetric")
        for name, instance in context["instances"].items():
            for s, constant in instance["values"].items():
                here = {instance["index"]: data["instances"][name]}
                if s in self.scalars:
                    _demand(self.numbers[constant] == self.number(s, here), f"{constant!r} is not {s!r} there")
                else:
                    _demand(self.matrices[constant] == self.letter(s, here), f"{constant!r} is not {s!r} there")

    def form(self, form: Json, indices: dict[str, int]) -> Matrix:
        n, m = self.dims[form["target"]], self.dims[form["source"]]
        total = [[Fraction(0)] * m for _ in range(n)]
        for c, mono, word in form["terms"]:
            factor = Fraction(c)
            for s in mono:
                factor *= self.number(s, indices)
            part = [[Fraction(i == j) for j in range(m)] for i in range(m)]
            for x in reversed(word):
                part = _times(self.letter(x, indices), part)
            total = [[t + factor * p for t, p in zip(*rows, strict=True)] for rows in zip(total, part, strict=True)]
        return total

    def letter(self, x: str, indices: dict[str, int]) -> Matrix:
        if x in self.matrices:
            return self.matrices[x]
        if x in self.sequences:
            return self.recursion(x, indices)
        return _flip(self.letter(self.flips[x], indices))

    def number(self, s: str, indices: dict[str, int]) -> Fraction:
        return self.recursion(s, indices)[0][0] if s in self.sequences else self.numbers[s]

    def recursion(self, name: str, indices: dict[str, int]) -> Matrix:
        s = self.sequences[name]
        n = indices[s["index"]]
        return self.form(s["start"], indices) if n == 0 else self.form(s["step"], {**indices, s["index"]: n - 1})


def _times(a: Matrix, b: Matrix) -> Matrix:
    columns = _flip(b)
    return [[sum((x * y for x, y in zip(r, c, strict=True)), Fraction(0)) for c in columns] for r in a]


def _flip(a: Matrix) -> Matrix:
    return [list(column) for column in zip(*a, strict=True)]


def _demand(condition: bool, complaint: str) -> None:
    if not condition:
        raise Rejected(complaint)
