"""Mutation testing of the prover: wrong versions of a proved identity must be refuted.

A mutant changes one thing: the sign of a term, the order of two factors, a scalar too many or too few, an index by
one, a term left out, a letter replaced by another of the same type, here or everywhere. Some mutants are still true
(swap G and Gᵏ). So each must either be refuted by an exact model or be proved, with no model objecting; a mutant that
is refuted is also given to the search, which must not prove it. Anything else is a defect of prover or models.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from theory.symbolic.algebra import Operator, Scalar, polynomial
from theory.symbolic.certify import STAGES, certify, indices_of
from theory.symbolic.context import Context, Sides
from theory.symbolic.decide import refute
from theory.symbolic.forms import Form, Key, Word, one_symbol, substitute
from theory.symbolic.kernel import Proof, check
from theory.symbolic.outcomes import Witness
from theory.symbolic.search import Limits
from theory.symbolic.theory import Claim

SHORT = Limits(pairs=600, steps=30_000, stretch=2)
GLANCE = Limits(pairs=20, steps=1000, stretch=2)  # for what is false anyway


@dataclass(frozen=True)
class Mutant:
    """A changed statement: `zero` = 0 is what it now says, `change` what was done."""

    change: str
    zero: Operator | Scalar
    using: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return self.change

    @property
    def written(self) -> Sides:
        return self.zero.tree, self.zero.zero().tree


@dataclass
class Report:
    """What became of the mutants of one or more identities."""

    refuted: list[tuple[Mutant, Witness]] = field(default_factory=list)
    equivalent: list[tuple[Mutant, Proof]] = field(default_factory=list)
    wrongly_proved: list[Mutant] = field(default_factory=list)
    undecided: list[Mutant] = field(default_factory=list)

    @property
    def total(self) -> int:
        return len(self.refuted) + len(self.equivalent) + len(self.undecided)

    def __iadd__(self, other: Report) -> Report:
        for name in ("refuted", "equivalent", "wrongly_proved", "undecided"):
            getattr(self, name).extend(getattr(other, name))
        return self

    def __str__(self) -> str:
        return (
            f"{self.total} mutants: {len(self.refuted)} refuted by exact witnesses, {len(self.equivalent)} equivalent "
            f"and proved, {len(self.wrongly_proved)} wrongly proved, {len(self.undecided)} undecided"
        )


def examine(claim: Claim, at_most: int | None = None) -> Report:
    """Refute or prove every mutant of a claim, or a fixed sample of them."""
    theory, report = claim.theory, Report()
    everyone = mutants(claim)
    if at_most is not None and len(everyone) > at_most:
        everyone = random.Random(claim.name).sample(everyone, at_most)
    for mutant in everyone:
        witness = refute(theory.context, mutant.zero.form, theory.models)
        if witness is not None:
            report.refuted.append((mutant, witness))
            if certify(theory, mutant, GLANCE, STAGES[:1])[0] is not None:
                report.wrongly_proved.append(mutant)
            continue
        proof = _prove(claim, mutant)
        if proof is None:
            report.undecided.append(mutant)
        else:
            check(theory.context, proof)
            report.equivalent.append((mutant, proof))
    return report


def _prove(claim: Claim, mutant: Mutant) -> Proof | None:
    """The mutant as claim plus change, where the change is zero by itself; else from scratch."""
    theory = claim.theory
    change = certify(theory, Mutant("change", mutant.zero - claim.zero), SHORT)[0]
    original = certify(theory, claim)[0] if change else None
    if change is None or original is None:
        return certify(theory, mutant)[0]
    entries = tuple((Fraction(1), (), (), (name, False, None), ()) for name in ("claim", "change"))
    return Proof(mutant.change, mutant.zero.form, None, {"identity": entries}, {"claim": original, "change": change})


def mutants(claim: Claim) -> list[Mutant]:
    """All mutants that differ from the claim and from each other, overall sign aside."""
    original, context = claim.zero, claim.theory.context
    seen, out = {_shape(original.terms)}, []
    changed = _mutations(context, (original if original.terms else claim.left).form)
    right = original.zero() if original.terms else claim.right  # true by mere expansion: change the left side only
    for change, left in changed:
        form = (polynomial(original.alphabet, left) - right).form
        if form.terms and _shape(form.terms) not in seen:
            seen.add(_shape(form.terms))
            out.append(Mutant(f"{claim.name}: {change}", polynomial(original.alphabet, form), claim.using))
    return out


def _mutations(context: Context, form: Form) -> Iterator[tuple[str, Form]]:
    for key, c in sorted(form.terms.items()):
        mono, word = key
        rest = {k: x for k, x in form.terms.items() if k != key}
        text = "·".join(mono + word) or "1"

        def changed(new: Key, x: Fraction = c, rest: Mapping[Key, Fraction] = rest) -> Form:
            terms = {**rest, new: rest.get(new, Fraction(0)) + x}
            return Form(form.source, form.target, {k: y for k, y in terms.items() if y})

        yield f"sign of {text}", changed(key, -c)
        yield f"without {text}", Form(form.source, form.target, rest)
        for s in sorted(set(mono)):
            fewer = list(mono)
            fewer.remove(s)
            yield f"{text} without {s}", changed((tuple(fewer), word))
        for s in sorted(context.scalars & form.symbols | context.scalars - set(context.sequences)):
            yield f"{text} times {s}", changed((tuple(sorted((*mono, s))), word))
        for new in _swapped(context, word, form):
            yield f"{text} with factors swapped to {'·'.join(new)}", changed((mono, new))
        for new in _replaced(context, word, form):
            yield f"{text} replaced by {'·'.join(new)}", changed((mono, new))
        yield from _shifted(context, form, key, c, rest, text)
    for old, new_letter in _pairs(context, form):
        source, target = context.letters[old]
        image = one_symbol(new_letter, context.scalars, source, target)
        yield f"{new_letter} for {old} everywhere", substitute(form, {old: image}, context.scalars)


def _swapped(context: Context, word: Word, form: Form) -> Iterator[Word]:
    """Neighbours in the other order, and neighbouring pairs, where that is still a path."""
    for size in (1, 2):
        for i in range(len(word) - 2 * size + 1):
            new = (*word[:i], *word[i + size : i + 2 * size], *word[i : i + size], *word[i + 2 * size :])
            if new != word and _is_path(context, new, form):
                yield new


def _replaced(context: Context, word: Word, form: Form) -> Iterator[Word]:
    for i, old in enumerate(word):
        for new in _alternatives(context, old, form):
            yield (*word[:i], new, *word[i + 1 :])


def _pairs(context: Context, form: Form) -> Iterator[tuple[str, str]]:
    for old in sorted(form.symbols & set(context.letters)):
        for new in _alternatives(context, old, form):
            yield old, new


def _alternatives(context: Context, old: str, form: Form) -> Iterator[str]:
    """Letters of the same type: all ordinary ones, and the sequences and instances of the statement."""
    special = set(context.sequences) | {c for _, table in context.instances.values() for c in table.values()}
    for new in context.letters:
        ordinary = not special & {new, context.flips[new]} or form.symbols & {new, context.flips[new]}
        if new != old and context.letters[new] == context.letters[old] and ordinary:
            yield new


def _shifted(
    context: Context, form: Form, key: Key, c: Fraction, rest: Mapping[Key, Fraction], text: str
) -> Iterator[tuple[str, Form]]:
    """One term at k+1, or all the others (that is: this one at k−1)."""
    term, others = Form(form.source, form.target, {key: c}), Form(form.source, form.target, rest)
    for index in sorted(indices_of(context, term)):
        moving = {n for n in context.sequences if index in context.depends[n] and n in form.symbols}
        if any(context.sequences[n].index != index for n in moving):
            continue
        for what, one, other in ((f"{index}+1", term, others), (f"{index}-1", others, term)):
            total = dict(other.terms)
            for k, x in context.at(one, index, "+1").terms.items():
                total[k] = total.get(k, Fraction(0)) + x
            yield f"{text} at {what}", Form(form.source, form.target, {k: x for k, x in total.items() if x})


def _is_path(context: Context, word: Word, form: Form) -> bool:
    here = form.target
    for letter in word:
        source, target = context.letters[letter]
        if target != here:
            return False
        here = source
    return here == form.source


def _shape(terms: Mapping[Key, Fraction]) -> frozenset[tuple[Key, Fraction]]:
    """Terms up to an overall factor."""
    first = min(terms, default=None)
    return frozenset((key, x / terms[first]) for key, x in terms.items()) if first is not None else frozenset()
