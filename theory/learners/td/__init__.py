"""Learners with one vector of parameters: TD(0), n-step TD, TD(λ), emphatic TD."""

from theory.learners.td.n_step import NStep
from theory.learners.td.rule import TD, OffPolicyTD
from theory.learners.td.traces import ETD, TDLambda

__all__ = ["ETD", "TD", "NStep", "OffPolicyTD", "TDLambda"]
