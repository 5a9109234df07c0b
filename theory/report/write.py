"""From a request to the files in a folder; nothing is written before everything is computed."""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path

from theory.experiments.table1.text import table1_csv, table1_markdown
from theory.figures import figure_specs
from theory.figures._style import check_writable, write_figure
from theory.report.examples import catalogue_page
from theory.report.html import html_page
from theory.report.page import TITLE, report_page
from theory.report.parts import DRAWING, EXPECTED, TABLE1, Request, Watch, results_of


def write_report(
    request: Request, into: Path, executor: Executor | None = None, watch: Watch | None = None
) -> tuple[list[Path], bool]:
    """The files written, and whether every statement came out as it should."""
    check_writable(into, into / "data")
    results = results_of(request, into / "data", executor, watch)
    values = {name: result.value for name, result in results.items()}
    files, shown = [], figure_specs()
    for i, spec in enumerate(shown, start=1):
        files += write_figure(spec, values[spec.name], request.profile, request.seed, into)
        if watch is not None:
            watch(DRAWING, i / len(shown))
    text = report_page(request, results)
    pages = {
        "table1.md": table1_markdown(values[TABLE1], values[EXPECTED]),
        "table1.csv": table1_csv(values[TABLE1]),
        "catalogue.md": catalogue_page(values["examples"]),
        "report.md": text,
        "report.html": html_page(text, lambda name: (into / name).read_bytes(), f"{TITLE}: a report"),
    }
    for name, page in pages.items():
        (into / name).write_text(page, encoding="utf-8")
    attacked = values["mutants"]
    good = all(f["ok"] for f in values["statements"]) and not attacked["wrongly_proved"] + attacked["undecided"]
    return [*files, *(into / name for name in pages)], good
