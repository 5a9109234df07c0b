"""One file a statement of the paper: what it says, what is true, and how that is shown.

`IDS` names them in the paper's order, `statement` finds one, `verify` proves and checks it.
"""

from theory.propositions.registry import IDS, statement
from theory.propositions.statement import Finding, Statement, verify

__all__ = ["IDS", "Finding", "Statement", "statement", "verify"]
