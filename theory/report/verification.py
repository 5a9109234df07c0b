"""The verification: findings as plain data to store, and as the sections of the report."""

from __future__ import annotations

from collections import Counter
from typing import Any

from theory.propositions.document import finding_document
from theory.propositions.formulas import formulas
from theory.propositions.registry import IDS, distinct_claims, statement
from theory.propositions.statement import AS_STATED, verify
from theory.report.markdown import display, plain, prose
from theory.symbolic.mutants import Report, examine
from theory.text.tables import markdown_table
from theory.text.words import count

Found = dict[str, Any]
SIMPLY_TRUE = ("holds", "beyond the paper")
# What a verdict on the paper is after the number one, and after another.
WORDS = {
    "holds": ("holds as it stands", "hold as they stand"),
    "holds with an added assumption": ("holds with an added assumption", "hold with an added assumption"),
    "holds, proof repaired": ("holds by a repaired proof", "hold by a repaired proof"),
    "imprecise": ("is imprecise", "are imprecise"),
    "false as stated": ("is false as stated", "are false as stated"),
    "vacuous in the reported setting": ("is vacuous in the reported setting", "are vacuous in the reported setting"),
}


def verify_all() -> list[Found]:
    """Prove, check and re-check every statement; one document each."""
    return [finding_document(verify(statement(id), strict=True)) for id in IDS]


def attack(at_most: int | None) -> dict[str, int]:
    """Mutants of every identity that a statement claims, or a fixed sample of `at_most` each."""
    report, claims = Report(), distinct_claims()
    for claim in claims:
        report += examine(claim, at_most)
    kinds = ("refuted", "equivalent", "wrongly_proved", "undecided")
    return {"identities": len(claims), "total": report.total, **{k: len(getattr(report, k)) for k in kinds}}


def closed_forms() -> list[dict[str, str]]:
    """Name, LaTeX and note of the closed forms."""
    return [{"name": f.name, "latex": f.latex, "note": f.note} for f in formulas()]


def totals(found: list[Found]) -> dict[str, int]:
    """What the summary counts."""
    return {
        "statements": len(found),
        "good": sum(f["ok"] for f in found),
        "certificates": sum(len(f["certificates"]) for f in found),
        "checks": sum(f["numeric"]["cases"] for f in found),
        "exact": sum(f["numeric"]["exact"] for f in found),
        "counterexamples": sum(len(f["counterexamples"]) for f in found),
        "amended": sum(f["paper_verdict"] not in SIMPLY_TRUE for f in found),
        "citing": sum(f["words"] != f["result"] for f in found),
        "literally": sum(_fails_literally(f) for f in found),
        "beyond": sum(f["paper_verdict"] == "beyond the paper" for f in found),
    }


def verdict_counts(found: list[Found]) -> str:
    """``11 hold as they stand, …``: the paper's statements by verdict, in the order of `WORDS`."""
    counts = Counter(f["paper_verdict"] for f in found)
    return ", ".join(f"{counts[v]} {words[counts[v] != 1]}" for v, words in WORDS.items() if counts[v])


def mutant_paragraph(m: dict[str, int], sample: int | None) -> str:
    """What a mutant is, what became of them, and how to see it again."""
    which = "all of them" if sample is None else f"a fixed sample of at most {sample} of each"
    bad = m["wrongly_proved"] + m["undecided"]
    return (
        f"To see whether the prover would notice an error, the {m['identities']} identities that the proofs use "
        "are changed in one thing each: the sign of a term, the order of two factors, a scalar, an index by one, a "
        f"term left out, a letter taken for another. Such mutants were tried, {which}: {m['total']:,}. Of these "
        f"{m['refuted']:,} are refuted by an exact model and {m['equivalent']:,} are true all the same and proved; "
        f"{m['wrongly_proved']:,} were proved though a model refutes them and {m['undecided']:,} stayed undecided, so "
        f"{bad:,} slip through. `pytest tests/symbolic/test_mutants.py` tries all of them and prints the counts, "
        "and so does `make test` at its end."
    )


def kernel_amount(kernel: Found | None) -> str:
    """How much Coq has checked."""
    if kernel is None:
        return "not asked"
    t = kernel["totals"]
    return f"{t['theorems']} theorems, {t['certificates']} distinct certificates, Coq {kernel['coq']}"


