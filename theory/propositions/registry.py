"""All statements in the paper's order, found from the files of this package.

A file has a statement if it says ``id="…"`` and ``place=…`` in two lines of their own; both are read from its text, so
that naming the statements imports none of them.
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


def _declared() -> dict[str, str]:
    """The statements' modules by id, in order of place."""
    texts = {f.name: f.read_text(encoding="utf-8") for f in files(__package__).iterdir() if f.name.endswith(".py")}
    found = sorted((int(place), id, name) for name, text in texts.items() for id, place in _DECLARED.findall(text))
    return {id: f"{__package__}.{name.removesuffix('.py')}" for _, id, name in found}


_MODULES = _declared()
IDS = tuple(_MODULES)


def statement(id: str) -> Statement:
    """The statement with this id.

    >>> statement("prop-2").title
    'Bias of the k-th value function'
    """
    if id not in IDS:
        near = get_close_matches(id, IDS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "see `theory list`"
        raise InvalidProblem(f"there is no statement {id!r}; {hint}")
    names = vars(importlib.import_module(_MODULES[id])).values()
    return next(x for x in names if isinstance(x, Statement) and x.id == id)


def claimed(id: str, *names: str) -> list[Claim]:
    """Identities of another statement, by their names."""
    found = {claim.name: claim for claim in statement(id).claims()}
    return [found[name] for name in names]


def distinct_claims() -> list[Claim]:
    """Every identity that the statements claim, once; several rest on the bias."""
    claims = [claim for name in IDS for claim in statement(name).claims()]
    return list({(id(claim.theory), str(claim)): claim for claim in claims}.values())
