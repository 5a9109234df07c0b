"""The exact moments against a sum over every transition, and against the floats."""

from fractions import Fraction

import numpy as np
from hypothesis import given

from tests.cases import each_case
from tests.exact.examples import EXACT, threestate
from tests.strategies import exact_problems, float_problems
from theory.exact.matrices import fractions, matrix
from theory.model.linear_model import exact_model, exact_moments, moments
from theory.model.points import projection, true_values
from theory.problems.numbers import as_exact


def summed_over_transitions(problem):
    """E_μ[ρφφᵀ], E_μ[ρφφ'ᵀ], E_μ[ρRφ], E_μ[φ(φ−γφ')ᵀ] and E_μ[Rφ], one transition after the other."""
    S, F, A = problem.n_states, problem.n_features, problem.mdp.n_actions
    gamma, Phi, d = problem.exact.gamma, problem.exact.Phi, problem.exact.d_mu
    P, R, pi, mu = (as_exact(x) for x in (problem.mdp.P, problem.mdp.R, problem.pi, problem.mu))
    X, Y, A_mu = (np.full((F, F), Fraction(0), dtype=object) for _ in range(3))
    b, b_mu = (np.full(F, Fraction(0), dtype=object) for _ in range(2))
    for s in range(S):
        for a in range(A):
            for t in range(S):
                weight = d[s] * mu[s, a] * P[s, a, t]
                if weight == 0:
                    continue
                ratio = pi[s, a] / mu[s, a]
                reward = R[s, a] if R.ndim == 2 else R[s, a, t]
                phi, phi_next = Phi[s], Phi[t]
                X += weight * ratio * np.outer(phi, phi)
                Y += weight * ratio * np.outer(phi, phi_next)
                b += weight * ratio * reward * phi
                A_mu += weight * np.outer(phi, phi - gamma * phi_next)
                b_mu += weight * reward * phi
    return X, Y, b, A_mu, b_mu


@EXACT
@given(exact_problems(with_mdp=True))
def test_moments_are_the_expectations_over_all_transitions(problem):
    m = exact_moments(problem)
    X, Y, b, A_mu, b_mu = summed_over_transitions(problem)
    assert (m.X, m.Y, m.b) == (matrix(X), matrix(Y), matrix(b))
    assert (m.behaviour.A, m.behaviour.b) == (matrix(A_mu), matrix(b_mu))
    assert matrix(X - problem.exact.gamma * Y) == m.A


@EXACT
@given(float_problems())
def test_float_moments_are_the_exact_ones_up_to_rounding(problem):
    # A sum of S² ≤ 16 products of three or four doubles: each error below (S² + 4)·2⁻⁵³ times the sum of moduli.
    exact, near = exact_moments(problem), moments(problem)
    e = problem.exact
    for name in ("X", "Y", "b"):
        right = {"X": e.Phi, "Y": e.P_pi @ abs(e.Phi), "b": e.r_pi}[name]
        size = abs(e.Phi.T) @ (e.d_mu[:, None] * abs(right).reshape(problem.n_states, -1))
        gap = abs(as_exact(getattr(near, name)) - fractions(getattr(exact, name)).reshape(getattr(near, name).shape))
        # 2⁻¹⁰⁶⁰ for products that underflow.
        assert np.all(gap <= (20 * Fraction(1, 2**53) * size + Fraction(1, 2**1060)).reshape(gap.shape))


@each_case()
def test_projection_is_the_orthogonal_one(case):
    Pi = projection(case.problem)
    Phi, d = matrix(case.problem.exact.Phi), case.problem.exact.d_mu
    assert Pi * Pi == Pi
    assert Pi * Phi == Phi
    assert Pi.rank() == exact_model(case.problem).rank
    DPi = matrix(d[:, None] * fractions(Pi).reshape(len(d), len(d)))
    assert DPi == DPi.transpose()


@each_case()
def test_true_values_satisfy_bellmans_equation(case):
    e = case.problem.exact
    m = exact_model(case.problem)
    v_pi, gamma = true_values(m), m.gamma
    assert v_pi == matrix(e.r_pi) + gamma * (matrix(e.P_pi) * v_pi)
    if e.P_mu is not None and e.r_mu is not None:
        v_mu = true_values(m.behaviour)
        assert v_mu == matrix(e.r_mu) + gamma * (matrix(e.P_mu) * v_mu)


def test_joint_matrix_is_block_bidiagonal():
    m = exact_moments(threestate())
    M, b = m.joint(2)
    blocks = [[fractions(M)[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] for j in range(3)] for i in range(3)]
    expected = {(0, 0): m.behaviour.A, (1, 1): m.X, (2, 2): m.X, (1, 0): -m.gamma * m.Y, (2, 1): -m.gamma * m.Y}
    for i in range(3):
        for j in range(3):
            want = fractions(expected[i, j]) if (i, j) in expected else 0
            assert np.all(blocks[i][j] == want)
    assert b.entries() == m.behaviour.b.entries() + m.b.entries() * 2
