"""The public API: every name opens, quickly, and never hides a package."""

import json
import pkgutil
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy

import theory
from tests.command_line import run
from theory.commands.common import print_json
from theory.problems.files import problem_document


def test_every_public_name_is_there():
    for name in theory.__all__:
        assert getattr(theory, name).__doc__
    assert set(theory.__all__) <= set(dir(theory))
    with pytest.raises(AttributeError, match="no attribute 'thresholdz'"):
        theory.thresholdz  # noqa: B018


def test_no_public_name_is_a_package():
    """Else ``import theory.x`` would replace the function `theory.x`, or the other way round."""
    assert not {module.name for module in pkgutil.iter_modules(theory.__path__)} & set(theory.__all__)


def test_the_packages_stay_packages():
    import theory.learners
    import theory.thresholds

    assert theory.gamma_thresholds("twostate").chain.exact == Fraction(5, 6)
    assert "tdc" in theory.learner_names()
    assert theory.thresholds.__path__
    assert theory.learners.__path__


def test_importing_theory_imports_no_numerics():
    code = "import sys, theory; print([m for m in ('numpy', 'sympy', 'flint', 'theory.problems') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_problem_is_a_name_a_path_or_a_problem(tmp_path):
    path = tmp_path / "mine.json"
    mine = theory.open_problem("twostate")
    mine.save(path)
    for given in (mine, "twostate", path, str(path)):
        assert str(theory.td_stable(given)) == str(theory.td_stable(mine))
    assert theory.inspect(Path(path), gamma="4/5").td.proved
    assert theory.inspect("twostate", gamma=sympy.Rational(4, 5), step_size=0.25).target_network.step_size == 0.25


def test_an_inspection_says_and_draws_what_it_found():
    found = theory.inspect("quadrant-stable-biased")
    assert "TD is stable" in str(found)
    assert "chained TD" in found._repr_html_()
    assert repr(found) == "<Inspection of quadrant-stable-biased at γ = 9/10: TD stable, chain biased>"
    assert found.document()["quadrant"] == found.quadrant == "td-stable/chain-biased"
    assert len(found.plot().axes) == 4


def test_algebraic_thresholds_are_the_same_in_sympy():
    """γ = 1/ρ(ΠP) where ρ solves a cubic: its polynomial vanishes at SymPy's number, to thirty digits."""
    problem = theory.Problem.from_matrices(
        "1/2",
        Phi=[[1, 0, 1], [0, 1, 2], [1, 1, 0], [2, -1, 3]],
        P_pi=[[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], ["1/3", "1/3", "1/3", 0]],
        d_mu=["1/10", "2/10", "3/10", "4/10"],
    )
    exact = theory.gamma_thresholds(problem).chain.exact
    found = exact.sympy()
    assert exact.degree > 1
    assert abs(sympy.N(found, 30) - sympy.Float(exact.decimal(25), 30)) < sympy.Float("1e-24")


def test_exact_results_come_out_as_fractions_and_in_sympy():
    head = theory.chain_head("twostate-reward:gamma=4/5", 3, [Fraction(1, 3)])
    assert all(isinstance(x, Fraction) for x in head.values)
    assert list(head.sympy()["values"]) == [sympy.Rational(x.numerator, x.denominator) for x in head.values]


@pytest.mark.parametrize("sizes", [(5, 4), ([5], ["S-1"]), ("5", "4"), (range(5, 6), 4)])
def test_sizes_are_written_as_one_likes(sizes):
    assert theory.success_rate(*sizes, samples=20).rows == theory.success_rate(5, "S-1", samples=20).rows


