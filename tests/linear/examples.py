"""Problems with known answers, and random ones of any size, for the tests of `theory.linear`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.exact.matrices import fractions
from theory.model.linear_model import exact_moments
from theory.problems import MDP, Problem


def baird(gamma="9/10", *, reward: bool = True) -> Problem:
    """Seven states, eight features, solid (to the last state) pays 1 and dashed −1/6: v_μ = 0, v_π = 1/(1−γ)."""
    P = [[["1/6"] * 6 + [0], [0] * 6 + [1]]] * 7
    R = [["-1/6", 1] if reward else [0, 0]] * 7
    Phi = [[2 * (i == j) for j in range(7)] + [1] for i in range(6)] + [[0] * 6 + [1, 2]]
    return Problem.from_mdp(MDP(P, R, gamma), pi=[1] * 7, mu=[["6/7", "1/7"]] * 7, Phi=Phi, name="baird")


def twostate(gamma, r_pi=(0, 0)) -> Problem:
    """X = 5/2, Y = 3."""
    return Problem.from_matrices(
        gamma, Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], P_mu=[["1/2", "1/2"]] * 2, r_pi=list(r_pi), r_mu=[0, 0]
    )


def swap(Phi) -> Problem:
    """The two-state MDP of extra-quadrants."""
    return Problem.from_matrices("9/10", Phi=Phi, P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])


QUADRANTS = {
    ("yes", "yes"): [[1], [0]],
    ("no", "no"): [[1], [3]],
    ("yes", "no"): [[1], [-3]],
    ("no", "yes"): [[1, 0], [3, 1]],
}  # (TD stable, chain unbiased) → Φ

FINITE_WINDOW = Problem.from_matrices(
    "99/100",
    Phi=[[2, -5], [0, -1], [4, -5]],
    P_pi=[[0, 0, 1], [0, 0, 1], [1, 0, 0]],
    r_pi=[1, 0, -1],
    d_mu=["6/16", "9/16", "1/16"],
    name="finite-window",
)


def random_problem(seed: int, S: int, F: int, gamma: float = 0.9) -> Problem:
    """A dense random problem with stationary d_μ and normal features."""
    rng = np.random.default_rng(seed)
    P_pi, P_mu = rng.dirichlet(np.ones(S), S), rng.dirichlet(np.ones(S), S)
    return Problem.from_matrices(
        gamma,
        Phi=rng.normal(size=(S, F)),
        P_pi=P_pi,
        P_mu=P_mu,
        r_pi=rng.normal(size=S),
        r_mu=rng.normal(size=S),
    )


def projection(problem: Problem) -> np.ndarray:
    """Π = D^{−½}·(D^½Φ)(D^½Φ)⁺·D^½."""
    root = np.sqrt(problem.d_mu)
    weighted = root[:, None] * problem.Phi
    return weighted @ np.linalg.pinv(weighted) * root / root[:, None]


def joint(problem: Problem, K: int) -> tuple[np.ndarray, np.ndarray]:
    """M and b† of the heads 0..K, rounded from rationals."""
    M, b = exact_moments(problem).joint(K)
    return fractions(M).astype(float).reshape(M.nrows(), -1), np.atleast_1d(fractions(b)).astype(float)


def within_unit_circle(spectrum) -> str:
    """Is every modulus below one, as far as the eigenvalues' errors allow?"""
    room, error = 1 - np.abs(spectrum.eigenvalues), spectrum.error
    if (room > error).all():
        return "yes"
    return "no" if (room < -error).any() else "undecided"


def exact_chain(problem: Problem, K: int, start) -> list[list[Fraction]]:
    """θᵏ for k = 0..K with Fractions and Cramer-free elimination: a second route for regular X."""
    e = problem.exact
    S, F = e.Phi.shape
    d, Phi, P, r, gamma = e.d_mu, e.Phi, e.P_pi, e.r_pi, e.gamma

    def moment(left, right):
        return sum((d[s] * left[s] * right[s] for s in range(S)), Fraction(0))

    ahead = [[sum((P[s, t] * Phi[t, j] for t in range(S)), Fraction(0)) for j in range(F)] for s in range(S)]
    X = [[moment(Phi[:, i], Phi[:, j]) for j in range(F)] for i in range(F)]
    Y = [[moment(Phi[:, i], [row[j] for row in ahead]) for j in range(F)] for i in range(F)]
    b = [moment(Phi[:, i], r) for i in range(F)]
    theta = [[Fraction(x) for x in start]]
    for _ in range(K):
        rhs = [b[i] + gamma * sum((Y[i][j] * theta[-1][j] for j in range(F)), Fraction(0)) for i in range(F)]
        theta.append(solve_fractions(X, rhs))
    return theta


def solve_fractions(A, b) -> list[Fraction]:
    """Gauss–Jordan elimination."""
    n = len(A)
    rows = [[*map(Fraction, row), Fraction(y)] for row, y in zip(A, b, strict=True)]
    for i in range(n):
        pivot = next(j for j in range(i, n) if rows[j][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(n):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]
