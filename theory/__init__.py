"""A workbench for the theory of off-policy value prediction.

>>> import theory
>>> print(theory.chain_unbiased("baird"))
the chain is unbiased: Φ has full row rank, so ΠP = P and ρ(γΠP) = γρ(P) < 1

The public names are `theory.__all__`, explained in docs/python_api.md; each is imported when it is first used. None of
them is the name of a package: ``theory.thresholds`` and ``theory.learners`` are packages, the functions are called
`gamma_thresholds` and `learner_names`.

Letters, as in *Chaining Value Functions for Off-Policy Learning* (S states, F features), from `theory.text.words`:

"""

from typing import TYPE_CHECKING, Any

from theory.text.words import code_table

if TYPE_CHECKING:
    from theory.api import (
        catalogue,
        chain_head,
        chain_unbiased,
        check_update,
        compare,
        derive,
        figure,
        gamma_thresholds,
        inspect,
        learn,
        learner_names,
        letters,
        mean_square,
        nearest_flips,
        open_data,
        png,
        prove,
        record,
        search,
        statements,
        success_rate,
        td_stable,
        trajectory,
        verify,
        window_stable,
    )
    from theory.problems import MDP, InvalidProblem, Problem, open_problem
    from theory.symbolic import Theory

__doc__ = f"{__doc__}{code_table()}\n"
__version__ = "0.2.0.dev0"
__all__ = [
    "MDP",
    "InvalidProblem",
    "Problem",
    "Theory",
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
    "open_problem",
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
# Where a name lives that is not one of `theory.api`.
_ELSEWHERE = {
    **dict.fromkeys(("MDP", "InvalidProblem", "Problem", "open_problem"), "theory.problems"),
    "Theory": "theory.symbolic",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'theory' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(_ELSEWHERE.get(name, "theory.api")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
