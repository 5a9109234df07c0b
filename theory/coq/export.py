"""A stored certificate as a Coq file: left = right in MathComp's notation, for all dimensions and commutative rings.

Where fractions occur, the ring is any in which the primes of their denominators are units.

The JSON that `theory.symbolic.stored` describes becomes a Module with a Section: spaces are variables of type nat,
letters matrices, sequences Fixpoints, assumptions and symmetries hypotheses, lemmas theorems before the theorem.
Closing the Section drops what was not used, so that Coq itself says what a theorem rests on. A part of a proof is one
application of ``Certify.cert``. Nothing of the engine is imported, and nothing that it claims is believed.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from theory.coq.compiler import LIBRARY
from theory.coq.formulas import Formulas, plain_name
from theory.coq.trees import (
    ANYWHERE,
    UNIT,
    Json,
    Key,
    Letter,
    NotExported,
    Terms,
    Tree,
    difference,
    inverse_name,
    total,
    words,
)

HEADER = """From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Certify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.
"""


LONGEST = 5000  # words that Coq compares in seconds


def certificate_name(data: Json) -> str:
    """The Coq name of a certificate's theorem.

    >>> certificate_name({"proof": {"name": "eigenvector, head k+1"}})
    'eigenvector_head_k_1'
    """
    return plain_name(data["proof"]["name"])


def coq_file(certificates: Iterable[tuple[str, Json]]) -> str:
    """Certificates, each under the name of its module, as one file."""
    return HEADER + "\n" + "\n".join(coq_module(name, data) for name, data in certificates)


def check_file_name(path: Path) -> None:
    """A file of ours goes beside files of the library, so that it cannot have the name of one."""
    if not re.fullmatch(r"[A-Za-z]\w*\.v", path.name, re.ASCII):
        raise ValueError(f"{path.name!r} must be a Coq module's name and end in .v")
    if (LIBRARY / path.name).exists():
        raise ValueError(f"{path.name!r} is the name of a file that goes beside it; choose another")


def write_coq_file(path: Path, text: str) -> None:
    """A text of `coq_file`, with the file that it needs beside it.

    In that folder: ``coqc -w none -Q . theory Certify.v``, and then the same with the file.
    """
    check_file_name(path)
    path.write_text(text)
    path.with_name("Certify.v").write_text((LIBRARY / "Certify.v").read_text())


def coq_module(name: str, data: Json) -> str:
    """One certificate as a Module."""
    return "\n".join(_Writer(data).module(name))


def rejected_module(name: str, data: Json, part: str) -> str:
    """A Module that Coq accepts only if it rejects this part of the certificate; its lemmas must hold."""
    writer = _Writer(data)
    return "\n".join(
        [*writer.preamble(name), *writer.rejected_lines(data["proof"], part), f"End {name}.", f"End {name}.", ""]
    )


# A summand of what an entry could not reach: scalars, word, what is zero, why, word, coefficient.
_Rewritten = tuple[tuple[str, ...], tuple[Letter, ...], Tree, str, tuple[Letter, ...], Fraction]


class _Writer(Formulas):
    """The text of one certificate."""

    # -- the module ------------------------------------------------------------------------------------------------

    def module(self, name: str) -> Iterator[str]:
        yield from self.preamble(name)
        theorem = yield from self.theorem(self.data["proof"], name if name not in self.taken else None)
        yield f"End {name}."
        yield f"End {name}."
        yield f"Print Assumptions {name}.{theorem}."
        yield ""

    def preamble(self, name: str) -> Iterator[str]:
        """Everything before the theorems."""
        yield f"Module {name}."
        yield f"Section {name}."
        yield f"Variable R : {'comUnitRingType' if self.units else 'comRingType'}."
        dims = [self.spaces[s] for s in self.spaces if s != UNIT]
        if dims:
            yield f"Variables {' '.join(dims)} : nat."
        yield from self.syntax_tables()
        sequences, constants = self.known.sequences, self.known.constants
        for x in self.known.scalars:
            if x not in sequences and x not in constants:
                yield f"Variable {self.names[x]} : R."
        for x in self.known.letters:
            if x not in sequences and x not in constants:
                yield f"Variable {self.names[x]} : {self.matrix(*self.known.spaces(x))}."
        for K in self.instances.values():
            yield f"Variable {K} : nat."
        for x in sequences:
            yield self.recursion(x)
        for x, h in self.symmetries.items():
            yield f"Hypothesis {h} : {self.names[x]}^T = {self.names[x]}."
        for h, coq in self.assumptions.items():
            yield f"Hypothesis {coq} : {self.equation(self.data['context']['assumptions'][h], self.here())}."
        for p, h in self.units.items():
            yield f"Hypothesis {h} : ({p}%:R : R) \\is a GRing.unit."
        yield "Hypothesis two : GRing.lreg (2%:R : R)."  # for a 1×1 claim shown by z + zᵀ = 0, else dropped
        yield from self.environment()

    def syntax_tables(self) -> Iterator[str]:
        """Letters by number: where they lead, before any variable so that trees are closed."""
        for function, end in (("tgt", 0), ("src", 1)):
            cases = " ".join(
                f"| {i} => {self.space_ids[self.known.spaces(x)[end]]}" for x, i in self.letter_ids.items()
            )
            yield f"Let {function} (number : nat) : nat := (match number with {cases} | _ => 0 end)%N."
        yield "Local Notation L := (@Certify.EL tgt src)."
        cases = " ".join(f"| {i} => {self.spaces[s]}" for s, i in self.space_ids.items() if s != UNIT)
        yield f"Let dim (s : nat) : nat := (match s with {cases} | _ => 1 end)%N."

    def environment(self) -> Iterator[str]:
        """What the numbers stand for, at given indices."""
        here = self.here()
        cases = " ".join(f"| {i}%N => {self.symbol(x, here)}" for x, i in self.scalar_ids.items())
        yield f"Let sc{self.binders} (number : nat) : R := match number with {cases} | _ => 0 end."
        cases = " ".join(f"| {i}%N => {self.symbol(x, here)}" for x, i in self.letter_ids.items())
        yield (
            f"Let env{self.binders} (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) :="
            f" match number return 'M[R]_(dim (tgt number), dim (src number)) with {cases} | _ => 0 end."
        )

    def recursion(self, name: str) -> str:
        s = self.known.sequences[name]
        binders = " ".join(f"({self.indices[i]} : nat)" for i in self.known.indices(name))
        k = self.indices[s["index"]]
        kind = "R" if name in self.scalar_ids else self.matrix(*self.known.spaces(name))
        start, step = (self.notation(s[part]["written"], self.here()) for part in ("start", "step"))
        return (
            f"Fixpoint {self.names[name]} {binders} {{struct {k}}} : {kind} :="
            f" match {k} with 0%N => {start} | S {k} => {step} end."
        )

    # -- theorems --------------------------------------------------------------------------------------------------

    @property
    def binders(self) -> str:
        return "".join(f" ({k} : nat)" for k in self.indices.values())

    def lemmas(self, proof: Json) -> Generator[str, None, dict[str, tuple[str, Json]]]:
        """The theorems that a proof uses; gives their names and claims."""
        found: dict[str, tuple[str, Json]] = {}
        for name, lemma in proof["lemmas"].items():
            coq = yield from self.theorem(lemma)
            found[name] = (coq, lemma["claim"])
        return found

    def theorem(self, proof: Json, wish: str | None = None) -> Generator[str, None, str]:
        """The lemmas, then the proof that it is zero, then the equation; gives the theorem's name."""
        lemmas = yield from self.lemmas(proof)
        name = self.fresh(wish or proof["name"])
        claim, here = proof["claim"], self.here()
        statement = self.equation(claim, here)
        left, right = self.notation(claim["left"], here), self.notation(claim["right"], here)
        zero = self.fresh(f"{name}_zero")
        yield f"Lemma {zero}{self.binders} : {left} - {right} = 0."
        yield "Proof."
        if proof["induction"] is not None:
            k = self.indices[proof["induction"]]
            yield f"elim: {k} => [|{k} IH]."
            yield f"- {self.part(proof, 'base', lemmas)}."
            yield f"- {self.part(proof, 'step', lemmas)}."
        elif "symmetrised" in proof["parts"]:
            yield "apply: (Certify.symmetrised two)."
            yield f"{self.part(proof, 'symmetrised', lemmas)}."
        else:
            yield f"{self.part(proof, 'identity', lemmas)}."
        yield "Qed."
        yield f"Theorem {name}{self.binders} : {statement}."
        yield f"Proof. exact (Certify.equal_of ({zero}{_applied(self.indices)})). Qed."
        return name

    def rejected_lines(self, proof: Json, part: str) -> Iterator[str]:
        """The claim, and that this part does not prove it."""
        lemmas = yield from self.lemmas(proof)
        left, right = (self.notation(proof["claim"][side], self.here()) for side in ("left", "right"))
        yield f"Lemma mutant{self.binders} : {left} - {right} = 0."
        yield "Proof."
        if proof["induction"] is not None:
            k = self.indices[proof["induction"]]
            yield f"elim: {k} => [|{k} IH]; {'last first' if part == 'step' else 'idtac'}."
        elif part == "symmetrised":
            yield "apply: (Certify.symmetrised two)."
        yield f"Fail ({self.part(proof, part, lemmas)})."
        yield "Abort."

    def part(self, proof: Json, part: str, lemmas: dict[str, tuple[str, Json]]) -> str:
        """One application of `cert`, as a single tactic."""
        goal: Tree = self.known.resolve(difference(proof["claim"]))
        index = proof["induction"]
        if part == "symmetrised":
            goal = ["sum", goal, ["transpose", goal]]
        elif part in ("base", "step"):
            goal = self.known.moved(goal, index, "0" if part == "base" else "+1")
        among_scalars = proof["claim"]["source"] == ANYWHERE  # then of multiples of the 1×1 identity
        target, source = (UNIT if among_scalars else proof["claim"][end] for end in ("target", "source"))
        zeros, entries, combined, length = [], [], [], words(goal)
        for entry in proof["parts"][part]:
            h, zero = self.hypothesis(entry, proof, lemmas, part)
            middle = self.after(entry["left"], target)
            ends = self.known.type_of(h) or (middle, middle)
            left, right = self.word(entry["left"], middle), self.word(entry["right"], ends[1])
            scalars = [["number", entry["coefficient"]], *(["scalar", s] for s in entry["scalars"])]
            entries.append(self.entry(scalars, left, h, right))
            combined.append(self.known.expand(["product", *scalars, left, h, right]))
            length += words(["product", *scalars, h])
            zeros.append(zero)
        residue = total([self.known.expand(goal), *({k: -c for k, c in t.items()} for t in combined)])
        for mono, before, h, zero, after, c in [*self.transposed(residue), *self.fractions(residue)]:
            scalars = [["number", str(c)], *(["scalar", s] for s in mono)]
            left, right = self.flagged(before, target), self.flagged(after, source)
            length += words(["product", *scalars, h])
            entries.append(self.entry(scalars, left, h, right))
            zeros.append(zero)
        if length > LONGEST:
            raise NotExported(f"{length} words, as Coq counts one by one: name the long numbers with T.scalar")
        here = _applied({**self.indices, index: "0%N"} if part == "base" else self.indices)
        names = "Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src"
        if among_scalars:
            goal = ["product", goal, ["identity", UNIT]]
        claim = (
            f"Certify.same {self.syntax(goal)}"
            f" (@Certify.combine tgt src {self.space_ids[target]} {self.space_ids[source]} [:: {'; '.join(entries)}])"
        )
        given = "".join(f"(conj {z} " for z in zeros) + "I" + ")" * len(zeros)
        holds = f"(Certify.scalar_zero (cert_zero {given}))" if among_scalars else f"(cert_zero {given})"
        return (
            f"(have claim_holds : {claim} by vm_compute);\n"
            f"  (have cert_zero := @Certify.cert tgt src R dim (sc{here}) (env{here}) _ _ _ _ claim_holds);\n"
            f"  lazy beta iota delta [{names}] in cert_zero; exact {holds}"
        )

    def hypothesis(self, entry: Json, proof: Json, lemmas: dict[str, tuple[str, Json]], part: str) -> tuple[Tree, str]:
        """The tree that an entry says is zero, and the Coq term that shows it."""
        name, at = entry["uses"], entry["at"]
        if name == "induction hypothesis":
            if part != "step" or at is not None:
                raise NotExported("an induction hypothesis outside the step")
            equation, zero = proof["claim"], "IH"
        elif name in lemmas:
            coq, equation = lemmas[name]
            arguments = self.here() if part != "base" else {**self.here(), proof["induction"]: "0%N"}
            if at is not None:
                k = arguments[at[0]]
                arguments[at[0]] = {"0": "0%N", "+1": f"{k}.+1"}.get(at[1]) or self.instances[at[1]]
            zero = f"(Certify.zero_of ({coq}{_applied(arguments)}))"
        else:
            equation = self.data["context"]["assumptions"][name]
            zero = f"(Certify.zero_of {self.assumptions[name]})"
        h = self.known.resolve(difference(equation))
        if at is not None:
            h = self.known.moved(h, at[0], at[1])
        if entry["transposed"] and self.known.type_of(h) is not None:
            return ["transpose", h], f"(Certify.zero_tr {zero})"
        return h, zero

    def transposed(self, residue: Terms) -> Iterator[_Rewritten]:
        """Symmetric letters that stand transposed: a·Dᵀ·b = a·(Dᵀ − D)·b + a·D·b, one after the other.

        What is left of the residue has none of them.
        """
        pending = [key for key in residue if self._place(key[1]) is not None]
        while pending:
            mono, word = pending.pop()
            c, place = residue.pop((mono, word), Fraction(0)), self._place(word)
            if not c or place is None:
                continue
            x = word[place][0]
            h = ["sum", ["transpose", ["letter", x]], ["minus", ["letter", x]]]
            yield mono, word[:place], h, f"(Certify.zero_of {self.symmetries[x]})", word[place + 1 :], c
            key = (mono, (*word[:place], (x, False), *word[place + 1 :]))
            _add(residue, key, c)
            pending.append(key)

    def _place(self, word: tuple[Letter, ...]) -> int | None:
        return next((i for i, (x, flag) in enumerate(word) if flag and x in self.symmetries), None)

    def fractions(self, residue: Terms) -> Iterator[_Rewritten]:
        """First every 1/q as (1/p)(1/r), q = pr, down to primes; then summands with as many 1/p as any has.

        The latter by m = m·p·(1/p) − m·(p·(1/p) − 1), so that equal ones meet.
        """
        for x, (p, r) in self.composite.items():
            h = ["sum", ["scalar", x], ["minus", ["product", ["scalar", inverse_name(p)], ["scalar", inverse_name(r)]]]]
            zero = f"(Certify.split_zero {self.unit(p)} {self.unit(r)})"
            while found := next((key for key in residue if x in key[0]), None):
                (mono, word), c = found, residue.pop(found)
                rest = list(mono)
                rest.remove(x)
                yield tuple(rest), word, h, zero, (), c
                _add(residue, (tuple(sorted((*rest, inverse_name(p), inverse_name(r)))), word), c)
        for p, unit in self.units.items():
            x = inverse_name(p)
            h = ["sum", ["product", ["number", str(p)], ["scalar", x]], ["minus", ["number", "1"]]]
            most = max((mono.count(x) for mono, _ in residue), default=0)
            for times in range(most):
                for mono, word in [key for key in residue if key[0].count(x) == times]:
                    c = residue.pop((mono, word))
                    yield mono, word, h, f"(Certify.unit_zero {unit})", (), -c
                    _add(residue, (tuple(sorted((*mono, x))), word), c * p)

    def after(self, word: list[str], start: str) -> str:
        return self.known.context["letters"][word[-1]][0] if word else start

    def word(self, word: list[str], space: str) -> Tree:
        return ["product", *(["letter", x] for x in word)] if word else ["identity", space]

    def flagged(self, word: tuple, space: str) -> Tree:
        if not word:
            return ["identity", space]
        return ["product", *(["transpose", ["letter", x]] if f else ["letter", x] for x, f in word)]

    def entry(self, scalars: Sequence[Tree], left: Tree, h: Tree, right: Tree) -> str:
        scale = self.scalar_syntax(["product", *scalars])
        if self.known.type_of(h) is None:
            return f"Certify.Relation {scale} {self.scalar_syntax(h)} {self.syntax(left)} {self.syntax(right)}"
        return f"Certify.Entry {scale} {self.syntax(left)} {self.syntax(h)} {self.syntax(right)}"


def _add(terms: Terms, key: Key, c: Fraction) -> None:
    terms[key] = terms.get(key, Fraction(0)) + c
    if not terms[key]:
        del terms[key]


def _applied(arguments: Mapping[str, str]) -> str:
    """To these indices, in order."""
    return "".join(f" {k}" for k in arguments.values())
