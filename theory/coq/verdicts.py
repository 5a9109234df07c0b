"""The verdict on a rational problem as a Coq theorem about that very problem.

Read is the stored certificate of a verdict: its question, {"kind": "td" or "chain", "gamma", "Phi", "P", "d"}, with
numbers as text ``p/q``, and its answer. Floats look for a symmetric Q that solves Lyapunov's or Stein's equation,
rounded to as few binary digits as will do; fractions factor what must be positive definite; ``Verdict.v`` says why that
is a proof, and Coq computes it again. Where Φ has dependent columns a basis of them, Φ = Φ'W, takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.coq.trees import NotExported

Rows = list[list[Fraction]]
DIGITS = (3, 5, 8, 12, 18, 26, 40)  # binary digits of Q, fewest first
HEADER = """From Coq Require Import QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From theory Require Import Powers Limits Spectra Definite Rationals Verdict.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
"""


@dataclass(frozen=True)
class Reduced:
    """The problem with independent features: Φ = Φ'W and Φ' = ΦV."""

    Phi: Rows
    P: Rows
    d: list[Fraction]
    gamma: Fraction
    Hat: Rows
    W: Rows
    V: Rows

    @property
    def X(self) -> Rows:
        return product(scaled(transpose(self.Hat), self.d), self.Hat)

    @property
    def N(self) -> Rows:
        """γY'."""
        Y = product(product(scaled(transpose(self.Hat), self.d), self.P), self.Hat)
        return [[self.gamma * y for y in row] for row in Y]

    @property
    def td(self) -> Rows:
        """A'WWᵀ, whose eigenvalues are the nonzero ones of A."""
        A = [[x - n for x, n in zip(r, s, strict=True)] for r, s in zip(self.X, self.N, strict=True)]
        return product(A, product(self.W, transpose(self.W)))


def verdict_file(certificates: Sequence[Mapping[str, Any]]) -> str:
    """The verdicts of one problem, each a theorem, as one file."""
    question = certificates[0]["question"]
    problem = reduced(question)
    lines = [HEADER, *_definitions(problem)]
    for certificate in certificates:
        if {k: certificate["question"][k] for k in ("Phi", "P", "d", "gamma")} != {
            k: question[k] for k in ("Phi", "P", "d", "gamma")
        }:
            raise NotExported("the verdicts are about different problems")
        lines += _theorem(problem, certificate["question"]["kind"], bool(certificate["holds"]))
    return "\n".join(lines) + "\n"


def theorem_names(certificates: Sequence[Mapping[str, Any]]) -> list[str]:
    """The theorems of `verdict_file`."""
    return [f"problem_{_NAMES[c['question']['kind'], bool(c['holds'])]}" for c in certificates]


def reduced(question: Mapping[str, Any]) -> Reduced:
    """The problem of a question, with a basis of its features."""
    Phi = [[Fraction(x) for x in row] for row in question["Phi"]]
    P = [[Fraction(x) for x in row] for row in question["P"]]
    d = [Fraction(x) for x in question["d"]]
    W, pivots = echelon(Phi)
    if not pivots:
        raise NotExported("Φ = 0: there is nothing to learn")
    Hat = [[row[j] for j in pivots] for row in Phi]
    V = [[Fraction(int(i == j)) for j in pivots] for i in range(len(Phi[0]))]
    return Reduced(Phi, P, d, Fraction(question["gamma"]), Hat, W, V)


def _definitions(problem: Reduced) -> Iterator[str]:
    S, F, n = len(problem.Phi), len(problem.Phi[0]), len(problem.W)
    yield f"(* {S} states, {F} features, {n} of them independent. *)"
    for name, rows in (
        ("Phi", problem.Phi),
        ("P", problem.P),
        ("Hat", problem.Hat),
        ("W", problem.W),
        ("V", problem.V),
    ):
        yield f"Definition {name} : rows := {_rows(rows)}."
    yield f"Definition d : seq Q := {_row(problem.d)}."
    yield f"Definition gamma : Q := {_number(problem.gamma)}."
    L, p = factor(problem.X)
    yield f"Definition XL : rows := {_rows(L)}."
    yield f"Definition Xp : seq Q := {_row(p)}."
    yield f"Lemma factors : factor_check {S} {F} {n} Phi Hat W V d XL Xp. Proof. by vm_compute. Qed."
    yield ""


