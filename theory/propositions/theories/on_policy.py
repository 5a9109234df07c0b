"""D stationary for P, as weights of edges (prop-5, extra-on-policy)."""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.propositions.theories.chapter import Chapter
from theory.symbolic.matrices import Draw, identity_matrix
from theory.symbolic.theory import Theory


@cache
def on_policy_theory() -> Chapter:
    """Built once."""
    return build_on_policy()


def build_on_policy() -> Chapter:
    """Stationarity lifted to edges, where sums of squares show (prop-5).

    Q = diag(d_s P_ss') weighs the edges, Src and Dst pick their ends.
    """
    T = Theory("gamma")
    Phi, Q = T.op("Phi", "F -> S"), T.op("Q", "edges -> edges", symmetric=True)
    Src, Dst = T.op("Src", "S -> edges"), T.op("Dst", "S -> edges")
    D, P = T.op("D", "S -> S", symmetric=True), T.op("P", "S -> S")
    T.assume("edges leave with D", Src.T * Q * Src, D)
    T.assume("edges arrive with D", Dst.T * Q * Dst, D)
    T.assume("edges move by P", Src.T * Q * Dst, D * P)
    T.model(_edges, {"S": 3, "F": 2}, {"S": 4, "F": 3}, {"S": 2, "F": 2})
    A = T.abbreviate("A", Phi.T * D * (1 - T.gamma * P) * Phi, latex=r"A_\mu")
    n = Chapter(T, Phi=Phi, Q=Q, Src=Src, Dst=Dst, D=D, P=P, A=A)
    return n


def _edges(draw: Draw) -> dict[str, Any]:
    S = draw.dims["S"]
    P = draw.stochastic(S)
    d = _stationary(P)
    draw.dims["edges"] = S * S
    Src = fmpq_mat(S * S, S, [int(e // S == s) for e in range(S * S) for s in range(S)])
    Dst = fmpq_mat(S * S, S, [int(e % S == s) for e in range(S * S) for s in range(S)])
    Q = Draw.diagonal([d[e // S] * P[e // S, e % S] for e in range(S * S)])
    return {"P": P, "D": Draw.diagonal(d), "Src": Src, "Dst": Dst, "Q": Q, "gamma": abs(draw.number())}


def _stationary(P: fmpq_mat) -> list[Any]:
    """dP = d, Σd = 1, for a P with positive entries."""
    n = P.nrows()
    system = P.transpose() - identity_matrix(n)
    for j in range(n):
        system[n - 1, j] = 1
    return system.solve(fmpq_mat(n, 1, [0] * (n - 1) + [1])).entries()
