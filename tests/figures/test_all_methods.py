"""The figure of all methods shows the study's numbers, and these obey what is proved."""

import numpy as np
import pytest

from theory.figures import all_methods, figure_spec
from theory.figures._figure import Work
from theory.figures.live.joint_methods import plot_joint


@pytest.fixture(scope="module")
def result():
    return figure_spec("all-methods").compute(all_methods.Size((3, 4), 60), 3, Work())


def test_every_method_has_its_line_for_every_size(result):
    rows = all_methods.rows(result)
    assert [(r["states"], r["method"]) for r in rows] == [(S, name) for S in (3, 4) for name in all_methods.METHODS]
    assert all(r["rate_low"] <= r["rate"] == r["converges"] / r["samples"] <= r["rate_high"] for r in rows)


def test_methods_with_a_theorem_never_fail_and_the_determinant_defeats_the_family(result):
    """field-4, 10, 11, 13: with det A < 0 no preconditioner of A helps, and gradients, ETD and least squares do."""
    for row in result["rows"]:
        failed = {m["method"]: row["samples"] - row["undecided"] - m["converges"] for m in row["methods"]}
        assert not any(failed[name] for name in ("etd", "gtd2", "lstd", "residual-gradient", "fixed-horizon"))
        doomed = row["causes"]["chain"].get("determinant", 0)
        assert doomed == row["causes"]["td"].get("determinant", 0) > 0
        assert all(failed[n] >= doomed for n in ("off-policy-td", "chain", "soft-target", "damped-chain"))
        for kind, name in (("td", "off-policy-td"), ("chain", "chain")):
            assert sum(row["causes"][kind].values()) == failed[name]


def test_rates_rescues_and_causes_are_drawn(result):
    rates, rescue, causes = figure_spec("all-methods").plot(result).axes
    names = list(all_methods.METHODS)
    assert [t.get_text() for t in rates.get_yticklabels()] == names
    for container, row in zip(rates.containers, result["rows"], strict=True):
        drawn = np.asarray(container.lines[0].get_xdata())
        np.testing.assert_allclose(drawn, [100 - 100 * m["rate"] for m in row["methods"]])
    last = result["rows"][-1]
    failing = [m["method"] for m in last["methods"] if m["converges"] < last["samples"]]
    assert [t.get_text().split(" ")[0] for t in rescue.get_yticklabels()] == failing
    assert sum(bar.get_width() for bar in causes.patches) == pytest.approx(
        sum(100 * k / row["samples"] for row in result["rows"] for c in row["causes"].values() for k in c.values())
    )


def test_the_caption_says_who_never_fails(result):
    said = figure_spec("all-methods").caption(result)
    assert "gtd2" in said.alt
    assert said.amount == "120 random problems"


def test_legends_cover_nothing_and_sizes_with_equally_many_states_are_told_apart():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def row(features):
        methods = [{"method": name, "rate": 0.5, "ci95": [0.4, 0.6], "converges": 5} for name in ("td", "chain")]
        causes = {kind: {"determinant": 2, "pair": 1, "negative": 1, "real": 1} for kind in ("td", "chain")}
        sizes = {"states": 10, "features": features, "samples": 10, "gamma": 0.99, "undecided": 0}
        return {**sizes, "methods": methods, "rescued": [[0, 1], [2, 0]], "causes": causes}

    figure = plot_joint([row(5), row(9)])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    whole, drawn = figure.bbox, [axes.get_tightbbox() for axes in figure.axes]
    legends = [*figure.legends, figure.axes[0].get_legend()]
    assert len(legends) == 2
    drawn[0] = figure.axes[0].get_window_extent()  # its tight box holds its legend
    for legend in legends:
        box = legend.get_window_extent()
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1
        assert not any(box.overlaps(axes) for axes in drawn)
    marks = {(line.get_marker(), line.get_color()) for line in figure.axes[0].lines if line.get_marker() in "os^Dv"}
    assert len(marks) == 2
    labels = [text.get_text() for text in figure.axes[2].get_yticklabels()]
    assert len(set(labels)) == len(labels) == 4
