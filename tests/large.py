"""Large problems for tests: small ones kept sparse, and small ones blown up to any number of states."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from theory.problems import Problem
from theory.problems.large import LargeProblem


def kept_sparse(problem: Problem) -> LargeProblem:
    """The same problem on the road of large ones; exact numbers are rounded to doubles."""
    P_mu = None if problem.P_mu is None else sparse.csr_array(problem.P_mu)
    return LargeProblem.from_matrices(
        problem.given.gamma,
        Phi=np.array(problem.Phi),
        P_pi=sparse.csr_array(problem.P_pi),
        d_mu=np.array(problem.d_mu),
        r_pi=np.array(problem.r_pi),
        P_mu=P_mu,
        r_mu=None if problem.r_mu is None else np.array(problem.r_mu),
        name=problem.name,
        episodic=problem.is_episodic,
    )


def copies(problem: Problem, each: int, seed: int = 0) -> LargeProblem:
    """Every state `each` times, shuffled: its moves go to some copy of where they went, its weight is shared.

    Copies of a state have its features, so X, Y, b and with them every verdict, threshold and θ are the small one's,
    and so is every value.
    """
    rng = np.random.default_rng(seed)
    S = problem.n_states
    place = rng.permutation(S * each).reshape(S, each)  # where the copies of a state are
    rows, columns, data = [], [], []
    for s, t in np.argwhere(problem.P_pi):
        rows.append(place[s])
        columns.append(place[t, rng.integers(0, each, each)])
        data.append(np.full(each, problem.P_pi[s, t]))
    shape = (S * each, S * each)
    P = sparse.coo_array((np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
    kind = np.empty(S * each, dtype=int)
    kind[place] = np.arange(S)[:, None]
    d = problem.d_mu[kind] / each
    return LargeProblem.from_matrices(
        problem.given.gamma,
        Phi=problem.Phi[kind],
        P_pi=P.tocsr(),
        d_mu=d,
        r_pi=problem.r_pi[kind],
        name=problem.name,
        episodic=problem.is_episodic,
    )
