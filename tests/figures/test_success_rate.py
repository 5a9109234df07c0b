"""The figures show the result's numbers, and the files say where they come from."""

import csv
import json
import subprocess
import sys
from itertools import pairwise
from math import inf

import matplotlib as mpl
import numpy as np
import pytest

from theory.figures import (
    figure_spec,
    success_rate,
    success_rate_conjecture,
    success_rate_map,
    success_rate_windows,
)
from theory.figures._figure import Work
from theory.figures._style import SERIES, write_figure
from theory.montecarlo import Store

SIZES = {
    "success-rate": success_rate.Size((2, 5), 60),
    "success-rate-map": success_rate_map.Size((8, 16), 20),
    "success-rate-conjecture": success_rate_conjecture.Size((4, 16), (1, 2), 40),
    "success-rate-windows": success_rate_windows.Size((1.0, 16.0, inf), ((5, 4), (5, 5)), 40),
}


def computed(name, work=None):
    return figure_spec(name).compute(SIZES[name], 3, work or Work())


@pytest.fixture(scope="module")
def results():
    return {name: computed(name) for name in SIZES}


def plotted(results, name):
    return figure_spec(name).plot(results[name]).axes


def line(axes, label):
    (found,) = [one for one in axes.lines if one.get_label() == label]
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


def test_rates_are_drawn_as_successes(results):
    left, right = plotted(results, "success-rate")
    for axes, missing in ((left, 0), (right, 1)):
        rows = [r for r in results["success-rate"]["rows"] if r["states"] - r["features"] == missing]
        for label, name in (("off-policy TD stable", "td_unstable"), ("chained TD unbiased", "chain_biased")):
            x, y = line(axes, label)
            assert x.tolist() == [r["states"] for r in rows]
            np.testing.assert_allclose(y, [100 - 100 * r[name] / r["samples"] for r in rows])


def test_the_map_prints_every_rate(results):
    td, biased, rescued = plotted(results, "success-rate-map")
    for axes in (td, biased):
        assert len(axes.texts) == 16
    first = next(r for r in results["success-rate-map"]["rows"] if (r["states"], r["features"]) == (8, 8))
    shown = {t.get_position(): t.get_text() for t in td.texts}[(0, 7)]
    assert float(shown) == pytest.approx(100 * first["td_unstable"] / first["samples"], abs=0.5)
    assert {t.get_text() for t in rescued.texts if t.get_position()[1] == 7} == {"100"}


def test_rescue_rates_of_a_handful_are_hatched(results):
    rows = results["success-rate-map"]["rows"]
    few = sum(0 < r["td_unstable"] < success_rate_map.FEW for r in rows)
    td, biased, rescued = plotted(results, "success-rate-map")
    assert few > 0  # of 20 problems each, all that are not none
    assert [sum(bool(p.get_hatch()) for p in axes.patches) for axes in (td, biased, rescued)] == [0, 0, few]
    assert (
        f"{few} of {len(rows)} rescue rates are hatched" in success_rate_map.caption(results["success-rate-map"]).text
    )


def test_the_bound_is_drawn_over_the_measured_rate(results):
    left, _ = plotted(results, "success-rate-conjecture")
    bounds = [np.asarray(one.get_ydata()) for one in left.lines]
    expected = [
        100 * r["bias_bound"]
        for r in results["success-rate-conjecture"]["rows"]
        if r["law"] == "normal" and r["features"] == 1
    ]
    assert any(np.array_equal(b, expected) for b in bounds)


def test_a_single_measured_rate_shows_its_interval(results):
    _, right = plotted(results, "success-rate-conjecture")
    rows = [
        r for r in results["success-rate-conjecture"]["rows"] if r["law"] == "absolute-normal" and r["features"] == 1
    ]
    ends = [[100 * x for x in r["ci95"]["chain_biased"]] for r in rows if r["chain_biased"]]
    drawn = [s[:, 1].tolist() for c in right.collections if hasattr(c, "get_segments") for s in c.get_segments()]
    assert ends
    assert all(pytest.approx(end) in drawn for end in ends)


