"""What can become of a claim: `Proved`, `Refuted` or `Open`.

An outcome has no truth value: ``if outcome`` and ``refuted or open`` would read as something they do not mean, so they
raise. Ask ``outcome.verdict`` or use ``isinstance``.

- `Proved` carries a certificate that the kernel accepted, and tells which assumptions it used.
- `Refuted` carries an exact rational witness: matrices that satisfy every assumption, and the entry that is not zero.
- `Open` carries the residue of the search and says why neither came out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from theory.symbolic.alphabet import Alphabet
from theory.symbolic.certify import TURNED
from theory.symbolic.context import HYPOTHESIS, Context, Sides
from theory.symbolic.derivation import derivation, derivation_latex, equation, equation_latex
from theory.symbolic.forms import Form, Rejected
from theory.symbolic.kernel import Proof, check
from theory.symbolic.notation import as_latex
from theory.symbolic.recheck import recheck_proof
from theory.symbolic.recheck_witness import recheck_witness
from theory.symbolic.stored import (
    Json,
    certificate_from_dict,
    certificate_to_dict,
    context_from_dict,
    context_to_dict,
    equation_from_dict,
    equation_to_dict,
    fields,
    read_number,
)


class _Outcome:
    """Prints as its text, in a REPL as the first line of it, and is neither true nor false."""

    def __repr__(self) -> str:
        return str(self).partition("\n")[0]

    def __bool__(self) -> NoReturn:
        name = type(self).__name__
        raise TypeError(f"{name} is neither true nor false: ask .verdict == {name.lower()!r} or use isinstance")


@dataclass(frozen=True, repr=False)
class Certificate(_Outcome):
    """A proof with the part of the theory it relies on: storable, and checkable on its own."""

    context: Context
    proof: Proof
    alphabet: Alphabet | None = field(default=None, compare=False, repr=False)  # only for `latex`

    @property
    def core(self) -> Proof:
        """The proof itself, or the one behind it if it was found for the transposed statement."""
        return self.proof.lemmas.get(TURNED, self.proof)

    @property
    def uses(self) -> tuple[str, ...]:
        """Assumptions, lemmas and the induction hypothesis, in order of first use."""
        entries = (e for part in self.core.parts.values() for e in part)
        return tuple(dict.fromkeys(name for _, _, _, (name, _, _), _ in entries))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of the theory that the proof uses, also through its lemmas."""
        return tuple(dict.fromkeys(_assumptions(self.proof, self.context)))

    def check(self) -> None:
        """The kernel again; raises `Rejected`."""
        check(self.context, self.proof)

    def recheck(self) -> bool:
        """The second opinion, by SymPy alone: True, or raises `Rejected`."""
        return recheck_proof(self.to_dict())

    def to_dict(self) -> Json:
        return certificate_to_dict(self.context, self.proof)

    @classmethod
    def from_dict(cls, data: Json) -> Certificate:
        """Read what `to_dict` wrote; `check` or `recheck` it before believing it."""
        try:
            return cls(*certificate_from_dict(data))
        except (Rejected, RecursionError) as error:  # a deep nest has no text to quote either
            raise Rejected(f"the stored certificate is malformed: {error}") from error

    def coq(self, path: Path | str | None = None) -> str:
        """The claim and its proof as a Coq file; with a path it is written there, with ``Certify.v`` that it needs.

        The kernel looks at it first, and raises `Rejected` where it proves nothing.
        """
        from theory.coq.export import certificate_name, coq_file, write_coq_file

        self.check()
        data = self.to_dict()
        text = coq_file([(certificate_name(data), data)])
        if path is not None:
            write_coq_file(Path(path), text)
        return text

    @property
    def equation(self) -> str:
        """left = right, as it was claimed."""
        return equation(self.context, self.proof)

    def derivation(self) -> str:
        """What the letters abbreviate, what is assumed, and the sum that expands to the claim, as plain text."""
        turned = f"  transposed: {equation(self.context, self.core)}\n" if self.core is not self.proof else ""
        return turned + derivation(self.context, self.core)

    def claim_latex(self) -> str:
        """left = right in LaTeX."""
        return equation_latex(self.context, self.proof, self.alphabet.latex if self.alphabet else {})

    def latex(self) -> str:
        """The same as a LaTeX ``align*``: claim, definitions, assumptions and the sums that prove it."""
        letters = self.alphabet.latex if self.alphabet else {}
        return derivation_latex(self.context, self.proof, self.core, letters)

    def _repr_latex_(self) -> str:
        return self.latex()

    def __str__(self) -> str:
        return f"{self.equation}\n{self.derivation()}"


