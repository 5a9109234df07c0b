"""Every notebook runs as a plain script, says nothing, and holds no algorithms."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "analysis_notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.py"))


def test_there_are_notebooks():
    assert {"explore_counterexamples.py", "verify_propositions.py"} <= {path.name for path in NOTEBOOKS}


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_runs_from_top_to_bottom_as_a_script(path):
    done = subprocess.run([sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_it_imports_calls_and_shows_only(path):
    """No NumPy, no loops over anything but what is shown, no cell longer than a screen."""
    tree = ast.parse(path.read_text())
    modules = {name.split(".")[0] for node in ast.walk(tree) for name in _imported(node)}
    assert modules <= {"marimo", "theory", "fractions", "concurrent", "pathlib", "tempfile"}, modules
    assert not any(isinstance(node, ast.While | ast.ClassDef) for node in ast.walk(tree))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 45


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) else []
