"""Expected updates and Richardson iteration: eq-td, eq-chain, def-richardson, prop-1, eq-recursion, prop-4."""

from fractions import Fraction

import numpy as np
import pytest

from tests.propositions.outcomes import found, moments, refuted, stated
from theory.certified.verdicts import richardson_converges
from theory.problems import MDP, InvalidProblem, Problem
from theory.propositions import richardson
from theory.propositions.expected_updates import sampling_theory
from theory.propositions.theories.paper import richardson_theory
from theory.symbolic.outcomes import Proved


def step_bound(M: np.ndarray) -> float:
    lam = np.linalg.eigvals(M)
    return float((2 * lam.real / abs(lam) ** 2).min())


# eq-td, eq-chain


def test_corrected_moments_rest_on_coverage_and_the_uncorrected_one_does_not() -> None:
    names = [("eq-td", name) for name in ("X", "Y", "A", "b", "td-update")] + [("eq-chain", "chain-update")]
    for id, name in names:
        assert "coverage: mu rho = pi" in stated(id, name).decide().certificate.assumptions
    assert "coverage: mu rho = pi" not in stated("eq-td", "X-uncorrected").decide().certificate.assumptions


def test_successors_without_the_ratio_do_not_give_Y() -> None:
    n = sampling_theory()
    wrong = n.T.prove("Y without rho", n.visited * n.successor, n.Y)
    assert refuted(wrong)


def test_bootstrapping_on_itself_is_not_the_chained_update() -> None:
    n = sampling_theory()
    claim = stated("eq-chain", "chain-update")
    wrong = n.T.prove("own bootstrap", claim.left, stated("eq-td", "td-update").right)
    assert refuted(wrong)


@pytest.mark.parametrize("id", ["eq-td", "eq-chain"])
def test_without_action_coverage_half_of_the_ratio_is_missing(id: str) -> None:
    witness = found(id, "coverage").witness
    mu, pi = ([Fraction(x) for x in witness[name]] for name in ("mu", "pi"))
    assert sum(m * p / m for m, p in zip(mu, pi, strict=True) if m) == Fraction(1, 2)
    mdp = MDP([[[1], [1]]], [[0, 0]], "1/2")
    with pytest.raises(InvalidProblem, match="coverage"):
        Problem.from_mdp(mdp, pi=[pi], mu=[mu], Phi=[[1]])


# def-richardson, prop-1


def test_the_papers_index_of_the_error_is_refuted() -> None:
    n = richardson_theory()
    late = n.T.prove("r_{t+1} = (1 - alpha M)^t r_0", n.T.next(n.x, "t") - n.x_star, n.E_t * (n.x0 - n.x_star))
    assert refuted(late)
    assert late.witness.dims["N"] >= 2


def test_iterates_need_no_solution() -> None:
    outcome = stated("def-richardson", "iterates").decide()
    assert isinstance(outcome, Proved)
    assert outcome.certificate.assumptions == ()


@pytest.mark.parametrize(("name", "rows", "bound"), richardson.MATRICES, ids=lambda x: x if isinstance(x, str) else "")
def test_bound_on_the_step_size_is_that_of_the_eigenvalues(name: str, rows: list[list[int]], bound: Fraction) -> None:
    # A Jordan block of size 3 moves its computed eigenvalues by about the cube root of the rounding, 1e-5.
    assert step_bound(np.array(rows, dtype=float)) == pytest.approx(float(bound), rel=1e-4)


def test_verdicts_at_the_bound_carry_certificates_that_recheck() -> None:
    for _, rows, bound in richardson.MATRICES:
        for factor in (1 - richardson.CLOSE, 1, 1 + richardson.CLOSE):
            certificate = richardson_converges(rows, bound * factor).certificate
            assert certificate is not None
            assert certificate.recheck()


def test_rotation_lengthens_every_error() -> None:
    M = np.array(found("prop-1", "Re λ > 0").witness["M"], dtype=float)
    assert np.allclose(np.linalg.eigvals(M).real, 0, atol=1e-15)
    for alpha in (1e-3, 0.1, 1.0):
        step = np.eye(2) - alpha * M
        assert np.allclose(step.T @ step, (1 + alpha**2) * np.eye(2))  # a multiple of an isometry


def test_the_matrix_the_paper_cannot_diagonalise_has_one_eigenvector_and_converges() -> None:
    M = np.array(found("prop-1", "diagonalisable").witness["M"], dtype=float)
    assert np.linalg.matrix_rank(M - np.eye(2)) == 1
    assert np.abs(np.linalg.matrix_power(np.eye(2) - 0.5 * M, 100)).max() < 1e-20  # about 100·2⁻¹⁰⁰


# eq-recursion, prop-4


def test_twin_features_leave_the_head_undetermined() -> None:
    twins = found("eq-recursion", "full column rank").witness
    X = twins.Phi.T @ np.diag(twins.d_mu) @ twins.Phi
    assert np.array_equal(X @ [1, -1], [0, 0])
    assert np.array_equal(twins.Phi @ [1, -1], [0, 0])


def test_each_head_has_a_bound_of_its_own() -> None:
    fast, slow = (found("prop-4", part).witness for part in ("head 0", "heads k"))
    X, _, _, A_mu = moments(fast)
    assert step_bound(A_mu) < 3 < step_bound(X)
    X, _, _, A_mu = moments(slow)
    assert step_bound(X) < 10 < step_bound(A_mu)


def test_a_distribution_that_is_not_stationary_breaks_head_0() -> None:
    off = found("prop-4", "stationary").witness
    A_mu = moments(off).A_mu
    assert A_mu[0, 0] == pytest.approx(-0.47)
    assert not np.allclose(off.d_mu @ off.P_mu, off.d_mu)
