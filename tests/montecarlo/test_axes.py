"""Axes are read as people write them, and refused in one line."""

import pytest

from theory.montecarlo.axes import parse_sizes, parse_states, parse_windows
from theory.montecarlo.cells import Cell
from theory.problems import InvalidProblem


def test_ranges_and_lists_are_merged_without_repetition():
    assert parse_states("5,2..4,4") == (2, 3, 4, 5)


def test_relative_features_are_floors():
    # ⌊7/2⌋ = 3, 7 − 1 = 6, ⌊3·7/4⌋ = 5, ⌊7/2⌋ − 1 = 2
    assert parse_sizes("7", "S,S-1,S/2,3S/4,S/2-1") == ((7, 2), (7, 3), (7, 5), (7, 6), (7, 7))


def test_windows_may_be_infinite():
    assert parse_windows("inf,1,4") == (1.0, 4.0, float("inf"))


@pytest.mark.parametrize(
    ("states", "features", "said"),
    [
        ("5..2", "S", "range"),
        ("2..9:0", "S", "range"),
        ("1..999999999", "S", "range"),
        ("", "S", "empty"),
        ("a", "S", "neither a number nor a range"),
        ("5", "6", "more features than states"),
        ("2..9", "5", "more features than states"),
        ("1", "S-1", "between 1 and"),
        ("5", "S/0", "divides by zero"),
        ("5", "2S", "more features than states"),
    ],
)
def test_impossible_axes_are_refused(states, features, said):
    with pytest.raises(InvalidProblem, match=said):
        parse_sizes(states, features)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"features": 4}, "more than 3 states"),
        ({"states": 5000}, "at most 4096"),
        ({"gamma": 1}, "discount"),
        ({"ensemble": "papper"}, "did you mean 'paper'"),
        ({"law": "gauss"}, "feature law"),
        ({"sink": 1.5}, "probability"),
        ({"ensemble": "dirichlet", "parameters": {"concentration": 0.0}}, "concentration: must be positive"),
        ({"ensemble": "garnet", "parameters": {"branching": 20}}, "branching: must be at most the"),
        ({"parameters": {"branching": 2}}, "branching: is no parameter of the ensemble 'paper'"),
        ({"step_size": 2.0}, "step_size"),
        ({"windows": (0.5,)}, "window"),
        ({"n_steps": 0}, "n_steps"),
    ],
)
def test_impossible_cells_are_refused(change, said):
    with pytest.raises(InvalidProblem, match=said):
        Cell(**{"states": 3, "features": 2} | change)
