"""All statements, in the paper's order; a statement's file is found by its id and imported when it is asked for."""

from __future__ import annotations

import importlib
from difflib import get_close_matches

from theory.problems import InvalidProblem
from theory.propositions.statement import Statement

IDS = (
    "eq-td",
    "eq-chain",
    "def-richardson",
    "prop-1",
    "eq-recursion",
    "eq-closed-form",
    "eq-geometric",
    "prop-2",
    "eq-zp",
    "prop-3",
    "claim-exponential",
    "prop-4",
    "eq-M",
    "prop-5",
    "prop-6",
    "prop-7",
    "fig-1",
    "claim-stable",
    "claim-baird",
    "claim-hot-start",
    "claim-normalise",
    "claim-grid",
    "claim-v",
    "example-twostate",
    "n-step",
    "alg-1",
    "alg-2",
    "alg-3",
    "alg-target",
    "sec-target",
    "lemma-1",
    "prop-8",
    "prop-9",
    "conjecture",
    "neumann",
    "extra-quadrants",
    "extra-target-network",
    "extra-cold-start",
    "extra-uniform-safety",
    "extra-determinant",
    "extra-basis",
    "extra-transient",
    "extra-light-cone",
    "extra-n-step",
    "extra-on-policy",
)


def statement(id: str) -> Statement:
    """The statement with this id.

    >>> statement("prop-2").title
    'Bias of the k-th value function'
    """
    if id not in IDS:
        near = get_close_matches(id, IDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "see `theory list`"
        raise InvalidProblem(f"there is no statement {id!r}; {hint}")
    found: Statement = importlib.import_module(f"theory.propositions.{id.replace('-', '_')}").STATEMENT
    return found
