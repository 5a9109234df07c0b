"""An independent checker of certificates: plain integers and fractions, nothing else of this package."""

from theory.certified.recheck.checker import check

__all__ = ["check"]
