"""Every notebook runs as a plain script, says nothing, holds no algorithms, and can be taken to Jupyter."""

import ast
import json
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


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_one_command_takes_it_to_jupyter_with_its_outputs(path, tmp_path):
    """The README's command; the file is valid, its cells ran, and none of them failed."""
    import nbformat

    target = tmp_path / f"{path.stem}.ipynb"
    command = [sys.executable, "-m", "marimo", "export", "ipynb", str(path), "-o", str(target), "--include-outputs"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    notebook = nbformat.read(target, as_version=4)
    nbformat.validate(notebook)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert len(outputs) >= 4
    assert not [output for output in outputs if output.output_type == "error"]
    assert str(FOLDER.parent) not in json.dumps(notebook)  # no path of this machine


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_jupyter_shows_what_marimo_shows(path, tmp_path):
    """Run by nbclient in Jupyter's own kernel: formulas, tables and pictures, and nothing that only marimo can draw."""
    import nbformat
    from nbclient import NotebookClient

    target = tmp_path / f"{path.stem}.ipynb"
    command = [sys.executable, "-m", "marimo", "export", "ipynb", str(path), "-o", str(target)]
    subprocess.run(command, capture_output=True, check=True, timeout=600)
    notebook = nbformat.read(target, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = "".join(json.dumps(output.get("data", {}) | {"text": output.get("text", "")}) for output in outputs)
    assert "<marimo-tex " not in shown
    assert "||[" not in shown
    assert len([o for o in outputs if {"text/html", "text/markdown"} & set(o.get("data", {})) or "text" in o]) >= 3
    if path.stem == "verify_propositions":
        assert "$$ \\\\theta^k_* - \\\\theta_\\\\pi" in shown
    if path.stem != "verify_propositions":
        assert "data:image/png" in shown or "<svg" in shown


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
