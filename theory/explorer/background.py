"""What takes longer than a slider may wait: computed in another process, shown when it is done.

Buttons ask for flips, searches and sampled runs; the page itself asks for the exact numbers of larger problems. A
job's answer is plain: texts, arrays and problems. While one runs, a thread waits for it and then tells the page.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import marimo as mo

from theory.experiments.search import Wanted
from theory.explorer.links import to_query
from theory.explorer.questions import SEARCH_SECONDS, SEEDS, crossings, data_said, other_problem, sampled_curves
from theory.explorer.sources import MAX_DATA
from theory.explorer.texts import short
from theory.explorer.view import View
from theory.explorer.worker import Worker
from theory.methods.basic import TD
from theory.methods.chains import CHAIN
from theory.problems import InvalidProblem
from theory.text.words import count

Methods = tuple[tuple[str, bool], ...]  # with whether it converges

PATIENCE = 0.1  # seconds that a part of the page may take before it is shown as under way
_KEPT = 32
# Questions of buttons, parts of the page, exact curves and proofs, which may take long: none waits for another.
_ASKED, _SHOWN, _DRAWN, _PROVED = Worker(), Worker(), Worker(), Worker()
_parts: OrderedDict[tuple[Any, ...], Job] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Job:
    """A question under way; `kind` says what its answer is."""

    kind: str  # "flips", "search", "sampled", or a part of the page
    title: str
    future: Future[Any] = field(repr=False)
    about: str = ""  # what it was asked of: the query of a view, of a search the fingerprint of the problem

    @property
    def done(self) -> bool:
        return self.future.done()

    @property
    def answer(self) -> tuple[Any, str]:
        """The result, or None and one line on what went wrong."""
        try:
            return self.future.result(), ""
        except CancelledError:
            return None, "given up for a newer question"
        except Exception as error:  # whatever the computation died of is shown, not raised
            return None, " ".join(str(error).split()) or type(error).__name__

    def tell(self, put: Callable[[Job], Any]) -> Job:
        """Call `put` with this job as a new object when it is done, from a thread that may set the page's state."""
        if not self.done:
            mo.Thread(target=lambda: (wait([self.future]), put(replace(self))), daemon=True).start()
        return self


def ask_flips(view: View) -> Job:
    """What is the smallest change that crosses a line?"""
    title = short(f"the nearest flips of {view.problem.name} at γ = {view.gamma}")
    return Job("flips", title, _ASKED.submit(crossings, view.problem), to_query(view))


def ask_search(wanted: Methods, states: int, features: int, seed: int = 0, *, about: str = "") -> Job:
    """A problem on which methods converge or do not, a pair each; `about` is the fingerprint of one it should be like.

    What no problem can be is refused here, by the theorem that says so.
    """
    words = ", ".join(f"{name} {'converges' if holds else 'does not'}" for name, holds in wanted)
    title = f"a problem with {count(states, 'state')} and {count(features, 'feature')} on which {words}"
    asked = Wanted(methods=wanted)
    return Job("search", title, _ASKED.submit(other_problem, asked, states, features, seed, SEARCH_SECONDS), about)


def ask_other_side(view: View, boundary: str) -> Job:
    """A problem of the same size on the other side of one line, and on the same side of the other."""
    td, chain = TD.verdict(view.problem).proved, CHAIN.verdict(view.problem).proved
    want_td, want_chain = (not td, chain) if boundary == "td" else (td, not chain)
    wanted = (("off-policy-td", want_td), ("chain", want_chain))
    return ask_search(wanted, view.problem.n_states, view.problem.n_features, about=view.problem.fingerprint)


def ask_sampled(view: View, seed: int = 0) -> Job:
    """Sampled learners on the same transitions: the median error over the seeds."""
    title = short(f"{SEEDS} sampled runs on {view.problem.name}, α = {view.alpha}")
    return Job("sampled", title, _ASKED.submit(sampled_curves, view, seed), to_query(view))


def ask_data(name: str, contents: bytes, gamma: Fraction) -> Job:
    """Recorded transitions: what they say at this discount, and how sure that is."""
    if len(contents) > MAX_DATA:
        raise InvalidProblem(f"has {len(contents):,} bytes; uploads may have {MAX_DATA >> 20} MiB", name[:60])
    plain = Path(name).name
    shown = plain if plain.isprintable() and len(plain) < 100 else f"data{Path(name).suffix}"
    return Job("data", f"what {short(shown)} says at γ = {gamma}", _ASKED.submit(data_said, shown, contents, gamma))


def ask_curves(key: Any, question: Callable[..., Any], *arguments: Any) -> Job:
    """The exact curves of a plane: asked once for each `key`, waited for by nobody; a newer plane ends an older one."""
    place = ("curves", key)
    if place not in _parts:
        for old, job in list(_parts.items()):
            if old[0] == "curves" and not job.done:
                job.future.cancel()
                _DRAWN.stop()
                del _parts[old]
        _parts[place] = Job("curves", "the exact curves", _DRAWN.submit(question, *arguments))
    _parts.move_to_end(place)
    return _parts[place]


def part(kind: str, title: str, key: Any, question: Callable[..., Any], *arguments: Any) -> Job:
    """A slow part of the page: asked once for each `key`, waited for briefly; newer questions go first."""
    place = (kind, key)
    if place not in _parts:
        for old, job in list(_parts.items()):
            if old[0] == kind and job.future.cancel():  # its turn had not come, and nobody looks at it any more
                del _parts[old]
        worker = _PROVED if kind == "proofs" else _SHOWN
        _parts[place] = Job(kind, title, worker.submit(question, *arguments))
        while len(_parts) > _KEPT:
            _parts.popitem(last=False)
    job = _parts[place]
    _parts.move_to_end(place)
    wait([job.future], timeout=PATIENCE)
    return job
