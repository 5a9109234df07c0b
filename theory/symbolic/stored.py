"""Certificates and witnesses as JSON, and back: complete, so that other code can check or translate them.

    {"context": CONTEXT, "proof": PROOF}

CONTEXT is the part of a theory that the proof speaks of:

- ``"scalars"``: names of central scalars, sequences of scalars included;
- ``"letters"``: ``{name: [source, target]}``, transposes included; an arrow from ``"1"`` is a vector;
- ``"transposes"``: ``{name: name of its transpose}``, ``"Phi"`` ↔ ``"Phi^T"``; a symmetric letter is its own;
- ``"definitions"``: ``[[name, TREE], …]``, abbreviations used in trees; each may use those before it;
- ``"assumptions"``: ``{name: EQUATION}``, each assumed to hold;
- ``"sequences"``: ``[{"name", "index", "start": FORMULA, "step": FORMULA}, …]``; s_0 = start, s_{k+1} = step, where the
  step is in letters at k and may use s itself; a sequence may use those before it, the start only at other indices;
- ``"instances"``: ``{K: {"index", "values": {s: s_K}}}``: s_K is the constant letter for the value of s at one index K.

PROOF is ``{"name", "claim": EQUATION, "induction": index or null, "parts": {part: [ENTRY, …]}, "lemmas": {name:
PROOF}}``. A FORMULA is ``{"written": TREE, "source", "target", "terms"}``: the formula as it was written and expanded,
the terms ``[coefficient, scalars, word]``; a number is a string ``"p/q"``, and ``"*"`` is the type of a relation among
scalars alone. An EQUATION is ``{"left": TREE, "right": TREE, "source", "target", "terms"}``, the terms being those of
left − right. TREEs are lists; `theory.symbolic.context` says which.

An ENTRY ``{"coefficient", "scalars", "left", "uses", "transposed", "at", "right"}`` stands for the summand
coefficient · scalars · left · h · right, where left and right are words and h is left − right of the EQUATION that
``"uses"`` names: an assumption, a lemma of this very proof, or ``"induction hypothesis"``; transposed if it says so;
``"at"`` is null, or ``[index, "0"]``, ``[index, "+1"]``, ``[index, K]``: every sequence of that index put there (first
moved, then transposed). The summands of each part add up to what it has to show, as polynomials:

- ``"identity"``: left − right of the claim;
- ``"base"`` and ``"step"``, of an induction: left − right at 0, and at k+1; only the step may use the hypothesis;
- ``"symmetrised"``: z + zᵀ for a claim z = 0 of type 1 → 1, which is 2z.

Reading is strict: exactly these keys, of these types, else `Rejected`.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from theory.symbolic.context import NUMBER, Context, Recursion, Sides, Tree
from theory.symbolic.forms import Form, require
from theory.symbolic.kernel import Entry, Proof
from theory.symbolic.notation import tree_of

Json = dict[str, Any]
MAX_DEPTH = 60  # of brackets in a tree
_FORM = ("source", "target", "terms")
_CONTEXT = ("scalars", "letters", "transposes", "definitions", "assumptions", "sequences", "instances")
_PROOF = ("name", "claim", "induction", "parts", "lemmas")
_ENTRY = ("coefficient", "scalars", "left", "uses", "transposed", "at", "right")


def certificate_to_dict(context: Context, proof: Proof) -> Json:
    """A proof with its context."""
    return {"context": context_to_dict(context), "proof": proof_to_dict(proof, context.scalars)}


def certificate_from_dict(data: Json) -> tuple[Context, Proof]:
    """And back."""
    fields(data, "context", "proof")
    return context_from_dict(data["context"]), proof_from_dict(data["proof"])


def form_to_dict(form: Form) -> Json:
    """A form as data."""
    terms = [[str(c), list(mono), list(word)] for (mono, word), c in sorted(form.terms.items())]
    return {"source": form.source, "target": form.target, "terms": terms}


def form_from_dict(data: Json) -> Form:
    """And back; a term that occurs twice is refused, as readers could disagree on what it means."""
    terms = {}
    for term in _list(data["terms"]):
        require(isinstance(term, list) and len(term) == 3, f"{str(term)[:60]} is no term")
        terms[_names(term[1]), _names(term[2])] = read_number(term[0])
    require(len(terms) == len(data["terms"]), "a term occurs twice")
    return Form(_text(data["source"]), _text(data["target"]), terms)


def equation_to_dict(zero: Form, written: Sides | None, scalars: frozenset[str]) -> Json:
    """left = right; what nobody wrote as an equation is its expansion = 0."""
    left, right = written or (tree_of(zero, scalars), tree_of(Form(zero.source, zero.target, {}), scalars))
    return {"left": _lists(left), "right": _lists(right), **form_to_dict(zero)}


def equation_from_dict(data: Json) -> tuple[Form, Sides]:
    """And back."""
    fields(data, "left", "right", *_FORM)
    return form_from_dict(data), (_tree(data["left"]), _tree(data["right"]))


def read_number(text: Any) -> Fraction:
    """``"p"`` or ``"p/q"``; nothing else is a number here."""
    require(isinstance(text, str) and NUMBER.fullmatch(text) is not None, f"{str(text)[:60]!r} is no number")
    return Fraction(text)


def context_to_dict(context: Context) -> Json:
    """A context as data."""
    scalars, written = context.scalars, context.written
    return {
        "scalars": sorted(scalars),
        "letters": {name: list(pair) for name, pair in context.letters.items()},
        "transposes": dict(context.flips),
        "definitions": [[name, _lists(tree)] for name, tree in context.definitions.items()],
        "assumptions": {n: equation_to_dict(h, written.get(n), scalars) for n, h in context.hypotheses.items()},
        "sequences": [
            {"name": name, "index": s.index, **_recursion_to_dict(s, scalars)} for name, s in context.sequences.items()
        ],
        "instances": {name: {"index": i, "values": dict(table)} for name, (i, table) in context.instances.items()},
    }


def context_from_dict(data: Json) -> Context:
    """And back."""
    fields(data, *_CONTEXT)
    equations = {name: equation_from_dict(h) for name, h in _table(data["assumptions"]).items()}
    sequences = [_recursion_from_dict(s) for s in _list(data["sequences"])]
    pairs = [(*_list(pair, 2),) for pair in _list(data["definitions"])]
    context = Context(
        frozenset(_distinct(data["scalars"])),
        {name: _pair(pair) for name, pair in _table(data["letters"]).items()},
        {name: _text(flip) for name, flip in _table(data["transposes"]).items()},
        {name: form for name, (form, _) in equations.items()},
        dict(sequences),
        {name: _instance(i) for name, i in _table(data["instances"]).items()},
        {_text(name): _tree(tree) for name, tree in pairs},
        {name: written for name, (_, written) in equations.items()},
    )
    once = len(context.sequences) == len(sequences) and len(context.definitions) == len(pairs)
    require(once, "a sequence or a definition occurs twice")
    return context


def proof_to_dict(proof: Proof, scalars: frozenset[str]) -> Json:
    """A proof with its lemmas as data."""
    return {
        "name": proof.name,
        "claim": equation_to_dict(proof.claim, proof.written, scalars),
        "induction": proof.index,
        "parts": {part: [_entry_to_dict(e) for e in entries] for part, entries in proof.parts.items()},
        "lemmas": {name: proof_to_dict(lemma, scalars) for name, lemma in proof.lemmas.items()},
    }


def proof_from_dict(data: Json, depth: int = 0) -> Proof:
    """And back."""
    fields(data, *_PROOF)
    require(depth <= MAX_DEPTH, f"more than {MAX_DEPTH} lemmas inside each other")
    claim, written = equation_from_dict(data["claim"])
    return Proof(
        _text(data["name"]),
        claim,
        None if data["induction"] is None else _text(data["induction"]),
        {part: tuple(_entry_from_dict(e) for e in _list(entries)) for part, entries in _table(data["parts"]).items()},
        {name: proof_from_dict(lemma, depth + 1) for name, lemma in _table(data["lemmas"]).items()},
        written,
    )


def fields(data: Any, *keys: str) -> None:
    """An object with exactly these keys."""
    require(isinstance(data, dict) and set(data) == set(keys), f"expected an object with {', '.join(keys)}")


def _recursion_to_dict(s: Recursion, scalars: frozenset[str]) -> Json:
    trees = s.written or (tree_of(s.start, scalars), tree_of(s.step, scalars))
    parts = zip(("start", "step"), trees, (s.start, s.step), strict=True)
    return {part: {"written": _lists(tree), **form_to_dict(form)} for part, tree, form in parts}


def _recursion_from_dict(data: Json) -> tuple[str, Recursion]:
    fields(data, "name", "index", "start", "step")
    for part in ("start", "step"):
        fields(data[part], "written", *_FORM)
    start, step = (form_from_dict(data[part]) for part in ("start", "step"))
    written = (_tree(data["start"]["written"]), _tree(data["step"]["written"]))
    return _text(data["name"]), Recursion(_text(data["index"]), start, step, written)


def _instance(data: Json) -> tuple[str, Mapping[str, str]]:
    fields(data, "index", "values")
    return _text(data["index"]), {name: _text(constant) for name, constant in _table(data["values"]).items()}


def _entry_to_dict(entry: Entry) -> Json:
    c, mono, left, (name, transposed, where), right = entry
    return {
        "coefficient": str(c), "scalars": list(mono), "left": list(left), "uses": name,
        "transposed": transposed, "at": None if where is None else list(where), "right": list(right),
    }  # fmt: skip


def _entry_from_dict(data: Json) -> Entry:
    fields(data, *_ENTRY)
    require(isinstance(data["transposed"], bool), "'transposed' is true or false")
    reference = (_text(data["uses"]), data["transposed"], None if data["at"] is None else _pair(data["at"]))
    left, right = _names(data["left"]), _names(data["right"])
    return (read_number(data["coefficient"]), _names(data["scalars"]), left, reference, right)


def _lists(tree: Tree) -> list[Any]:
    return [_lists(part) if isinstance(part, tuple) else part for part in tree]


def _tree(data: Any, depth: int = 0) -> Tree:
    require(isinstance(data, list) and depth <= MAX_DEPTH, f"{str(data)[:60]} is no tree")
    for part in data:
        require(type(part) in (str, int, list), f"{str(part)[:60]} has no place in a tree")
    return tuple(_tree(part, depth + 1) if isinstance(part, list) else part for part in data)


def _text(data: Any) -> str:
    require(isinstance(data, str), f"{str(data)[:60]} is no name")
    return str(data)


def _list(data: Any, length: int | None = None) -> list[Any]:
    require(isinstance(data, list) and length in (None, len(data)), f"expected a list, got {str(data)[:60]}")
    return list(data)


def _names(data: Any) -> tuple[str, ...]:
    return tuple(_text(name) for name in _list(data))


def _distinct(data: Any) -> tuple[str, ...]:
    names = _names(data)
    require(len(set(names)) == len(names), "a name occurs twice")
    return names


def _pair(data: Any) -> tuple[str, str]:
    first, second = _names(_list(data, 2))
    return first, second


def _table(data: Any) -> dict[str, Any]:
    require(isinstance(data, dict) and all(isinstance(key, str) for key in data), f"no object: {str(data)[:60]}")
    return dict(data)
