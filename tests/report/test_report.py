"""The whole report, of a tiny profile: the same bytes twice, nothing computed twice, one page that stands alone."""

import json
import re
import sqlite3
from collections import Counter
from urllib.parse import unquote

import pytest

import theory
from tests.documents import ROOT
from tests.report.page import Page
from theory.figures import names
from theory.report import parts
from theory.report.examples import SHOWN
from theory.report.provenance import THIS_RUN
from theory.report.write import write_report

pytestmark = pytest.mark.slow
PAGES = ("report.md", "report.html")


def content(path):
    """The bytes of a file, of the report's pages without the section that may differ."""
    data = path.read_bytes()
    if path.name not in PAGES:
        return data
    marks = {"report.md": f"\n## {THIS_RUN}\n", "report.html": '<h2 id="this-run">'}
    head, found, tail = data.partition(marks[path.name].encode())
    assert found
    # It is the last section: the rest of the page is its end.
    return head + tail[tail.rindex(b"</main>") :] if path.suffix == ".html" else head


@pytest.fixture(scope="module")
def page(written):
    return Page((written[0] / "report.html").read_text())


def test_two_runs_write_the_same_bytes_except_for_date_machine_and_times(written):
    first, second = ({p.name: content(p) for p in folder.iterdir() if p.is_file()} for folder in written)
    assert set(first) == set(second)
    assert not [name for name in first if first[name] != second[name]]


def test_dates_and_times_are_in_one_place(written):
    for name in PAGES:
        assert not re.search(rb"20\d\d-\d\d-\d\d|\d+\.\d+ s\b|UTC", content(written[0] / name))


def test_a_second_run_computes_nothing(tiny, written, monkeypatch):
    before = {p.name: content(p) for p in written[0].iterdir() if p.is_file()}

    def refuse(*arguments):
        raise AssertionError("computed again")

    monkeypatch.setattr(parts, "_timed", refuse)
    monkeypatch.setattr("theory.experiments.table1.study.run_unit", refuse)
    monkeypatch.setattr("theory.montecarlo.study.run_chunk", refuse)
    write_report(tiny, written[0])
    assert {p.name: content(p) for p in written[0].iterdir() if p.is_file()} == before


def test_what_is_missing_is_computed_and_nothing_else(tiny, written, monkeypatch):
    with sqlite3.connect(written[1] / "data" / "report.sqlite") as db:
        assert db.execute("""DELETE FROM results WHERE what LIKE '["transient"%'""").rowcount == 1
    db.close()
    asked, compute = [], parts._timed
    monkeypatch.setattr(parts, "_timed", lambda request, part: asked.append(part.name) or compute(request, part))
    results = parts.results_of(tiny, written[1] / "data")
    assert asked == ["transient"]
    assert [name for name, result in results.items() if result.fresh] == ["transient"]
    assert not any(result.fresh for result in parts.results_of(tiny, written[1] / "data").values())


def test_a_figure_that_was_changed_or_lost_is_drawn_again(tiny, written):
    folder = written[1]
    before = {name: (folder / name).read_bytes() for name in ("transient.svg", "success-rate.png")}
    (folder / "transient.svg").write_text("<svg/>")
    (folder / "success-rate.png").unlink()
    write_report(tiny, folder)
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_the_page_is_well_formed(page):
    assert page.complaints == []
    assert [name for name, n in Counter(page.ids).items() if n > 1] == []
    assert page.headings[0] == "h1"
    assert page.headings.count("h1") == 1


def test_every_link_within_the_page_has_a_place_and_every_file_is_there(page, written):
    inner = {unquote(link[1:]) for link in page.links if link.startswith("#")}
    assert inner <= set(page.ids)
    files = {link.partition("#")[0] for link in page.links if not link.startswith(("#", "https://"))}
    assert files
    assert not [name for name in files if not (written[0] / name).is_file()]


def test_every_picture_says_what_is_to_be_seen(page):
    assert len(page.images) == len({image["alt"] for image in page.images}) == len(names())
    assert all(len(image["alt"]) > 40 for image in page.images)


def test_the_page_needs_no_network_and_no_script(page):
    assert all(value.startswith("data:") for value in page.loads)
    assert {tag for tag, _ in page.tags} & {"script", "iframe", "object", "embed", "link", "form"} == set()
    assert not [a for _, a in page.tags if any(name.startswith("on") for name in a)]
    style = "".join(str(a.get("style", "")) for _, a in page.tags)
    assert "url(" not in style
    assert {link for link in page.links if link.startswith("http")} == {"https://arxiv.org/abs/2201.06468"}


def test_the_page_loads_nothing_from_its_style_sheet(written):
    style = re.search(r"<style>(.*?)</style>", (written[0] / "report.html").read_text(), re.S)[1]
    assert "url(" not in style
    assert "@import" not in style


def test_both_files_say_the_same(page, written):
    """Every word and number of the Markdown, formulas apart, is in the page, in this order."""
    markdown = re.sub(r"```math.*?```|\$`.*?`\$|\$.*?\$", " ", (written[0] / "report.md").read_text(), flags=re.S)
    markdown = re.sub(r"^!\[.*$|\]\([^)]*\)", " ", markdown, flags=re.M)
    wanted = re.findall(r"\w+", markdown.replace("\\", ""))
    there = iter(re.findall(r"\w+", page.text))
    # `in` consumes the iterator: order counts.
    assert next((word for word in wanted if word not in there), None) is None


