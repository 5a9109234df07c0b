"""PyRlEnvs' kernels: its own transition matrix, rewards and values, recomputed with its loops, are ours."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from theory.problems import MDP, InvalidProblem, Problem


def chain(n=5, exact=False):
    """A random walk: an end on either side, which pays 1 on the right; K leads back to the start where T ends."""
    K, Rs, T = (np.zeros((n, 2, n), dtype=int) for _ in range(3))
    for s in range(n):
        for a, step in enumerate((-1, 1)):
            to = s + step
            end = not 0 <= to < n
            K[s, a, n // 2 if end else to] = 1
            T[s, a, n // 2 if end else to] = end
            Rs[s, a, n // 2 if end else to] = int(to == n)
    d0 = np.eye(n, dtype=int)[n // 2]
    kind = (lambda x: x.tolist()) if exact else (lambda x: x.astype(float))
    return SimpleNamespace(K=kind(K), Rs=kind(Rs), T=kind(T), d0=kind(d0))


@pytest.mark.parametrize("exact", [True, False])
def test_transitions_and_rewards_are_those_of_its_own_loops(exact):
    env, pi = chain(exact=exact), np.tile([0.25, 0.75], (5, 1))
    mdp = MDP.from_finite_dynamics(env, "9/10" if exact else 0.9)
    K, Rs, T = (np.array(x, dtype=float) for x in (env.K, env.Rs, env.T))
    P, r = np.zeros((5, 5)), np.zeros(5)
    for s in range(5):
        for to in range(5):
            P[s, to] = np.sum(K[s, :, to] * pi[s] * (1 - T[s, :, to]))
            r[s] += np.sum(K[s, :, to] * Rs[s, :, to] * pi[s])
    policy = mdp.policy(pi)
    assert mdp.transitions_under(policy).astype(float) == pytest.approx(P)
    assert mdp.rewards_under(policy).astype(float) == pytest.approx(r)


def test_the_walk_has_the_textbooks_values_at_gamma_one():
    """v(i) = i/(n + 1) where both moves are equally likely."""
    mdp = MDP.from_finite_dynamics(chain(exact=True), 1)
    half = [["1/2", "1/2"]] * 5
    problem = Problem.from_mdp(mdp, pi=half, mu=half, Phi=np.eye(5, dtype=int))
    v = np.linalg.solve(np.eye(5) - problem.P_pi, problem.r_pi)
    assert v == pytest.approx(np.arange(1, 6) / 6)
    assert problem.d_mu == pytest.approx(np.array([1, 2, 3, 2, 1]) / 9)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"K": None}, r"^K: is missing: SimpleNamespace is no FiniteDynamics$"),
        ({"T": np.full((5, 2, 5), 2.0)}, r"^T\[0\]\[0\]\[0\]: is no probability of an end$"),
        ({"Rs": np.zeros((5, 2, 4))}, r"^Rs: has shape 5×2×4, but states × actions × states is 5×2×5$"),
        ({"K": np.zeros((5, 2, 5))}, r"^K\[0\]\[0\]: probabilities sum to 0, not 1$"),
        ({"d0": np.ones(5)}, r"^d0: probabilities sum to 5, not 1$"),
    ],
)
def test_refuses_in_one_line(change, match):
    env = chain()
    for name, value in change.items():
        setattr(env, name, value)
    with pytest.raises(InvalidProblem, match=match):
        MDP.from_finite_dynamics(env, 0.9)
