r"""A step size at which the chain's sampled heads stay bounded in mean square, found quickly in floats.

Head 0 learns as TD does, every later head by x ← (1 − αρφφᵀ)x and what drives it: two maps of second moments
(`theory.noise.mean_square`), both linear in α inside. The largest step size with both radii below 1 is searched from a
given one downwards by halving; where moments are too many, or none of forty halvings will do, there is none.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from theory.learners.concurrent.rule import ConcurrentChain
from theory.noise.errors import error_chain
from theory.noise.moments import moment_map
from theory.problems import InvalidProblem, Problem

MOST, HALVINGS = 400, 40  # moments of one head; halvings


def bearable_step_size(problem: Problem, most: Fraction) -> Fraction | None:
    """The largest α = most/2ⁿ at which heads 0 and 1 are stable in mean square, in floats; None where there is none."""
    size = problem.n_states * problem.n_features * (problem.n_features + 1) // 2
    if problem.mdp is None or size > MOST:
        return None
    try:
        with np.errstate(all="ignore"):
            chain = error_chain(ConcurrentChain(problem.gamma, 1.0, K=1), problem, exact=False)
    except (InvalidProblem, np.linalg.LinAlgError):
        return None
    D, N = chain.size // 2, len(chain.law)
    for n in range(HALVINGS):
        alpha = most / 2**n
        radii = []
        for own in (slice(0, D), slice(D, 2 * D)):
            steps = np.eye(D) + float(alpha) * (chain.maps[:, own, own] - np.eye(D))
            with np.errstate(over="ignore", invalid="ignore"):
                L = moment_map(chain.node, chain.next_node, chain.probability, steps, N)
            radii.append(np.abs(np.linalg.eigvals(L)).max() if np.isfinite(L).all() else np.inf)
        if max(radii) < 1:
            return alpha
    return None