def test_the_summary_comes_first_and_agrees_with_the_parts(tiny, written):
    text = (written[0] / "report.md").read_text()
    summary = text[: text.index("## Contents")]
    values = {n: r.value for n, r in parts.results_of(tiny, written[0] / "data").items()}
    certificates = sum(len(f["certificates"]) for f in values["statements"])
    assert f"{certificates} certificates" in summary
    marks = Counter(c["mark"] for c in values["table-1"]["cells"] if c["mark"] != "not in the paper")
    assert all(f"{n} {mark}" in summary for mark, n in marks.items())
    row = max(
        (r for r in values["success-rate"]["rows"] if r["features"] == r["states"] - 1), key=lambda r: r["states"]
    )
    low, high = row["ci95"]["chain_biased"]
    assert f"{100 * row['rates']['chain_biased']:.1f}% [{100 * low:.1f}%, {100 * high:.1f}%]" in summary
    assert "tiny profile" in summary


def test_the_counts_of_verdicts_are_those_of_the_statements(tiny, written):
    text = (written[0] / "report.md").read_text()
    found = parts.results_of(tiny, written[0] / "data")["statements"].value
    verdicts = Counter(f["paper_verdict"] for f in found)
    paper = len(found) - verdicts["beyond the paper"]
    assert f"Of its {paper} statements {verdicts['holds']} hold as they stand" in text
    assert f"{verdicts['imprecise']} are imprecise" in text
    assert "none of them" not in text
    # A statement that is refuted is not called imprecise.
    assert {f["paper_verdict"] for f in found if f["result"] == "refuted"} <= {"false as stated"}
    wrong = sum(any(c["drops"] == "as stated" for c in f["counterexamples"]) for f in found)
    assert f"the words of {wrong} fail" in text


def test_mutants_have_a_paragraph_to_which_the_summary_leads(tiny, written):
    text = (written[0] / "report.md").read_text()
    counted = parts.results_of(tiny, written[0] / "data")["mutants"].value
    summary, _, rest = text.partition("## Contents")
    (target,) = re.findall(r"\[mutants\]\(#([^)]*)\)", summary)
    assert f"{counted['total']:,} [mutants]" in summary
    section = rest[rest.index("## The prover under attack") :]
    assert target == "the-prover-under-attack-mutants"
    assert f"{counted['refuted']:,} are refuted" in section


def test_a_report_without_readings_cites_none(written):
    text = (written[0] / "report.md").read_text()
    why = text[text.index("### Why cells differ") : text.index("## Learning curves")]
    assert "“cold start”" not in why
    assert "√(21/13)" in why


def test_the_report_says_how_to_cite_it(written):
    """The software with its version, and the profile and seed that determine every number; as CITATION.cff has it."""
    text = (written[0] / "report.md").read_text()
    cite = text[text.index("## Cite this") : text.index(f"## {THIS_RUN}")]
    software = next(x for x in (ROOT / "CITATION.cff").read_text().splitlines() if x.startswith("title: "))
    assert software.removeprefix("title: ").strip('"') in cite
    assert f"version = {{{theory.__version__}}}" in cite
    assert "Report of the tiny profile, seed 3" in cite
    assert "Chaining Value Functions for Off-Policy Learning" in cite
    assert "(#cite-this)" in text[: text.index("## Contents")]


def test_every_counterexample_that_is_shown_but_those_of_the_safe_corner_fails_somewhere(tiny, written):
    """Each is there for a failure: of TD, of the chain, or, as its name says, of the way there."""
    found = {e["name"]: e for e in parts.results_of(tiny, written[0] / "data")["examples"].value}
    safe = [name for name in SHOWN if found[name]["td"]["holds"] and found[name]["chain"]["holds"]]
    assert set(safe) <= {"quadrant-stable-unbiased", "complex-cycle", "transient-bias"}
    assert found["kolter:p=7147/10000"]["quadrant"] == "td-unstable/chain-biased"


def test_every_statement_is_in_the_report_and_every_cell_of_table_1_beside_it(tiny, written):
    text = (written[0] / "report.md").read_text()
    values = {n: r.value for n, r in parts.results_of(tiny, written[0] / "data").items()}
    for f in values["statements"]:
        assert re.search(rf"^### {f['id']}[:,] ", text, re.M)
    beside = (written[0] / "table1.md").read_text()
    tables = [part.count("\n| ") for part in re.split(r"\n\n(?!\|)", beside)]
    assert len(values["table-1"]["cells"]) + 2 in tables
    assert len(values["table-1-exact"]["cells"]) + 2 in tables
    assert "**ETD's cells are draws.**" in text


def test_the_report_is_small_enough(written):
    assert (written[0] / "report.html").stat().st_size < 5_000_000
    assert max(path.stat().st_size for path in written[0].glob("*.svg")) < 600_000


def test_results_are_kept_as_plain_json_with_their_key(written):
    db = sqlite3.connect(written[0] / "data" / "report.sqlite")
    rows = db.execute("SELECT what, value FROM results").fetchall()
    db.close()
    assert rows
    for what, value in rows:
        name, key = json.loads(what)
        assert isinstance(name, str)
        assert isinstance(key, dict)
        assert set(json.loads(value)) == {"seconds", "result"}