def test_windows_run_from_td_to_the_chain(results):
    (axes,) = plotted(results, "success-rate-windows")
    _, y = line(axes, "S = 5, F = 5")
    assert y.tolist() == [100 * w["rate"] for w in results["success-rate-windows"]["rows"][1]["windows"]]
    assert [t.get_text() for t in axes.get_xticklabels()][-1] == "∞"


def test_with_as_many_features_as_states_the_chain_is_never_biased(results):
    """Π = I, so ρ(γΠP) = γ: the first half of the paper's figure 1 is algebra."""
    rows = [r for result in results.values() for r in result["rows"] if r["features"] == r["states"]]
    assert len(rows) == 5
    assert all(r["chain_biased"] == 0 and r["samples"] > 0 for r in rows)
    assert results["success-rate-windows"]["rows"][1]["windows"][-1]["stable"] == 40


@pytest.mark.parametrize("profile", ["quick", "full"])
def test_every_profile_shows_both_lines_and_the_whole_map(profile, monkeypatch):
    cells = {}
    for name in SIZES:
        module = sys.modules[figure_spec(name).compute.__module__]
        monkeypatch.setattr(module, "counted", lambda these, *_, name=name: cells.update({name: list(these)}))
        figure_spec(name).result(profile)
    assert {c.states - c.features for c in cells["success-rate"]} == {0, 1}
    assert {(8 * c.features) // c.states for c in cells["success-rate-map"]} == set(range(1, 9))
    assert {c.law for c in cells["success-rate-conjecture"]} == {"normal", "absolute-normal"}
    assert all(c.windows[0] == 1 and c.windows[-1] == inf for c in cells["success-rate-windows"])


@pytest.mark.parametrize("name", SIZES)
def test_files_are_the_same_bytes_again_and_say_where_they_come_from(results, tmp_path, name):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    first, again = (
        write_figure(figure_spec(name), results[name], "full", 3, tmp_path / folder) for folder in ("a", "b")
    )
    assert [f.name for f in first] == [f.name for f in again]
    whole = {".json"} if name == "success-rate" else set()
    assert {f.suffix for f in first} == {".png", ".svg", ".csv"} | whole
    for one, other in zip(first, again, strict=True):
        content = one.read_bytes()
        assert content == other.read_bytes(), one.name
        for said in (f"theory figure {name} --profile full --seed 3".encode(), np.__version__.encode()):
            assert said in content, one.name
        assert str(tmp_path).encode() not in content


def test_the_csv_holds_the_numbers_of_the_figure(results, tmp_path):
    for name in SIZES:
        write_figure(figure_spec(name), results[name], "quick", 3, tmp_path)
    lines = [x for x in (tmp_path / "success-rate.csv").read_text().splitlines() if not x.startswith("#")]
    rows, given = list(csv.DictReader(lines)), results["success-rate"]["rows"]
    assert [int(r["td_unstable"]) for r in rows] == [r["td_unstable"] for r in given]
    highs = [r["ci95"]["td_unstable"][1] for r in given]
    np.testing.assert_allclose([float(r["td_unstable_high"]) for r in rows], highs, rtol=1e-5)
    lines = [x for x in (tmp_path / "success-rate-windows.csv").read_text().splitlines() if not x.startswith("#")]
    assert [r["window"] for r in csv.DictReader(lines)] == ["1", "16", "inf"] * 2
    assert json.loads((tmp_path / "success-rate.json").read_text())["rows"][0]["decided_by"]


def test_what_the_store_holds_is_only_read(tmp_path):
    seen = []
    with Store(tmp_path / "s.sqlite") as store:
        work = Work(store, progress=lambda *counts: seen.append(counts))
        first = computed("success-rate", work)
        assert seen[0][2] == 0
        seen.clear()
        assert computed("success-rate", work) == first
    assert all(done == total == found for done, total, found in seen)


def test_no_global_state_is_touched(results):
    before = dict(mpl.rcParams)
    plotted(results, "success-rate")
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
