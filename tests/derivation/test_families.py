"""Conditions with letters agree with certified verdicts at every point tried, and cells with both."""

import json
from fractions import Fraction
from random import Random

import numpy as np
import pytest
import sympy

from tests.command_line import run
from theory.certified.verdicts import chain_unbiased, td_stable
from theory.derivation.cells import cut
from theory.derivation.conditions import Condition, conditions
from theory.derivation.families import check_points, derive_family
from theory.derivation.forms import K
from theory.derivation.in_gamma import GAMMA
from theory.derivation.letters import family_forms
from theory.exact.matrices import matrix
from theory.figures.phase import Settings, compute
from theory.model.points import chain_by_closed_form, td_fixed_point
from theory.problems import InvalidProblem, open_problem
from theory.problems.catalogue import families
from theory.problems.formulas import family_from

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


@pytest.mark.parametrize("tree", [TWO, SWAP, MDP], ids=["two", "swap", "mdp"])
def test_conditions_decide_as_certified_verdicts_do(tree):
    forms = family_forms(family_from(tree))
    found = check_points(forms, conditions(forms), 50, seed=1)
    assert found.ok
    assert len(found.agree) >= 2


@pytest.mark.parametrize("name", families())
def test_the_catalogues_families_decide_as_certified_verdicts_do(name):
    """Fifteen of the thousand points that were tried once: the command with --points 1000."""
    forms = family_forms(families()[name].family)
    assert check_points(forms, conditions(forms), 15, seed=2).ok


def test_a_wrong_condition_is_noticed(capsys, monkeypatch):
    right = Condition.holds
    monkeypatch.setattr(Condition, "holds", lambda self, point: not right(self, point))
    code, out, _ = run(capsys, "derive", "twostate-family", "--points", "5")
    assert code == 1
    assert "5 differences" in out
    assert "✗ at x =" in out


@pytest.mark.parametrize(
    ("member", "classic"),
    [
        ("twostate-family:x=2,p=1/2", "twostate-reward"),
        ("tsitsiklis-van-roy-family:x=2,epsilon=1/3", "tsitsiklis-van-roy:epsilon=1/3"),
        ("kolter-family:p=3/5,epsilon=1/100,gamma=2/3", "kolter:p=3/5,epsilon=1/100,gamma=2/3"),
        ("baird-star-6:w=2,q=6/7", "baird-reward"),
        ("baird-star-5:w=2,q=5/6", "baird-star:outer=5,gamma=9/10"),
        ("baird-star-7:w=2,q=7/8", "baird-star:outer=7,gamma=9/10"),
    ],
)
def test_members_of_the_catalogues_families_are_the_classics(member, classic):
    found, known = open_problem(member), open_problem(classic)
    assert found.name == member
    for name in ("gamma", "Phi", "d_mu"):
        assert np.all(getattr(found.exact, name) == getattr(known.exact, name)), name
    # A family's end is a state like any other, a problem's has the discount 0: the moves are the same.
    assert np.all(found.exact.P_pi == known.mdp.stream_under(known.pi))
    assert np.all(found.exact.P_mu == known.mdp.stream_under(known.mu))
    if "star" not in classic:  # baird-star pays nothing
        assert np.all(found.exact.r_pi == known.exact.r_pi)


def test_bairds_star_fails_where_the_textbook_says():
    """TD is unstable exactly from γ = (N + 9)/(2N + 5) on at w = 2 and uniform visits; the chain never is biased."""
    for outer in (5, 6, 7):
        forms = family_forms(families()[f"baird-star-{outer}"].family)
        found = conditions(forms)
        assert found.chain == ()
        (td,) = found.td
        at = {forms.letters["w"]: 2, forms.letters["q"]: sympy.Rational(outer, outer + 1)}
        assert sympy.solve(td.expression.subs(at), GAMMA) == [sympy.Rational(outer + 9, 2 * outer + 5)]


def test_the_two_state_family_in_closed_form():
    """X = p + (1 − p)x² and Y = px + (1 − p)x²: TD needs X − γY > 0, the chain X + γY > 0 as well."""
    forms = family_forms(family_from(TWO))
    found = conditions(forms)
    x, p = forms.letters["x"], forms.letters["p"]
    X, Y = p + (1 - p) * x**2, p * x + (1 - p) * x**2
    (td,) = found.td
    assert sympy.expand(td.expression - (X - GAMMA * Y)) == 0
    assert {sympy.expand(c.expression) for c in found.chain} == {
        sympy.expand(X - GAMMA * Y),
        sympy.expand(X + GAMMA * Y),
    }


