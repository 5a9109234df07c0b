"""X may be singular (claim-baird)."""

from __future__ import annotations

from functools import cache
from typing import Any

from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import a_problem_without_step, standard_letters
from theory.symbolic.matrices import Draw
from theory.symbolic.theory import Theory


@cache
def singular_theory() -> Chapter:
    """X may be singular: ΦX⁻X = Φ is all that Π² = Π and vᵏ = Π(r + γPvᵏ⁻¹) need (claim-baird)."""
    T = Theory("gamma")
    letters = standard_letters(T)
    n = Chapter(T, **letters, Xg=T.op("Xg", "F -> F", latex="X^{-}"))
    T.assume("Phi Xg X = Phi", n.Phi * n.Xg * n.X, n.Phi)
    n.before, n.now = T.op("before", "1 -> F", latex=r"\theta^{k-1}"), T.op("now", "1 -> F", latex=r"\theta^k")
    T.assume("X now = gamma Y before + b", n.X * n.now, T.gamma * n.Y * n.before + n.b)
    T.model(_rank_deficient, {"S": 3, "F": 2}, {"S": 3, "F": 3}, {"S": 2, "F": 3}, {"S": 4, "F": 3})
    n.Pi = T.abbreviate("Pi", n.Phi * n.Xg * n.Phi.T * n.D)
    return n


def _rank_deficient(draw: Draw) -> dict[str, Any]:
    S, F = draw.dims["S"], draw.dims["F"]
    return {**a_problem_without_step(draw), "Phi": draw.matrix(S, F - 1) * draw.matrix(F - 1, F)}
