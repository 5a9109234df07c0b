"""All heads at once: the concurrent chain (eq. "alg"), and the chain of n-step estimators."""

from theory.learners.concurrent.n_step import ChainedNStep
from theory.learners.concurrent.rule import ConcurrentChain

__all__ = ["ChainedNStep", "ConcurrentChain"]
