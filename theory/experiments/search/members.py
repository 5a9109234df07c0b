"""The search among the members of a family: letters drawn from their ranges in place of problems out of nothing.

A round draws `DRAWS` members, numbers with small denominators first, and keeps the shortest that certified verdicts say
is as wanted. What the family's own conditions exclude for all its letters is impossible, and said before anything is
drawn.
"""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import numpy as np

from theory.derivation.conditions import Condition, conditions
from theory.derivation.letters import family_forms
from theory.experiments.search.find import ROUNDS, Progress, Proof, SearchResult, prove
from theory.experiments.search.wanted import Wanted
from theory.linear.spectra import chain_radius
from theory.problems import InvalidProblem, Problem
from theory.problems.formulas import Family

DRAWS = 60
DENOMINATORS = (1, 2, 4, 8, 12, 20)  # of a round's draws, in turn


def search_family(
    wanted: Wanted,
    family: Family,
    seed: int = 0,
    *,
    rounds: int = ROUNDS,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """A member that is as wanted, at the family's own γ unless one is wanted.

    >>> from theory.problems.sources import find_family
    >>> found = search_family(Wanted("unstable", None), find_family("twostate-family"), rounds=1)
    >>> found.problem.name, found.drawn
    ('twostate-family:x=2,p=3/4', 60)
    """
    if wanted.largest_rho:
        raise InvalidProblem("among the members of a family the largest ρ is not looked for", "largest_rho")
    if rounds < 1:
        raise InvalidProblem(f"must be 1 or more, got {rounds}", "rounds")
    states, features = (len(family.tree["features"]), len(family.tree["features"][0]))
    nothing = SearchResult(wanted, states, features, None, None, None, 0, False, None, None)
    if (why := excluded(wanted, family)) is not None:
        return replace(nothing, impossible=why)
    end = time.monotonic() + (np.inf if time_limit is None else time_limit)
    best: tuple[tuple[int, Fraction], Problem, Proof] | None = None
    done = drawn = 0
    for child in np.random.SeedSequence(seed).spawn(rounds):
        rng = np.random.default_rng(child)
        for i in range(DRAWS):
            if time.monotonic() >= end:
                break
            drawn += 1
            letters = family.draw(rng, DENOMINATORS[i * len(DENOMINATORS) // DRAWS])
            length = sum(len(str(x)) for x in letters.values()), sum(map(abs, letters.values()), Fraction(0))
            if best is not None and length >= best[0]:
                continue
            problem = family.at(letters, gamma=wanted.gamma)
            proof = prove(problem, wanted)
            best = best if proof is None else (length, problem, proof)
        else:
            done += 1
            if progress is not None:
                progress(states, features, done, rounds, 0.0 if best is None else 1.0)
            continue
        break
    effort = replace(nothing, rounds=done, stopped=done < rounds, drawn=drawn)
    if best is None:
        return effort
    return replace(effort, problem=best[1], proof=best[2], rho=chain_radius(best[1]))


def excluded(wanted: Wanted, family: Family) -> str | None:
    """What the family's conditions say against it, for all values of the letters; None where they leave it open."""
    found = conditions(family_forms(family))
    for wish, side, good, words in (
        (wanted.td, found.td, "stable", "TD is"),
        (wanted.chain, found.chain, "unbiased", "the chain is"),
    ):
        if wish is None or side is None:
            continue
        if not side and wish != good:
            return (
                f"for all letters of {family.name} at which its features keep their rank, and every γ, {words} {good}"
            )
        if _never(side) and wish == good:
            return f"for no letters of {family.name} at which its features keep their rank {words} {good}"
    return None


def _never(side: tuple[Condition, ...]) -> bool:
    return any(not c.factors for c in side)
