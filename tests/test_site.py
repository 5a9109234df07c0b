"""The documentation builds as a site: no warning, no dead link, nothing from elsewhere."""

import json
import re
import subprocess
import sys

import pytest
from sphinx.search.en import SearchEnglish

import theory
from tests.documents import ROOT
from tests.once import once
from theory.cli import COMMANDS


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    def make(folder):
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", folder / "trees"]
        done = subprocess.run([*command, ROOT / "docs", folder / "html"], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")

    return once(tmp_path_factory, "site", make) / "html"


def test_every_statement_has_a_page_under_its_id(site):
    for name in theory.statements():
        text = (site / "_made" / "statements" / f"{name}.html").read_text()
        assert f'id="{name.lower()}"' in text
        assert "<math" in text or "theory verify" in text


def test_pages_load_nothing_from_the_web(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(https?:[^"]+)"', page.read_text())
        assert not loaded, page.name


def test_links_lead_to_pages(site):
    for page in site.rglob("*.html"):
        for target in re.findall(r'<a [^>]*href="([^"#:]+\.html)[#"]', page.read_text()):
            assert (page.parent / target).exists(), (page.name, target)


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("pip install", "install"),
        ("jupyter", "install"),
        ("citation", "install"),
        ("shell completion", "install"),
        ("tdrc reading", "published_results"),
        ("gridworld sparse", "large_problems"),
    ],
)
def test_a_search_finds_the_page(site, query, page):
    """As the page's script does: every word, stemmed, is among the terms of the page or of its title."""
    text = (site / "searchindex.js").read_text()
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    stem = SearchEnglish({}).stem

    def pages(word):
        found = [index[terms].get(stem(word), []) for terms in ("terms", "titleterms")]
        return {i for hits in found for i in (hits if isinstance(hits, list) else [hits])}

    hits = set.intersection(*(pages(word) for word in query.split()))
    assert page in {index["docnames"][i] for i in hits}


def test_every_command_is_in_the_reference(site):
    text = (site / "_made" / "commands.html").read_text()
    assert all(f"theory {name}" in text for name in COMMANDS)
    assert "--sensitivity" in text


def test_a_statement_shows_derivation_and_proof(site):
    text = (site / "_made" / "statements" / "prop-2.html").read_text()
    assert all(heading in text for heading in (">Derivation<", ">Proof<", "by induction over k"))
