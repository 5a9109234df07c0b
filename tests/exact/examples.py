"""The paper's problems and the audit's, written out by hand for the exact tests, and what a verdict must bring."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import settings

from theory.certified.answers import plain
from theory.problems import MDP, Problem

EXACT = settings(max_examples=25, deadline=None)

SWAP = [[0, 1], [1, 0]]


def twostate(gamma="99/100", r_pi=(1, 1)):
    """One feature, X = 5/2 and Y = 3, so A = 5/2 − 3γ and B = 6γ/5; μ goes left or right with a coin, π right."""
    P_mu = [["1/2", "1/2"]] * 2
    return Problem.from_matrices(gamma, Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], r_pi=r_pi, P_mu=P_mu, r_mu=[0, 1])


def threestate(gamma="9/10"):
    mdp = MDP([[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1]]], [[-1, 1]] * 3, gamma)
    return Problem.from_mdp(mdp, pi=[1, 1, 1], mu=[["1/2", "1/2"]] * 3, Phi=[[1, 1, 1], [1, 2, 1], [2, 2, 1]])


def baird(gamma="9/10", *, reward=True):
    """Seven states, eight features; "solid" (1) goes to the last state, "dashed" (0) to another.

    TD is stable exactly for γ < 15/17, and Π = I.
    """
    R = [["-1/6", 1]] * 7 if reward else [[0, 0]] * 7
    Phi = [[2 * (i == j) for j in range(7)] + [1] for i in range(6)] + [[0] * 6 + [1, 2]]
    mdp = MDP([[["1/6"] * 6 + [0], [0] * 6 + [1]]] * 7, R, gamma)
    return Problem.from_mdp(mdp, pi=[1] * 7, mu=[["6/7", "1/7"]] * 7, Phi=Phi)


def quadrant(Phi, gamma="9/10", **more):
    """extra-quadrants: one MDP, four cases by the choice of Φ."""
    return Problem.from_matrices(gamma, Phi=Phi, P_pi=SWAP, d_mu=["9/10", "1/10"], **more)


def middle_window(gamma="99/100"):
    """extra-target-network: TD and the chain fail, and a target network of T = 8..127 updates works at α = 1/16."""
    P = [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
    d = ["6/16", "9/16", "1/16"]
    return Problem.from_matrices(gamma, Phi=[[2, -5], [0, -1], [4, -5]], P_pi=P, d_mu=d)


def random_problem(rng: np.random.Generator, S: int, F: int, gamma="9/10"):
    """Small integers over their sums; μ's chain is positive, so it has a stationary distribution."""

    def row():
        w = [int(x) for x in rng.integers(1, 20, size=S)]
        return [Fraction(x, sum(w)) for x in w]

    return Problem.from_matrices(
        gamma,
        Phi=rng.integers(-5, 6, size=(S, F)),
        P_pi=[row() for _ in range(S)],
        P_mu=[row() for _ in range(S)],
        r_pi=rng.integers(-3, 4, size=S),
        r_mu=rng.integers(-3, 4, size=S),
    )


def behaved(problem):
    """The problem with a behaviour that has d_μ as its stationary distribution, where it had none: μ ignores where
    it is."""
    e = problem.exact
    if e.P_mu is not None and e.r_mu is not None:
        return problem
    P_mu = np.tile(e.d_mu, (problem.n_states, 1)) if e.P_mu is None else e.P_mu
    return Problem.from_matrices(
        e.gamma, Phi=e.Phi, P_pi=e.P_pi, r_pi=e.r_pi, d_mu=e.d_mu, P_mu=P_mu, r_mu=e.r_pi if e.r_mu is None else e.r_mu
    )


def certified(verdict, problem=None):
    """The answer, once its certificate has proved it again and is about this problem, where one is given."""
    assert verdict.certificate.document["holds"] == verdict.proved
    assert verdict.certificate.recheck()
    assert problem is None or concerns(verdict.certificate, problem)
    return verdict.proved


def concerns(certificate, problem):
    """Is the certificate's question about this problem? All numbers are compared exactly."""
    q, g = certificate.document["question"], problem.given
    letters = {"gamma": g.gamma, "P": g.P_pi, "d": g.d_mu, "Phi": g.Phi}
    return "M" not in q and all(plain(letters[name]) == q[name] for name in letters if name in q)
