"""The charts of pages and notebooks."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import theory
from theory.explorer.svg import Axis, Chart, linear, log_or_linear

SVG = "{http://www.w3.org/2000/svg}"


def test_the_chart_says_its_numbers_in_words():
    counts = theory.success_rate([2, 3, 4], "S-1", samples=50, gamma="9/10")
    ET.fromstring(counts.svg("rates"))
    assert f"chain biased {counts.rows[0]['chain_biased']} of 50" in counts.svg("rates")
    assert counts.to_pandas()["features"][0] == 1


@pytest.mark.parametrize(
    "axis",
    [Axis("x", 0, 1), Axis("x", -3, 250), Axis("x", 1, 1e4, log=True), Axis("x", 0.9, 1.1), Axis("x", 2, 17, log=True)],
)
def test_ticks_are_few_and_inside(axis):
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 8
    assert all(-1e-9 <= axis.place(t) <= 1 + 1e-9 for t in ticks)


def test_axes_hold_their_numbers():
    values = np.array([3.0, np.inf, -2.0, np.nan])
    axis = linear("x", values)
    assert axis.low < -2
    assert axis.high > 3
    assert log_or_linear("y", [1e-3, 10.0]).log
    assert not log_or_linear("y", [1.0, 2.0]).log
    assert not log_or_linear("y", [0.0, 0.0]).log
    assert log_or_linear("y", [1e-300, 1.0]).low > 1e-16  # fifteen decades and no more


def test_a_line_is_broken_where_there_is_no_number():
    chart = Chart("t", Axis("x", 0, 3), Axis("y", 0, 1))
    chart.line([0, 1, 2, 3], [0, np.nan, 1, 1])
    path = re.search(
        r'<path d="(M[^"]*)" fill="none" stroke="currentColor" stroke-width="1.7"', chart.svg("a broken line")
    )[1]
    assert path.count("M") == 2


def test_texts_of_a_chart_are_escaped():
    chart = Chart("<b>", Axis("<x>", 0, 1), Axis("&", 0, 1))
    chart.dots(0.5, 0.5, label="<i>")
    chart.note(0.5, 0.5, "<u>")
    drawn = ET.fromstring(chart.svg('"><script>'))
    assert drawn.get("aria-label") == '"><script>'
    assert {"<b>", "<x>", "&", "<i>", "<u>"} <= {element.text for element in drawn.iter(f"{SVG}text")}
    assert {element.tag.removeprefix(SVG) for element in drawn.iter()} == {"svg", "g", "path", "text", "circle"}
