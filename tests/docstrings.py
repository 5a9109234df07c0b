"""numpydoc's validation of the public names and of their classes' methods: ``python -m tests.docstrings``.

Part of ``make lint``. Left out are rules about where a docstring begins and that it has a longer part (`GL01`, `GL02`,
`ES01`), and that a description begins with a capital letter (`PR08`), which α does not have. Methods need no example
and no list of relatives; properties and methods without parameters need one line.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

from numpydoc.validate import validate

import theory

LEFT_OUT = {"GL01", "GL02", "ES01", "PR08"}
OF_METHODS = LEFT_OUT | {"EX01", "SA01"}
PLAIN = OF_METHODS | {"RT01", "GL03", "SS03", "SS05", "SS06", "YD01"}


def complaints() -> Iterator[str]:
    """One line each."""
    for name in theory.__all__:
        thing = getattr(theory, name)
        yield from _of(f"{thing.__module__}.{thing.__qualname__}", f"theory.{name}", LEFT_OUT)
        for method in _methods(thing) if isinstance(thing, type) else ():
            plain = len(inspect.signature(getattr(thing, method)).parameters) == _bound(thing, method)
            where = f"{thing.__module__}.{thing.__qualname__}.{method}"
            yield from _of(where, f"theory.{name}.{method}", PLAIN if plain else OF_METHODS)


def _methods(kind: type) -> list[str]:
    found = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    ours = (n for n, v in found.items() if inspect.isfunction(v) or isinstance(v, classmethod | staticmethod))
    return sorted(n for n in ours if not n.startswith("_") and "theory" in getattr(kind, n).__module__)


def _bound(kind: type, method: str) -> int:
    """A function of a class has self, which a class method has got already."""
    return 0 if inspect.ismethod(getattr(kind, method)) else 1


def _of(place: str, shown: str, left_out: set[str]) -> Iterator[str]:
    for code, text in validate(place)["errors"]:
        if code not in left_out:
            yield f"{shown}: {code} {text}"


if __name__ == "__main__":
    found = list(complaints())
    print(*(found or [f"numpydoc: {len(theory.__all__)} public names documented"]), sep="\n")
    sys.exit(bool(found))
