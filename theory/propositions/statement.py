"""What a file of this package says: one statement of the paper, our verdict, and how it is shown.

A statement is shown in up to three ways, and `Finding` keeps them apart:

- *proofs*, certificates of the engine that hold for all dimensions and all k (`theory.symbolic`);
- *checks*, the stated against the computed on concrete problems, in rational arithmetic where possible; a check at
  fixed size is never called a proof;
- *counterexamples*, exact problems on which the paper's wording fails, or the statement without one of its
  assumptions.

Facts that are not algebra (Gelfand, Perron–Frobenius, …) are *cited* by name. A statement that needs one for its last
step is *proved, citing …*, and never just proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from theory.problems import Problem
from theory.propositions.matrices import Matrices, matrices
from theory.symbolic.outcomes import Open, Outcome, Proved, Refuted
from theory.symbolic.theory import Claim
from theory.views.page import Page

Claims = Iterable[Claim]
PaperVerdict = Literal[
    "holds",
    "holds, proof repaired",
    "holds with an added assumption",
    "imprecise",
    "false as stated",
    "vacuous in the reported setting",
    "beyond the paper",
]
Result = Literal["proved", "refuted", "checked", "open"]


AS_STATED = "as stated"


@dataclass(frozen=True)
class Check:
    """Stated against computed on one case; `bound` is the predicted error, 0 where arithmetic is exact.

    The error of what holds or does not is False or True, and may be a count of what is wrong.
    """

    case: str
    error: Fraction | float
    bound: Fraction | float = Fraction(0)
    detail: str = ""

    @property
    def passes(self) -> bool:
        return self.error <= self.bound  # False for nan


@dataclass(frozen=True)
class Counterexample:
    """An exact case in which something fails: the paper's wording (`drops` = `AS_STATED`) or a dropped assumption.

    `confirmed` is computed from the case, so a counterexample that does not bite is a failed check.
    """

    drops: str
    text: str  # what happens, with its numbers
    confirmed: bool
    witness: Any = None  # a Problem, or exact matrices as a JSON-able dict

    @property
    def heading(self) -> str:
        """What it is a counterexample to, in words."""
        return "Counterexample to the wording" if self.drops == AS_STATED else f"Without “{self.drops}”"


Gaps = Iterable[Any]  # what should be zero
Checks = Iterable[Check]
Counterexamples = Iterable[Counterexample]


@dataclass(frozen=True)
class Statement:
    """One statement: `paper` is what the paper says, `precise` what is true."""

    id: str
    place: int  # in the paper's order, theorems beyond it from 1000 on; gaps leave room for others
    title: str
    paper: str
    verdict: PaperVerdict
    precise: str
    assumptions: tuple[str, ...] = ()
    scope: str = "all dimensions"
    cites: tuple[str, ...] = ()  # theorems used beside the algebra, "Name: what it says" or in words
    latex: str = ""
    where: str = ""  # letters that only this statement uses
    expects: Result = "proved"
    claims: Callable[[], Claims] = field(default=lambda: (), repr=False)
    check: Callable[[], Checks] = field(default=lambda: (), repr=False)
    counterexamples: Callable[[], Counterexamples] = field(default=lambda: (), repr=False)

    def prove(self) -> tuple[Outcome, ...]:
        """Decide every identity that the statement claims."""
        return tuple(claim.decide() for claim in self.claims())


@dataclass(frozen=True, repr=False)
class Finding:
    """What verifying a statement brought to light."""

    statement: Statement
    outcomes: tuple[Outcome, ...]
    checks: tuple[Check, ...]
    counterexamples: tuple[Counterexample, ...]
    seconds: float

    @property
    def result(self) -> Result:
        """Proved if every claim has a certificate; refuted if one has a witness; else checked, or open."""
        if any(isinstance(o, Refuted) for o in self.outcomes):
            return "refuted"
        if any(isinstance(o, Open) for o in self.outcomes):
            return "open"
        if self.outcomes:
            return "proved"
        if any(c.drops == AS_STATED and c.confirmed for c in self.counterexamples) and not self.checks:
            return "refuted"
        return "checked" if self.checks and all(c.passes for c in self.checks) else "open"

    @property
    def words(self) -> str:
        """The result in words that keep *proved* and *cited* apart: ``proved, citing Gelfand``."""
        cited = ", ".join(dict.fromkeys(fact.partition(":")[0] for fact in self.statement.cites))
        return f"{self.result}, citing {cited}" if cited and self.result == "proved" else self.result

    @property
    def certificates(self) -> int:
        return sum(isinstance(o, Proved) for o in self.outcomes)

    @property
    def max_error(self) -> float:
        """The largest error of a check; 0.0 where all are exact and agree."""
        return max((float(c.error) for c in self.checks), default=0.0)

    @property
    def ok(self) -> bool:
        """Came out as it should: the expected result, every check passed, every counterexample confirmed."""
        return (
            self.result == self.statement.expects
            and all(c.passes for c in self.checks)
            and all(c.confirmed for c in self.counterexamples)
        )

    def __repr__(self) -> str:
        ok = "as expected" if self.ok else f"but should be {self.statement.expects}, with all checks passed"
        return f"<Finding {self.statement.id}: {self.result}, {ok}>"

    def __str__(self) -> str:
        return self.page().text()

    def page(self) -> Page:
        """The statement in full, with its proofs."""
        from theory.propositions.pages import finding_page

        return finding_page(self)

    def latex(self) -> str:
        """The statement, and the derivation of each identity."""
        proofs = [o.certificate.latex() for o in self.outcomes if isinstance(o, Proved)]
        return "\n".join([f"\\[ {self.statement.latex} \\]"] * bool(self.statement.latex) + proofs)

    def _repr_markdown_(self) -> str:
        from theory.propositions.document import statement_card

        return statement_card(self)

    def recheck(self) -> bool:
        """Every certificate and witness again by the independent route: True, or raises `Rejected`."""
        for outcome in self.outcomes:
            if isinstance(outcome, Proved):
                outcome.certificate.recheck()
            elif isinstance(outcome, Refuted):
                outcome.witness.recheck()
        return True


def verify(statement: Statement, *, strict: bool = False) -> Finding:
    """Prove, check and try the counterexamples of one statement; `strict` also re-checks every certificate.

    >>> from theory.propositions import statement
    >>> finding = verify(statement("eq-geometric"), strict=True)
    >>> finding.result, finding.ok
    ('proved', True)
    """
    begun = time.perf_counter()
    outcomes = statement.prove()
    checks = tuple(statement.check())
    counterexamples = tuple(statement.counterexamples())
    finding = Finding(statement, outcomes, checks, counterexamples, time.perf_counter() - begun)
    if strict:
        finding.recheck()
        return Finding(statement, outcomes, checks, counterexamples, time.perf_counter() - begun)
    return finding


def on_each(problems: Iterable[Problem], gaps: Callable[[Matrices], Gaps], detail: str = "") -> Checks:
    """Checks that what should be zero of a problem's matrices is: rationals, matrices, and lists of them."""
    for problem in problems:
        yield Check(problem.name, largest(list(gaps(matrices(problem)))), detail=detail)


def largest(value: Any) -> Fraction:
    """The largest absolute entry of a rational, a FLINT matrix, an array or nested lists of them."""
    if hasattr(value, "entries"):
        value = value.entries()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return max((largest(x) for x in value), default=Fraction(0))
    if hasattr(value, "p") and hasattr(value, "q"):
        value = Fraction(int(value.p), int(value.q))
    return abs(Fraction(value))
