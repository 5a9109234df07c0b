"""What a control does: try a change, keep the last good view where it fails, and say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theory.explorer.links import from_query
from theory.explorer.view import View, open_view
from theory.problems.catalogue import catalogue_problem


class Session:
    """The page's getter and setters of the view and of the message below the controls.

    `parts` are further setters, by name: a group of controls is made anew only when what it shows has changed, since
    making a control costs the browser more than the mathematics costs the server.
    """

    def __init__(
        self,
        get: Callable[[], View],
        put: Callable[[View], Any],
        tell: Callable[[str], Any],
        note: str = "",  # the message that is there already
        **parts: Callable[[View], Any],
    ) -> None:
        self.get, self.put, self.tell, self.parts = get, put, tell, parts
        self.said = bool(note)

    def attempt(self, change: Callable[[View], View]) -> None:
        """Replace the view by ``change(view)``; an error becomes the message and the view stays."""
        before = self.get()
        try:
            view = change(before)
        except (ValueError, ArithmeticError, OSError, ImportError) as error:
            self.said = True
            self.tell(" ".join(str(error).split()))
            return
        self.dismiss()
        self.put(view)
        for name, put in self.parts.items():
            if _shown_by(name, view) != _shown_by(name, before):
                put(view)

    def dismiss(self) -> None:
        """Take the message away: what it complained of is gone."""
        if self.said:
            self.said = False
            self.tell("")


def _shown_by(part: str, view: View) -> Any:
    """What a group of controls shows of a view."""
    return {
        "source": (view.spec, view.base, view.is_moved),
        "gamma": (view.gamma, view.is_changed),
        "entry": (view.base, view.entry, view.value),
        "settings": (view.alpha, view.window, view.heads, view.steps, view.tau),
    }[part]


def first_view(query: dict[str, Any]) -> tuple[View, str]:
    """The view that the address asks for, or Baird's counterexample and why the address could not be followed."""
    try:
        return from_query(query), ""
    except (ValueError, ArithmeticError, OSError, ImportError) as error:
        return open_view(catalogue_problem("baird"), "baird"), f"The link could not be followed: {error}"


def steps_with(steps: list[Any], value: Any) -> list[Any]:
    """A slider's stops with the current value among them."""
    return sorted({*steps, value})
