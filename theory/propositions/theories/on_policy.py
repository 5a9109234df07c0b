"""Weighted edges of a Markov chain, where sums of squares show (prop-5, extra-on-policy, field-10)."""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.propositions.theories.namespace import Namespace
from theory.symbolic.matrices import Draw, identity_matrix

SIZES = ({"S": 3, "F": 2}, {"S": 4, "F": 3}, {"S": 2, "F": 2})


@cache
def on_policy_theory() -> Namespace:
    """D stationary for P, lifted to edges: Q = diag(d_s P_ss') weighs them, Src and Dst pick their ends."""
    n = Namespace("gamma")
    T, Phi, Q = n.T, n.letters("Phi", "F -> S"), n.letters("Q", "edges -> edges", symmetric=True)
    Src, Dst = n.letters("Src Dst", "S -> edges")
    D, P = n.letters("D", "S -> S", symmetric=True), n.letters("P", "S -> S")
    T.assume("edges leave with D", Src.T * Q * Src, D)
    T.assume("edges arrive with D", Dst.T * Q * Dst, D)
    T.assume("edges move by P", Src.T * Q * Dst, D * P)
    T.model(_stationary_edges, *SIZES)
    n.A = T.abbreviate("A", Phi.T * D * (1 - T.gamma * P) * Phi, latex=r"A_\mu")
    n.Xi = T.inverse(Phi.T * D * Phi, "Xi", of="X", latex="X^{-1}")
    n.Pi = T.abbreviate("Pi", Phi * n.Xi * Phi.T * D)
    return n


def _stationary_edges(draw: Draw) -> dict[str, Any]:
    S = draw.dims["S"]
    P = draw.stochastic(S)
    d = _stationary(P)
    D = draw.diagonal(d)
    return {"P": P, "D": D, **edges(draw, D * P), "gamma": abs(draw.number())}


def edges(draw: Draw, weights: fmpq_mat) -> dict[str, fmpq_mat]:
    """All pairs of states as edges with these weights, and their ends."""
    S = draw.dims["S"]
    pairs = draw.dims["edges"] = S * S
    Src = fmpq_mat(pairs, S, [int(e // S == s) for e in range(pairs) for s in range(S)])
    Dst = fmpq_mat(pairs, S, [int(e % S == s) for e in range(pairs) for s in range(S)])
    return {"Src": Src, "Dst": Dst, "Q": draw.diagonal(weights.entries())}


def _stationary(P: fmpq_mat) -> list[Any]:
    """dP = d, Σd = 1, for a P with positive entries."""
    n = P.nrows()
    system = P.transpose() - identity_matrix(n)
    for j in range(n):
        system[n - 1, j] = 1
    return system.solve(fmpq_mat(n, 1, [0] * (n - 1) + [1])).entries()
