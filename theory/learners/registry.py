"""The learners by name: their rules, what can be swept, and what they need."""

from __future__ import annotations

from typing import Any

from theory.learners.concurrent import ConcurrentChain
from theory.learners.corrected import ChainedExpectedSarsa, ChainedQ, ChainedRetrace, ChainedVTrace
from theory.learners.gradient import GTD2, TDC, TDRC
from theory.learners.lstd import LSTD
from theory.learners.nstep import ChainedNStep, NStep
from theory.learners.sequential import SequentialChain, TargetNetwork
from theory.learners.td import TD, OffPolicyTD
from theory.learners.traces import ETD, TDLambda
from theory.problems import InvalidProblem

RULES: dict[str, Any] = {
    rule.name: rule
    for rule in (
        TD, OffPolicyTD, TDLambda, ETD, GTD2, TDC, TDRC, LSTD, SequentialChain, ConcurrentChain, TargetNetwork,
        NStep, ChainedNStep, ChainedExpectedSarsa, ChainedQ, ChainedVTrace, ChainedRetrace,
    )
}  # fmt: skip

# What each learner's settings may have as columns; `lambda_` and `n` may be left out (see `default_lambda`).
COLUMNS: dict[str, tuple[str, ...]] = {
    "td": ("alpha",),
    "off-policy-td": ("alpha",),
    "td-lambda": ("alpha", "lambda_"),
    "etd": ("alpha", "lambda_"),
    "gtd2": ("alpha", "beta"),
    "tdc": ("alpha", "beta"),
    "tdrc": ("alpha", "beta"),
    "lstd": ("epsilon",),
    "chained-sequential": ("alpha", "window", "k"),
    "chained-concurrent": ("alpha", "k"),
    "target-network": ("alpha", "window"),
    "n-step": ("alpha", "n"),
    "chained-n-step": ("alpha", "n", "k"),
    "chained-expected-sarsa": ("alpha", "k"),
    "chained-q": ("alpha", "lambda_", "k"),
    "chained-vtrace": ("alpha", "lambda_", "k"),
    "chained-retrace": ("alpha", "lambda_", "k"),
}

# Learners whose heads are all trained at once.
HEADS = (
    "chained-concurrent",
    "chained-n-step",
    "chained-expected-sarsa",
    "chained-q",
    "chained-vtrace",
    "chained-retrace",
)

ACTION_VALUES = ("chained-expected-sarsa", "chained-q", "chained-retrace")


def known(learner: str) -> str:
    """The name itself, or one line that lists the names there are."""
    if learner not in RULES:
        raise InvalidProblem(f"{learner!r} is unknown; there are {', '.join(RULES)}", "learner")
    return learner


def default_lambda(learner: str) -> float:
    """The rule's own default: 0 for TD(λ) and ETD, ½ for Q(π), 1 for V-trace and Retrace."""
    return float(getattr(RULES[learner], "lambda_", 0))


def heads_of(learner: str, K: int) -> int:
    """How many parameter vectors a learner has: K + 1 for chains, 2 for a target network, 1 else."""
    if learner == "chained-sequential" or learner in HEADS:
        return K + 1
    return 2 if learner == "target-network" else 1
