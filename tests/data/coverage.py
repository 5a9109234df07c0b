"""How often are answers from data wrong? Data sets drawn from catalogue problems, against the certified verdicts.

``python -m tests.data.coverage [DATASETS] [SEED]`` prints counts; a part of it is a test.
"""

import sys
from collections import Counter

import numpy as np

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.data.inspect import open_data
from theory.methods.family import find_method
from theory.methods.outcome import outcome
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue
from theory.problems.sampling import sample_transitions
from theory.problems.sources import find_problem
from theory.text.words import word

OTHERS = ("whitened-td", "damped-chain", "tdc", "tdrc", "ridge-chain", "gtd2", "n-step-td", "n-step-chain")


def problems():
    """Small catalogue problems that can be sampled, with the truth about them."""
    found = []
    for name in catalogue():
        problem = find_problem(name)
        if problem.mdp is None or problem.mdp.discount is not None:  # a table has no column for discounts of states
            continue
        if problem.n_features <= 10 and problem.n_states <= 12:
            others = {name: outcome(find_method(name), problem).holds.json for name in OTHERS}
            found.append((problem, {"td": td_stable(problem), "chain": chain_unbiased(problem)}, others))
    return found


def draw(problem, rng):
    """Trajectories of one length, as columns."""
    trajectories, moves = int(rng.choice([30, 100, 300])), int(rng.choice([1, 5, 20]))
    seen = sample_transitions(rng, problem, moves, trajectories).all()
    return {
        "phi": problem.Phi[seen.state.ravel()],
        "next_phi": problem.Phi[seen.next_state.ravel()],
        "reward": seen.reward.ravel(),
        "ratio": seen.ratio.ravel(),
        "episode": np.repeat(np.arange(trajectories), moves),
    }


def count(datasets, seed):
    """(question, how, right|wrong|undecided) → how many."""
    rng, found, known = np.random.default_rng(seed), Counter(), problems()
    for i in range(datasets):
        problem, truths, others = known[i % len(known)]
        try:
            data = open_data(draw(problem, rng), problem.gamma, seed=i)
            _ = data.estimate
        except InvalidProblem:  # ratios that average far from 1 by chance: refused, one in many
            found["refused"] += 1
            continue
        for question, truth in truths.items():
            right = word(question, truth.proved)
            result = getattr(data, question)
            for how, answer in (("bootstrap", result.answer), ("bound", result.bounded)):
                found[question, how, "undecided" if answer is None else "right" if answer == right else "wrong"] += 1
        for row in data.compare(OTHERS).rows:
            said, truth = row.converges, others[row.method.name]
            judged = "undecided" if said is None else "right" if said == truth else "wrong"
            found[row.method.name, "bootstrap", judged] += 1
    return found


if __name__ == "__main__":
    numbers = [int(x) for x in sys.argv[1:]]
    for key, number in sorted(count(*(numbers + [1000, 0][len(numbers) :])).items(), key=str):
        print(*(key if isinstance(key, tuple) else (key,)), number)
