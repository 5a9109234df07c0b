"""The declared names of one theory: types of letters, their transposes, abbreviations, how they print."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from theory.symbolic.context import Tree
from theory.symbolic.forms import UNIT
from theory.symbolic.notation import as_latex


class IllTyped(TypeError):
    """A sum or product of arrows that do not fit together."""


@dataclass
class Alphabet:
    """A name is declared once, as a scalar, a letter or an abbreviation."""

    scalars: dict[str, str] = field(default_factory=dict)  # name -> LaTeX
    letters: dict[str, tuple[str, str]] = field(default_factory=dict)  # source, target; transposes included
    flips: dict[str, str] = field(default_factory=dict)
    latex: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, Tree] = field(default_factory=dict)  # abbreviations, which are no letters

    def add_letter(self, name: str, source: str, target: str, symmetric: bool, latex: str | None) -> None:
        """Declare a letter and its transpose."""
        self._check_new(name)
        if symmetric and source != target:
            raise IllTyped(f"{name!r} cannot be symmetric: it maps {source} to {target}")
        for space in (source, target):
            if space != UNIT and not (space[0].isalpha() and space.replace("_", "").isalnum()):
                raise IllTyped(f"{space!r} is not a space: begin with a letter, as in 'F -> S', or take 1 for vectors")
        flip = name if symmetric else f"{name}^T"
        self.letters |= {flip: (target, source), name: (source, target)}
        self.flips |= {flip: name, name: flip}
        self.latex[name] = latex or as_latex(name)

    def add_scalar(self, name: str, latex: str | None = None) -> None:
        """Declare a commuting scalar."""
        self._check_new(name)
        self.scalars[name] = self.latex[name] = latex or as_latex(name)

    def add_definition(self, name: str, tree: Tree, latex: str | None) -> None:
        """Let a formula print under a name."""
        self._check_new(name)
        self.definitions[name] = tree
        self.latex[name] = latex or as_latex(name)

    @property
    def tables(self) -> tuple[dict[str, Any], ...]:
        """All that a declaration changes."""
        return (self.scalars, self.letters, self.flips, self.latex, self.definitions)

    def _check_new(self, name: str) -> None:
        if name in self.letters or name in self.scalars or name in self.definitions:
            raise ValueError(f"{name!r} is declared twice")
        if not name or not name.replace("_", "").replace("+", "").isalnum() or name[0].isdigit():
            raise ValueError(f"{name!r} is not a name: begin with a letter; then letters, digits, '_' and '+'")
