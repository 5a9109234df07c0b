"""A version covers whatever a number can depend on, and nothing that is only prose."""

import ast
import sys
from pathlib import Path

import pytest

import theory
from theory import code_version as versions
from theory.code_version import code_version, reach


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package in place of ours; what was read of it is forgotten."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / "theory" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for cached in (versions.code, versions._imports, versions._file, code_version):
            cached.cache_clear()

    monkeypatch.setattr(versions, "_ROOT", tmp_path / "theory")
    yield write
    for cached in (versions.code, versions._imports, versions._file, code_version):
        cached.cache_clear()


def test_a_chunk_depends_on_what_it_imports_within_functions():
    """Quantiles of n-step radii are computed there: a list kept by hand had forgotten it."""
    assert "theory.linear.spectra" in reach("theory.montecarlo.chunks")


def test_what_is_reached_is_what_python_loads_and_more():
    """Of our own modules that are loaded with a computation all but passed-on names are reached."""
    import theory.montecarlo.chunks  # noqa: F401

    reached = reach("theory.montecarlo.chunks")
    for name in ("theory.montecarlo.verdicts", "theory.problems.ensembles"):
        assert name in sys.modules
        assert name in reached
    assert "theory.certified.decide" in reached  # imported within functions
    assert "theory.montecarlo.study" not in reached
    assert "theory.problems.graph" in reached  # by way of stationary distributions
    assert "theory.problems.sources" not in reached


def test_names_passed_on_by_a_package_lead_to_their_module_alone(package):
    passed_on = "from theory.p.one import f\nfrom theory.p.two import g"
    package({"a": "from theory.p import f", "p/__init__": passed_on, "p/one": "def f(): pass", "p/two": "g = 1"})
    assert set(reach("theory.a")) == {"theory.a", "theory.p.one"}
    assert set(reach("theory.p")) == {"theory.p", "theory.p.one", "theory.p.two"}  # a package as a root is all of it


def test_code_makes_another_version_and_prose_does_not(package):
    package({"a": "from theory.b import f", "b": '"""Two."""\ndef f():\n    """Two."""\n    return 2  # two'})
    before = code_version("theory.a")
    package({"b": '"""Zwei."""\n\ndef f():\n    return 2'})
    assert code_version("theory.a") == before
    package({"b": "def f():\n    return 3"})
    assert code_version("theory.a") != before


def test_type_checkers_imports_do_not_count(package):
    package({"a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from theory.b import f", "b": "f = 1"})
    assert set(reach("theory.a")) == {"theory.a"}


def test_the_packages_that_are_used_are_part_of_it(package):
    package({"a": "import numpy as np, json\ndef f():\n    import no_such_extra"})
    words = code_version("theory.a").split(", ")
    assert [word.split()[0] for word in words] == ["theory", "numpy", "sources"]


def test_a_root_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"no module theory\.nowhere"):
        reach("theory.nowhere")


def test_no_module_that_is_reached_is_found_by_a_computed_name():
    """What `importlib` finds cannot be read from the sources, unless it is a whole package by its ``__path__``."""
    for root in ("theory.montecarlo.chunks", "theory.experiments.table1.units"):
        for path in reach(root).values():
            if path.name == "interop.py":
                continue  # other people's packages, by which an MDP comes in; no number is made there
            nodes = list(ast.walk(ast.parse(path.read_text())))
            names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
            names |= {node.id for node in nodes if isinstance(node, ast.Name)}
            assert "import_module" not in names or "__path__" in names


def test_modules_found_by_their_files_are_reached():
    """A learner is found by its file, and decides the numbers of table 1."""
    reached = reach("theory.experiments.table1.units")
    assert {"theory.learners.gradient", "theory.learners.corrected", "theory.machine_code"} <= set(reached)


@pytest.mark.parametrize("path", sorted(Path(theory.__file__).parent.rglob("*.py")), ids=lambda p: p.stem)
def test_what_is_read_is_the_code_without_prose(path):
    """Regular expressions leave the syntax tree as it is, but for docstrings, types' imports, blanks in texts."""
    assert outline(parsed(versions.code(path))) == outline(ast.parse(path.read_text()))


def parsed(code):
    """The tree, with ``...`` where nothing but a docstring was."""
    lines = code.splitlines()
    while True:
        try:
            return ast.parse("\n".join(lines))
        except IndentationError as error:
            before = lines[error.lineno - 2]
            lines.insert(error.lineno - 1, " " * (len(before) - len(before.lstrip()) + 4) + "...")


def outline(tree):
    for node in ast.walk(tree):
        if isinstance(getattr(node, "body", None), list):
            node.body = [part for part in node.body if not idle(part)]
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = "".join(node.value.split())
    return ast.dump(tree)


def idle(node):
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
