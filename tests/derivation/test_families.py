"""Conditions with letters agree with certified verdicts at every point tried, and cells with both."""

import json
from fractions import Fraction
from random import Random

import pytest
import sympy

from tests.command_line import run
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.derivation.cells import cut
from theory.derivation.conditions import family_forms
from theory.derivation.families import derive_family
from theory.derivation.forms import K
from theory.exact.chain import chain_by_closed_form
from theory.exact.fixed_points import td_fixed_point
from theory.exact.spectra import GAMMA
from theory.problems import InvalidProblem
from theory.problems.family import family_from

TWO = {
    "name": "two",
    "parameters": {"x": "real", "p": "(0, 1)"},
    "gamma": "9/10",
    "features": [[1], ["x"]],
    "target": {"transitions": [[0, 1], [0, 1]]},
    "behaviour": {"distribution": ["p", "1 - p"]},
}
SWAP = {
    "name": "swap",
    "parameters": {"x": "real", "y": "[-3, 3]"},
    "gamma": "9/10",
    "features": [[1, 0], ["x", 1], ["y", 2]],
    "target": {"transitions": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]},
    "behaviour": {"distribution": ["9/10", "1/20", "1/20"]},
}
MDP = {
    "name": "mdp",
    "parameters": {"q": "(0, 1)", "c": "positive"},
    "gamma": "1/2",
    "features": [[1, 0], ["c", 1], [1, "1/c"]],
    "transitions": [[[0, 1, 0], [0, 0, 1]], [[0, 0, 1], [1, 0, 0]], [[0, 0, 1], [1, 0, 0]]],
    "rewards": [[0, 1]] * 3,
    "target_policy": [[1, 0]] * 3,
    "behaviour_policy": [["q", "1 - q"]] * 3,
}


@pytest.mark.parametrize(("tree", "points"), [(TWO, 60), (SWAP, 60), (MDP, 40)], ids=["two", "swap", "mdp"])
def test_conditions_decide_as_certified_verdicts_do(tree, points):
    family, rng = family_from(tree), Random(1)
    forms = family_forms(family)
    seen = set()
    for _ in range(points):
        values = {}
        for name, span in family.parameters.items():
            low = Fraction(-4) if span.low is None else span.low
            high = Fraction(4) if span.high is None else span.high
            values[name] = low + (high - low) * Fraction(rng.randint(1, 99), 100)
        gamma = Fraction(rng.randint(1, 99), 100)
        point = {forms.letters[n]: sympy.Rational(x) for n, x in values.items()} | {GAMMA: sympy.Rational(gamma)}
        if forms.X.subs(point).det() == 0:
            continue
        problem = family.at(values).with_gamma(gamma)
        td, chain = td_stable(problem), chain_unbiased(problem)
        assert not td.undecided
        assert not chain.undecided
        assert all(c.holds(point) for c in forms.td_conditions) == td.proved
        assert all(c.holds(point) for c in forms.chain_conditions) == chain.proved
        seen.add((td.proved, chain.proved))
    assert len(seen) >= 2


def test_the_two_state_family_in_closed_form():
    """X = p + (1 − p)x² and Y = px + (1 − p)x²: TD needs X − γY > 0, the chain X + γY > 0 as well."""
    forms = family_forms(family_from(TWO))
    x, p = forms.letters["x"], forms.letters["p"]
    X, Y = p + (1 - p) * x**2, p * x + (1 - p) * x**2
    (td,) = forms.td_conditions
    assert sympy.expand(td.expression - (X - GAMMA * Y)) == 0
    assert {sympy.expand(c.expression) for c in forms.chain_conditions} == {
        sympy.expand(X - GAMMA * Y),
        sympy.expand(X + GAMMA * Y),
    }


