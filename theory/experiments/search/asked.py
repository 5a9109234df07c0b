"""A search as it is asked for: at one size, at the smallest size, or among the members of a family."""

from __future__ import annotations

from theory.experiments.search.find import ROUNDS, Progress, SearchResult, search_problem, smallest_problem
from theory.experiments.search.wanted import Wanted
from theory.problems import InvalidProblem
from theory.problems.formulas import Family
from theory.problems.sources import find_family

UP_TO = (5, 4)  # states and features that are searched where none are named


def find_wanted(
    wanted: Wanted,
    states: int | None = None,
    features: int | None = None,
    *,
    fewest: bool = False,
    family: str | Family | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> tuple[SearchResult, list[SearchResult]]:
    """The result, and those of smaller sizes that gave nothing; `fewest` makes the sizes upper limits."""
    if family is not None:
        from theory.experiments.search.members import search_family  # SymPy

        if (states, features) != (None, None):
            raise InvalidProblem("has its own numbers of states and features", "family")
        found = find_family(family) if isinstance(family, str) else family
        if found is None:
            raise InvalidProblem(f"{family} declares no letters; `theory list` names families", "family")
        return search_family(wanted, found, seed, rounds=rounds, time_limit=time_limit, progress=progress), []
    if states is not None and features is not None and not fewest:
        only = search_problem(wanted, states, features, seed, rounds=rounds, time_limit=time_limit, progress=progress)
        return only, []
    S = (states, states) if states is not None and not fewest else (1, states or max(UP_TO[0], features or 0))
    F = (features, features) if features is not None and not fewest else (1, features or UP_TO[1])
    return smallest_problem(wanted, S, F, seed, rounds=rounds, time_limit=time_limit, progress=progress)
