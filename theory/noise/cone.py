r"""Certificates of mean-square stability: is ρ₂ < 1, proved by a tuple of matrices that other code checks.

The second moments of x ← M_m x along the moves obey a map L that keeps the cone of tuples of positive semidefinite
matrices (`theory.noise.mean_square`). A tuple Y ≻ 0 with Y − L(Y) ≻ 0 proves ρ₂ < 1, one with L(Y) − Y ≻ 0 (on the
nodes where Y is not 0) ρ₂ > 1. Near its eigenvector V, L(V) = ρ₂V, every tuple does the one or the other: so V is found
in floats, rounded to short rationals, and the inequalities are tested exactly. What is proved does not depend on how V
was found. Maps of doubles are the rationals that they denote.

*Brackets*: the step size at which ρ₂ passes 1 is found in floats and enclosed between two step sizes with opposite
certificates. That nothing fails below the lower one is seen at powers of two only, and not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq_mat

from theory.certified import recheck
from theory.certified.answers import Answer
from theory.certified.verdicts import iteration_converges
from theory.exact.matrices import is_positive_definite, matrix, rational
from theory.problems.numbers import Array, FloatArray

BITS = 40  # of the entries of a tuple, relative to its largest
DENSE = 150  # numbers up to which all eigenvalues are found
MOST_NUMBERS = 40_000  # N·D²
MOST_WORK = 2e7  # moves·D³: exact products of half a minute
WIDTHS = tuple(Fraction(1, 10**k) for k in (9, 8, 7, 6, 5, 4, 3, 2))
HALVINGS = 40
SOLVED, RESTART, ROUNDS = 1e-10, 80, 12  # of Y = L(Y) + I, which proves stability where V alone does not
SEARCH = 1e-10  # relative error of ρ₂ while looking for where it passes 1


class Moves(NamedTuple):
    """Moves between N nodes with their maps of D numbers, exactly."""

    nodes: int
    node: Array  # (m,)
    next_node: Array  # (m,)
    probability: list[Fraction]
    maps: Array  # (m, D, D), fractions


@dataclass(frozen=True, eq=False)
class MoveFamily:
    """Moves whose maps are C + αA: one diagonal block of a learner."""

    nodes: int
    node: Array  # (m,)
    next_node: Array  # (m,)
    probability: list[Fraction]
    constant: Array  # (m, D, D), fractions
    linear: Array

    def at(self, alpha: Fraction) -> Moves:
        """One step size, exactly."""
        maps = self.constant + Fraction(alpha) * self.linear
        return Moves(self.nodes, self.node, self.next_node, self.probability, maps)

    @property
    def is_affordable(self) -> bool:
        """Is an exact test a matter of seconds?"""
        m, D, _ = self.constant.shape
        return self.nodes * D * D <= MOST_NUMBERS and m * D**3 <= MOST_WORK

    def perron(self, alpha: float, near: FloatArray | None = None, tolerance: float = 0.0) -> tuple[float, FloatArray]:
        """ρ₂ and V (N, D, D) in floats, looked for from a tuple near it where one is known."""
        C, A = self._floats
        N, D = self.nodes, self.linear.shape[1]
        start = np.tile(np.eye(D), (N, 1, 1)) if near is None else near
        return _perron(self._operator(C + alpha * A), start, tolerance)

    def summed(self, alpha: float) -> FloatArray:
        """Y = L(Y) + I in floats: positive definite also at nodes that V does not see, as those of a first memory."""
        from scipy.sparse.linalg import LinearOperator, gmres

        C, A = self._floats
        apply, N, D = self._operator(C + alpha * A), self.nodes, self.linear.shape[1]
        one = np.tile(np.eye(D), (N, 1, 1)).ravel()
        rest = LinearOperator((one.size, one.size), matvec=lambda y: y - apply(y), dtype=np.float64)
        Y = gmres(rest, one, rtol=SOLVED, restart=RESTART, maxiter=ROUNDS)[0].reshape(N, D, D)
        return np.asarray((Y + Y.swapaxes(1, 2)) / 2)

    @cached_property
    def _floats(self) -> tuple[FloatArray, FloatArray]:
        return self.constant.astype(np.float64), self.linear.astype(np.float64)

    def _operator(self, M: FloatArray) -> Callable[[FloatArray], FloatArray]:
        from scipy import sparse

        N, D = self.nodes, M.shape[1]
        weighted = np.array([float(p) for p in self.probability])[:, None, None] * M
        turned = M.swapaxes(1, 2)
        arrive = sparse.csr_array((np.ones(len(M)), (self.next_node, np.arange(len(M)))), shape=(N, len(M)))

        def apply(flat: FloatArray) -> FloatArray:
            moved = weighted @ flat.reshape(N, D, D)[self.node] @ turned
            out: FloatArray = arrive @ moved.reshape(len(M), D * D)
            return out.ravel()

        return apply


@dataclass(frozen=True, eq=False)
class MeanSquareCertificate:
    """Is ρ₂ < 1? With the tuple that proves it; `recheck` proves it again in independent code."""

    document: dict[str, Any]

    @property
    def stable(self) -> bool:
        """ρ₂ < 1; else ρ₂ > 1, since without a proof there is no certificate."""
        return bool(self.document["holds"])

    def recheck(self) -> bool:
        """Exact, in plain integers."""
        return recheck.check(self.document)


def certify(family: MoveFamily, alpha: Fraction, near: FloatArray | None = None) -> MeanSquareCertificate | None:
    """A certificate either way; None where floats do not find one, as at ρ₂ = 1, or where it would take long."""
    if not family.is_affordable:
        return None
    rho, V = family.perron(float(alpha), near)
    holds, moves = rho < 1, family.at(alpha)
    maps = [matrix(M) for M in moves.maps]
    for tuples in (V, *([family.summed(float(alpha))] if holds else [])):
        cone = _rounded(tuples, keep=holds)
        if cone is not None and _proves(moves, maps, cone, holds):
            return MeanSquareCertificate(_document(moves, cone, holds))
    return None


def _perron(apply: Callable[[FloatArray], FloatArray], start: FloatArray, tolerance: float) -> tuple[float, FloatArray]:
    n = start.size
    values, vectors = None, None
    if n > DENSE:
        from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

        L = LinearOperator((n, n), matvec=apply, dtype=np.float64)
        with suppress(ArpackNoConvergence):
            values, vectors = eigs(L, k=1, which="LR", v0=start.ravel(), ncv=40, tol=tolerance)
    if values is None or vectors is None:
        values, vectors = np.linalg.eig(np.column_stack([apply(e) for e in np.eye(n)]))
    at = int(np.argmax(values.real))  # the radius is an eigenvalue: the cone is kept
    rho, v = float(values[at].real), vectors[:, at].real
    V = v.reshape(start.shape)
    V = (V + V.swapaxes(1, 2)) / 2
    return rho, V if np.trace(V, axis1=1, axis2=2).sum() >= 0 else -V


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


def _proves(moves: Moves, maps: list[fmpq_mat], cone: list[fmpq_mat | None], holds: bool) -> bool:
    if not all(Y is None or is_positive_definite(Y) for Y in cone):
        return False
    D = moves.maps.shape[1]
    total = [fmpq_mat(D, D) for _ in cone]
    for i, j, p, M in zip(moves.node.tolist(), moves.next_node.tolist(), moves.probability, maps, strict=True):
        Z = cone[i]
        if Z is not None and cone[j] is not None:
            total[j] = total[j] + rational(p) * (M * Z * M.transpose())
    return all(
        is_positive_definite(Y - L if holds else L - Y) for Y, L in zip(cone, total, strict=True) if Y is not None
    )


def _document(moves: Moves, cone: list[fmpq_mat | None], holds: bool) -> dict[str, Any]:
    shown = [
        {
            "node": i,
            "next": j,
            "probability": str(p),
            "map": [[int(r), int(c), str(M[r, c])] for r, c in zip(*np.nonzero(M), strict=True)],
        }
        for i, j, p, M in zip(moves.node.tolist(), moves.next_node.tolist(), moves.probability, moves.maps, strict=True)
    ]
    question = {"kind": "mean-square", "nodes": moves.nodes, "size": moves.maps.shape[1], "moves": shown}
    tuples = [None if Y is None else [[str(x) for x in row] for row in Y.tolist()] for Y in cone]
    return {"question": question, "holds": holds, "cone": tuples}


@dataclass(frozen=True, eq=False)
class StepBracket:
    """ρ₂ < 1 at `low` and ρ₂ > 1 at `high`, each with its certificate."""

    low: Fraction
    high: Fraction
    below: tuple[MeanSquareCertificate, ...]  # of every block
    above: MeanSquareCertificate


def step_bracket(families: Sequence[MoveFamily]) -> StepBracket | str:
    """Around the step size at which ρ₂ of some block passes 1; or why there is none."""
    if not all(one.is_affordable for one in families):
        return "too many second moments for a certificate"

    known: list[FloatArray | None] = [None] * len(families)

    def rho(alpha: float) -> float:
        """Each block's search begins where the last one ended."""
        worst = 0.0
        for at, one in enumerate(families):
            radius, known[at] = one.perron(alpha, known[at], SEARCH)
            worst = max(worst, radius)
        return worst

    found = _Radius(rho, "mean square").passes_one()
    if isinstance(found, str):
        return found
    near = Fraction(found).limit_denominator(10**12)
    below, above = _end(families, near, -1, known), _end(families, near, 1, known)
    if below is None or above is None:
        return f"changes near {found:.6g} in floats, with no certificate within a hundredth of it"
    failing = next(c for c in above[1] if not c.stable)
    return StepBracket(below[0], above[0], tuple(below[1]), failing)


