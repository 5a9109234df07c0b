r"""Is a problem safe for every choice of features? (extra-uniform-safety)

For given D, P, γ these are equivalent: TD is stable for all Φ; the chain is unbiased for all Φ;
γλ_max(sym(D^½PD^−½)) < 1. The last has square roots, but multiplying I − γ sym(D^½PD^−½) by D^½ from
both sides is a congruence, which keeps definiteness:

    2D − γ(DP + PᵀD) = 2 D^½ (I − γ sym(D^½PD^−½)) D^½ ≻ 0.

So with N = D(I − γP) the condition is N + Nᵀ ≻ 0, rational. Where it fails some x ≠ 0 has xᵀNx ≤ 0, and x itself
is the single feature that breaks everything: Φ = x has A = xᵀNx ≤ 0 and
ρ(γΠP) = |γxᵀDPx|/xᵀDx ≥ 1. On the boundary, A = 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb_mat, fmpq, fmpq_mat

from theory.certified.answers import NO, YES, Verdict
from theory.certified.balls import is_positive_definite, precision
from theory.certified.decide import confirmed
from theory.certified.evidence import Symmetric, Witness
from theory.certified.questions import Question, UniformlySafe
from theory.exact.matrices import fraction, identity, matrix, rational, scaled_rows
from theory.problems.numbers import Array, FloatArray, Number, as_array, as_floats
from theory.problems.validate import check_gamma, check_probabilities, check_shape, check_visited

PRECISIONS = (128, 512)


def uniformly_safe(d: Any, P: Any, gamma: Any, confirm: bool = False) -> Verdict:
    """Are TD and the chain safe for these weights d, transitions P and discount, whatever the features?

    >>> verdict = uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "9/10")
    >>> verdict.holds, uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "3/5").reason
    (no, 'tie: γλ_max(sym(D^½PD^−½)) = 1, xᵀD(I − γP)x = 0 for a feature x')
    """
    d_, P_, gamma_ = as_array(d, 1, "d"), as_array(P, 2, "P"), check_gamma(gamma)
    check_shape(P_, (len(d_), len(d_)), "states × states", "P")
    for value, name in ((d_, "d"), (P_, "P")):
        check_probabilities(value, name)
    check_visited(d_, "d")
    verdict = _decided(UniformlySafe(gamma_, P_, d_), d_, P_, gamma_)
    return confirmed(verdict) if confirm else verdict


def _decided(question: Question, d_: Array, P_: Array, gamma_: Number) -> Verdict:
    N = _matrix(d_, P_, Fraction(gamma_))
    guess = _worst_feature(d_, P_)
    if guess is not None and _form(N, guess) < 0:
        return _unsafe(question, guess, _form(N, guess), "floats, confirmed exactly")
    H = N + N.transpose()
    for bits in PRECISIONS:
        with precision(bits):
            if is_positive_definite(arb_mat(H)):
                return _safe(question, f"balls of {bits} bits")
    for k in range(1, H.nrows() + 1):  # the first leading minor that is not positive gives the witness
        if _corner(H, k).det() <= 0:
            x = _kernel(H, k)
            return _unsafe(question, x, _form(N, x), "exact")
    return _safe(question, "exact")


def _worst_feature(d: Array, P: Array) -> FloatArray | None:
    """D^−½ times the top eigenvector of sym(D^½PD^−½), in floats: the best guess of a witness."""
    root = np.sqrt(as_floats(d, "d"))
    if root.min() < 1e-100:  # then 1/root is out of range, and so is the guess
        return None
    Z = root[:, None] * as_floats(P, "P") / root
    x = np.linalg.eigh((Z + Z.T) / 2)[1][:, -1] / root
    return x / np.abs(x).max()


def _matrix(d: Array, P: Array, gamma: Fraction) -> fmpq_mat:
    """N = D(I − γP)."""
    return scaled_rows(matrix(d).entries(), identity(len(d)) - rational(gamma) * matrix(P))


def _form(N: fmpq_mat, x: Array) -> fmpq:
    column = matrix(x)
    return (column.transpose() * N * column)[0, 0]


def _corner(H: fmpq_mat, k: int) -> fmpq_mat:
    return fmpq_mat([row[:k] for row in H.tolist()[:k]])


def _kernel(H: fmpq_mat, k: int) -> Array:
    """(y, 1, 0, …) with H_{k−1} y = −h: its form is the k-th pivot, det H_k / det H_{k−1} ≤ 0."""
    x = np.array([Fraction(0)] * H.nrows(), dtype=object)
    x[k - 1] = Fraction(1)
    if k > 1:
        y = _corner(H, k - 1).solve(fmpq_mat([[-H[i, k - 1]] for i in range(k - 1)]))
        x[: k - 1] = [fraction(v) for v in y.entries()]
    return x


def _safe(question: Question, method: str) -> Verdict:
    reason = "2D − γ(DP + PᵀD) ≻ 0, so γλ_max(sym(D^½PD^−½)) < 1: safe for every Φ"
    return Verdict(question, YES, reason, method, Symmetric())


def _unsafe(question: Question, x: Array, form: fmpq, method: str) -> Verdict:
    if form == 0:
        reason = "tie: γλ_max(sym(D^½PD^−½)) = 1, xᵀD(I − γP)x = 0 for a feature x"
    else:
        reason = f"a single feature x has A = xᵀD(I − γP)x = {float(fraction(form)):.3g} < 0"
    return Verdict(question, NO, reason, method, Witness(x))
