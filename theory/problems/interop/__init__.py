"""Bridges to the tables and arrays of other libraries: Gymnasium, QuantEcon and pymdptoolbox.

Each library is imported only by the function that needs it.
"""

from theory.problems.interop.arrays import mdp_from_discretedp, mdp_from_mdptoolbox, to_discretedp, to_mdptoolbox
from theory.problems.interop.gymnasium import (
    TabularTask,
    gymnasium_problem,
    mdp_from_gymnasium,
    task_from_gymnasium,
)
from theory.problems.interop.planning import optimal_policy
from theory.problems.interop.table import to_gymnasium_table

__all__ = [
    "TabularTask",
    "gymnasium_problem",
    "mdp_from_discretedp",
    "mdp_from_gymnasium",
    "mdp_from_mdptoolbox",
    "optimal_policy",
    "task_from_gymnasium",
    "to_discretedp",
    "to_gymnasium_table",
    "to_mdptoolbox",
]
