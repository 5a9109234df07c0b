"""A second opinion that shares no code with the kernel or the models.

`recheck_proof` reads a stored certificate, builds noncommutative SymPy symbols and lets ``sympy.expand`` compare both
sides; obligations of an induction come from SymPy's own substitution. `recheck_witness` reads a stored witness and
multiplies lists of `fractions.Fraction`. Both raise `Rejected` with the reason, and import nothing from this package
but that exception.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.symbolic.context import Rejected

Json = dict[str, Any]
Matrix = list[list[Fraction]]


def recheck_proof(data: Json) -> bool:
    """Check ``{"context": …, "proof": …}`` by plain SymPy expansion; True, or `Rejected`."""
    try:
        _SymPy(data["context"]).proof(data["proof"])
        return True
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise Rejected(f"the stored certificate is malformed: {error!r}") from error


class _SymPy:
    def __init__(self, context: Json) -> None:
        import sympy

        self.expand, self.rational = sympy.expand, sympy.Rational
        self.context, self.types, self.flips = context, context["letters"], context["transposes"]
        self.symbols = {x: sympy.Symbol(x, commutative=False) for x in self.types}
        self.symbols |= {s: sympy.Symbol(s) for s in context["scalars"]}
        self.sequences = {s["name"]: s for s in context["sequences"]}
        moving = set(self.sequences) | {self.flips[x] for x in self.sequences if x in self.flips}
        for name, h in context["assumptions"].items():
            _demand(not {x for _, m, w in h["terms"] for x in [*m, *w]} & moving, f"{name!r} speaks of a sequence")
        for x, flip in self.flips.items():
            _demand(self.types[flip] == self.types[x][::-1] and self.flips[flip] == x, f"{flip!r} is no transpose")

    def proof(self, proof: Json) -> None:
        known = dict(self.context["assumptions"])
        for name, lemma in proof["lemmas"].items():
            _demand(name not in known, f"{name!r} names two things")
            self.proof(lemma)
            known[name] = lemma["claim"]
        claim, index = proof["claim"], proof["induction"]
        direct = [{"identity"}, {"symmetrised"}] if claim["source"] == claim["target"] == "1" else [{"identity"}]
        expected = direct if index is None else [{"base", "step"}]
        _demand(set(proof["parts"]) in expected, f"the parts must be {' or '.join(map(str, map(sorted, expected)))}")
        for part, entries in proof["parts"].items():
            where = {"base": [index, "0"], "step": [index, "+1"]}.get(part)
            total = self.expression(claim, False, where)
            if part == "symmetrised":  # a 1×1 matrix z is its own transpose: 2z = z + zᵀ
                total += self.expression(claim, True, None)
            for e in entries:
                own = e["uses"] == "induction hypothesis"
                _demand(part == "step" and e["at"] is None if own else e["uses"] in known, f"{e['uses']!r} is unknown")
                h = claim if own else known[e["uses"]]
                self.fits(e, h, claim)
                factor = self.product([e["coefficient"], e["scalars"], e["left"]])
                total -= factor * self.expression(h, e["transposed"], e["at"]) * self.product(["1", [], e["right"]])
            _demand(self.expand(total) == 0, f"the {part} of {proof['name']!r} does not expand to the claim")

    def expression(self, form: Json, transposed: bool, where: list[str] | None) -> Any:
        """The form as a SymPy expression, transposed and moved to another index as asked."""
        terms = form["terms"]
        for _, _, word in terms:
            _demand(self.end(word, form["target"]) == form["source"], f"{word} is ill-typed")
        if transposed:
            terms = [[c, m, [self.flips[x] for x in reversed(w)]] for c, m, w in terms]
        expression = sum((self.product(term) for term in terms), self.rational(0))
        if where is None:
            return expression
        index, how = where
        images = {}
        for name, s in self.sequences.items():
            used = {x for _, m, w in terms for x in [*m, *w]}
            names = {name, self.flips.get(name, name)}
            if not used & names or index not in self.depends(name):
                continue
            _demand(s["index"] == index, f"{name!r} recurs over {s['index']!r}, not {index!r}")
            for x in names:
                if how in ("0", "+1"):
                    image = self.expression(s["start" if how == "0" else "step"], x != name, None)
                else:
                    instance = self.context["instances"][how]
                    _demand(instance["index"] == index, f"{how!r} is an instance of another index")
                    _demand(self.depends(name) == {index}, f"{name!r} depends on more than {index!r}")
                    constant = instance["values"][name]
                    image = self.symbols[constant if x == name else self.flips[constant]]
                images[self.symbols[x]] = image
        return expression.xreplace(images)

    def depends(self, name: str) -> set[str]:
        own, earlier = {self.sequences[name]["index"]}, list(self.sequences)
        out = set(own)
        for part in ("start", "step"):
            for _, mono, word in self.sequences[name][part]["terms"]:
                for x in [*mono, *word]:
                    base = x if x in self.sequences else self.flips.get(x)
                    if base in self.sequences and base != name:
                        _demand(earlier.index(base) < earlier.index(name), f"{name!r} uses a later sequence")
                        inner = self.depends(base)
                        _demand(part == "step" or not inner & own, f"the start of {name!r} moves with its index")
                        out |= inner
                    _demand(base != name or part == "step", f"{name!r} starts with itself")
        return out

    def product(self, term: list[Any]) -> Any:
        c, mono, word = term
        _demand(set(c) <= set("-/0123456789"), f"{c!r} is no number")
        out = self.rational(c)
        for x in [*mono, *word]:
            out *= self.symbols[x]
        return out

    def fits(self, entry: Json, h: Json, claim: Json) -> None:
        source, target = (h["target"], h["source"]) if entry["transposed"] else (h["source"], h["target"])
        middle = self.end(entry["left"], claim["target"])
        _demand(target in (middle, "*"), f"{entry['left']} does not compose with {entry['uses']!r}")
        end = self.end(entry["right"], middle if source == "*" else source)
        _demand(end == claim["source"], f"{entry['uses']!r} does not compose with {entry['right']}")

    def end(self, word: list[str], here: str) -> str:
        for x in word:
            _demand(self.types[x][1] == here, f"{x!r} does not end in {here}")
            here = self.types[x][0]
        return here


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
