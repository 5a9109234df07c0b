"""The command line: what users' scripts rely on."""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction

import pytest

from tests.cases import SWAP, THREE
from tests.command_line import run
from theory.cli import COMMANDS


def one_line_error(capsys, *arguments):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("theory: error: ")
    assert err.count("\n") == 1
    return err


def test_help_names_every_command(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(f"  {name}" in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys, name):
    code, out, _ = run(capsys, name, "--help")
    assert code == 0
    assert out.startswith("Usage: theory")


def test_version_agrees_with_the_package(capsys):
    import theory

    assert run(capsys, "--version") == (0, f"theory {theory.__version__}\n", "")


def test_python_m_theory_is_the_command():
    out = subprocess.run([sys.executable, "-m", "theory", "--version"], capture_output=True, text=True, check=True)
    assert out.stdout.startswith("theory ")


def test_list_json_describes_every_catalogue_problem(capsys):
    from theory.problems.catalogue import problem_names

    code, out, err = run(capsys, "list", "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert [p["name"] for p in document["problems"]] == list(problem_names())
    assert all(p["source"] and p["famous_for"] for p in document["problems"])
    assert {"statements", "learners"} <= document.keys()


def test_list_prints_names_for_people(capsys):
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert "baird-reward" in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_for_that_shell(capsys, shell):
    code, out, _ = run(capsys, "completion", shell)
    assert code == 0
    assert f"_THEORY_COMPLETE={shell}_complete" in out


def test_shell_completes_problem_names():
    env = {"_THEORY_COMPLETE": "bash_complete", "COMP_WORDS": "theory inspect bai", "COMP_CWORD": "2"}
    code = "import sys; sys.argv = ['theory']; from theory.cli import main; main()"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert "plain,baird\n" in out.stdout


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("theory verify prop-", "prop-2"),
        ("theory verify prop-2 lem", "lemma-1"),
        ("theory learn twostate --learner chained-se", "chained-sequential"),
        ("theory figure suc", "success-rate"),
    ],
)
def test_shell_completes_ids_learners_and_figures(words, name):
    env = {"_THEORY_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    code = "import sys; sys.argv = ['theory']; from theory.cli import main; main()"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert f"plain,{name}\n" in out.stdout


@pytest.mark.parametrize("arguments", [["inspect", "baird"], ["chain", "twostate", "--k", "2"], ["--help"]])
def test_any_locale_gets_the_whole_page_in_utf8(arguments):
    command = [sys.executable, "-m", "theory", *arguments]
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    plain.pop("PYTHONIOENCODING", None)
    done = subprocess.run(command, capture_output=True, env=plain)
    utf8 = subprocess.run(command, capture_output=True, env={**plain, "PYTHONUTF8": "1"})
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", utf8.stdout)


def test_fractions_of_some_length_are_shown_as_they_are(capsys):
    """θ⁵ = (6γ/5)⁵ θ⁰ at γ = 99/100, from θ⁰ = 1/3."""
    _, out, _ = run(capsys, "chain", "twostate", "--k", "5", "--start", "1/3")
    assert f"θᵏ = ({Fraction(594, 500) ** 5 / 3} ≈ 0.788789)" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "no such command 'frobnicate'"),
        (["inspct", "baird"], "did you mean 'inspect'"),
        (["inspect"], "PROBLEM"),
        (["inspect", "brird"], "baird"),
        (["inspect", "no-such-file.json"], "no-such-file.json"),
        (["inspect", "baird", "--gamma", "1"], "must be below 1"),
        (["inspect", "baird", "--gamma", "-1/2"], "[0, 1]"),
        (["inspect", "baird", "--gamma", "__import__('os')"], "not a number"),
        (["inspect", "baird", "--frob"], "--frob"),
        (["inspect", "gymnasium:NoSuch-v0"], "NoSuch"),
        (["inspect", "kolter:p=2"], "p"),
        (["completion", "csh"], "csh"),
    ],
)
def test_bad_arguments_get_one_line(capsys, arguments, said):
    assert said in one_line_error(capsys, *arguments)


def changed(document, **changes):
    return json.dumps({**document, **changes})


