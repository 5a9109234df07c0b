r"""Certificates of mean-square stability: is ρ₂ < 1, proved by a tuple of matrices that other code checks.

The second moments of x ← M_m x along the moves obey a map L that keeps the cone of tuples of positive semidefinite
matrices (`theory.noise.moments`). A tuple Y ≻ 0 with Y − L(Y) ≻ 0 proves ρ₂ < 1, one with L(Y) − Y ≻ 0 (on the
nodes where Y is not 0) ρ₂ > 1. Near its eigenvector V, L(V) = ρ₂V, every tuple does the one or the other: so V is found
in floats, rounded to short rationals, and the inequalities are tested exactly. What is proved does not depend on how V
was found. Maps of doubles are the rationals that they denote.

*Brackets*: the step size at which ρ₂ passes 1 is found in floats and enclosed between two step sizes with opposite
certificates. That nothing fails below the lower one is seen at powers of two only, and not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq_mat, fmpz_mat

from theory.certified.answers import Answer
from theory.certified.recheck import checker as recheck
from theory.certified.verdicts import iteration_converges
from theory.exact.matrices import fractions, is_positive_definite, matrix, rational
from theory.noise.errors import ErrorChain, floats
from theory.noise.moments import Moments
from theory.problems.numbers import Array, FloatArray

BITS = 40  # of the entries of a tuple, relative to its largest
MOST_NUMBERS = 40_000  # N·D²
MOST_WORK = 2e7  # moves·D³: exact products of half a minute
WIDTHS = tuple(Fraction(1, 10**k) for k in (7, 6, 5, 4, 3, 2))
HALVINGS = 40
SOLVED, RESTART, ROUNDS = 1e-10, 80, 12  # of Y = L(Y) + I, which proves stability where V alone does not
SEARCH = 1e-10  # relative error of ρ₂ while looking for where it passes 1


@dataclass(frozen=True, eq=False)
class MeanSquareCertificate:
    """Is ρ₂ < 1? With the tuple that proves it; `recheck` proves it again in independent code."""

    chain: ErrorChain
    maps: Sequence[fmpq_mat]  # of the moves
    cone: Sequence[fmpq_mat | None]  # of the nodes
    stable: bool  # ρ₂ < 1; else ρ₂ > 1, since without a proof there is no certificate

    @cached_property
    def document(self) -> dict[str, Any]:
        """The question with all its numbers, the answer and the tuple."""
        chain, shown = self.chain, []
        for i, j, p, M in zip(chain.node.tolist(), chain.next_node.tolist(), chain.probability, self.maps, strict=True):
            entries = [[r, c, str(x)] for r, row in enumerate(M.tolist()) for c, x in enumerate(row) if x]
            shown.append({"node": i, "next": j, "probability": str(p), "map": entries})
        question = {"kind": "mean-square", "nodes": len(chain.nodes), "size": chain.size, "moves": shown}
        tuples = [None if Y is None else [[str(x) for x in row] for row in Y.tolist()] for Y in self.cone]
        return {"question": question, "holds": self.stable, "cone": tuples}

    def recheck(self) -> bool:
        """Exact, in plain integers."""
        return recheck.check(self.document)


def is_affordable(chain: ErrorChain) -> bool:
    """Is an exact test a matter of seconds?"""
    D = chain.size
    return len(chain.nodes) * D * D <= MOST_NUMBERS and len(chain.node) * D**3 <= MOST_WORK


def certify(moments: Moments, alpha: Fraction, near: FloatArray | None = None) -> MeanSquareCertificate | None:
    """A certificate either way of a block; None where floats find none, as at ρ₂ = 1, or where it would take long."""
    chain = moments.chain
    if not is_affordable(chain):
        return None
    rho, V = moments.perron(float(alpha), near=near)
    holds = rho < 1
    maps = [matrix(M) for M in chain.mixed((alpha, 0))[:, :-1, :-1]]
    for tuples in (lambda: V, *([lambda: _summed(moments, float(alpha))] if holds else [])):
        cone = _rounded(tuples(), keep=holds)
        if cone is not None and _proves(chain, maps, cone, holds):
            return MeanSquareCertificate(chain, maps, cone, holds)
    return None


def _summed(moments: Moments, alpha: float) -> FloatArray:
    """Y = L(Y) + I in floats: positive definite also at nodes that V does not see, as those of a first memory."""
    from scipy.sparse.linalg import LinearOperator, gmres

    N, D = len(moments.chain.nodes), moments.size
    apply = moments.applied(moments.chain.in_floats.mixed((alpha, 0))[:, :-1, :-1])
    one = np.tile(np.eye(D), (N, 1, 1)).ravel()
    rest = LinearOperator((one.size, one.size), matvec=lambda y: y - apply(y), dtype=np.float64)
    Y = gmres(rest, one, rtol=SOLVED, restart=RESTART, maxiter=ROUNDS)[0].reshape(N, D, D)
    return np.asarray((Y + Y.swapaxes(1, 2)) / 2)


def _rounded(V: FloatArray, keep: bool) -> list[fmpq_mat | None] | None:
    """Short rationals; nodes that V does not see have none, which only an unstable tuple may."""
    top = np.abs(V).max()
    if not np.isfinite(top) or top == 0:
        return None
    unit = 2**BITS / top
    found: list[fmpq_mat | None] = []
    for block in V:
        if np.abs(block).max() < 1e-13 * top:
            if keep:
                return None
            found.append(None)
            continue
        whole = [[round(float(x) * unit) for x in row] for row in np.tril(block) + np.tril(block, -1).T]
        found.append(fmpq_mat([[rational(x) for x in row] for row in whole]))
    return found


def _proves(chain: ErrorChain, maps: list[fmpq_mat], cone: list[fmpq_mat | None], holds: bool) -> bool:
    """Tested in whole numbers: the maps times their common denominator, and the probabilities times theirs."""
    if not all(Y is None or is_positive_definite(Y) for Y in cone):
        return False
    unit = lcm(*(int(M.numer_denom()[1]) for M in maps))
    share = lcm(*(int(p.q) for p in chain.probability))
    whole = [(unit * M).numer_denom()[0] for M in maps]
    tuples = [None if Y is None else Y.numer_denom()[0] for Y in cone]
    total = [fmpz_mat(chain.size, chain.size) for _ in cone]
    for i, j, p, M in zip(chain.node.tolist(), chain.next_node.tolist(), chain.probability, whole, strict=True):
        Z = tuples[i]
        if Z is not None and tuples[j] is not None:
            total[j] += int((share * p).p) * (M * Z * M.transpose())
    gaps = (share * unit**2 * Y - L for Y, L in zip(tuples, total, strict=True) if Y is not None)
    return all(is_positive_definite(fmpq_mat(gap if holds else -gap)) for gap in gaps)


@dataclass(frozen=True, eq=False)
class StepBracket:
    """ρ₂ < 1 at `low` and ρ₂ > 1 at `high`, each with its certificate."""

    low: Fraction
    high: Fraction
    below: tuple[MeanSquareCertificate, ...]  # of every block
    above: MeanSquareCertificate


def step_bracket(blocks: Sequence[Moments]) -> StepBracket | str:
    """Around the step size at which ρ₂ of some block passes 1; or why there is none."""
    if not all(is_affordable(one.chain) for one in blocks):
        return "too many second moments for a certificate"

    known: list[FloatArray | None] = [None] * len(blocks)

    def rho(alpha: float) -> float:
        """Each block's search begins where the last one ended."""
        worst = 0.0
        for at, one in enumerate(blocks):
            radius, known[at] = one.perron(alpha, near=known[at], tolerance=SEARCH)
            worst = max(worst, radius)
        return worst

    found = _Radius(rho, "mean square").passes_one()
    if isinstance(found, str):
        return found
    near = Fraction(found).limit_denominator(10**12)
    below, above = _end(blocks, near, -1, known), _end(blocks, near, 1, known)
    if below is None or above is None:
        return f"changes near {found:.6g} in floats, with no certificate within a hundredth of it"
    failing = next(c for c in above[1] if not c.stable)
    return StepBracket(below[0], above[0], tuple(below[1]), failing)


