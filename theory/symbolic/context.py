"""What a proof may rely on: letters and their types, definitions, assumptions, recursions, instances.

Formulas come in two shapes. A *form* is expanded, and is what proofs compute with. A *tree* is the formula as it was
written, a nested tuple that begins with its kind:

    ("letter", x)  ("scalar", s)  ("number", "p/q")  ("identity", space)  ("zero", source, target)
    ("name", n)                an abbreviation from `definitions`, which may use earlier ones
    ("sum", a, b, …)           of one type        ("minus", a)
    ("product", a, b, …)       composable from left to right; scalars and numbers may stand anywhere
    ("power", a, n)            a natural number n ("transpose", a)
    ("at", index, place, a)    with every sequence of the index at k+1 (place "+1") or at a number

`Context.meaning` expands a tree, and `Context.agree` demands that whatever is kept in both shapes is the same.

A sequence letter s stands for s_k at an arbitrary k ≥ 0; its `Recursion` gives s_0 and, in letters at k, s_{k+1}.
Assumptions may not speak of sequences: "N_k = 0" would then mean *for all k*. To assume something at one fixed index,
say Sh^{K+1} = 0, an *instance* K gives every sequence of an index an ordinary constant letter (N ↦ N_K) for its value
there; assumptions may speak of those, and lemmas that hold for all k hold for them.

Part of the trusted base: forms, context, kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from theory.symbolic.forms import (
    ANYWHERE,
    Form,
    Rejected,
    Terms,
    Word,
    add,
    multiply,
    one_symbol,
    require,
    substitute,
    transpose,
)

HYPOTHESIS = "induction hypothesis"
MAX_POWER, MAX_AT = 60, 200  # what a tree may say in few words

NUMBER = re.compile(r"-?[0-9]{1,1000}(/[1-9][0-9]{0,999})?")
Tree = tuple[Any, ...]
Sides = tuple[Tree, Tree]  # an equation left = right as written; or start and step of a recursion


@dataclass(frozen=True)
class Recursion:
    """s_0 = start and s_{k+1} = step, where `index` is the name of k."""

    index: str
    start: Form
    step: Form
    written: Sides | None = None


@dataclass(frozen=True)
class Context:
    """Immutable; `depends` checks that everything in it is well formed."""

    scalars: frozenset[str]
    letters: Mapping[str, tuple[str, str]]  # source, target
    flips: Mapping[str, str]  # letter -> its transpose, itself if symmetric
    hypotheses: Mapping[str, Form]  # each is zero
    sequences: Mapping[str, Recursion] = field(default_factory=dict)  # in order of declaration
    instances: Mapping[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)  # K -> index, s -> s_K
    definitions: Mapping[str, Tree] = field(default_factory=dict)  # in order of declaration
    written: Mapping[str, Sides] = field(default_factory=dict)  # assumptions as left = right

    @cached_property
    def depends(self) -> Mapping[str, set[str]]:
        """The indices on which each sequence depends, after checking all forms, assumptions and recursions."""
        require(not self.scalars & set(self.letters), "a scalar and a letter share a name")
        require(set(self.flips) == set(self.letters), "every letter needs a transpose, and nothing else has one")
        for letter, flip in self.flips.items():
            require(self.flips.get(flip) == letter, f"transposing {letter!r} twice does not give it back")
            require(self.letters[flip] == self.letters[letter][::-1], f"{flip!r} is not typed as a transpose")
            require(ANYWHERE not in self.letters[letter], f"{letter!r} needs spaces")
        sequential = {n for name in self.sequences for n in (name, self.flips.get(name, name))}
        for name, h in self.hypotheses.items():
            self.check_form(h)
            require(name != HYPOTHESIS and not h.symbols & sequential, f"the assumption {name!r} speaks of a sequence")
        depends: dict[str, set[str]] = {}
        for name, s in self.sequences.items():
            flip = self.flips.get(name, "")
            require(flip != name, f"a sequence cannot be declared symmetric: {name!r}")
            require(name in self.scalars or name in self.letters, f"the sequence {name!r} is not declared")
            kind = (ANYWHERE, ANYWHERE) if name in self.scalars else self.letters[name]
            for form in (s.start, s.step):
                self.check_form(form)
                require((form.source, form.target) == kind, f"the recursion of {name!r} has another type")
            start, step = s.start.symbols & sequential, s.step.symbols & sequential
            require(start <= set(depends) and step <= set(depends) | {name, flip}, f"{name!r} uses a later sequence")
            require(not any(s.index in depends[n] for n in start), f"the start of {name!r} depends on {s.index!r}")
            depends[name] = {s.index}.union(*(depends[n] for n in (start | step) - {name, flip}))
            depends |= {flip: depends[name]} if flip else {}
        constants = [x for _, table in self.instances.values() for c in table.values() for x in self._both(c)]
        require(len(set(constants)) == len(constants), "two instances share a constant")
        require(not {"0", "+1"} & set(self.instances), "an instance cannot be called 0 or +1")
        for index, table in self.instances.values():
            for name, c in table.items():
                require(depends.get(name) == {index}, f"{name!r} does not depend on {index!r} alone")
                same = c in self.scalars if name in self.scalars else self.letters.get(c) == self.letters[name]
                require(same and c not in sequential and self.flips.get(c) != c, f"{c!r} cannot stand for {name!r}")
        return depends

    def _both(self, letter: str) -> tuple[str, ...]:
        return (letter, self.flips[letter]) if letter in self.flips else (letter,)

    def check_form(self, form: Form) -> None:
        """Every scalar is known, every word is a path from source to target."""
        for (mono, word), c in form.terms.items():
            exact = isinstance(c, Fraction) and c != 0
            require(exact and set(mono) <= self.scalars and list(mono) == sorted(mono), f"bad coefficient {c} {mono}")
            require(self.walk(word, form.target) == form.source, f"{word} is not {form.source} -> {form.target}")

    def walk(self, word: Word, here: str) -> str:
        """The space in which a word ends that is read from the left, starting at `here`."""
        for letter in word:
            require(letter in self.letters and self.letters[letter][1] == here, f"{letter!r} does not end in {here}")
            here = self.letters[letter][0]
        return here

    def at(self, form: Form, index: str, how: str) -> Form:
        """The form with every sequence of `index` put at 0, at k+1 (``"+1"``), or at a named instance."""
        instance = how in self.instances and self.instances[how][0] == index
        require(how in ("0", "+1") or instance, f"there is no instance {how!r} of {index!r}")
        images: dict[str, Form] = {}
        for name, sequence in self.sequences.items():
            flip = self.flips.get(name, name)
            if not form.symbols & {name, flip} or index not in self.depends[name]:
                continue
            require(sequence.index == index, f"{name!r} depends on {index!r} but recurs over {sequence.index!r}")
            image = sequence.start if how == "0" else sequence.step
            if how not in ("0", "+1"):
                constants = self.instances[how][1]
                require(name in constants, f"there is no instance {how!r} of {name!r}")
                image = one_symbol(constants[name], self.scalars, image.source, image.target)
            images[flip] = transpose(image, self.flips) if flip != name else image
            images[name] = image
        return substitute(form, images, self.scalars)

    def meaning(self, tree: Tree) -> Form:
        """The form that a tree stands for; anything ill-typed, unknown or too large is rejected."""
        return self._expand(tree, self.abbreviations)

    @cached_property
    def abbreviations(self) -> Mapping[str, Form]:
        """The definitions expanded; each may use those before it."""
        forms: dict[str, Form] = {}
        for name, tree in self.definitions.items():
            require(name not in self.scalars and name not in self.letters, f"{name!r} is defined and declared")
            forms[name] = self._expand(tree, forms)
        return forms

    @cached_property
    def agree(self) -> bool:
        """Assumptions and recursions say what their trees say: True, or `Rejected`."""
        require(self.abbreviations is not None, "the definitions are malformed")
        for name, sides in self.written.items():
            require(name in self.hypotheses, f"{name!r} is written but not assumed")
            self.same(sides, self.hypotheses[name], name)
        for name, s in self.sequences.items():
            if s.written is not None:
                for part, tree, form in zip(("start", "step"), s.written, (s.start, s.step), strict=True):
                    require(self.meaning(tree) == form, f"the {part} of {name!r} is not what is written")
        return True

    def same(self, sides: Sides, zero: Form, name: str) -> None:
        """left − right is this form."""
        left, right = (self.meaning(side) for side in sides)
        require((left.source, left.target) == (right.source, right.target), f"the sides of {name!r} differ in type")
        difference = Form(left.source, left.target, add(left.terms, right.terms, -1))
        require(difference == zero, f"{name!r} is not what is written")

    def _expand(self, tree: Tree, known: Mapping[str, Form]) -> Form:
        match tree:
            case ("letter", x) if x in self.letters:
                return Form(*self.letters[x], {((), (x,)): Fraction(1)})
            case ("scalar", s) if s in self.scalars:
                return Form(ANYWHERE, ANYWHERE, {((s,), ()): Fraction(1)})
            case ("number", str(text)) if NUMBER.fullmatch(text):
                return Form(ANYWHERE, ANYWHERE, {((), ()): Fraction(text)} if Fraction(text) else {})
            case ("identity", str(space)) if space != ANYWHERE:
                return Form(space, space, {((), ()): Fraction(1)})
            case ("zero", str(source), str(target)) if (source == ANYWHERE) == (target == ANYWHERE):
                return Form(source, target, {})
            case ("name", n) if n in known:
                return known[n]
            case ("minus", a):
                form = self._expand(a, known)
                return Form(form.source, form.target, add({}, form.terms, -1))
            case ("sum", first, *rest):
                form = self._expand(first, known)
                for other in rest:
                    more = self._expand(other, known)
                    same = (form.source, form.target) == (more.source, more.target)
                    require(same, f"{form.source} -> {form.target} and {more.source} -> {more.target} have no sum")
                    form = Form(form.source, form.target, add(form.terms, more.terms, 1))
                return form
            case ("product", *factors) if factors:
                return self._product([self._expand(factor, known) for factor in factors])
            case ("power", a, int(n)) if 0 <= n <= MAX_POWER and not isinstance(n, bool):
                base = self._expand(a, known)
                require(base.source == base.target, f"a power of {base.source} -> {base.target}")
                return self._product([Form(base.source, base.source, {((), ()): Fraction(1)}), *[base] * n])
            case ("transpose", a):
                return transpose(self._expand(a, known), self.flips)
            case ("at", str(index), "+1", a):
                return self.at(self._expand(a, known), index, "+1")
            case ("at", str(index), int(n), a) if 0 <= n <= MAX_AT and not isinstance(n, bool):
                form = self._expand(a, known)
                for _ in range(n):
                    form = self.at(form, index, "+1")
                return self.at(form, index, "0")
        raise Rejected(f"{str(tree)[:60]} is no formula of this theory")

    def _product(self, factors: list[Form]) -> Form:
        source = target = ANYWHERE
        terms: Terms = {((), ()): Fraction(1)}
        for factor in factors:
            terms = multiply(terms, factor.terms)
            if factor.target != ANYWHERE:
                require(source in (factor.target, ANYWHERE), f"... -> {factor.target} cannot precede {source} -> ...")
                source, target = factor.source, factor.target if target == ANYWHERE else target
        return Form(source, target, terms)
