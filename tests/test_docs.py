"""The tutorials show real output: every block of docs/ is run again."""

import ast
import doctest
import re

import pytest

import theory
from tests.documents import (
    ROOT,
    Block,
    blocks,
    commands,
    compare,
    lines_of,
    links,
    run_command,
    run_document,
    run_python,
)

SITE = {"index", "compared", "design"}  # pages without anything to run
DOCS = sorted(path for path in (ROOT / "docs").glob("*.md") if path.stem not in SITE)


def test_there_are_tutorials():
    known = {"bring_your_own_mdp", "closed_forms", "prove_your_own_identity", "python_api"}
    assert {path.stem for path in DOCS} >= known


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.stem)
def test_the_tutorial_shows_what_is(document, tmp_path, monkeypatch, capsys):
    assert len(blocks(document)) >= (1 if document.stem in ("commands", "design") else 3)
    run_document(document, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(("document", "target"), [(path, target) for path in DOCS for target in links(path)])
def test_links_of_a_tutorial_lead_somewhere(document, target):
    assert (document.parent / target).exists()


FRONT_ONLY = [ROOT / "README.md", *DOCS, *sorted((ROOT / "analysis_notebooks").glob("*.py"))]


@pytest.mark.parametrize("document", FRONT_ONLY, ids=lambda path: path.name)
def test_a_reader_needs_the_front_door_only(document):
    if document.suffix == ".py":
        code = [document.read_text()]
    else:
        code = [plain(block) for block in blocks(document) if block.language in ("python", "pycon")]
    used = {name for text in code for name in theory_names(ast.parse(text))}
    assert used <= {"theory", *theory.__all__}


def plain(block):
    """The code of a session without its prompts and its output."""
    if block.language == "python":
        return block.text
    return "".join(example.source for example in doctest.DocTestParser().get_examples(block.text))


def theory_names(tree):
    """Modules imported, names imported from `theory`, and attributes taken of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "theory")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "theory":
            yield from ([alias.name for alias in node.names] if node.module == "theory" else [node.module])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "theory":
            yield node.attr


def test_every_public_name_is_in_the_api():
    text = (ROOT / "docs" / "python_api.md").read_text()
    told = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", text))))
    assert set(theory.__all__) <= told


def test_imports_past_the_front_door_are_noticed():
    tree = ast.parse("import theory.exact\nfrom theory.problems import Problem\nfrom theory import MDP\ntheory.x")
    assert sorted(theory_names(tree)) == ["MDP", "theory.exact", "theory.problems", "x"]


# The checks themselves can fail


def test_a_wrong_value_is_noticed():
    run_python("x = 2\nx + 1  # 3\nx + 1  # 3: because\nx", {}, "here")
    with pytest.raises(AssertionError, match="x \\+ 1 is 3, not 4"):
        run_python("x = 2\nx + 1  # 4", {}, "here")


def test_a_wrong_output_is_noticed(capsys):
    command, shown = commands("$ .venv/bin/theory inspect nowhere\ntheory: error: something\n")[0]
    with pytest.raises(AssertionError):
        run_command(command, shown, capsys, "here")


@pytest.mark.parametrize(
    ("shown", "fits"),
    [
        ("a\nb\nc\nd", True),
        ("a\n…\nd", True),
        ("…\nb\n…", True),
        ("a\n…", True),
        ("a\nb\nc\nd\n…", True),
        ("a\nc\n…", False),
        ("…\nd\n…\nd", False),
        ("…\nc", False),
        ("a\nb", False),
        ("a\n…\nb\nd", False),
    ],
)
def test_a_line_of_dots_stands_for_lines_left_out(shown, fits):
    printed = lines_of("a\nb\nc\nd\n")
    if fits:
        compare(shown.splitlines(), printed, "it")
    else:
        with pytest.raises(AssertionError):
            compare(shown.splitlines(), printed, "it")


def test_blocks_know_their_lines(tmp_path):
    path = tmp_path / "text.md"
    path.write_text("Text\n\n```console\n$ make\n```\n\n```\nplain\n```\n")
    assert blocks(path) == [Block("console", "$ make\n", 3), Block("", "plain\n", 7)]
