"""Files of every kind, changed at random; ``python -m tests.adversary.files --files 20000`` is the long form."""

import json
from fractions import Fraction

import pytest

from tests.adversary.files import KINDS, attempt, misread
from theory.problems.sources import find_problem


@pytest.mark.parametrize("kind", KINDS)
def test_changed_files_are_read_rightly_or_refused_in_one_line(kind):
    attempt(0, 4)  # imports take their time once
    place = list(KINDS).index(kind)
    ends = [attempt(7, index) for index in range(place, 60 * len(KINDS), len(KINDS))]
    assert {name for name, _, _ in ends} == {kind}
    assert [fault for _, _, fault in ends if fault] == []
    assert {"read", "refused"} == {end for _, end, _ in ends}


def test_what_was_read_otherwise_is_seen(tmp_path):
    tree = {"gamma": "9/10", "features": [[1], [2]], "target": {"transitions": [[0, 1], [0, 1]]}}
    path = tmp_path / "p.json"
    path.write_text(json.dumps(tree | {"behaviour": {"distribution": ["1/2", "1/2"]}}))
    found = find_problem(path)
    assert misread("problem", path, found) is None
    assert "gamma" in misread("problem", path, found.with_gamma(Fraction(1, 2)))
