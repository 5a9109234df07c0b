"""Problems by name, exact wherever they are not random, each with its source.

>>> catalogue_problem("baird-star:outer=6,gamma=9/10").n_features
8
"""

from theory.problems.catalogue.lookup import catalogue, catalogue_problem, problem_names
from theory.problems.catalogue.registry import Entry, Parameter

__all__ = ["Entry", "Parameter", "catalogue", "catalogue_problem", "problem_names"]