def mean_bracket(chain: ErrorChain) -> tuple[Fraction, Fraction] | str:
    """Around the step size at which ρ(C + αA) of an averaged chain passes 1, from two opposite certified verdicts."""
    C, A = chain.parts[:2, 0, :-1, :-1]
    floating = floats(C), floats(A)
    radius = _Radius(
        lambda alpha: float(np.abs(np.linalg.eigvals(floating[0] + alpha * floating[1])).max()), "the mean"
    )
    found = radius.passes_one()
    if isinstance(found, str):
        return found
    near, ends = Fraction(found).limit_denominator(10**12), []
    for side in (-1, 1):
        sizes = (near * (1 + side * width) for width in WIDTHS)
        wanted = Answer.YES if side < 0 else Answer.NO
        ends.append(next((a for a in sizes if iteration_converges(_fractions(C, A, a)).holds == wanted), None))
    low, high = ends
    if low is None or high is None:
        return f"changes near {found:.6g} in floats, with no certificate within a hundredth of it"
    return low, high


def _fractions(C: Array, A: Array, alpha: Fraction) -> Array:
    return fractions(matrix(C + rational(alpha) * A)).reshape(C.shape)


@dataclass(frozen=True, eq=False)
class _Radius:
    """A spectral radius over step sizes, in floats."""

    at: Callable[[float], float]
    where: str

    def passes_one(self) -> float | str:
        """The step size at which it passes 1 above the largest power of two at which it is below; or a reason."""
        from scipy.optimize import brentq

        low = 1.0
        for _ in range(HALVINGS):
            if self.at(low) < 1:
                break
            low /= 2
        else:
            return f"unstable in {self.where} at all powers of two from 1 to 2^-{HALVINGS} (in floats)"
        high = 2 * low
        while self.at(high) < 1:
            low, high = high, 2 * high
            if high > 2.0**HALVINGS:
                return f"stable in {self.where} at all powers of two up to 2^{HALVINGS} (in floats)"
        return float(brentq(lambda alpha: (self.at(alpha) - 1) / alpha, low, high, rtol=1e-11, maxiter=60))


def _end(
    blocks: Sequence[Moments], near: Fraction, side: int, known_near: Sequence[FloatArray | None]
) -> tuple[Fraction, list[MeanSquareCertificate]] | None:
    for width in WIDTHS:
        alpha = near * (1 + side * width)
        found = [certify(one, alpha, V) for one, V in zip(blocks, known_near, strict=True)]
        known = [c for c in found if c is not None]
        if side > 0 and any(not c.stable for c in known):
            return alpha, known
        if side < 0 and len(known) == len(found) and all(c.stable for c in known):
            return alpha, known
    return None
