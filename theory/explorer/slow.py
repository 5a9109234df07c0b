"""Parts of the page that are quick for small problems and slow for large ones.

A small problem's part is computed on the spot. A larger one's is asked of another process: what is done within a
moment is shown at once, else the page says that it is working, keeps what it showed before, dimmed, and shows the
answer later; `put` tells the page then.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import marimo as mo

from theory.explorer import cards, panels, rulers
from theory.explorer.background import Job, ask_curves, part
from theory.explorer.links import to_query
from theory.explorer.phase import Lines, bare_plane, exact_curves, reach
from theory.explorer.proofs import proofs_shown, verified
from theory.explorer.view import View

QUICK_EXACT, QUICK_FIGURES = 8, 12  # states up to which a change is answered within 300 ms on the spot
Put = Callable[[Job], Any]


class Parts:
    """One page's slow parts, each with what it showed last."""

    def __init__(self, put: Put) -> None:
        self.put = put
        self.last: dict[str, str] = {}

    def ruler(self, view: View) -> str:
        """The exact thresholds on a ruler."""
        if _size(view) <= QUICK_EXACT:
            return self._keep("ruler", cards.card(rulers.ruler, view))
        problem = rulers.without_gamma(view)
        job = part("ruler", "the exact thresholds", problem, rulers.find_ruler, problem)
        return self._shown("ruler", job, lambda found: rulers.draw_ruler(found, view.problem.gamma))

    def panel(self, view: View, name: str) -> str:
        """One of the figures' panels."""
        lines = self._curves(view) if name in panels.WITH_PLANE else None
        if name not in panels.SLOW and _size(view) <= QUICK_FIGURES:
            return self._keep(name, panels.panel(view, name, lines))
        key = (name, to_query(view), lines is None)
        return self._shown(name, part("panel", name, key, panels.panel, view, name, lines), str)

    def _curves(self, view: View) -> Lines | None:
        """The phase diagram's exact boundaries; None while they load, or where there are none."""
        plane = bare_plane(view.problem, view.entry)
        if plane is None:
            return None
        far = reach(view.base, view.entry_value)
        job = ask_curves((plane.fingerprint, view.entry, far), exact_curves, plane, view.entry, far)
        if not job.done:
            job.tell(self.put)
            return None
        found: Lines | None = job.answer[0]
        return found

    def exact(self, view: View) -> str:
        """The exact numbers and certificates."""
        if _size(view) <= QUICK_EXACT:
            return self._keep("exact", cards.card(cards.exact_card, view))
        job = part("panel", "the exact numbers", ("Exact", to_query(view)), cards.card, cards.exact_card, view)
        return self._shown("exact", job, str)

    def proofs(self) -> list[Any]:
        """All statements of the paper and of the field, verified."""
        job = part("proofs", "all statements, about ten seconds", None, verified)
        if job.done and not job.answer[1]:
            return proofs_shown(job.answer[0])
        return [mo.Html(self._shown("proofs", job, str))]

    def _keep(self, place: str, html: str) -> str:
        self.last[place] = html
        return html

    def _shown(self, place: str, job: Job, render: Callable[[Any], str]) -> str:
        if not job.done:
            job.tell(self.put)
            before = self.last.get(place, "")
            return f'{working(job.title)}<div aria-busy="true" class="before">{before}</div>'
        found, complaint = job.answer
        return self._keep(place, f"<p>This cannot be shown: {escape(complaint)}</p>" if complaint else render(found))


def working(title: str) -> str:
    """That something is under way, for eyes and screen readers."""
    return (
        f'<p role="status" class="working"><span aria-hidden="true" class="working-mark">◌</span> '
        f"Working on {escape(title)}. Everything else can be used meanwhile.</p>"
    )


def _size(view: View) -> int:
    return max(view.problem.n_states, view.problem.n_features)
