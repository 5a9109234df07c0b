"""A figure is found by its file alone, and is whole: nothing about a figure lives elsewhere."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import theory.figures
from theory.figures import family, figure_spec, figure_specs, names
from theory.figures._figure import SECTIONS, first_line
from theory.problems import InvalidProblem

FOLDER = Path(theory.figures.__file__).parent
ROOT = FOLDER.parent


def test_every_file_without_an_underscore_is_an_figure():
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py") if not path.stem.startswith("_")}
    assert set(names()) == files
    assert [e.name for e in figure_specs()] == sorted(
        names(), key=lambda n: (SECTIONS.index(figure_spec(n).section), n)
    )


@pytest.mark.parametrize("name", names())
def test_an_figure_names_its_profiles_and_its_command(name):
    shown = figure_spec(name)
    assert set(shown.sizes) >= ({"quick", "full"} if shown.sampled else {"every profile"})
    assert shown.command("quick", 3).startswith(f"theory figure {name}")
    assert ("--seed 3" in shown.command("quick", 3)) == shown.sampled
    assert 20 < len(first_line(name)) <= 120
    if shown.sampled:
        with pytest.raises(InvalidProblem, match=r"^profile: no profile named 'slow'; there are quick, full"):
            shown.result("slow")


@pytest.mark.parametrize("name", names())
def test_a_plot_computes_nothing(name):
    """Only `compute`, and what it alone calls, may run learners, studies, or solve for values."""
    path = FOLDER / f"{name.replace('-', '_')}.py"
    functions = {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}

    def reached(start):
        seen, todo = set(), [start]
        while todo:
            for node in ast.walk(functions[todo.pop()]):
                if isinstance(node, ast.Name) and node.id in functions and node.id not in seen:
                    seen.add(node.id)
                    todo.append(node.id)
        return seen

    shown = set().union(*({one} | reached(one) for one in ("plot", "rows", "caption") if one in functions))
    names_used = {node.id for one in shown for node in ast.walk(functions[one]) if isinstance(node, ast.Name)}
    computing = {"run_bulk", "run_study", "run_table1", "counted", "catalogue_problem", "transient", "compute"}
    assert not names_used & computing


def test_no_other_file_knows_an_figure_by_a_list():
    """The report's headline table and summary read the first; nothing else is spelt out."""
    for path in ROOT.rglob("*.py"):
        if FOLDER not in path.parents:
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            found = {node.value for node in nodes if isinstance(node, ast.Constant)} & set(names())
            assert found <= {"success-rate"}, path


def test_a_family_is_named_after_its_first():
    assert family("learning-curves") == ["learning-curves", "learning-curves-all"]
    assert family("transient") == ["transient"]


def test_the_listing_imports_no_figure_and_no_matplotlib():
    code = (
        "import sys; from theory.figures._figure import names, first_line\n"
        "[first_line(name) for name in names()]\n"
        "print('matplotlib' in sys.modules, 'theory.figures.transient' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False False\n"
