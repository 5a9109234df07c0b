"""A certificate as text: the identity, what its letters stand for, and the sum that proves it.

Every entry of a certificate is a summand c·a·[h]·b, where [h] is left − right of an equation that is assumed, proved
before, or the induction hypothesis. A part of a proof says what these summands add up to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from theory.symbolic.context import HYPOTHESIS, Context, Sides, Tree
from theory.symbolic.forms import ANYWHERE, Form
from theory.symbolic.kernel import Entry, Proof
from theory.symbolic.notation import latex, names_in, text, tree_of, words_as_latex


def sides(context: Context, zero: Form, written: Sides | None) -> Sides:
    """Left and right as they were written, or the expansion and 0."""
    return written or (tree_of(zero, context.scalars), tree_of(Form(zero.source, zero.target, {}), context.scalars))


def equation(context: Context, proof: Proof) -> str:
    """The claim in plain letters."""
    return " = ".join(text(side) for side in sides(context, proof.claim, proof.written))


def equation_latex(context: Context, proof: Proof, letters: Mapping[str, str]) -> str:
    """The claim in LaTeX."""
    return " = ".join(latex(side, letters) for side in sides(context, proof.claim, proof.written))


def derivation(context: Context, proof: Proof) -> str:
    """The remaining steps in plain letters, a line each."""
    lines = [f"  where {name} = {text(tree)}" for name, tree in _definitions(context, proof)]
    for name, s in _sequences(context, proof):
        start, step = (text(tree) for tree in s)
        lines.append(f"  with {name} = {start} at 0, then {step}")
    for name, kind, pair in _used(context, proof):
        lines.append(f"  {kind} [{name}]: " + " = ".join(text(side) for side in pair))
    for part, goal in _parts(proof):
        summands = " + ".join(_summand(context, entry) for entry in proof.parts[part]).replace("+ -", "- ")
        lines.append(f"  {goal} = {summands or '0, by expanding'}")
    return "\n".join(lines)


def derivation_latex(context: Context, claim: Proof, proof: Proof, letters: Mapping[str, str]) -> str:
    """Claim and derivation as one ``align*``, with every letter in it explained.

    The proof is that of the claim, or of the claim transposed, which is then said.
    """

    def shown(pair: Sides) -> str:
        return " &= ".join(latex(side, letters) for side in pair)

    rows = [rf"{shown(sides(context, claim.claim, claim.written))} && \text{{(claim)}}"]
    if proof is not claim:
        rows.append(rf"{shown(sides(context, proof.claim, proof.written))} && \text{{(transposed)}}")
    for name, tree in _definitions(context, proof):
        rows.append(rf"{latex(('name', name), letters)} &= {latex(tree, letters)} && \text{{(definition)}}")
    for name, pair in _sequences(context, proof):
        kind = "scalar" if name in context.scalars else "letter"
        for place, tree in zip((0, "+1"), pair, strict=True):
            index = context.sequences[name].index
            left = latex(("at", index, place, (kind, name)), letters)
            rows.append(rf"{left} &= {latex(tree, letters)} && \text{{(sequence)}}")
    numbers = {}
    for number, (name, kind, pair) in enumerate(_used(context, proof), start=1):
        numbers[name] = number
        rows.append(rf"{shown(pair)} && \text{{({kind} {number}: {words_as_latex(name)})}}")
    for part, goal in _parts(proof):
        summands = [_summand_latex(context, entry, letters, numbers) for entry in proof.parts[part]]
        total = " + ".join(summands).replace("+ -", "- ") or "0"
        rows.append(rf"\text{{{words_as_latex(goal)}}} &= {total}")
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def _parts(proof: Proof) -> Iterator[tuple[str, str]]:
    k = proof.index
    goals = {
        "identity": "left - right",
        "base": f"base, {k} = 0: left - right",
        "step": f"step, at {k}+1: left - right",
        "symmetrised": "left - right plus its transpose",
    }
    return ((part, goals[part]) for part in proof.parts)


def _used(context: Context, proof: Proof) -> Iterator[tuple[str, str, Sides]]:
    """The equations that the proof uses, with the induction hypothesis among them."""
    names = dict.fromkeys(e[3][0] for entries in proof.parts.values() for e in entries)
    for name in names:
        if name == HYPOTHESIS:
            yield name, "supposing", sides(context, proof.claim, proof.written)
        elif name in proof.lemmas:
            lemma = proof.lemmas[name]
            yield name, "lemma", sides(context, lemma.claim, lemma.written)
        else:
            yield name, "assuming", sides(context, context.hypotheses[name], context.written.get(name))


def _said(context: Context, proof: Proof) -> set[str]:
    """What the lines of the derivation speak of, abbreviations and sequences followed to the end."""
    said = set[str]()
    for pair in (sides(context, proof.claim, proof.written), *(pair for _, _, pair in _used(context, proof))):
        said |= names_in(pair[0]) | names_in(pair[1])
    for _, mono, left, _, right in (e for entries in proof.parts.values() for e in entries):
        said |= {x.removesuffix("^T") for x in (*mono, *left, *right)}
    while True:
        more = set(said)
        for name in said & set(context.definitions):
            more |= names_in(context.definitions[name])
        for name in said & set(context.sequences):
            for tree in _recursion(context, name):
                more |= names_in(tree)
        if more == said:
            return said
        said = more


def _definitions(context: Context, proof: Proof) -> Iterator[tuple[str, Tree]]:
    said = _said(context, proof)
    return ((name, tree) for name, tree in context.definitions.items() if name in said)


def _sequences(context: Context, proof: Proof) -> Iterator[tuple[str, Sides]]:
    said = _said(context, proof)
    return ((name, _recursion(context, name)) for name in context.sequences if name in said)


def _recursion(context: Context, name: str) -> Sides:
    s = context.sequences[name]
    return s.written or (tree_of(s.start, context.scalars), tree_of(s.step, context.scalars))


def _around(context: Context, entry: Entry) -> tuple[bool, Tree | None, Tree | None]:
    """The sign of a summand, what stands before [h] and what after."""
    c, mono, left, _, right = entry
    before = Form(ANYWHERE, ANYWHERE, {(mono, left): abs(c)})
    first = tree_of(before, context.scalars) if abs(c) != 1 or mono or left else None
    last = tree_of(Form(ANYWHERE, ANYWHERE, {((), right): Fraction(1)}), context.scalars) if right else None
    return c < 0, first, last


def _summand(context: Context, entry: Entry) -> str:
    negative, before, after = _around(context, entry)
    name, transposed, where = entry[3]
    place = "" if where is None else f" at {where[0]}+1" if where[1] == "+1" else f" at {where[0]} = {where[1]}"
    parts = [text(before)] if before else []
    parts += [f"[{name}{place}]" + ("ᵀ" if transposed else "")]
    parts += [text(after)] if after else []
    return ("-" if negative else "") + "·".join(parts)


def _summand_latex(context: Context, entry: Entry, letters: Mapping[str, str], numbers: Mapping[str, int]) -> str:
    negative, before, after = _around(context, entry)
    name, transposed, where = entry[3]
    place = "" if where is None else rf"_{{{where[0]}{'+1' if where[1] == '+1' else f' = {where[1]}'}}}"
    middle = rf"\left[{numbers[name]}\right]{place}" + (r"^{\top}" if transposed else "")
    front = "" if before is None else latex(before, letters) + r"\,"
    return ("-" if negative else "") + front + middle + ("" if after is None else r"\," + latex(after, letters))
