"""Figures about noise: small ones, against a second route."""

from dataclasses import replace

import numpy as np
import pytest

from theory.figures import emphatic_cap, exact_errors, noise_gain, step_size_map
from theory.learners.families import find_learner
from theory.linear.transients import noise_gain as gain
from theory.noise.curves import exact_curve
from theory.problems.catalogue import catalogue_problem


def well_drawn(module, data):
    """A figure with labelled axes, rows with one set of columns, and a caption."""
    figure = module.plot(data)
    assert any(axes.get_xlabel() for axes in figure.axes)
    rows = module.rows(data)
    assert len({tuple(row) for row in rows}) == 1
    said = module.caption(data)
    assert said.alt.endswith(".")
    assert "nan" not in said.alt
    return figure


def test_a_capped_trace_without_room_is_off_policy_td_and_longer_ones_become_unstable():
    data = emphatic_cap.compute(replace(emphatic_cap.Settings(), caps=tuple(range(9)), steps=500, seeds=4), seed=1)
    well_drawn(emphatic_cap, data)
    problem = catalogue_problem("threestate")
    for c in data["curves"]:
        td = exact_curve(
            find_learner("off-policy-td").of(problem.gamma, {"alpha": c["alpha"]}), problem, np.array([500]), 100
        )
        assert c["rmse"][0] == pytest.approx(np.sqrt(td.last_half), rel=1e-9)
    last = data["curves"][-1]["rho2"]
    assert max(last[2:5]) < 1 < last[-1]


def test_exact_errors_have_dots_near_their_lines():
    """A dot for a learner; 4 standard errors of a mean square, where it is light."""
    size = exact_errors.Size(500, 40, 1, "twostate-reward:gamma=1/2")
    data = exact_errors.compute(size, seed=3)
    well_drawn(exact_errors, data)
    judged = 0
    for c in data["learners"]:
        for dot in c["dots"]:
            if dot["low"] is not None:
                reach = 2 * (dot["high"] ** 2 - dot["exact"] ** 2)
                assert abs(dot["sampled"] ** 2 - dot["exact"] ** 2) < reach
                judged += 1
    assert judged >= 4


def test_heads_noise_grows_by_kappa_where_their_bias_falls():
    c = noise_gain.Settings(problems=("threestate",), discounts=("99/100", "9/10"), step_sizes=(2.0**-8,), heads=48)
    data = noise_gain.compute(replace(c, problems=("threestate", "twostate-reward")))
    well_drawn(noise_gain, data)
    (panel,) = (p for p in data["panels"] if p["problem"] == "threestate" and p["gamma"] == 0.99)
    assert panel["kappa"] == pytest.approx(gain(catalogue_problem("threestate:gamma=99/100"))[0])
    noise = np.sqrt(np.square(panel["rmse"][0]) - np.square(panel["bias"]))
    assert noise[48] / noise[47] == pytest.approx(panel["kappa"], rel=0.01)
    assert panel["bias"][48] / panel["bias"][47] == pytest.approx(panel["rho"], rel=0.01)


def test_maps_mark_the_least_error():
    data = step_size_map.compute(step_size_map.Settings("twostate-reward:gamma=1/2", between=2.0, along=5.0, steps=200))
    well_drawn(step_size_map, data)
    for m in data["maps"]:
        assert m["best"][2] == min(x for row in m["rmse"] for x in row if x is not None)
        assert all(a > 0 for a, _ in m["second"])
