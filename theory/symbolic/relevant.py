"""The part of a theory that a proof or a claim speaks of: what is stored beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from theory.symbolic.context import Context, Sides
from theory.symbolic.forms import Form
from theory.symbolic.kernel import Proof
from theory.symbolic.notation import names_in


def context_of_proof(context: Context, proof: Proof) -> Context:
    """Letters, definitions, assumptions, sequences and instances that the proof or one of its lemmas uses."""
    names, used, instances = set[str](), set[str](), set[str]()
    for p in _all_proofs(proof):
        used |= p.claim.symbols | _said(p.written)
        for entries in p.parts.values():
            for _, mono, left, (name, _, where), right in entries:
                names.add(name)
                used.update(mono, left, right)
                instances |= {where[1]} if where else set()
    return _restrict(context, names, used, instances)


def context_of_claim(context: Context, claim: Form, written: Sides | None) -> Context:
    """All assumptions, and of the sequences only those the claim speaks of: what is stored beside a witness."""
    used = claim.symbols | _said(written)
    return _restrict(context, set(context.hypotheses), used, set(context.instances))


def is_part_of(small: Context, large: Context) -> bool:
    """Does everything the small context says hold word for word in the large one?"""

    def within(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        return all(name in b and b[name] == value for name, value in a.items())

    return small.scalars <= large.scalars and all(
        within(getattr(small, part), getattr(large, part))
        for part in ("letters", "flips", "hypotheses", "sequences", "instances", "definitions")
    )


def _restrict(context: Context, names: set[str], used: set[str], instances: set[str]) -> Context:
    hypotheses = {name: h for name, h in context.hypotheses.items() if name in names}
    for name, h in hypotheses.items():
        used |= h.symbols | _said(context.written.get(name))
    for name in instances & set(context.instances):
        used |= {s for pair in context.instances[name][1].items() for s in pair}
    used = _closure(context, used)
    return Context(
        context.scalars & used,
        {x: pair for x, pair in context.letters.items() if x in used},
        {x: flip for x, flip in context.flips.items() if x in used},
        hypotheses,
        {x: s for x, s in context.sequences.items() if x in used},
        {x: i for x, i in context.instances.items() if x in instances},
        {x: tree for x, tree in context.definitions.items() if x in used},
        {x: sides for x, sides in context.written.items() if x in hypotheses},
    )


def _closure(context: Context, used: set[str]) -> set[str]:
    """With a definition or a sequence what it is made of, with a letter its transpose."""
    while True:
        more = used | {context.flips[x] for x in used if x in context.flips}
        for x in used & set(context.definitions):
            more |= names_in(context.definitions[x])
        for x, s in context.sequences.items():
            if x in more:
                more |= s.start.symbols | s.step.symbols | _said(s.written)
        if more == used:
            return used
        used = more


def _said(written: Iterable[Any] | None) -> set[str]:
    return set().union(*(names_in(tree) for tree in written or ()))


def _all_proofs(proof: Proof) -> list[Proof]:
    return [proof, *(p for lemma in proof.lemmas.values() for p in _all_proofs(lemma))]
