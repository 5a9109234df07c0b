"""From a claim to a proof: what the search is offered, in which order, and the kernel's word on what it finds.

Less is offered before more: what speaks only of letters in the claim; also its transposes and lemmas at other indices;
everything. That a 1×1 factor is its own transpose may always be used. An induction is tried when a direct proof fails
and a sequence occurs. A proof found is made lean and goes through the kernel, which recomputes what had to be shown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from theory.symbolic.algebra import Operator, Scalar, polynomial
from theory.symbolic.context import HYPOTHESIS, Context, Sides
from theory.symbolic.forms import UNIT, Form, transpose
from theory.symbolic.kernel import Entry, Proof, Reference, check, obligations
from theory.symbolic.notation import transposed
from theory.symbolic.scalars import scalar_lemmas
from theory.symbolic.search import Found, Limits, find

if TYPE_CHECKING:
    from theory.symbolic.declarations import Declarations

QUICK = Limits(pairs=200, steps=20_000, stretch=2)
STAGES = ("relevant", "transposed", "everything")
TURNED = "the transposed claim"  # the lemma of a proof that was found for the other side; no assumption is called so


class Goal(Protocol):
    """A claim as the search sees it; `theory.symbolic.theory.Claim` is one."""

    @property
    def name(self) -> str: ...
    @property
    def zero(self) -> Operator | Scalar: ...
    @property
    def written(self) -> Sides: ...
    @property
    def using(self) -> Sequence[str] | None: ...


def certify(
    theory: Declarations, goal: Goal, limits: Limits | None = None, stages: Sequence[str] = STAGES
) -> tuple[Proof | None, Operator | Scalar]:
    """A proof that the kernel accepted, or the residue of the search.

    A claim about row vectors is turned into one about columns, and any claim is turned when all else fails.
    """
    context, name, zero, using = theory.context, goal.name, goal.zero, goal.using
    claim = zero.form
    unknown = set(using or ()) - set(context.hypotheses) - set(theory.lemmas)
    if unknown:
        raise ValueError(f"{name!r} is to use {', '.join(map(repr, sorted(unknown)))}, which is not known")
    flipped = transpose(claim, context.flips)
    forms = [claim] if set(flipped.terms) == set(claim.terms) else [claim, flipped]
    if claim.target == UNIT:
        forms.reverse()
    residue = claim
    for effort, form in zip((limits, QUICK), forms if stages == STAGES else forms[:1], strict=False):
        proof, left = _attempt(theory, name, form, effort, using, stages)
        if proof is not None:
            proof = proof if form is claim else _turned(context, proof, claim, goal.written)
            proof = replace(proof, written=goal.written)
            check(context, proof)
            return proof, zero
        residue = left if form is claim else residue
    return None, polynomial(theory.alphabet, residue)


def _attempt(
    theory: Declarations,
    name: str,
    claim: Form,
    limits: Limits | None,
    using: Sequence[str] | None,
    stages: Sequence[str],
) -> tuple[Proof | None, Form]:
    """Directly, else by induction over each index that occurs; with little and then with more to use."""
    context, residue = theory.context, claim
    inductions = [s.index for n, s in context.sequences.items() if claim.symbols & {n, context.flips.get(n, n)}]
    for stage in stages:
        for index in (None, *dict.fromkeys(inductions)):
            if index is not None and not can_induct(context, claim, index):
                continue
            parts: dict[str, tuple[Entry, ...]] = {}
            goals = obligations(context, claim, index)
            spoken_of = _closure(context, claim.symbols.union(*(goal.symbols for goal in goals.values())))
            scalars = scalar_lemmas(context, (claim, *goals.values()), taken={*context.hypotheses, *theory.lemmas})
            for part, goal in goals.items():
                known = list(_known(context, theory.lemmas, claim, part, index, stage))
                if using is not None:
                    known = [(reference, h) for reference, h in known if reference[0] in (*using, HYPOTHESIS)]
                elif stage != "everything":
                    known = [(reference, h) for reference, h in known if h.symbols <= spoken_of]
                known += [((n, False, None), lemma.claim) for n, lemma in scalars.items()]
                found = find(goal, known, QUICK if stage != stages[-1] else limits)
                if found.entries is None:
                    residue = found.residue if index is None or part == "step" else residue
                    break
                parts[part] = _lean(goal, known, found)
            else:
                used = {e[3][0] for entries in parts.values() for e in entries}
                lemmas = {n: p for n, p in (theory.lemmas | scalars).items() if n in used}
                return Proof(name, claim, index, parts, lemmas), claim
    return None, residue


def _turned(context: Context, proof: Proof, claim: Form, written: Sides) -> Proof:
    """The claim as the transpose of what was proved."""
    left, right = (transposed(side, context.flips) for side in written)
    entry: Entry = (Fraction(1), (), (), (TURNED, True, None), ())
    inner = replace(proof, name=TURNED, written=(left, right))
    return Proof(proof.name, claim, None, {"identity": (entry,)}, {TURNED: inner})


def _lean(goal: Form, known: list[tuple[Reference, Form]], found: Found) -> tuple[Entry, ...]:
    """Give up, one by one, whatever the proof can do without: what it uses is part of what it teaches."""
    assert found.entries is not None
    entries = found.entries
    limits = Limits(pairs=30 + 2 * found.pairs, steps=3000, stretch=2)
    for name in reversed(dict.fromkeys(reference[0] for reference, _ in known)):
        used = {reference[0] for _, _, _, reference, _ in entries}
        if name in used:
            fewer = [(reference, h) for reference, h in known if reference[0] in used - {name}]
            again = find(goal, fewer, limits)
            entries = entries if again.entries is None else again.entries
    return entries


def indices_of(context: Context, claim: Form) -> set[str]:
    """The indices on which a claim depends."""
    return set().union(*(context.depends[x] for x in claim.symbols if x in context.depends))


def can_induct(context: Context, claim: Form, index: str) -> bool:
    """Everything that moves with the index must be a recursion over it."""
    moving = {n for n, i in context.depends.items() if index in i} & claim.symbols
    own = {x for n, s in context.sequences.items() if s.index == index for x in (n, context.flips.get(n, n))}
    return moving <= own


def _known(
    context: Context, lemmas: dict[str, Proof], claim: Form, part: str, index: str | None, stage: str
) -> Iterator[tuple[Reference, Form]]:
    """What the search may use in one part of a proof, with the references under which the kernel will find it."""
    sources: list[tuple[Reference, Form]] = [((name, False, None), h) for name, h in context.hypotheses.items()]
    if part == "step":
        sources.append(((HYPOTHESIS, False, None), claim))
    generous = stage != "relevant"
    for name, lemma in lemmas.items():
        sources.append(((name, False, None), lemma.claim))
        for where in _places(context, lemma.claim, index if generous else None):
            sources.append(((name, False, where), context.at(lemma.claim, *where)))
    yield from sources
    if generous:
        for (name, _, place), form in sources:
            flipped = transpose(form, context.flips)
            if flipped.terms != form.terms and flipped.terms != {key: -c for key, c in form.terms.items()}:
                yield (name, True, place), flipped


def _places(context: Context, lemma: Form, index: str | None) -> Iterator[tuple[str, str]]:
    if index is not None and index in indices_of(context, lemma) and can_induct(context, lemma, index):
        yield index, "0"
        yield index, "+1"
    for instance, (over, table) in context.instances.items():
        if lemma.symbols & set(table) and _covered(context, lemma, over, table):
            yield over, instance


def _covered(context: Context, lemma: Form, over: str, table: Collection[str]) -> bool:
    moving = {n for n in context.sequences if over in context.depends[n] and n in lemma.symbols}
    return moving <= set(table) and can_induct(context, lemma, over)


def _closure(context: Context, symbols: set[str]) -> set[str]:
    """With a letter its transpose and what it was declared from; with constants s_K the sequences s."""
    out = set(symbols)
    for _, table in context.instances.values():
        if out & set(table.values()):
            out |= {x for pair in table.items() for x in pair}
    rank = {x: i for i, x in enumerate(context.letters)}
    for h in reversed(list(context.hypotheses.values())):
        letters = h.symbols & set(rank)
        if letters:
            last = max(letters, key=lambda x: rank[x])
            if out & {last, context.flips[last]}:
                out |= h.symbols
    return out | {context.flips[x] for x in out if x in context.flips}
