"""``python -m tests.outside lowest newest``: the wheel, made once from the sdist, tested in environments of its own.

*lowest* has the declared minimum version of everything, *newest* what pip finds today. The tests are copied to a folder
that the checkout's package is not in: a short selection that touches every dependency, with no more installed than it
needs, or all of them with ``--all``. ``lowest:PROGRAM`` names the interpreter; it is this one by default.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = (
    "theory",
    "docs",
    "tests",
    "benchmarks",
    "analysis_notebooks",
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Makefile",
    "constraints.txt",
)
BESIDE = (
    "tests", "docs", "reports", "analysis_notebooks", "benchmarks", "pyproject.toml", "constraints.txt", "README.md",
    "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile",
)  # fmt: skip
# flint, SymPy, SciPy, NetworkX, Matplotlib, Numba, rich, click, marimo, Gymnasium, pandas, pyarrow: some use each.
SHORT = (
    "tests/test_api.py", "tests/certified/test_verdicts.py", "tests/symbolic/test_theory.py",
    "tests/problems/interop/test_gymnasium.py", "tests/data/test_table.py", "tests/test_machine_code.py",
    "tests/figures/test_files.py", "tests/commands/test_chain.py", "tests/explorer/test_server.py",
)  # fmt: skip
EXTRAS, TOOLS = "gymnasium,parquet", ("hypothesis", "pandas", "pytest", "pytest-xdist")  # what those need
# These ask for the checkout: its environment, its sources, its history.
INSIDE = (
    "tests/test_architecture.py", "tests/test_readme.py", "tests/test_docs.py", "tests/test_site.py",
    "tests/test_wheel.py", "tests/test_contributing.py", "tests/test_benchmarks.py", "tests/test_code_version.py",
)  # fmt: skip


def lowest(extra):
    """``name==version`` for every ``name>=version`` of the package and of an extra, with those it names in turn.

    >>> [line for line in lowest("gymnasium") if line.startswith("gymnasium")]
    ['gymnasium==1.3']
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found, left = list(project["dependencies"]), [extra]
    while left:
        for needed in project["optional-dependencies"][left.pop()]:
            if needed.startswith(f"{project['name']}["):
                left += needed.split("[")[1].rstrip("]").split(",")
            else:
                found.append(needed)
    return sorted({needed.replace(">=", "==") for needed in found})


def build(folder):
    """The wheel, made in `folder` from the sdist, which is made from a copy of the sources: so neither lacks a file."""
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():  # other tests compile, and build the docs, at the same time
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "_build", "_made"))
        else:
            shutil.copy(ROOT / name, source / name)
    _backend("build_sdist", source)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as sdist:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4
        sdist.extractall(folder / "unpacked", **safe)
    unpacked = next((folder / "unpacked").iterdir())
    missing = [name for name in SOURCES if not (unpacked / name).exists()]
    assert not missing, f"the sdist lacks {missing}"
    shutil.move(unpacked, folder / "sdist")
    _backend("build_wheel", folder / "sdist")
    for name in ("source", "unpacked", "sdist"):
        shutil.rmtree(folder / name)
    return next(folder.glob("*.whl"))


def _backend(hook, source):
    code = f"from setuptools import build_meta; print(build_meta.{hook}('..'))"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.outside", description=__doc__)
    parser.add_argument("versions", nargs="+", metavar="lowest[:PROGRAM]|newest[:PROGRAM]")
    parser.add_argument("--all", action="store_true")
    asked = parser.parse_args()
    wanted = [text.partition(":")[::2] for text in asked.versions]
    if not {versions for versions, _ in wanted} <= {"lowest", "newest"}:
        parser.error("versions are lowest or newest")
    with tempfile.TemporaryDirectory() as name:
        wheel = build(Path(name))
        codes = [tried(Path(name), wheel, *how, asked.all) for how in wanted]
    return max(codes, key=abs)


def tried(folder, wheel, versions, program, everything):
    """Install and test; what pytest returned."""
    subprocess.run([program or sys.executable, "-m", "venv", folder / versions], check=True)
    python = folder / versions / ("Scripts" if os.name == "nt" else "bin") / "python"
    # pip would compile every file of every package; Python compiles those that are imported.
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-compile"]
    pip += [f"{wheel}[test]"] if everything else [f"{wheel}[{EXTRAS}]", *TOOLS]
    if versions == "lowest":
        (folder / "lowest.txt").write_text("\n".join(lowest("test")))
        pip += ["--constraint", folder / "lowest.txt"]
    subprocess.run(pip, check=True)
    place = folder / f"{versions}-place"
    place.mkdir()
    for beside in BESIDE:
        copy = shutil.copytree if (ROOT / beside).is_dir() else shutil.copy
        copy(ROOT / beside, place / beside)
    where = "import theory, sys; print(sys.version.split()[0], 'tests', theory.__file__, flush=True)"
    subprocess.run([python, "-c", where], cwd=place, check=True)
    # What is new may call what is old deprecated, and the other way round: that is no fault of ours.
    tests = ["tests", *(f"--ignore={path}" for path in INSIDE)] if everything else SHORT
    pytest = [python, "-m", "pytest", "-q", "-n", "auto", "-W", "default", "-p", "no:cacheprovider", *tests]
    return subprocess.run(pytest, cwd=place).returncode


if __name__ == "__main__":
    sys.exit(main())