BAD_FILES = {
    "unknown key": (changed(SWAP, gama=1), "gama"),
    "wrong shape": (changed(SWAP, features=[[1], [2], [3]]), "features"),
    "ragged": (changed(SWAP, features=[[1], [2, 3]]), "features[1]"),
    "row sum": (changed(SWAP, target={"transitions": [[0, 1], ["1/2", "1/3"]]}), "target.transitions[1]"),
    "negative": (changed(SWAP, target={"transitions": [[2, -1], [1, 0]]}), "target.transitions[0][1]"),
    "not finite": (changed(SWAP, features=[[1], [1]]).replace("[[1], [1]]", "[[1], [NaN]]"), "NaN"),
    "infinite": (changed(SWAP, features=[[1], [1]]).replace("[[1], [1]]", "[[1], [Infinity]]"), "Infinity"),
    "huge exponent": (changed(SWAP, features=[[1], [1]]).replace("[[1], [1]]", "[[1], [1e999999999]]"), "1e999999999"),
    "gamma one": (changed(SWAP, gamma=1), "gamma"),
    "gamma above": (changed(SWAP, gamma="11/10"), "gamma"),
    "gamma text": (changed(SWAP, gamma="lambda: 1"), "gamma"),
    "division by zero": (changed(SWAP, gamma="1/0"), "gamma"),
    "action coverage": (changed(THREE, behaviour_policy=[[1, 0], ["1/2", "1/2"], ["1/2", "1/2"]]), "behaviour_policy"),
    "state coverage": (
        changed(SWAP, behaviour={"distribution": [1, 0]}, features=[[1, 0], [0, 1]]),
        "behaviour.distribution[1]",
    ),
    "not unique": (changed(SWAP, behaviour={"transitions": [[1, 0], [0, 1]]}), "behaviour.transitions"),
    "not JSON": ("{", "JSON"),
    "not an object": ("[]", "object"),
    "deep": ("[" * 200_000, "nest"),
    "empty": ("", "JSON"),
    "twice": ('{"gamma": 0, "gamma": 0}', "gamma"),
    "boolean": (changed(SWAP, gamma=True), "gamma"),
}


@pytest.mark.parametrize("mistake", BAD_FILES)
def test_bad_files_get_one_line_naming_the_place(capsys, tmp_path, mistake):
    text, place = BAD_FILES[mistake]
    path = tmp_path / "bad.json"
    path.write_text(text)
    error = one_line_error(capsys, "inspect", str(path))
    assert place in error
    assert "bad.json" in error


@pytest.mark.parametrize("document", [SWAP, THREE], ids=lambda d: d["name"])
def test_the_files_of_the_contract_are_read(capsys, tmp_path, document):
    path = tmp_path / "good.json"
    path.write_text(json.dumps(document))
    code, out, err = run(capsys, "inspect", str(path), "--json")
    read = json.loads(out)
    assert (code, err) == (0, "")
    assert (read["problem"], read["gamma"]) == (document["name"], "9/10")
    assert read["states"] == len(document["features"])


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m theory list --json | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def in_brackets(tmp_path):
    path = tmp_path / "brackets.json"
    path.write_text(changed(SWAP, name="[/x]", states=["[/]", "[bold]b"]))
    return str(path)


@pytest.mark.parametrize("arguments", [["inspect"], ["chain", "--k", "2"]])
def test_names_in_brackets_are_shown_as_they_are(capsys, tmp_path, arguments):
    code, out, err = run(capsys, *arguments, in_brackets(tmp_path))
    assert (code, err) == (0, "")
    assert all(name in out for name in ("[/x]", "[/]", "[bold]b"))


NEAR = "24999999999999999999999999999999999999997/30000000000000000000000000000000000000000"  # 5/6 − 1e−40


def test_the_largest_step_size_next_to_the_boundary_is_certified(capsys):
    code, out, _ = run(capsys, "inspect", "twostate", "--gamma", NEAR, "--json")
    td = json.loads(out)["td"]
    assert code == 0
    # A = 3(5/6 − γ) is a number here, and 5/6 − γ = 1e-40: α < 2/A
    assert (td["stable"], td["max_step_size_reason"]) == (True, None)
    assert td["max_step_size"] == pytest.approx(2 / 3e-40, rel=1e-12)


def test_long_parameters_are_not_taken_for_file_names(capsys):
    gamma = f"{10**300 - 1}/{2 * 10**300}"
    assert run(capsys, "inspect", "twostate", "--gamma", gamma, "--json")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["inspect", "baird", "--step-size", "1e400"], "step-size"),
        (["inspect", "baird", "--step-size", "0"], "step-size"),
        (["inspect", "baird", "--window", "9" * 400], "--window"),
        (["inspect", "baird", "--plot", "x.doc"], ".png"),
        (["verify", "--json", "--latex"], "exclude"),
        (["verify", "prop-22"], "prop-2"),
    ],
)
def test_absurd_numbers_and_choices_get_one_line(capsys, arguments, said):
    assert said in one_line_error(capsys, *arguments)


@pytest.mark.parametrize("shell", ["theory inspect - < /dev/null", "theory inspect - <&-"])
def test_bad_standard_input_is_named(shell):
    command = shell.replace("theory", f"{sys.executable} -m theory")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("theory: error: standard input: ")
    assert done.stderr.count("\n") == 1


def test_tiny_and_huge_heads_show_their_size(capsys):
    """The error is of the order of ρᵏ: 1.188²⁰⁰⁰⁰ ≈ 10^1496 and .9¹⁰⁰⁰⁰ ≈ 10^−458, up to a factor of some hundreds."""
    for problem, k, digits in (("twostate-reward", 20000, 1496), ("threestate", 10000, -458)):
        _, out, _ = run(capsys, "chain", problem, "--k", str(k))
        shown = [int(text) for text in re.findall(r"\de([+-]\d+)", out)]
        assert shown
        assert all(abs(n - digits) <= 3 for n in shown)


@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["inspect", "baird"]])
def test_a_closed_standard_output_is_one_line(arguments):
    shown = " ".join(arguments)
    done = subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -m theory {shown} >&-'], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (2, "theory: error: standard output is closed\n")