WRONG = [
    (lambda: theory.figure("phase", "baird"), "over: is missing: two letters such as gamma,phi[1,1]"),
    (lambda: theory.figure("success-rate", "full"), "success-rate: is not drawn of a problem: it takes no problem"),
    (lambda: theory.figure("sucess-rate"), "no figure named 'sucess-rate'; did you mean 'success-rate'?"),
    (lambda: theory.figure("phase", profile="big"), "profile: no profile named 'big'; there are quick, full"),
    (
        lambda: theory.learn("baird", "tdc", 0.01, lambda_=0.9),
        "lambda_: tdc has no such setting; it has step_size, beta, reading, space",
    ),
    (
        lambda: theory.learn("baird", "off-policy-td", 0.01, beta=0.9),
        "beta: off-policy-td has no such setting; it has step_size, space",
    ),
    (
        lambda: theory.learn("baird", "target-network", 0.1, windwo=3),
        "windwo: target-network has no such setting; did you mean 'window'?",
    ),
    (lambda: theory.learn("baird", "lstd", 0.1), "step_size: lstd has no such setting; it has epsilon"),
    (lambda: theory.learn("baird", "tdd", 0.1), "learner: 'tdd' is unknown; did you mean 'td'?"),
    (lambda: theory.mean_square("baird", "tdc", lambda_=1), "lambda_: tdc has no such setting; it has step_size"),
    (lambda: theory.mean_square("baird", "tdc", "x"), "step_size: 'x' is not a number"),
    (lambda: theory.search(stable="tcd"), "method: 'tcd' is unknown; did you mean 'td'?"),
    (lambda: theory.search(family="twostate", td="unstable"), "family: twostate declares no letters"),
    (lambda: theory.search(td="unstable", seconds=0), "seconds: must be positive, got 0"),
    (lambda: theory.derive("twostate-family", k=3), "k: is of one problem, not of a family"),
    (lambda: theory.nearest_flips("baird", 0), "per_kind: must be an integer of 1 or more, got 0"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=[message[:30] for _, message in WRONG])
def test_a_wrong_call_is_one_line(call, message):
    with pytest.raises(theory.InvalidProblem, match=f"^{re.escape(message)}") as error:
        call()
    assert "\n" not in str(error.value)


def test_what_is_no_problem_and_what_no_function_takes_is_a_type_error():
    with pytest.raises(TypeError, match=r"^problem: expected a Problem, a name or a path, got int$"):
        theory.td_stable(3)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'ensembel'"):
        theory.success_rate(5, ensembel="paper")


def test_methods_may_be_one_text():
    rows = theory.compare("twostate", "td,etd").rows
    assert [row.method.name for row in rows] == [
        row.method.name for row in theory.compare("twostate", ["td", "etd"]).rows
    ]
    assert len(theory.compare("twostate", methods="td").rows) == 1


def test_another_discount_is_the_problem_at_it():
    """5/6 is Twostate's threshold, for TD as for the chain: below all is well, and at it nothing is."""
    half = theory.open_problem("twostate").with_gamma("1/2")
    for ask in (theory.td_stable, theory.chain_unbiased):
        assert ask("twostate", gamma="1/2").proved
        assert ask("twostate", gamma="5/6").refuted
        assert str(ask(half)) == str(ask("twostate", gamma="1/2"))
    assert theory.window_stable("twostate", 5, "1/8", gamma="1/2").proved
    assert theory.chain_head("twostate-reward", 3, gamma="1/2").theta != theory.chain_head("twostate-reward", 3).theta


def test_a_learner_is_tuned_started_and_scored_as_on_the_command_line(capsys):
    """The same numbers as `theory learn` prints, for each of its options that Python has."""
    shared = {"steps": 500, "seeds": 2}
    options = ["--steps", "500", "--seeds", "2"]
    for given, typed in [
        ({"step_size": "1/16", "gamma": "1/2"}, ["--step-size", "1/16", "--gamma", "1/2"]),
        ({"tune": True}, ["--tune"]),
        ({"step_size": 0.25, "error": "pbe"}, ["--step-size", "0.25", "--error", "pbe"]),
        ({"step_size": 0.25, "start": [1, "1/2", 3]}, ["--step-size", "0.25", "--start", "1,1/2,3"]),
        (
            {"step_size": 0.25, "beta": "1/8", "reading": "2009"},
            ["--step-size", "0.25", "--beta", "1/8", "--set", "reading=2009"],
        ),
        ({"step_size": 0.0625, "exact": True}, ["--step-size", "0.0625", "--exact"]),
    ]:
        code, out, _ = run(capsys, "learn", "threestate", "--learner", "tdc", *options, *typed, "--json")
        print_json(theory.learn("threestate", "tdc", **shared, **given).document())
        assert (code, out) == (0, capsys.readouterr().out)


def test_a_search_finds_what_the_command_finds(capsys):
    found = theory.search(td="unstable", stable="tdc", gamma="9/10")
    code, out, _ = run(capsys, "search", "--td", "unstable", "--stable", "tdc", "--gamma", "9/10", "--json")
    assert (code, json.loads(out)["features"]) == (
        0,
        json.loads(json.dumps(problem_document(found.problem)))["features"],
    )
    assert theory.td_stable(found.problem).refuted
    assert theory.compare(found.problem, "tdc").rows[0].outcome.holds.value == "yes"
    family = theory.search(family="twostate-family", td="unstable", rounds=1).problem
    assert family.name.startswith("twostate-family:")


def test_the_mean_square_of_a_learner_with_settings():
    """A hard target of one update a window is TD."""
    network = theory.mean_square("twostate", "target-network", gamma="1/2", window=1)
    assert str(network.mean_square) == str(theory.mean_square("twostate", "off-policy-td", gamma="1/2").mean_square)


def test_several_statements_are_a_list():
    assert [finding.result for finding in theory.verify("eq-geometric", "lemma-1")] == ["proved", "proved"]
    assert len(theory.statements()) == len(set(theory.statements())) > 30


@pytest.mark.parametrize(
    ("method", "learner"),
    [("chain", "chained-concurrent"), ("n-step-td", "n-step"), ("n-step-chain", "chained-n-step")],
)
def test_a_learner_also_goes_by_its_methods_name(method, learner):
    shared = {"step_size": 0.01, "heads": 3, "steps": 100, "seeds": 2}
    assert theory.compare("threestate", method).rows[0].method.name == method
    assert (
        theory.learn("threestate", method, **shared).document()
        == theory.learn("threestate", learner, **shared).document()
    )
