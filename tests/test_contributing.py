"""The recipes of CONTRIBUTING.md are followed: what they name is there, and one new file is enough."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import theory
from tests.documents import ROOT, links

TEXT = (ROOT / "CONTRIBUTING.md").read_text()
RECIPES = {part.partition("\n")[0]: part for part in re.split(r"^### ", TEXT, flags=re.M)[1:]}
STEPS = {"A statement": 1, "A catalogue problem": 1, "An ensemble": 2, "A learner": 1, "A method": 2, "A figure": 1}


def test_there_is_a_recipe_for_each_and_none_is_longer_than_promised():
    for name, most in STEPS.items():
        assert 1 <= len(re.findall(r"^\d\. ", RECIPES[name], re.M)) <= most


def test_every_file_that_it_names_is_there():
    named = re.findall(r"`((?:theory|tests)/[\w./]+)`", TEXT)
    real = [name for name in named if not re.search(r"NAME", name)]
    assert len(real) > 10
    assert not [name for name in real if not (ROOT / name).exists()]
    for name in set(named) - set(real):
        assert (ROOT / re.split("NAME", name)[0]).is_dir()
    assert all((ROOT / target.partition("#")[0]).exists() for target in links(ROOT / "CONTRIBUTING.md"))


# A copy of the model under another name, in a copy of the package: what a newcomer would try first.
TRIED = {
    "A statement": ("theory/propositions/prop_2.py", "theory/propositions/mine.py", {'id="prop-2"': 'id="mine"'}),
    "A catalogue problem": (
        "theory/problems/catalogue/episodes.py",
        "theory/problems/catalogue/mine.py",
        {'"corridor': '"mine', '"twostate': '"mine-twostate', "PLACE = 7": "PLACE = 9"},
    ),
    "A learner": ("theory/learners/htd.py", "theory/learners/mine.py", {'"htd"': '"mine"'}),
    "A figure": ("theory/figures/transient.py", "theory/figures/mine.py", {}),
}
ASKED = {
    "A statement": "import theory; print('mine' in theory.statements() and theory.verify('mine').statement.id)",
    "A catalogue problem": "import theory; print(theory.open_problem('mine').name)",
    "A learner": "import theory; print(theory.learn('threestate', 'mine', step_size=0.01, steps=50).run.learner)",
    "A figure": "from theory.figures import figure_spec; print(figure_spec('mine').name)",
}


@pytest.mark.parametrize("recipe", TRIED)
def test_one_new_file_is_found_by_its_name(recipe, tmp_path):
    model, new, changes = TRIED[recipe]
    assert model in RECIPES[recipe]
    assert Path(new).parent == Path(re.search(r"`(theory/[\w/]+)/NAME\.py`", RECIPES[recipe])[1])
    shutil.copytree(ROOT / "theory", tmp_path / "theory", ignore=shutil.ignore_patterns("__pycache__"))
    text = (ROOT / model).read_text()
    for old, now in changes.items():
        assert old in text
        text = text.replace(old, now)
    (tmp_path / new).write_text(text)
    command = [sys.executable, "-c", ASKED[recipe]]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("mine", 0), done.stderr


def test_the_method_of_the_recipe_works_as_it_stands(tmp_path):
    """It is found by its name, decided, and all stable values of its parameter are exact."""
    shutil.copytree(ROOT / "theory", tmp_path / "theory", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "theory/methods/mine.py").write_text(re.search(r"```python\n(.*?)```", RECIPES["A method"], re.S)[1])
    code = (
        "import theory\n"
        "row = theory.compare('twostate', 'mine', gamma='9/10').to_dict()['methods'][0]\n"
        "print(row['name'], row['converges'], row['threshold']['exact'], row['threshold']['stable'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    # X = 5/2 and Y = 3: A + ηX = 5/2 − 27/10 + 5η/2 > 0 from η = 2/25 on.
    assert (done.stdout.strip(), done.returncode) == ("mine True 2/25 above", 0), done.stderr


def test_a_new_problem_makes_stored_numbers_of_the_catalogue_old():
    """What finds modules by their files reaches all of them, and says so to the version of stored work."""
    from theory.code_version import reach

    folder = ROOT / "theory" / "problems" / "catalogue"
    reached = reach("theory.problems.catalogue.registry")
    assert {f"theory.problems.catalogue.{path.stem}" for path in folder.glob("[!_]*.py")} <= reached.keys()


def test_the_version_to_cite_is_one_that_was_released():
    cited = dict(line.split(": ", 1) for line in (ROOT / "CITATION.cff").read_text().splitlines() if ": " in line)
    sections = re.findall(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (cited["version"], cited["date-released"]) in sections
    assert sections[0] == (theory.__version__.removesuffix(".dev0"), "unreleased")
