"""Chains of multi-step estimators: Expected SARSA, Q(π), Retrace, V-trace."""

from theory.learners.corrected.rule import ChainedExpectedSarsa, ChainedQ, ChainedRetrace, ChainedVTrace

__all__ = ["ChainedExpectedSarsa", "ChainedQ", "ChainedRetrace", "ChainedVTrace"]