_WITNESS = ("context", "claim", "dims", "scalars", "letters", "instances", "indices", "entry", "residue")


@dataclass(frozen=True, repr=False)
class Witness(_Outcome):
    """Exact values of all letters under which the assumptions hold and the claim does not."""

    context: Context
    claim: Form
    dims: dict[str, int]
    scalars: dict[str, Fraction]
    letters: dict[str, list[list[Fraction]]]
    instances: dict[str, int]
    indices: dict[str, int]
    entry: tuple[int, int]
    residue: Fraction
    written: Sides | None = None  # the claim as left = right

    def recheck(self) -> bool:
        """Multiply it all out again in plain fractions: True, or raises `Rejected`."""
        return recheck_witness(self.to_dict())

    def to_dict(self) -> Json:
        return {
            "context": context_to_dict(self.context),
            "claim": equation_to_dict(self.claim, self.written, self.context.scalars),
            "dims": self.dims,
            "scalars": {s: str(x) for s, x in self.scalars.items()},
            "letters": {x: [[str(a) for a in row] for row in rows] for x, rows in self.letters.items()},
            "instances": self.instances,
            "indices": self.indices,
            "entry": list(self.entry),
            "residue": str(self.residue),
        }

    @classmethod
    def from_dict(cls, data: Json) -> Witness:
        """Read what `to_dict` wrote; `recheck` it before believing it."""
        try:
            fields(data, *_WITNESS)
            claim, written = equation_from_dict(data["claim"])
            i, j = data["entry"]
            return cls(
                context_from_dict(data["context"]),
                claim,
                dict(data["dims"]),
                {s: read_number(x) for s, x in data["scalars"].items()},
                {x: [[read_number(a) for a in row] for row in rows] for x, rows in data["letters"].items()},
                dict(data["instances"]),
                dict(data["indices"]),
                (i, j),
                read_number(data["residue"]),
                written,
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:  # Rejected is a ValueError
            raise Rejected(f"the stored witness is malformed: {error}") from error

    def __str__(self) -> str:
        sizes = {**{f"dim {s}": n for s, n in self.dims.items() if s != "1"}, **self.indices, **self.instances}
        said = set(self.claim.symbols)
        for sequence in self.context.sequences.values():
            said |= sequence.start.symbols | sequence.step.symbols
        said |= {self.context.flips[x] for x in said if x in self.context.flips}
        matrices = [f"{x} = {_show_matrix(rows)}" for x, rows in self.letters.items() if x in said]
        scalars = {s: x for s, x in self.scalars.items() if s in said}
        parts = [f"{name} = {value}" for name, value in {**sizes, **scalars}.items()]
        i, j = self.entry
        values = "\n".join(_lines(parts + matrices, width=110))
        return f"left minus right has entry [{i}, {j}] = {self.residue} at\n{values}"

    def latex(self) -> str:
        """The values that refute the claim, as matrices."""
        rows = [f"{as_latex(s)} &= {_fraction_latex(x)}" for s, x in self.scalars.items()]
        for x, matrix in self.letters.items():
            cells = r" \\ ".join(" & ".join(map(_fraction_latex, row)) for row in matrix)
            rows.append(rf"{as_latex(x)} &= \begin{{pmatrix}} {cells} \end{{pmatrix}}")
        return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


@dataclass(frozen=True, repr=False)
class Proved(_Outcome):
    """For all matrices that satisfy the assumptions, of all dimensions, and for all k."""

    name: str
    certificate: Certificate
    scope: str
    seconds: float
    verdict = "proved"

    @property
    def uses(self) -> tuple[str, ...]:
        return self.certificate.uses

    def coq(self, path: Path | str | None = None) -> str:
        """The certificate as a Coq file, written where a path says."""
        return self.certificate.coq(path)

    def to_dict(self) -> Json:
        return {
            "name": self.name, "verdict": self.verdict, "identity": self.certificate.equation,
            "scope": self.scope, "uses": list(self.uses),
            "assumptions": list(self.certificate.assumptions), "seconds": self.seconds,
            "certificate": self.certificate.to_dict(),
        }  # fmt: skip

    def __str__(self) -> str:
        uses = ", ".join(repr(name) if name != HYPOTHESIS else name for name in self.uses)
        index = self.certificate.core.index
        how = "" if index is None else f", by induction over {index}"
        behind = [name for name in self.certificate.assumptions if name not in self.uses]
        more = f"; its lemmas assume {', '.join(map(repr, behind))}" if behind else ""
        return f"Proved {self.name!r}: {self.scope}{how}\n  uses {uses or 'nothing but algebra'}{more}"

    def _repr_markdown_(self) -> str:
        self.certificate.recheck()
        uses = ", ".join(f"`{name}`" for name in self.uses) or "nothing but algebra"
        head = f"● **Proved** `{self.name}`: {self.scope}; uses {uses}. The certificate was checked again by SymPy."
        return f"{head}\n\n$$\n{self.certificate.latex()}\n$$"


@dataclass(frozen=True, repr=False)
class Refuted(_Outcome):
    """False: here are matrices."""

    name: str
    witness: Witness
    seconds: float
    verdict = "refuted"

    def to_dict(self) -> Json:
        return {"name": self.name, "verdict": self.verdict, "witness": self.witness.to_dict(), "seconds": self.seconds}

    def __str__(self) -> str:
        return f"Refuted {self.name!r}: {self.witness}"

    def _repr_markdown_(self) -> str:
        self.witness.recheck()
        head = f"■ **Refuted** `{self.name}`, by these matrices (checked again in fractions):"
        return f"{head}\n\n```\n{self.witness}\n```"


@dataclass(frozen=True, repr=False)
class Open(_Outcome):
    """Neither proved nor refuted."""

    name: str
    reason: str
    residue: Any  # Operator or Scalar, prints as a formula
    seconds: float
    verdict = "open"

    def to_dict(self) -> Json:
        reason, residue = self.reason, str(self.residue)
        return {
            "name": self.name,
            "verdict": self.verdict,
            "reason": reason,
            "residue": residue,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        return f"Open {self.name!r}: {self.reason}; what is left: {self.residue} = 0"

    def _repr_markdown_(self) -> str:
        return f"○ **Open** `{self.name}`: {self.reason}; what is left: `{self.residue} = 0`"


Outcome = Proved | Refuted | Open


def _assumptions(proof: Proof, context: Context) -> Iterator[str]:
    for entries in proof.parts.values():
        for _, _, _, (name, _, _), _ in entries:
            if name in context.hypotheses:
                yield name
            elif name in proof.lemmas:
                yield from _assumptions(proof.lemmas[name], context)


def _lines(items: list[str], width: int) -> Iterator[str]:
    """Items separated by commas, broken only between items."""
    line = ""
    for item in items:
        if line and len(line) + len(item) > width:
            yield f"  {line},"
            line = ""
        line += f", {item}" if line else item
    yield f"  {line}"


def _fraction_latex(x: Fraction) -> str:
    sign, size = ("-" if x < 0 else ""), abs(x)
    return f"{sign}{size}" if size.denominator == 1 else rf"{sign}\tfrac{{{size.numerator}}}{{{size.denominator}}}"


def _show_matrix(rows: list[list[Fraction]]) -> str:
    return "[" + "; ".join(" ".join(map(str, row)) for row in rows) + "]"
