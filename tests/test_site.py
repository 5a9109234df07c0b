"""The documentation builds as a site: no warning, no dead link, nothing from elsewhere."""

import re
import subprocess
import sys

import pytest

import theory
from tests.documents import ROOT
from tests.once import once


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
