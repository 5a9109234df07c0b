r"""Statements about every value of a parameter, as documents that the independent checker reads.

A threshold says more than a verdict: on this side of it the answer is yes for every γ, on the other side no. The
document (`theory.certified.recheck.along`) lists stretches of γ with one answer each and evidence for it, and the exact
numbers between them. The cheapest evidence comes first:

1. structure: features that tell all states apart, or rows that dominate for every γ up to a number;
2. crossings: det(zE − N) in factors, which the checker multiplies out and whose border polynomials it forms itself;
3. proofs found on the way: signatures that serve whole pieces (TD), or a certificate of one verdict on each side of
   1/ρ(ΠP) (the chain, whose ρ grows with γ).

`pencil_certificate` makes one for any pencil that is polynomial in its parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.budgets import (
    CERTIFICATE,
    CERTIFIED_CROSSINGS,
    CERTIFIED_FEATURES,
    UNASKED,
    UNASKED_CROSSINGS,
    UNASKED_STATES,
)
from theory.certified.answers import Answer, Certificate, plain_evidence
from theory.certified.verdicts import chain_unbiased
from theory.exact.algebraic import algebraic_rational, real_roots, unit_roots
from theory.exact.matrices import block, entry_length, fraction, matrix, rational, strong_components
from theory.exact.polynomials import pencil_polynomial
from theory.model.linear_model import ExactModel, exact_model, heights
from theory.problems import Problem
from theory.thresholds.curves import Curve, affine_curve, apart, curve_work, inside, point_between, products, split
from theory.thresholds.discounts import LAST, safe_up_to, td_pieces
from theory.thresholds.inequalities import chosen, piece_document
from theory.thresholds.results import Threshold

Json = dict[str, Any]

BESIDE = tuple(Fraction(1, 2**k) for k in (48, 40, 32, 24, 16))  # how far from a threshold verdicts are asked for


@dataclass(frozen=True, eq=False)
class AlongCertificate(Certificate):
    """What is proved for every value of a parameter in some stretches; `recheck` proves it again."""

    def holds_at(self, value: Any) -> Answer:
        """What the document says of one value: at an end itself, no."""
        at = Fraction(value)
        for stretch in self.document["stretches"]:
            low, high = _ends(stretch)
            if (low < at and (high is None or at < high)) or (at == low == 0 and self._of_discounts):
                return Answer.of(stretch["holds"])
        for end in self.document.get("ends", ()):
            low, high = _ends(end)
            assert high is not None
            if low <= at <= high:
                return self._beside(end, low, high, at)
        return Answer.UNDECIDED

    @property
    def _of_discounts(self) -> bool:
        return bool(self.document["question"]["kind"] != "pencil")

    def _beside(self, end: Json, low: Fraction, high: Fraction, at: Fraction) -> Answer:
        p = fmpq_poly([rational(Fraction(c)) for c in end["polynomial"]])
        sign = p(rational(at))
        if sign == 0:
            return Answer.NO
        below = at < low or (sign > 0) == (p(rational(low)) > 0)
        for stretch in self.document["stretches"]:
            first, last = _ends(stretch)
            if (last == low) if below else (first == high):
                return Answer.of(stretch["holds"])
        return Answer.UNDECIDED

    def __repr__(self) -> str:
        return f"<AlongCertificate: {self.document['question']['kind']}, {len(self.document['stretches'])} stretches>"


def td_certificate(problem: Problem, *, quick: bool = False) -> AlongCertificate | None:
    """For which γ TD is stable and for which not; None where a document would be too long, or not `quick`.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> found = td_certificate(twostate)
    >>> found.recheck(), found.holds_at("4/5"), found.holds_at("5/6")
    (True, yes, no)
    """
    if problem.is_large or (quick and problem.n_states > UNASKED_STATES):
        return None
    m = exact_model(problem)
    question = _question(problem, "td-discounts")
    if m.rank == 0:
        return _whole(question, {"kind": "vacuous"})
    safe = safe_up_to(problem, m)
    if safe == 1 or (safe >= LAST and not problem.is_exact):
        w = [str(abs(1 / x)) for x in heights(problem) or ()]
        piece = {"low": "0", "high": str(safe), "w": w}
        return _whole(question, {"kind": "pieces", "pieces": [piece]}, safe)
    N0, N1 = m.X, m.Y
    if multiplied_seconds(m.rank, 1, N0, N1) <= (UNASKED if quick else CERTIFICATE):
        counted = [f for b in strong_components(N0, N1) for f in split(affine_curve(block(N0, b), -block(N1, b)))]
        if sum(curve_work(f, False) for f, _ in counted) <= (UNASKED_CROSSINGS if quick else CERTIFIED_CROSSINGS):
            return _crossings(question, counted, False, fmpq(0), fmpq(1))
    return None if quick else _by_pieces(question, m)


def chain_certificate(problem: Problem, threshold: Threshold, *, quick: bool = False) -> AlongCertificate | None:
    """For which γ the chain is unbiased and for which not; None where no document was found, or none that is `quick`.

    Where it is not exact, it is about two verdicts as close to the threshold as they are proved.
    """
    if problem.is_large or (quick and problem.n_states > UNASKED_STATES):
        return None
    m = exact_model(problem)
    question = _question(problem, "chain-discounts")
    if m.rank == 0:
        return _whole(question, {"kind": "vacuous"})
    if m.rank == problem.n_states:
        norm = max(sum(row, fmpq(0)) for row in matrix(problem.given.P_pi).tolist())
        at = min(fmpq(1), 1 / norm) if norm > 0 else fmpq(1)
        return _whole(question, {"kind": "monotone", "at": str(at), "evidence": {"kind": "complete"}}, at)
    if multiplied_seconds(m.rank, 1, m.X_hat, m.Y_hat) <= (UNASKED if quick else CERTIFICATE):
        found = pencil_polynomial(m.X_hat, m.Y_hat).numer().factor()[1]
        counted = [([_term(c, f.degree() - k) for k, c in enumerate(f.coeffs())], int(n)) for f, n in found]
        if sum(curve_work(f, True) for f, _ in counted) <= (UNASKED_CROSSINGS if quick else CERTIFIED_CROSSINGS):
            return _crossings(question, counted, True, fmpq(0), fmpq(1))
    return None if quick else _by_verdicts(problem, question, threshold)


def multiplied_seconds(n: int, degree: int, *matrices: fmpq_mat) -> float:
    """About how long the checker takes for (n + 1)(n·degree + 1) determinants, by fraction-free elimination."""
    words = n * entry_length(*matrices) / 3000  # of half the eliminations, in units of 1,500 bits
    return (n + 1) * (n * degree + 1) * n**3 / 3 * (2e-7 + 1e-6 * words**1.6)


def pencil_certificate(
    N: Sequence[fmpq_mat],
    E: Sequence[fmpq_mat],
    factors: list[tuple[Curve, int]],
    disc: bool,
    low: fmpq,
    high: fmpq | None,
) -> AlongCertificate:
    """For which p in (low, high), high = None without end, the eigenvalues of N(p)v = zE(p)v are on the right side.

    N(p) = Σ N_k pᵏ and E(p) likewise; `factors`, with multiplicities, of det(zE(p) − N(p)) up to a number.
    """
    coefficients = {
        name: [[[str(x) for x in row] for row in M.tolist()] for M in Ms] for name, Ms in (("N", N), ("E", E))
    }
    question = {"kind": "pencil", "claim": "disc" if disc else "half-plane", **coefficients}
    return _crossings(question, factors, disc, low, high)


def _question(problem: Problem, kind: str) -> Json:
    g = problem.given
    exact = {"Phi": g.Phi.tolist(), "P": g.P_pi.tolist(), "d": g.d_mu.tolist()}
    return {"kind": kind, **{name: _texts(value) for name, value in exact.items()}}


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_texts(x) for x in value]
    return str(value if isinstance(value, fmpq) else rational(Fraction(value)))


def _whole(question: Json, evidence: Json, high: Any = 1) -> AlongCertificate:
    stretch = {"low": "0", "high": str(high), "holds": True, "evidence": evidence}
    return AlongCertificate({"question": question, "stretches": [stretch]})


def _crossings(
    question: Json, counted: list[tuple[Curve, int]], disc: bool, low: fmpq, high: fmpq | None
) -> AlongCertificate:
    factors = [f for f, _ in counted]
    lines = [b for f in factors for b in (*products(f, disc), f[-1]) if b.degree() > 0] if factors else []
    first, last = algebraic_rational(low), None if high is None else algebraic_rational(high)
    isolate = unit_roots if low == 0 and high is not None and high == 1 else real_roots  # the rest costs nothing then
    roots = sorted({x for b in lines for x in isolate(b) if x > first and (last is None or x < last)})
    gaps = [x.interval(apart(x, roots)) for x in roots]
    cuts = [first, *roots, *([] if last is None else [last])]
    points = [point_between(a, b) for a, b in pairwise(cuts)]
    if last is None:
        points.append(cuts[-1].interval(fmpq(1))[1] + 1)
    sides = [all(inside(f, disc, p) for f in factors) for p in points]
    lows, highs = [low, *(b for _, b in gaps)], [*(a for a, _ in gaps), high]
    stretches = [
        {"low": str(a), "high": None if b is None else str(b), "holds": side,
         "evidence": {"kind": "crossings", "point": str(p)}}
        for a, b, side, p in zip(lows, highs, sides, points, strict=True)
    ]  # fmt: skip
    ends = [
        {"low": str(a), "high": str(b), "polynomial": [str(c) for c in x.polynomial.coeffs()]}
        for x, (a, b) in zip(roots, gaps, strict=True)
    ]
    listed = [[[str(c) for c in p.coeffs()] or ["0"] for p in f] for f, count in counted for _ in range(count)]
    return AlongCertificate({"question": question, "stretches": stretches, "ends": ends, "factors": listed})


def _term(c: Any, power: int) -> fmpq_poly:
    return fmpq_poly([0] * power + [c])


def _by_pieces(question: Json, m: ExactModel) -> AlongCertificate | None:
    """Stretches, each covered by pieces that one inequality proves."""
    if m.rank > CERTIFIED_FEATURES:
        return None
    pieces, prover = td_pieces(m.X, m.Y)
    stretches: list[Json] = []
    for p in pieces:
        inner = [piece_document(x) for x in chosen(prover.found, p.low, p.high)]
        evidence = {"kind": "pieces", "pieces": inner}
        if p.low < p.high:
            stretches.append({"low": str(p.low), "high": str(p.high), "holds": p.stable, "evidence": evidence})
    return AlongCertificate({"question": question, "stretches": stretches}) if stretches else None


def _by_verdicts(problem: Problem, question: Json, threshold: Threshold) -> AlongCertificate | None:
    """A certificate on each side of 1/ρ(ΠP), as close to it as one is found that the checker accepts."""
    stretches = []
    low = min(LAST, LAST if threshold.low is None else threshold.low)
    for holds, start, way in ((True, low, -1), (False, threshold.high, 1)):
        for step in (Fraction(0), *BESIDE) if start is not None and start < 1 else ():
            at = fraction(start) + way * step  # type: ignore[arg-type]
            if not problem.is_exact:
                at = Fraction(float(at))
            if not 0 < at < 1:
                continue
            verdict = chain_unbiased(problem.with_gamma(at), confirm=True)
            if verdict.rechecked and verdict.proved == holds and verdict.evidence is not None:
                evidence = {"kind": "monotone", "at": str(at), "evidence": plain_evidence(verdict.evidence)}
                ends = ("0", str(at)) if holds else (str(at), "1")
                stretches.append({"low": ends[0], "high": ends[1], "holds": holds, "evidence": evidence})
                break
    return AlongCertificate({"question": question, "stretches": stretches}) if stretches else None


def _ends(span: Json) -> tuple[Fraction, Fraction | None]:
    high = span["high"]
    return Fraction(span["low"]), None if high is None else Fraction(high)
