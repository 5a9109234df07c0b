"""An eigenvalue p + iq with the real and imaginary part of its eigenvector (prop-1, prop-5, prop-7)."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.chapter import Chapter
from theory.symbolic.theory import Theory


@cache
def eigenvalue_theory() -> Chapter:
    """Real and imaginary part of an eigenvector of M."""
    T = Theory("alpha lam p q")
    u, w = T.op("u", "1 -> N"), T.op("w", "1 -> N")
    M = T.op("M", "N -> N")
    T.assume("M u = p u - q w", M * u, T.p * u - T.q * w)
    T.assume("M w = q u + p w", M * w, T.q * u + T.p * w)
    return Chapter(T, M=M, u=u, w=w)
