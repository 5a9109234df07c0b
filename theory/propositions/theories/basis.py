"""Features of the same span, Φ' = ΦR (extra-basis)."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import SIZES, a_problem_without_step, anything, standard_letters, with_inverse
from theory.symbolic.theory import Theory


@cache
def basis_theory() -> Chapter:
    """Features of the same span, Φ' = ΦR: Π stays, B becomes similar, A congruent."""
    T = Theory("gamma lam")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters), R=T.op("R", "F -> F"))
    n.Ri = T.inverse(n.R, "Ri", of="R", latex="R^{-1}")
    n.Phi2 = T.define("Phi2", n.Phi * n.R, latex=r"\Phi'")
    n.X2 = T.abbreviate("X2", n.Phi2.T * n.D * n.Phi2, latex="X'")
    n.Xi2 = T.inverse(n.X2, "Xi2", of="X2", latex="X'^{-1}")
    n.Y2 = T.abbreviate("Y2", n.Phi2.T * n.D * n.P * n.Phi2, latex="Y'")
    T.model(a_problem_without_step, *SIZES)
    T.model(anything, *SIZES)
    T.lemma("Xi2 = Ri Xi Ri'", n.Xi2, n.Ri * n.Xi * n.Ri.T)
    return n
