"""A theory at hand: its letters as attributes, and the identities stated in it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from theory.symbolic.theory import Claim, Theory


class Chapter(SimpleNamespace):
    """A theory `T` with its letters as attributes; a statement that has a theory of its own states its claims in it."""

    T: Theory
    claims: dict[str, Claim]

    def __init__(self, T: Theory, **letters: Any) -> None:
        super().__init__(T=T, claims={}, **letters)

    def state(self, name: str, left: Any, right: Any = 0) -> None:
        """Add an identity."""
        self.claims[name] = self.T.claim(name, left, right)
