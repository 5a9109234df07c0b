"""Statements about the field: each comes out as it should, false variants are refuted, numbers hold by other routes."""

import numpy as np
import pytest

from tests.propositions.outcomes import stated
from theory.methods.family import find_method
from theory.model.linear_model import float_model
from theory.problems.catalogue import catalogue_problem
from theory.propositions import field_11, oblique, parametric_methods, preconditioners
from theory.propositions.registry import IDS
from theory.symbolic.outcomes import Proved

FIELD = [id for id in IDS if id.startswith("field-")]


def test_there_are_fourteen():
    assert [f"field-{i}" for i in range(1, 15)] == FIELD


def test_a_window_as_a_preconditioner_is_proved_by_induction():
    outcome = stated("field-1", "a window's preconditioner").decide()
    assert isinstance(outcome, Proved)
    assert "by induction over t" in str(outcome)


def test_semiconvergence_in_floats():
    """Powers of I − αA on all features settle down, or do not."""
    for name in ("baird", "baird:gamma=4/5", "threestate", "random-walk"):
        problem = catalogue_problem(name)
        D = np.diag(problem.d_mu)
        A = problem.Phi.T @ D @ (np.eye(problem.n_states) - problem.gamma * problem.P_pi) @ problem.Phi
        step = np.eye(len(A)) - 1e-3 * A
        for _ in range(30):
            step = step @ step
            if np.abs(step).max() > 1e6:
                break
        settled = np.abs(step).max() < 1e6 and np.abs(step @ step - step).max() < 1e-6
        assert settled == preconditioners.semiconvergent(problem)


def test_kolter_condition_is_a_norm():
    """K ⪰ 0 ⇔ ‖ΠP‖ ≤ 1 on the span, by singular values."""
    seen = set()
    for problem in oblique.candidates():
        model = float_model(problem)
        root = np.linalg.cholesky(model.X).T
        size = np.linalg.norm(root @ np.linalg.solve(model.X, model.Y) @ np.linalg.inv(root), 2)
        if abs(size - 1) > 1e-9:
            assert oblique.kolter(problem) == (size < 1)
            seen.add(size < 1)
    assert seen == {True, False}


def test_the_error_factor_of_one_feature_by_singular_values():
    problem = catalogue_problem("kolter:p=7/10")
    exact = float(str(oblique.one_feature_factor(problem).p)) / float(str(oblique.one_feature_factor(problem).q))
    assert oblique.error_factor(problem) == pytest.approx(exact**0.5, rel=1e-9)  # ‖O − I‖ = ‖O‖ of a projection


def test_tdc_is_unstable_in_the_gap_by_eigenvalues():
    """The conjecture that was refuted, with nothing of the workbench but the problem's numbers."""
    p = field_11.GAP
    X = (p.Phi.T * p.d_mu) @ p.Phi
    A = X - p.gamma * (p.Phi.T * p.d_mu) @ p.P_pi @ p.Phi
    assert np.linalg.eigvals(A).real.min() > 1e-3

    def lowest(eta):
        return np.linalg.eigvals(np.block([[A, X - A.T], [eta * A, eta * X]])).real.min()

    assert lowest(1e-3) > 0 > lowest(1e-2)
    assert lowest(1e-1) > 0


def test_lambda_gap_by_eigenvalues():
    p = parametric_methods.GAP
    one = np.eye(4)

    def lowest(lam):
        A = (p.Phi.T * p.d_mu) @ np.linalg.solve(one - p.gamma * lam * p.P_pi, (one - p.gamma * p.P_pi) @ p.Phi)
        return np.linalg.eigvals(A).real.min()

    assert lowest(0.0) > 0 > lowest(0.7)
    assert lowest(0.97) > 0


def test_methods_of_the_fixed_horizon_do_not_converge_to_anything_else():
    assert find_method("fixed-horizon").unconditional_reason is not None
