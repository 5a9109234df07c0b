"""The verdict on a rational problem as a Coq theorem about that very problem.

Read is the stored certificate of a verdict: its question, {"kind": "td", "chain" or "window", "gamma", "Phi", "P",
"d"}, with numbers as text ``p/q``, and its answer. `theory.coq.evidence` finds what proves it; ``Verdict.v``,
``Boundary.v`` and ``Network.v`` say why that is a proof, and Coq computes it again. Where Φ has dependent columns a
basis of them, Φ = Φ'W, takes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from theory.coq.evidence import Form, Reduced, Tie, downhill, form, reduced, tie
from theory.coq.rationals import coq_row, coq_rows, definite, identity, rational
from theory.coq.trees import NotExported

HEADER = """From Coq Require Import QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Rationals Verdict Boundary Network.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
"""
_PROBLEM = ("Phi", "P", "d", "gamma")


def verdict_file(certificates: Sequence[Mapping[str, Any]]) -> str:
    """The verdicts of one problem, each a theorem, as one file."""
    question = certificates[0]["question"]
    problem = reduced(question)
    lines = [HEADER, *_definitions(problem)]
    for certificate in certificates:
        asked = certificate["question"]
        if any(asked[k] != question[k] for k in _PROBLEM):
            raise NotExported("the verdicts are about different problems")
        if asked["kind"] not in _THEOREMS:
            raise NotExported(f"a question of the kind {asked['kind']!r}")
        lines += _THEOREMS[asked["kind"]](problem, bool(certificate["holds"]), asked)
    return "\n".join(lines) + "\n"


def theorem_names(text: str) -> list[str]:
    """The theorems of a `verdict_file`."""
    return re.findall(r"^Theorem (\w+)", text, re.MULTILINE)


def _definitions(problem: Reduced) -> Iterator[str]:
    S, F, n = problem.sizes
    yield f"(* {S} states, {F} features, {n} of them independent. *)"
    yield from _rows(Phi=problem.Phi, P=problem.P, Hat=problem.Hat, W=problem.W, V=problem.V)
    yield f"Definition d : seq Q := {coq_row(problem.d)}."
    yield f"Definition gamma : Q := {_number(problem.gamma)}."
    yield from _factors("X", problem.X)
    yield f"Lemma factors : factor_check {S} {F} {n} Phi Hat W V d X_L X_p. Proof. by vm_compute. Qed."
    yield ""


def _td(problem: Reduced, holds: bool, question: Mapping[str, Any]) -> Iterator[str]:
    S, F, n = problem.sizes
    given = f"{S} {F} {n} Hat W P d gamma"
    try:
        found = form(problem.td, None, holds)
    except NotExported:
        if holds:
            raise
        yield from _td_tie(problem, given)
        return
    name = "td_stable" if holds else "td_unstable"
    yield from _computed(name, given, found, holds)
    if holds:
        yield "Theorem problem_td_stable (C : numClosedFieldType) :"
        yield f"  forall z, eigenvalue (key {S} {F} Phi P d gamma C) z -> z != 0 -> 0 < 'Re z."
        yield "Proof. exact: (td_stable factors td_stable_computed). Qed."
    else:
        yield "Theorem problem_td_unstable (C : numClosedFieldType) : Num.archimedean_axiom C ->"
        yield f"  exists z, [/\\ eigenvalue (key {S} {F} Phi P d gamma C) z, z != 0 & ~~ (0 < 'Re z)]."
        yield "Proof. by move=> arch; exact: (td_unstable factors arch td_unstable_computed). Qed."
    yield from _ends(f"problem_{name}")


def _chain(problem: Reduced, holds: bool, question: Mapping[str, Any]) -> Iterator[str]:
    S, F, n = problem.sizes
    given = f"{S} {n} Hat P d gamma"
    try:
        found = form(problem.N, problem.X, holds)
    except NotExported:
        if holds:
            raise
        yield from _chain_tie(problem, given)
        return
    name = "unbiased" if holds else "biased"
    yield from _computed(name, given, found, holds)
    if holds:
        yield "Theorem problem_unbiased (C : numClosedFieldType) :"
        yield f"  forall Xg : 'M[C]_{F}, generalised {S} Phi d Xg -> rho_lt (operator {S} Phi P d gamma Xg) 1."
        yield "Proof. exact: (unbiased factors unbiased_computed). Qed."
    else:
        yield "Theorem problem_biased (C : numClosedFieldType) : Num.archimedean_axiom C ->"
        yield from _biased(S, F)
        yield "Proof. by move=> arch; exact: (biased factors arch biased_computed). Qed."
    yield from _ends(f"problem_{name}")


def _window(problem: Reduced, holds: bool, question: Mapping[str, Any]) -> Iterator[str]:
    S, F, n = problem.sizes
    alpha, T, start = rational(question["alpha"]), int(question["window"]), question["start"]
    if start not in ("hot", "cold"):
        raise NotExported("a target network that starts neither hot nor cold")
    hot = start == "hot"
    R = problem.network(alpha, T, hot)
    try:
        found = form(R, identity(n), holds)
    except NotExported:
        if holds:
            raise
        found = None
    check = "network_stable" if holds else "network_tie" if found is None else "network_unstable"
    name = check if hot else check.replace("network", "cold")
    yield f"(* A target network that is replaced every {T} updates, {start} start. *)"
    yield f"Definition {name}_alpha : Q := {_number(alpha)}."
    given = f"gamma {name}_alpha {T} {'true' if hot else 'false'}"
    asked, network = f"{S} {F} {n} Hat W P d {given}", f"network {S} {F} Phi P d {given} C"
    if found is None:
        yield from _tie_computed(name, check, asked, tie(R, identity(n)))
    else:
        yield from _computed(name, asked, found, holds, check)
    if holds:
        yield f"Theorem problem_{name} (C : numClosedFieldType) :"
        yield f"  forall z (v : 'cV[C]_{F}), {network} *m v = z *: v -> lmx C {S} {F} Phi *m v != 0 -> `|z| < 1."
        yield f"Proof. exact: (network_stable factors {name}_computed). Qed."
    else:
        arch, needs = ("", "C factors ") if found is None else (" : Num.archimedean_axiom C ->", "factors arch ")
        yield f"Theorem problem_{name} (C : numClosedFieldType){arch or ' :'}"
        yield f"  exists z (v : 'cV[C]_{F}), [/\\ {network} *m v = z *: v, lmx C {S} {F} Phi *m v != 0 & 1 <= `|z|]."
        yield f"Proof. {'by move=> arch; ' if arch else ''}exact: ({check} {needs}{name}_computed). Qed."
    yield from _ends(f"problem_{name}")


def _td_tie(problem: Reduced, given: str) -> Iterator[str]:
    S, F, _ = problem.sizes
    found = tie(problem.td, None)
    yield from _rows(td_tie_V=found.V, td_tie_U=found.U, td_tie_C=found.C)
    evidence = f"{found.C.nrows() - 1} td_tie_V td_tie_U td_tie_C"
    yield f"Lemma td_tie_computed : td_tie_check {given} {evidence}. Proof. by vm_compute. Qed."
    yield "Theorem problem_td_tie (C : numClosedFieldType) :"
    yield f"  exists z (w : 'cV[C]_{F}), [/\\ key {S} {F} Phi P d gamma C *m w = z *: w,"
    yield f"    lmx C {S} {F} Phi *m w != 0 & ~~ (0 < 'Re z)]."
    yield "Proof. exact: (td_tie C factors td_tie_computed). Qed."
    yield from _ends("problem_td_tie")


def _chain_tie(problem: Reduced, given: str) -> Iterator[str]:
    S, F, _ = problem.sizes
    yield from _tie_computed("chain_tie", "chain_tie", given, tie(problem.N, problem.X))
    yield "Theorem problem_chain_tie (C : numClosedFieldType) :"
    yield from _biased(S, F)
    yield "Proof. exact: (chain_tie factors chain_tie_computed). Qed."
    yield from _ends("problem_chain_tie")


def _tie_computed(name: str, check: str, given: str, found: Tie) -> Iterator[str]:
    """The invariant subspace of a tie in the disc, and that Coq finds it so."""
    parts = {"V": found.V, "U": found.U, "L": found.lower, "R": found.upper}
    yield from _rows(**{f"{name}_{letter}": M for letter, M in parts.items()})
    evidence = " ".join(f"{name}_{letter}" for letter in parts)
    yield f"Lemma {name}_computed : {check}_check {given} {found.C.nrows() - 1} {evidence}. Proof. by vm_compute. Qed."


def _biased(S: int, F: int) -> Iterator[str]:
    yield f"  forall Xg : 'M[C]_{F}, generalised {S} Phi d Xg ->"
    yield f"  exists2 z, eigenvalue (operator {S} Phi P d gamma Xg) z & 1 <= `|z|."


_THEOREMS = {"td": _td, "chain": _chain, "window": _window}


def _computed(name: str, given: str, found: Form, holds: bool, check: str | None = None) -> Iterator[str]:
    """Q with what proves it and its decrease, and that Coq finds the same."""
    yield from _rows(**{f"{name}_Q": found.Q})
    if holds:
        yield from _factors(f"{name}_Q", found.Q)
        evidence = f"{name}_Q {name}_Q_L {name}_Q_p"
    else:
        yield from _rows(**{f"{name}_x": downhill(found.Q)})
        evidence = f"{name}_Q {name}_x"
    yield from _factors(name, found.decrease)
    asked = f"{check or name}_check {given} {evidence} {name}_L {name}_p"
    yield f"Lemma {name}_computed : {asked}. Proof. by vm_compute. Qed."


def _factors(name: str, M: fmpq_mat) -> Iterator[str]:
    L, p = definite(M)
    yield from _rows(**{f"{name}_L": L})
    yield f"Definition {name}_p : seq Q := {coq_row(p)}."


def _rows(**matrices: fmpq_mat) -> Iterator[str]:
    for name, rows in matrices.items():
        yield f"Definition {name} : rows := {coq_rows(rows)}."


def _ends(theorem: str) -> Iterator[str]:
    yield f"Print Assumptions {theorem}."
    yield ""


def _number(x: fmpq) -> str:
    return f"(Qmake ({x.p}) {x.q})"
