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
from flint import arb, arb_mat, fmpq, fmpq_mat

from theory.certified.answers import NO, UNDECIDED, YES, Verdict
from theory.certified.balls import is_positive_definite, precision
from theory.certified.bounded import TINY, UNIT, Bounded
from theory.certified.decide import confirmed
from theory.certified.evidence import Signature, Witness
from theory.certified.questions import Question, UniformlySafe
from theory.exact.matrices import fraction, identity, matrix, rational, scaled_rows
from theory.linear.spectra import worst_direction
from theory.problems.numbers import Array, FloatArray, Number, as_array, as_floats
from theory.problems.validate import check_ends, check_gamma, check_probabilities, check_shape, check_visited
from theory.text.numbers import significant

PRECISIONS = (128, 512)
LARGE, LARGEST = 200, 600  # states from which on doubles come first, and up to which fractions come at all


def uniformly_safe(d: Any, P: Any, gamma: Any, confirm: bool = False, guess: FloatArray | None = None) -> Verdict:
    """Are TD and the chain safe for these weights d, transitions P and discount, whatever the features?

    `guess` is the worst feature in floats, where it is known already.

    >>> verdict = uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "9/10")
    >>> verdict.holds, uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "3/5").reason
    (no, 'tie: γλ_max(sym(D^½PD^−½)) = 1, xᵀD(I − γP)x = 0 for a feature x')
    """
    d_, P_, gamma_ = as_array(d, 1, "d"), as_array(P, 2, "P"), check_gamma(gamma, ends=True)
    check_shape(P_, (len(d_), len(d_)), "states × states", "P")
    check_probabilities(d_, "d")
    check_probabilities(P_, "P", ends=True)
    check_visited(d_, "d")
    check_ends(gamma_, P_, "chain")
    question = UniformlySafe(gamma_, P_, d_)
    guess = _worst_feature(d_, P_) if guess is None else guess / np.abs(guess).max()
    verdict = _in_doubles(question, guess) if len(d_) > LARGE else None
    if verdict is None and len(d_) > LARGEST:
        reason = f"undecided: too near to the boundary for doubles, and {len(d_)} states are too many for balls"
        return Verdict(question, UNDECIDED, reason, "undecided")
    verdict = _decided(question, d_, P_, gamma_, guess) if verdict is None else verdict
    return confirmed(verdict) if confirm else verdict


def _in_doubles(question: UniformlySafe, guess: FloatArray | None) -> Verdict | None:
    """With a bound on every entry, for many states: S² fractions would fill the memory."""
    q = question
    d, P = as_floats(q.d, "d"), as_floats(q.P, "P")
    M = P * (-float(q.gamma) * d)[:, None]
    M[np.diag_indices_from(M)] += d
    # Of an entry up to three factors are rounded, and two products and a sum: less than 8u, and what underflows.
    rad = np.abs(M)
    rad[np.diag_indices_from(rad)] += 2 * d
    N = Bounded(M, 8 * UNIT * rad + TINY)
    if guess is not None:
        x = Bounded(guess[:, None], np.zeros((len(guess), 1)))
        form = x.transpose() * (N * x)
        if form.mid[0, 0] + form.rad[0, 0] < 0:
            return _unsafe(q, guess, float(form.mid[0, 0]), "floats")
    return _safe(q, "floats") if (N + N.transpose()).is_positive_definite() else None


def _decided(question: Question, d_: Array, P_: Array, gamma_: Number, guess: FloatArray | None) -> Verdict:
    N = _matrix(d_, P_, Fraction(gamma_))
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
    weights = as_floats(d, "d")
    if weights.min() < 1e-200:  # then 1/√d is out of range, and so is the guess
        return None
    x = worst_direction(weights, as_floats(P, "P"))[1]
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
    return Verdict(question, YES, reason, method, Signature(None, (1,) * question.shape[0]))


def _unsafe(question: Question, x: Array, form: fmpq | float, method: str) -> Verdict:
    if form == 0:
        reason = "tie: γλ_max(sym(D^½PD^−½)) = 1, xᵀD(I − γP)x = 0 for a feature x"
    else:
        reason = f"a single feature x has A = xᵀD(I − γP)x = {significant(arb(form), 3)} < 0"
    return Verdict(question, NO, reason, method, Witness(x))
