"""Which version of the code does a number depend on? That of every module it can reach.

The modules that a computation can reach by imports, at the top of files or within functions, are read from the sources;
their code without comments and docstrings, and the versions of the packages they use, make the version. Nobody has to
remember that a module matters, and rewording a docstring makes nothing stale. Regular expressions read the sources,
because a study of a moment would wait longer for syntax trees than for its numbers; a test compares the two.
"""

from __future__ import annotations

import hashlib
import platform
import re
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

import theory

_ROOT = Path(theory.__file__).parent
_DISTRIBUTIONS = {"flint": "python-flint"}  # where a package is not called what it is installed as
# From left to right, so that a # within a string is no comment, and a quote within a comment begins no string.
_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""' + r"|'''(?:\\.|[^\\])*?'''" + r'|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'"
    r"|(?P<comment>[ \t]*#[^\n]*)",
    re.DOTALL,
)
_DOCSTRING = re.compile(r'(\A|:\n)\s*[rR]?"""(?:\\.|[^\\])*?"""[ \t]*$', re.DOTALL | re.MULTILINE)
_TYPES_ONLY = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n)*", re.MULTILINE)
_FROM = re.compile(r"^[ \t]*from ([\w.]+) import (\([^)]*\)|[^\n;]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import ([^\n;]+)", re.MULTILINE)
_FOLDER = re.compile(r"([\w.]+)\.__path__")


@cache
def code_version(*roots: str) -> str:
    """The version of what `roots`, modules or whole packages, can reach: ours, that of packages, and of the sources."""
    modules = reach(*roots)
    digest = hashlib.sha256()
    for name in sorted(modules):
        digest.update(f"{name}\n{code(modules[name])}\n".encode())
    tops = {top.split(".")[0] for path in modules.values() for top, _ in _imports(path)}
    foreign = {_DISTRIBUTIONS.get(top, top) for top in tops - sys.stdlib_module_names - {"theory"}}
    packages = ", ".join(f"{name} {number}" for name in sorted(foreign) if (number := _installed(name)))
    return f"theory {theory.__version__}, {packages}, sources {digest.hexdigest()[:12]}"


def versions(*packages: str) -> dict[str, str]:
    """Ours, Python's and those of packages that a result may depend on."""
    found = {name: installed(name) for name in packages}
    return {"theory": theory.__version__, "python": platform.python_version(), **found}


def provenance(seed: int, command: str) -> dict[str, str]:
    """Seed, versions and command, as text for the head of a file."""
    known = versions("numpy", "numba").items()
    return {"seed": str(seed), "versions": ", ".join(f"{name} {number}" for name, number in known), "command": command}


def reach(*roots: str) -> dict[str, Path]:
    """The modules that `roots` can reach by imports, at the top or within functions, with their files.

    A package's ``__init__`` that only passes names on is seen through: who takes one of them reaches its module, not
    the others. The package `theory` itself counts by its version.
    """
    found: dict[str, Path] = {}
    ahead = [name for root in roots for name in _below(root)]
    while ahead:
        name = ahead.pop()
        path = _file(name)
        if name not in found and name != "theory" and path is not None:
            found[name] = path
            ahead += [_home(module, one) for module, names in _imports(path) for one in names or ("",)]
            ahead += [inside for package in _FOLDER.findall(code(path)) for inside in _below(package)]
    return found


@cache
def code(path: Path) -> str:
    """What runs: no docstrings, comments and empty lines, and nothing that only type checkers see."""
    text = _COMMENT.sub(lambda match: "" if match["comment"] else match[0], path.read_text(encoding="utf-8"))
    lines = (line.rstrip() for line in _DOCSTRING.sub(r"\1", text).splitlines())
    return _TYPES_ONLY.sub("", "\n".join(line for line in lines if line) + "\n")


@cache
def _imports(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Modules that a file imports, each with the names that it takes from it: none for ``import module``."""
    text = code(path)
    plain = [(part.split()[0], ()) for names in _IMPORT.findall(text) for part in names.split(",")]
    taken = [(module, tuple(re.findall(r"(\w+)(?: as \w+)?", names))) for module, names in _FROM.findall(text)]
    return plain + taken


def _below(root: str) -> list[str]:
    """The module, and where it is a package all that is in it."""
    path = _file(root)
    if path is None:
        raise ValueError(f"there is no module {root}")
    if path.name != "__init__.py":
        return [root]
    inside = (p.relative_to(_ROOT.parent).with_suffix("") for p in path.parent.rglob("*.py"))
    return [".".join(p.parts).removesuffix(".__init__") for p in inside]


@cache
def _file(module: str) -> Path | None:
    if module.split(".")[0] != "theory":
        return None
    path = _ROOT.parent.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


def _home(module: str, name: str) -> str:
    """The module that ``from module import name`` is about."""
    if name and _file(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    path = None if module == "theory" else _file(module)
    if name and path is not None and path.name == "__init__.py":
        for origin, names in _imports(path):
            if name in names:
                return _home(origin, name)
    return module


@cache
def _installed(package: str) -> str | None:
    try:
        return installed(package)
    except PackageNotFoundError:
        return None  # an extra that is not used here
