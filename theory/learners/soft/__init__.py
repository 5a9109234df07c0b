"""Target networks that follow slowly."""

from theory.learners.soft.rule import SoftTarget

__all__ = ["SoftTarget"]
