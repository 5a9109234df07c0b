"""Statements through the Coq kernel: the library, every certificate, and what each final theorem rests on.

Which theorem of the library says which statement, and what of it is left to others.

A statement is *checked* when one theorem in Coq says it, and *checked-citing* when the theorem says all but what
`cites` names. Everything here is compiled and its axioms are printed by Coq: the table cannot claim more than that.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from theory.coq.compiler import (
    Compiled,
    assumptions,
    check_compiled,
    closure,
    compile_files,
    find_coqc,
    library,
)
from theory.coq.export import HEADER, certificate_name, coq_module
from theory.coq.trees import NotExported

Json = dict[str, Any]
Status = Literal["checked", "checked-citing", "none"]
FILES = 8  # certificates are spread over as many files: a file costs the time to load MathComp


@dataclass(frozen=True)
class Word:
    """What Coq says about one statement."""

    status: Status
    theorem: Theorem | None
    axioms: tuple[str, ...]
    cites: tuple[str, ...]
    certificates: int  # accepted

    def to_dict(self) -> Json:
        name = None if self.theorem is None else self.theorem.name
        file = None if self.theorem is None else f"{self.theorem.file}.v"
        return {
            "status": self.status, "theorem": name, "file": file, "axioms": list(self.axioms),
            "cites": list(self.cites), "certificates": self.certificates,
            "leaves": "" if self.theorem is None else self.theorem.leaves,
        }  # fmt: skip

    @property
    def text(self) -> str:
        """The status as text.

        >>> Word("checked", None, (), (), 3).text
        'kernel-checked, no axioms'
        """
        if self.status == "none":
            return "Python kernel only"
        if self.status == "checked":
            return "kernel-checked, no axioms"
        return f"kernel-checked, citing {'; '.join(self.axioms + self.cites)}"


@dataclass(frozen=True)
class Report:
    """What Coq says about all statements; `errors` has its words about every file that it rejected."""

    words: Mapping[str, Word]
    certificates: int  # distinct ones, accepted
    rejected: int
    theorems: int
    axioms: tuple[str, ...]
    seconds: float
    errors: Mapping[str, str]
    rechecked: int | None = None  # compiled files that coqchk accepts; None where it was not asked
    untranslated: int = 0  # distinct certificates that the exporter has no Coq for

    @property
    def ok(self) -> bool:
        return not self.errors

    def to_dict(self) -> Json:
        return {
            "certificates": self.certificates, "rejected": self.rejected, "untranslated": self.untranslated,
            "theorems": self.theorems,
            "axioms": list(self.axioms), "rechecked": self.rechecked, "seconds": round(self.seconds, 1),
            "errors": dict(self.errors),
        }  # fmt: skip


def check_statements(
    certificates: Mapping[str, Sequence[Json]],
    cites: Mapping[str, Sequence[str]],
    *,
    jobs: int = 2,
    again: bool = False,
    directory: Path | None = None,
    report: Callable[[Compiled, int, int], None] = lambda done, count, total: None,
) -> Report:
    """Compile the certificates of each statement (by id), its final theorem, and what these need of the library.

    `cites` has the analytic facts on which a statement rests that has certificates but no final theorem; `again` lets
    ``coqchk`` check everything that was compiled, MathComp included, once more.
    """
    find_coqc()
    begun = time.perf_counter()
    names = _names(certificates)
    files = _spread(dict(names.values()))
    theorems = [t for t in THEOREMS if t.statement in certificates]
    final = {"Final": final_file(theorems)} if theorems else {}
    exported = {file: text for file, (text, _) in files.items()}
    needed = library() if len(theorems) == len(THEOREMS) else closure("\n".join([*final.values(), *exported.values()]))
    with tempfile.TemporaryDirectory(prefix="theory-coq-") as fresh:
        place = directory or Path(fresh)
        done = compile_files({**needed, **exported, **final}, place, jobs=jobs, report=report)
        axioms = _axioms(theorems, done, place) if theorems and done["Final"].accepted else {}
        errors = {name: result.error for name, result in done.items() if not result.accepted}
        rechecked = None
        if again and not errors:
            try:
                check_compiled(done, place)
                rechecked = len(done)
            except ValueError as complaint:
                errors["coqchk"] = str(complaint)
    translated = {name for _, inside in files.values() for name in inside}
    accepted = {name for file, (_, inside) in files.items() if done[file].accepted for name in inside}
    words = {}
    for id, proofs in certificates.items():
        count = sum(names[_key(p)][0] in accepted for p in proofs)
        words[id] = _word(id, count, len(proofs), axioms, tuple(cites.get(id, ())))
    return Report(
        words,
        len(accepted),
        len(translated) - len(accepted),
        len(axioms),
        tuple(sorted({a for some in axioms.values() for a in some})),
        time.perf_counter() - begun,
        errors,
        rechecked,
        len(names) - len(translated),
    )


def _axioms(theorems: Sequence[Theorem], done: Mapping[str, Compiled], place: Path) -> dict[Theorem, tuple[str, ...]]:
    """The axioms of each theorem; they are asked one by one only if there is anything to find."""
    [together] = assumptions(done["Final"].output)
    if not together:
        return dict.fromkeys(theorems, ())
    alone = {f"Final{i}": final_file([t]) for i, t in enumerate(theorems)}
    asked = compile_files(alone, place)
    return {t: assumptions(asked[name].output)[0] for t, name in zip(theorems, alone, strict=True)}


def _word(
    id: str, accepted: int, total: int, axioms: Mapping[Theorem, tuple[str, ...]], cites: tuple[str, ...]
) -> Word:
    theorem = theorem_of(id)
    if theorem is not None and theorem in axioms and accepted == total:
        left = axioms[theorem] + theorem.cites
        return Word("checked-citing" if left else "checked", theorem, axioms[theorem], theorem.cites, accepted)
    if total and accepted == total:
        return Word("checked-citing", None, (), cites or ("the step from the identities to the statement",), accepted)
    return Word("none", None, (), cites, accepted)


def _key(data: Json) -> str:
    return json.dumps(data, sort_keys=True)


def _names(certificates: Mapping[str, Sequence[Json]]) -> dict[str, tuple[str, Json]]:
    """Each distinct certificate once, under a module's name of its own."""
    found: dict[str, tuple[str, Json]] = {}
    for proofs in certificates.values():
        for data in proofs:
            if _key(data) not in found:
                found[_key(data)] = (f"c{len(found) + 1}_{certificate_name(data)}", data)
    return found


