"""How often do intervals from data hold the truth? 95% of them should, with groups of trajectories as without.

``python -m tests.data.intervals [DATASETS] [SEED]`` prints shares; a part of it is a test. The truth is a problem's own
min Re λ(A) and ρ(γX⁻¹Y), of problems whose deciding eigenvalues are simple, so that they are smooth in the moments.
"""

import sys
from unittest.mock import patch

import numpy as np

from theory.data import moments
from theory.data.confidence import _chain, _td
from theory.data.inspect import open_data
from theory.model.linear_model import moments as of_problem
from theory.problems.sampling import sample_transitions
from theory.problems.sources import find_problem

PROBLEMS = ("twostate", "threestate:gamma=9/10", "kolter")
TRAJECTORIES, MOVES = 1500, 4
FEW = 256  # groups, in place of trajectories


def truths(problem):
    """min Re λ(A) and ρ(γX⁻¹Y)."""
    m, gamma = of_problem(problem), float(problem.gamma)
    return {"td": float(_td(m.X, m.Y, gamma)), "chain": float(_chain(m.X, m.Y, gamma))}


def draw(problem, rng):
    seen = sample_transitions(rng, problem, MOVES, TRAJECTORIES).all()
    return {
        "phi": problem.Phi[seen.state.ravel()],
        "next_phi": problem.Phi[seen.next_state.ravel()],
        "reward": seen.reward.ravel(),
        "ratio": seen.ratio.ravel(),
        "episode": np.repeat(np.arange(TRAJECTORIES), MOVES),
    }


def held(datasets, seed):
    """(how, question) → the share of intervals with the truth inside; data sets go round the problems."""
    rng, inside = np.random.default_rng(seed), {}
    known = [(p, truths(p)) for p in map(find_problem, PROBLEMS)]
    for i in range(datasets):
        problem, truth = known[i % len(known)]
        columns = draw(problem, rng)
        for how, most in (("each", moments.MOST), ("grouped", FEW)):
            with patch.object(moments, "MOST", most), patch.object(moments, "GROUPS", min(most, moments.GROUPS)):
                data = open_data(columns, problem.gamma, seed=i)
                assert (data.estimate.about.grouped is None) == (how == "each")
                for question in ("td", "chain"):
                    low, high = getattr(data, question).interval
                    inside.setdefault((how, question), []).append(low <= truth[question] <= high)
    return {key: float(np.mean(values)) for key, values in inside.items()}


if __name__ == "__main__":
    numbers = [int(x) for x in sys.argv[1:]]
    for key, share in held(*(numbers + [1000, 0][len(numbers) :])).items():
        print(*key, f"{share:.3f}")
