"""What the tests ask of a statement: its counterexamples by name, and whether a false variant is refuted."""

from __future__ import annotations

from theory.propositions.registry import statement
from theory.propositions.statement import Counterexample, Statement
from theory.symbolic.outcomes import Outcome, Refuted
from theory.symbolic.theory import Claim


def found(statement: Statement, drops: str) -> Counterexample:
    """The first counterexample with these words in the name of what it drops."""
    return next(c for c in statement.counterexamples() if drops in c.drops)


def refuted(outcome: Outcome) -> bool:
    """By a witness that stands when it is multiplied out again; one that does not raises `Rejected`."""
    return isinstance(outcome, Refuted) and outcome.witness.recheck()


def stated(id: str, name: str) -> Claim:
    """The identity of this name that a statement claims."""
    return next(claim for claim in statement(id).claims() if claim.name == name)
