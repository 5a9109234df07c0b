"""The import graph is the architecture: it goes one way, and heavy packages stay where they belong."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

THEORY = Path(__file__).parent.parent / "theory"

# A package may import those on earlier floors, and itself.
FLOORS = [
    ["machine_code"],
    ["problems"],
    ["text", "coq", "code_version", "store"],
    ["linear", "exact", "symbolic"],
    ["certified"],
    ["thresholds"],
    ["derivation"],
    ["propositions", "learners", "montecarlo"],
    ["experiments"],
    ["exhibits"],
    ["report", "explorer"],
    ["commands"],
    ["cli"],
]
FLOOR = {name: i for i, names in enumerate(FLOORS) for name in names}

# Third-party packages and the only rooms in which they may be imported.
ROOMS = {
    "sympy": {"problems", "exact", "derivation", "symbolic", "propositions"},
    "flint": {
        "problems",
        "text",
        "exact",
        "certified",
        "thresholds",
        "derivation",
        "symbolic",
        "propositions",
        "montecarlo",
    },
    "matplotlib": {"exhibits"},
    "numba": {"machine_code"},
    "distributed": {"montecarlo"},
    "gymnasium": {"problems"},
    "quantecon": {"problems"},
    "rich": {"commands", "text"},
    "markdown_it": {"report"},
    "latex2mathml": {"report"},
    "click": {"commands", "cli"},
}
FILES = sorted(THEORY.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(THEORY).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import absolutely"
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(THEORY)))
def test_imports_go_one_way(path):
    here = room(path)
    if here in ("__init__", "__main__"):
        return
    for name in imported(path):
        package, _, rest = name.partition(".")
        if package == "theory" and rest:
            there = rest.split(".")[0]
            lower = FLOOR[there] < FLOOR[here] or (here == "commands" and there == "cli")
            assert lower or there == here, f"{path.name} ({here}) must not import {name}"
        elif package in ROOMS:
            assert here in ROOMS[package], f"{path.name} ({here}) must not import {package}"


def test_every_package_has_a_floor():
    packages = {room(p) for p in FILES} - {"__init__", "__main__"}
    assert packages <= set(FLOOR)


def test_help_imports_no_numerics():
    """`theory --help` must answer at once, so it may not pull in NumPy or anything slower."""
    heavy = "{'numpy', 'scipy', 'sympy', 'rich', 'flint', 'networkx'}"
    code = f"import sys, theory.cli; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_importing_the_library_draws_and_seeds_nothing():
    code = (
        "import numpy as np, pkgutil, importlib, theory\n"
        "before = np.random.get_state()[1].tolist()\n"
        "for m in pkgutil.walk_packages(theory.__path__, 'theory.'):\n"
        "    if m.name != 'theory.__main__': importlib.import_module(m.name)\n"
        "import sys; plotted = 'matplotlib.pyplot' in sys.modules\n"
        "print(before == np.random.get_state()[1].tolist(), plotted)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "True False"
