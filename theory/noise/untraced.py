"""Learners with traces at λ = 0: the trace is the last feature vector, and the learner one that closes."""

from __future__ import annotations

from theory.learners.corrected import ChainedExpectedSarsa, ChainedQ, ChainedRetrace
from theory.learners.rule import Rule
from theory.learners.td import OffPolicyTD
from theory.learners.traces import TDLambda


def without_trace(rule: Rule) -> Rule:
    """The learner whose every update is the same; the rule itself where its trace remembers, or is of another kind.

    >>> without_trace(TDLambda(0.9, 0.1, 0)).name
    'off-policy-td'
    """
    if type(rule) is TDLambda and rule.lambda_ == 0:  # ETD, which is one, has a second trace
        return OffPolicyTD(rule.gamma, rule.alpha)
    if type(rule) in (ChainedQ, ChainedRetrace) and getattr(rule, "lambda_", None) == 0:
        assert isinstance(rule, ChainedExpectedSarsa)
        return ChainedExpectedSarsa(rule.gamma, rule.alpha, rule.K, rule.k)
    return rule
