"""The figures show the result's numbers, and the files say where they come from."""

import csv
import subprocess
import sys
from itertools import pairwise
from math import inf

import matplotlib as mpl
import numpy as np
import pytest

from theory.experiments import success_rate
from theory.experiments.success_rate import Profile, run
from theory.figures.style import SERIES
from theory.figures.success_rate import PLOTS, draw, plot_conjecture, plot_map, plot_rates, plot_windows, write
from theory.montecarlo import Store

TINY = Profile(
    rate_states=(2, 5),
    rate_samples=60,
    map_states=(8, 16),
    map_samples=20,
    conjecture_states=(4, 16),
    conjecture_features=(1, 2),
    conjecture_samples=40,
    windows=(1.0, 16.0, inf),
    window_sizes=((5, 4), (5, 5)),
    window_samples=40,
)


@pytest.fixture(scope="module")
def result():
    with pytest.MonkeyPatch.context() as patch, Store(None) as store:
        patch.setitem(success_rate.PROFILES, "tiny", TINY)
        return run(store, "tiny", seed=3)


def line(axes, label):
    (found,) = [one for one in axes.lines if one.get_label() == label]
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def test_rates_are_drawn_as_successes(result):
    left, right = plot_rates(result).axes
    for axes, missing in ((left, 0), (right, 1)):
        rows = [r for r in result["rates"] if r["states"] - r["features"] == missing]
        for label, name in (("off-policy TD stable", "td_unstable"), ("chained TD unbiased", "chain_biased")):
            x, y = line(axes, label)
            assert x.tolist() == [r["states"] for r in rows]
            np.testing.assert_allclose(y, [100 - 100 * r[name] / r["samples"] for r in rows])


def test_the_map_prints_every_rate(result):
    td, biased, rescued = plot_map(result).axes
    for axes in (td, biased):
        assert len(axes.texts) == 16
    first = next(r for r in result["map"] if (r["states"], r["features"]) == (8, 8))
    shown = {t.get_position(): t.get_text() for t in td.texts}[(0, 7)]
    assert float(shown) == pytest.approx(100 * first["td_unstable"] / first["samples"], abs=0.5)
    assert {t.get_text() for t in rescued.texts if t.get_position()[1] == 7} == {"100"}


def test_the_bound_is_drawn_over_the_measured_rate(result):
    left, _ = plot_conjecture(result).axes
    bounds = [np.asarray(one.get_ydata()) for one in left.lines]
    expected = [100 * r["bias_bound"] for r in result["conjecture"] if r["law"] == "normal" and r["features"] == 1]
    assert any(np.array_equal(b, expected) for b in bounds)


def test_a_single_measured_rate_shows_its_interval(result):
    _, right = plot_conjecture(result).axes
    rows = [r for r in result["conjecture"] if r["law"] == "absolute-normal" and r["features"] == 1]
    ends = [[100 * x for x in r["ci95"]["chain_biased"]] for r in rows if r["chain_biased"]]
    drawn = [s[:, 1].tolist() for c in right.collections if hasattr(c, "get_segments") for s in c.get_segments()]
    assert ends
    assert all(pytest.approx(end) in drawn for end in ends)


def test_windows_run_from_td_to_the_chain(result):
    (axes,) = plot_windows(result).axes
    _, y = line(axes, "S = 5, F = 5")
    assert y.tolist() == [100 * w["rate"] for w in result["windows"][1]["windows"]]
    assert [t.get_text() for t in axes.get_xticklabels()][-1] == "∞"


def test_files_are_the_same_bytes_again_and_say_where_they_come_from(result, tmp_path):
    first, again = write(result, tmp_path / "a"), write(result, tmp_path / "b")
    assert [f.name for f in first] == [f.name for f in again]
    assert {f.suffix for f in first} == {".json", ".png", ".svg", ".csv"}
    assert len(first) == 1 + 3 * len(PLOTS)
    for one, other in zip(first, again, strict=True):
        content = one.read_bytes()
        assert content == other.read_bytes(), one.name
        for said in (b"theory figure success-rate", result["versions"]["numpy"].encode()):
            assert said in content, one.name
        assert b"seed" in content
        assert str(tmp_path).encode() not in content


def test_the_csv_holds_the_numbers_of_the_figure(result, tmp_path):
    write(result, tmp_path)
    lines = [x for x in (tmp_path / "success-rate.csv").read_text().splitlines() if not x.startswith("#")]
    rows = list(csv.DictReader(lines))
    assert [int(r["td_unstable"]) for r in rows] == [r["td_unstable"] for r in result["rates"]]
    assert [float(r["td_unstable_high"]) for r in rows] == [r["ci95"]["td_unstable"][1] for r in result["rates"]]
    lines = [x for x in (tmp_path / "success-rate-windows.csv").read_text().splitlines() if not x.startswith("#")]
    assert [r["window"] for r in csv.DictReader(lines)] == ["1", "16", "inf"] * 2


def test_draw_computes_once_and_then_only_reads(monkeypatch, tmp_path):
    monkeypatch.setitem(success_rate.PROFILES, "tiny", TINY)
    seen = []
    files = draw(tmp_path, profile="tiny", progress=lambda done, total, found: seen.append((done, total, found)))
    assert all(f.exists() for f in files)
    assert seen[0][2] == 0
    seen.clear()
    assert draw(tmp_path, profile="tiny", progress=lambda *x: seen.append(x)) == files
    assert all(done == total == found for done, total, found in seen)


def test_no_global_state_is_touched(result):
    before = dict(mpl.rcParams)
    plot_rates(result)
    assert dict(mpl.rcParams) == before
    code = "import sys, theory.figures.success_rate; print('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_series_differ_in_grey_marker_and_dashes():
    def grey(colour):
        r, g, b = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return 0.299 * r + 0.587 * g + 0.114 * b

    greys = [grey(s["color"]) for s in SERIES]
    assert min(b - a for a, b in pairwise(greys)) > 0.1
    assert len({s["marker"] for s in SERIES}) == len({str(s["linestyle"]) for s in SERIES}) == len(SERIES)
