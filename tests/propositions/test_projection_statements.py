"""The appendix on the projection: lemma-1, prop-8, prop-9."""

import numpy as np
import pytest

from theory.propositions import similarity
from theory.propositions.cases import cases
from theory.propositions.registry import statement

# lemma-1


def test_a_singular_B_loses_an_eigenvalue() -> None:
    witness = next(c for c in statement("lemma-1").counterexamples() if c.drops == "B of full rank").witness
    A, B = (np.array(witness[name], dtype=float) for name in "AB")
    assert sorted(np.linalg.eigvals(A)) == [1, 2]
    assert sorted(np.linalg.eigvals(B @ A @ np.linalg.pinv(B))) == [0, 1]


@pytest.mark.parametrize(
    ("name", "rows", "eigenvalue"), similarity.MATRICES, ids=lambda x: x if isinstance(x, str) else ""
)
def test_sample_matrices_are_what_they_are_called(name: str, rows: list[list[int]], eigenvalue: int) -> None:
    A, n = np.array(rows), len(rows)
    assert np.linalg.matrix_rank(A - eigenvalue * np.eye(n)) < n
    if name.startswith("defective"):
        assert np.linalg.matrix_rank(A - eigenvalue * np.eye(n)) == n - 1
        assert np.array_equal(np.diag(A), [eigenvalue] * n)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_change_of_basis_is_unimodular(n: int) -> None:
    assert similarity.change_of_basis(n).det() == 1


# prop-8


@pytest.mark.parametrize("problem", list(cases("full-rank")), ids=lambda p: p.name)
def test_projection_has_exactly_F_eigenvalues_one_in_floats(problem) -> None:
    PhiD = problem.Phi.T * problem.d_mu
    Pi = problem.Phi @ np.linalg.solve(PhiD @ problem.Phi, PhiD)
    # Π is self-adjoint for D: in the basis D^½ it is symmetric and eigvalsh is accurate to its conditioning.
    root = np.sqrt(problem.d_mu)
    values = np.linalg.eigvalsh((root[:, None] * Pi / root + (root[:, None] * Pi / root).T) / 2)
    ones = problem.n_features
    expected = [0] * (problem.n_states - ones) + [1] * ones
    assert np.allclose(values, expected, rtol=0, atol=1e-10)


def test_dependent_features_and_unvisited_states_leave_X_singular() -> None:
    twins, unvisited = (c.witness for c in statement("prop-8").counterexamples())
    assert np.linalg.matrix_rank(twins.Phi.T @ np.diag(twins.d_mu) @ twins.Phi) == 1
    Phi, D = np.array(unvisited["Phi"]), np.diag(unvisited["d_mu"])
    assert np.linalg.matrix_rank(Phi) == 2
    assert np.linalg.matrix_rank(Phi.T @ D @ Phi) == 1


# prop-9


def test_each_half_of_stochastic_is_needed() -> None:
    sums, signs, product = statement("prop-9").counterexamples()
    assert max(abs(np.linalg.eigvals(np.array(sums.witness["P"])))) == pytest.approx(2)
    assert min(min(row) for row in sums.witness["P"]) >= 0
    assert max(abs(np.linalg.eigvals(np.array(signs.witness["P"])))) == pytest.approx(2)
    assert [sum(row) for row in signs.witness["P"]] == [1, 1]
    problem = product.witness
    PhiD = problem.Phi.T * problem.d_mu
    Z = problem.Phi @ np.linalg.solve(PhiD @ problem.Phi, PhiD) @ problem.P_pi
    assert max(abs(np.linalg.eigvals(Z))) == pytest.approx(6 / 5)
