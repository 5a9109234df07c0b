r"""Certified verdicts on a problem: each decided, with a certificate, at any distance from the boundary.

    chain_unbiased          ρ(γΠP) < 1          θᵏ* → θ_π for every start (prop-3)
    td_stable               all Re λ(A) > 0     off-policy TD converges for small step sizes
    window_stable           ρ(G_T) < 1          T updates per target network
    step_size_admissible    ρ(I − αM) < 1       Richardson iteration with M = A, A_μ, X or the joint matrix
    richardson_converges    the same for any M
    mean_stable             all Re λ(M) > 0     any method with mean matrix M, for small step sizes
    iteration_converges     ρ(M) < 1            any method with iteration matrix M
    uniformly_safe          γλ_max(sym(D^½PD^−½)) < 1, safe for every Φ (in `theory.certified.uniform`)

Of exact problems the answer is exact; of problems in floats it is the answer for the rationals that the doubles
denote. The inequalities are strict: on the boundary the verdict is no, and its reason says *tie*.

Dependent features (F > S, copies, zero columns, Baird's counterexample) are first made independent: eigenvalues that
belong to ker Φ are seen by no value function and do not count (`theory.model.linear_model`). Where Φ = 0 there is
nothing to learn and no eigenvalue, and every verdict holds vacuously.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq_mat

from theory.certified.answers import Answer, Certificate, Verdict
from theory.certified.decide import decide
from theory.certified.questions import ChainUnbiased, IterationConverges, MeanStable, TDStable, WindowStable
from theory.certified.uniform import uniformly_safe
from theory.exact.matrices import identity, matrix, rational
from theory.model.linear_model import exact_model
from theory.problems import InvalidProblem, Problem
from theory.problems.numbers import as_array, as_exact, as_number

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


def mean_stable(M: Any, confirm: bool = False) -> Verdict:
    """Do all eigenvalues of this matrix have positive real part?

    >>> mean_stable([[1, -2], [1, -1]]).reason
    'tie: the smallest Re λ is 0 exactly, at an imaginary pair'
    """
    return decide(MeanStable(_square(M)), confirm)


def iteration_converges(M: Any, confirm: bool = False) -> Verdict:
    """Are all eigenvalues of this matrix within the unit circle?"""
    return decide(IterationConverges(_square(M)), confirm)


def _about(problem: Problem, kind: type[TDStable | ChainUnbiased], confirm: bool) -> Verdict:
    if problem.is_large:  # SciPy's sparse matrices are imported only for those who have one
        from theory.certified import large

        return large.decided(problem, kind.kind, confirm)
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