@pytest.mark.parametrize(("tree", "over"), [(TWO, ("x", "p")), (TWO, ("gamma", "x")), (SWAP, ("x", "y"))])
def test_within_a_cell_nothing_changes(tree, over):
    """Random points are in a cell by the signs of the boundary polynomials; the cell's verdict is theirs."""
    family, rng = family_from(tree), Random(2)
    forms = family_forms(family)
    fixed = {n: Fraction(9, 10) for n in (*family.parameters, "gamma") if n not in over}
    found = conditions(forms)
    cells = cut(forms, found, over, fixed)
    symbols = forms.symbols

    def signs(point):
        at = {symbols[n]: sympy.Rational(v) for n, v in point.items()}
        return tuple(sympy.sign(wall.subs(at)) for wall in found.boundary)

    answers = {}
    for cell in cells:
        answers.setdefault(signs(cell.point), set()).add((cell.td.proved, cell.chain.proved))
    assert all(len(found) == 1 for found in answers.values())
    for _ in range(40):
        point = dict(fixed)
        for name in over:
            point[name] = Fraction(rng.randint(1, 99), 100) * (6 if name in "xy" else 1) - (3 if name in "xy" else 0)
        problem = family.at(point)
        assert {(td_stable(problem).proved, chain_unbiased(problem).proved)} == answers[signs(point)]


def test_one_letter_is_cut_at_the_known_threshold():
    forms = family_forms(family_from(TWO))
    cells = cut(forms, conditions(forms), ("gamma",), {"x": Fraction(2), "p": Fraction(1, 2)})
    assert [(c.td.proved, c.chain.proved) for c in cells] == [(True, True), (False, False)]
    assert [str(end) for end in cells[0].bounds["gamma"]] == ["0", "5/6"]


def test_the_bias_with_letters_is_the_problems_own():
    found = derive_family(family_from(SWAP | {"target": SWAP["target"] | {"rewards": [1, "x", 0]}}), points=1)
    values = {"x": Fraction(1, 2), "y": Fraction(-1)}
    problem = found.forms.family.at(values).with_gamma("3/4")
    at = {found.forms.letters[n]: sympy.Rational(v) for n, v in values.items()} | {GAMMA: sympy.Rational(3, 4)}
    form, since = found.forms.bias
    assert since == 0
    for k in (0, 1, 4):
        exact = chain_by_closed_form(problem, k) - td_fixed_point(problem).theta
        for total, want in zip(form, exact.entries(), strict=True):
            roots = sympy.Poly(total.poly.as_expr().subs(at), total.poly.gen).nroots(n=40)
            got = sum(total.fun.expr.subs(at).subs(K, k).subs(total.fun.variables[0], root) for root in roots)
            assert abs(sympy.N(got, 30) - sympy.Rational(str(want))) < 1e-25


def test_texts_of_a_family_are_read_back_by_sympy():
    found = derive_family(family_from(SWAP | {"target": SWAP["target"] | {"rewards": [1, "x", 0]}}), points=1)
    names = {**found.forms.letters, "gamma": GAMMA, "k": K, "z": sympy.Symbol("z")}
    for text, form in zip(found.to_dict()["bias"], found.sympy()["bias"], strict=True):
        assert sympy.sympify(text, locals=names).has(sympy.RootSum)
        assert sympy.sympify(text, locals=names).free_symbols == form.free_symbols


def test_a_form_that_would_fill_pages_is_left_out():
    long = SWAP | {
        "features": [[1, 0, "y"], ["x", 1, 0], [0, "y", 1], [1, 1, "x"]],
        "target": {"transitions": [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], ["1/2", 0, 0, "1/2"]]},
        "behaviour": {"distribution": ["1/8", "1/8", "1/4", "1/2"]},
    }
    long["target"]["rewards"] = [1, 0, 0, "x"]
    assert family_forms(family_from(long)).bias is None


def test_the_bias_of_dependent_features_has_the_right_values():
    found = derive_family(families()["baird-star-5"].family, points=1)
    problem = open_problem("baird-star-5:w=3,q=2/5,gamma=3/4")
    at = {found.forms.letters["w"]: 3, found.forms.letters["q"]: sympy.Rational(2, 5), GAMMA: sympy.Rational(3, 4)}
    form, since = found.forms.bias
    for k in (since, since + 1, since + 4):
        values = found.forms.chosen.subs(at) * (found.forms.theta_pi + form).subs(at).subs(K, k)
        exact = matrix(problem.exact.Phi) * chain_by_closed_form(problem, k)
        assert list(values) == [sympy.Rational(str(x)) for x in exact.entries()]


