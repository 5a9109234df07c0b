"""Which version of the code does a number depend on? That of every module it can reach.

The modules that a computation can reach by imports, at the top of files or within functions, are read from the sources;
their code without comments and docstrings, and the versions of the packages they use, make the version. Nobody has to
remember that a module matters, and rewording a docstring makes nothing stale.
"""

from __future__ import annotations

import ast
import hashlib
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

import theory

_ROOT = Path(theory.__file__).parent
_DISTRIBUTIONS = {"flint": "python-flint"}  # where a package is not called what it is installed as


@cache
def code_version(*roots: str) -> str:
    """The version of what `roots`, modules or whole packages, can reach: ours, that of packages, and of the sources."""
    modules = reach(*roots)
    digest = hashlib.sha256()
    for name in sorted(modules):
        digest.update(f"{name}\n{_code(modules[name])}\n".encode())
    foreign = {package for path in modules.values() for package in _foreign(path)}
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
    the others. The front door `theory` itself counts by its version.
    """
    found: dict[str, Path] = {}
    ahead = [name for root in roots for name in _below(root)]
    while ahead:
        name = ahead.pop()
        path = _file(name)
        if name not in found and name != "theory" and path is not None:
            found[name] = path
            ahead += _imports(path)
    return found


def _below(root: str) -> list[str]:
    """The module, and where it is a package all that is in it."""
    path = _file(root)
    if path is None:
        raise ValueError(f"there is no module {root}")
    if path.name != "__init__.py":
        return [root]
    inside = (p.relative_to(_ROOT.parent).with_suffix("") for p in path.parent.rglob("*.py"))
    return [".".join(p.parts).removesuffix(".__init__") for p in inside]


def _file(module: str) -> Path | None:
    path = _ROOT.parent.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


@cache
def _tree(path: Path) -> ast.Module:
    """What runs: no docstrings, and nothing that only type checkers see."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _idle(part)]  # type: ignore[attr-defined]
    return tree


def _idle(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def _code(path: Path) -> str:
    return ast.dump(_tree(path))


def _imports(path: Path) -> list[str]:
    """The modules of ours that a file takes something from."""
    names = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [_home(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Attribute) and node.attr == "__path__":
            names += _below(ast.unparse(node.value))  # a package whose modules are found by their files
    return [name for name in names if name.split(".")[0] == "theory"]


def _home(module: str, name: str) -> str:
    """The module that ``from module import name`` is about."""
    if _file(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    path = _file(module) if module.split(".")[0] == "theory" and module != "theory" else None
    if path is not None and path.name == "__init__.py":
        for node in _tree(path).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return _home(node.module, alias.name)
    return module


def _foreign(path: Path) -> set[str]:
    """The packages of others that a file imports, as they are installed."""
    tops = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            tops |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            tops.add(node.module.split(".")[0])
    return {_DISTRIBUTIONS.get(top, top) for top in tops - sys.stdlib_module_names - {"theory"}}


@cache
def _installed(package: str) -> str | None:
    try:
        return installed(package)
    except PackageNotFoundError:
        return None  # an extra that is not used here
