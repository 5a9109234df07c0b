"""The public names have docstrings and types that tools accept; where the library alone is, these tools are not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import theory
from tests.docstrings import complaints


def test_the_public_names_are_documented_as_numpydoc_asks():
    assert list(complaints()) == []


def test_numpydoc_would_find_what_is_missing(monkeypatch):
    def learn(problem, learner):
        """Runs a learner"""

    learn.__module__, learn.__qualname__ = theory.learn.__module__, "learn"
    monkeypatch.setattr(sys.modules[theory.learn.__module__], "learn", learn)
    monkeypatch.setitem(vars(theory), "learn", learn)
    codes = {line.split()[1] for line in complaints()}
    assert {"SS03", "SS05", "PR01", "EX01", "SA01"} <= codes


SCRIPT = Path(__file__).parent / "public_names.py"


def test_a_script_with_every_public_name_passes_the_strict_type_checker(tmp_path):
    text = SCRIPT.read_text()
    assert {name for name in theory.__all__ if f"theory.{name}" not in text} == set()
    given = [line for line in text.splitlines() if line.startswith("reveal_type(")]
    wanted = [line.rpartition("# ")[2] for line in given]
    (tmp_path / "script.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--config-file=", "script.py"]
    path = {"MYPYPATH": str(Path(theory.__file__).parent.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    assert [re.sub(r"\b(?:\w+\.)+(\w)", r"\1", kind) for kind in revealed] == wanted
