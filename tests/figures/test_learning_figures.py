"""Figures 2 to 4 and those beyond the paper: their data against algebra, and files that are the same bytes twice."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from theory.experiments.learning import Run, compare
from theory.experiments.table1.units import Scale
from theory.figures import best_window, bias_variance, figure_spec, n_step_chains, transient
from theory.figures._curves import curve_rows, plot_curves
from theory.figures._figure import Size
from theory.figures._style import save_one
from theory.figures.live.learned import plot_learned
from theory.learners.protocol import Protocol
from theory.problems.catalogue import catalogue_problem


@pytest.fixture(scope="module")
def figure_2():
    return figure_spec("expected-updates").result()


def test_figure_2_windows_end_at_the_expeditions(figure_2):
    """10(1 − .9ᵏ); a window of 250 leaves (1 − .1·λ_min(X))²⁵⁰ of the way, about .03% of at most one."""
    ends = np.array(figure_2["sequential"])[249::250]
    np.testing.assert_allclose(ends, 10 * (1 - 0.9 ** np.arange(41)), atol=2e-3)
    np.testing.assert_allclose(figure_2["fixed_points"], 10 * (1 - 0.9 ** np.arange(41)), atol=1e-12)


def test_figure_2_concurrent_overshoots_and_settles_where_sequential_does(figure_2):
    values = np.array(figure_2["concurrent"])
    assert 50 < values[:, 40].max() < 56
    np.testing.assert_allclose(values[-1], figure_2["fixed_points"], atol=1e-3)


def test_figure_2_normalising_halves_the_overshoot_and_never_settles(figure_2):
    plain, normalised = (np.array(figure_2[name]) for name in ("concurrent", "normalised"))
    assert 0.4 < (normalised[:, 40].max() - 10) / (plain[:, 40].max() - 10) < 0.6
    assert np.abs(np.diff(normalised[-20:, 40])).max() > 1e-3


def test_figure_2_is_of_state_7_since_there_is_no_eighth(figure_2):
    assert figure_2["state"] == "7"


def test_light_cone_shows_in_figure_2(figure_2):
    """Heads from equal starts coincide with each other up to t = k: the heads 30 and 40 in the first 30 updates."""
    values = np.array(figure_2["concurrent"])
    np.testing.assert_array_equal(values[:31, 30], values[:31, 40])


def test_figure_4_heads_settle_at_gamma_to_the_nk():
    result = n_step_chains.compute(Scale(300, 1, 2, protocol=Protocol(step_sizes=(0.01, 0.001))))
    for chain in result["chains"]:
        goals = [h["fixed_point"] for h in chain["heads"]]
        np.testing.assert_allclose(goals, 100 * 0.99 ** (chain["n"] * np.arange(9)), rtol=1e-9)
    assert isinstance(n_step_chains.plot(result), Figure)


def test_transients_grow_exactly_where_r_exceeds_one():
    result = transient.compute(transient.Settings(heads=48))
    for c in result["curves"]:
        peak = np.array(c["log10_peak"])
        grows = peak[-1] - peak[24] > 0.01
        assert grows == (c["R"] > 1)
    assert isinstance(transient.plot(result), Figure)


def test_bias_and_variance_add_up():
    result = bias_variance.compute(Size(2000, 4, (0.05, 0.01)))
    for series in result["series"]:
        for p in series["points"]:
            if p["bias"] > 0:  # else it was cut at 0
                assert p["rmse"] ** 2 == pytest.approx(p["bias"] ** 2 + p["deviation"] ** 2, rel=1e-9)
    assert isinstance(bias_variance.plot(result), Figure)


def test_points_that_are_lost_are_marked_and_named():
    """A step size of 64 diverges everywhere and is marked once a point; so is a bias of 0."""
    result = bias_variance.compute(Size(200, 2, (64.0,)))
    lines = [one for axes in bias_variance.plot(result).axes for one in axes.get_lines()]
    assert sum(one.get_marker() == "x" for one in lines) == len(bias_variance.rows(result)) == 4 * 7 + 13
    result = bias_variance.compute(Size(200, 2, (0.01,)))
    result["series"][0]["points"][0]["bias"] = 0.0
    result["series"][0]["points"][1] |= {"rmse": None, "bias": None, "deviation": None}
    figure = bias_variance.plot(result)
    marks = [str(one.get_marker()) for one in figure.axes[0].get_lines()]
    assert {"x", r"$\downarrow$"} <= set(marks)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"bias lost in noise", "above the scale"} <= set(labels)
    assert "cannot tell from noise" in bias_variance.caption(result).text


def test_long_windows_agree_with_expected_updates():
    """Few windows of many small steps have little noise: T = 4096 within a tenth of theory at four seeds."""
    result = best_window.compute(Size(16_384, 4, (0.05,)))
    for panel in result["panels"]:
        last = panel["points"][-1]
        assert last["measured"] == pytest.approx(last["expected"], rel=0.1)
    assert isinstance(best_window.plot(result), Figure)


def test_learning_curves_draw_divergent_learners_too(tmp_path):
    problem = catalogue_problem("baird-reward:gamma=99/100")
    runs = [Run(n, {"alpha": 0.5}, steps=5000, seeds=s) for n, s in (("td", 3), ("off-policy-td", 3), ("td", 1))]
    learned = compare(problem, runs)
    for name in ("x.png", "x.svg"):
        save_one(plot_learned(learned), tmp_path / name, {"seed": "0"})
        assert (tmp_path / name).stat().st_size > 5000
    curves = [
        {"learner": r.run.learner, "problem": "baird-reward", "gamma": g, "curve": r.document()["rmse"]["curve"]}
        for r in learned[:2]
        for g in (0.9, 0.99)
    ]
    result = {"curves": curves}
    assert len(plot_curves(result, [("baird-reward", 0.99)]).axes) == 1
    assert len(curve_rows(result)) == 4 * 101
