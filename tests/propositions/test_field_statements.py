"""Statements about the field: each comes out as it should, false variants are refuted, numbers hold by other routes."""

import numpy as np
import pytest

from tests.propositions.outcomes import refuted, stated
from theory.methods.family import find_method
from theory.model.linear_model import float_model
from theory.problems.catalogue import catalogue_problem
from theory.propositions import field_1, field_5, field_8, field_9, field_10, field_11, field_12
from theory.propositions.field_3 import soft_theory
from theory.propositions.field_4 import determinant_theory
from theory.propositions.field_6 import closed_theory
from theory.propositions.field_13 import ridge_theory
from theory.propositions.field_14 import horizon_theory
from theory.propositions.registry import IDS
from theory.propositions.theories.oblique import oblique_theory
from theory.propositions.theories.paper import paper_theory
from theory.symbolic.outcomes import Proved

FIELD = [id for id in IDS if id.startswith("field-")]


def test_there_are_fourteen():
    assert [f"field-{i}" for i in range(1, 15)] == FIELD


def wrong_claims():
    """One variant of each statement that is false: a letter turned, a sign, a factor."""
    n = paper_theory()
    T = n.T
    rest = n.b - n.A * n.theta0
    yield "field-1", T.claim("A for X", n.Xi * (T.gamma * n.Y * n.theta0 + n.b), n.theta0 + n.Ai * rest)
    yield "field-2", T.claim("turned", 1 - n.G, n.A * n.Xi)
    s = soft_theory()
    ahead = s.T.z - 1 + s.T.tau
    wrong = s.T.alpha * s.T.tau * s.T.gamma * s.Y * s.own
    yield "field-3", s.T.claim("no z", ahead * (s.T.z - 1) * s.own + s.T.alpha * ahead * s.X * s.own, wrong)
    d = determinant_theory()
    yield "field-4", d.T.claim("X for A", d.T.tau - d.T.tau * d.T.gamma * d.Xi * d.Y, d.T.tau * d.Xi * d.X)
    a = field_5.aggregation_theory()
    yield "field-5", a.T.claim("rows of A", a.A * a.ones, a.X * a.ones)
    c = closed_theory()
    yield "field-6", c.T.claim("W X", c.Y, c.W * c.X)
    yield "field-7", T.claim("sums above", n.W_k * n.Xi, n.Ai + n.G_k * n.Ai)
    yield "field-8", T.claim("no transpose", n.X - n.G * n.X * n.G, n.X - T.gamma**2 * n.Y.T * n.Xi * n.Y)
    o = oblique_theory()
    yield "field-9", o.T.claim("orthogonal", o.O, o.Pi)
    e = field_10.emphatic_theory()
    key, across = e.M - e.M * e.W, e.Src - e.Dst
    yield "field-10", e.T.claim("without D", key + key.T, e.M - e.K + across.T * e.Q * across)
    g = field_11.gradient_theory()
    z, eta = g.T.z, g.T.eta
    middle = g.A * g.w + eta * g.X * g.w + eta * g.T.kappa * g.w
    ends = eta * (g.A.T * g.A * g.w + g.T.kappa * g.A * g.w)
    yield "field-11", g.T.claim("A'A", z**2 * g.w - z * middle + ends, 0 * g.w)
    t = field_12.trace_theory()
    yield "field-12", t.T.claim("A(lambda) = A", t.A_lam, t.A)
    r = ridge_theory()
    yield "field-13", r.T.claim("bias by A", r.ridged - r.theta_pi, -r.T.eta * r.Ai * r.theta_pi)
    h = horizon_theory()
    yield "field-14", h.T.claim("nothing projected", h.Phi * h.theta, h.r + h.T.gamma * h.P * h.Phi * h.theta)


@pytest.mark.parametrize(("id", "claim"), list(wrong_claims()), ids=FIELD)
def test_false_variants_are_refuted_with_an_exact_witness(id, claim):
    assert refuted(claim.decide())


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
        assert settled == field_1.semiconvergent(problem)


def test_kolter_condition_is_a_norm():
    """K ⪰ 0 ⇔ ‖ΠP‖ ≤ 1 on the span, by singular values."""
    seen = set()
    for problem in field_8.candidates():
        model = float_model(problem)
        root = np.linalg.cholesky(model.X).T
        size = np.linalg.norm(root @ np.linalg.solve(model.X, model.Y) @ np.linalg.inv(root), 2)
        if abs(size - 1) > 1e-9:
            assert field_8.kolter(problem) == (size < 1)
            seen.add(size < 1)
    assert seen == {True, False}


def test_the_error_factor_of_one_feature_by_singular_values():
    problem = catalogue_problem("kolter:p=7/10")
    exact = float(str(field_9.one_feature_factor(problem).p)) / float(str(field_9.one_feature_factor(problem).q))
    assert field_9.error_factor(problem) == pytest.approx(exact**0.5, rel=1e-9)  # ‖O − I‖ = ‖O‖ of a projection


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
    p = field_12.GAP
    one = np.eye(4)

    def lowest(lam):
        A = (p.Phi.T * p.d_mu) @ np.linalg.solve(one - p.gamma * lam * p.P_pi, (one - p.gamma * p.P_pi) @ p.Phi)
        return np.linalg.eigvals(A).real.min()

    assert lowest(0.0) > 0 > lowest(0.7)
    assert lowest(0.97) > 0


def test_methods_of_the_fixed_horizon_do_not_converge_to_anything_else():
    assert find_method("fixed-horizon").always is not None
