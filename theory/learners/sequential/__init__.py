"""One head at a time: sequential chains (algorithm 1) and target networks (algorithm 3)."""

from theory.learners.sequential.rule import SequentialChain, TargetNetwork

__all__ = ["SequentialChain", "TargetNetwork"]
