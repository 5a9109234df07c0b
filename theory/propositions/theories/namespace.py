r"""A theory with its letters as attributes: how statements declare one.

The standard letters are Φ : F → S, D = diag(d_μ), P = P_π, r : 1 → S; X = ΦᵀDΦ, Y = ΦᵀDPΦ, A = X − γY, b = ΦᵀDr, and
with X⁻¹ also G = γX⁻¹Y (the paper's B), Π = ΦX⁻¹ΦᵀD, C = γX⁻¹ΦᵀDP. Nothing is assumed of D but symmetry, of P
nothing, so that what is proved holds more generally.

The engine solves each assumption for the last letter in it, so eigenvectors are declared before their matrices.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from flint import fmpq_mat

from theory.symbolic.theory import Claim, Theory


class Namespace(SimpleNamespace):
    """A theory `T`, its letters as attributes, and the identities that a statement claims in it."""

    T: Theory
    claims: list[Claim]

    def __init__(self, scalars: str = "") -> None:
        super().__init__(T=Theory(scalars), claims=[])

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def letters(self, names: str, arrow: str, *, symmetric: bool = False, **latex: str) -> Any:
        r"""Declare letters of one type: ``start, b = n.letters("start b", "1 -> F", start=r"\theta_0")``."""
        found = [self.T.op(name, arrow, symmetric=symmetric, latex=latex.get(name)) for name in names.split()]
        self.__dict__.update(zip(names.split(), found, strict=True))
        return found if len(found) > 1 else found[0]

    def with_problem(self) -> Namespace:
        """Declare Φ, D, P, r and what is made of them without an inverse."""
        T, Phi, D = self.T, self.letters("Phi", "F -> S"), self.letters("D", "S -> S", symmetric=True)
        P, r = self.letters("P", "S -> S"), self.letters("r", "1 -> S")
        self.X = T.abbreviate("X", Phi.T * D * Phi)
        self.Y = T.abbreviate("Y", Phi.T * D * P * Phi)
        self.b = T.abbreviate("b", Phi.T * D * r)
        self.A = T.abbreviate("A", self.X - T.gamma * self.Y)
        return self

    def with_inverse(self) -> Namespace:
        """Declare X⁻¹ and what is made of it."""
        T = self.T
        self.Xi = T.inverse(self.X, "Xi", of="X", latex="X^{-1}")
        self.Pi = T.abbreviate("Pi", self.Phi * self.Xi * self.Phi.T * self.D)
        self.C = T.abbreviate("C", T.gamma * self.Xi * self.Phi.T * self.D * self.P)
        self.G = T.abbreviate("B", T.gamma * self.Xi * self.Y)
        return self

    def state(self, name: str, left: Any, right: Any = 0) -> None:
        """Claim an identity."""
        self.claims.append(self.T.claim(name, left, right))


def kronecker(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
    """a ⊗ b."""
    rows, columns = a.nrows() * b.nrows(), a.ncols() * b.ncols()
    p, q = b.nrows(), b.ncols()
    return fmpq_mat(rows, columns, [a[i // p, j // q] * b[i % p, j % q] for i in range(rows) for j in range(columns)])


def sending(M: fmpq_mat, V: fmpq_mat, image: fmpq_mat) -> fmpq_mat:
    """M, changed by as little as possible so that it sends the columns of V, which are independent, to `image`."""
    return M + (image - M * V) * (V.transpose() * V).inv() * V.transpose()
