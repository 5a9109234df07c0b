"""A second opinion on a proof: a stored certificate, multiplied out by plain SymPy.

`recheck_proof` is a full checker that shares no code with the kernel. It reads the stored document alone, builds
noncommutative SymPy symbols, lets ``sympy.expand`` compare what is written with what is expanded and each part of a
proof with what it has to show, and takes the obligations of an induction from SymPy's own substitution. Before that it
checks for itself what an expansion presupposes: that names are declared once, words are paths, transposes fit, no
assumption speaks of a sequence, recursions are well-founded and well-typed, and constants of an instance are letters
of their own. Anything else, malformed documents included, is `Rejected`.
"""

from __future__ import annotations

import re
from typing import Any

from theory.symbolic.forms import Rejected

Json = dict[str, Any]
Typed = tuple[Any, str, str]  # a SymPy expression, its source and target
MAX_TERMS, MAX_POWER, MAX_AT = 50_000, 60, 200
OWN = "induction hypothesis"


def recheck_proof(data: Json) -> bool:
    """Check ``{"context": …, "proof": …}`` by plain SymPy expansion; True, or `Rejected`."""
    try:
        _keys(data, "context", "proof")
        _SymPy(data["context"]).proof(data["proof"])
        return True
    except Rejected:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, ArithmeticError) as error:
        raise Rejected(f"the stored certificate is malformed: {error!r}") from error


