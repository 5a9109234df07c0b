"""The front door: every name opens, quickly, and never hides a package."""

import pkgutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy

import theory


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


def test_settings_that_no_learner_has_are_refused():
    with pytest.raises(theory.InvalidProblem, match=r"^windwo: no learner has such a setting"):
        theory.learn("twostate", "td", 0.1, windwo=3)


def test_several_statements_are_a_list():
    assert [finding.result for finding in theory.verify("eq-geometric", "lemma-1")] == ["proved", "proved"]
    assert len(theory.statements()) == len(set(theory.statements())) > 30
