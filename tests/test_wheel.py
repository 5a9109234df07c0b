"""What a stranger installs, the wheel made from the sdist, runs every command where the checkout was never seen."""

import http.client
import os
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.once import once
from tests.outside import ROOT, build
from theory.cli import COMMANDS

pytestmark = pytest.mark.slow

# A short form of every command: what it prints holds the word. No store of this checkout is in reach.
SHORT = {
    "list": ("", "baird-reward"),
    "verify": ("eq-geometric", "proved"),
    "inspect": ("baird --plot baird.svg", "15/17"),
    "derive": ("twostate-reward", "A(γ) = [5/2 − 3γ]"),
    "chain": ("twostate --k 2", "θᵏ"),
    "prove": ("Pi=Pi*Pi", "Proved"),
    "trajectory": ("twostate --method td --steps 3", "update"),
    "compare": ("quadrant-stable-biased --methods td,chain", "chain"),
    "noise": ("twostate --learner td", "td"),
    "search": ("--td unstable --chain biased --states 2 --features 1 --rounds 1", "unstable"),
    "learn": ("twostate-reward --learner td --step-size 0.1 --steps 50 --seeds 2", "td"),
    "figure": ("transient --into .", "transient.png"),
    "success-rate": ("--states 3 --features 2 --samples 8 --workers 1 --store rates.sqlite", "TD unstable"),
    "completion": ("bash", "_THEORY_COMPLETE"),
}
PROGRAMS = "Scripts" if os.name == "nt" else "bin"
# These take minutes: they are interrupted once they have begun to store what they find.
LONG = {"table1": "--workers 1 --store data", "report": "--workers 1 --into ."}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment's folder of programs; it borrows the dependencies of this one, but not its own `theory`."""
    pytest.importorskip("setuptools", minversion="77.0.3")

    def make(folder):
        wheel = build(folder)
        venv.create(folder / "env", with_pip=False)
        pip = [sys.executable, "-m", "pip", "--python", str(folder / "env" / PROGRAMS / "python"), "install"]
        offline = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *offline, str(wheel)], check=True, capture_output=True)
        packages = next((folder / "env").rglob("site-packages"))
        borrowed = [path for path in sys.path if path.endswith("site-packages")]
        (packages / "borrowed.pth").write_text("\n".join(borrowed))  # a .pth in there is not followed

    return once(tmp_path_factory, "wheel", make) / "env" / PROGRAMS


@pytest.fixture
def run(installed, tmp_path):
    # Python's own speed is enough for these sizes, and compiling for a fresh folder would take longer.
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COLUMNS": "200"}

    def run(arguments, program="theory", wait=True):
        command = [str(installed / program), *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes)
        if not wait:
            return process
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out

    return run


def test_every_command_is_tried():
    assert {*SHORT, *LONG, "explore"} == set(COMMANDS)


def test_it_is_the_installed_package_that_runs(run, installed):
    where = run(["-c", "import theory; print(theory.__file__)"], "python").strip()
    assert Path(where).is_relative_to(installed.parent)


def test_every_module_of_it_can_be_imported(run):
    walk = "m.name for m in pkgutil.walk_packages(theory.__path__, 'theory.') if m.name != 'theory.__main__'"
    code = f"import importlib, pkgutil, theory; print(len([importlib.import_module(name) for name in [{walk}]]))"
    assert int(run(["-c", code], "python")) == len(list((ROOT / "theory").rglob("*.py"))) - 2


@pytest.mark.parametrize("name", SHORT)
def test_a_command_works_outside_the_checkout(run, tmp_path, name):
    arguments, word = SHORT[name]
    assert word in run([name, *arguments.split()])
    if name == "inspect":
        assert (tmp_path / "baird.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", LONG)
def test_a_long_command_starts_and_keeps_what_it_has(run, tmp_path, name):
    process = run([name, *LONG[name].split()], wait=False)
    _until(lambda: process.poll() is not None or (tmp_path / "data").exists())
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors


def test_the_explorer_answers_with_its_own_style_and_script(run):
    process = run(["explore", "--headless"], wait=False)
    address = urlsplit(process.stdout.readline().split()[-1])
    connection = http.client.HTTPConnection(address.netloc, timeout=60)
    connection.request("GET", f"/?{address.query}")
    cookie = connection.getresponse().headers["Set-Cookie"].partition(";")[0]
    connection.close()
    connection.request("GET", "/", headers={"Cookie": cookie})
    answer = connection.getresponse()
    page = answer.read().decode()
    connection.close()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert (answer.status, process.returncode, errors) == (200, 0, "")
    assert "data-address" in page  # page.js
    assert "--content-width-medium: 77rem" in page  # page.css


def _until(happened, seconds=90):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.1)
