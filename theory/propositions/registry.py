"""All statements in the paper's order, found from the files of this package.

A file is a statement's if it says ``id="…"`` and ``place=…`` in two lines of its own; both are read from its text,
so that naming the statements imports none of them. The file is called like the id, with ``_`` for ``-``.
"""

from __future__ import annotations

import importlib
import re
from difflib import get_close_matches
from importlib.resources import files

from theory.problems import InvalidProblem
from theory.propositions.statement import Statement
from theory.symbolic.theory import Claim

_DECLARED = re.compile(r'^    id="([^"]+)",\n    place=([0-9]+),$', re.MULTILINE)


def _declared() -> tuple[str, ...]:
    texts = (f.read_text(encoding="utf-8") for f in files(__package__).iterdir() if f.name.endswith(".py"))
    found = sorted((int(place), id) for text in texts for id, place in _DECLARED.findall(text))
    return tuple(id for _, id in found)


IDS = _declared()


def statement(id: str) -> Statement:
    """The statement with this id.

    >>> statement("prop-2").title
    'Bias of the k-th value function'
    """
    if id not in IDS:
        near = get_close_matches(id, IDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "see `theory list`"
        raise InvalidProblem(f"there is no statement {id!r}; {hint}")
    found: Statement = importlib.import_module(f"theory.propositions.{id.replace('-', '_')}").STATEMENT
    return found


def distinct_claims() -> list[Claim]:
    """Every identity that the statements claim, once; several rest on the bias."""
    claims = [claim for name in IDS for claim in statement(name).claims()]
    return list({(id(claim.theory), str(claim)): claim for claim in claims}.values())
