"""Problems with known answers, and random ones of any size, for the tests of `theory.linear`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.exact.matrices import fractions
from theory.linear.spectra import chain_spectrum, td_spectrum
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


def float_sides(problem: Problem) -> tuple[str, str]:
    """Is TD stable, is the chain unbiased: "yes", "no", or "undecided" near a boundary, in floats."""
    A, B = td_spectrum(problem), chain_spectrum(problem)
    rooms = A.real / np.abs(A).max(initial=1e-300), 1 - np.abs(B)
    return tuple(_side(room) for room in rooms)


def _side(room) -> str:
    return "yes" if (room > 1e-6).all() else "no" if (room < -1e-6).any() else "undecided"


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