def mean_bracket(C: Array, A: Array) -> tuple[Fraction, Fraction] | str:
    """Around the step size at which ρ(C + αA) passes 1, from two opposite certified verdicts; or why there is none."""
    floats = C.astype(np.float64), A.astype(np.float64)
    radius = _Radius(lambda alpha: float(np.abs(np.linalg.eigvals(floats[0] + alpha * floats[1])).max()), "the mean")
    found = radius.passes_one()
    if isinstance(found, str):
        return found
    near, ends = Fraction(found).limit_denominator(10**12), []
    for side in (-1, 1):
        sizes = (near * (1 + side * width) for width in WIDTHS)
        wanted = (Answer.YES if side < 0 else Answer.NO,)
        ends.append(next((a for a in sizes if iteration_converges(C + a * A).holds in wanted), None))
    low, high = ends
    if low is None or high is None:
        return f"changes near {found:.6g} in floats, with no certificate within a hundredth of it"
    return low, high


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
    families: Sequence[MoveFamily], near: Fraction, side: int, known_near: Sequence[FloatArray | None]
) -> tuple[Fraction, list[MeanSquareCertificate]] | None:
    for width in WIDTHS:
        alpha = near * (1 + side * width)
        found = [certify(one, alpha, V) for one, V in zip(families, known_near, strict=True)]
        known = [c for c in found if c is not None]
        if side > 0 and any(not c.stable for c in known):
            return alpha, known
        if side < 0 and len(known) == len(found) and all(c.stable for c in known):
            return alpha, known
    return None
