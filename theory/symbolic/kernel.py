"""The trusted kernel: expand a certificate, compare with the claim, accept or reject.

A certificate for "claim = 0" is a list of entries (c, m, a, h, b): rational c, scalars m, words a and b, and h the
name of something known to be zero, possibly transposed and possibly at another index, such that

    claim = Σ c·m·a·h·b

as polynomials in noncommuting letters. Because letters compose only where their spaces agree, this is an identity of
matrices of every size. Known are the assumptions of the context and lemmas that bring certificates of their own.

Induction over k: the obligations claim(0) and claim(k+1) are computed here from the recursions, never taken from the
search. Only the step may use claim(k), and only at that same k. A lemma holds for all k, so it may be used as it
stands, at 0, at k+1, or at a named instance.

The space 1 has dimension one, and a 1×1 matrix is its own transpose. So a claim z : 1 → 1 also follows from
z + zᵀ = 0, since 2z = z + zᵀ. That obligation, the part called "symmetrised", is computed here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from theory.symbolic.context import HYPOTHESIS, Context, Sides
from theory.symbolic.forms import ANYWHERE, UNIT, Form, Key, Mono, Rejected, Word, require, transpose

__all__ = ["SYMMETRISED", "Entry", "Proof", "Reference", "Rejected", "check", "obligations"]

SYMMETRISED = "symmetrised"

At = tuple[str, str] | None  # (index, "0" or "+1" or an instance); None: as it stands
Reference = tuple[str, bool, At]  # name, transposed?, where
Entry = tuple[Fraction, Mono, Word, Reference, Word]


@dataclass(frozen=True)
class Proof:
    """What the kernel is asked to believe: the claim and the entries that expand to it."""

    name: str
    claim: Form
    index: str | None  # induction over this index; None: a direct proof
    parts: Mapping[str, tuple[Entry, ...]]  # {"identity"}, {"symmetrised"}, or {"base", "step"}
    lemmas: Mapping[str, Proof] = field(default_factory=dict)
    written: Sides | None = None  # left and right as they were claimed; their difference is the claim


def check(context: Context, proof: Proof) -> None:
    """Accept silently or raise `Rejected`, whatever is wrong with what is given."""
    try:
        _check(context, proof)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise error if isinstance(error, Rejected) else Rejected(f"malformed: {error!r}") from error


def _check(context: Context, proof: Proof) -> None:
    require(context.depends is not None and context.agree, "the context is malformed")
    if proof.written is not None:
        context.same(proof.written, proof.claim, proof.name)
    known = dict(context.hypotheses)
    for name, lemma in proof.lemmas.items():
        require(name not in known and name != HYPOTHESIS, f"the name {name!r} is taken")
        _check(context, lemma)
        known[name] = lemma.claim
    goals = obligations(context, proof.claim, proof.index, SYMMETRISED in proof.parts)
    require(set(proof.parts) == set(goals), f"the parts of {proof.name!r} must be {sorted(goals)}")
    for part, goal in goals.items():
        here = {**known, HYPOTHESIS: proof.claim} if part == "step" else known
        residue = dict(goal.terms)
        for c, mono, left, (name, transposed, where), right in proof.parts[part]:
            require(name in here, f"{name!r} is not known in the {part} of {proof.name!r}")
            require(name != HYPOTHESIS or where is None, "the induction hypothesis holds at k only")
            h = here[name] if where is None else context.at(here[name], *where)
            h = transpose(h, context.flips) if transposed else h
            middle = context.walk(left, goal.target)
            require(h.target in (middle, ANYWHERE), f"{left} does not compose with {name!r}")
            end = context.walk(right, middle if h.source == ANYWHERE else h.source)
            require(end == goal.source, f"{name!r} does not compose with {right}")
            require(isinstance(c, Fraction) and set(mono) <= context.scalars, f"bad coefficient {c} {mono}")
            for (m, w), x in h.terms.items():
                key = (tuple(sorted(mono + m)), left + w + right)
                residue[key] = residue.get(key, Fraction(0)) - c * x
        require(not any(residue.values()), f"the {part} of {proof.name!r} does not expand to the claim")


def obligations(context: Context, claim: Form, index: str | None, symmetrised: bool = False) -> dict[str, Form]:
    """What must be shown: the claim itself, claim(0) and claim(k+1), or a 1×1 claim plus its transpose."""
    require(context.depends is not None, "the context is malformed")
    context.check_form(claim)
    if symmetrised:
        unit = index is None and claim.source == claim.target == UNIT
        require(unit, "only a claim about a 1×1 matrix may be symmetrised, and not in an induction")
        total: dict[Key, Fraction] = dict(claim.terms)
        for key, c in transpose(claim, context.flips).terms.items():
            total[key] = total.get(key, Fraction(0)) + c
        return {SYMMETRISED: Form(UNIT, UNIT, {key: c for key, c in total.items() if c})}
    if index is None:
        return {"identity": claim}
    return {"base": context.at(claim, index, "0"), "step": context.at(claim, index, "+1")}
