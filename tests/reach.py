"""What of the library can be reached by a command, a notebook or a document, read off the sources.

A definition (function, class, method) is reached when something reached names it: a `Name` that is defined or imported
in that module, an attribute of an imported module, or for a method an attribute of that name on whatever object, or a
text that could be one. So this errs on one side: what it calls unreached is named nowhere that runs. It starts at

- code that runs on import, click's commands and marimo's cells;
- the public API: the names in `theory.__all__` and their classes' public methods;
- Python in notebooks, README and docs.

A class brings the methods that others call without naming them: dunders, `_repr_…_`, and all where a base class is
foreign (click, SymPy and Numba call them).
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
Place = tuple[str, str]  # module and qualified name
DEFINITION = (ast.FunctionDef, ast.ClassDef)


def modules(folder: Path = ROOT / "theory") -> dict[str, ast.Module]:
    """The library's modules by name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text())
    return found


def written() -> list[ast.Module]:
    """Python that users read: notebooks, and the blocks of README and docs."""
    texts = [path.read_text() for path in sorted((ROOT / "analysis_notebooks").glob("*.py"))]
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        for block in re.findall(r"^```python\n(.*?)^```", path.read_text(), re.S | re.M):
            texts.append(re.sub(r"^(>>>|\.\.\.) ?", "", block, flags=re.M))
    return [ast.parse(text) for text in texts]


class Reach:
    """The definitions of some modules, what each names, and what is reached from the starts."""

    def __init__(self, sources: dict[str, ast.Module], public: Iterable[str], readers: Iterable[ast.Module] = ()):
        self.public = set(public)
        self.imports = {name: dict(_imports(tree)) for name, tree in sources.items()}
        self.definitions: dict[Place, ast.stmt] = {}
        self.named: dict[str, list[Place]] = defaultdict(list)
        for module, tree in sources.items():
            for place, node in _definitions(module, tree):
                self.definitions[place] = node
                self.named[place[1].rpartition(".")[2]].append(place)
        starts: set[Place] = set()
        for module, tree in sources.items():
            for node in tree.body:
                if not isinstance(node, DEFINITION) or _registered(node):
                    starts |= self.names(node, module, self.imports[module])
        for tree in readers:
            starts |= self.names(tree, "", dict(_imports(tree)))
        for name in self.public:
            starts |= self.find("theory.api", name) | self.find("theory", name)
        self.reached = self._closure(starts)

    def names(self, node: ast.AST, module: str, imports: dict[str, Place]) -> set[Place]:
        """The definitions that a piece of code names."""
        found: set[Place] = set()
        for child in _within(node):
            if isinstance(child, ast.Attribute):
                found.update(place for place in self.named[child.attr] if "." in place[1])
                if isinstance(child.value, ast.Name) and child.value.id in imports:
                    found |= self.find(".".join(imports[child.value.id]), child.attr)
            elif isinstance(child, ast.Name):
                found |= self.find(module, child.id, imports)
            elif isinstance(child, ast.Constant) and isinstance(child.value, str) and child.value.isidentifier():
                found.update(place for place in self.named[child.value] if "." in place[1])  # for getattr
        return found

    def find(self, module: str, name: str, imports: dict[str, Place] | None = None) -> set[Place]:
        """The definition that a name in a module stands for, through imports that pass it on."""
        if (module, name) in self.definitions:
            return {(module, name)}
        source = (self.imports.get(module, {}) if imports is None else imports).get(name)
        return self.find(*source) if source is not None and source != (module, name) else set()

    def _closure(self, starts: set[Place]) -> set[Place]:
        reached, todo = set(), list(starts)
        while todo:
            place = todo.pop()
            if place not in reached:
                reached.add(place)
                todo.extend(self._leads_to(*place))
        return reached

    def _leads_to(self, module: str, name: str) -> Iterator[Place]:
        node, imports = self.definitions[module, name], self.imports[module]
        if not isinstance(node, ast.ClassDef):
            yield from self.names(node, module, imports)
            if "." in name:
                yield module, name.partition(".")[0]
            return
        foreign = any(not self.names(ast.Expr(base), module, imports) for base in node.bases)
        for child in [*node.body, *map(ast.Expr, [*node.bases, *node.decorator_list])]:
            if not isinstance(child, ast.FunctionDef):
                yield from self.names(child, module, imports)
            elif foreign or re.fullmatch(r"_.*_", child.name) or (name in self.public and child.name[0] != "_"):
                yield module, f"{name}.{child.name}"

    def unreached(self) -> list[str]:
        """What nothing reaches, as module.name."""
        return sorted(".".join(place) for place in set(self.definitions) - self.reached)


def _definitions(module: str, tree: ast.Module) -> Iterator[tuple[Place, ast.stmt]]:
    for node in tree.body:
        if isinstance(node, DEFINITION) and not _registered(node) and not node.name.startswith("__"):
            yield (module, node.name), node
            if isinstance(node, ast.ClassDef):
                yield from (
                    ((module, f"{node.name}.{child.name}"), child)
                    for child in node.body
                    if isinstance(child, ast.FunctionDef)
                )


def _registered(node: ast.stmt) -> bool:
    """Is it a command or a cell, which its decorator calls?"""
    decorators = getattr(node, "decorator_list", [])
    return any(re.search(r"\.(cell|command|group)\b|_options?\b|^click\.", ast.unparse(d)) for d in decorators)


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a piece of code, but for imports and lists of exported names."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Import | ast.ImportFrom):
            yield child
            yield from _within(child)


def _imports(tree: ast.Module) -> Iterator[tuple[str, Place]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((alias.asname or alias.name, (node.module, alias.name)) for alias in node.names)
