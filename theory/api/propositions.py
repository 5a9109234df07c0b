"""Statements of the paper, and identities of one's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from theory.propositions.pages import Findings
    from theory.propositions.statement import Finding
    from theory.symbolic import Outcome


def statements() -> tuple[str, ...]:
    """List the ids of all statements, in the paper's order.

    Returns
    -------
    tuple of str
        Ids such as ``"prop-2"``, which `verify` takes.

    See Also
    --------
    verify : Decide them.

    Examples
    --------
    >>> import theory
    >>> "prop-2" in theory.statements()
    True
    """
    from theory.propositions.registry import IDS

    return tuple(IDS)


@overload
def verify(id: str, /, *, strict: bool = False) -> Finding: ...
@overload
def verify(*, strict: bool = False) -> Findings: ...
@overload
def verify(first: str, second: str, /, *more: str, strict: bool = False) -> Findings: ...
def verify(*ids: str, strict: bool = False) -> Finding | Findings:
    """Prove statements of the paper and check them on concrete problems.

    Parameters
    ----------
    *ids : str
        Statements, as `statements` lists them; all of them without an id.
    strict : bool, default False
        Check every certificate again by the independent route.

    Returns
    -------
    Finding or Findings
        Of one statement its finding: ``.result``, ``.certificates``, ``.checks``, ``.counterexamples``, ``.latex()``.
        Else a list of findings, which prints as a table.

    Raises
    ------
    InvalidProblem
        There is no statement of that id.

    See Also
    --------
    statements : The ids.
    prove : An identity of one's own.

    Examples
    --------
    >>> import theory
    >>> theory.verify("prop-2").result
    'proved'
    """
    from theory.propositions import statement
    from theory.propositions import verify as decide
    from theory.propositions.pages import Findings

    found = Findings(decide(statement(name), strict=strict) for name in ids or statements())
    return found[0] if len(ids) == 1 else found


def prove(identity: str, assume: str | Iterable[str] = ()) -> Outcome:
    """Decide an identity between the paper's letters: for all dimensions and all k.

    Parameters
    ----------
    identity : str
        Such as ``"Pi Phi = Phi"``; `letters` lists the letters.
    assume : str or iterable of str, default ()
        Identities that are assumed.

    Returns
    -------
    Proved, Refuted or Open
        What `Theory.prove` gives: a certificate, a counterexample, or neither.

    Raises
    ------
    InvalidProblem
        The text cannot be read; the message names the place.

    See Also
    --------
    letters : The letters and their meaning.
    Theory : Letters and assumptions of one's own.

    Examples
    --------
    >>> import theory
    >>> print(theory.prove("Pi Phi = Phi"))
    Proved 'Pi Phi = Phi': for all dimensions
      uses 'Xi X = 1'
    """
    from theory.propositions.identities import decide_identity

    return decide_identity(identity, (assume,) if isinstance(assume, str) else assume)[1]


def letters() -> dict[str, str]:
    """List the letters that `prove` reads.

    Returns
    -------
    dict of str
        Each letter with its meaning.

    See Also
    --------
    prove : Decide an identity between them.

    Examples
    --------
    >>> import theory
    >>> theory.letters()["Pi"]
    'ΦX⁻¹ΦᵀD: projection onto the span of Φ; ΠP and B/γ have the same nonzero spectrum'
    """
    from theory.propositions.identities import LETTERS
    from theory.text.words import meaning

    return {name: meaning(name) for name in LETTERS}
