"""Gradient TD: learners with auxiliary weights."""

from theory.learners.gradient.rule import GTD2, TDC, TDRC

__all__ = ["GTD2", "TDC", "TDRC"]
