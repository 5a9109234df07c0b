"""Compiled code never outlives the sources it was made from."""

import os
import subprocess
import sys
from pathlib import Path

import theory
from theory.machine_code import ROOMS, discard_stale


def room_of(tmp_path: Path) -> Path:
    cache = tmp_path / "montecarlo" / "__pycache__"
    cache.mkdir(parents=True)
    for name in ("kernel", "dense"):
        (tmp_path / "montecarlo" / f"{name}.py").touch()
        (cache / f"{name}.product.nbi").touch()
    return tmp_path


def age(path: Path, seconds: float) -> None:
    then = path.stat().st_mtime - seconds
    os.utime(path, (then, then))


def test_code_older_than_any_source_of_its_room_goes(tmp_path):
    root = room_of(tmp_path)
    cache = root / "montecarlo" / "__pycache__"
    for path in (*cache.iterdir(), root / "montecarlo" / "kernel.py"):
        age(path, 60)  # dense.py, which the kernel calls, was edited after the kernel was compiled
    assert {path.name for path in discard_stale(root)} == {"kernel.product.nbi", "dense.product.nbi"}
    assert not list(cache.iterdir())


def test_code_newer_than_every_source_stays(tmp_path):
    root = room_of(tmp_path)
    for source in (root / "montecarlo").glob("*.py"):
        age(source, 60)
    assert discard_stale(root) == []


def test_the_rooms_are_those_that_keep_machine_code():
    """A file that compiles with ``cache=True`` lies in one of the rooms."""
    home = Path(theory.__file__).parent
    compiled = {str(p.parent.relative_to(home)) for p in home.rglob("*.py") if "cache=True" in p.read_text()}
    assert compiled - {"."} == set(ROOMS)


def test_importing_theory_asks_at_once(tmp_path):
    """Before Numba can load anything: the package's own first line does it."""
    code = "import sys, theory; print('numba' in sys.modules, 'theory.machine_code' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert out.stdout.split() == ["False", "True"]
