"""Expectations over pairs of state and action (eq-td, eq-chain)."""

from __future__ import annotations

from functools import cache
from typing import Any

from flint import fmpq_mat

from theory.propositions.theories.namespace import Namespace
from theory.symbolic.matrices import Draw


@cache
def sampling_theory() -> Namespace:
    """Expectations over pairs: Of picks a pair's state, N its successor's law, W, Mu, Rho, Pi are diagonal on pairs."""
    n = Namespace("gamma alpha")
    T, Phi, Of = n.T, n.letters("Phi", "F -> S"), n.letters("Of", "S -> pairs")
    D = n.letters("D", "S -> S", symmetric=True)
    W, Mu, Rho, Pi = n.letters("W Mu Rho Pi", "pairs -> pairs", symmetric=True)
    N, reward = n.letters("N", "S -> pairs"), n.letters("reward", "1 -> pairs")
    n.letters("theta lower", "1 -> F", lower=r"\theta^{k-1}")
    P, r = n.letters("P", "S -> S"), n.letters("r", "1 -> S")
    T.assume("weights d(s)", Of.T * W, D * Of.T)
    T.assume("coverage: mu rho = pi", Mu * Rho, Pi)
    T.assume("pi sums to 1", Of.T * Pi * Of, 1)
    T.assume("mu sums to 1", Of.T * Mu * Of, 1)
    T.assume("P_pi from pi", Of.T * Pi * N, P)
    T.assume("r_pi from pi", Of.T * Pi * reward, r)
    sizes = ({"S": 3, "F": 2}, {"S": 2, "F": 2}, {"S": 4, "F": 3})
    T.model(_an_mdp, *sizes)
    T.model(_weights_that_mix, *sizes)
    n.X, n.Y = T.abbreviate("X", Phi.T * D * Phi), T.abbreviate("Y", Phi.T * D * P * Phi)
    n.b, n.A = T.abbreviate("b", Phi.T * D * r), T.abbreviate("A", n.X - T.gamma * n.Y)
    n.features = T.abbreviate("features", Of * Phi, latex=r"\varphi")  # one row a pair
    n.successor = T.abbreviate("successor", N * Phi, latex=r"\varphi'")  # E[φ' | s, a]
    n.visited = T.abbreviate("visited", n.features.T * W * Mu, latex=r"\varphi^\top W_\mu")  # φ times what follows
    n.corrected = T.abbreviate("corrected", n.visited * Rho, latex=r"\varphi^\top W_\pi")
    return n


def _an_mdp(draw: Draw) -> dict[str, Any]:
    """Two actions, both policies positive, D a distribution."""
    S = draw.dims["S"]
    pairs = draw.dims["pairs"] = 2 * S
    d = draw.distribution(S)
    mu, pi = ([p for _ in range(S) for p in draw.distribution(2)] for _ in range(2))
    Of = fmpq_mat(pairs, S, [int(i // 2 == s) for i in range(pairs) for s in range(S)])
    N, reward = fmpq_mat([draw.distribution(S) for _ in range(pairs)]), draw.matrix(pairs, 1)
    Pi = draw.diagonal(pi)
    diagonals = {"D": d, "W": [d[i // 2] for i in range(pairs)], "Mu": mu, "Pi": pi}
    diagonals["Rho"] = [p / m for p, m in zip(pi, mu, strict=True)]
    averages = {"P": Of.transpose() * Pi * N, "r": Of.transpose() * Pi * reward}
    return {"Of": Of, "N": N, "reward": reward, **averages, **{x: draw.diagonal(v) for x, v in diagonals.items()}}


def _weights_that_mix(draw: Draw) -> dict[str, Any]:
    """W need not be diagonal, nor commute with Mu: it may do anything to what sums to zero in each state."""
    values, S = _an_mdp(draw), draw.dims["S"]
    apart = fmpq_mat(2 * S, S, [(i // 2 == s) * (-1) ** i for i in range(2 * S) for s in range(S)])
    return {**values, "W": values["W"] + apart * draw.symmetric(S) * apart.transpose()}
