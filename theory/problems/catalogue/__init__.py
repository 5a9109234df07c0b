"""Problems by name, exact wherever they are not random, each with its source.

>>> catalogue_problem("baird-star:outer=6,gamma=9/10").n_features
8
"""

from theory.problems.catalogue.registry import (
    Entry,
    FamilyEntry,
    Parameter,
    catalogue,
    catalogue_problem,
    families,
    generated,
    problem_names,
)

__all__ = [
    "Entry",
    "FamilyEntry",
    "Parameter",
    "catalogue",
    "catalogue_problem",
    "families",
    "generated",
    "problem_names",
]
