"""What commands print fits the terminal: no line is longer, whatever the width; what does not fit is named."""

import os
import pty
import re
import subprocess
import sys

import pytest

from tests.command_line import run
from tests.documents import too_wide

COMMANDS = [
    "inspect baird",
    "inspect gymnasium:FrozenLake-v1,gamma=0.9,features=aggregated,groups=8",
    "compare baird",
    "compare finite-window --theta --errors",
    "compare corridor --best --matrix",
    "chain threestate --k 30 --start 1,2,3",
    "chain baird-reward --k 2",
    "derive threestate",
    "derive twostate-family",
    "list",
    "verify prop-2 eq-geometric claim-baird",
    "verify claim-baird",
    "search --td unstable --chain unbiased --states 2 --features 1 --rounds 1",
    "noise twostate --learner off-policy-td,tdc",
    "learn threestate --learner td --compare off-policy-td --step-size 0.01 --steps 300 --seeds 3",
    "success-rate --states 3 --samples 20 --windows 1,2,4,8,16,inf --quantiles",
    "success-rate --states 3 --samples 20 --methods td,chain,soft,td-lambda,etd,gtd2,n-step:4,tdc,tdrc",
]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("columns", [80, 100, 120])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("elsewhere")
def test_no_line_is_longer_than_the_terminal(capsys, monkeypatch, command, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, err = run(capsys, *command.split())
    assert err == ""
    assert out.strip()
    assert too_wide(out, columns) == []


def test_a_pipe_has_a_hundred_columns(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    _, out, _ = run(capsys, "compare", "baird", "--methods", "td,chain,etd,soft,tdc")
    assert too_wide(out, 100) == []
    assert too_wide(out, 90)


def test_wide_leaves_nothing_out(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    narrow = run(capsys, "compare", "baird", "--methods", "td,soft")[1]
    wide = run(capsys, "compare", "baird", "--methods", "td,soft", "--wide")[1]
    (left_out,) = re.findall(r"Left out at this width: (.*) \(--wide\)", narrow)
    short, whole = (next(x for x in out.splitlines() if x.startswith("method")) for out in (narrow, wide))
    assert all(name in whole and name not in short for name in left_out.split(", "))
    assert "Left out" not in wide


def test_a_terminal_says_how_wide_it_is(tmp_path):
    """On a terminal of 64 columns, without COLUMNS, and in colours."""
    leader, follower = pty.openpty()
    os.set_blocking(leader, False)
    subprocess.run(["stty", "cols", "64"], stdin=follower, check=True)
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "theory", "chain", "twostate", "--k", "2"]
    subprocess.run(command, stdout=follower, env=environment, check=True, cwd=tmp_path)
    printed = os.read(leader, 10**5).decode()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", printed)
    assert plain != printed
    assert too_wide(plain.replace("\r", ""), 64) == []
