r"""Statements about every value of a parameter, as documents that the independent checker reads.

A threshold says more than a verdict: on this side of it the answer is yes for every γ, on the other side no. The
document (`theory.certified.recheck.parameter_range`) lists stretches with one answer each, both ends within, and the
matrix inequalities that prove them (`theory.thresholds.inequalities`). Of what lies between two stretches it says
nothing: where a threshold is, this is an interval of `WIDTH` at most, and a threshold that is known exactly lies in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import fmpq

from theory.budgets import COVER_IN_GAMMA, INEQUALITY_ROWS, UNASKED, UNASKED_STATES
from theory.certified.answers import Answer, Certificate, plain
from theory.exact.matrices import fraction
from theory.model.linear_model import exact_model
from theory.problems import Problem
from theory.thresholds.discounts import LAST
from theory.thresholds.inequalities import Kind, Piece, Prover, Resolvent, chosen, cover, piece_document
from theory.thresholds.results import Threshold

Json = dict[str, Any]
Stretch = tuple[Fraction, Fraction | None, bool]  # low, high (None: without end), does it converge there?

WIDTH = fmpq(1, 2**20)
CLAIMS = {"mean": "half-plane", "iteration": "disc", "direct": "regular"}


@dataclass(frozen=True, eq=False)
class AlongCertificate(Certificate):
    """What is proved for every value of a parameter in some stretches; `recheck` proves it again."""

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Ascending and apart, both ends within."""
        return tuple(
            (Fraction(s["low"]), None if s["high"] is None else Fraction(s["high"]), s["holds"])
            for s in self.document["stretches"]
        )

    def holds_at(self, value: Any) -> Answer:
        """What the document says of one value."""
        at = Fraction(value)
        known = (holds for low, high, holds in self.stretches if low <= at and (high is None or at <= high))
        return Answer.of(next(known, None))

    def confirms(self, ends: Sequence[Threshold]) -> bool:
        """Is an answer proved for all γ in [0, 1) but narrow gaps, with these ends in them where the answer changes?"""
        sides = list(pairwise(self.stretches))
        gaps = [(a, b) for (_, a, _), (b, _, _) in sides if a is not None]
        low, high = self.stretches[0][0], self.stretches[-1][1]
        inner = [x for x in ends if x.value is not None and 0 < x.value < 1]
        narrow = 2 * fraction(WIDTH)
        if low > 0 or high is None or high < 1 - narrow or any(b - a > narrow for a, b in gaps):
            return False
        held = [any(_meets(x, a, b) for x in inner) for a, b in gaps]
        changed = [before != after for (_, _, before), (_, _, after) in sides]
        return all(any(_meets(x, a, b) for a, b in gaps) for x in inner) and all(
            known or not changes for known, changes in zip(held, changed, strict=True)
        )

    def __repr__(self) -> str:
        return f"<AlongCertificate: {self.document['question']['kind']}, {len(self.document['stretches'])} stretches>"


def td_certificate(problem: Problem, *, quick: bool = False) -> AlongCertificate | None:
    """For which γ TD is stable and for which not; None where nothing was proved, or not `quick`.

    >>> from theory.problems import Problem
    >>> twostate = Problem.from_matrices("0.99", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> found = td_certificate(twostate)
    >>> found.recheck(), found.holds_at("4/5"), found.holds_at("9/10")
    (True, yes, no)
    """
    return _in_gamma(problem, "td-discounts", quick)


def chain_certificate(problem: Problem, *, quick: bool = False) -> AlongCertificate | None:
    """For which γ the chain is unbiased and for which not; None where nothing was proved, or not `quick`."""
    return _in_gamma(problem, "chain-discounts", quick)


def _in_gamma(problem: Problem, kind: str, quick: bool) -> AlongCertificate | None:
    if problem.is_large or (quick and problem.n_states > UNASKED_STATES):
        return None
    m, g = exact_model(problem), problem.given
    question = {"kind": kind, "Phi": plain(g.Phi), "P": plain(g.P_pi), "d": plain(g.d_mu)}
    if m.rank == 0:
        whole = {"low": "0", "high": "1", "holds": True, "pieces": []}
        return AlongCertificate({"question": question, "stretches": [whole]})
    if 2 * m.rank > (UNASKED_STATES if quick else INEQUALITY_ROWS):
        return None
    one, zero = m.eye(), 0 * m.eye()
    if kind == "td-discounts":
        prover = Prover(Resolvent.straight(m.X, -m.Y, one), "mean", LAST)
    else:
        prover = Prover(Resolvent(one, m.X_hat, zero, zero, m.Y_hat), "iteration", LAST)
    pieces = cover(prover, WIDTH, UNASKED if quick else COVER_IN_GAMMA)
    return range_certificate(question, prover, pieces, lambda a, b: (fraction(a), fraction(b)))


def resolvent_question(given: Resolvent, kind: Kind, endless: bool) -> Json:
    """About O L(p)⁻¹R(p)."""
    return {
        "kind": "resolvent",
        "claim": CLAIMS[kind],
        "O": plain(given.O.tolist()),
        "L": [plain(M.tolist()) for M in (given.L0, given.L1)],
        "R": [plain(M.tolist()) for M in (given.R0, given.R1)],
        "endless": endless,
    }


def range_certificate(
    question: Json,
    prover: Prover,
    pieces: Sequence[Piece],
    ends: Callable[[fmpq, fmpq], tuple[Fraction, Fraction | None]],
) -> AlongCertificate | None:
    """Of the stretches that the prover has found; `ends` are the values of the parameter at the ends of a piece."""
    stretches = []
    for piece in pieces:
        proofs = [piece_document(x) | _ends(*ends(x.low, x.high)) for x in chosen(prover.found, piece.low, piece.high)]
        holds = piece.stable or prover.kind == "direct"
        stretches.append({**_ends(*ends(piece.low, piece.high)), "holds": holds, "pieces": proofs})
    return AlongCertificate({"question": question, "stretches": stretches}) if stretches else None


def _ends(low: Fraction, high: Fraction | None) -> Json:
    return {"low": str(low), "high": None if high is None else str(high)}


def _meets(x: Threshold, low: Fraction, high: Fraction) -> bool:
    """Is the number, or a part of its bracket, between these?"""
    if x.exact is not None:
        return x.exact >= low and x.exact <= high
    return x.low is not None and x.high is not None and fraction(x.low) <= high and fraction(x.high) >= low
