"""What has to be believed is small, stands alone, and is stated where a reader looks for it."""

import ast
import re
from pathlib import Path

import theory.symbolic

FOLDER = Path(theory.symbolic.__file__).parent
TRUSTED = ("forms", "context", "kernel")
PAGE = Path("docs/prove_your_own_identity.md")


def code_lines(path):
    """Lines that hold code: no blank ones, comments or docstrings."""
    text = path.read_text()
    tree = ast.parse(text)
    documented = [n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
    strings = [n.body[0] for n in documented if n.body and isinstance(n.body[0], ast.Expr)]
    said = {
        line
        for node in strings
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    rows = enumerate(text.splitlines(), start=1)
    return sum(n not in said and bool(row.strip()) and not row.strip().startswith("#") for n, row in rows)


def imports(path):
    tree = ast.parse(path.read_text())
    return {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)} | {
        alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names
    }


def test_the_trusted_base_imports_nothing_of_the_engine_but_itself():
    for name in TRUSTED:
        own = {module for module in imports(FOLDER / f"{name}.py") if module.startswith("theory")}
        assert own <= {f"theory.symbolic.{other}" for other in TRUSTED}


def test_the_second_opinion_shares_nothing_with_it_but_the_exception():
    for name in ("recheck", "recheck_witness"):
        assert {m for m in imports(FOLDER / f"{name}.py") if m.startswith("theory")} == {"theory.symbolic.forms"}
        assert "from theory.symbolic.forms import Rejected\n" in (FOLDER / f"{name}.py").read_text()


def test_the_page_says_which_files_and_how_many_lines_to_believe():
    lines = sum(code_lines(FOLDER / f"{name}.py") for name in TRUSTED)
    assert lines <= 320
    (said,) = re.findall(r"together ([0-9]+) lines of code", PAGE.read_text())
    assert int(said) == lines
    assert all(f"`{name}.py`" in PAGE.read_text() for name in TRUSTED)
