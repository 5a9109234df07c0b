"""What the Coq kernel has said about all statements, kept for the version of the code that it was said about.

`theory verify --coq` asks and keeps; the report and the explorer show it, and say where there is nothing to show. The
version is that of everything that a certificate or a Coq file can depend on, the hand-written proofs included: after an
edit anywhere nothing is found, and Coq has to be asked again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from theory.code_version import code_version
from theory.coq.compiler import Compiled, coq_version, library
from theory.coq.run import Report, check_statements
from theory.propositions.registry import IDS, statement
from theory.store import Store, StoreError, cache_folder
from theory.symbolic.outcomes import Proved

_WHAT = "the Coq kernel on all statements"


def version() -> str:
    """Of the code and of the hand-written proofs."""
    proofs = hashlib.sha256(json.dumps(library(), sort_keys=True).encode()).hexdigest()[:12]
    return f"{code_version('theory.propositions', 'theory.coq')}, proofs {proofs}"


def remembered() -> dict[str, Any] | None:
    """What Coq said of this version; None where it was not asked."""
    path = _path()
    if not path.is_file():
        return None
    try:
        with Store(path, version()) as store:
            found = [value for *_, value in store.rows(_WHAT, _unsound)]
    except StoreError:
        return None  # damaged: it can be asked again
    return found[-1] if found else None


def remember(report: Report) -> dict[str, Any]:
    """Keep what was said about all statements; where nothing can be written it is only given back."""
    words = {id: {**word.to_dict(), "text": word.text} for id, word in report.words.items()}
    document = {"coq": coq_version(), "totals": report.to_dict(), "statements": words}
    if set(words) == set(IDS):
        with suppress(OSError):
            path = _path()
            path.parent.mkdir(parents=True, exist_ok=True)
            with Store(path, version()) as store:
                store.put(_WHAT, len(store.known(_WHAT)), 1, document)
    return document


def ask(watch: Callable[[float], None] = lambda part: None) -> dict[str, Any]:
    """Prove everything, ask Coq, and keep what it says."""

    def progress(done: Compiled, count: int, total: int) -> None:
        watch(count / total)

    stated = [statement(id) for id in IDS]
    proofs = {s.id: [o.certificate.to_dict() for o in s.prove() if isinstance(o, Proved)] for s in stated}
    return remember(check_statements(proofs, {s.id: s.cites for s in stated}, report=progress))


def _path() -> Path:
    return cache_folder() / f"coq-{hashlib.sha256(version().encode()).hexdigest()[:12]}.sqlite"


def _unsound(_: int, value: Any) -> str | None:
    sound = isinstance(value, dict) and set(value) == {"coq", "totals", "statements"}
    return None if sound else "does not hold what Coq said"