_NAMES = {
    ("td", True): "td_stable",
    ("td", False): "td_unstable",
    ("chain", True): "unbiased",
    ("chain", False): "biased",
}


def _theorem(problem: Reduced, kind: str, holds: bool) -> Iterator[str]:
    if (kind, holds) not in _NAMES:
        raise NotExported(f"a question of the kind {kind!r}")
    name = _NAMES[kind, holds]
    S, F, n = len(problem.Phi), len(problem.Phi[0]), len(problem.W)
    Q, M = certificate_matrix(problem, kind, holds)
    L, p = factor(M)
    yield f"Definition {name}_Q : rows := {_rows(Q)}."
    yield f"Definition {name}_L : rows := {_rows(L)}."
    yield f"Definition {name}_p : seq Q := {_row(p)}."
    if holds:
        K, q = factor(Q)
        yield f"Definition {name}_K : rows := {_rows(K)}."
        yield f"Definition {name}_q : seq Q := {_row(q)}."
        evidence = f"{name}_Q {name}_K {name}_q {name}_L {name}_p"
    else:
        x = [[c] for c in downhill(Q)]
        yield f"Definition {name}_x : rows := {_rows(x)}."
        evidence = f"{name}_Q {name}_x {name}_L {name}_p"
    given = f"{S} {F} {n} Hat W P d gamma" if kind == "td" else f"{S} {n} Hat P d gamma"
    yield f"Lemma {name}_computed : {name}_check {given} {evidence}. Proof. by vm_compute. Qed."
    yield from _STATEMENTS[name](S, F)
    yield f"Print Assumptions problem_{name}."
    yield ""


def _td_stable(S: int, F: int) -> Iterator[str]:
    yield "Theorem problem_td_stable (C : numClosedFieldType) :"
    yield f"  forall z, eigenvalue (key {S} {F} Phi P d gamma C) z -> z != 0 -> 0 < 'Re z."
    yield "Proof. exact: (td_stable factors td_stable_computed). Qed."


def _td_unstable(S: int, F: int) -> Iterator[str]:
    yield "Theorem problem_td_unstable (C : numClosedFieldType) : Num.archimedean_axiom C ->"
    yield f"  exists z, [/\\ eigenvalue (key {S} {F} Phi P d gamma C) z, z != 0 & ~~ (0 < 'Re z)]."
    yield "Proof. by move=> arch; exact: (td_unstable factors arch td_unstable_computed). Qed."


def _unbiased(S: int, F: int) -> Iterator[str]:
    yield "Theorem problem_unbiased (C : numClosedFieldType) :"
    yield f"  forall Xg : 'M[C]_{F}, generalised {S} Phi d Xg -> rho_lt (operator {S} Phi P d gamma Xg) 1."
    yield "Proof. exact: (unbiased factors unbiased_computed). Qed."


def _biased(S: int, F: int) -> Iterator[str]:
    yield "Theorem problem_biased (C : numClosedFieldType) : Num.archimedean_axiom C ->"
    yield f"  forall Xg : 'M[C]_{F}, generalised {S} Phi d Xg ->"
    yield f"  exists2 z, eigenvalue (operator {S} Phi P d gamma Xg) z & 1 <= `|z|."
    yield "Proof. by move=> arch; exact: (biased factors arch biased_computed). Qed."


_STATEMENTS = {"td_stable": _td_stable, "td_unstable": _td_unstable, "unbiased": _unbiased, "biased": _biased}


def certificate_matrix(problem: Reduced, kind: str, holds: bool) -> tuple[Rows, Rows]:
    """Q and what must be positive definite, with as few digits as will do.

    Lyapunov's equation NᵀQ + QN = I and Stein's EᵀQE − NᵀQN = E are solved in floats as linear systems.
    """
    n = len(problem.W)
    N, E = (problem.td, None) if kind == "td" else (problem.N, problem.X)
    Nf, one = _floats(N), np.eye(n)
    if E is None:
        system, right = np.kron(Nf.T, one) + np.kron(one, Nf.T), np.eye(n)
    else:
        Ef = _floats(E)
        system, right = np.kron(Ef.T, Ef.T) - np.kron(Nf.T, Nf.T), Ef
    try:
        solution = np.linalg.solve(system, right.reshape(-1)).reshape(n, n)
    except np.linalg.LinAlgError:
        raise NotExported("a verdict at a tie, or with eigenvalues that mirror each other") from None
    solution = (solution + solution.T) / 2
    for digits in DIGITS:
        Q = rounded(solution, digits)
        M = decrease(Q, N, E)
        try:
            factor(M)
            if holds:
                factor(Q)
            else:
                downhill(Q)
        except NotExported:
            continue
        return Q, M
    raise NotExported("a verdict too close to a tie for a matrix of few digits")


