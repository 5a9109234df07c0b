"""What a control does: try a change, keep the last good view where it fails, and say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from theory.explorer.links import from_query
from theory.explorer.view import View, open_view
from theory.problems.catalogue import catalogue_problem


class Session:
    """The page's getter and setters of the view and of the message below the controls."""

    def __init__(self, get: Callable[[], View], put: Callable[[View], Any], tell: Callable[[str], Any]) -> None:
        self.get, self.put, self.tell = get, put, tell

    def attempt(self, change: Callable[[View], View]) -> None:
        """Replace the view by ``change(view)``; an error becomes the message and the view stays."""
        try:
            view = change(self.get())
        except (ValueError, ArithmeticError, OSError, ImportError) as error:
            self.tell(" ".join(str(error).split()))
            return
        self.tell("")
        self.put(view)


def first_view(query: dict[str, Any]) -> tuple[View, str]:
    """The view that the address asks for, or Baird's counterexample and why the address could not be followed."""
    try:
        return from_query(query), ""
    except (ValueError, ArithmeticError, OSError, ImportError) as error:
        return open_view(catalogue_problem("baird"), "baird"), f"The link could not be followed: {error}"


def steps_with(steps: list[Any], value: Any) -> list[Any]:
    """A slider's stops with the current value among them."""
    return sorted({*steps, value})
