"""The real part of an eigenvalue, from the symmetric part of its matrix (prop-5, prop-7)."""

from __future__ import annotations

from functools import cache

from theory.propositions.theories.chapter import Chapter
from theory.symbolic.theory import Theory


@cache
def real_part_theory() -> Chapter:
    """The real part of an eigenvalue p + iq of any matrix, read off its symmetric part."""
    T = Theory("p q")
    u, w = T.op("u", "1 -> N"), T.op("w", "1 -> N")
    A = T.op("A", "N -> N")
    T.assume("A u = p u - q w", A * u, T.p * u - T.q * w)
    T.assume("A w = q u + p w", A * w, T.q * u + T.p * w)
    return Chapter(T, A=A, u=u, w=w)