def decrease(Q: Rows, N: Rows, E: Rows | None) -> Rows:
    """NᵀQ + QN, or EᵀQE − NᵀQN."""
    if E is None:
        QN = product(Q, N)
        return [[QN[i][j] + QN[j][i] for j in range(len(Q))] for i in range(len(Q))]
    a, b = product(product(transpose(E), Q), E), product(product(transpose(N), Q), N)
    return [[x - y for x, y in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def downhill(Q: Rows) -> list[Fraction]:
    """x ≠ 0 with xᵀQx ≤ 0."""
    direction = np.linalg.eigh(_floats(Q))[1][:, 0]
    for digits in DIGITS[1:]:
        x = rounded(direction.reshape(-1, 1), digits)
        if any(c for [c] in x) and product(product(transpose(x), Q), x)[0][0] <= 0:
            return [c for [c] in x]
    raise NotExported("a form that is not clearly negative anywhere")


def factor(M: Rows) -> tuple[Rows, list[Fraction]]:
    """M = Lᵀ diag(p) L with L upper triangular, ones on its diagonal, and p > 0.

    >>> factor([[Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)]])[1]
    [Fraction(2, 1), Fraction(3, 2)]
    """
    n = len(M)
    rest = [list(row) for row in M]
    L = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    p = []
    for i in range(n):
        if rest[i][i] <= 0:
            raise NotExported("a form that is not positive definite")
        p.append(rest[i][i])
        for j in range(i + 1, n):
            L[i][j] = rest[i][j] / p[i]
        for j in range(i + 1, n):
            for k in range(i + 1, n):
                rest[j][k] -= p[i] * L[i][j] * L[i][k]
    return L, p


def echelon(Phi: Rows) -> tuple[Rows, list[int]]:
    """The nonzero rows of the reduced echelon form, W, and its pivots: Φ is its pivot columns times W.

    >>> echelon([[Fraction(1), Fraction(2)], [Fraction(2), Fraction(4)]])
    ([[Fraction(1, 1), Fraction(2, 1)]], [0])
    """
    rows, pivots, at = [list(row) for row in Phi], [], 0
    for j in range(len(Phi[0])):
        found = next((i for i in range(at, len(rows)) if rows[i][j]), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        lead = rows[at][j]
        rows[at] = [x / lead for x in rows[at]]
        for i in range(len(rows)):
            if i != at and rows[i][j]:
                c = rows[i][j]
                rows[i] = [x - c * y for x, y in zip(rows[i], rows[at], strict=True)]
        pivots.append(j)
        at += 1
    return rows[:at], pivots


def rounded(values: np.ndarray, digits: int) -> Rows:
    """Each entry as an integer over a power of two, the largest with so many binary digits."""
    scale = 2.0 ** (digits - np.ceil(np.log2(np.abs(values).max())))
    return [[Fraction(round(float(x) * scale)) / Fraction(scale) for x in row] for row in values]


def product(a: Rows, b: Rows) -> Rows:
    """The matrix product."""
    columns = transpose(b)
    return [[sum((x * y for x, y in zip(r, c, strict=True) if x and y), Fraction(0)) for c in columns] for r in a]


def transpose(a: Rows) -> Rows:
    """Rows as columns."""
    return [list(column) for column in zip(*a, strict=True)]


def scaled(a: Rows, d: Sequence[Fraction]) -> Rows:
    """a·diag(d)."""
    return [[x * w for x, w in zip(row, d, strict=True)] for row in a]


def _floats(a: Rows) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in a])


def _number(x: Fraction) -> str:
    return f"(Qmake ({x.numerator}) {x.denominator})"


def _row(row: Sequence[Fraction]) -> str:
    return f"[:: {'; '.join(map(_number, row))}]"


def _rows(rows: Rows) -> str:
    return f"[:: {'; '.join(map(_row, rows))}]"