class _SymPy:
    def __init__(self, context: Json) -> None:
        import sympy

        self.expand, self.rational = sympy.expand, sympy.Rational
        _keys(context, "scalars", "letters", "transposes", "definitions", "assumptions", "sequences", "instances")
        _lists(context["scalars"], context["definitions"], context["sequences"])
        _objects(context["letters"], context["transposes"], context["assumptions"], context["instances"])
        self.context, self.types, self.flips = context, context["letters"], context["transposes"]
        self.scalars = set(context["scalars"])
        self._check_letters()
        self.symbols = {x: sympy.Symbol(x, commutative=False) for x in self.types}
        self.symbols |= {s: sympy.Symbol(s) for s in self.scalars}
        self.sequences = {s["name"]: s for s in context["sequences"]}
        self.names: dict[str, tuple[Typed, Typed]] = {}  # abbreviations, plain and transposed
        self._check_sequences()
        self._check_instances()
        for name, tree in context["definitions"]:
            _demand(name not in self.symbols and name not in self.names, f"{name!r} is defined and declared")
            self.names[name] = (self.value(tree, False), self.value(tree, True))
        moving = self._both(self.sequences)
        for name, h in context["assumptions"].items():
            self.equation(h)
            _demand(name != OWN and not self._in(h["terms"]) & moving, f"{name!r} speaks of a sequence")
        for s in self.sequences.values():
            for part in ("start", "step"):
                self.agree(self.value(s[part]["written"], False), s[part], f"the {part} of {s['name']!r}")

    # The context

    def _check_letters(self) -> None:
        _demand(len(self.scalars) == len(self.context["scalars"]), "a scalar is declared twice")
        _demand(not self.scalars & set(self.types), "a scalar and a letter share a name")
        _demand(set(self.flips) == set(self.types), "every letter has a transpose, and nothing else")
        for x, flip in self.flips.items():
            _demand(self.types[flip] == self.types[x][::-1] and self.flips[flip] == x, f"{flip!r} is no transpose")
            source, target = self.types[x]
            _demand(isinstance(source, str) and isinstance(target, str), f"{x!r} has no type")
            _demand("*" not in (source, target), f"{x!r} needs spaces")

    def _check_sequences(self) -> None:
        _demand(len(self.sequences) == len(self.context["sequences"]), "a sequence is declared twice")
        for name, s in self.sequences.items():
            _demand(isinstance(s["index"], str) and self.flips.get(name, "") != name, f"{name!r} cannot be a sequence")
            kind = ["*", "*"] if name in self.scalars else list(self.types[name])
            _keys(s, "name", "index", "start", "step")
            for part in ("start", "step"):
                _keys(s[part], "written", "source", "target", "terms")
                self.expression(s[part], False, None)
                same = [s[part]["source"], s[part]["target"]] == kind
                _demand(same, f"the {part} of {name!r} has another type")
            self.depends(name)

    def _check_instances(self) -> None:
        constants: list[str] = []
        moving = self._both(self.sequences)
        for instance, content in self.context["instances"].items():
            _keys(content, "index", "values")
            _objects(content["values"])
            _demand(instance not in ("0", "+1"), f"an instance cannot be called {instance!r}")
            for name, c in content["values"].items():
                _demand(self.depends(name) == {content["index"]}, f"{name!r} moves with more than one index")
                alike = c in self.scalars if name in self.scalars else self.types.get(c) == self.types[name]
                _demand(alike and c not in moving and self.flips.get(c) != c, f"{c!r} cannot stand for {name!r}")
                constants += self._both([c])
        _demand(len(set(constants)) == len(constants), "two instances share a constant")

    def depends(self, name: str) -> set[str]:
        """The indices with which a sequence moves; it may use earlier ones, and itself in the step."""
        own, earlier = self.sequences[name]["index"], list(self.sequences)
        out = {own}
        for part in ("start", "step"):
            for x in self._in(self.sequences[name][part]["terms"]):
                base = x if x in self.sequences else self.flips.get(x)
                if base not in self.sequences:
                    continue
                if base == name:
                    _demand(part == "step", f"{name!r} starts with itself")
                    continue
                _demand(earlier.index(base) < earlier.index(name), f"{name!r} uses a later sequence")
                inner = self.depends(base)
                _demand(part == "step" or own not in inner, f"the start of {name!r} moves with its index")
                out |= inner
        return out

    # The proof

    def proof(self, proof: Json) -> None:
        _keys(proof, "name", "claim", "induction", "parts", "lemmas")
        _demand(isinstance(proof["name"], str), "a proof has a name")
        _objects(proof["parts"], proof["lemmas"])
        known = dict(self.context["assumptions"])
        for name, lemma in proof["lemmas"].items():
            _demand(name not in known and name != OWN, f"{name!r} names two things")
            self.proof(lemma)
            known[name] = lemma["claim"]
        claim, index = proof["claim"], proof["induction"]
        _demand(index is None or isinstance(index, str), f"an induction over {index!r}")
        self.equation(claim)
        direct = [{"identity"}, {"symmetrised"}] if claim["source"] == claim["target"] == "1" else [{"identity"}]
        expected = direct if index is None else [{"base", "step"}]
        _demand(set(proof["parts"]) in expected, f"the parts must be {' or '.join(map(str, map(sorted, expected)))}")
        for part, entries in proof["parts"].items():
            _lists(entries)
            where = {"base": [index, "0"], "step": [index, "+1"]}.get(part)
            total = self.expression(claim, False, where)
            if part == "symmetrised":  # a 1×1 matrix z is its own transpose: 2z = z + zᵀ
                total += self.expression(claim, True, None)
            for e in entries:
                _keys(e, "coefficient", "scalars", "left", "uses", "transposed", "at", "right")
                own = e["uses"] == OWN
                _demand(part == "step" and e["at"] is None if own else e["uses"] in known, f"{e['uses']!r} is unknown")
                _demand(isinstance(e["transposed"], bool), "'transposed' is true or false")
                _lists(e["scalars"], e["left"], e["right"], *([] if e["at"] is None else [e["at"]]))
                h = claim if own else known[e["uses"]]
                self.fits(e, h, claim)
                factor = self.product([e["coefficient"], e["scalars"], e["left"]])
                total -= factor * self.expression(h, e["transposed"], e["at"]) * self.product(["1", [], e["right"]])
            _demand(self.expand(total) == 0, f"the {part} of {proof['name']!r} does not expand to the claim")

    def fits(self, entry: Json, h: Json, claim: Json) -> None:
        source, target = (h["target"], h["source"]) if entry["transposed"] else (h["source"], h["target"])
        middle = self.end(entry["left"], claim["target"])
        _demand(target in (middle, "*"), f"{entry['left']} does not compose with {entry['uses']!r}")
        end = self.end(entry["right"], middle if source == "*" else source)
        _demand(end == claim["source"], f"{entry['uses']!r} does not compose with {entry['right']}")

    # Formulas

    def equation(self, data: Json) -> None:
        """The terms are those of left − right."""
        _keys(data, "left", "right", "source", "target", "terms")
        (left, *kind), (right, *other) = self.value(data["left"], False), self.value(data["right"], False)
        _demand(kind == other, "the sides differ in type")
        self.agree((left - right, *kind), data, "an equation")

    def agree(self, written: Typed, form: Json, what: str) -> None:
        expression, source, target = written
        _demand([source, target] == [form["source"], form["target"]], f"{what} has another type than is written")
        _demand(self.expand(expression - self.expression(form, False, None)) == 0, f"{what} is not what is written")

    def expression(self, form: Json, transposed: bool, where: list[str] | None) -> Any:
        """The expanded form as a SymPy expression, transposed and moved to another index as asked."""
        seen = set()
        _lists(form["terms"])
        for _, mono, word in form["terms"]:
            _lists(mono, word)
            _demand(self.end(word, form["target"]) == form["source"], f"{word} is ill-typed")
            _demand(mono == sorted(mono) and set(mono) <= self.scalars, f"{mono} are no scalars")
            seen.add((tuple(mono), tuple(word)))
        _demand(len(seen) == len(form["terms"]), "a term occurs twice")
        terms = form["terms"]
        if transposed:
            terms = [[c, m, [self.flips[x] for x in reversed(w)]] for c, m, w in terms]
        expression = sum((self.product(term) for term in terms), self.rational(0))
        return expression if where is None else self.moved(expression, *where)

    def value(self, tree: list[Any], flipped: bool) -> Typed:
        """A tree as a SymPy expression with its type, transposed as asked."""
        _lists(tree)
        kind, *parts = tree
        if kind == "letter":
            (x,) = parts
            x = self.flips[x] if flipped else x
            return (self.symbols[x], *self.types[x])
        if kind in ("scalar", "number"):
            (x,) = parts
            _demand(kind == "number" or x in self.scalars, f"{x!r} is no scalar")
            return (self.number(x) if kind == "number" else self.symbols[x], "*", "*")
        if kind == "identity":
            (space,) = parts
            _demand(isinstance(space, str) and space != "*", f"{space!r} is no space")
            return self.rational(1), space, space
        if kind == "zero":
            source, target = parts[::-1] if flipped else parts
            plain = isinstance(source, str) and isinstance(target, str) and (source == "*") == (target == "*")
            _demand(plain, f"0 of type {source} -> {target}")
            return self.rational(0), source, target
        if kind == "name":
            (name,) = parts
            return self.names[name][flipped]
        if kind == "minus":
            (a,) = parts
            inner, source, target = self.value(a, flipped)
            return -inner, source, target
        if kind == "transpose":
            (a,) = parts
            return self.value(a, not flipped)
        if kind == "sum":
            values = [self.value(part, flipped) for part in parts]
            _demand(len({value[1:] for value in values}) == 1, "a sum of different types")
            return (sum((value[0] for value in values), self.rational(0)), *values[0][1:])
        if kind == "product":
            _demand(len(parts) > 0, "a product of nothing")
            values = [self.value(part, flipped) for part in parts]
            return self.composed(values[::-1] if flipped else values)
        if kind == "power":
            base, n = parts
            _demand(type(n) is int and 0 <= n <= MAX_POWER, f"{n!r} is no exponent")
            value = self.value(base, flipped)
            _demand(value[1] == value[2], "a power of something that is not square")
            return self.composed([(self.rational(1), *value[1:]), *[value] * n])
        _demand(kind == "at", f"{kind!r} is no kind of formula")
        index, place, a = parts
        inner, source, target = self.value(a, flipped)
        if place == "+1":
            return self.moved(inner, index, "+1"), source, target
        _demand(type(place) is int and 0 <= place <= MAX_AT, f"{place!r} is no index")
        for _ in range(place):
            inner = self.bounded(self.moved(inner, index, "+1"))
        return self.moved(inner, index, "0"), source, target

    def composed(self, values: list[Typed]) -> Typed:
        out, source, target = self.rational(1), "*", "*"
        for inner, start, end in values:
            if end != "*":
                _demand(source in (end, "*"), f"{end} does not lead on to {source}")
                source, target = start, end if target == "*" else target
            out = self.bounded(out * inner)
        return out, source, target

    def bounded(self, expression: Any) -> Any:
        """Expanded, where that has not too many terms."""
        sizes = [len(factor.args) if factor.is_Add else 1 for factor in (expression, *expression.args)]
        size = 1
        for n in sizes:
            size *= n
        _demand(size <= MAX_TERMS, f"more than {MAX_TERMS} terms")
        return self.expand(expression)

    def moved(self, expression: Any, index: str, how: str) -> Any:
        """With every sequence of the index at 0, at k+1 or at an instance."""
        known = how in ("0", "+1") or self.context["instances"][how]["index"] == index
        _demand(known, f"{how!r} is an instance of another index")
        used = {str(symbol) for symbol in expression.free_symbols}
        images = {}
        for name, s in self.sequences.items():
            names = {name, self.flips.get(name, name)}
            if not used & names or index not in self.depends(name):
                continue
            _demand(s["index"] == index, f"{name!r} recurs over {s['index']!r}, not {index!r}")
            for x in names:
                if how in ("0", "+1"):
                    image = self.expression(s["start" if how == "0" else "step"], x != name, None)
                else:
                    constant = self.context["instances"][how]["values"][name]
                    image = self.symbols[constant if x == name else self.flips[constant]]
                images[self.symbols[x]] = image
        return expression.xreplace(images)

    def product(self, term: list[Any]) -> Any:
        c, mono, word = term
        _demand(set(mono) <= self.scalars and set(word) <= set(self.types), f"{mono} {word} are not declared")
        out = self.number(c)
        for x in [*mono, *word]:
            out *= self.symbols[x]
        return out

    def number(self, text: Any) -> Any:
        shaped = isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,1000}(/[1-9][0-9]{0,999})?", text)
        _demand(bool(shaped), f"{text!r} is no number")
        return self.rational(text)

    def end(self, word: list[str], here: str) -> str:
        for x in word:
            _demand(self.types[x][1] == here, f"{x!r} does not end in {here}")
            here = self.types[x][0]
        return here

    def _in(self, terms: list[Any]) -> set[str]:
        return {x for _, mono, word in terms for x in [*mono, *word]}

    def _both(self, names: Any) -> set[str]:
        return {x for name in names for x in (name, self.flips.get(name, name))}


def _keys(data: Json, *names: str) -> None:
    _demand(isinstance(data, dict) and set(data) == set(names), f"expected an object with {', '.join(names)}")


def _lists(*data: Any) -> None:
    _demand(all(isinstance(part, list) for part in data), "expected a list")


def _objects(*data: Any) -> None:
    _demand(all(isinstance(part, dict) for part in data), "expected an object")


def _demand(condition: bool, complaint: str) -> None:
    if not condition:
        raise Rejected(complaint)
