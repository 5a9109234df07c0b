"""The tutorials show real output: every block of docs/ is run again."""

import pytest

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

DOCS = sorted((ROOT / "docs").glob("*.md"))


def test_there_are_tutorials():
    known = {"bring_your_own_mdp", "closed_forms", "prove_your_own_identity", "python_api"}
    assert {path.stem for path in DOCS} >= known


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.stem)
def test_the_tutorial_shows_what_is(document, tmp_path, monkeypatch, capsys):
    assert len(blocks(document)) >= 3
    run_document(document, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(("document", "target"), [(path, target) for path in DOCS for target in links(path)])
def test_links_of_a_tutorial_lead_somewhere(document, target):
    assert (document.parent / target).exists()


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
