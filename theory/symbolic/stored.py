"""Certificates and witnesses as JSON-able dictionaries, and back.

A number is a string ``"p/q"``; a form is its type and a list of ``[coefficient, scalars, word]``. What is stored is
self-contained: the context travels with the proof, so that it can be checked later, elsewhere, by other code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theory.symbolic.context import Context, Recursion, require
from theory.symbolic.forms import Form
from theory.symbolic.kernel import Entry, Proof

Json = dict[str, Any]


def form_to_dict(form: Form) -> Json:
    """A form as data."""
    terms = [[str(c), list(mono), list(word)] for (mono, word), c in sorted(form.terms.items())]
    return {"source": form.source, "target": form.target, "terms": terms}


def form_from_dict(data: Json) -> Form:
    """And back; a term that occurs twice is refused, as readers could disagree on what it means."""
    terms = {(tuple(mono), tuple(word)): read_number(c) for c, mono, word in data["terms"]}
    require(len(terms) == len(data["terms"]), "a term occurs twice")
    return Form(data["source"], data["target"], terms)


def read_number(text: str) -> Fraction:
    """``"p"`` or ``"p/q"``; nothing else is a number here."""
    require(
        isinstance(text, str) and re.fullmatch(r"-?[0-9]+(/[1-9][0-9]*)?", text) is not None, f"{text!r} is no number"
    )
    return Fraction(text)


def context_to_dict(context: Context) -> Json:
    """A context as data."""
    return {
        "scalars": sorted(context.scalars),
        "letters": {name: list(pair) for name, pair in context.letters.items()},
        "transposes": dict(context.flips),
        "assumptions": {name: form_to_dict(h) for name, h in context.hypotheses.items()},
        "sequences": [
            {"name": name, "index": s.index, "start": form_to_dict(s.start), "step": form_to_dict(s.step)}
            for name, s in context.sequences.items()
        ],
        "instances": {name: {"index": i, "values": dict(table)} for name, (i, table) in context.instances.items()},
    }


def context_from_dict(data: Json) -> Context:
    """And back."""
    return Context(
        frozenset(data["scalars"]),
        {name: (source, target) for name, (source, target) in data["letters"].items()},
        dict(data["transposes"]),
        {name: form_from_dict(h) for name, h in data["assumptions"].items()},
        {
            s["name"]: Recursion(s["index"], form_from_dict(s["start"]), form_from_dict(s["step"]))
            for s in data["sequences"]
        },
        {name: (i["index"], dict(i["values"])) for name, i in data["instances"].items()},
    )


def proof_to_dict(proof: Proof) -> Json:
    """A proof with its lemmas as data."""
    return {
        "name": proof.name,
        "claim": form_to_dict(proof.claim),
        "induction": proof.index,
        "parts": {part: [_entry_to_dict(e) for e in entries] for part, entries in proof.parts.items()},
        "lemmas": {name: proof_to_dict(lemma) for name, lemma in proof.lemmas.items()},
    }


def proof_from_dict(data: Json) -> Proof:
    """And back."""
    return Proof(
        data["name"],
        form_from_dict(data["claim"]),
        data["induction"],
        {part: tuple(_entry_from_dict(e) for e in entries) for part, entries in data["parts"].items()},
        {name: proof_from_dict(lemma) for name, lemma in data["lemmas"].items()},
    )


def context_of_proof(context: Context, proof: Proof) -> Context:
    """The part of a context that a proof speaks of: what is stored beside it."""
    names, used = set[str](), set[str]()
    _collect(proof, names, used)
    instances = {e[3][2][1] for p in _all_proofs(proof) for part in p.parts.values() for e in part if e[3][2]}
    return _restrict(context, names, used, instances)


def context_of_claim(context: Context, claim: Form) -> Context:
    """All assumptions, and of the sequences only those the claim speaks of: what is stored beside a witness."""
    return _restrict(context, set(context.hypotheses), set(claim.symbols), set(context.instances))


def _restrict(context: Context, names: set[str], used: set[str], instances: set[str]) -> Context:
    hypotheses = {name: h for name, h in context.hypotheses.items() if name in names}
    for h in hypotheses.values():
        used |= h.symbols
    for name in instances & set(context.instances):
        used |= {s for pair in context.instances[name][1].items() for s in pair}
    for name, sequence in reversed(list(context.sequences.items())):
        if used & {name, context.flips.get(name, name)}:
            used |= sequence.start.symbols | sequence.step.symbols
    used |= {context.flips[x] for x in used if x in context.flips}
    return Context(
        context.scalars & used,
        {x: pair for x, pair in context.letters.items() if x in used},
        {x: flip for x, flip in context.flips.items() if x in used},
        hypotheses,
        {x: s for x, s in context.sequences.items() if x in used},
        {x: i for x, i in context.instances.items() if x in instances},
    )


def is_part_of(small: Context, large: Context) -> bool:
    """Does everything the small context says hold word for word in the large one?"""

    def within(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
        return all(name in b and b[name] == value for name, value in a.items())

    return small.scalars <= large.scalars and all(
        within(getattr(small, part), getattr(large, part))
        for part in ("letters", "flips", "hypotheses", "sequences", "instances")
    )


def _all_proofs(proof: Proof) -> list[Proof]:
    return [proof, *(p for lemma in proof.lemmas.values() for p in _all_proofs(lemma))]


def _collect(proof: Proof, names: set[str], used: set[str]) -> None:
    for p in _all_proofs(proof):
        used |= p.claim.symbols
        for entries in p.parts.values():
            for _, mono, left, (name, _, _), right in entries:
                names.add(name)
                used.update(mono, left, right)


def _entry_to_dict(entry: Entry) -> Json:
    c, mono, left, (name, transposed, where), right = entry
    return {
        "coefficient": str(c), "scalars": list(mono), "left": list(left), "uses": name,
        "transposed": transposed, "at": None if where is None else list(where), "right": list(right),
    }  # fmt: skip


def _entry_from_dict(data: Json) -> Entry:
    where = None if data["at"] is None else (data["at"][0], data["at"][1])
    reference = (data["uses"], bool(data["transposed"]), where)
    return (
        read_number(data["coefficient"]),
        tuple(data["scalars"]),
        tuple(data["left"]),
        reference,
        tuple(data["right"]),
    )
