"""From a claim to an outcome: the models may refute it, else a certificate may prove it, else it stays open."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from flint import fmpq_mat

from theory.symbolic.certify import certify, indices_of
from theory.symbolic.context import Context, Sides
from theory.symbolic.forms import Form
from theory.symbolic.matrices import Model
from theory.symbolic.outcomes import Certificate, Open, Outcome, Proved, Refuted, Witness
from theory.symbolic.relevant import context_of_claim, context_of_proof
from theory.symbolic.search import Limits

if TYPE_CHECKING:
    from theory.symbolic.theory import Claim, Theory

INDEX_VALUES = (2, 3, 1, 0, 4)


def decide(theory: Theory, claim: Claim, limits: Limits | None = None) -> Outcome:
    """Refuted by a model, proved by a certificate, or open."""
    began, name, zero = time.perf_counter(), claim.name, claim.zero
    models = theory.models
    witness = refute(theory.context, zero.form, models, claim.written)
    if witness is not None:
        return Refuted(name, witness, time.perf_counter() - began)
    if not models:
        reason = "no model of the assumptions is known, they may contradict each other; supply one with Theory.model"
        reason += "".join(f" ({complaint})" for complaint in theory.model_complaints[:1])
        return Open(name, reason, zero, time.perf_counter() - began)
    proof, residue = certify(theory, claim, limits)
    seconds = time.perf_counter() - began
    if proof is None:
        return Open(name, f"no proof found, and true in {len(models)} exact models", residue, seconds)
    certificate = Certificate(context_of_proof(theory.context, proof), proof, theory.alphabet)
    certificate.check()  # what is handed out must stand on its own
    return Proved(name, certificate, _scope(theory.context, zero.form), seconds)


def refute(context: Context, claim: Form, models: list[Model], written: Sides | None = None) -> Witness | None:
    """The first model and indices at which the claim is not zero."""
    indices = sorted(indices_of(context, claim))
    for values in product(INDEX_VALUES[: 5 if len(indices) < 2 else 4], repeat=len(indices)):
        here = dict(zip(indices, values, strict=True))
        for model in models:
            residue = model.evaluate(claim, here)
            if any(residue.entries()):
                return _witness(context, claim, written, model, here, residue)
    return None


def _scope(context: Context, claim: Form) -> str:
    indices = sorted(indices_of(context, claim))
    where = f" and all {', '.join(indices)} ≥ 0" if indices else ""
    fixed = [n for n, (_, table) in context.instances.items() if claim.symbols & set(table.values())]
    return f"for all dimensions{where}" + (f" and every value of {', '.join(fixed)}" if fixed else "")


def _witness(
    context: Context, claim: Form, written: Sides | None, model: Model, here: dict[str, int], residue: fmpq_mat
) -> Witness:
    i, j = next((i, j) for i in range(residue.nrows()) for j in range(residue.ncols()) if residue[i, j] != 0)
    small = context_of_claim(context, claim, written)
    values = {x: v for x, v in model.values.items() if x in small.letters or x in small.scalars}
    return Witness(
        small,
        claim,
        dict(model.dims),
        {x: _fraction(v) for x, v in values.items() if x in small.scalars},
        {x: [[_fraction(a) for a in row] for row in v.tolist()] for x, v in values.items() if x in small.letters},
        dict(model.instances),
        here,
        (i, j),
        _fraction(residue[i, j]),
        written,
    )


def _fraction(x: object) -> Fraction:
    return Fraction(int(x.p), int(x.q))  # type: ignore[attr-defined]
