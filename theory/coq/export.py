"""A stored certificate as a Coq file: left = right in MathComp's notation, for all dimensions and commutative rings.

The JSON that `theory.symbolic.stored` describes becomes a Module with a Section: spaces are variables of type nat,
letters matrices, sequences Fixpoints, assumptions and symmetries hypotheses, lemmas theorems before the theorem.
Closing the Section drops what was not used, so that Coq itself says what a theorem rests on. A part of a proof is one
application of ``Certify.cert``. Nothing of the engine is imported, and nothing that it claims is believed.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

from theory.coq.compiler import LIBRARY
from theory.coq.trees import ANYWHERE, UNIT, Json, Letters, NotExported, Terms, Tree, difference, total, without_ones

HEADER = """From mathcomp Require Import all_ssreflect all_algebra ring.
From theory Require Certify.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory.
Local Open Scope ring_scope.
"""
_TAKEN = re.compile(  # Coq's words, and those of the generated text
    r"as|at|cofix|else|end|exists2?|fix|for|forall|fun|if|in|is|let|match|mod|of|return|then|using|where|with|by|Prop|Set"
    r"|Type|SProp|R|tgt|src|dim|env|sc|L|I|O|S|conj|IH|claim_holds|cert_zero|two|number"
)


def certificate_name(data: Json) -> str:
    """The Coq name of a certificate's theorem.

    >>> certificate_name({"proof": {"name": "eigenvector, head k+1"}})
    'eigenvector_head_k_1'
    """
    return _plain(data["proof"]["name"])


def coq_file(certificates: Iterable[tuple[str, Json]]) -> str:
    """Certificates, each under the name of its module, as one file."""
    return HEADER + "\n" + "\n".join(coq_module(name, data) for name, data in certificates)


def write_coq_file(path: Path, text: str) -> None:
    """A text of `coq_file`, with the file that it needs beside it.

    In that folder: ``coqc -w none -Q . theory Certify.v``, and then the same with the file.
    """
    if not re.fullmatch(r"[A-Za-z]\w*\.v", path.name, re.ASCII):
        raise ValueError(f"{path.name!r} must be a Coq module's name and end in .v")
    path.write_text(text)
    path.with_name("Certify.v").write_text((LIBRARY / "Certify.v").read_text())


def coq_module(name: str, data: Json) -> str:
    """One certificate as a Module."""
    return "\n".join(_Writer(data).module(name))


def rejected_module(name: str, data: Json, part: str) -> str:
    """A Module that Coq accepts only if it rejects this part of the certificate; its lemmas must hold."""
    writer = _Writer(data)
    return "\n".join([*writer.preamble(name), *writer.fails(data["proof"], part), f"End {name}.", f"End {name}.", ""])


class _Writer:
    """The names that one certificate uses, and its text."""

    def __init__(self, data: Json) -> None:
        self.data = data
        self.known = Letters(data["context"])
        self.taken = set[str]()
        context = data["context"]
        targets = [s for pair in context["letters"].values() for s in pair]
        written = [*_spaces_in(data["proof"]), *(s for e in context["assumptions"].values() for s in _ends(e))]
        self.space_ids = {s: i for i, s in enumerate(dict.fromkeys([UNIT, *targets, *written])) if s != ANYWHERE}
        self.spaces = {s: "1" if s == UNIT else self.fresh(f"n{s}") for s in self.space_ids}
        self.letter_ids = {x: i for i, x in enumerate(self.known.letters)}
        self.scalar_ids = {x: i for i, x in enumerate(self.known.scalars)}
        self.names = {x: self.fresh(x) for x in [*self.known.scalars, *self.known.letters]}
        self.indices = {s["index"]: "" for s in context["sequences"]} | {
            i["index"]: "" for i in context["instances"].values()
        }
        self.indices = {i: self.fresh(i) for i in self.indices}
        self.instances = {K: self.fresh(K) for K in context["instances"]}
        self.assumptions = {h: self.fresh(f"H_{h}") for h in context["assumptions"]}
        self.symmetries = {x: self.fresh(f"symmetric_{x}") for x in self.known.letters if self.known.symmetric(x)}
        self.count = 0

    def fresh(self, wish: str) -> str:
        name = plain = _plain(wish)
        number = 2
        while name in self.taken or _TAKEN.fullmatch(name):
            name, number = f"{plain}_{number}", number + 1
        self.taken.add(name)
        return name

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
        yield "Variable R : comRingType."
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
        binders = "".join(f" ({k} : nat)" for k in self.indices.values())
        cases = " ".join(f"| {i}%N => {self.symbol(x, here)}" for x, i in self.scalar_ids.items())
        yield f"Let sc{binders} (number : nat) : R := match number with {cases} | _ => 0 end."
        cases = " ".join(f"| {i}%N => {self.symbol(x, here)}" for x, i in self.letter_ids.items())
        yield (
            f"Let env{binders} (number : nat) : 'M[R]_(dim (tgt number), dim (src number)) :="
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

    def theorem(self, proof: Json, wish: str | None = None) -> Generator[str, None, str]:
        """The lemmas, then the proof that it is zero, then the equation; gives the theorem's name."""
        lemmas: dict[str, tuple[str, Json]] = {}
        for name, lemma in proof["lemmas"].items():
            coq = yield from self.theorem(lemma)
            lemmas[name] = (coq, lemma["claim"])
        name = self.fresh(wish or proof["name"])
        binders = "".join(f" ({k} : nat)" for k in self.indices.values())
        claim, here = proof["claim"], self.here()
        statement = self.equation(claim, here)
        if claim["source"] == ANYWHERE:
            if any(proof["parts"].values()) or proof["induction"] is not None:
                raise NotExported("an equation among scalars that needs more than expansion")
            yield f"Theorem {name}{binders} : {statement}."
            yield "Proof. by ring. Qed."
            return name
        left, right = self.notation(claim["left"], here), self.notation(claim["right"], here)
        yield f"Lemma {name}_zero{binders} : {left} - {right} = 0."
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
        yield f"Theorem {name}{binders} : {statement}."
        arguments = "".join(f" {k}" for k in self.indices.values())
        yield f"Proof. exact (Certify.equal_of ({name}_zero{arguments})). Qed."
        return name

    def fails(self, proof: Json, part: str) -> Iterator[str]:
        """The claim, and that this part does not prove it."""
        lemmas: dict[str, tuple[str, Json]] = {}
        for name, lemma in proof["lemmas"].items():
            coq = yield from self.theorem(lemma)
            lemmas[name] = (coq, lemma["claim"])
        binders = "".join(f" ({k} : nat)" for k in self.indices.values())
        left, right = (self.notation(proof["claim"][side], self.here()) for side in ("left", "right"))
        yield f"Lemma mutant{binders} : {left} - {right} = 0."
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
        zeros, entries, combined = [], [], []
        for entry in proof["parts"][part]:
            h, zero = self.hypothesis(entry, proof, lemmas, part)
            middle = self.after(entry["left"], proof["claim"]["target"])
            end = self.known.type_of(h)
            if end is None:
                raise NotExported("a relation among scalars as a hypothesis")
            left = self.word(entry["left"], middle)
            right = self.word(entry["right"], end[1])
            scalars = [["number", entry["coefficient"]], *(["scalar", s] for s in entry["scalars"])]
            entries.append(self.entry(scalars, left, h, right))
            combined.append(self.known.expand(["product", *scalars, left, h, right]))
            zeros.append(zero)
        residue = total([self.known.expand(goal), *({k: -c for k, c in t.items()} for t in combined)])
        for x, before, after, mono, c in self.transposed(residue):
            scalars = [["number", str(c)], *(["scalar", s] for s in mono)]
            space = self.known.spaces(x)[0]
            left = self.flagged(before, proof["claim"]["target"] if not before else space)
            right = self.flagged(after, proof["claim"]["source"] if not after else space)
            h = ["sum", ["transpose", ["letter", x]], ["minus", ["letter", x]]]
            entries.append(self.entry(scalars, left, h, right))
            zeros.append(f"(Certify.zero_of {self.symmetries[x]})")
        here = "".join(f" {k}" for k in self.indices.values())
        if part == "base":
            here = "".join(f" {'0%N' if i == index else k}" for i, k in self.indices.items())
        names = "Certify.eden Certify.all_zero Certify.entry_zero Certify.sden env sc dim tgt src"
        claim = f"Certify.same {self.syntax(goal)} (Certify.combine [:: {'; '.join(entries)}])"
        if not entries:
            t, s = proof["claim"]["target"], proof["claim"]["source"]
            claim = (
                f"Certify.same {self.syntax(goal)}"
                f" (@Certify.combine tgt src {self.space_ids[t]} {self.space_ids[s]} [::])"
            )
        given = "".join(f"(conj {z} " for z in zeros) + "I" + ")" * len(zeros)
        return (
            f"(have claim_holds : {claim} by vm_compute);\n"
            f"  (have cert_zero := @Certify.cert tgt src R dim (sc{here}) (env{here}) _ _ _ _ claim_holds);\n"
            f"  lazy beta iota delta [{names}] in cert_zero; exact (cert_zero {given})"
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
            zero = f"(Certify.zero_of ({coq}{''.join(f' {a}' for a in arguments.values())}))"
        else:
            equation = self.data["context"]["assumptions"][name]
            zero = f"(Certify.zero_of {self.assumptions[name]})"
        h = self.known.resolve(difference(equation))
        if at is not None:
            h = self.known.moved(h, at[0], at[1])
        return (["transpose", h], f"(Certify.zero_tr {zero})") if entry["transposed"] else (h, zero)

    def transposed(self, residue: Terms) -> Iterator[tuple[str, tuple, tuple, tuple[str, ...], Fraction]]:
        """Symmetric letters that stand transposed: a·Dᵀ·b = a·(Dᵀ − D)·b + a·D·b, one after the other."""
        pending = dict(residue)
        while pending:
            (mono, word), c = pending.popitem()
            place = next((i for i, (x, flag) in enumerate(word) if flag and x in self.symmetries), None)
            if place is None:
                continue
            x = word[place][0]
            yield x, word[:place], word[place + 1 :], mono, c
            key = (mono, (*word[:place], (x, False), *word[place + 1 :]))
            pending[key] = pending.get(key, Fraction(0)) + c
            if not pending[key]:
                del pending[key]

    def after(self, word: list[str], start: str) -> str:
        return self.known.context["letters"][word[-1]][0] if word else start

    def word(self, word: list[str], space: str) -> Tree:
        return ["product", *(["letter", x] for x in word)] if word else ["identity", space]

    def flagged(self, word: tuple, space: str) -> Tree:
        if not word:
            return ["identity", space]
        return ["product", *(["transpose", ["letter", x]] if f else ["letter", x] for x, f in word)]

    def entry(self, scalars: Sequence[Tree], left: Tree, h: Tree, right: Tree) -> str:
        parts = " ".join(self.syntax(t) for t in (left, h, right))
        return f"Certify.Entry {self.scalar_syntax(['product', *scalars])} {parts}"

    # -- formulas --------------------------------------------------------------------------------------------------

    def here(self) -> dict[str, str]:
        return dict(self.indices)

    def matrix(self, target: str, source: str) -> str:
        return f"'M[R]_({self.spaces[target]}, {self.spaces[source]})"

    def equation(self, equation: Json, here: dict[str, str]) -> str:
        return f"{self.notation(equation['left'], here)} = {self.notation(equation['right'], here)}"

    def symbol(self, name: str, here: dict[str, str]) -> str:
        """A letter or scalar; a sequence with its indices."""
        if name in self.known.constants:
            name, K = self.known.constants[name]
            here = {**here, self.data["context"]["instances"][K]["index"]: self.instances[K]}
        if name in self.known.sequences:
            return f"({self.names[name]} {' '.join(here[i] for i in self.known.indices(name))})"
        return self.names[name]

    def notation(self, tree: Tree, here: dict[str, str]) -> str:
        """A tree as people write it in MathComp."""
        match tree:
            case ["letter", name]:
                plain, flipped = self.known.base(name)
                return self.symbol(plain, here) + ("^T" if flipped else "")
            case ["scalar", name]:
                return self.symbol(name, here)
            case ["number", text]:
                return f"(- {_natural(text[1:])}%:R)" if text.startswith("-") else f"{_natural(text)}%:R"
            case ["identity", space]:
                return f"(1%:M : {self.matrix(space, space)})"
            case ["zero", source, target]:
                return "0" if source == ANYWHERE else f"(0 : {self.matrix(target, source)})"
            case ["name", name]:
                return self.notation(dict(self.data["context"]["definitions"])[name], here)
            case ["at", index, place, inner]:
                there = f"{here[index]}.+1" if place == "+1" else f"{place}%N"
                return self.notation(inner, {**here, index: there})
            case ["minus", inner]:
                return f"(- {self.notation(inner, here)})"
            case ["transpose", inner]:
                return f"({self.notation(inner, here)})^T"
            case ["power", inner, n]:
                return self.notation(["product", *[inner] * int(n)], here)
            case ["sum", *parts]:
                return "(" + " + ".join(self.notation(p, here) for p in parts).replace(" + (- ", " + (- ") + ")"
            case ["product", *parts]:
                scalars, matrices = self.factors(without_ones(parts))
                scale = " * ".join(self.notation(p, here) for p in scalars)
                product = " *m ".join(self.notation(p, here) for p in matrices)
                if not matrices:
                    return f"({scale or '1'})"
                return f"(({scale}) *: ({product}))" if scale else f"({product})"
        raise NotExported(f"no formula: {tree}")

    def factors(self, parts: Sequence[Tree]) -> tuple[list[Tree], list[Tree]]:
        """Scalars and matrices of a product."""
        scalars = [p for p in parts if self.known.type_of(p) is None]
        return scalars, [p for p in parts if self.known.type_of(p) is not None]

    def syntax(self, tree: Tree) -> str:
        """A resolved tree as a term of `Certify.expr`."""
        match tree:
            case ["letter", name]:
                plain, flipped = self.known.base(name)
                letter = f"(L {self.letter_ids[plain]})"
                return f"(Certify.ET {letter})" if flipped else letter
            case ["identity", space]:
                return f"(@Certify.E1 tgt src {self.space_ids[space]})"
            case ["zero", source, target]:
                return f"(@Certify.E0 tgt src {self.space_ids[target]} {self.space_ids[source]})"
            case ["minus", inner]:
                return f"(Certify.EN {self.syntax(inner)})"
            case ["transpose", inner]:
                return f"(Certify.ET {self.syntax(inner)})"
            case ["power", inner, n]:
                return self.syntax(["product", *[inner] * int(n)])
            case ["sum", *parts]:
                return _left("Certify.EA", [self.syntax(p) for p in parts])
            case ["product", *parts]:
                scalars, matrices = self.factors(parts)
                product = _left("Certify.EM", [self.syntax(p) for p in matrices])
                return f"(Certify.EZ {self.scalar_syntax(['product', *scalars])} {product})" if scalars else product
        raise NotExported(f"no matrix: {tree}")

    def scalar_syntax(self, tree: Tree) -> str:
        """A resolved scalar tree as a term of `Certify.sexpr`."""
        match tree:
            case ["scalar", name]:
                return f"(Certify.SL {self.scalar_ids[name]})"
            case ["number", text]:
                natural = f"(Certify.SN {_natural(text.removeprefix('-'))})"
                return f"(Certify.SO {natural})" if text.startswith("-") else natural
            case ["zero", _, _]:
                return "(Certify.SN 0)"
            case ["minus", inner]:
                return f"(Certify.SO {self.scalar_syntax(inner)})"
            case ["transpose", inner]:
                return self.scalar_syntax(inner)
            case ["power", inner, n]:
                return self.scalar_syntax(["product", *[inner] * int(n)])
            case ["sum", *parts]:
                return _left("Certify.SA", [self.scalar_syntax(p) for p in parts])
            case ["product", *parts]:
                return _left("Certify.SM", [self.scalar_syntax(p) for p in parts])
        raise NotExported(f"no scalar: {tree}")


def _left(operation: str, parts: list[str]) -> str:
    """a ∘ b ∘ c as (a ∘ b) ∘ c."""
    out, *rest = parts
    for part in rest:
        out = f"({operation} {out} {part})"
    return out


def _natural(text: str) -> str:
    if "/" in text:
        raise NotExported(
            f"the fraction {text}: the theorem is about any commutative ring, which has integers only; "
            "multiply both sides by the denominator, or name the fraction with T.scalar"
        )
    return text


def _plain(name: str) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "claim"
    return words if words[0].isalpha() else f"x_{words}"


def _ends(equation: Json) -> list[str]:
    return [equation["source"], equation["target"]]


def _spaces_in(proof: Json) -> Iterator[str]:
    yield from _ends(proof["claim"])
    for lemma in proof["lemmas"].values():
        yield from _spaces_in(lemma)
