"""What a proof may rely on: letters and their types, assumptions, recursions, instances.

A sequence letter s stands for s_k at an arbitrary k ≥ 0; its `Recursion` gives s_0 and, in letters at k, s_{k+1}.
Assumptions may not speak of sequences: "N_k = 0" would then mean *for all k*. To assume something at one fixed index,
say Sh^{K+1} = 0, an *instance* K gives every sequence of an index an ordinary constant letter (N ↦ N_K) for its value
there; assumptions may speak of those, and lemmas that hold for all k hold for them.

Part of the trusted base: forms, context, kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from theory.symbolic.forms import ANYWHERE, Form, Word, one_symbol, substitute, transpose

HYPOTHESIS = "induction hypothesis"


class Rejected(ValueError):
    """The kernel does not accept this; the text says why."""


def require(condition: bool, complaint: str) -> None:
    """Raise `Rejected` unless the condition holds."""
    if not condition:
        raise Rejected(complaint)


@dataclass(frozen=True)
class Recursion:
    """s_0 = start and s_{k+1} = step, where `index` is the name of k."""

    index: str
    start: Form
    step: Form


@dataclass(frozen=True)
class Context:
    """Immutable; `depends` checks that everything in it is well formed."""

    scalars: frozenset[str]
    letters: Mapping[str, tuple[str, str]]  # source, target
    flips: Mapping[str, str]  # letter -> its transpose, itself if symmetric
    hypotheses: Mapping[str, Form]  # each is zero
    sequences: Mapping[str, Recursion] = field(default_factory=dict)  # in order of declaration
    instances: Mapping[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)  # K -> index, s -> s_K

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
            kind = (ANYWHERE, ANYWHERE) if name in self.scalars else self.letters[name]
            for form in (s.start, s.step):
                self.check_form(form)
                require((form.source, form.target) == kind, f"the recursion of {name!r} has another type")
            start, step = s.start.symbols & sequential, s.step.symbols & sequential
            require(start <= set(depends) and step <= set(depends) | {name, flip}, f"{name!r} uses a later sequence")
            require(not any(s.index in depends[n] for n in start), f"the start of {name!r} depends on {s.index!r}")
            depends[name] = {s.index}.union(*(depends[n] for n in (start | step) - {name, flip}))
            depends |= {flip: depends[name]} if flip else {}
        constants = [c for _, table in self.instances.values() for c in table.values()]
        require(len(set(constants)) == len(constants), "two instances share a constant")
        for index, table in self.instances.values():
            for name, c in table.items():
                require(depends.get(name) == {index}, f"{name!r} does not depend on {index!r} alone")
                same = c in self.scalars if name in self.scalars else self.letters.get(c) == self.letters[name]
                require(same and c not in sequential and self.flips.get(c) != c, f"{c!r} cannot stand for {name!r}")
        return depends

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
        images: dict[str, Form] = {}
        for name, sequence in self.sequences.items():
            flip = self.flips.get(name, name)
            if not form.symbols & {name, flip} or index not in self.depends[name]:
                continue
            require(sequence.index == index, f"{name!r} depends on {index!r} but recurs over {sequence.index!r}")
            image = sequence.start if how == "0" else sequence.step
            if how not in ("0", "+1"):
                over, constants = self.instances.get(how, ("", {}))
                require(over == index and name in constants, f"there is no instance {how!r} of {name!r}")
                image = one_symbol(constants[name], self.scalars, image.source, image.target)
            images[flip] = transpose(image, self.flips) if flip != name else image
            images[name] = image
        return substitute(form, images, self.scalars)