def test_cells_are_told_by_the_curves_between_them(capsys):
    out = run(capsys, "derive", "twostate-family", "--over", "x,p", "--gamma", "9/10", "--points", "1")[1]
    assert "p in (−x²/((1 − x)(x + 10)), 1): TD unstable, chain biased" in out
    assert "x in (−10/9, 10/9), decided at" in out


def test_a_family_where_a_number_is_needed_is_refused_by_every_command(tmp_path, capsys):
    path = tmp_path / "two.json"
    path.write_text(json.dumps(TWO))
    more = {"chain": ["--k", "2"], "learn": ["--learner", "td", "--step-size", "0.1"]}
    for command in ("inspect", "chain", "compare", "noise", "learn"):
        for problem in (str(path), "twostate-family"):
            code, out, error = run(capsys, command, problem, *more.get(command, []))
            assert (code, out) == (2, "")
            assert error.count("\n") == 1
            assert "is a family with x, p in it" in error
    assert run(capsys, "chain", f"{path}:x=3,p=9/10", "--k", "2")[0] == 0


def test_families_are_listed(capsys):
    listed = json.loads(run(capsys, "list", "--json")[1])["families"]
    assert [f["name"] for f in listed] == list(families())
    assert listed[0]["parameters"]["p"]["range"] == "(0, 1)"
    assert "twostate-family" in run(capsys, "list")[1]


def test_the_command_reads_families(tmp_path, capsys):
    path = tmp_path / "two.json"
    path.write_text(json.dumps(TWO))
    code, out, _ = run(capsys, "derive", str(path), "--over", "x,p", "--json")
    found = json.loads(out)
    assert code == 0
    assert len(found["cells"]["found"]) == 10
    assert found["conditions"]["td"][0]["name"] == "(−1)ⁿf(0)"
    assert found["check"]["differences"] == []
    assert run(capsys, "inspect", str(path), "--set", "x=3,p=9/10")[0] == 0
    for arguments, words in (
        (("inspect", str(path)), "is a family with x, p in it"),
        (("inspect", str(path), "--set", "x=3"), "is a family with p in it: append their numbers"),
        (("inspect", str(path), "--set", "x"), "expected letters with numbers"),
        (("inspect", "twostate", "--set", "x=1"), "declares no letters"),
        (("derive", "twostate", "--over", "x"), "nothing to cut"),
        (("derive", str(path), "--over", "z"), "there is no letter 'z'"),
    ):
        code, _, error = run(capsys, *arguments)
        assert code == 2
        assert words in error


def test_probabilities_must_sum_to_one_for_all_letters():
    with pytest.raises(InvalidProblem, match=r"target.transitions\[1\]: sums to x, not to 1 for all letters"):
        family_forms(family_from(TWO | {"target": {"transitions": [[0, 1], [0, "x"]]}}))


def test_too_many_features_or_letters_are_refused():
    wide = TWO | {"features": [[1] + [0] * 10, ["x"] + [1] * 10]}
    with pytest.raises(InvalidProblem, match="up to 10 features"):
        family_forms(family_from(wide))
    forms = family_forms(family_from(TWO))
    with pytest.raises(InvalidProblem, match="one or two letters"):
        cut(forms, conditions(forms), ("x", "p", "gamma"), {})
    with pytest.raises(InvalidProblem, match="need a number"):
        cut(forms, conditions(forms), ("x",), {"gamma": Fraction(1, 2)})
    with pytest.raises(InvalidProblem, match="at most 6 letters, got 7"):
        family_from(TWO | {"parameters": dict.fromkeys("abcdefx", "real")})


def test_the_discount_among_the_letters_is_the_discount(tmp_path, capsys):
    """It was read and dropped, by cells and by phase diagrams."""
    path = tmp_path / "two.json"
    path.write_text(json.dumps(TWO))
    asked = ["derive", str(path), "--over", "x,p", "--points", "1"]
    among, beside = run(capsys, *asked, "--set", "gamma=1/2")[1], run(capsys, *asked, "--gamma", "1/2")[1]
    assert among == beside
    assert "at γ = 1/2" in among
    code, _, err = run(capsys, *asked, "--set", "gamma=1/2", "--gamma", "1/3")
    assert (code, err.count("\n")) == (2, 1)
    figure = Settings(str(path), "x,p", "gamma=1/2")
    assert compute(figure)["fixed"] == {"gamma": "1/2"}


def test_a_determinant_is_that_of_the_matrix(capsys):
    """λ − B has determinant 1·λ + …: what factors have in front is divided by."""
    (line,) = [x for x in run(capsys, "derive", "twostate-family", "--points", "1")[1].splitlines() if "λ − B" in x]
    assert line == "det(λ − B) = (x² + p − px²)λ + γpx² − γpx − γx², over x² + p − px²"
