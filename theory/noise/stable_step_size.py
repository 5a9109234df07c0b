r"""Is a step size mean-square stable for the learners that the explorer samples, and which is? In floats, quickly.

Head 0 learns as TD does, every later head by x ← (1 − αρφφᵀ)x and what drives it: two maps of second moments
(`theory.noise.mean_square`), both linear in α inside. The largest step size with both radii below 1 is searched from a
given one downwards by halving. Where there are too many moments nothing is known, and it is said why.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite

import numpy as np

from theory.learners.concurrent import ConcurrentChain
from theory.learners.rule import Rule
from theory.learners.td import OffPolicyTD
from theory.noise.errors import ErrorChain, step_maps
from theory.noise.moments import Moments
from theory.noise.windows import WindowMoments
from theory.problems import InvalidProblem, Problem

HALVINGS = 40
PAIRS = 900  # moments of a target network
MOST_ENTRIES = 20_000  # moves times features: they are gone through one by one
MOST_SEARCHED = 3e5  # moves·D³: a hundredth of a second a step size
CLOSE = 1e-9  # ρ₂ this near to 1 is not told apart from it


def stable_step_size(problem: Problem, most: Fraction) -> Fraction | None:
    """The largest α = most/2ⁿ at which heads 0 and 1 are stable in mean square, in floats; None where none is known.

    Or where the search would take longer than a second.
    """
    try:
        heads = _heads(problem)
        if len(heads[0].node) * heads[0].size ** 3 > MOST_SEARCHED:
            return None
        sizes = (most / 2**n for n in range(HALVINGS))
        return next((a for a in sizes if all(_radius(own, float(a)) < 1 for own in heads)), None)
    except InvalidProblem:
        pass
    return None


def second_radii(problem: Problem, alpha: float, window: int) -> dict[str, float | str]:
    """ρ₂ of off-policy TD, of the target network and of the chain at α, or why it is not known."""

    def off_policy() -> float:
        return _radius(_chain(OffPolicyTD(problem.gamma, 1.0), problem), alpha)

    def network() -> float:
        size = 2 * min(problem.n_features, problem.n_states)
        if (count := problem.n_states * size * (size + 1) // 2) > PAIRS:
            raise InvalidProblem(f"{count:,} second moments of two vectors are too many", "learner")
        return float(WindowMoments(problem).radius(np.array([alpha]), window)[0])

    def heads() -> float:
        return max(_radius(own, alpha) for own in _heads(problem))

    asked = {"off-policy TD": off_policy, "the target network": network, "the chain": heads}
    return {name: _known(compute) for name, compute in asked.items()}


def _known(compute: Callable[[], float]) -> float | str:
    try:
        with np.errstate(all="ignore"):
            found = compute()
    except InvalidProblem as error:
        return error.complaint
    except (ArithmeticError, np.linalg.LinAlgError):
        return "it is beyond the range of doubles"
    if not isfinite(found):
        return "it is beyond the range of doubles"
    return found if abs(found - 1) > CLOSE else "ρ₂ is too close to 1 for floats"


def _chain(rule: Rule, problem: Problem) -> ErrorChain:
    """In floats, where going through all moves and features is quick; of matrices alone, by the MDP built for them."""
    moves = problem.n_states**2 if problem.mdp is None else np.count_nonzero(problem.mdp.P)
    if moves * problem.n_features > MOST_ENTRIES:
        raise InvalidProblem(f"{moves:,} moves of {problem.n_features} features are too many", "learner")
    with np.errstate(all="ignore"):
        try:
            return step_maps(rule, problem.realised(), exact=False)
        except np.linalg.LinAlgError:
            raise InvalidProblem("its features are beyond the range of doubles", "learner") from None


def _heads(problem: Problem) -> list[ErrorChain]:
    """Heads 0 and 1 alone."""
    chain = _chain(ConcurrentChain(problem.gamma, 1.0, K=1), problem)
    return [chain.vector(head) for head in (0, 1)]


def _radius(chain: ErrorChain, alpha: float) -> float:
    return Moments(chain.at(alpha)).radius()[0].item()
