"""Eigenvectors of CΦ, ΦC and Π (prop-3, prop-8)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.propositions.theories.chapter import Chapter
from theory.propositions.theories.paper import standard_letters, with_inverse
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.theory import Theory


@cache
def spectral_theory() -> Chapter:
    """Eigenvectors as letters: nonzero spectra of CΦ and ΦC agree (prop-3); Π has eigenvalues 0 and 1 (prop-8)."""
    T = Theory("gamma lam kappa")
    v, w, u = T.op("v", "1 -> F"), T.op("w", "1 -> S"), T.op("u", "1 -> S")
    letters = standard_letters(T)
    n = Chapter(T, **letters, **with_inverse(T, letters), v=v, w=w, u=u)
    n.lam, n.kappa = T.lam, T.kappa
    T.assume("C Phi v = lam v", n.C * n.Phi * v, T.lam * v, solve_for="P")
    T.assume("Phi C w = lam w", n.Phi * n.C * w, T.lam * w, solve_for="P")
    T.assume("Pi u = kappa u", n.Pi * u, T.kappa * u)
    for kappa in (1, 0, None):
        T.model(_eigenvectors(kappa), {"S": 4, "F": 2}, {"S": 5, "F": 3}, {"S": 3, "F": 2})
    return n


def _eigenvectors(kappa: int | None) -> Callable[[Draw], dict[str, Any]]:
    """κ = 1 with u in the span of Φ, κ = 0 with u in the kernel of Π, or any κ with u = 0; P gets v and w."""

    def function(draw: Draw) -> dict[str, Any]:
        S, F = draw.dims["S"], draw.dims["F"]
        Phi, D = draw.matrix(S, F), draw.diagonal(draw.distribution(S))
        while not (Phi.transpose() * D * Phi).det():
            Phi = draw.matrix(S, F)
        Xi, y = (Phi.transpose() * D * Phi).inv(), draw.matrix(S, 1)
        inside = Phi * Xi * Phi.transpose() * D * y
        values = {"Phi": Phi, "D": D, **_with_eigenvectors(draw, Phi, D, Xi)}
        if kappa is None:
            return {**values, "u": fmpq_mat(S, 1)}
        return {**values, "kappa": kappa, "u": inside if kappa else y - inside}

    return function


def _with_eigenvectors(draw: Draw, Phi: fmpq_mat, D: fmpq_mat, Xi: fmpq_mat) -> dict[str, Any]:
    """P = Φ·R·L + (1 − Π)·Z with L = X⁻¹ΦᵀD, so that CΦ = γR, where R has two chosen eigenvectors."""
    S, F = Phi.nrows(), Phi.ncols()
    basis = draw.matrix(F, F)
    while not basis.det():
        basis = draw.matrix(F, F)
    gamma, lam = abs(draw.number()), draw.number()
    L = Xi * Phi.transpose() * D
    R = basis * Draw.diagonal([lam / gamma] * 2 + [draw.number() for _ in range(F - 2)]) * basis.inv()
    P = Phi * R * L + (identity_matrix(S) - Phi * L) * draw.matrix(S, S)
    mix, other = draw.matrix(2, 1), draw.matrix(2, 1)
    two = fmpq_mat([[basis[i, j] for j in range(2)] for i in range(F)])
    return {"P": P, "gamma": gamma, "lam": lam, "v": two * mix, "w": Phi * two * other}
