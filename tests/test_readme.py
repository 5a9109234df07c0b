"""The README shows real output: every console block with one `theory` command and its output is run again."""

import doctest
import re
from pathlib import Path

import pytest

from theory.cli import main

README = Path(__file__).parent.parent / "README.md"
BLOCKS = [
    (match[1], match[2])
    for match in re.finditer(r"```console\n\$ \.venv/bin/theory ([^\n]*)\n([^$]+?)\n```", README.read_text())
]


def normalised(text):
    """Without what may differ between runs: times, and blanks at the ends of lines."""
    text = re.sub(r"\d+\.\d\d( s|  [A-Z])", r"#\1", text)
    return [line.rstrip() for line in text.strip().splitlines()]


def test_the_readme_has_examples():
    assert len(BLOCKS) >= 2


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[c for c, _ in BLOCKS])
def test_the_readme_shows_what_the_command_prints(capsys, monkeypatch, command, shown):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(command.split())
    assert normalised(capsys.readouterr().out) == normalised(shown)


def test_the_readme_python_example_says_the_truth():
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.S)[1]
    names = {}
    exec(code, names)  # the README's own text, not input
    swap = names["swap"]
    assert names["td_stable"](swap).holds is True
    assert names["chain_unbiased"](swap).holds is False
    assert names["chain_unbiased"](swap).certificate.recheck()
    assert str(names["chain_threshold"](swap).exact) == "3/5"


def test_the_readme_session_with_the_prover_is_real():
    session = re.search(r"```pycon\n(.*?)```", README.read_text(), re.S)[1]
    test = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert doctest.DocTestRunner().run(test).failed == 0
