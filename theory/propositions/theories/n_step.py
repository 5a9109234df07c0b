"""Moments of n steps (n-step, extra-n-step)."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import SIZES, a_problem_without_step, anything, standard_letters, with_inverse
from theory.symbolic.theory import Theory


@cache
def n_step_theory() -> Chapter:
    """n-step moments (n-step): r_n = Σ_{j<n} γʲPʲr, X_n = X, Y_n = ΦᵀDPⁿΦ, b_n = ΦᵀDr_n."""
    T = Theory("gamma")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters), v=T.op("v", "1 -> S"))
    T.assume("v = r + gamma P v", n.v, n.r + T.gamma * n.P * n.v)
    T.model(a_problem_without_step, *SIZES)
    T.model(anything, *SIZES)
    n.P_n = T.power(n.P, "P", index="n", latex="P^n")
    n.g_n = T.scalar_sequence("g", 1, lambda g: T.gamma * g, index="n", latex=r"\gamma^n")
    n.r_n = T.sequence("r", 0 * n.r, lambda s: s + n.g_n * n.P_n * n.r, index="n")
    n.Y_n = T.abbreviate("Y_n", n.Phi.T * n.D * n.P_n * n.Phi)
    n.b_n = T.abbreviate("b_n", n.Phi.T * n.D * n.r_n)
    n.C_n = T.abbreviate("C_n", n.g_n * n.Xi * n.Phi.T * n.D * n.P_n)
    T.lemma("r_n+1 = r + gamma P r_n", T.next(n.r_n, "n"), n.r + T.gamma * n.P * n.r_n)
    return n
