"""The closed forms of the episodic problems, at γ = 1 and below."""

from fractions import Fraction

import pytest

from theory.certified.verdicts import chain_unbiased, td_stable
from theory.methods.family import find_method
from theory.methods.parameters import stable_parameters
from theory.model.linear_model import exact_model
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import enumerate_transitions
from theory.thresholds.discounts import chain_threshold


@pytest.mark.parametrize("n", range(2, 9))
def test_the_corridor_is_stable_exactly_below_its_closed_form(n):
    problem = catalogue_problem(f"corridor:states={n}")
    limit = Fraction((n + 1) * (n + 2), (n - 1) * (n + 6))
    assert problem.exact.d_mu.tolist() == [Fraction(2 * (n - k), n * (n + 1)) for k in range(n)]
    assert str(chain_threshold(problem).exact) == str(limit)
    for gamma in (Fraction(1), min(Fraction(1), limit), min(Fraction(1), limit * Fraction(99, 100))):
        at = problem.with_gamma(gamma)
        assert td_stable(at).proved == chain_unbiased(at).proved == (gamma < limit)


def test_four_states_are_a_tie_at_gamma_one():
    problem = catalogue_problem("corridor:states=4")
    assert "tie" in td_stable(problem).reason
    for name in ("td", "chain"):
        found, _ = stable_parameters(find_method(name), "gamma", problem, exact_model(problem))
        assert str(found) == "[0, 1)"
    found, _ = stable_parameters(find_method("td"), "gamma", catalogue_problem("corridor:states=3"), exact_model(
        catalogue_problem("corridor:states=3")
    ))  # fmt: skip
    assert str(found) == "[0, 1]"


def test_ended_transitions_bootstrap_from_nothing():
    problem = catalogue_problem("corridor")
    ends = [o for o in enumerate_transitions(problem) if o.discount == 0]
    assert [(o.state, o.action, o.next_state, o.ratio) for o in ends] == [(4, 1, 0, 2)]
    assert sum(o.probability for o in enumerate_transitions(problem)) == 1
