"""The public API: what ``import theory`` gives.

Every function takes a `Problem`, or what `open_problem` takes: a name, a path. Numbers come in as lists, arrays,
fractions, SymPy's rationals or texts; exact results come out as `Fraction`, and in SymPy by ``.sympy()``. What a
function returns prints as a sentence or a table, and draws itself with ``.plot()`` where there is something to see.

`theory.__getattr__` finds these names; none of them is the name of a package, so that ``import theory.thresholds``
and ``theory.gamma_thresholds(…)`` never meet.
"""

from theory.api.analysis import (
    chain_head,
    chain_unbiased,
    compare,
    derive,
    gamma_thresholds,
    inspect,
    nearest_flips,
    search,
    td_stable,
    trajectory,
    window_stable,
)
from theory.api.figures import figure, png
from theory.api.learning import check_update, learn, learner_names, mean_square, success_rate
from theory.api.loading import catalogue, open_data, record
from theory.api.propositions import letters, prove, statements, verify

__all__ = [
    "catalogue",
    "chain_head",
    "chain_unbiased",
    "check_update",
    "compare",
    "derive",
    "figure",
    "gamma_thresholds",
    "inspect",
    "learn",
    "learner_names",
    "letters",
    "mean_square",
    "nearest_flips",
    "open_data",
    "png",
    "prove",
    "record",
    "search",
    "statements",
    "success_rate",
    "td_stable",
    "trajectory",
    "verify",
    "window_stable",
]
