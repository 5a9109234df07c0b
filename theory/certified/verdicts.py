r"""Certified verdicts on a problem: each decided, with a certificate, at any distance from the boundary.

    chain_unbiased          ρ(γΠP) < 1          θᵏ* → θ_π for every start (prop-3)
    td_stable               all Re λ(A) > 0     off-policy TD converges for small step sizes
    window_stable           ρ(G_T) < 1          T updates per target network
    step_size_admissible    ρ(I − αM) < 1       Richardson iteration with M = A, A_μ, X or the joint matrix
    richardson_converges    the same for any M
    mean_stable             all Re λ(M) > 0     any method with mean matrix M, for small step sizes
    iteration_converges     ρ(M) < 1            any method with iteration matrix M
    uniformly_safe          γλ_max(sym(D^½PD^−½)) < 1, safe for every Φ (in `theory.certified.verdicts`)

Of exact problems the answer is exact; of problems in floats it is the answer for the rationals that the doubles
denote. The inequalities are strict: on the boundary the verdict is no, and its reason says *tie*.

Dependent features (F > S, copies, zero columns, Baird's counterexample) are first made independent: eigenvalues that
belong to ker Φ are seen by no value function and do not count (`theory.model.linear_model`). Where Φ = 0 there is
nothing to learn and no eigenvalue, and every verdict holds vacuously.

Is a problem safe for every choice of features? (extra-uniform-safety)

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

from theory.budgets import UNIFORM_BITS, UNIFORM_STATES
from theory.certified.answers import NO, UNDECIDED, YES, Answer, Certificate, Verdict
from theory.certified.decide import confirmed, decide
from theory.certified.proofs import Signature, Witness
from theory.certified.questions import (
    ChainUnbiased,
    IterationConverges,
    MeanStable,
    Question,
    TDStable,
    UniformlySafe,
    WindowStable,
)
from theory.exact.matrices import fraction, identity, matrix, rational, scaled_rows
from theory.linear.spectra import worst_direction
from theory.model.balls import TINY, UNIT, Bounded, is_positive_definite, precision
from theory.model.linear_model import exact_model
from theory.problems import InvalidProblem, Problem
from theory.problems.graph import check_ends
from theory.problems.numbers import (
    Array,
    as_array,
    as_exact,
    as_floats,
    as_number,
    check_arithmetic,
)
from theory.problems.validate import check_gamma, check_probabilities, check_shape, first_uncovered_move
from theory.text.numbers import significant

__all__ = [
    "Answer",
    "Certificate",
    "Verdict",
    "chain_unbiased",
    "iteration_converges",
    "mean_stable",
    "richardson_converges",
    "step_size_admissible",
    "td_stable",
    "uniformly_safe",
    "window_stable",
]

STEPS = ("td", "behaviour", "sequential", "joint")


def td_stable(problem: Problem, confirm: bool = False) -> Verdict:
    """Do all eigenvalues of A, structural zeros apart, have positive real part?

    With `confirm`, here and below, the proof is repeated by the independent checker before it counts.

    >>> from theory.problems import Problem
    >>> at = lambda gamma: Problem.from_matrices(gamma, Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"])
    >>> td_stable(at("0.8")).holds, td_stable(at("5/6")).reason
    (yes, 'tie: the smallest Re λ is 0 exactly, at 0 (det A = 0)')
    """
    return _about(problem, TDStable, confirm)


def chain_unbiased(problem: Problem, confirm: bool = False) -> Verdict:
    """Is ρ(γΠP) < 1, so that the chain's bias vanishes from every start?

    >>> from theory.problems import Problem
    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [-3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> verdict = chain_unbiased(swap)
    >>> verdict.holds, td_stable(swap).holds, verdict.certificate.recheck()
    (no, yes, True)
    >>> print(verdict)
    the chain is biased: 1 of 1 eigenvalue with |λ| > 1, by the signature of a Stein matrix
    """
    return _about(problem, ChainUnbiased, confirm)


def window_stable(problem: Problem, window: int, step_size: Any, start: str = "hot", confirm: bool = False) -> Verdict:
    r"""Does TD with a target network that is replaced every T = `window` updates converge?

    Hot start keeps the parameters, e ← G_T e with G_T = I − S_T A, S_T = α Σ_{j<T} (I − αX)ʲ; cold start resets them,
    and the condition is ρ(S_T γY) < 1. Neither form inverts X. T = 1 hot is TD; T → ∞ is the chain.
    """
    if isinstance(window, bool) or not isinstance(window, int) or window < 1:
        raise InvalidProblem(f"the number of updates must be an integer of 1 or more, got {window!r}", "window")
    if start not in ("hot", "cold"):
        raise InvalidProblem(f"must be 'hot' or 'cold', got {start!r}", "start")
    alpha = _step_size(step_size)
    if problem.is_large:
        from theory.certified import large

        return large.window_stable(problem, window, alpha, start, confirm)
    return decide(WindowStable(problem, alpha, window, start), confirm)


def step_size_admissible(problem: Problem, alpha: Any, which: str = "td") -> Verdict:
    """Does θ ← θ + α(b − Mθ) converge from every start, as a value function?

    `which`: ``td`` M = A; ``behaviour`` M = A_μ, head 0 of a chain; ``sequential`` M = X, each later head;
    ``joint`` all heads at once, block triangular with A_μ and X on the diagonal, so it converges
    exactly when both do, whatever the chain's length.
    """
    if which not in STEPS:
        raise InvalidProblem(f"must be one of {', '.join(STEPS)}, got {which!r}", "which")
    m, step = exact_model(problem), rational(_step_size(alpha))
    one = identity(m.rank)
    if which == "joint":
        parts = [step_size_admissible(problem, alpha, part) for part in ("behaviour", "sequential")]
        return next((part for part in parts if not part.proved), parts[0])
    if which == "behaviour" and problem.given.P_mu is None:
        raise InvalidProblem("A_mu needs the behaviour's own chain, and only its distribution is known", "P_mu")
    M = m.X if which == "sequential" else m.A if which == "td" else m.along(m.P_mu, m.r).A
    return decide(IterationConverges(one - step * M))


def richardson_converges(M: Any, alpha: Any) -> Verdict:
    """Is ρ(I − αM) < 1 for this matrix? An eigenvalue 0 of M is a tie at +1: no structure is assumed.

    >>> richardson_converges([[0, 1], [-1, 1]], 1).reason
    'tie: ρ = 1 exactly, an eigenvalue pair on the unit circle'
    """
    exact = _square(M)
    return decide(IterationConverges(identity(exact.nrows()) - rational(_step_size(alpha)) * exact))


def mean_stable(M: Any) -> Verdict:
    """Do all eigenvalues of this matrix have positive real part?

    >>> mean_stable([[1, -2], [1, -1]]).reason
    'tie: the smallest Re λ is 0 exactly, at an imaginary pair'
    """
    return decide(MeanStable(_square(M)))


def iteration_converges(M: Any) -> Verdict:
    """Are all eigenvalues of this matrix within the unit circle?"""
    return decide(IterationConverges(_square(M)))


def _about(problem: Problem, kind: type[TDStable | ChainUnbiased], confirm: bool) -> Verdict:
    if problem.is_large:  # SciPy's sparse matrices are imported only for those who have one
        from theory.certified import large

        return large.decided(problem, kind, confirm)
    return decide(kind(problem), confirm)


def _square(M: Any) -> fmpq_mat:
    if isinstance(M, fmpq_mat):
        return M
    array = as_array(M, 2, "M")
    if array.shape[0] != array.shape[1]:
        raise InvalidProblem(f"must be square, got {array.shape[0]}×{array.shape[1]}", "M")
    return matrix(as_exact(array))


def _step_size(alpha: Any) -> Fraction:
    return Fraction(as_number(alpha, "step_size"))


def uniformly_safe(d: Any, P: Any, gamma: Any, confirm: bool = False) -> Verdict:
    """Are TD and the chain safe for these weights d, transitions P and discount, whatever the features?

    >>> verdict = uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "9/10")
    >>> verdict.holds, uniformly_safe(["9/10", "1/10"], [[0, 1], [1, 0]], "3/5").reason
    (no, 'tie: γλ_max(sym(D^½PD^−½)) = 1, xᵀD(I − γP)x = 0 for a feature x')
    """
    d_, P_, gamma_ = as_array(d, 1, "d"), as_array(P, 2, "P"), check_gamma(gamma, ends=True)
    check_shape(P_, (len(d_), len(d_)), "states × states", "P")
    check_probabilities(d_, "d")
    check_probabilities(P_, "P", ends=True)
    check_ends(gamma_, P_, "chain")
    check_arithmetic()
    seen = np.asarray(d_ != 0, dtype=bool)
    if not seen.all():
        move = first_uncovered_move(P_, d_) if gamma_ else None
        if move is not None:
            unsafe = _towards_unvisited(UniformlySafe(gamma_, P_, d_), *move)
            return confirmed(unsafe) if confirm else unsafe
        d_, P_ = d_[seen], P_[np.ix_(seen, seen)]  # no other state has a part in A
    question = UniformlySafe(gamma_, P_, d_)
    verdict = _in_doubles(question)
    verdict = _in_fractions(question) if verdict is None else verdict
    return confirmed(verdict) if confirm else verdict


def safe_for_every_feature(problem: Problem, confirm: bool = False, progress: Any = None) -> Verdict:
    """Are TD and the chain safe for a problem's weights, transitions and discount, whatever the features?"""
    if problem.is_large:
        from theory.certified import large

        return large.large_safety(problem, progress)
    g = problem.given
    return uniformly_safe(g.d_mu, g.P_pi, g.gamma, confirm)


def _towards_unvisited(question: UniformlySafe, s: int, t: int) -> Verdict:
    """With d_t = 0 the feature e_s + k e_t has xᵀD(I − γP)x = d_s(1 − γP_ss − γkP_st), −d_s for the k taken here."""
    gamma, stay, move = (Fraction(x) for x in (question.gamma, question.P[s, s], question.P[s, t]))
    x = np.array([Fraction(0)] * len(question.d), dtype=object)
    x[s], x[t] = Fraction(1), (2 - gamma * stay) / (gamma * move)
    return _unsafe(question, x, rational(-Fraction(question.d[s])), "exact")


def _in_doubles(question: UniformlySafe) -> Verdict | None:
    """With a bound on every entry; None where that does not tell."""
    d, P = as_floats(question.d, "d"), as_floats(question.P, "P")
    M = P * (-float(question.gamma) * d)[:, None]
    M[np.diag_indices_from(M)] += d
    # Of an entry up to three factors are rounded, and two products and a sum: less than 8u, and what underflows.
    rad = np.abs(M)
    rad[np.diag_indices_from(rad)] += 2 * d
    N = Bounded(M, 8 * UNIT * rad + TINY)
    if (N + N.transpose()).is_positive_definite():
        return _safe(question, "floats")
    if d.min() < 1e-200:  # then 1/√d is out of range, and so is the worst feature
        return None
    guess = worst_direction(d, P)[1]
    x = Bounded((guess / np.abs(guess).max())[:, None], np.zeros((len(d), 1)))
    form = x.transpose() * (N * x)
    value, off = float(form.mid[0, 0]), float(form.rad[0, 0])
    return _unsafe(question, x.mid[:, 0], value, "floats") if value + off < 0 else None


def _in_fractions(question: UniformlySafe) -> Verdict:
    """In balls, then exactly: the first leading minor that is not positive gives the witness."""
    d, S = matrix(question.d), len(question.d)
    if S > UNIFORM_STATES:
        reason = f"undecided: too near to the boundary for doubles, and {S} states are too many for fractions"
        return Verdict(question, UNDECIDED, reason, "undecided")
    N = scaled_rows(d.entries(), identity(S) - rational(Fraction(question.gamma)) * matrix(question.P))
    H = N + N.transpose()
    with precision(UNIFORM_BITS):
        if is_positive_definite(arb_mat(H)):
            return _safe(question, f"balls of {UNIFORM_BITS} bits")
    for k in range(1, S + 1):
        if _corner(H, k).det() <= 0:
            x = _kernel(H, k)
            column = matrix(x)
            return _unsafe(question, x, (column.transpose() * N * column)[0, 0], "exact")
    return _safe(question, "exact")


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
