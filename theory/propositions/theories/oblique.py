"""The TD solution beside v_π, Π and A⁻¹ (field-8, field-9)."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import SIZES, a_problem_without_step, anything, standard_letters, with_inverse
from theory.symbolic.theory import Theory


@cache
def oblique_theory() -> Chapter:
    """v = r + γPv, Aθ_π = b, and O = ΦA⁻¹ΦᵀD(1 − γP)."""
    T = Theory("gamma")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters), v=T.op("v", "1 -> S"), theta_pi=T.op("theta_pi", "1 -> F"))
    T.assume("v = r + gamma P v", n.v, n.r + T.gamma * n.P * n.v)
    T.assume("A theta_pi = b", n.A * n.theta_pi, n.b)
    n.Ai = T.inverse(n.A, "Ai", of="A", latex="A^{-1}")
    T.model(a_problem_without_step, *SIZES)
    T.model(anything, *SIZES)
    n.O = T.abbreviate("O", n.Phi * n.Ai * n.Phi.T * n.D * (1 - T.gamma * n.P))
    return n
