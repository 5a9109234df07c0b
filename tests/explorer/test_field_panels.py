"""Panels about the field: every method, why, and the slider of soft targets."""

from fractions import Fraction

import pytest

from theory.experiments.comparison import compare
from theory.explorer import panels
from theory.explorer.links import from_query, to_query
from theory.explorer.view import open_view
from theory.methods.family import methods
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem


def opened(name):
    return open_view(catalogue_problem(name), name)


def test_every_method_has_a_line_with_its_set():
    html = panels.panel(opened("baird"), "Comparison")
    page = compare(catalogue_problem("baird")).page().html()
    assert html.startswith(page)  # at the defaults the explorer shows what the command line does
    assert all(f"{name}" in page for name in methods())
    assert "λ in (1/6, 1]" in html
    assert "T ≥ 2" in html
    assert "α = 1/2, T = 100" in html


def test_soft_targets_follow_their_slider():
    view = opened("finite-window").change(alpha=Fraction(1, 16))
    said = [panels.panel(view.change(tau=Fraction(1, n)), "Comparison") for n in (2, 100)]
    rows = [next(r for r in html.split("<tr>") if "  soft-target (α" in r or "→ soft-target (α" in r) for html in said]
    assert ">no<" in rows[0]
    assert ">yes<" in rows[1]


def test_tau_travels_in_the_address_where_it_was_moved():
    view = opened("baird")
    assert "tau" not in to_query(view)
    moved = view.change(tau=Fraction(1, 512))
    query = dict(part.split("=") for part in to_query(moved).split("&"))
    assert from_query(query).tau == Fraction(1, 512)
    with pytest.raises(InvalidProblem, match=r"tau: must be in \(0, 1\]"):
        from_query({"problem": "baird", "tau": "2"})


def test_why_names_the_states_and_the_unsafe_feature():
    html = panels.panel(opened("twostate"), "Why")
    assert "state first contributes -0.49" in html
    assert html.count("feeds the growth") >= 2
    assert "Not all are safe" in html


def test_why_is_drawn_on_the_states():
    """Baird: six states feed TD's growth and the seventh damps it; in the chain the seventh alone does anything."""
    html = panels.panel(opened("baird"), "Why")
    td, chain = (part.split("<table")[0] for part in html.split("<h3>")[1:3])
    assert (td.count("<rect"), td.count("feeds the growth, "), td.count("damps the growth, ")) == (6, 6, 1)
    assert (chain.count("<rect"), chain.count("adds nothing")) == (1, 6)
    assert "<title>state 7 feeds the growth, 0.9; value 1</title>" in chain
