"""An independent checker of certificates: plain integers and fractions, nothing else of this package."""

from theory.certified.recheck.checker import check
from theory.certified.recheck.integers import number

__all__ = ["check", "number"]