def _spread(modules: Mapping[str, Json]) -> dict[str, tuple[str, list[str]]]:
    """The modules in files of about equal length: file to its text and what is in it."""
    texts: dict[str, str] = {}
    for name, data in modules.items():
        with suppress(NotExported):  # no translation: it stays with the Python kernel, and its statement says so
            texts[name] = coq_module(name, data)
    bins: list[list[str]] = [[] for _ in range(min(FILES, len(texts)))]
    for name in sorted(texts, key=lambda n: -len(texts[n])):
        min(bins, key=lambda b: sum(len(texts[n]) for n in b)).append(name)
    return {
        f"Certificates{i}": (HEADER + "\n" + "\n".join(texts[n] for n in inside), inside)
        for i, inside in enumerate(bins, 1)
    }


@dataclass(frozen=True)
class Theorem:
    """The theorem of one statement."""

    statement: str  # its id
    file: str
    cites: tuple[str, ...] = ()
    leaves: str = ""  # what our wording adds to the paper's and the theorem does not say

    @property
    def name(self) -> str:
        """The theorem has the statement's name.

        >>> Theorem("prop-2", "Chain").name
        'prop_2'
        """
        return self.statement.replace("-", "_")


THEOREMS = (
    Theorem("eq-td", "Expectation"),
    Theorem("eq-chain", "Expectation"),
    Theorem("def-richardson", "Chain"),
    Theorem("prop-1", "Convergence"),
    Theorem("eq-recursion", "Convergence"),
    Theorem("eq-closed-form", "Chain"),
    Theorem("eq-geometric", "Chain"),
    Theorem("prop-2", "Chain"),
    Theorem("eq-zp", "Chain"),
    Theorem("prop-3", "Convergence", leaves="which single θ⁰ converge where not all do"),
    Theorem(
        "claim-exponential",
        "Convergence",
        leaves="a norm that falls at every step; that the Euclidean one may grow",
    ),
    Theorem("prop-4", "Convergence"),
    Theorem("eq-M", "Chain"),
    Theorem("prop-5", "Convergence"),
    Theorem("prop-6", "Chain"),
    Theorem("prop-7", "Convergence", leaves="that M is defective on Twostate and Threestate"),
    Theorem("fig-1", "Convergence"),
    Theorem("claim-stable", "Convergence", leaves="heads of fixed k: those are prop_4 and prop_7"),
    Theorem("claim-baird", "Baird", leaves="TD between the three γ; that the pair is complex up to γ ≈ .976"),
    Theorem("claim-hot-start", "Windows", leaves="where cold starts rest: `extra_cold_start`"),
    Theorem("claim-normalise", "Examples"),
    Theorem("claim-grid", "Examples", leaves="the smallest step, 9.69·10⁻⁵"),
    Theorem("claim-v", "Examples", leaves="Π = I on both problems"),
    Theorem("example-twostate", "Twostate"),
    Theorem("n-step", "Sweeps", leaves="unbiased ⇔ ρ(γⁿΠPⁿ) < 1: that is prop_3 for Pⁿ and γⁿ"),
    Theorem("alg-1", "Sweeps"),
    Theorem("alg-2", "Windows"),
    Theorem("alg-3", "Windows"),
    Theorem("alg-target", "Windows"),
    Theorem("sec-target", "Windows"),
    Theorem("lemma-1", "Chain"),
    Theorem("prop-8", "Projection", leaves="dependent features"),
    Theorem("prop-9", "Convergence"),
    Theorem(
        "conjecture",
        "Random",
        cites=("fourth moments of the normal law (Isserlis): E‖X − I‖², E‖Y − τI‖² ≤ F(F+1)Σd²",),
        leaves="the bound with ‖DP‖ in place of one √Σd²; the simulations (Hoeffding)",
    ),
    Theorem("neumann", "Convergence"),
    Theorem("extra-target-network", "Windows", leaves="the problems on which every T is decided"),
    Theorem("extra-cold-start", "Windows", leaves="the problem on which ρ(γS_TY) is not monotone in T"),
    Theorem("extra-basis", "Extras", leaves="a problem on which TD's stability changes with the basis"),
    Theorem("extra-light-cone", "Sweeps"),
    Theorem("extra-n-step", "Extras", leaves="that it is not necessary"),
    Theorem("extra-on-policy", "Extras"),
    Theorem("field-2", "Field", leaves="that the converse fails, and TD's stability"),
    Theorem("field-6", "Field", leaves="that TD may diverge: `claim_baird`"),
    Theorem("field-9", "Field", leaves="that the norm of O − I is attained, and without bound"),
    Theorem("field-10", "Field", leaves="that ETD(λ) has m ≥ 0 with m = d + Wᵀm, for every λ"),
    Theorem("field-13", "Field", leaves="a problem on which the ridge chain's stable η have a gap"),
    Theorem("field-14", "Field", leaves="that each head converges: `eq_recursion`"),
)


def theorem_of(statement: str) -> Theorem | None:
    """The theorem of a statement, if there is one.

    >>> theorem_of("prop-3").file, theorem_of("extra-transient")
    ('Convergence', None)
    """
    return next((t for t in THEOREMS if t.statement == statement), None)


def final_file(theorems: Sequence[Theorem] = THEOREMS) -> str:
    """A file that asks Coq what all of these theorems together rest on: what each rests on is among it."""
    files = " ".join(dict.fromkeys(t.file for t in theorems))
    together = ", ".join(f"@{t.file}.{t.name}" for t in theorems)
    return f"From theory Require {files}.\nDefinition together := ({together}).\nPrint Assumptions together.\n"


def table() -> str:
    """Statement, theorem, file, axioms, as Markdown; that there are none is what the tests ask Coq."""
    rows = ["| statement | theorem | file | axioms | left to Python |", "|---|---|---|---|---|"]
    for t in THEOREMS:
        axioms = "none" if not t.cites else "none; cites " + ", ".join(t.cites)
        rows.append(f"| {t.statement} | `{t.name}` | `{t.file}.v` | {axioms} | {t.leaves or '–'} |")
    return "\n".join(rows) + "\n"
