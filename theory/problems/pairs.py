r"""Action values: a problem whose states are the pairs (s, a), Q(s, a) = φ(s, a)ᵀθ.

With the target's next action as part of a move, all that is known of state values holds of action values,

    P_π[(s, a), (s', a')] = P(s'|s, a)γ(s') π(a'|s')        r[(s, a)] = R̄(s, a)        d[(s, a)] = d_μ(s) μ(a|s),

and P_μ with μ(a'|s'). Off-policy TD is then expected Sarsa, Y averages over the target's next action, and the chain is
fitted Q evaluation of Q. Only the next action's choice is corrected, not the present one's: its ratio is
π(a'|s')/μ(a'|s').
Pairs that the behaviour never takes are left out: it takes all that the target takes, so none leads to one of these.

Without features of pairs each action has its own copy of the state's features, φ(s, a) = e_a ⊗ φ(s).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.problems.numbers import Array, InvalidProblem, as_array, one_kind
from theory.problems.problem import Problem
from theory.problems.validate import check_shape


def action_value_problem(problem: Problem, Phi: Any = None) -> Problem:
    """The problem over pairs of a problem with actions; `Phi` [s][a][f], by default a copy of φ(s) for each action.

    >>> from theory.problems import MDP
    >>> mdp = MDP([[[1, 0], [0, 1]]] * 2, [[0, 1], [0, 0]], "1/2")
    >>> states = Problem.from_mdp(mdp, pi=[1, 1], mu=[["1/2", "1/2"]] * 2, Phi=[[1], [2]], name="two")
    >>> pairs = action_value_problem(states)
    >>> pairs.states, pairs.given.Phi[3].tolist() == [0, 2]
    (('0,0', '0,1', '1,0', '1,1'), True)
    """
    mdp, pi, mu = problem.mdp, problem.pi, problem.mu
    if mdp is None or pi is None or mu is None:
        raise InvalidProblem(f"{problem.name} has no actions: action values need an MDP and both policies", "pi")
    S, A = mdp.n_states, mdp.n_actions
    if Phi is None:
        features = np.zeros((S, A, A * problem.n_features), dtype=problem.given.Phi.dtype)
        for a in range(A):
            features[:, a, a * problem.n_features : (a + 1) * problem.n_features] = problem.given.Phi
        Phi = features
    Phi = as_array(Phi, 3, "Phi")
    check_shape(Phi, (S, A, Phi.shape[2]), "states × actions × features", "Phi")
    taken = np.flatnonzero((mu > 0).ravel())
    P, pi, mu, d = one_kind(mdp.going_on, pi, mu, problem.given.d_mu)

    def moves(policy: Array) -> Array:
        ahead = (P[:, :, :, None] * policy).reshape(S * A, S * A)
        return ahead[np.ix_(taken, taken)]

    r = mdp.expected_rewards().ravel()[taken]
    names = mdp.actions or tuple(str(a) for a in range(A))
    return Problem.from_matrices(
        mdp.gamma,
        Phi=Phi.reshape(S * A, -1)[taken],
        P_pi=moves(pi),
        r_pi=r,
        d_mu=(d[:, None] * mu).ravel()[taken],
        P_mu=moves(mu),
        r_mu=r,
        name=f"{problem.name}, action values",
        states=[f"{problem.state_labels[i // A]},{names[i % A]}" for i in taken],
        episodic=True,
    )
