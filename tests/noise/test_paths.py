"""Lyapunov exponents: estimates against sums that hold exactly, for a product of numbers and for a trace."""

import numpy as np
import pytest

from theory.learners.concurrent import ConcurrentChain
from theory.learners.gradient import TDC
from theory.learners.td import OffPolicyTD
from theory.learners.traces import ETD
from theory.noise.paths import PathGrowth, path_growth, without_rewards
from theory.problems import InvalidProblem
from theory.problems.catalogue import catalogue_problem
from theory.propositions.extra_etd_moments import one_state


def test_a_products_exponent_is_the_mean_of_its_logarithms():
    """Twostate, head 1 at α = 3/10: 2/5, −7/5, 1, 1 with equal weights; ρ₂ > 1 and paths fall all the same."""
    problem = catalogue_problem("twostate-reward")
    found = path_growth(ConcurrentChain(problem.gamma, 0.3, 1), problem, paths=32, seed=1)
    assert abs(found.exponent - np.log(14 / 25) / 4) < 2 * found.margin  # 4 standard errors
    assert found.margin < 0.04
    assert found.side == "converge"
    assert found.moves < 2000  # shortened: longer paths would leave the range of doubles


@pytest.mark.parametrize(("alpha", "side"), [(0.5, "converge"), (4.0, "diverge")])
def test_an_emphatic_runs_exponent_is_a_sum_over_run_lengths(alpha, side):
    """One state, γ = 3/5, q = 1/2: after k moves by π's action F_k = (g^{k+1} − 1)/(g − 1), g = γ/q = 6/5."""
    problem = one_state(problem_q := 0.5, 0.6)
    k = np.arange(400)
    F = (1.2 ** (k + 1) - 1) / 0.2
    exact = problem_q * np.sum((1 - problem_q) * problem_q**k * np.log(np.abs(1 - alpha / problem_q * 0.4 * F)))
    found = path_growth(ETD(problem.gamma, alpha), problem, paths=40, seed=2)
    assert abs(found.exponent - exact) < 2 * found.margin
    assert found.side == side


def test_rounding_that_no_update_moves_is_not_taken_for_an_error():
    """One feature, 1 and 3: an excursion multiplies by 25/8 and 1/8, nine of a hundred moves begin one."""
    problem = catalogue_problem("quadrant-unstable-biased")
    found = path_growth(OffPolicyTD(problem.gamma, 0.125), problem, paths=64, seed=3)
    assert abs(found.exponent - 0.09 * np.log(25 / 64)) < 2 * found.margin
    assert found.side == "converge"


def test_rewards_do_not_matter_and_seeds_do():
    quiet, loud = catalogue_problem("baird"), catalogue_problem("baird-reward")
    assert not np.any(without_rewards(loud).r_pi)
    rule = TDC(quiet.gamma, 0.03, 0.004)
    one, other, again = (
        path_growth(rule, p, paths=4, moves=2000, seed=s) for p, s in ((quiet, 0), (loud, 0), (loud, 1))
    )
    assert one == other
    assert one != again


def test_what_cannot_be_told_is_undecided_and_what_explodes_is_refused():
    assert PathGrowth(1e-6, 2e-6, 8, 1000).side == "undecided"
    problem = catalogue_problem("twostate")
    with pytest.raises(InvalidProblem, match="leave the range of doubles within"):
        path_growth(ConcurrentChain(problem.gamma, 1e40, 1), problem, paths=2, moves=256)
