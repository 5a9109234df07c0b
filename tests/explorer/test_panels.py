"""What the panels show: the right numbers, in time, and escaped."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from html import unescape

import marimo as mo
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import exact_problems, float_problems
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.explorer import cards, controls, rulers
from theory.explorer.panels import PANELS, expected_curves, growth, panel, start
from theory.explorer.phase import bare_plane, exact_curves, phase_map, quadrants
from theory.explorer.questions import sampled_curves
from theory.explorer.sources import open_source
from theory.explorer.texts import literal, short
from theory.explorer.view import open_view
from theory.model.linear_model import moments
from theory.problems import Problem
from theory.problems.catalogue import problem_names

SMALL = [name for name in problem_names() if name not in ("garnet", "boyan-chain", "w-to-2w")]


def view_of(spec, **changes):
    return open_view(*open_source(spec)).change(**changes)


@pytest.mark.parametrize("spec", SMALL)
def test_every_panel_of_every_small_problem_is_well_formed(spec):
    view = view_of(spec)
    for name in PANELS:
        html = panel(view, name)
        assert "cannot be shown" not in html, name
        ET.fromstring(f"<div>{html}</div>")
        assert "nan" not in re.sub(r"<text[^>]*>[^<]*</text>|aria-label=\"[^\"]*\"", "", html).lower(), name
        for svg in re.findall(r"<svg[^>]*viewBox[^>]*>", html):
            assert re.search(r'role="img" aria-label="[^"]{20,}"', svg), name


@pytest.mark.parametrize("gamma", [Fraction(15, 17) - Fraction(1, 1000), Fraction(15, 17), Fraction(9, 10)])
def test_the_headline_is_the_certified_quadrant(gamma):
    html = cards.verdict_card(view_of("baird", gamma=gamma))
    assert ("TD stable, chain unbiased" in html) == (gamma < Fraction(15, 17))
    assert "certified" in html


def test_the_ruler_names_the_exact_thresholds():
    assert "γ in [0, 15/17 ≈ 0.882353)" in rulers.ruler(view_of("baird"))
    assert "γ &lt; 5/6" in rulers.ruler(view_of("twostate"))


def test_the_phase_diagrams_exact_lines_are_drawn_over_the_pixels():
    view = view_of("twostate")
    plane = bare_plane(view.problem, view.entry)
    assert plane == bare_plane(view.change(gamma=Fraction(1, 2), value=Fraction(3)).problem, view.entry)
    lines = exact_curves(plane, view.entry, 4.0)
    assert {side for side, _, _ in lines} == {"td", "chain"}
    without, drawn = panel(view, "Phase"), panel(view, "Phase", lines)
    assert "exact line" not in without
    assert "TD&#x27;s exact line" in drawn or "TD's exact line" in drawn
    assert "exact boundaries" in drawn
    assert drawn.count("<path") > without.count("<path")
    assert bare_plane(view_of("random").problem, (0, 0)) is None


def test_the_phase_diagram_agrees_with_certified_verdicts():
    view = view_of("twostate")
    found = quadrants(
        view.problem.with_gamma(0), (0, 0), tuple(np.linspace(-4, 4, 9).tolist()), 11
    )  # 5/6 is no eleventh
    for value, row in zip(found.values, found.quadrant, strict=True):
        for gamma, quadrant in zip(found.gammas, row, strict=True):
            there = view.change(gamma=Fraction(gamma), value=Fraction(value)).problem
            assert quadrant == td_stable(there).refuted + 2 * chain_unbiased(there).refuted


def test_expected_curves_start_at_the_same_error_and_td_follows_its_recursion():
    view = view_of("threestate")
    curves = expected_curves(view)
    m, theta, problem = moments(view.problem), start(view), view.problem
    for _ in range(5):
        theta = theta + float(view.alpha) * (m.b - m.A @ theta)
    v_pi = np.linalg.solve(np.eye(3) - problem.gamma * problem.P_pi, problem.r_pi)
    steps, error = curves["off-policy TD"]
    assert steps[5] == 5
    assert error[5] == pytest.approx(np.sqrt(np.mean((problem.Phi @ theta - v_pi) ** 2)), rel=1e-12)
    assert curves["chain, head 12"][1][0] == pytest.approx(error[0], rel=1e-12)


def test_markup_in_a_name_stays_text():
    problem = Problem.from_matrices(
        "1/2", Phi=[[1], [2]], P_pi=[[0, 1], [1, 0]], P_mu=[[0, 1], [1, 0]], name="<script>alert(1)</script>",
        states=["<img src=x>", "&"],
    )  # fmt: skip
    view = open_view(problem)
    for html in (
        cards.verdict_card(view),
        rulers.ruler(view),
        cards.exact_card(view),
        *(panel(view, n) for n in PANELS),
    ):
        assert "<script" not in html
        assert "<img" not in html


@pytest.mark.parametrize("name", ["<b>a</b>", "<img src=x onerror=alert(1)>", "*a* [b](http://c) `d` $e$ # :smile:"])
def test_a_name_in_a_label_is_read_as_neither_html_nor_markdown(name):
    problem = Problem.from_matrices(
        "1/2", Phi=[[1], [2]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"], states=[name, "x"]
    )
    label = ET.fromstring(mo.md(f"state {literal(name)}").text)
    assert [element.tag for element in label.iter()] == ["span", "span"]  # marimo's own
    assert "".join(label.itertext()) == f"state {name}"
    view = open_view(problem)
    slider = controls.entry_slider(view, None)  # made, not moved
    assert literal(name) in unescape(slider.text).replace("\\u003c", "<")


def test_beyond_the_step_sizes_of_a_single_head_nothing_is_said_of_R():
    view = view_of("baird", gamma=Fraction(1, 10))
    limit = 2 / np.linalg.eigvalsh(moments(view.problem).X).max()
    below, above = (view.change(alpha=Fraction(share * limit)) for share in (0.5, 1.01))
    assert "R = " in panel(below, "Transients")
    said = panel(above, "Transients")
    assert f"2/λ_max(X) = {limit:.6g}" in said
    assert "stay bounded" not in said


def test_a_head_0_that_diverges_is_named_and_R_of_1_is_not_called_bounded():
    assert "Already head 0 diverges" in panel(view_of("baird", gamma=Fraction(1, 10), alpha=Fraction(2)), "Transients")
    view = view_of("twostate")
    assert "decides nothing" in growth(view, 1.0, 1 + 0j)
    assert "stay bounded" in growth(view, 0.99, 1 + 0j)
    assert "grow like" in growth(view, 1.01, 1 + 0j)


def test_a_trajectory_that_overflows_says_so_without_a_warning():
    said = panel(view_of("baird", gamma=Fraction(1, 10), alpha=Fraction(2)), "Trajectories")
    assert "off-policy TD has overflowed" in said
    assert "at inf" not in said


def test_panels_say_from_where_they_measure_and_what_they_leave_out():
    view = view_of("baird", steps=3)
    assert "from Φθ_π" in panel(view, "Bias")
    assert "from v<sub>π</sub>" in panel(view, "Trajectories")
    assert {name for name in PANELS if "has n = 1" in panel(view, name)} == set(PANELS) - {
        "Bias",
        "Graphs",
        "Comparison",
    }
    bare = Problem.from_matrices("1/2", Phi=[[1], [2]], P_pi=[[0, 1], [1, 0]], d_mu=["1/2", "1/2"])
    assert "The chain is not drawn" in panel(open_view(bare), "Trajectories")
    assert "The chain is not drawn" not in panel(view, "Trajectories")


def test_a_long_discount_is_abbreviated_and_a_name_of_digits_survives():
    said = cards.verdict_card(view_of("baird", gamma=Fraction(1, 10**400)))
    assert "at γ ≈ 1e-400" in said
    assert "baird:gamma≈1e-400: 7 states" in said
    assert short("1/" + 30 * "0").endswith("…")
    assert len(short(5000 * "7")) < 40


def test_the_cross_at_the_edge_is_not_cut():
    assert '<svg overflow="visible" width=' in panel(view_of("twostate"), "Phase")


@settings(deadline=None, max_examples=40)
@given(exact_problems() | float_problems(), st.sampled_from([*PANELS]), st.sampled_from([0, 30, -30, 150, -150]))
def test_any_problem_at_any_scale_is_shown_or_explained(problem, name, scale):
    problem = problem.with_features(problem.exact.Phi * Fraction(10) ** scale)
    view = open_view(problem)
    drawn, verdicts, ruler = (
        ET.fromstring(f"<div>{html}</div>")
        for html in (panel(view, name), cards.card(cards.verdict_card, view), cards.card(rulers.ruler, view))
    )
    pictures = [element.get("aria-label") for element in drawn.iter() if element.get("role") == "img"]
    assert all(len(text) >= 20 for text in pictures)
    assert (
        pictures
        or drawn.find(".//table") is not None
        or re.search(r"cannot be shown: .{10}|no θπ", "".join(drawn.itertext()))
    )
    headline = "".join(verdicts.itertext())
    assert re.match(r"TD (un)?stable, chain (un)?biased at γ|This cannot be shown: .{10}", headline)
    assert re.search(r"TD is stable for γ in \[0, .*\. The chain is unbiased for .*γ", "".join(ruler.itertext()))


def test_heads_without_an_error_have_no_peak():
    nothing = Problem.from_matrices("99/100", Phi=[[0]], P_pi=[[1]], d_mu=[1])
    said = panel(open_view(nothing), "Transients")
    assert "nan" not in said
    assert "No head has an error" in said


def test_a_problem_without_fixed_point_says_so_instead_of_drawing():
    problem = Problem.from_matrices("5/6", Phi=[[1], [2]], P_pi=[[0, 1], [0, 1]], d_mu=["1/2", "1/2"], r_pi=[1, 1])
    assert "no θ<sub>π</sub>" in panel(open_view(problem), "Bias")


def test_the_map_stays_while_the_point_moves_in_it():
    view = view_of("twostate")
    first = phase_map(view.problem, (0, 0), 4.0)
    assert phase_map(view.change(gamma=Fraction(1, 2), value=Fraction(3)).problem, (0, 0), 4.0) is first
    assert phase_map(view.change(value=Fraction(3)).choose_entry(1, 0).problem, (1, 0), 4.0) is not first


def test_the_phase_diagram_tells_the_script_which_numbers_a_click_means():
    view = view_of("twostate").choose_entry(1, 0)
    area = re.search(r'<rect [^>]*data-drag="plane"[^>]*>', panel(view, "Phase"))[0]
    x0, x1 = map(float, re.search(r'data-x="(\S+) (\S+)"', area).groups())
    y0, y1 = map(float, re.search(r'data-y="(\S+) (\S+)"', area).groups())
    assert x0 <= 0 < 0.99 <= x1
    assert y0 == pytest.approx(-y1)
    assert 'data-state="1" data-feature="0"' in area


@pytest.mark.slow
def test_sampled_runs_start_where_the_expected_ones_do():
    view = view_of("threestate")
    expected, (sampled, _) = expected_curves(view), sampled_curves(view, seed=0)
    assert set(sampled) == set(expected)
    for name in expected:
        if name.startswith("off-policy"):
            assert sampled[name][1][0] == pytest.approx(expected[name][1][0], rel=1e-9)


def test_where_a_state_is_never_visited_the_plane_is_explained_and_the_rest_is_drawn():
    view = view_of("w-to-2w")
    assert "No phase diagram of this entry" in panel(view, "Phase")
    assert panel(view, "Overview").count('role="img"') == 2
