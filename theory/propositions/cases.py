"""The exact problems on which statements are checked: the catalogue, and random ones with small fractions.

Each case has tags, so that a statement can ask for those to which it applies: ``full-rank`` (X invertible),
``solvable`` (A invertible), ``behaviour`` (P_μ and r_μ known), ``identity`` (Π = I), ``unbiased``, ``stable``,
``sampled`` (there is an MDP), ``endless`` (rows of P sum to one).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from theory.model.linear_model import exact_model, exact_moments
from theory.problems import MDP, Problem
from theory.problems.catalogue import catalogue, catalogue_problem

RANDOM_CASES = 6
SWAP, TO_SECOND = [[0, 1], [1, 0]], [[0, 1], [0, 1]]  # transitions of two states


@lru_cache(maxsize=1)
def all_cases() -> tuple[tuple[Problem, frozenset[str]], ...]:
    """Every case with its tags."""
    problems = [catalogue_problem(name) for name in catalogue()]
    problems = [p for p in problems if p.is_exact and p.n_states <= 8 and p.given.d_mu.all()]  # the paper has D > 0
    problems = [p if p.given.gamma < 1 else p.with_gamma("9/10") for p in problems]  # the paper's γ is below one
    problems += [random_problem(seed) for seed in range(RANDOM_CASES)]
    return tuple((p, tags(p)) for p in problems)


def cases(*wanted: str) -> Iterator[Problem]:
    """The cases that have all of these tags."""
    for problem, have in all_cases():
        if have.issuperset(wanted):
            yield problem


def tags(problem: Problem) -> frozenset[str]:
    """What is true of a problem, decided exactly."""
    from theory.certified.verdicts import chain_unbiased, td_stable

    m, rank = exact_moments(problem), exact_model(problem).rank
    found = {
        "full-rank": rank == problem.n_features,
        "solvable": m.A.det() != 0,
        "behaviour": m.P_mu is not None and m.r_mu is not None and bool(problem.is_stationary),
        "identity": rank == problem.n_states,
        "unbiased": chain_unbiased(problem).proved,
        "stable": td_stable(problem).proved,
        "sampled": problem.mdp is not None,
        "endless": not problem.is_episodic,
    }
    return frozenset(tag for tag, holds in found.items() if holds)


def random_problem(seed: int) -> Problem:
    """A random exact problem with an MDP behind it: 2–4 states, 1–3 features, small fractions.

    >>> random_problem(0) == random_problem(0)
    True
    """
    draw = random.Random(seed)
    S, A = draw.randint(2, 4), 2
    F = draw.randint(1, min(S, 3))
    features = [[draw.randint(-3, 3) for _ in range(F)] for _ in range(S)]
    while _rank(features) < F:
        features = [[draw.randint(-3, 3) for _ in range(F)] for _ in range(S)]
    mdp = MDP(
        [[_distribution(draw, S) for _ in range(A)] for _ in range(S)],
        [[draw.randint(-2, 2) for _ in range(A)] for _ in range(S)],
        Fraction(draw.randint(1, 9), 10),
    )
    pi, mu = ([_distribution(draw, A) for _ in range(S)] for _ in range(2))
    return Problem.from_mdp(mdp, pi=pi, mu=mu, Phi=features, name=f"random-exact-{seed}")


def _distribution(draw: random.Random, n: int) -> list[Fraction]:
    weights = [draw.randint(1, 5) for _ in range(n)]
    return [Fraction(w, sum(weights)) for w in weights]


def _rank(rows: list[list[int]]) -> int:
    from flint import fmpz_mat

    return int(fmpz_mat(rows).rank())
