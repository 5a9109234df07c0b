"""A result is found again under its key, and only whole."""

import pytest

from theory.report.results import Results, sources


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


@pytest.mark.parametrize("damage", ["", '{"key"', '{"seconds": 1}', "[]"])
def test_a_damaged_result_is_computed_again(tmp_path, damage):
    results = Results(tmp_path)
    results.put("part", {}, 1, 0.0)
    (path,) = tmp_path.iterdir()
    path.write_text(damage)
    assert results.get("part", {}) is None


def test_nothing_temporary_is_left(tmp_path):
    Results(tmp_path).put("part", {}, 1, 0.0)
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


def test_other_sources_make_another_digest():
    assert sources("report/results.py") != sources("report/latex.py")
    assert sources("report") != sources("report/latex.py")
