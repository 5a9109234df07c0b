"""The exhibits there are, found by their files; one is imported only when it is asked for."""

from __future__ import annotations

import ast
import importlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from theory.exhibits._exhibit import SECTIONS, Exhibit

FOLDER = Path(__file__).parent


@cache
def names() -> tuple[str, ...]:
    """Every exhibit's name, by the alphabet."""
    found = (m.name for m in iter_modules([str(FOLDER)]) if not m.ispkg and not m.name.startswith("_"))
    return tuple(sorted(name.replace("_", "-") for name in found))


@cache
def exhibit(name: str) -> Exhibit[Any]:
    """The exhibit of a name that is there."""
    module = importlib.import_module(f"{__package__}.{name.replace('-', '_')}")
    return replace(module.EXHIBIT, name=name)


def exhibits() -> list[Exhibit[Any]]:
    """All of them, in the order of the report: by section, then by name."""
    return sorted((exhibit(name) for name in names()), key=lambda e: (SECTIONS.index(e.section), e.name))


def family(name: str) -> list[str]:
    """The exhibit of this name and those named after it: ``success-rate``, ``success-rate-map``, …"""
    return [other for other in names() if other == name or other.startswith(f"{name}-")]


def first_line(name: str) -> str:
    """What an exhibit's file says of itself, without importing it."""
    source = (FOLDER / f"{name.replace('-', '_')}.py").read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
