r"""Why two pairs of numbers in the paper's table cannot come from its stated protocol.

GTD2 and TDC see a problem only through ρδ and ρ. On Baird's problem, with and without rewards, ρ times the residual
R + γv_π(s') − v_π(s) is 0 on every move, so ρδ is a function of the error e = Φθ − v_π alone, and the errors of both
learners are linear and homogeneous in their start: e_t = L_t e_0 with the same L_t on both problems for equal settings
and moves. Where v_π = Φθ*, e_0 = Φ(θ_0 − θ*), and for independent starts θ_0 ~ N(0, σ²I)

    E‖e_t‖² = σ²‖L_tΦ‖²_F + ‖L_tΦθ*‖²  ≤  (1 + ‖θ*‖²/σ²) · σ²‖L_tΦ‖²_F ,

the last factor being E‖e_t‖² of the problem whose values are 0. Hence for every setting

    RMSE(with rewards) ≤ √(1 + ‖θ*‖²/σ²) · RMSE(without),      θ* of least norm,

and so for the tuned ones, since tuning minimises (all in expectation over seeds). On Baird-Reward the factor is
√(21/13) ≈ 1.27 at γ = .99. The factor grows as σ falls: with σ = 10 it is √(813/13) ≈ 7.9, and the pairs are possible.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.exact.matrices import fraction, fractions, least_norm_solution, matrix
from theory.experiments.table1.paper import PRINTED
from theory.experiments.table1.units import COLUMNS
from theory.model.linear_model import exact_model
from theory.model.points import true_values
from theory.problems import InvalidProblem, Problem
from theory.problems.catalogue import catalogue_problem
from theory.problems.sampling import enumerate_transitions


def is_homogeneous(problem: Problem) -> bool:
    """Is ρ·(R + γv_π(s') − v_π(s)) exactly 0 on every move that the behaviour makes?"""
    v, gamma = fractions(true_values(exact_model(problem))).ravel(), problem.exact.gamma
    return all(
        m.ratio * (m.reward + gamma * m.discount * v[m.next_state] - v[m.state]) == 0
        for m in enumerate_transitions(problem)
    )


def squared_factor(problem: Problem, sigma: int = 100) -> Fraction:
    """1 + ‖θ*‖²/σ², exactly; the start of every parameter is N(0, σ²).

    >>> squared_factor(catalogue_problem("baird-reward:gamma=99/100"))
    Fraction(21, 13)
    """
    if not is_homogeneous(problem):
        raise InvalidProblem(f"on {problem.name} the Bellman residual of v_π is not 0 on every move: no such bound")
    theta = least_norm_solution(matrix(problem.exact.Phi), true_values(exact_model(problem)))
    if theta is None:
        raise InvalidProblem(f"v_π of {problem.name} is outside the span of Φ: no such bound")
    return 1 + fraction((theta.transpose() * theta)[0, 0]) / sigma**2


def impossible_pairs(sigma: int = 100) -> list[dict[str, Any]]:
    """For GTD2 and TDC and both discounts: the paper's pair, its ratio, and the greatest ratio there can be.

    Printed numbers are rounded to .1, so the ratio is taken at its least: (with − .05)/(without + .05).
    """
    found = []
    for learner in ("gtd2", "tdc"):
        for gamma in ("9/10", "99/100"):
            plain, rewarded = COLUMNS.index(("baird", gamma)), COLUMNS.index(("baird-reward", gamma))
            without, with_rewards = PRINTED[learner][plain], PRINTED[learner][rewarded]
            square = squared_factor(catalogue_problem(f"baird-reward:gamma={gamma}"), sigma)
            factor, least = float(square) ** 0.5, (with_rewards - 0.05) / (without + 0.05)
            found.append(
                {
                    "learner": learner,
                    "gamma": float(Fraction(gamma)),
                    "paper_baird": without,
                    "paper_baird_reward": with_rewards,
                    "least_ratio": least,
                    "bound": factor,
                    "bound_squared": str(square),
                    "possible": least <= factor,
                }
            )
    return found
