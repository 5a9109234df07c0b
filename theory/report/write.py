"""From a request to the files in a folder; nothing is written before everything is computed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from theory.exhibits._files import check_writable
from theory.experiments.table1.text import table1_csv, table1_markdown
from theory.report.catalogue import catalogue_page
from theory.report.html import html_page
from theory.report.page import TITLE, report_page
from theory.report.parts import DRAWING, EXPECTED, TABLE1, Request, Watch, results_of
from theory.report.pictures import write_pictures


def write_report(
    request: Request, into: Path, executor: Executor | None = None, watch: Watch | None = None
) -> tuple[list[Path], bool]:
    """The files written, and whether every statement came out as it should."""
    check_writable(into, into / "data")
    results = results_of(request, into / "data", executor, watch)
    values = {name: result.value for name, result in results.items()}
    drawing = None if watch is None else partial(watch, DRAWING)
    files = write_pictures(values, request.profile, request.seed, into, drawing)
    text = report_page(request, results)
    pages = {
        "table1.md": table1_markdown(values[TABLE1], values[EXPECTED]),
        "table1.csv": table1_csv(values[TABLE1]),
        "catalogue.md": catalogue_page(values["examples"]),
        "report.md": text,
        "report.html": html_page(text, lambda name: (into / name).read_bytes(), f"{TITLE}: a report"),
    }
    files += _texts(into, pages)
    return files, _good(values)


def _texts(into: Path, pages: dict[str, str]) -> Iterator[Path]:
    for name, text in pages.items():
        path = into / name
        path.write_text(text, encoding="utf-8")
        yield path


def _good(values: dict[str, Any]) -> bool:
    attacked = values["mutants"]
    return all(f["ok"] for f in values["statements"]) and not attacked["wrongly_proved"] + attacked["undecided"]
