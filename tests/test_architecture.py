"""The import graph is the architecture: it goes one way, and heavy packages stay where they belong."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import theory
from tests.reach import Reach, modules, written

THEORY = Path(__file__).parent.parent / "theory"

# A package may import those on earlier floors, and itself.
FLOORS = [
    ["machine_code", "budgets"],
    ["problems"],
    ["text", "views", "coq", "code_version", "store"],
    ["exact", "symbolic"],
    ["model"],
    ["linear"],
    ["certified"],
    ["thresholds"],
    ["methods"],
    ["derivation"],
    ["learners", "montecarlo"],
    ["noise", "checking", "data"],
    ["propositions"],
    ["experiments"],
    ["exhibits"],
    ["report", "explorer"],
    ["front"],
    ["commands"],
    ["cli"],
]
FLOOR = {name: i for i, names in enumerate(FLOORS) for name in names}

# Third-party packages and the only rooms in which they may be imported.
ROOMS = {
    "sympy": {"problems", "exact", "derivation", "symbolic", "propositions", "front"},
    "flint": {
        "coq",
        "problems",
        "text",
        "exact",
        "certified",
        "thresholds",
        "model",
        "methods",
        "derivation",
        "symbolic",
        "propositions",
        "montecarlo",
        "learners",
        "noise",
    },
    "matplotlib": {"exhibits", "front"},
    "numba": {"machine_code"},
    "distributed": {"montecarlo"},
    "gymnasium": {"problems"},
    "quantecon": {"problems"},
    "rich": {"text", "views"},
    "markdown_it": {"report"},
    "latex2mathml": {"report"},
    "click": {"commands", "cli"},
}
FILES = sorted(THEORY.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(THEORY).parts[0].removesuffix(".py")


def imported(node: ast.AST) -> Iterator[str]:
    """What a module imports, wherever it does; but a result may draw itself: method `plot` goes to the exhibits."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "import absolutely"
            yield child.module or ""
        elif isinstance(node, ast.ClassDef) and isinstance(child, ast.FunctionDef) and child.name == "plot":
            yield from (name for name in imported(child) if not name.startswith("theory.exhibits"))
        else:
            yield from imported(child)


def forbidden(here: str, name: str) -> bool:
    package, _, rest = name.partition(".")
    if package == "theory" and rest:
        there = rest.split(".")[0]
        return not (FLOOR[there] < FLOOR[here] or there == here or (here, there) == ("commands", "cli"))
    return package in ROOMS and here not in ROOMS[package]


def test_imports_go_one_way():
    wrong = [
        f"{path.relative_to(THEORY)} must not import {name}"
        for path in FILES
        if room(path) not in ("__init__", "__main__")
        for name in imported(ast.parse(path.read_text()))
        if forbidden(room(path), name)
    ]
    assert not wrong


def test_an_import_against_the_rule_is_noticed():
    source = """
class Result:
    def plot(self):
        import theory.exhibits.live, matplotlib
    def show(self):
        import theory.cli
"""
    assert [name for name in imported(ast.parse(source)) if forbidden("problems", name)] == ["matplotlib", "theory.cli"]


# What TD, the chain and the hard target network are asked by their `Method`, and who may ask without it.
QUESTIONS = {"td_stable", "chain_unbiased", "window_stable", "td_stable_intervals", "chain_threshold"}
BENEATH = {
    "certified": "the ladder itself",
    "thresholds": "beneath the methods, too",
    "methods": "where they are asked",
    "propositions": "statements about the questions",
    "montecarlo": "kernels with a store, whose version is not to change with every method",
    "commands": "the cold start of a window, which is no method",
    "front": "the same, by its public name",
}


def test_verdicts_and_thresholds_are_reached_through_methods():
    asked = {
        (room(path), alias.name)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith(("theory.certified", "theory.thresholds"))
        for alias in node.names
        if alias.name in QUESTIONS
    }
    assert {name for _, name in asked} == QUESTIONS
    assert not {(here, name) for here, name in asked if here not in BENEATH}


def test_every_package_has_a_floor():
    packages = {room(p) for p in FILES} - {"__init__", "__main__"}
    assert packages <= set(FLOOR)


def test_help_imports_no_numerics():
    """`theory --help` must answer at once, so it may not pull in NumPy or anything slower."""
    heavy = "{'numpy', 'scipy', 'sympy', 'rich', 'flint', 'networkx'}"
    code = f"import sys, theory.cli; print(sorted({heavy} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


MODULES = 51  # of ours that `theory inspect baird` may load, packages without code apart


def test_an_inspection_loads_few_modules():
    code = (
        "import sys, theory.cli\n"
        "try: theory.cli.main(['inspect', 'baird', '--json'])\n"
        "except SystemExit: pass\n"
        "files = [m.__file__ for name, m in sys.modules.items() if name.partition('.')[0] == 'theory']\n"
        "print(*files, sep='\\n', file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    trees = [ast.parse(Path(file).read_text()).body for file in done.stderr.split("\n") if file.endswith(".py")]
    written = [body for body in trees if not all(isinstance(node, ast.Expr) for node in body)]  # more than a docstring
    assert 20 < len(written) <= MODULES


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


# What waits for its command, or serves the tests from inside; each with its reason.
WAITING = {
    "theory.coq.export.rejected_module": "mutants of certificates, written by the exporter's own hand",
    "theory.coq.run.table": "writes the table of docs/how_do_we_know.md, which a test compares",
}


def test_what_only_tests_reach_is_not_in_the_library():
    """A second witness belongs to the tests; what no command, notebook or document needs is deleted."""
    unreached = Reach(modules(), theory.__all__, written()).unreached()
    assert set(unreached) == set(WAITING)


def test_what_nothing_names_is_noticed():
    source = """
from elsewhere import Foreign
from theory.b import used
def main(): return used().known
def alone(): return alone_too()
def alone_too(): ...
class Kept(Foreign):
    def called_by_foreign_code(self): ...
class Result:
    known = 1
    def __len__(self): ...
    def forgotten(self): ...
Kept, Result, main()
"""
    sources = {"theory.a": ast.parse(source), "theory.b": ast.parse("def used(): ...\ndef unused(): ...")}
    assert Reach(sources, []).unreached() == [
        "theory.a.Result.forgotten",
        "theory.a.alone",
        "theory.a.alone_too",
        "theory.b.unused",
    ]
