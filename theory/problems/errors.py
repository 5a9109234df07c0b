"""The one error of bad input: what is wrong, and where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping


class InvalidProblem(ValueError):
    """A problem that cannot be meant. Its text is one line: ``place: complaint``.

    The place is a field and indices, ``("P_pi", 1)`` for row 1 of P_π. Readers of other formats
    rename the field to the user's own word with `renamed`.

    >>> print(InvalidProblem("sums to 9/10, not 1", "P_pi", 1))
    P_pi[1]: sums to 9/10, not 1
    """

    def __init__(self, complaint: str, *place: str | int) -> None:
        self.complaint = complaint
        self.place = place
        super().__init__(f"{_show_place(place)}: {complaint}" if place else complaint)

    def renamed(self, names: Mapping[str, str]) -> InvalidProblem:
        """The same complaint with the field's name replaced, for a reader with names of its own."""
        place = tuple(names.get(part, part) if isinstance(part, str) else part for part in self.place)
        return InvalidProblem(self.complaint, *place)


def _show_place(place: tuple[str | int, ...]) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """A hint at the known name that is most like the one given; `otherwise` where none is like it."""
    near = difflib.get_close_matches(name[:100], list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


def shortened(text: str) -> str:
    """At most 40 characters of it."""
    return text if len(text) <= 40 else text[:37] + "..."