@pytest.mark.parametrize(("tree", "over"), [(TWO, ("x", "p")), (TWO, ("gamma", "x")), (SWAP, ("x", "y"))])
def test_within_a_cell_nothing_changes(tree, over):
    """Random points are in a cell by the signs of the boundary polynomials; the cell's verdict is theirs."""
    family, rng = family_from(tree), Random(2)
    forms = family_forms(family)
    fixed = {n: Fraction(9, 10) for n in (*family.parameters, "gamma") if n not in over}
    cells = cut(forms, over, fixed)
    symbols = forms.letters | {"gamma": GAMMA}

    def signs(point):
        at = {symbols[n]: sympy.Rational(v) for n, v in point.items()}
        return tuple(sympy.sign(wall.subs(at)) for wall in forms.boundary)

    answers = {}
    for cell in cells:
        answers.setdefault(signs(cell.point), set()).add((cell.td.proved, cell.chain.proved))
    assert all(len(found) == 1 for found in answers.values())
    for _ in range(40):
        point = dict(fixed)
        for name in over:
            point[name] = Fraction(rng.randint(1, 99), 100) * (6 if name in "xy" else 1) - (3 if name in "xy" else 0)
        letters = {n: v for n, v in point.items() if n != "gamma"}
        problem = family.at(letters).with_gamma(point["gamma"])
        assert {(td_stable(problem).proved, chain_unbiased(problem).proved)} == answers[signs(point)]


def test_one_letter_is_cut_at_the_known_threshold():
    cells = cut(family_forms(family_from(TWO)), ("gamma",), {"x": Fraction(2), "p": Fraction(1, 2)})
    assert [(c.td.proved, c.chain.proved) for c in cells] == [(True, True), (False, False)]
    assert [str(end) for end in cells[0].bounds["gamma"]] == ["0", "5/6"]


def test_the_bias_with_letters_is_the_problems_own():
    found = derive_family(family_from(SWAP | {"target": SWAP["target"] | {"rewards": [1, "x", 0]}}))
    values = {"x": Fraction(1, 2), "y": Fraction(-1)}
    problem = found.forms.family.at(values).with_gamma("3/4")
    at = {found.forms.letters[n]: sympy.Rational(v) for n, v in values.items()} | {GAMMA: sympy.Rational(3, 4)}
    for k in (0, 1, 4):
        exact = chain_by_closed_form(problem, k) - td_fixed_point(problem).theta
        for total, want in zip(found.bias, exact.entries(), strict=True):
            roots = sympy.Poly(total.poly.as_expr().subs(at), total.poly.gen).nroots(n=40)
            got = sum(total.fun.expr.subs(at).subs(K, k).subs(total.fun.variables[0], root) for root in roots)
            assert abs(sympy.N(got, 30) - sympy.Rational(str(want))) < 1e-25


def test_the_command_reads_families(tmp_path, capsys):
    path = tmp_path / "two.json"
    path.write_text(json.dumps(TWO))
    code, out, _ = run(capsys, "derive", str(path), "--over", "x,p", "--json")
    found = json.loads(out)
    assert code == 0
    assert len(found["cells"]["found"]) == 11
    assert found["conditions"]["td"][0]["name"] == "det A"
    assert run(capsys, "inspect", str(path), "--set", "x=3,p=9/10")[0] == 0
    for arguments, words in (
        (("inspect", str(path)), "is a family with x, p in it"),
        (("inspect", str(path), "--set", "x=3"), "the letter p needs a number"),
        (("inspect", str(path), "--set", "x"), "expected letters with numbers"),
        (("inspect", "twostate", "--set", "x=1"), "declares no letters"),
        (("derive", "twostate", "--over", "x"), "nothing to cut"),
        (("derive", str(path), "--over", "z"), "there is no letter 'z'"),
    ):
        code, _, error = run(capsys, *arguments)
        assert code == 2
        assert words in error


def test_too_many_features_or_letters_are_refused():
    wide = TWO | {"features": [[1, 0, 0, 0, 0], ["x", 1, 1, 1, 1]]}
    with pytest.raises(InvalidProblem, match="up to 4 features"):
        family_forms(family_from(wide))
    with pytest.raises(InvalidProblem, match="one or two letters"):
        cut(family_forms(family_from(TWO)), ("x", "p", "gamma"), {})
    with pytest.raises(InvalidProblem, match="need a number"):
        cut(family_forms(family_from(TWO)), ("x",), {"gamma": Fraction(1, 2)})
