"""Problems are always the same, the comparison finds what is planted, and a few answers are as recorded."""

import json
import subprocess
import sys

import pytest

from tests.replay.__main__ import read
from tests.replay.ask import record
from tests.replay.cases import make
from tests.replay.compare import compare_records, differences
from tests.replay.server import answer
from tests.replay.trim import trim
from theory.cli import main

PROBLEMS = ("random:7", "random:9", "random:40", "adversary:blocks:2", "data:0", "data:2", "large:1", "large:3")
END = {"exact": "1/2", "value": 0.5, "interval": ["1/2", "1/2"]}
ANSWER = {
    "td": {"stable": True, "certified": True, "reason": "a form", "gamma_threshold": END},
    "rate": 0.75,
    "methods": [
        {
            "name": "chain",
            "converges": False,
            "gammas": {
                "intervals": [{"low": END, "high": None, "closed": [True, False]}],
                "unknown": [],
                "reason": None,
            },
        }
    ],
}


def changed(**values):
    """The kinds and places of the differences after the values under some keys have changed; ``…`` deletes."""
    new = json.loads(json.dumps(ANSWER))
    for path, value in values.items():
        *above, key = path.split("__")
        inner = new
        for part in above:
            inner = inner[int(part) if part.isdigit() else part]
        inner[key] = value
        if value is ...:
            del inner[key]
    lines = [{"code": 0, "seconds": 1.0, "answer": trim(x, texts=x is new)} for x in (ANSWER, new)]
    return [(difference.kind, difference.where) for difference in compare_records(*lines)]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_is_a_function_of_its_id(problem, tmp_path):
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
        make(problem, folder)
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert first == second != {}


def test_problems_are_made_without_the_library():
    code = "import sys, tests.replay.cases, tests.replay.compare; sys.exit('theory' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, []),
        ({"td__stable": False}, [("flip", "td / stable")]),
        ({"td__stable": None}, [("undecided", "td / stable")]),
        ({"td__certified": False}, [("looser", "td / certified")]),
        ({"td__reason": "another form", "more": 1}, []),
        ({"td__gamma_threshold": END | {"interval": ["2/3", "3/4"]}}, [("flip", "td / gamma_threshold")]),
        ({"td__gamma_threshold": END | {"interval": ["1/4", "3/4"]}}, [("looser", "td / gamma_threshold")]),
        ({"td__gamma_threshold": dict.fromkeys(END)}, [("undecided", "td / gamma_threshold")]),
        ({"rate": 0.7500001}, []),
        ({"rate": 0.7501}, [("number", "rate")]),
        ({"rate": ...}, [("vanished", "rate")]),
        ({"methods__0__name": "other"}, [("vanished", "methods / chain")]),
        ({"methods__0__converges": True}, [("flip", "methods / chain / converges")]),
        ({"methods__0__gammas__intervals": []}, [("flip", "methods / chain / gammas")] * 2),
        ({"methods__0__gammas__unknown": [["0", "1"]]}, [("looser", "methods / chain / gammas")]),
    ],
)
def test_what_is_planted_is_found(values, found):
    assert changed(**values) == found


@pytest.mark.parametrize(("end", "kinds"), [(0.75, []), (0.8, []), (0.7, ["flip"])])
def test_ends_of_real_intervals_are_numbers_and_no_neighbourhoods(end, kinds):
    """What was stable up to .75, and unknown beyond, may be stable further, and no less."""
    low, high = {"exact": "0", "value": 0.0}, {"exact": "3/4", "value": 0.75}
    old = {
        "exact": None,
        "intervals": [{"low": low, "high": high}],
        "unknown": [{"low": high, "high": {"exact": "1", "value": 1.0}}],
    }
    new = {"exact": None, "intervals": [{"low": low, "high": {"exact": None, "value": end}}], "unknown": []}
    assert [difference.kind for difference in differences(old, new)] == kinds


def test_exit_codes_and_times_are_compared():
    old, new = {"code": 0, "seconds": 1.0, "answer": {}}, {"code": 2, "seconds": 3.0, "error": "no"}
    assert [difference.kind for difference in compare_records(old, new)] == ["refused", "slower"]
    assert [difference.kind for difference in compare_records(new, old)] == ["answered"]
    assert [difference.kind for difference in compare_records(old, new | {"code": "KeyError: 1"})][:1] == ["crash"]


def test_a_few_answers_are_as_recorded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = read()
    quick = [case for case, line in lines.items() if line["seconds"] < 0.1 and case.name in ("inspect", "compare")]
    for case in quick[:: len(quick) // 25]:
        arguments = case.command.format(make(case.problem, tmp_path)).split()
        differences = compare_records(lines[case], record(case, answer(main, arguments), texts=True))
        assert not [difference for difference in differences if difference.kind in ("flip", "crash")], case
