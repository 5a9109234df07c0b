"""A result is found again under its key, and only whole."""

import sqlite3

import pytest

from theory.report.parts import Results
from theory.store import StoreError


def test_a_result_is_found_again(tmp_path):
    results = Results(tmp_path / "kept")
    assert results.get("part", {"seed": 1}) is None
    fresh = results.put("part", {"seed": 1}, {"x": (1, 0.1)}, 2.0)
    again = results.get("part", {"seed": 1})
    assert fresh.fresh
    assert not again.fresh
    assert fresh.value == again.value == {"x": [1, 0.1]}  # as JSON has it, also the first time
    assert fresh.seconds == again.seconds == 2.0


def test_another_key_is_another_result(tmp_path):
    results = Results(tmp_path)
    results.put("part", {"seed": 1}, 1, 0.0)
    assert results.get("part", {"seed": 2}) is None
    assert results.get("other", {"seed": 1}) is None


def test_the_last_result_counts(tmp_path):
    results = Results(tmp_path)
    for seconds in (1.0, 2.0):
        results.put("part", {}, None, seconds)
    assert results.get("part", {}).seconds == 2.0


def test_an_edited_result_is_refused_in_one_line(tmp_path):
    results = Results(tmp_path)
    results.put("part", {}, 1, 0.0)
    with sqlite3.connect(results.path) as db:
        db.execute("UPDATE results SET value = replace(value, '1', '2')")
    db.close()
    with pytest.raises(StoreError, match=r"report\.sqlite: row 0 was changed after it was written: delete the file"):
        results.get("part", {})
