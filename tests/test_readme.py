"""The README is short, shows real output and leads to files that exist; the docs list every command and package."""

import csv
import re

import pytest

from tests.documents import ROOT, blocks, links, run_document
from theory.cli import COMMANDS

README = ROOT / "README.md"


def test_the_readme_shows_what_is(tmp_path, monkeypatch, capsys):
    shown = [block for block in blocks(README) if block.language == "console" and len(block.text.splitlines()) > 2]
    assert len(shown) >= 1
    assert 400 <= len(README.read_text().split()) <= 600
    assert {block.language for block in blocks(README)} >= {"console", "python"}
    run_document(README, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("target", links(README))
def test_links_of_the_readme_lead_somewhere(target):
    assert (ROOT / target).exists()


def test_the_docs_list_every_command():
    listed = re.findall(r"^\| `theory ([a-z0-9-]+)", (ROOT / "docs/commands.md").read_text(), re.M)
    assert sorted(listed) == sorted(COMMANDS)


def test_the_docs_map_every_package():
    packages = {path.parent.name for path in (ROOT / "theory").glob("*/__init__.py")}
    layout = next(block.text for block in blocks(ROOT / "docs/design.md") if block.text.startswith("theory/"))
    assert set(re.findall(r"^  (\w+)/", layout, re.M)) == packages


def test_the_rescue_rates_are_those_of_the_committed_table():
    """With one feature fewer than states, and rising from each number of states to the next that is named."""
    lines = [x for x in (ROOT / "reports/success-rate.csv").read_text().splitlines() if not x.startswith("#")]
    rows = [r for r in csv.DictReader(lines) if int(r["states"]) - int(r["features"]) == 1]
    rescued = {int(r["states"]): float(r["unbiased_given_td_unstable_rate"]) for r in rows}
    (sentence,) = re.findall(r"the chain is unbiased on ([^(]*) \(", (ROOT / "docs/reproduce_the_paper.md").read_text())
    said = {int(S): int(rate) for rate, S in re.findall(r"(\d+)%[a-z ]* at S = (\d+)", sentence)}
    assert said == {S: round(100 * rescued[S]) for S in (10, 50, 100)}
    assert list(said.values()) == sorted(said.values())
