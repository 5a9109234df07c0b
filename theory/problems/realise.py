"""An MDP behind a problem that was given by its matrices alone.

Action j means "go to j": π(j|s) = P_π[s, j] and μ(j|s) = P_μ[s, j], with P_μ = 1dᵀ where it is unknown. One reward
per move, R[s, j] = r_μ[s] + b_s (ρ(s, j) − 1), meets both r_μ and r_π: E_μ[ρ − 1] = 0, and
E_π[ρ − 1] = Σ_j (π − μ)²/μ, which vanishes only where both policies move alike.

Where episodes end there is one more action, "end", taken with what is left of the rows of P_π and P_μ. An unknown P_μ
is then ½1dᵀ: each move ends with probability ½, and the next episode begins in a state drawn from d. With P_μ known, d
says where episodes begin (`theory.problems.validate`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from theory.problems.graph import stationary_distribution
from theory.problems.mdp import MDP
from theory.problems.numbers import InvalidProblem, as_array, one_kind
from theory.problems.problem import Problem
from theory.problems.validate import beginnings, check_covers, ending, first_uncovered_move


def realise(problem: Problem) -> Problem:
    """The same problem with an MDP and policies; itself where it has them.

    >>> swap = Problem.from_matrices("9/10", Phi=[[1], [3]], P_pi=[[0, 1], [1, 0]], d_mu=["9/10", "1/10"])
    >>> realise(swap).mdp.actions
    ('to 0', 'to 1')
    """
    if problem.mdp is not None:
        return problem
    g, S = problem.given, problem.n_states
    if g.P_mu is not None and not problem.is_stationary:
        raise InvalidProblem("is not the stationary distribution of P_mu, so no chain visits it so", "d_mu")
    unknown = np.tile(g.d_mu / 2 if problem.is_episodic else g.d_mu, (S, 1))
    P_mu = unknown if g.P_mu is None else g.P_mu
    start = beginnings(g.d_mu, P_mu) if problem.is_episodic else None
    P_pi, P_mu, d = one_kind(g.P_pi, P_mu, g.d_mu if start is None else start)
    again = P_mu if start is None else P_mu + ending(P_mu)[:, None] * d
    stationary_distribution(again, "P_mu")  # an error where the chain could stay away from some states for ever
    pi, mu = (np.column_stack([P, ending(P)]) if problem.is_episodic else P for P in (P_pi, P_mu))
    if (move := first_uncovered_move(g.P_pi, g.d_mu)) is not None:
        s, t = (problem.state_labels[i] for i in move)
        raise InvalidProblem(f"no ratio: the target moves from state {s} to state {t}, which is never visited", "d_mu")
    check_covers(pi, mu, "P_mu")
    r_mu = g.r_pi if g.r_mu is None else g.r_mu
    pi, mu, r_pi, r_mu = one_kind(pi, mu, g.r_pi, r_mu)
    gain = pi / np.where(mu == 0, mu + 1, mu) - 1  # ρ − 1; coverage: mu == 0 only where pi == 0
    spread = ((pi - mu) * gain).sum(axis=1)
    slope = (r_pi - r_mu) / np.where(spread == 0, spread + 1, spread)
    clash = np.argwhere((spread == 0) & (r_pi != r_mu))
    if len(clash):
        raise InvalidProblem("differs from r_pi where both policies move alike", "r_mu", int(clash[0][0]))
    R = r_mu[:, None] + slope[:, None] * gain
    go_to = as_array([[[int(i == j) for i in range(S)] for j in range(pi.shape[1])]] * S, 3, "transitions")
    actions = (*(f"to {x}" for x in problem.state_labels), *(["end"] if problem.is_episodic else []))
    mdp = MDP(go_to, R, g.gamma, problem.states, actions, d if problem.is_episodic else None)
    given = replace(g, P_mu=P_mu, r_mu=r_mu)
    return replace(problem, given=given, mdp=mdp, pi=as_array(pi, 2, "pi"), mu=as_array(mu, 2, "mu"))