def kernel_sentence(found: list[Found], kernel: Found | None) -> str:
    """How many statements are one theorem that the Coq kernel accepts, and on which axioms."""
    if kernel is None:
        return "The Coq kernel was not asked: `theory verify --coq`."
    t, words = kernel["totals"], kernel["statements"]
    one = {id for id, word in words.items() if word["status"] == "checked"}
    ours = sum(f["id"] in one for f in found if f["paper_verdict"] == "beyond the paper")
    only = sum(word["status"] == "none" for word in words.values())
    axioms = f"the axioms {', '.join(t['axioms'])}" if t["axioms"] else "no axioms"
    rejected = f" It rejects {count(len(t['errors']), 'file')}: {', '.join(t['errors'])}." if t["errors"] else ""
    alone = f", {only} are checked by Python’s kernel alone" if only else ""
    return (
        f"The kernel of Coq {kernel['coq']} accepts {len(one)} of {len(words)} statements as one theorem each, "
        f"{len(one) - ours} of them the paper’s, with {axioms}, and {t['certificates']} certificates; "
        f"{len(words) - len(one) - only} more up to a theorem that is cited{alone}.{rejected}"
    )


def statement_heading(f: Found) -> str:
    """``prop-2: Bias of the k-th value function``."""
    return (
        f"{f['id']}: {f['title']}" if not f["title"].startswith(("Algorithm", "Lemma")) else f"{f['id']}, {f['title']}"
    )


def amended_table(found: list[Found], link: Any) -> str:
    """What the paper says and what is true, a line for each statement that is not simply true."""
    rows = [
        [link(statement_heading(f), f"`{f['id']}`"), f["paper_verdict"], prose(f["paper"]), prose(f["precise"])]
        for f in found
        if f["paper_verdict"] not in SIMPLY_TRUE
    ]
    return markdown_table(["statement", "verdict", "the paper", "what is true"], rows)


def overview_table(found: list[Found], link: Any) -> str:
    """One line a statement, all of them."""
    rows = [
        [
            "✓" if f["ok"] else "✗",
            link(statement_heading(f), f"`{f['id']}`"),
            plain(f["title"]),
            f["paper_verdict"],
            "proved, citing" if f["words"] != f["result"] else f["result"],
            str(len(f["certificates"]) or "–"),
            str(f["numeric"]["cases"] or "–"),
            str(len(f["counterexamples"]) or "–"),
        ]
        for f in found
    ]
    headings = ["", "statement", "title", "the paper’s claim", "result", "proofs", "checks", "counter-examples"]
    return markdown_table(headings, rows, right=(5, 6, 7))


def statement_section(f: Found, kernel: Found | None = None) -> str:
    """What the paper says, what is true and what it takes; proofs and checks are what ``theory verify ID`` prints."""
    lines = [f"- **The paper** ({f['paper_verdict']}): {prose(f['paper'])}", f"- **Precisely:** {prose(f['precise'])}"]
    for label, items in (("Letters", [f["where"]]), ("Assumes", f["assumptions"]), ("Cites", f["cites"])):
        if any(items):
            lines.append(f"- **{label}:** {prose('; '.join(items))}")
    coq = "" if kernel is None else f"; Coq: {_kernel_words(kernel['statements'][f['id']])}"
    lines.append(f"- **Result:** {prose(f['words'])}, {plain(f['scope'])}{coq}")
    lines += [f"- **An exact witness:** {plain(w)}" for w in f["witnesses"]]
    for c in f["counterexamples"]:
        lines.append(f"- **{prose(c['heading'])}{'' if c['confirmed'] else ' (NOT confirmed)'}:** {prose(c['text'])}")
    formula = [display(f["latex"])] if f["latex"] else []
    return "\n\n".join([f"### {plain(statement_heading(f))}", *formula, "\n".join(lines)])


def closed_form_section(forms: list[dict[str, str]]) -> str:
    """The closed forms, each with its note and, where it was proved, the statement."""
    return "\n\n".join(f"{plain(f['note'][:1].upper() + f['note'][1:])}:\n\n{display(f['latex'])}" for f in forms)


def _fails_literally(f: Found) -> bool:
    """Is there a confirmed counterexample to the paper's words, taken as they are?"""
    return f["paper_verdict"] != "beyond the paper" and any(
        c["drops"] == AS_STATED and c["confirmed"] for c in f["counterexamples"]
    )


def _kernel_words(word: Found) -> str:
    where = f" (`{word['theorem']}` in `{word['file']}`)" if word["theorem"] else ""
    left = f"; not in the theorem: {prose(word['leaves'])}" if word["leaves"] else ""
    return f"{prose(word['text'])}{where}{left}"
