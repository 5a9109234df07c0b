"""``theory inspect --coq``: the library is compiled once, and what was kept of it is used while Coq takes it."""

import pytest

from tests.command_line import run
from theory.coq.compiler import Compiled


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """Every file that a stand-in for coqc was asked for; it refuses what does not bear its mark."""
    asked = []

    def compile_one(coqc, name, directory, timeout):
        asked.append(name)
        sound = all(file.read_text() == "made by coqc" for file in directory.glob("*.vo"))
        (directory / f"{name}.vo").write_text("made by coqc")
        return Compiled(name, sound, "Closed under the global context\n", "" if sound else "inconsistent", 0.0)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("theory.coq.compiler._compile", compile_one)
    monkeypatch.setattr("theory.coq.compiler.find_coqc", lambda: "coqc")
    monkeypatch.setattr("theory.coq.compiler.coq_version", lambda: "8.16.1")
    return asked


def test_the_second_time_only_the_problem_is_compiled(compiled, tmp_path, capsys):
    command = ("inspect", "twostate", "--coq", str(tmp_path / "Two.v"))
    assert run(capsys, *command)[0] == 0
    assert set(compiled) > {"Two", "Verdict", "Rationals"}
    compiled.clear()
    assert run(capsys, *command)[0] == 0
    assert compiled == ["Two"]


def test_a_kept_file_that_coq_refuses_is_made_again(compiled, tmp_path, capsys):
    command = ("inspect", "twostate", "--coq", str(tmp_path / "Two.v"))
    run(capsys, *command)
    for file in (tmp_path / "cache").rglob("Verdict.vo"):
        file.write_text("spoilt")
    assert run(capsys, *command)[0] == 0
    compiled.clear()
    assert run(capsys, *command)[0] == 0
    assert compiled == ["Two"]


def test_a_cold_start_is_a_theorem_of_its_own(compiled, capsys, tmp_path):
    command = [
        "inspect",
        "twostate",
        "--window",
        "8",
        "--step-size",
        "1/16",
        "--cold",
        "--coq",
        str(tmp_path / "Two.v"),
    ]
    code, out, _ = run(capsys, *command)
    assert code == 0
    assert "problem_network_unstable, problem_cold_stable, kernel-checked" in out
    assert "gamma cold_stable_alpha 8 false C *m v = z *: v" in (tmp_path / "Two.v").read_text()
