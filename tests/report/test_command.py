"""``theory report`` on the command line: where it may not write it says so at once, and --json is one document."""

import json
import os
import re

import pytest

from theory.cli import main
from theory.commands.report import Clock
from theory.report.parts import COSTS, PARTS, Request


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        main(["report", *arguments])
    return stop.value.code


def refuse(*arguments, **more):
    raise AssertionError("something was computed")


@pytest.mark.parametrize("where", ["file", "below/file/folder", "folder-with-file-data"])
def test_a_folder_that_cannot_be_written_fails_at_once_in_one_line(tmp_path, capsys, monkeypatch, where):
    monkeypatch.setattr("theory.report.write.results_of", refuse)
    monkeypatch.setattr("theory.montecarlo.executors.local_processes", refuse)
    (tmp_path / "file").write_text("")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_text("")
    (tmp_path / "folder-with-file-data").mkdir()
    (tmp_path / "folder-with-file-data" / "data").write_text("")
    assert run("--into", str(tmp_path / where)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("theory: error: into: cannot write to")
    assert said.err.count("\n") == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_fails_at_once(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("theory.report.write.results_of", refuse)
    tmp_path.chmod(0o500)
    assert run("--into", str(tmp_path / "reports")) == 2
    assert "Permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [("--profile", "quik"), ("--seed", "-1"), ("--workers", "0")])
def test_rejects_bad_options(capsys, arguments):
    assert run(*arguments) == 2
    assert capsys.readouterr().err.startswith("theory: error: ")


@pytest.mark.slow
def test_json_names_the_files_and_no_process_is_started_for_what_is_stored(tiny, written, capsys, monkeypatch):
    monkeypatch.setattr("theory.montecarlo.executors.local_processes", refuse)
    monkeypatch.setattr(Request, "of", lambda profile, seed: tiny)
    assert run("--into", str(written[1]), "--json") == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert document["ok"] is True
    assert str(written[1] / "report.html") in document["files"]
    assert said.err == ""  # progress is for those who watch


def test_the_clock_knows_every_part_and_runs_down():
    clock, shown = Clock("quick"), []
    for name in COSTS:
        for share in (0.5, 1.0):
            clock(name, share)
            shown.append(clock.text)
    words = [re.search(r"(\d+) (s|min) left", line).groups() for line in shown]
    left = [int(number) * (60 if unit.startswith("min") else 1) for number, unit, *_ in words]
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0


def test_profiles_differ_where_they_should():
    quick, full = Request.of("quick", 0), Request.of("full", 0)
    assert full.table1.repetitions == 8
    assert full.table1.readings
    assert quick.table1.profile == "quick"
    for part in PARTS:
        same = part.key(quick) == part.key(full)
        assert same == (not set(part.depends) & {"profile", "mutants"})
