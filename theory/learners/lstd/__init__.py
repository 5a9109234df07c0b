"""Least squares: sums, solved when asked."""

from theory.learners.lstd.rule import LSTD

__all__ = ["LSTD"]
