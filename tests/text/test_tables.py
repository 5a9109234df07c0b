"""Tables as text: the cases that doctests do not show."""

from theory.text.tables import csv_text


def test_a_table_without_rows_is_what_it_is_about():
    assert csv_text([], {"seed": "0"}) == "# seed: 0\n"
