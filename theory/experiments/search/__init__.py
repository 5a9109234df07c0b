"""Search for small exact problems with wanted properties; `theory.experiments.flips` asks the reverse question."""

from theory.experiments.search.asked import find_wanted
from theory.experiments.search.find import (
    MiddleWindow,
    Proof,
    SearchResult,
    prove,
    search_problem,
    smallest_problem,
)
from theory.experiments.search.wanted import Wanted, impossible

__all__ = [
    "MiddleWindow",
    "Proof",
    "SearchResult",
    "Wanted",
    "find_wanted",
    "impossible",
    "prove",
    "search_problem",
    "smallest_problem",
]
